"""``rankine train``: models, paths of C, and what it prints as guaranteed is guaranteed."""

import json
import os
import re
import signal
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

import rankine as rk
from rankine.losses import get
from rankine.sample import judged_set

from .running import rankine

TRAIN = ["train", "data.txt", "-o", "m.json"]
PATH = [*TRAIN, "--loss", "svm-map", "--valid", "valid.txt", "--path"]
QUICK = ("--candidate", "single feature", "--candidate", "linear ranksvm-l2", "--folds", "2", "--workers", "1")


@pytest.fixture
def folder(tmp_path):
    rk.save_letor(judged_set(n_queries=4), tmp_path / "data.txt")
    rk.save_letor(judged_set(n_queries=4, seed=2), tmp_path / "valid.txt")
    return tmp_path


@pytest.mark.parametrize(
    ("loss", "text"),
    [
        ("svm-ndcg@10:slack", "1 − nDCG@10"),
        ("svm-rr:slack", "1 − RR"),
        ("svm-p@5", "1 − P@5 / best possible P@5"),
        ("svm-map", "1 − AP"),
        ("ranksvm:norm", "the share of misordered pairs"),
    ],
)
def test_the_guarantee_names_what_is_bounded_and_holds(tmp_path, loss, text):
    data = judged_set(n_queries=12)
    rk.save_letor(data, tmp_path / "d.txt")
    out = rankine(tmp_path, "train", "d.txt", "--loss", loss, "-o", "m.json", "--normalise", "query-zscore")
    pattern = r"guaranteed: over the (\d+) training queries .* the mean of (.*) is at most ([\d.]+)"
    n, named, bound = re.search(pattern, out.stderr).groups()
    assert named == text
    prepared = get(loss).prepare(data.y, data.ptr)
    scores = rk.load(tmp_path / "m.json").predict(data)
    assert int(n) == prepared.informative.sum()
    assert float(bound) == pytest.approx(prepared.upper(scores)[prepared.informative].mean(), abs=1e-3)
    assert float(bound) >= get(loss).bounded.values(scores, data.y, data.ptr)[prepared.informative].mean() - 1e-4


def test_ranks_are_turned_round_before_they_are_measured(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(10, 6))
    ranks = np.argsort(np.argsort(-x, axis=1), axis=1) + 1  # the best has the largest feature
    rows = [f"{r} qid:{q} 1:{v:.6f}\n" for q in range(10) for r, v in zip(ranks[q], x[q], strict=True)]
    (tmp_path / "d.txt").write_text("".join(rows))
    rankine(tmp_path, "train", "d.txt", "--loss", "consistent-rank", "-o", "m.json")
    model, data = rk.load(tmp_path / "m.json"), rk.load_letor(tmp_path / "d.txt")
    assert model.coef_[0] > 0
    assert model.score(data) > 0.99
    held_out = rk.risk_bound(model, data, held_out=True).bounds[0]
    assert held_out.risk == pytest.approx(0.0, abs=1e-9)  # a perfect ranking loses nothing of nDCG@10


def test_train_and_rank(folder):
    rk.save_letor(judged_set(n_queries=20, seed=1), folder / "train.txt")
    done = rankine(
        folder, "train", "train.txt", "--loss", "svm-map", "-C", "0.1", "--valid", "data.txt", "-o", "m.json"
    )
    assert done.stdout.splitlines()[0] == "data\tqueries\tAP\tnDCG@10"
    assert "certified to within" in done.stderr
    assert "mean of 1 − AP is at most" in done.stderr
    data, model = rk.load_letor(folder / "data.txt"), rk.load(folder / "m.json")
    rankine(folder, "rank", "m.json", "data.txt", "-o", "out.run", "--tag", "mine")
    assert rk.load_run(folder / "out.run").tag == "mine"
    ap = rk.evaluate_run("AP", rk.TrecTable.from_columns(data.qid, data.doc_ids, data.y), folder / "out.run").mean["AP"]
    assert ap == pytest.approx(model.score(data), abs=1e-3)
    lines = rankine(folder, "rank", "m.json", "data.txt", "--scores").stdout.split()
    assert [float(x) for x in lines] == model.predict(data).tolist()


