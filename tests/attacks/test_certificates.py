"""A short run of the attack on certificates, and whether it would see a wrong one."""

import numpy as np

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
