"""AdaRank: by hand, against its slow twin, with validation data; and what all boosters and baselines share."""

import math

import numpy as np
import pytest
import scipy.sparse as sp

import rankine as rk
from rankine.rankers.adarank import NoWeakRankerWarning
from rankine.rankers.training import NothingLearnedWarning

from .. import reference as ref
from .cases import rounded_problem


@pytest.mark.parametrize("update", ["original", "meng"])
def test_adarank_by_hand(update):
    """Three queries of two documents. Feature 0 is right on the first two, feature 1 on the last two; RR is 1 or ½."""
    X = [[3, 0], [0, 1], [3, 1], [0, 0], [0, 2], [1, 0]]
    y, qid = [1, 0, 1, 0, 1, 0], [1, 1, 2, 2, 3, 3]
    model = rk.AdaRank("RR", n_rounds=2, update=update).fit(X, y, qid=qid)
    # P = ⅓, ⅓, ⅓: both features have (1 + 1 + ½)/3 = 5/6; the first is taken, α = ½ ln[(1 + 5/6)/(1 − 5/6)]
    first = 0.5 * math.log(11)
    # the ensemble is feature 0: E = 1, 1, ½, so P ∝ e^−1, e^−1, e^−½ for both updates, as P was uniform
    P = np.exp([-1.0, -1.0, -0.5])
    P /= P.sum()
    # feature 0 has P·(1, 1, ½), feature 1 P·(½, 1, 1), which is more
    E = float(P @ [0.5, 1.0, 1.0])
    second = 0.5 * math.log((1 + E) / (1 - E))
    assert [r[:2] for r in model.rounds_] == [(0, 1), (1, 1)]
    np.testing.assert_allclose([r[2] for r in model.rounds_], [first, second], rtol=1e-12)
    np.testing.assert_allclose(model.coef_, [first, second], rtol=1e-12)


@pytest.mark.parametrize("update", ["original", "meng"])
@pytest.mark.parametrize("measure", ["AP", "nDCG@3", "ERR(gmax=2)"])
def test_adarank_is_the_book(update, measure):
    for seed in range(15):
        X, y, qid = rounded_problem(seed)

        def performance(scores, y=y, qid=qid):
            return rk.evaluate(measure, y, np.asarray(scores), qid).per_query[measure].tolist()

        want = ref.adarank(performance, [X[:, f].tolist() for f in range(5)], 12, 6, update)
        model = rk.AdaRank(measure, n_rounds=6, update=update).fit(X, y, qid=qid)
        n = next((i for i, r in enumerate(model.history_) if r.set_aside), 6)  # as far as the guard is silent
        assert [r[0] for r in model.rounds_[: n + 1]] == [w[0] for w in want[: n + 1]]
        np.testing.assert_allclose([r[2] for r in model.rounds_[: n + 1]], [w[1] for w in want[: n + 1]], rtol=1e-9)
        np.testing.assert_allclose([h.train for h in model.history_[: n + 1]], [np.mean(w[2]) for w in want[: n + 1]])


def test_the_bound_on_training_performance():
    """Xu & Li, Theorem 1: mean E(f_T) ≥ 1 − Π_t exp(−δ_min)·√(1 − φ(t)²)."""
    for seed in range(10):
        X, y, qid = rounded_problem(seed, n=20)

        def performance(scores, y=y, qid=qid):
            return rk.evaluate("AP", y, np.asarray(scores), qid, empty="one").per_query["AP"].tolist()

        steps = ref.adarank(performance, [X[:, f].tolist() for f in range(5)], 20, 5, "original")
        before, product = np.zeros(20), 1.0
        for k, alpha, served, phi in steps:
            delta = np.array(served) - before - alpha * np.array(performance(X[:, k]))
            product *= np.exp(-delta.min()) * math.sqrt(max(1 - phi**2, 0))
            before = np.array(served)
            assert np.mean(served) >= 1 - product - 1e-9


