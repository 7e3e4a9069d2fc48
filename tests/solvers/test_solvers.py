"""The table of solvers: the one that fits is chosen, one that does not fit is an error."""

import numpy as np
import pytest

import rankine as rk

from ..cases import linear_problem


def test_the_solver_is_chosen_by_what_the_loss_has():
    X, y, qid = linear_problem()
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