def test_certified_is_what_was_proved(folder):
    short = rankine(folder, "train", "data.txt", "--loss", "ranksvm", "-C", "10", "--max-iter", "1", "-o", "m.json")
    assert "not certified to the 0.001 asked for, only to within" in short.stderr
    tight = rankine(folder, "train", "data.txt", "--loss", "svm-map:tight", "-C", "0.1", "-o", "m.json")
    assert "where it falls no more, not certified" in tight.stderr
    assert "certified to within" not in tight.stderr


def test_train_along_a_path(folder):
    rk.save_letor(judged_set(n_queries=20, seed=1), folder / "train.txt")
    options = ["--path", "1e-3:1", "--valid", "data.txt", "-o", "m.json", "--plot", "p.png", "--normalise", "zscore"]
    done = rankine(folder, "train", "train.txt", "--loss", "ranksvm-l2", *options)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert [r[0] for r in rows[1:5]] == ["0.001", "0.01", "0.1", "1"]
    best = max(rows[1:5], key=lambda r: float(r[4]))
    assert float(best[0]) == rk.load(folder / "m.json").C
    assert (folder / "p.png").stat().st_size > 5000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*TRAIN, "--loss", "svm-mapp"], "Did you mean 'svm-map'"),
        ([*TRAIN, "--loss", "svm-map", "-C", "0"], "C must be a positive number"),
        ([*TRAIN[:3], "no/m.json"], "there is no folder"),
        ([*TRAIN[:3], "."], "is a folder, a file is needed"),
        ([*TRAIN[:3], "data.txt"], "data.txt: would replace data.txt, which is read"),
        ([*TRAIN[:3], "./data.txt", "--loss", "svm-map"], "would replace data.txt"),
        ([*TRAIN, "--loss", "svm-map", "--path", "1:10"], "pass --valid"),
        ([*PATH, "x"], "low:high or a list"),
        ([*PATH, "1:10:100"], "low:high or a list"),
        ([*PATH, "1:1e-3"], "must be low:high, the smaller first: write 1e-3:1 instead of 1:1e-3"),
        ([*PATH, "1e-3:1", "-C", "1"], "--path tries several C, and -C gives one"),
        ([*PATH, "1e-3:1", "--set", "C=7"], "--path tries several C, and -C gives one"),
        ([*PATH, "1e-3:1", "--plot", "p.txt"], "expected a picture"),
        ([*TRAIN, "--loss", "svm-map", "--plot", "x.png"], "pass --path"),
        (
            [*TRAIN, "--ranker", "adarank", "--path", "1:10", "--valid", "valid.txt"],
            "which the ranker 'adarank' has not",
        ),
        ([*TRAIN, "-C", "3"], "-C sets the parameter C, which the ranker 'auto' has not: --ranker linear has it"),
        ([*TRAIN, "--ranker", "single", "--loss", "svm-map"], "--loss sets the parameter loss, which the ranker 'sing"),
        ([*TRAIN, "--loss", "svm-map", "--folder", "f"], "--folder sets the parameter folder, which the ranker 'linea"),
        ([*TRAIN, "--ranker", "bosted"], "unknown ranker 'bosted'. Did you mean 'boosted'?"),
        ([*TRAIN, "--ranker", "rankboost", "--set", "n_round=3"], "no parameter 'n_round'. Did you mean 'n_rounds'?"),
        ([*TRAIN, "--ranker", "rankboost", "--set", "n_rounds"], "--set must be name=value, got 'n_rounds'"),
        ([*TRAIN, "--ranker", "rankboost", "--set", "n_rounds=2.5"], "--set n_rounds=2.5: Expected `int`, got `float`"),
        ([*TRAIN, "--ranker", "rankboost", "--set", "n_rounds=0"], "n_rounds must be a whole number, at least 1"),
        ([*TRAIN, "--loss", "svm-map", "-C", "1", "--set", "C=2"], "the parameter C is set twice"),
        ([*TRAIN, "-m", "AP", "-m", "RR"], "judged by one measure, got AP, RR"),
        ([*TRAIN, "-m", "nDGC@10"], "unknown measure 'nDGC@10'"),
        ([*TRAIN, "--candidate", "single"], "unknown candidate 'single'. Did you mean 'single feature'?"),
        ([*TRAIN, "--folds", "1"], "folds must be a whole number, at least 2"),
        ([*TRAIN, "--budget", "0"], "budget must be a positive number"),
        (["rank", "data.txt", "data.txt"], "not a model file"),
        (["rank", "absent.json", "data.txt"], "No such file"),
    ],
)
def test_bad_training_is_one_line(folder, arguments, message):
    before = sorted(os.listdir(folder))
    done = rankine(folder, *arguments, code=1)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(os.listdir(folder)) == before


