"""Candidates on folds: what a job gives, and what is kept of it in a folder."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import rankine as rk
from rankine.measures import evaluate
from rankine.rankers.auto import race
from rankine.rankers.auto.race import FoldData, FoldJob, FoldResult, from_bytes, run_job, runner, to_bytes

from ...cases import linear_problem

FOLDS = np.array([0, 1, 1, -1, 0, 1])


def fold_data(weights=None, sparse=False):
    X, y, qid = linear_problem(n=6, m=5)
    return FoldData(rk.RankingData(sp.csr_matrix(X) if sparse else X, y, qid), FOLDS, weights)


def job(of, fold=0, ranker="regression", sweep=("alpha", (1.0, 10.0)), measure="AP", **settings):
    return FoldJob(ranker, settings, sweep, fold, measure, of.fingerprint())


def same(a, b):
    return a.values.tolist() == b.values.tolist() and a.scores.tolist() == b.scores.tolist() and a.remark == b.remark


def test_a_job_learns_from_the_other_folds_and_judges_on_its_own():
    of = fold_data()
    result = run_job(job(of, fold=1), of)
    train, held_out = of.data.subset([0, 3, 4]), of.data.subset([1, 2, 5])
    assert of.size(1) == (3, 15)
    for i, alpha in enumerate((1.0, 10.0)):
        scores = rk.RegressionRanker(alpha=alpha).fit(train).predict(held_out)
        np.testing.assert_array_equal(result.scores[i], scores.astype(np.float32))
        expected = evaluate("AP", held_out.y, scores, held_out.qid).per_query["AP"]
        np.testing.assert_array_equal(result.values[i], expected)


def test_weights_of_queries_count_where_a_ranker_takes_them():
    weights = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    plain, weighted = fold_data(), fold_data(weights)
    linear = {"ranker": "linear", "sweep": ("C", (1.0,)), "loss": "ranksvm-l2"}
    train, held_out = plain.data.subset([1, 2, 3, 5]), plain.data.subset([0, 4])
    expected = rk.LinearRanker("ranksvm-l2", C=1.0).fit(train, query_weight=weights[[1, 2, 3, 5]]).predict(held_out)
    np.testing.assert_array_equal(run_job(job(weighted, **linear), weighted).scores[0], expected.astype(np.float32))
    single = {"ranker": "single", "sweep": None}
    assert same(run_job(job(weighted, **single), weighted), run_job(job(plain, **single), plain))


def test_a_job_that_fails_says_why_in_one_line():
    of = fold_data()
    result = run_job(job(of, ranker="linear", sweep=("C", (-1.0,))), of)
    assert result == "InputError: C must be a positive number, got -1.0"


def test_an_error_measure_is_turned_round():
    of = fold_data()
    data = of.data.subset([0, 4])
    result = run_job(job(of, measure="Disagreement"), of)
    errors = evaluate("Disagreement", data.y, result.scores[0], data.qid).per_query["Disagreement"]
    np.testing.assert_allclose(result.values[0], 1 - errors)


def test_scores_beyond_single_precision_are_kept_finite():
    X, y, qid = linear_problem(n=6, m=5)
    of = FoldData(rk.RankingData(X * 1e40, y, qid), FOLDS, None)
    result = run_job(job(of, ranker="single", sweep=None), of)
    assert np.isfinite(result.scores).all()


def test_the_key_of_a_job_changes_with_everything_it_depends_on():
    of = fold_data()
    others = [
        job(of), job(of, fold=1), job(of, sweep=("alpha", (1.0, 11.0))), job(of, sweep=None), job(of, measure="RR"),
        job(of, on="gains"), job(of, ranker="rankboost"), job(fold_data(np.ones(6))), job(fold_data(sparse=True)),
        job(FoldData(of.data, np.array([0, 1, 1, -1, 1, 1]), None)),
        job(FoldData(of.data.subset([0, 1, 2, 3, 5, 4]), FOLDS, None)),
    ]  # fmt: skip
    assert len({j.key for j in others}) == len(others)
    assert job(of).key == job(fold_data()).key


def test_a_result_as_bytes():
    result = FoldResult(np.array([[0.1, 0.2]]), np.array([[1, 2, 3]], np.float32), 0.5, "a remark\n")
    content = to_bytes(result, "key")
    assert same(from_bytes(content, "key", 1, 2, 3), result)
    assert from_bytes(content, "another", 1, 2, 3) is None
    assert from_bytes(content, "key", 1, 2, 4) is None
    for length in range(len(content)):
        assert from_bytes(content[:length], "key", 1, 2, 3) is None
    for at in range(len(content)):
        damaged = bytearray(content)
        damaged[at] ^= 4
        again = from_bytes(bytes(damaged), "key", 1, 2, 3)
        assert again is None or (again.values.tolist() == result.values.tolist() and at < content.index(b"\n"))


@pytest.fixture
def counted(monkeypatch):
    """The jobs that are run."""
    run = []
    work = race.run_job
    monkeypatch.setattr(race, "run_job", lambda job, of: (run.append(job), work(job, of))[1])
    return run


def test_finished_jobs_are_taken_from_the_folder(tmp_path, counted):
    of = fold_data()
    jobs = [job(of, fold=fold, ranker=ranker, sweep=None) for ranker in ("single", "uniform") for fold in (0, 1)]
    with runner(of, 1, tmp_path / "new" / "pieces") as run:
        first = {j.key: r for j, r in run.results(jobs)}
    assert len(counted) == 4
    with runner(of, 1, tmp_path / "new" / "pieces") as run:
        second = {j.key: r for j, r in run.results(jobs)}
    assert len(counted) == 4
    assert all(same(first[key], second[key]) for key in first)


def test_files_that_are_not_whole_are_made_again(tmp_path, counted):
    of = fold_data()
    jobs = [job(of, fold=fold, ranker="single", sweep=None, both_signs=b) for b in (False, True) for fold in (0, 1)]
    with runner(of, 1, tmp_path) as run:
        first = {j.key: r for j, r in run.results(jobs)}
    files = [tmp_path / f"{j.key}.fold" for j in jobs]
    contents = [file.read_bytes() for file in files]
    files[0].write_bytes(contents[0][:-1])
    files[1].write_bytes(b"")
    files[2].write_bytes(b"\x1f\x8b\x08 not from here")
    files[3].write_bytes(contents[1])  # of another job, as long
    counted.clear()
    with runner(of, 1, tmp_path) as run:
        second = {j.key: r for j, r in run.results(jobs)}
    assert len(counted) == 4
    assert all(same(first[key], second[key]) for key in first)
    numbers = [file.read_bytes().partition(b"\n")[2] for file in files]
    assert numbers == [content.partition(b"\n")[2] for content in contents]


def test_a_job_that_failed_is_tried_again(tmp_path):
    of = fold_data()
    bad = job(of, ranker="linear", sweep=("C", (-1.0,)))
    for _ in range(2):
        with runner(of, 1, tmp_path) as run:
            assert [type(result) for _, result in run.results([bad])] == [str]
    assert list(tmp_path.iterdir()) == []


def test_the_folder_may_not_be_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises((rk.InputError, OSError), match="file"), runner(fold_data(), 1, tmp_path / "file"):
        pass


def test_the_data_does_not_outlive_the_run():
    of = fold_data()
    with runner(of, 1, None) as run:
        list(run.results([job(of)]))
    assert race._worker == {}


KILLED = """
import os, signal, sys
import rankine as rk
from rankine.rankers.auto import race
from rankine.sample import judged_set
work, begun = race.run_job, []
def run_job(job, of):
    begun.append(job)
    if len(begun) == 6:
        race.fitted(job.ranker, job.settings, job.sweep, of.held_out(job.fold)[0], None)
        os.kill(os.getpid(), signal.SIGKILL)
    return work(job, of)
race.run_job = run_job
rk.AutoRanker("AP", ["single feature", "uniform fusion"], 4, workers=1, folder=sys.argv[1]).fit(judged_set(n_queries=8))
"""


def test_a_killed_run_loses_the_running_piece_only(tmp_path, counted):
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False, env=dict(os.environ))
    assert done.returncode == -signal.SIGKILL
    assert len(list((tmp_path / "folds").iterdir())) == 5
    from rankine.sample import judged_set

    settings = ("AP", ["single feature", "uniform fusion"], 4)
    again = rk.AutoRanker(*settings, workers=1, folder=str(tmp_path)).fit(judged_set(n_queries=8))
    assert len(counted) == 3
    afresh = rk.AutoRanker(*settings, workers=1).fit(judged_set(n_queries=8))
    assert again.estimate_ == afresh.estimate_
    assert [r[:5] for r in again.leaderboard_] == [r[:5] for r in afresh.leaderboard_]
