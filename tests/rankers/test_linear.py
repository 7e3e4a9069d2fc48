"""LinearRanker: certified optimum, scikit-learn's contract, sparse and dense alike, models as files."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

import rankine as rk
from rankine.solvers.certificate import ConvergenceWarning

from .cases import problem


@pytest.mark.parametrize("loss", ["svm-ndcg@10", "svm-ndcg", "svm-map", "svm-p@5", "svm-rr"])
def test_learns_and_certifies(loss):
    X, y, qid = problem()
    model = rk.LinearRanker(loss=loss, C=1.0).fit(X, y, qid=qid)
    assert model.lower_bound_ <= model.objective_
    assert model.gap_ <= 1e-3
    untrained = rk.evaluate(model.check_parameters().measure, y, np.zeros(len(y)), qid)
    assert model.score(X, y, qid) > next(iter(untrained.mean.values())) + 0.1
    values = model.check_parameters().value_and_grad(X @ model.coef_, y, np.arange(31) * 15)[0]
    assert 0.5 * model.coef_ @ model.coef_ + values.sum() == pytest.approx(model.objective_, rel=1e-9)
    measure = model.check_parameters().measure
    if not measure.startswith("P"):
        informative = values > 0
        lost = 1 - rk.evaluate(measure, y, model.predict(X), qid, empty="one").per_query[measure]
        assert (values[informative] >= lost[informative] - 1e-9).all()


def test_dense_sparse_and_single_precision_agree():
    X, y, qid = problem()
    X[np.abs(X) < 0.7] = 0
    dense = rk.LinearRanker("svm-ndcg@10", C=1.0, tol=1e-7).fit(X, y, qid=qid)
    sparse = rk.LinearRanker("svm-ndcg@10", C=1.0, tol=1e-7).fit(sp.csr_array(X), y, qid=qid)
    single = rk.LinearRanker("svm-ndcg@10", C=1.0, tol=1e-5).fit(X.astype(np.float32), y, qid=qid)
    np.testing.assert_allclose(dense.coef_, sparse.coef_, atol=2e-3)
    assert dense.objective_ == pytest.approx(sparse.objective_, rel=2e-7)
    assert dense.objective_ == pytest.approx(single.objective_, rel=2e-5)
    np.testing.assert_allclose(sparse.predict(sp.csr_array(X)), sparse.predict(X))


def test_rows_in_any_order_and_ranking_data():
    X, y, qid = problem()
    p = np.random.default_rng(1).permutation(len(y))
    a = rk.LinearRanker("svm-ndcg@10", C=1.0, tol=1e-8).fit(X, y, qid=qid)
    b = rk.LinearRanker("svm-ndcg@10", C=1.0, tol=1e-8).fit(X[p], y[p], qid=qid[p])
    data = rk.RankingData(X[p], y[p], qid[p])
    c = rk.LinearRanker("svm-ndcg@10", C=1.0, tol=1e-8).fit(data)
    assert a.objective_ == pytest.approx(b.objective_, rel=1e-7)
    assert np.array_equal(b.coef_, c.coef_)
    np.testing.assert_allclose(b.predict(data)[np.argsort(data.order)], b.predict(X[p]), rtol=1e-12)
    order = b.rank(X[p], qid[p])
    assert sorted(order) == list(range(len(y)))
    scores = b.predict(X[p])
    for q in np.unique(qid):
        mine = [i for i in order if qid[p][i] == q]
        assert (np.diff(scores[mine]) <= 0).all()


def test_query_weights():
    X, y, qid = problem(n=6)
    twice = np.concatenate([np.arange(90), np.arange(30)])
    copied = rk.LinearRanker("svm-ndcg@10", C=1.0, tol=1e-8).fit(
        X[twice], y[twice], qid=np.concatenate([qid, qid[:30] + 100])
    )
    weighted = rk.LinearRanker("svm-ndcg@10", C=1.0, tol=1e-8).fit(X, y, qid=qid, query_weight=[2, 2, 1, 1, 1, 1])
    assert copied.objective_ == pytest.approx(weighted.objective_, rel=1e-7)


def test_document_weights():
    X, y, qid = problem(n=6)
    rng = np.random.default_rng(0)
    p = rng.permutation(len(y))
    X, y, qid = X[p], y[p], qid[p]
    keep = (rng.random(len(y)) < 0.7) & (qid != qid[0])  # a whole query goes too
    order = dict.fromkeys(qid.tolist())
    weights = rng.random(len(order)) + 0.5
    left = [w for w, q in zip(weights, order, strict=True) if q != qid[0]]
    appear = dict.fromkeys(qid[keep].tolist())
    left = [dict(zip([q for q in order if q != qid[0]], left, strict=True))[q] for q in appear]
    without = rk.LinearRanker("svm-ndcg@10", C=1.0, tol=1e-8).fit(X[keep], y[keep], qid=qid[keep], query_weight=left)
    zeros = rk.LinearRanker("svm-ndcg@10", C=1.0, tol=1e-8).fit(
        X, y, qid=qid, query_weight=weights, doc_weight=keep.astype(float)
    )
    assert zeros.objective_ == pytest.approx(without.objective_, rel=1e-7)
    data = rk.RankingData(X, y, qid)
    again = rk.LinearRanker("svm-ndcg@10", C=1.0, tol=1e-8).fit(
        data, query_weight=weights, doc_weight=keep[data.order].astype(float)
    )
    assert again.objective_ == pytest.approx(without.objective_, rel=1e-7)
    counts = rng.integers(0, 3, len(y))
    twice = np.repeat(np.arange(len(y)), counts)
    weighted = rk.RegressionRanker(alpha=1.0).fit(X, y, qid=qid, doc_weight=counts)
    np.testing.assert_allclose(weighted.coef_, rk.RegressionRanker(alpha=1.0).fit(X[twice], y[twice]).coef_, rtol=1e-7)
    for bad in ([1.0], -np.ones(len(y)), np.zeros(len(y)), np.full(len(y), np.nan)):
        with pytest.raises(rk.InputError, match="doc_weight"):
            rk.LinearRanker("svm-ndcg@10").fit(X, y, qid=qid, doc_weight=bad)
    with pytest.raises(rk.InputError, match="accepts document weights 0 and 1 only"):
        rk.LinearRanker("svm-ndcg@10").fit(X, y, qid=qid, doc_weight=counts)


def test_query_ids_are_routed_metadata():
    X, y, qid = problem(n=12)
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(rk.LinearRanker(loss="svm-map"), {"C": [1e-3, 1.0]}, cv=GroupKFold(3))
        search.fit(X, y, qid=qid, groups=qid)
    for i, (train, test) in enumerate(GroupKFold(3).split(X, y, qid)):
        model = rk.LinearRanker(loss="svm-map", C=1.0).fit(X[train], y[train], qid=qid[train])
        assert search.cv_results_[f"split{i}_test_score"][1] == model.score(X[test], y[test], qid=qid[test])


def test_reference_point():
    X, y, qid = problem()
    near = rk.LinearRanker(C=1e-6, w0=[1, 2, 3, 4, 5, 6]).fit(X, y, qid=qid)
    np.testing.assert_allclose(near.coef_, [1, 2, 3, 4, 5, 6], atol=1e-3)


@pytest.mark.parametrize("kind", [None, "zscore", "query-zscore", "query-minmax"])
def test_normaliser_is_part_of_the_model(kind, tmp_path):
    X, y, qid = problem()
    X = X * [1, 100, 1, 1, 1e3, 1] + 5
    model = rk.LinearRanker("svm-ndcg@10", normalise=kind, C=0.1, max_iter=2000).fit(X, y, qid=qid)
    model.save(tmp_path / "m.json")
    again = rk.load(tmp_path / "m.json")
    assert np.array_equal(again.predict(X, qid), model.predict(X, qid))
    assert again.get_params() == model.get_params()
    assert again.gap_ == model.gap_
    if kind is not None:
        data = rk.RankingData(X, y, qid)
        by_hand = rk.Normaliser(kind).fit(data).apply(data).X @ model.coef_
        np.testing.assert_allclose(model.predict(X, qid), by_hand, rtol=1e-9)
        p = np.random.default_rng(0).permutation(len(y))
        np.testing.assert_allclose(model.predict(X[p], qid[p]), by_hand[p], rtol=1e-9)


def test_works_with_scikit_learns_cross_validation():
    X, y, qid = problem()
    scores = cross_val_score(
        rk.LinearRanker(loss="svm-map", C=1.0), X, y, groups=qid, cv=GroupKFold(3),
        scoring=lambda model, X, y: rk.evaluate("AP", y, model.predict(X)).mean["AP"],
    )  # fmt: skip
    assert len(scores) == 3
    assert (scores > 0.5).all()


def test_explain_names_the_features():
    X, y, qid = problem()
    names = list("abcdef")
    model = rk.LinearRanker(normalise="zscore").fit(rk.RankingData(X, y, qid, feature_names=names))
    parts = model.explain(X[0])
    assert sum(v for _, v in parts) == pytest.approx(model.predict(rk.RankingData(X[:1], y[:1], qid[:1]))[0], rel=1e-9)
    assert {n for n, _ in parts} == set(names)
    assert [abs(v) for _, v in parts] == sorted((abs(v) for _, v in parts), reverse=True)


def test_limits_warn():
    X, y, qid = problem()
    with pytest.warns(ConvergenceWarning, match="2 iterations"):
        model = rk.LinearRanker("svm-ndcg@10", C=1.0, tol=1e-9, max_iter=2).fit(X, y, qid=qid)
    assert model.gap_ > 1e-9


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0}, "C must be a positive number, got 0"),
        ({"C": -1.0}, "C must be a positive number"),
        ({"C": "car"}, "C must be a positive number or 'auto', got 'car'"),
        ({"tol": 0}, "tol must be a positive number"),
        ({"loss": "svm-ndgc"}, "Did you mean 'svm-ndcg'"),
        ({"loss": rk.losses.get("svm-ndcg", target="best"), "solver": "bundle"}, "not convex"),
        ({"solver": "bundel"}, "Did you mean 'bundle'"),
        ({"w0": [1.0]}, "w0 has 1 entries, the data has 6"),
        ({"normalise": "zscores"}, "Did you mean 'zscore'"),
        ({"max_iter": 0}, "max_iter must be a whole number"),
    ],
)
def test_bad_parameters(parameters, message):
    X, y, qid = problem(n=3)
    with pytest.raises(ValueError, match=message):
        rk.LinearRanker(**parameters).fit(X, y, qid=qid)


def test_bad_calls(tmp_path):
    X, y, qid = problem(n=3)
    model = rk.LinearRanker().fit(X, y, qid=qid)
    with pytest.raises(NotFittedError):
        rk.LinearRanker().predict(X)
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :2])
    with pytest.raises(rk.InputError, match="the data has 2"):
        model.predict(rk.RankingData(X[:, :2], y, qid))
    with pytest.raises(rk.InputError, match="pass nothing else"):
        model.fit(rk.RankingData(X, y, qid), y)
    with pytest.raises(rk.InputError, match="one per query"):
        model.fit(X, y, qid=qid, query_weight=[1.0])
    with pytest.raises(rk.InputError, match="x has 1"):
        model.explain([1.0])
    model.save(tmp_path / "m.json")
    with pytest.raises(rk.InputError, match="no folder"):
        model.save(tmp_path / "no" / "m.json")
    with pytest.raises(rk.InputError, match="by name or number"):
        rk.LinearRanker(loss=rk.losses.get("svm-map")).fit(X, y, qid=qid).save(tmp_path / "x.json")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.json"]


def test_a_path_equals_separate_fits():
    X, y, qid = problem()
    models = rk.LinearRanker(loss="svm-map", tol=1e-6, normalise="zscore").path([1.0, 0.01, 0.1], X, y, qid=qid)
    for model in models:
        alone = rk.LinearRanker(loss="svm-map", tol=1e-6, normalise="zscore", C=model.C).fit(X, y, qid=qid)
        assert model.objective_ == pytest.approx(alone.objective_, rel=2e-6)
        assert model.gap_ <= 1e-6
    assert [m.C for m in models] == [0.01, 0.1, 1.0]
    with pytest.raises(rk.InputError, match="at least one value"):
        rk.LinearRanker().path([], X, y)


def test_an_optimum_that_learns_nothing_is_said_to_be_one():
    X, y, qid = problem(noise=50)
    with pytest.warns(rk.rankers.linear.NothingLearnedWarning, match="partial-order"):
        model = rk.LinearRanker(loss="svm-ndcg@10", C=1.0).fit(X, y, qid=qid)
    assert not model.coef_.any()
    other = rk.LinearRanker(loss="svm-ndcg@10", C=1.0, loss_options={"A": "partial-order"}).fit(X, y, qid=qid)
    assert other.coef_.any()


def test_loss_options_are_saved(tmp_path):
    X, y, qid = problem(n=5)
    model = rk.LinearRanker(loss="svm-ndcg@10", loss_options={"A": "partial-order", "gain": "linear"}).fit(
        X, y, qid=qid
    )
    model.save(tmp_path / "m.json")
    assert rk.load(tmp_path / "m.json").loss_options == {"A": "partial-order", "gain": "linear"}
    assert model._measure == "nDCG(dcg='log2')@10"


def test_regression_starts_see_grades_and_counted_documents_only():
    """Ranks are turned round for a regression start, and documents of weight 0 do not count in it."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(8, 5))
    ranks = (np.argsort(np.argsort(-x, axis=1), axis=1) + 1).ravel()
    X, qid = np.column_stack([x.ravel(), rng.normal(size=40)]), np.repeat(np.arange(8), 5)
    model = rk.LinearRanker("consistent-rank", C=1e-9, w0="regression").fit(X, ranks, qid=qid)
    assert model.coef_[0] > 0.1  # C is tiny: the weights are those of the regression
    y, keep = x.ravel().round(), np.arange(40) % 5 < 3
    X_wild = X.copy()
    X_wild[~keep] = 1e3 * rng.normal(size=X_wild[~keep].shape)
    weighted = rk.LinearRanker("ranksvm-l2", C=1e-9, w0="regression").fit(X_wild, y, qid=qid, doc_weight=keep * 1.0)
    alone = rk.LinearRanker("ranksvm-l2", C=1e-9, w0="regression").fit(X[keep], y[keep], qid=qid[keep])
    np.testing.assert_allclose(weighted.coef_, alone.coef_, rtol=1e-9)


