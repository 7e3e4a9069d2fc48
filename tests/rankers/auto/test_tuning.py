"""Tuning: the same for any number of workers, resumable, honest about bad grids."""

import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest
import scipy.sparse as sp

import rankine as rk
from rankine.rankers.auto import jobs

GRID = {"loss": ["svm-map", "ranksvm-l2"], "C": [0.1, 0.001]}


def problem(seed=0, n=24, m=8):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n * m, 5))
    y = np.clip(np.round(X[:, 0] - X[:, 1] + rng.standard_normal(n * m)), 0, 2)
    return rk.RankingData(X, y, np.repeat(np.arange(n), m))


def plain(tuning):
    return [(t.params, t.scores) for t in tuning.trials]


def test_every_combination_on_every_fold():
    data = problem()
    tuning = rk.tune(rk.LinearRanker(tol=1e-5), data, GRID, folds=3, workers=1, measure="AP")
    assert len(tuning.trials) == 4
    assert [t.mean for t in tuning.trials] == sorted((t.mean for t in tuning.trials), reverse=True)
    for trial in tuning.trials:
        assert list(trial.params) == ["loss", "C"]
        for (train, test), score in zip(data.folds(3, 0), trial.scores, strict=True):
            models = rk.LinearRanker(tol=1e-5, loss=trial.params["loss"]).path(GRID["C"], train)
            model = next(m for m in models if trial.params["C"] == m.C)
            assert rk.evaluate("AP", test.y, model.predict(test), test.qid).mean["AP"] == score
    model = tuning.refit(data)
    assert model.get_params()["C"] == tuning.best.params["C"]


def test_any_number_of_workers(tmp_path):
    data, valid = problem(), problem(1)
    alone = rk.tune(rk.LinearRanker(), data, GRID, folds=2, workers=1)
    together = rk.tune(rk.LinearRanker(), data, GRID, folds=2, workers=2, folder=tmp_path / "t")
    assert plain(alone) == plain(together)
    assert (tmp_path / "t" / "tune.png").exists()
    assert json.loads((tmp_path / "t" / "tune.json").read_text())["best"] == alone.best.params
    fixed = rk.tune(rk.LinearRanker(), data, GRID, valid=valid, workers=1)
    assert all(len(t.scores) == 1 for t in fixed.trials)


def test_a_killed_run_goes_on(tmp_path, monkeypatch):
    data = problem()
    want = rk.tune(rk.LinearRanker(), data, GRID, folds=3, workers=1)
    inner, calls = jobs.fit, [0]

    def dies(*arguments):
        calls[0] += 1
        if calls[0] == 4:
            raise KeyboardInterrupt
        return inner(*arguments)

    monkeypatch.setattr(jobs, "fit", dies)
    with pytest.raises(KeyboardInterrupt):
        rk.tune(rk.LinearRanker(), data, GRID, folds=3, workers=1, folder=tmp_path)
    assert len(list((tmp_path / "jobs").glob("*.json"))) == 3
    got = rk.tune(rk.LinearRanker(), data, GRID, folds=3, workers=1, folder=tmp_path)
    assert calls[0] == 4 + 3  # only what was missing
    assert plain(got) == plain(want)
    again = rk.tune(rk.LinearRanker(tol=1e-4), data, GRID, folds=3, workers=1, folder=tmp_path)
    assert calls[0] == 13  # another tolerance is another job
    assert plain(again)[0][0] == plain(want)[0][0]


