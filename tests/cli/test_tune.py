"""``rankine tune``: combinations, resumed from a folder."""

import rankine as rk

from .running import rankine


def test_tune(folder):
    arguments = ("--loss", "svm-map", "--loss", "ranksvm-l2", "-C", "0.01,0.1", "--folds", "2", "--workers", "1")
    done = rankine(folder, "tune", "data.txt", *arguments, "--folder", "t", "-o", "best.json", "--normalise", "zscore")
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert lines[0][:4] == ["loss", "C", "normalise", "nDCG@10"]
    assert len(lines) == 5
    assert {line[0] for line in lines[1:]} == {"svm-map", "ranksvm-l2"}
    assert rk.load(folder / "best.json").loss == lines[1][0]
    assert {p.name for p in (folder / "t").iterdir()} == {"jobs", "tune.json", "tune.csv", "tune.png"}
    again = rankine(folder, "tune", "data.txt", *arguments, "--folder", "t", "--normalise", "zscore").stdout
    assert again == done.stdout
    done = rankine(folder, "tune", "data.txt", "--ranker", "adarank", "--rounds", "3,6", "--folds", "2", "--workers",
                   "1", "--folder", "u", "-m", "AP")  # fmt: skip
    assert len(done.stdout.splitlines()) == 5
    for bad, message in ((("-C", "x"), "-C must be"), (("--folds", "99"), "folds"), (("-m", "zzz"), "unknown measure")):
        done = rankine(folder, "tune", "data.txt", "--folder", "v", "--workers", "1", *bad, code=1)
        assert message in done.stderr