def test_train_with_pairs(folder):
    done = rankine(folder, "train", "data.txt", "--loss", "consistent-ndcg", "-C", "0.1", "-o", "m.json")
    assert "certified to within" in done.stderr
    assert "guaranteed" not in done.stderr
    model = rk.load(folder / "m.json")
    assert model.loss == "consistent-ndcg"
    done = rankine(
        folder, "train", "data.txt", "--loss", "ranksvm", "--solver", "newton", "-o", "n.json", code=1
    )  # fmt: skip
    assert "needs a loss with a Hessian" in done.stderr
    assert not (folder / "n.json").exists()


def test_train_with_other_supervision(folder):
    for name in ("data.txt", "valid.txt"):
        data = rk.load_letor(folder / name)
        ranks = np.concatenate([len(q.y) - np.argsort(np.argsort(q.y)) for q in data])
        rk.save_letor(rk.RankingData(data.X, ranks, data.qid), folder / f"ranks-{name}")
    arguments = ("--path", "0.01:1", "--valid", "ranks-valid.txt", "--normalise", "query-zscore", "-o", "r.json")
    done = rankine(folder, "train", "ranks-data.txt", "--loss", "consistent-rank", *arguments)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    best = max(float(line[-1]) for line in lines[1:4])
    shown = next(line for line in lines if line[0] == "valid")
    assert float(shown[2]) == best > 0.2
    head = next(line for line in lines if line[0] == "data")
    assert head == ["data", "queries", "KendallTau"]
    arguments = ("ranks-data.txt", "--loss", "consistent-rank", "-m", "nDCG@10", "-o", "r.json")
    assert rankine(folder, "train", *arguments).stdout.startswith("data\tqueries\tnDCG@10\n")
    rankine(folder, "train", "data.txt", "--loss", "duchi", "-o", "d.json")
    done = rankine(folder, "train", "data.txt", "--loss", "consistent-wpd", "-o", "w.json", code=1)
    assert "learns from a preference graph: pass --preferences FILE" in done.stderr