def test_a_run_that_is_really_killed_goes_on_and_leaves_nothing_behind(tmp_path):
    data = problem(n=60)
    rk.save_letor(data, tmp_path / "d.txt")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    losses = [x for loss in ("svm-map", "ranksvm-l2", "ranksvm") for x in ("--loss", loss)]
    arguments = ["tune", "d.txt", "--folder", "t", *losses, "-C", "1e-4:1e1", "--folds", "5", "--workers", "2"]
    command = [sys.executable, "-c", "from rankine.cli import main; main()", *arguments]
    environment = os.environ | {"TMPDIR": str(scratch)}
    running = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while running.poll() is None and not list((tmp_path / "t" / "jobs").glob("*.json")):
        time.sleep(0.05)
    running.terminate()
    running.communicate()
    assert not list(scratch.glob("rankine-tune-*"))
    again = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True).stdout
    want = rk.tune(
        rk.LinearRanker(), rk.load_letor(tmp_path / "d.txt"),
        {"loss": ["svm-map", "ranksvm-l2", "ranksvm"], "C": [10.0**e for e in range(-4, 2)]}, workers=1,
    )  # fmt: skip
    got = [line.split("\t")[:3] for line in again.splitlines()[1:]]
    assert got == [row[:3] for row in want.table()[1]]


def test_what_is_kept_belongs_to_its_data(tmp_path):
    data = problem()
    values = np.abs(data.X[:, :1])
    rows = np.arange(len(values))
    one = sp.csr_array((values[:, 0], (rows, 0 * rows)), (len(rows), 2))
    other = sp.csr_array((values[:, 0], (rows, rows % 2)), (len(rows), 2))
    fresh = [rk.tune(rk.LinearRanker(), data.with_features(X), GRID, folds=2, workers=1) for X in (one, other)]
    kept = [rk.tune(rk.LinearRanker(), data.with_features(X), GRID, folds=2, workers=1, folder=tmp_path) for X in
            (one, other)]  # fmt: skip
    assert list(map(plain, fresh)) == list(map(plain, kept))


def test_arrays_in_the_grid_and_errors_as_measures(tmp_path):
    tuning = rk.tune(rk.AdaRank(), problem(), {"n_rounds": np.array([2, 8])}, folds=2, workers=1, folder=tmp_path)
    assert (tmp_path / "tune.png").exists()
    assert tuning.axis == "n_rounds"
    tuning = rk.tune(rk.LinearRanker(), problem(), GRID, folds=2, workers=1, measure="Disagreement")
    means = [t.mean for t in tuning.trials]
    assert means == sorted(means)
    assert means[0] > 0


def test_rankers_without_a_path():
    tuning = rk.tune(rk.AdaRank(), problem(), {"n_rounds": [2, 10], "update": ["original", "meng"]}, folds=2, workers=1)
    assert len(tuning.trials) == 4
    assert "n_rounds" in tuning.to_csv()
    assert len(rk.tune(rk.RankBoost(), problem(), {"n_rounds": [5]}, folds=2, workers=1).trials) == 1


@pytest.mark.parametrize(
    ("grid", "options", "message"),
    [
        ({}, {}, "the grid is empty"),
        ({"C": []}, {}, "at least one value for 'C'"),
        ({"C": "0.1"}, {}, "at least one value for 'C'"),
        ({"CC": [1]}, {}, "no parameter 'CC'. Did you mean 'C'"),
        (GRID, {"measure": "nope"}, "unknown measure"),
        (GRID, {"folds": 100}, "between 2 and 24 folds"),
        (GRID, {"valid": "other"}, "validation data has 4 features"),
        ({"loss": ["nonsense"], "C": [1.0]}, {"workers": 2}, "unknown loss"),
        ({"C": [1.0, -1.0]}, {"workers": 2}, "C must be a positive number"),
        ({"normalise": ["zz"]}, {"workers": 2}, "zz"),
        (GRID, {"workers": 0}, "workers must be at least 1"),
        (GRID, {"valid": (1, 2)}, "valid must be a RankingData"),
    ],
)
def test_bad_input(grid, options, message):
    data = problem()
    if options.get("valid") == "other":
        options = {"valid": data.select(range(4))}
    with pytest.raises(rk.InputError, match=message):
        rk.tune(rk.LinearRanker(), data, grid, **{"workers": 1, **options})


