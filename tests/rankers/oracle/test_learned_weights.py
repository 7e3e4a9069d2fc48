"""Position weights that are learned along with w."""

import re
import warnings
from itertools import pairwise

import numpy as np
import pytest

import rankine as rk

from ...cases import normalised_sample


@pytest.fixture(scope="module")
def data():
    return normalised_sample(40)


def test_projection_onto_position_weights():
    from rankine.rankers.oracle.learned_weights import project

    rng = np.random.default_rng(8)
    for _ in range(100):
        a, total = rng.normal(size=6), float(rng.uniform(0.5, 5))
        p = project(a, total)
        assert (np.diff(p) <= 1e-9).all()
        assert (p >= 0).all()
        assert p.sum() == pytest.approx(total)
        for _ in range(20):  # no other such weights are nearer
            other = np.sort(rng.random(6))[::-1]
            other *= total / other.sum()
            assert np.linalg.norm(p - a) <= np.linalg.norm(other - a) + 1e-9


@pytest.mark.parametrize("loss", ["svm-ndcg@5", "svm-map"])
def test_learned_position_weights(data, loss):
    model = rk.LinearRanker(loss, C=0.3, loss_options={"A": "learn"}).fit(data)
    assert all(b <= a * (1 + 1e-12) for a, b in pairwise(model.A_history_))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fixed = rk.LinearRanker(loss, C=0.3, loss_options={"A": "linear"}).fit(data)
    assert model.objective_ <= fixed.objective_ * (1 + 1e-3)
    assert (np.diff(model.A_) <= 1e-9).all()
    assert (model.A_ >= 0).all()
    for wrong, message in (({"loss": "ranksvm"}, "structural"), ({"w0": np.zeros(data.n_features)}, "takes neither")):
        with pytest.raises(rk.InputError, match=message):
            rk.LinearRanker(**{"loss": loss, "loss_options": {"A": "learn"}, **wrong}).fit(data)


def test_learned_weights_are_saved_and_shown(data, tmp_path):
    from ...cli.running import rankine

    model = rk.LinearRanker("svm-ndcg@5", C=0.3, loss_options={"A": "learn"}).fit(data)
    model.save(tmp_path / "m.json")
    np.testing.assert_array_equal(rk.load(tmp_path / "m.json").A_, model.A_)
    least = rk.LinearRanker("svm-ndcg@5", C=0.3, loss_options={"A": model.A_}, tol=1e-5).fit(data)
    assert model.lower_bound_ <= least.objective_ * (1 + 1e-6)
    with pytest.raises(rk.InputError, match="convex"):
        rk.LinearRanker("svm-ndcg@5", loss_options={"A": "learn", "target": "best"}).fit(data)
    rk.save_letor(data, tmp_path / "d.txt")
    out = rankine(tmp_path, "train", "d.txt", "--loss", "svm-ndcg@5", "--weights", "learn", "-o", "l.json")
    bound = float(re.search(r"the mean of 1 − nDCG@5 is at most ([\d.]+)", out.stderr)[1])
    mean = rk.evaluate("nDCG@5", data.y, rk.load(tmp_path / "l.json").predict(data), data.qid).mean["nDCG@5"]
    assert bound >= 1 - mean
    done = rankine(tmp_path, "train", "d.txt", "--loss", "svm-ndcg@5:tight", "-o", "t.json")
    assert "not certified" in done.stderr