def test_without_a_ranker_the_best_candidate_is_kept_and_judged(folder):
    rk.save_letor(judged_set(n_queries=12, seed=1), folder / "train.txt")
    done = rankine(folder, "train", "train.txt", *QUICK, "-m", "AP", "--folder", "f", "-o", "m.json")
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert lines[0] == ["candidate", "settings", "AP", "90 % interval", "seconds", "verdict"]
    assert {line[0] for line in lines[1:5]} >= {"single feature", "linear ranksvm-l2"}
    assert ["data", "queries", "AP"] in lines
    order = [
        r"^single feature +0\.\d{4} \[", r"^linear ranksvm-l2 +C", "^Best at AP: ", "^On new queries expect AP 0",
        r"^the best single feature, feature \d, has AP 0\.\d{4} on train$", "^model written to m.json$",
        "^to judge it on queries that it has not seen: rankine evaluate test.txt m.json -m AP$",
        "^to rank with it: rankine rank m.json new.txt -o new.run$",
    ]  # fmt: skip
    places = [re.search(pattern, done.stderr, re.MULTILINE).start() for pattern in order]
    assert all(a < b for a, b in pairwise(places[2:]))
    assert max(places[:2]) < places[2]
    model = rk.load(folder / "m.json")
    assert isinstance(model, rk.AutoRanker)
    assert model.measure == "AP"
    assert model.provenance_["command"].startswith("rankine train train.txt --candidate 'single feature' --candidate ")
    assert {p.name for p in (folder / "f").iterdir()} >= {"folds", "leaderboard.json", "leaderboard.csv", "report.html"}
    rankine(folder, "evaluate", "data.txt", "m.json", "-m", "AP")
    rankine(folder, "rank", "m.json", "data.txt", "-o", "new.run")
    pieces = {p: p.stat().st_mtime_ns for p in (folder / "f" / "folds").iterdir()}
    rankine(folder, "train", "train.txt", *QUICK, "-m", "AP", "--folder", "f", "-o", "again.json")
    assert {p: p.stat().st_mtime_ns for p in (folder / "f" / "folds").iterdir()} == pieces
    assert json.loads((folder / "again.json").read_text())["best"]["coef"] == model.best_.content()["coef"]


def test_candidates_are_judged_on_validation_data(folder):
    rk.save_letor(judged_set(n_queries=6, seed=1), folder / "train.txt")
    done = rankine(folder, "train", "train.txt", *QUICK[:4], "--workers", "1", "--valid", "data.txt", "-o", "m.json")
    assert rk.load(folder / "m.json").report_.queries == 4
    assert re.search(r"feature \d, has nDCG@10 0\.\d{4} on train, 0\.\d{4} on valid", done.stderr)
    assert [line.split("\t")[0] for line in done.stdout.splitlines()][-3:] == ["data", "train", "valid"]


