"""Jobs of a tuning run: their keys, their data, and what is not done again."""

import dataclasses
import hashlib
import json

import numpy as np
import pytest
import scipy.sparse as sp

import rankine as rk
from rankine.losses.pairwise import RankSVM
from rankine.rankers.auto import jobs

from ..cases import problem

JOB = jobs.TuningJob("LinearRanker", {"loss": "svm-map"}, [0.1, 0.001], 0, "AP", "abc")


def job_data(seed=0, n=6, **changes):
    data = jobs.JobData(rk.RankingData(*problem(seed, n)), None, 3, 0)
    return data._replace(**changes)


def test_a_key_changes_with_everything():
    changes = [
        {"kind": "AdaRank"}, {"params": {"loss": "svm-rr"}}, {"params": {"loss": "svm-map", "tol": 0.1}},
        {"path": None}, {"path": [0.1]}, {"fold": 1}, {"measure": "RR"}, {"data": "abd"}, {"stops": True},
    ]  # fmt: skip
    keys = {JOB.key, *(dataclasses.replace(JOB, **change).key for change in changes)}
    assert len(keys) == 1 + len(changes)
    assert dataclasses.replace(JOB, path=list(JOB.path)).key == JOB.key
    first, second = ({"loss": "svm-map", "A": np.array(a)} for a in ([2.0, 1.0], [2.0, 0.5]))
    assert dataclasses.replace(JOB, params=first).key != dataclasses.replace(JOB, params=second).key
    turned = dict(reversed(first.items()))
    assert dataclasses.replace(JOB, params=turned).key == dataclasses.replace(JOB, params=first).key


def test_numbers_of_numpy_are_plain():
    assert (
        json.dumps([np.float64(0.5), np.int64(3), np.arange(2), {1}], default=jobs.plain) == '[0.5, 3, [0, 1], "{1}"]'
    )


def test_folds_hold_every_query_out_once():
    data = job_data()
    held_out = []
    for number in range(3):
        train, valid = data.fold(number)
        assert set(train.qid) | set(valid.qid) == set(data.train.qid)
        assert not set(train.qid) & set(valid.qid)
        held_out += sorted(set(valid.qid))
    assert sorted(held_out) == sorted(set(data.train.qid))


def test_validation_data_are_held_out_where_there_are_some():
    valid = rk.RankingData(*problem(1, 2))
    data = job_data(valid=valid)
    assert data.fold(0) == (data.train, valid)


def test_a_fingerprint_changes_with_the_data():
    X, y, qid = problem(0, 6)
    moved, graded = X.copy(), y.copy()
    moved[5, 2] = np.nextafter(moved[5, 2], 9)
    graded[5] += 1
    joined = np.where(qid == 1, 0, qid)
    others = [
        rk.RankingData(moved, y, qid), rk.RankingData(X, graded, qid), rk.RankingData(X, y, joined),
        rk.RankingData(X.astype(np.float32), y, qid), rk.RankingData(sp.csr_array(X), y, qid),
        rk.RankingData(X[:15], y[:15], qid[:15]),
    ]  # fmt: skip
    data = job_data()
    variants = [data, *(data._replace(train=other) for other in others)]
    variants += [data._replace(folds=4), data._replace(seed=1), data._replace(valid=others[0])]
    variants += [data._replace(valid=data.train), data._replace(valid=others[1])]
    assert len({variant.fingerprint() for variant in variants}) == len(variants)
    assert job_data().fingerprint() == data.fingerprint()


def test_a_job_measures_each_fit_on_the_fold_that_it_did_not_see():
    data = job_data()
    job = dataclasses.replace(JOB, params={"loss": "svm-map", "tol": 1e-6}, fold=2)
    result = jobs.fit(rk.LinearRanker, job, data)
    train, valid = data.fold(2)
    models = [rk.LinearRanker("svm-map", tol=1e-6, C=C).fit(train) for C in (0.001, 0.1)]  # from small C to large
    expected = [rk.evaluate("AP", valid.y, model.predict(valid), valid.qid).mean["AP"] for model in models]
    assert result["scores"] == pytest.approx(expected, abs=1e-12)
    assert len(result["seconds"]) == 2
    single = dataclasses.replace(job, params={"loss": "svm-map", "tol": 1e-6, "C": 0.1}, path=None)
    assert jobs.fit(rk.LinearRanker, single, data)["scores"] == pytest.approx(expected[1:], abs=1e-12)


