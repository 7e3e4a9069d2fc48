"""Pairwise losses through every solver that fits, against scikit-learn on explicit pairs."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import LinearSVC

import rankine as rk
from rankine.losses import get
from rankine.rankers import oracle as oracle_module
from rankine.solvers.certificate import ConvergenceWarning

SMOOTH = ["ranksvm-l2", "preorder:norm+dcg", "consistent-ndcg", "listnet", "squared-dcg", "duchi"]


def problem(seed=0, n=25, m=12):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n * m, 6))
    y = np.clip(np.round(X @ [2.0, -1.0, 0.5, 0, 0, 0] + rng.standard_normal(n * m)), 0, 3)
    return X, y, np.repeat(np.arange(n), m)


def explicit_pairs(X, y, qid):
    """Differences of all pairs of different grade, every other one turned round."""
    rows, labels = [], []
    for q in np.unique(qid):
        mine = np.flatnonzero(qid == q)
        for i, j in itertools.permutations(mine, 2):
            if y[i] > y[j]:
                sign = 1 if len(labels) % 2 else -1
                rows.append(sign * (X[i] - X[j]))
                labels.append(sign)
    return np.array(rows), np.array(labels)


@pytest.mark.parametrize(("loss", "theirs"), [("ranksvm", "hinge"), ("ranksvm-l2", "squared_hinge")])
@pytest.mark.parametrize("C", [1e-3, 0.1])
def test_ranksvm_is_a_linear_svm_on_pairs(loss, theirs, C):
    X, y, qid = problem()
    differences, labels = explicit_pairs(X, y, qid)
    svm = LinearSVC(loss=theirs, C=C, fit_intercept=False, dual=True, tol=1e-8, max_iter=1_000_000, random_state=0)
    w = svm.fit(differences, labels).coef_[0]
    slack = np.maximum(1 - labels * (differences @ w), 0)
    want = 0.5 * w @ w + C * (slack if theirs == "hinge" else slack**2).sum()
    model = rk.LinearRanker(loss=loss, C=C, tol=1e-7).fit(X, y, qid=qid)
    assert model.objective_ == pytest.approx(want, rel=1e-5)
    assert model.lower_bound_ <= want * (1 + 1e-7)


@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("C", [1e-3, 1.0])
def test_all_solvers_find_the_same_optimum(loss, C):
    X, y, qid = problem()
    found = {s: rk.LinearRanker(loss=loss, C=C, solver=s, tol=1e-6).fit(X, y, qid=qid) for s in ("newton", "lbfgs")}
    found["bundle"] = rk.LinearRanker(loss=loss, C=C, solver="bundle", tol=1e-4).fit(X, y, qid=qid)
    for model in found.values():
        assert model.gap_ <= model.tol
        assert model.lower_bound_ <= found["newton"].objective_ * (1 + 1e-9)
        assert model.objective_ == pytest.approx(found["newton"].objective_, rel=1.2e-4)


@pytest.mark.parametrize("loss", ["ranksvm", "position-sensitive", "listmle", "preorder", "svm-map"])
def test_stochastic_descent_comes_close_and_repeats(loss):
    X, y, qid = problem(n=60)
    best = rk.LinearRanker(loss=loss, C=0.05, tol=1e-5).fit(X, y, qid=qid)
    fit = {"loss": loss, "C": 0.05, "solver": "sgd", "tol": 3e-2, "max_iter": 200}
    a, b = (rk.LinearRanker(**fit, seed=3).fit(X, y, qid=qid) for _ in range(2))
    assert np.array_equal(a.coef_, b.coef_)
    assert best.lower_bound_ <= a.objective_ <= best.objective_ * 1.035
    assert a.gap_ <= 3e-2


def test_the_solver_is_chosen_by_what_the_loss_has():
    X, y, qid = problem()
    for loss, has in (("ranksvm", "bundle"), ("listmle", "lbfgs"), ("ranksvm-l2", "newton")):
        auto = rk.LinearRanker(loss=loss).fit(X, y, qid=qid)
        named = rk.LinearRanker(loss=loss, solver=has).fit(X, y, qid=qid)
        assert np.array_equal(auto.coef_, named.coef_)
    for loss, solver, message in (
        ("ranksvm", "newton", "solver='newton' needs a loss with a Hessian, which ranksvm has not"),
        ("svm-map", "lbfgs", "needs a loss with a gradient everywhere, which svm-map has not"),
        ("listmle", "newton", "use solver='bundle', 'lbfgs'"),
        ("ranksvm", "newtn", "Did you mean 'newton'"),
    ):
        with pytest.raises(rk.InputError, match=message):
            rk.LinearRanker(loss=loss, solver=solver).fit(X, y, qid=qid)


@pytest.mark.parametrize("solver", ["newton", "lbfgs", "sgd", "bundle"])
def test_limits_and_warm_starts(solver):
    X, y, qid = problem()
    with pytest.warns(ConvergenceWarning, match="relative gap"):
        rk.LinearRanker(loss="ranksvm-l2", solver=solver, tol=1e-12, max_iter=1).fit(X, y, qid=qid)
    with pytest.warns(ConvergenceWarning, match="seconds"):
        rk.LinearRanker(loss="ranksvm-l2", solver=solver, tol=1e-12, max_time=0).fit(X, y, qid=qid)
    tol = 1e-2 if solver == "sgd" else 1e-4
    for model in rk.LinearRanker(loss="ranksvm-l2", solver=solver, tol=tol).path([1e-3, 1e-2], X, y, qid=qid):
        alone = rk.LinearRanker(loss="ranksvm-l2", C=model.C, tol=1e-7).fit(X, y, qid=qid)
        assert model.objective_ == pytest.approx(alone.objective_, rel=tol)
    near = rk.LinearRanker(loss="ranksvm-l2", solver=solver, C=1e-7, w0=np.ones(6), tol=tol).fit(X, y, qid=qid)
    np.testing.assert_allclose(near.coef_, 1, atol=2e-2)


@pytest.mark.parametrize("solver", ["newton", "lbfgs", "sgd"])
def test_an_interrupt_keeps_the_best_point(solver, monkeypatch):
    X, y, qid = problem()
    inner, calls = oracle_module.LinearOracle.value_grad, [0]

    def value_grad(self, w):
        calls[0] += 1
        if calls[0] > 1:
            raise KeyboardInterrupt
        return inner(self, w)

    monkeypatch.setattr(oracle_module.LinearOracle, "value_grad", value_grad)
    monkeypatch.setattr(oracle_module.LinearOracle, "hvp", lambda self, w, v: value_grad(self, w))
    with pytest.warns(ConvergenceWarning, match="an interrupt"):
        model = rk.LinearRanker(loss="ranksvm-l2", solver=solver, tol=1e-12).fit(X, y, qid=qid)
    data = rk.RankingData(X, y, qid)
    height = [0.5 * w @ w + get("ranksvm-l2").value_and_grad(data.X @ w, data.y, data.ptr)[0].sum()
              for w in (model.coef_, np.zeros(6))]  # fmt: skip
    assert model.objective_ == pytest.approx(height[0])
    assert height[0] <= height[1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sparse", [False, True])
def test_hessian_products_in_w(dtype, sparse, monkeypatch):
    monkeypatch.setattr(oracle_module, "_BLOCK_BYTES", 2000)
    X, y, _ = problem(n=10, m=30)
    X = (X * (np.abs(X) > 0.5)).astype(dtype)
    weight = np.random.default_rng(0).random(10)
    prepared = get("preorder").prepare(y, np.arange(11) * 30)
    oracle = oracle_module.LinearOracle(sp.csr_array(X) if sparse else X, prepared, weight, threads=2)
    w, v = 0.3 * np.ones(6), np.arange(6.0)
    product = oracle.hvp(w, v)
    difference = (oracle.value_grad(w + 1e-4 * v)[1] - oracle.value_grad(w - 1e-4 * v)[1]) / 2e-4
    np.testing.assert_allclose(product, difference, rtol=0.02, atol=0.02 * np.abs(difference).max())
    np.testing.assert_allclose(oracle.hvp(w, v), product, rtol=1e-6)
    value, grad = oracle.minibatch(w, 2, 5)
    parts = [oracle.minibatch(w, q, q + 1) for q in (2, 3, 4)]
    assert value == pytest.approx(sum(p[0] for p in parts))
    np.testing.assert_allclose(grad, sum(p[1] for p in parts), rtol=1e-5, atol=1e-4)


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
    ranks = np.concatenate([12 - np.argsort(np.argsort(y[qid == q])) for q in np.unique(qid)])
    model = rk.LinearRanker(loss="consistent-rank", C=0.1).fit(X, ranks, qid=qid)
    assert rk.evaluate("nDCG", y, model.predict(X), qid).mean["nDCG"] > 0.9


def test_document_weights_reach_the_pairs():
    X, y, qid = problem()
    copies = np.random.default_rng(2).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), copies)
    weighted = rk.LinearRanker(loss="ranksvm-l2", tol=1e-7).fit(X, y, qid=qid, doc_weight=copies)
    copied = rk.LinearRanker(loss="ranksvm-l2", tol=1e-7).fit(X[rows], y[rows], qid=qid[rows])
    assert weighted.objective_ == pytest.approx(copied.objective_, rel=1e-6)


@pytest.mark.parametrize("solver", ["auto", "bundle", "lbfgs", "sgd"])
def test_nothing_to_learn_from_is_certified(solver):
    for X, y, loss in (
        (np.zeros((4, 2)), [0, 1, 2, 1], "ranksvm-l2"),
        (np.ones((4, 2)), [0, 1, 2, 1], "preorder"),
        (np.eye(2), [1, 1], "consistent-dcg"),
    ):
        model = rk.LinearRanker(loss=loss, solver=solver).fit(X, y)
        assert model.gap_ <= 1e-9
        assert np.linalg.norm(model.coef_) < 1e-9


def test_a_small_C_still_takes_a_step():
    X, y, qid = problem()
    for solver in ("newton", "bundle", "lbfgs", "sgd"):
        model = rk.LinearRanker(loss="preorder", C=1e-7, solver=solver).fit(X, y, qid=qid)
        assert rk.evaluate("nDCG", y, model.predict(X), qid).mean["nDCG"] > 0.85


def test_dropped_documents_close_up_the_ranks():
    X, y, qid = problem(n=6)
    ranks = np.concatenate([12 - np.argsort(np.argsort(y[qid == q])) for q in np.unique(qid)])
    keep = np.random.default_rng(0).random(len(y)) < 0.7
    model = rk.LinearRanker(loss="consistent-rank", tol=1e-7).fit(X, ranks, qid=qid, doc_weight=keep.astype(float))
    closed = np.concatenate([np.argsort(np.argsort(ranks[keep & (qid == q)])) + 1 for q in np.unique(qid)])
    alone = rk.LinearRanker(loss="consistent-rank", tol=1e-7).fit(X[keep], closed, qid=qid[keep])
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