def test_that_nothing_was_learned_is_the_first_line(tmp_path):
    rng = np.random.default_rng(0)
    rk.save_letor(
        rk.RankingData(rng.normal(size=(60, 3)), rng.integers(0, 2, 60), np.arange(60) // 6), tmp_path / "d.txt"
    )
    done = rankine(tmp_path, "train", "d.txt", *QUICK, "--set", "verbose=false", "-o", "m.json")
    assert done.stderr.startswith(("Nothing was learned: ", "Nothing is shown to be learned: "))
    assert not rk.load(tmp_path / "m.json").learned_
    (tmp_path / "one.txt").write_text("1 qid:1 1:0.5\n0 qid:1 1:0.2\n")
    done = rankine(tmp_path, "train", "one.txt", "-o", "m.json")
    assert "There is one query: nothing can be held out to judge on" in done.stderr


def test_the_first_measure_chooses_the_C_of_a_path(tmp_path):
    rng = np.random.default_rng(3)
    X, qid = rng.normal(size=(200, 4)), np.arange(200) // 10
    y = np.clip(np.round(X[:, 0] + rng.normal(size=200)), 0, 2)
    rk.save_letor(rk.RankingData(X[:100], y[:100], qid[:100]), tmp_path / "t.txt")
    rk.save_letor(rk.RankingData(X[100:], y[100:], qid[100:]), tmp_path / "v.txt")
    best = {}
    for measure in ("nDCG@1", "AP", "KendallTau"):
        options = ("--loss", "ranksvm-l2", "--path", "1e-4:1e1", "--valid", "v.txt", "-m", measure)
        done = rankine(tmp_path, "train", "t.txt", *options, "-o", "m.json")
        rows = [line.split("\t") for line in done.stdout.splitlines()]
        assert rows[0][-1] == measure
        top = max(rows[1:7], key=lambda row: float(row[-1]))
        best[measure] = rk.load(tmp_path / "m.json").C
        assert float(top[0]) == best[measure]
    assert len(set(best.values())) > 1


@pytest.mark.parametrize(
    ("ranker", "options", "attributes"),
    [
        ("linear", ["--loss", "svm-map", "--set", "w0=regression", "--seed", "3"], {"w0": "regression", "seed": 3}),
        ("kernel", ["--loss", "svm-map", "-C", "0.5", "--set", "gamma=0.1"], {"C": 0.5, "gamma": 0.1}),
        ("regression", ["--set", "on=gains"], {"on": "gains"}),
        ("adarank", ["-m", "RR", "--set", "n_rounds=3"], {"measure": "RR", "n_rounds": 3}),
        ("rankboost", ["--set", "by_query=true"], {"by_query": True}),
        ("single", ["-m", "AP"], {"measure": "AP"}),
        ("uniform", ["--normalise", "query-zscore"], {"normalise": "query-zscore"}),
        ("auto", [*QUICK[:4], "--workers", "1", "--set", "deployable=true"], {"deployable": True}),
    ],
)
def test_every_ranker_is_trained_with_its_own_parameters(folder, ranker, options, attributes):
    done = rankine(folder, "train", "data.txt", "--ranker", ranker, *options, "--valid", "valid.txt", "-o", "m.json")
    model = rk.load(folder / "m.json")
    assert {name: getattr(model, name) for name in attributes} == attributes
    assert "model written to m.json" in done.stderr
    assert ("certified to within" in done.stderr) == (ranker in ("linear", "kernel"))


def test_trees_stop_by_validation_data(folder):
    pytest.importorskip("lightgbm")
    options = ("--ranker", "boosted", "--set", "n_trees=30", "--set", "patience=2", "--set", 'params={"max_bin": 15}')
    rankine(folder, "train", "data.txt", *options, "-o", "all.json")
    rankine(folder, "train", "data.txt", *options, "--valid", "valid.txt", "-m", "AP", "-o", "m.json")
    model = rk.load(folder / "m.json")
    assert model.params == {"max_bin": 15}
    assert model.measure == "AP"
    assert model.n_trees_ < rk.load(folder / "all.json").n_trees_ == 30


def test_nothing_is_written_where_measuring_fails(folder):
    (folder / "neg.txt").write_text("-1 qid:1 1:0.5\n1 qid:1 1:0.2\n-1 qid:2 1:0.1\n1 qid:2 1:0.7\n")
    arguments = ("train", "neg.txt", "--loss", "ranksvm-l2", "-o", "x.json")
    done = rankine(folder, *arguments, "-m", "nDCG@10", code=1)
    assert "nDCG@10 needs grades ≥ 0" in done.stderr
    assert not (folder / "x.json").exists()
    done = rankine(folder, "train", "neg.txt", "--loss", "svm-map", "-o", "x.json")  # AP alone is what it is made for
    assert done.stdout.startswith("data\tqueries\tAP\n")


def test_stopped_by_the_user_the_best_so_far_is_kept(tmp_path):
    """A real process is stopped when the first candidate is finished, while the next ones are tried."""
    rk.save_letor(judged_set(n_queries=1500, seed=1), tmp_path / "data.txt")
    process = subprocess.Popen(
        [sys.executable, "-c", "from rankine.cli import program; program()", "train", "data.txt", "-o", "m.json",
         "--workers", "1"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        assert process.stderr.readline().startswith("single feature")
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 0, err
    assert "rankine: stopping (Ctrl-C again: at once); kept: the best of the finished candidates, in m.json" in err
    complete, total = map(int, re.search(r"Stopped after (\d+) of (\d+) candidates\.", err).groups())
    assert 1 <= complete < total
    assert "not finished: Ctrl-C" in out
    assert err.endswith("rankine: stopped; kept: the model, in m.json\n")
    assert rk.load(tmp_path / "m.json").report_.lines
