"""``rankine tune`` and the table of rankers on the command line."""

import pytest

import rankine as rk
from rankine.rankers.table import TABLE
from rankine.sample import judged_set

from .running import rankine


@pytest.fixture
def folder(tmp_path):
    rk.save_letor(judged_set(n_queries=4), tmp_path / "data.txt")
    return tmp_path


def test_tune(folder):
    arguments = ("--loss", "svm-map", "--loss", "ranksvm-l2", "-C", "0.01,0.1", "--folds", "2", "--workers", "1")
    done = rankine(folder, "tune", "data.txt", *arguments, "--folder", "t", "-o", "best.json", "--normalise", "zscore")
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert lines[0][:4] == ["loss", "C", "normalise", "nDCG@10"]
    assert len(lines) == 5
    assert {line[0] for line in lines[1:]} == {"svm-map", "ranksvm-l2"}
    assert rk.load(folder / "best.json").loss == lines[1][0]
    files = {"jobs", "tune.json", "tune.csv", "tune.png", "leaderboard.json", "leaderboard.csv"}
    assert {p.name for p in (folder / "t").iterdir()} == files
    assert "On new queries expect nDCG@10 0." in done.stderr
    assert rk.load(folder / "best.json").provenance_["command"].startswith("rankine tune data.txt --loss svm-map ")
    again = rankine(folder, "tune", "data.txt", *arguments, "--folder", "t", "--normalise", "zscore").stdout
    assert again == done.stdout
    done = rankine(folder, "tune", "data.txt", "--ranker", "adarank", "--rounds", "3,6", "--folds", "2", "--workers",
                   "1", "--folder", "u", "-m", "AP")  # fmt: skip
    assert len(done.stdout.splitlines()) == 5
    for bad, message in ((("-C", "x"), "-C must be"), (("--folds", "99"), "folds"), (("-m", "zzz"), "unknown measure")):
        done = rankine(folder, "tune", "data.txt", "--folder", "v", "--workers", "1", *bad, code=1)
        assert message in done.stderr


def test_one_query_has_no_folds(folder):
    rk.save_letor(judged_set(n_queries=1), folder / "one.txt")
    done = rankine(folder, "tune", "one.txt", code=1)
    assert "there is one query, which cannot be cut into folds: give validation data, valid= (--valid)" in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--ranker", "adarnk"), "unknown ranker 'adarnk'. Did you mean 'adarank'? There are: auto, linear, "),
        (
            ("--ranker", "adarank", "--loss", "svm-map"),
            "--loss sets the parameter loss, which",
        ),
        (("--ranker", "rankboost", "--weights", "yue"), "--weights sets the parameter loss_options"),
        (("--ranker", "single", "-C", "0.1"), "-C sets the parameter C, which the ranker 'single' has not"),
        (("--ranker", "adarank", "--rounds", "3,x"), "--rounds must be a list of whole numbers"),
        (("--rounds", "3"), "--rounds sets the parameter n_rounds, which the ranker 'linear' has not"),
        (("--ranker", "auto"), "`rankine train` tries all of them"),
        (("--set", "n_start=3"), "LinearRanker has no parameter 'n_start'. Did you mean 'n_starts'?"),
        (("-C", "1", "--set", "C=2"), "the parameter C is set twice"),
        (("--set", "C=1,10"), "--set C=1,10: expected one value, got several; `rankine tune` tries each, repeat --set"),
        (("-o", "data.txt"), "would replace data.txt, which is read"),
        (("-o", "no/m.json"), "there is no folder"),
        (("-o", "."), "is a folder, a file is needed"),
    ],
)
def test_options_that_make_no_sense(folder, options, message):
    done = rankine(folder, "tune", "data.txt", "--folder", "t", "--workers", "1", *options, code=1)
    assert message in done.stderr
    assert not (folder / "t").exists()


def test_any_ranker_is_tuned_by_the_values_of_its_row(folder):
    arguments = ("tune", "data.txt", "--folder", "t", "--workers", "1", "--folds", "2", "--ranker")
    lines = rankine(folder, *arguments, "regression", "-m", "AP").stdout.splitlines()
    assert lines[0].split("\t")[:3] == ["on", "alpha", "AP"]
    assert len(lines) == 1 + 2 * 4
    lines = rankine(folder, *arguments, "single", "--folder", "u").stdout.splitlines()
    assert [line.split("\t")[0] for line in lines] in (["both_signs", "True", "False"], ["both_signs", "False", "True"])


def test_any_parameter_is_tuned(folder):
    arguments = ("tune", "data.txt", "--folder", "t", "--workers", "1", "--folds", "2", "--ranker", "rankboost")
    values = ("--set", "n_bins=3", "--set", "n_bins=9", "--set", "by_query=true", "--rounds", "2")
    lines = [line.split("\t") for line in rankine(folder, *arguments, *values).stdout.splitlines()]
    assert lines[0][:3] == ["n_rounds", "n_bins", "by_query"]
    assert sorted(line[:3] for line in lines[1:]) == [["2", "3", "True"], ["2", "9", "True"]]


def test_failures_and_null_models_are_told(folder):
    rk.save_letor(judged_set(n_queries=6), folder / "d.txt")
    arguments = ("tune", "d.txt", "--folder", "t", "--workers", "1", "--folds", "2", "-C", "0.1")
    done = rankine(folder, *arguments, "--loss", "sum-map:error", "--loss", "ranksvm-l2")
    assert "warning: 1 of 2 combinations failed, e.g. loss sum-map:error, C 0.1: failed: sum-map:error: " in done.stderr
    (folder / "flat.txt").write_text("".join(f"{i % 2} qid:{i // 4} 1:1\n" for i in range(16)))
    done = rankine(folder, "tune", "flat.txt", *arguments[2:], "--loss", "svm-map", "--folder", "u")
    assert "rankine: warning: 1 of 1 combinations learned nothing" in done.stderr


def test_help_and_rankers_list_the_table(folder):
    shown = " ".join(rankine(folder, "tune", "--help").stdout.replace("│", " ").split())
    assert ", ".join(name for name in TABLE if name != "auto") in shown
    lines = [line.split("\t") for line in rankine(folder, "rankers").stdout.splitlines()]
    assert [line[0] for line in lines[1:]] == list(TABLE)
    assert next(line[:3] for line in lines if line[0] == "boosted") == [
        "boosted",
        "BoostedRanker",
        "[boost]",
    ]