def test_a_perfect_feature_and_a_useless_one():
    X, y, qid = [[2.0, 0.0], [1.0, 0.0], [5.0, 0.0], [3.0, 0.0]], [1, 0, 1, 0], [1, 1, 2, 2]
    model = rk.AdaRank("AP", n_rounds=5).fit(X, y, qid=qid)
    assert np.isfinite(model.coef_).all()
    assert model.score(X, y, qid) == 1
    with (
        pytest.warns(NothingLearnedWarning, match="in every query all grades are equal"),
        pytest.warns(NoWeakRankerWarning, match="scores everything 0"),
    ):
        assert not rk.AdaRank("AP").fit(X, [0, 0, 0, 0], qid=qid).coef_.any()


def test_the_guard_sets_a_feature_aside():
    X, y, qid = rounded_problem(3, n=40, d=2, decimals=3)
    X[:, 1] = np.random.default_rng(0).random(len(y))
    model = rk.AdaRank("AP", n_rounds=30).fit(X, y, qid=qid)
    features = [r.feature for r in model.history_]
    assert any(r.set_aside for r in model.history_)
    for t, r in enumerate(model.history_[:-1]):
        if r.set_aside:
            assert features[t + 1] != r.feature
            assert features[t - 3 : t + 1] == [r.feature] * 4
            assert max(h.train for h in model.history_[t - 2 : t + 1]) <= max(h.train for h in model.history_[: t - 2])


def test_signs_stages_and_validation():
    X, y, qid = rounded_problem(1, n=30)
    X[:, 0] *= -1
    plain, signed = (rk.AdaRank(both_signs=b, n_rounds=20).fit(X, y, qid=qid) for b in (False, True))
    assert signed.coef_[0] < 0
    assert signed.score(X, y, qid) > plain.score(X, y, qid)
    stages = list(signed.staged_predict(X, qid))
    np.testing.assert_allclose(stages[-1], signed.predict(X, qid))
    for h, scores in zip(signed.history_, stages, strict=True):
        assert h.train == pytest.approx(rk.evaluate("AP", y, scores, qid).mean["AP"], abs=1e-9)
    valid = rk.RankingData(*rounded_problem(2, n=30))
    stopped = rk.AdaRank(n_rounds=60, patience=5).fit(X, y, qid=qid, valid=valid)
    on_valid = [h.valid for h in stopped.history_]
    assert len(stopped.rounds_) == 1 + int(np.argmax(on_valid))
    assert len(on_valid) <= len(stopped.rounds_) + 5
    assert rk.evaluate("AP", valid.y, stopped.predict(valid), valid.qid).mean["AP"] == pytest.approx(max(on_valid))


@pytest.mark.parametrize(
    "model", [rk.AdaRank(n_rounds=10), rk.RankBoost(n_rounds=10), rk.SingleFeature(both_signs=True), rk.UniformFusion()]
)
def test_saved_sparse_and_in_any_order(model, tmp_path):
    X, y, qid = rounded_problem(4)
    X[np.abs(X) < 0.5] = 0
    model.fit(X, y, qid=qid)
    model.save(tmp_path / "m.json")
    again = rk.load(tmp_path / "m.json")
    assert np.array_equal(again.predict(X, qid), model.predict(X, qid))
    assert again.get_params() == model.get_params()
    p = np.random.default_rng(0).permutation(len(y))
    np.testing.assert_allclose(model.predict(X[p], qid[p]), model.predict(X, qid)[p])
    if not isinstance(model, rk.UniformFusion):
        sparse = type(model)(**model.get_params()).fit(sp.csr_array(X), y, qid=qid)
        np.testing.assert_allclose(sparse.predict(sp.csr_array(X)), model.predict(X, qid))
    shuffled = type(model)(**model.get_params()).fit(X[p], y[p], qid=qid[p])
    np.testing.assert_allclose(shuffled.predict(X, qid), model.predict(X, qid), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (rk.AdaRank("ndgc@10"), "unknown measure"),
        (rk.AdaRank("DCG"), "values up to 1"),
        (rk.AdaRank("WPD"), "values up to 1"),
        (rk.AdaRank(update="x"), "original or meng"),
        (rk.AdaRank(n_rounds=0), "n_rounds"),
        (rk.RankBoost(n_rounds=0), "n_rounds"),
        (rk.RankBoost(n_bins=256), "n_bins"),
        (rk.SingleFeature("nope"), "unknown measure"),
        (rk.UniformFusion("nope"), "nope"),
    ],
)
def test_bad_parameters(model, message):
    with pytest.raises(rk.InputError, match=message):
        model.fit(*rounded_problem()[:2], qid=rounded_problem()[2])


