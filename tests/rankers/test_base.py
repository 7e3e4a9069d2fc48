"""What all rankers share: supervision by ranks is turned round wherever a measure is taken."""

import numpy as np
import pytest

import rankine as rk
from rankine.explain.differences import drop_one


@pytest.fixture(scope="module")
def ranked():
    """Queries with the ranks 1 to 5 (1 is best) of documents; the first feature gives the order, the second none."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=(20, 5))
    ranks = (np.argsort(np.argsort(-x, axis=1), axis=1) + 1).ravel()
    X = np.column_stack([x.ravel(), rng.normal(size=100)])
    return rk.RankingData(X, ranks, np.repeat(np.arange(20), 5))


RANKERS = [
    rk.LinearRanker("consistent-rank"),
    rk.KernelRanker("consistent-rank", kernel="linear"),
    rk.BoostedRanker("consistent-rank", n_trees=30, min_documents=2),
    rk.BoostedRanker("consistent-rank", "xgboost", n_trees=30),
    rk.NeuralRanker("consistent-rank", hidden=(), epochs=40, learning_rate=0.05, threads=1),
]


@pytest.mark.parametrize("ranker", RANKERS, ids=lambda r: type(r).__name__)
def test_ranks_are_scored_with_the_right_sign(ranked, ranker):
    tau = rk.evaluate("KendallTau", 6 - ranked.y, ranker.fit(ranked).predict(ranked), ranked.qid).mean["KendallTau"]
    assert tau > 0.8
    assert ranker.score(ranked) == pytest.approx(tau)
    assert ranker.score(ranked.X, ranked.y, qid=ranked.qid) == pytest.approx(tau)


@pytest.mark.parametrize("ranker", RANKERS[2:], ids=lambda r: type(r).__name__)
def test_early_stopping_on_ranks_keeps_the_best(ranked, ranker):
    train, valid = next(ranked.folds(2))
    ranker.fit(train, valid=valid)
    measured = [h if isinstance(h, float) else h[1] for h in ranker.history_]
    assert max(measured) > 0.6
    assert ranker.score(valid) == pytest.approx(max(measured))


def test_tuning_on_ranks_prefers_the_right_order(ranked):
    grid = {"w0": [[-1.0, 0.0], [1.0, 0.0]], "C": [1e-6]}  # so small a C leaves the weights where they are
    tuning = rk.tune(rk.LinearRanker("consistent-rank"), ranked, grid, measure="KendallTau", folds=2, workers=1)
    assert tuning.best.params["w0"] == [1.0, 0.0]
    assert [t.mean for t in tuning.trials] == pytest.approx([1.0, -1.0])


def test_dropping_a_feature_of_ranks(ranked):
    worst = drop_one(rk.LinearRanker("consistent-rank"), ranked, ranked, measure="KendallTau")[0]
    assert worst.feature == "0"
    assert worst.change < -0.7


def test_bounds_on_ranks_measure_the_right_order(ranked):
    model = rk.LinearRanker("consistent-rank", C=10.0).fit(ranked)
    name = "nDCG(dcg='log2')@10"
    lost = 1 - rk.evaluate(name, 6 - ranked.y, model.predict(ranked), ranked.qid).mean[name]
    assert rk.risk_bound(model, ranked, held_out=True).bounds[0].risk == pytest.approx(lost, abs=1e-12)
    assert lost < 0.05


def test_held_out_bounds_of_long_ranked_lists():
    """2^g of ranks overflows beyond 1,000 documents: the gain is linear."""
    n = 1200
    X, ranks = np.arange(n, dtype=float)[:, None] / n, np.arange(n, 0, -1)
    data = rk.RankingData(X, ranks, np.zeros(n, int))
    bound = rk.risk_bound(rk.LinearRanker("consistent-rank", C=1.0).fit(data), data, held_out=True).bounds[0]
    assert bound.of.startswith("expected 1 − nDCG(dcg='log2')@10")
    assert bound.risk == pytest.approx(0.0, abs=1e-12)


def test_scores_beyond_all_numbers_are_an_error():
    model = rk.LinearRanker().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1], qid=[1, 1])
    model.coef_ = np.array([1e308, -1e308])
    with pytest.raises(rk.InputError, match="scores are too large"):
        model.predict([[10.0, -10.0]])