def test_preferences_and_permutations_are_supervision():
    X, y, qid = problem()
    winners, losers = [], []
    for q in np.unique(qid):
        mine = np.flatnonzero(qid == q)
        for i, j in itertools.permutations(mine, 2):
            if y[i] > y[j]:
                winners.append(i)
                losers.append(j)
    p = np.random.default_rng(1).permutation(len(y))
    where = np.argsort(p)
    graph = rk.Preferences(where[winners], where[losers])
    for loss in ("consistent-wpd", "duchi"):
        model = rk.LinearRanker(loss=loss, C=0.1).fit(X[p], graph, qid=qid[p])
        ordered = rk.LinearRanker(loss=loss, C=0.1).fit(X, rk.Preferences(winners, losers), qid=qid)
        assert model.objective_ == pytest.approx(ordered.objective_, rel=1e-6)
        assert model.score(X[p], graph, qid=qid[p]) == pytest.approx(-rk.evaluate(
            "WPD", graph, model.predict(X[p]), qid[p]).mean["WPD"])  # fmt: skip
        assert rk.evaluate("nDCG", y, model.predict(X), qid).mean["nDCG"] > 0.9
    ranks = np.concatenate([15 - np.argsort(np.argsort(y[qid == q])) for q in np.unique(qid)])
    model = rk.LinearRanker(loss="consistent-rank", C=0.1).fit(X, ranks, qid=qid)
    assert rk.evaluate("nDCG", y, model.predict(X), qid).mean["nDCG"] > 0.9