def test_bad_validation_data():
    X, y, qid = rounded_problem()
    with pytest.raises(rk.InputError, match="the validation data has 4 features, the training data 5"):
        rk.AdaRank().fit(X, y, qid=qid, valid=rk.RankingData(X[:, :4], y, qid))


def test_stages_do_not_touch_the_model():
    X, y, qid = rounded_problem(1, n=20)
    model = rk.AdaRank(n_rounds=6).fit(X, y, qid=qid)
    whole, alone = model.coef_.copy(), list(model.staged_predict(X, qid))
    for (a, b), want in zip(
        zip(model.staged_predict(X, qid), model.staged_predict(X, qid), strict=True), alone, strict=True
    ):
        assert np.array_equal(a, want)
        assert np.array_equal(b, want)
        assert np.array_equal(model.coef_, whole)


def test_the_guard_sets_both_signs_aside():
    X, y, qid = rounded_problem(3, n=40, d=2, decimals=3)
    X[:, 1] = np.random.default_rng(0).random(len(y))
    model = rk.AdaRank("AP", n_rounds=30, both_signs=True).fit(X, y, qid=qid)
    for before, after in zip(model.history_[:-1], model.history_[1:], strict=True):
        assert not before.set_aside or after.feature != before.feature


def test_names_of_an_earlier_fit_are_forgotten(tmp_path):
    import pandas as pd

    X, y, qid = rounded_problem()
    model = rk.AdaRank(n_rounds=3).fit(pd.DataFrame(X, columns=list("abcde")), y, qid=qid)
    model.fit(rk.RankingData(X[:, :3], y, qid))
    assert len(model.explain(X[0, :3])) == 3
    model.save(tmp_path / "m.json")
    assert rk.load(tmp_path / "m.json").n_features_in_ == 3


@pytest.mark.parametrize(
    "bad", [rk.AdaRank(n_rounds=2.5), rk.AdaRank(patience=None), rk.AdaRank(patience=-1), rk.RankBoost(n_bins="x"),
            rk.RankBoost(n_rounds=None)],
)  # fmt: skip
def test_parameters_of_the_wrong_kind(bad):
    X, y, qid = rounded_problem()
    with pytest.raises(rk.InputError, match="must be a whole number"):
        bad.fit(X, y, qid=qid)


def noisy(n=20, seed=0):
    """Six features, of which two say what the grade is."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(10 * n, 6))
    y = np.searchsorted([0.5, 1.5], X[:, 0] + X[:, 1] + rng.normal(size=10 * n))
    return rk.RankingData(X, y, np.repeat(np.arange(n), 10))


def test_rounds_are_those_that_inner_folds_call_for():
    data = noisy()
    model = rk.AdaRank().fit(data)
    assert 1 <= len(model.rounds_) <= 100
    again = rk.AdaRank(n_rounds=len(model.rounds_)).fit(data)
    assert np.array_equal(model.coef_, again.coef_)
    assert len(rk.AdaRank().fit(data.subset([0, 1, 2])).rounds_) == 100  # too few queries for folds
    with pytest.raises(rk.InputError, match="n_rounds must be a whole number"):
        rk.AdaRank(n_rounds="many").fit(data)


def test_a_sweep_of_rounds_equals_separate_fits():
    data = noisy()
    for model in rk.AdaRank("nDCG@10").sweep("n_rounds", [5, 1, 20], data):
        alone = rk.AdaRank("nDCG@10", n_rounds=model.n_rounds).fit(data)
        assert np.array_equal(model.coef_, alone.coef_)
        assert model.rounds_ == alone.rounds_
        assert model.history_ == alone.history_
    both = rk.AdaRank().sweep("n_rounds", [2, "auto"], data)
    assert len(both[0].rounds_) == 2