class Counting(rk.UniformFusion):
    """A ranker that counts its fits, and fails at the one it is told to."""

    fits, last = 0, 99

    def fit(self, *arguments, **options):
        type(self).fits += 1
        if type(self).fits > self.last:
            raise RuntimeError("stopped")
        return super().fit(*arguments, **options)


def test_what_is_done_is_not_done_again(tmp_path, monkeypatch):
    data = job_data()
    three = [jobs.TuningJob("Counting", {}, None, fold, "AP", data.fingerprint()) for fold in range(3)]
    monkeypatch.setattr(Counting, "fits", 0)
    monkeypatch.setattr(Counting, "last", 2)
    failed = jobs.run(three, Counting, data, 1, tmp_path / "jobs")[three[2].key]
    assert failed == "RuntimeError: stopped"
    assert {path.name for path in (tmp_path / "jobs").iterdir()} == {f"{job.key}.json" for job in three[:2]}
    (tmp_path / "jobs" / f"{three[0].key}.json").write_text('{"scores": [7.0], "seconds": [0.0]}')
    monkeypatch.setattr(Counting, "fits", 0)
    results = jobs.run(three, Counting, data, 1, tmp_path / "jobs")
    assert Counting.fits == 1
    assert results[three[0].key]["scores"] == [7.0]  # as the file says
    alone = jobs.run(three, rk.UniformFusion, data, 1, None)
    assert [results[job.key]["scores"] for job in three[1:]] == [alone[job.key]["scores"] for job in three[1:]]


def job_of(loss):
    return jobs.TuningJob("LinearRanker", {"loss": loss, "seed": 0, "C": 1.0}, [0.1, 1.0], 0, "KendallTau", "data")


def key_of_the_release_before(job):
    content = [job.kind, job.params, job.path, job.fold, job.measure, job.data]
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=jobs.plain).encode()).hexdigest()[:24]


def test_results_that_were_measured_on_ranks_do_not_count():
    for loss in ("ranksvm", "svm-ndcg@10", "consistent-ndcg:norm", None):
        assert job_of(loss).key == key_of_the_release_before(job_of(loss))
    assert job_of("consistent-rank").key != key_of_the_release_before(job_of("consistent-rank"))
    assert job_of(RankSVM()).key == key_of_the_release_before(job_of(RankSVM()))


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"scores": [0.5]}', '{"scores": [0.5], "seconds": [1, 2]}', '{"scores": [], "seconds": []}',
     '{"scores": ["x"], "seconds": [1]}', '{"scores": [NaN], "seconds": [1]}', '{"scores": 1, "seconds": 1}',
     "[" * 99_999],
)  # fmt: skip
def test_the_result_of_a_job_that_is_none_names_its_file(text, tmp_path):
    data = rk.RankingData(*problem(0, 4))
    rk.tune(rk.AdaRank(n_rounds=1), data, {"n_rounds": [1]}, folds=2, workers=1, folder=tmp_path)
    file = sorted((tmp_path / "jobs").iterdir())[0]
    file.write_text(text)
    with pytest.raises(rk.InputError, match="not the result of a tuning job") as caught:
        rk.tune(rk.AdaRank(n_rounds=1), data, {"n_rounds": [1]}, folds=2, workers=1, folder=tmp_path)
    assert str(caught.value).startswith(str(file))


def test_validation_data_is_passed_on_to_what_stops_early():
    data = rk.RankingData(*problem(0, 8))
    train, valid = data.subset(range(5)), data.subset(range(5, 8))
    params = rk.AdaRank("nDCG@10", n_rounds=30, patience=1).get_params()
    told = []

    class Told(rk.AdaRank):
        def fit(self, X, y=None, qid=None, valid=None):
            told.append(valid)
            return super().fit(X, y, qid, valid)

    for stops in (False, True):
        job = jobs.TuningJob("AdaRank", params, None, 0, "nDCG@10", "print", stops)
        jobs.fit(Told, job, jobs.JobData(train, valid, 5, 0))
    assert told[0] is None
    assert told[1] is valid
    keys = {jobs.TuningJob("AdaRank", params, None, 0, "nDCG@10", "print", stops).key for stops in (False, True)}
    assert len(keys) == 2
    assert jobs.stops_early(rk.AdaRank)
    assert not jobs.stops_early(rk.LinearRanker)