def test_a_constant_feature_is_no_trouble():
    data = problem()
    X = data.X.copy()
    X[:, 2] = 7.0
    same = rk.RankingData(X, data.y, data.qid)
    for ranker, grid in ((rk.LinearRanker(normalise="query-zscore"), GRID), (rk.AdaRank(), {"n_rounds": [5]}),
                         (rk.RankBoost(), {"n_rounds": [5]})):  # fmt: skip
        with_it = rk.tune(ranker, same, grid, folds=2, workers=1)
        without = rk.tune(ranker, same.select([0, 1, 3, 4]), grid, folds=2, workers=1)
        assert [t.params for t in with_it.trials] == [t.params for t in without.trials]
        means = [[t.mean for t in tuning.trials] for tuning in (with_it, without)]
        assert means[0] == pytest.approx(means[1], abs=1e-3)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_combination_that_fails_does_not_end_the_others(tmp_path, workers):
    data = problem(n=6, m=30)  # too many rankings of thirty documents to be summed
    grid = {"loss": ["sum-map:error", "ranksvm-l2"], "C": [0.01, 0.1]}
    with pytest.warns(UserWarning, match=r"2 of 4 combinations failed, e.g. loss sum-map:error, C 0.01: failed: sum"):
        tuning = rk.tune(rk.LinearRanker(), data, grid, folds=2, workers=workers, folder=tmp_path)
    assert [t.params["loss"] for t in tuning.trials] == ["ranksvm-l2"] * 2 + ["sum-map:error"] * 2
    assert all(np.isnan(t.mean) for t in tuning.trials[2:])
    assert json.loads((tmp_path / "tune.json").read_text())["trials"][3]["remark"].startswith("failed: sum-map:error")
    assert tuning.report().rows[2].verdict.startswith("failed: sum-map:error")
    assert len(list((tmp_path / "jobs").iterdir())) == 2  # the failed ones are tried again
    with pytest.raises(rk.InputError, match="every combination failed: sum-map:error: "):
        rk.tune(rk.LinearRanker(), data, {"loss": ["sum-map:error"]}, folds=2, workers=1)


def test_combinations_that_learn_nothing_are_named(tmp_path):
    data = problem(n=6)
    constant = rk.RankingData(np.ones_like(data.X), data.y, data.qid)
    grid = {"loss": ["svm-map", "ranksvm-l2"], "C": [0.01, 0.1]}
    with pytest.warns(rk.rankers.linear.NothingLearnedWarning, match="4 of 4 combinations learned nothing"):
        tuning = rk.tune(rk.LinearRanker(), constant, grid, folds=2, workers=1)
    columns, rows = tuning.table()
    assert columns[-1] == "remark"
    assert {row[-1] for row in rows} == {"nothing was learned"}


def test_the_leaderboard_says_what_the_best_is_worth(tmp_path):
    data = problem()
    for measure, sign in (("AP", 1), ("Disagreement", -1)):
        tuning = rk.tune(rk.LinearRanker(), data, GRID, folds=3, workers=1, measure=measure, folder=tmp_path)
        report = tuning.report()
        stored = json.loads((tmp_path / "leaderboard.json").read_text())
        assert stored["estimate"]["mean"] == report.estimate[0]
        assert sign * report.estimate[0] < sign * tuning.best.mean  # the best of several is too good
        assert report.estimate[1] < report.estimate[0] < report.estimate[2]
        assert report.rows[0].verdict == "best"
        for row, trial in zip(report.rows, tuning.trials, strict=True):
            assert row.params == trial.params
            assert row.low < row.mean < row.high
            assert row.mean == pytest.approx(np.mean(trial.values))
    assert (tmp_path / "leaderboard.csv").read_text().startswith("name,params,mean,low,high,seconds,verdict")


def test_results_of_an_earlier_release_have_no_interval(tmp_path):
    data = problem()
    rk.tune(rk.RankBoost(), data, {"n_rounds": [2, 4]}, folds=2, workers=1, folder=tmp_path)
    for file in (tmp_path / "jobs").iterdir():
        content = json.loads(file.read_text())
        file.write_text(json.dumps({name: content[name] for name in ("scores", "seconds")}))
    tuning = rk.tune(rk.RankBoost(), data, {"n_rounds": [2, 4]}, folds=2, workers=1, folder=tmp_path)
    assert tuning.report().lines == ()
    assert np.isnan(tuning.report().rows[0].low)