def test_document_weights_reach_the_pairs():
    X, y, qid = problem()
    copies = np.random.default_rng(2).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), copies)
    weighted = rk.LinearRanker(loss="ranksvm-l2", C=1.0, tol=1e-7).fit(X, y, qid=qid, doc_weight=copies)
    copied = rk.LinearRanker(loss="ranksvm-l2", C=1.0, tol=1e-7).fit(X[rows], y[rows], qid=qid[rows])
    assert weighted.objective_ == pytest.approx(copied.objective_, rel=1e-6)


def test_dropped_documents_close_up_the_ranks():
    X, y, qid = problem(n=6)
    ranks = np.concatenate([15 - np.argsort(np.argsort(y[qid == q])) for q in np.unique(qid)])
    keep = np.random.default_rng(0).random(len(y)) < 0.7
    model = rk.LinearRanker(loss="consistent-rank", C=1.0, tol=1e-7).fit(
        X, ranks, qid=qid, doc_weight=keep.astype(float)
    )
    closed = np.concatenate([np.argsort(np.argsort(ranks[keep & (qid == q)])) + 1 for q in np.unique(qid)])
    alone = rk.LinearRanker(loss="consistent-rank", C=1.0, tol=1e-7).fit(X[keep], closed, qid=qid[keep])
    assert model.objective_ == pytest.approx(alone.objective_, rel=1e-6)


@pytest.mark.parametrize(
    "bad",
    [{"solver": None}, {"loss": None}, {"max_iter": None}, {"loss_options": [1]}, {"seed": -1}, {"seed": "x"},
     {"max_time": "a"}, {"solver": 3}],
)  # fmt: skip
def test_parameters_of_the_wrong_kind(bad):
    X, y, qid = problem(n=3)
    with pytest.raises(rk.InputError, match=next(iter(bad))):
        rk.LinearRanker(**{"loss": "ranksvm-l2", **bad}).fit(X, y, qid=qid)
