"""Newton's method and L-BFGS on pairwise losses, against scikit-learn on explicit pairs."""

import itertools

import numpy as np
import pytest
from sklearn.svm import LinearSVC

import rankine as rk

from ..cases import linear_problem

SMOOTH = ["ranksvm-l2", "preorder:norm+dcg", "consistent-ndcg", "listnet", "squared-dcg", "duchi"]


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
    X, y, qid = linear_problem()
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
    X, y, qid = linear_problem()
    models = {s: rk.LinearRanker(loss=loss, C=C, solver=s, tol=1e-6).fit(X, y, qid=qid) for s in ("newton", "lbfgs")}
    models["bundle"] = rk.LinearRanker(loss=loss, C=C, solver="bundle", tol=1e-4).fit(X, y, qid=qid)
    for model in models.values():
        assert model.gap_ <= model.tol
        assert model.lower_bound_ <= models["newton"].objective_ * (1 + 1e-9)
        assert model.objective_ == pytest.approx(models["newton"].objective_, rel=1.2e-4)
