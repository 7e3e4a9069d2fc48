"""Settings that a fit chooses by inner folds, and the warning that nothing was learned."""

import numpy as np
import pytest
import scipy.sparse as sp

import rankine as rk
from rankine.rankers.training import NothingLearnedWarning, best_setting, warn_if_constant


def problem(n=40, noise=1.0, seed=0):
    """Queries of ten documents; the first two of six features say what the grade is, through noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(10 * n, 6))
    hidden = X[:, 0] + X[:, 1] + noise * rng.normal(size=10 * n)
    return rk.RankingData(X, np.searchsorted([0.5, 1.5], hidden), np.repeat(np.arange(n), 10))


def test_the_setting_that_is_best_on_other_queries_wins():
    data = problem()
    seen = []

    def scores(queries, held):
        seen.append((set(queries.tolist()), set(held.query_ids.tolist())))
        return [-held.X[:, 0], held.X[:, 0], held.X[:, 0] + held.X[:, 1], held.X[:, 0] + held.X[:, 1]]

    assert best_setting(scores, data, "nDCG@10") == 2
    assert all(not train & held and len(train | held) == 40 for train, held in seen)
    assert set.union(*(held for _, held in seen)) == set(range(40))
    weight = np.zeros(40)
    weight[7] = 1.0
    best = best_setting(lambda q, h: [h.y + 0.0, -h.y] if 7 not in h.query_ids else [-h.y, h.y + 0.0], data, "AP",
                        query_weight=weight)  # fmt: skip
    assert best == 1
    assert best_setting(lambda q, h: [h.y + 0.0, -h.y], data, "Disagreement") == 0


def test_negative_grades_have_an_order_but_no_gain():
    data = problem()
    lower = rk.RankingData(data.X, data.y - 1.0, data.qid)
    assert best_setting(lambda q, h: [-h.X[:, 0], h.X[:, 0] + h.X[:, 1]], lower, "nDCG@10") == 1
    assert rk.LinearRanker().fit(lower).coef_[0] > 0


def test_too_few_queries_have_no_best_setting():
    assert best_setting(lambda q, h: [h.X[:, 0]], problem(n=4), "nDCG@10") is None


def refuse(queries, held):
    raise rk.InputError("no")


def test_folds_that_cannot_be_learned_from_have_no_best_setting():
    assert best_setting(refuse, problem(), "nDCG@10") is None


def test_large_data_is_sampled(monkeypatch):
    monkeypatch.setattr("rankine.rankers.training.VALUES", 1200)
    sizes = []
    best_setting(lambda q, h: sizes.append(len(q) + h.n_queries) or [h.X[:, 0]], problem(), "nDCG@10")
    assert sizes == [20] * 5


def test_the_best_C_depends_neither_on_scale_nor_on_order():
    data = problem()
    model = rk.LinearRanker().fit(data)
    assert model.C_ > 0
    assert model.score(data) > rk.SingleFeature().fit(data).score(data)
    scaled = data.with_features(data.X * [1, 1e4, 1e-4, 1, 1e6, 1])
    again = rk.LinearRanker().fit(scaled)
    assert pytest.approx(model.C_, rel=1e-6) == again.C_
    np.testing.assert_allclose(again.predict(scaled), model.predict(data), atol=1e-2)
    order = np.random.default_rng(0).permutation(40)
    assert pytest.approx(model.C_, rel=1e-6) == rk.LinearRanker().fit(data.subset(order)).C_
    sparse = rk.RankingData(sp.csr_array(data.X), data.y, data.qid)
    assert pytest.approx(model.C_, rel=1e-6) == rk.LinearRanker().fit(sparse).C_


@pytest.mark.parametrize("loss", ["listmle", "svm-map", "svm-map:tight", "ranksvm-l2"])
def test_noise_wants_a_smaller_C(loss):
    quiet, loud = (rk.LinearRanker(loss, seed=1).fit(problem(noise=noise)) for noise in (0.0, 3.0))
    assert loud.C_ < quiet.C_


def test_one_query_has_a_C_by_rule():
    data = problem(n=1)
    model = rk.LinearRanker().fit(data)
    assert model.coef_.any()
    assert rk.LinearRanker(max_time=60.0).fit(problem()).C_ != rk.LinearRanker().fit(problem()).C_


def test_numbers_keep_their_meaning(tmp_path):
    data = problem()
    plain = rk.LinearRanker("svm-map", C=0.1, normalise=None).fit(data)
    model = rk.LinearRanker("svm-map", C=0.1).fit(data)
    assert np.array_equal(model.coef_, plain.coef_)
    assert model.C_ == 0.1
    assert [m.C_ for m in rk.LinearRanker("svm-map").path([0.1, 1.0], data)] == [0.1, 1.0]
    auto = rk.LinearRanker().fit(data)
    auto.save(tmp_path / "m.json")
    assert rk.load(tmp_path / "m.json").C_ == auto.C_


def test_weights_count_in_the_choice():
    data = problem()
    weight = np.ones(400)
    weight[:200] = 0.0
    model = rk.LinearRanker("ranksvm-l2").fit(data, query_weight=np.arange(40) / 40.0, doc_weight=weight)
    assert model.C_ > 0
    arrays = rk.LinearRanker("ranksvm-l2").fit(
        data.X, data.y, qid=data.qid, query_weight=np.arange(40) / 40.0, doc_weight=weight
    )
    assert np.array_equal(model.coef_, arrays.coef_)


def test_a_constant_is_said_to_be_one():
    data = problem()
    with pytest.warns(NothingLearnedWarning, match="all documents of a query have the same score. Try AutoRanker"):
        warn_if_constant(np.zeros(400), data)
    with pytest.warns(NothingLearnedWarning, match="no feature differs"):
        warn_if_constant(data.qid * 1.0, data.with_features(np.repeat(data.qid, 6).reshape(400, 6) * 1.0))
    warn_if_constant(data.X[:, 0], data)
    warn_if_constant(np.zeros(400), rk.RankingData(data.X, np.ones(400), data.qid))  # nothing was to be learned
