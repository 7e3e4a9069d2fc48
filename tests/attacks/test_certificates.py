"""A short run of the attack on certificates, and whether it would see a wrong one."""

import warnings
from fractions import Fraction

import numpy as np
import pytest

from attacks.certificates import Outcome, as_code, check, run, shortened
from attacks.problems import Problem, random_problem


def test_two_hundred_certificates_hold():
    total = run(200, seed=20)
    wrong = [f"number {number}: {as_code(o.problem)}: {'; '.join(o.wrong)}" for number, o in total.failures]
    assert total.certificates >= 200
    assert wrong == []
    assert total.positive > 100
    assert total.exact > 100


def small(**changes):
    X, y = np.array([[-1.0], [1.0], [0.625], [-0.75]]), np.array([2.0, 1.0, 2.0, 0.0])
    return Problem(X, y, np.zeros(4, int), "ranksvm", 100.0, **changes)


class Lying(Problem):
    """A problem whose fit reports a lower bound, or a gap, that does not hold."""

    lower, gap = 1.0, 1.0

    def fitted(self):
        (model,) = super().fitted()
        model.lower_bound_ *= self.lower
        model.gap_ *= self.gap
        return [model]


def lying(lower=1.0, gap=1.0, **changes):
    problem = small(**changes)
    kind = type("Lying", (Lying,), {"lower": lower, "gap": gap})
    return kind(problem.X, problem.y, problem.qid, problem.loss, problem.C, tol=problem.tol)


def test_a_lower_bound_above_the_minimum_is_seen():
    def too_high(problem):
        return [line for line in check(problem).wrong if line.startswith("lower bound")]

    assert too_high(lying(lower=1 + 2e-3))
    assert not too_high(lying(lower=0.99))


def test_the_gap_holds_of_the_exact_objective_where_the_reported_one_is_far_off():
    """The objective that is reported is rounded: of large features and few steps it may be off by a tenth and more."""
    rounded = Problem(
        np.array([[1.4e6], [-1.1e6]]), np.array([2.0, 1.0]), np.zeros(2, int), "ranksvm", 1e4, solver="cutting-plane",
        tol=0.01, max_iter=3,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (model,) = rounded.fitted()
    exact = rounded.objective(model).value(rounded.point(model))
    lower, gap, reported = map(Fraction, (model.lower_bound_, model.gap_, model.objective_))
    assert exact > lower + gap * reported
    assert exact <= lower + gap * exact
    assert check(rounded).wrong == []


def test_a_gap_that_is_too_small_is_seen():
    wrong = check(lying(gap=1e-6, tol=0.1)).wrong
    assert any("exceeds the gap" in line for line in wrong)


def test_numbers_that_are_none_are_wrong():
    problem = lying(lower=np.nan)
    assert "nan" in check(problem).wrong[0]


def test_problems_depend_on_seed_and_number_only():
    assert as_code(random_problem(3, 5)) == as_code(random_problem(3, 5))
    assert as_code(random_problem(3, 5)) != as_code(random_problem(4, 5))


def test_a_failure_becomes_short(monkeypatch):
    def fails(problem):
        return Outcome(problem, wrong=["two documents"] if len(problem.y) >= 2 else [])

    monkeypatch.setattr("attacks.certificates.check", fails)
    short = shortened(small(w0=np.array([1.0]), doc_weight=np.ones(4)))
    assert len(short.y) == 2
    assert short.w0 is None
    assert as_code(short).startswith("check(Problem(X=np.array(")


def one_feature(x, y, qid, loss, C, **changes):
    return Problem(np.array(x)[:, None], np.array(y, float), np.array(qid), loss, C, **changes)


ONCE_WRONG = {
    "cancellation at large C": one_feature([-1, 1, 0.625, -0.75], [2, 1, 2, 0], [0] * 4, "ranksvm", 1e8),
    "scores of 1e16": one_feature(
        [8e15, -1.6e16, 2.4e16, -8e15], [1, 0, 0, 2], [1, 1, 3, 3], "svm-map", 1e-3, solver="subgradient", tol=1e-6
    ),
    "the last digit of C·R": one_feature([2.0, 2.0], [1, 2], [0, 0], "svm-ndcg", 1e6, solver="bundle", max_iter=2),
    "planes alike": one_feature([0.0, 0.0], [0, 2], [0, 0], "sum-ndcg@2", 1e4, solver="cutting-plane", max_iter=8),
    "tiny features": one_feature([-1e-12] * 2, [2, 3], [1, 1], "preorder:norm", 0.01, solver="cutting-plane"),
    "kernel": one_feature([3.0, 2.0], [2, 1], [0, 0], "svm-ndcg@2:slack", 4.0, tol=1e-6, kernel="integers"),
    "a squared loss of large features": Problem(
        np.array([[0, 2], [-1, 2], [0, 2], [0, 2], [-2, 2], [3, 2], [-1, 2]], np.float32) * np.float32(2**24),
        np.array([2.0, 2, 1, 1, 2, 2, 1]), np.zeros(7, int), "squared-ndcg", 3e-5, "conjugate", tol=0.1, max_iter=30,
        w0=np.array([-20.0, 10.0]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ONCE_WRONG)
def test_what_was_wrong_once(name):
    assert check(ONCE_WRONG[name]).wrong == []
