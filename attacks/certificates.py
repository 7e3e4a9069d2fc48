"""Certificates against the truth: is a lower bound that a fit reports really below the minimum?

    python -m attacks.certificates --count 2000 --seed 1

Each problem is small, in whole numbers (scaled by powers of two or ten), so that J can be evaluated in fractions. A
certificate is wrong if J is smaller anywhere than the lower bound, or if J at the fitted point is above the lower bound
by more than the gap, as a share of that J. Prints counts by solver, loss and decade of C, and every failure with a
short reproduction; the exit code is 1 if there is one. A problem of number i depends on the seed and i only: --first 17
--count 1 makes number 17 again.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import Any

import numpy as np

from rankine.errors import InputError

from .exact import refine
from .problems import Problem, random_problem

_SIZES = (1e-15, 1e-12, 1e-9, 1e-6, 1e-3)
_ROUNDING = Fraction(1, 10**12)  # what the last digits of a reported number may be off, relatively
_OBJECTIVE = {
    False: Fraction(1, 10**9),
    True: Fraction(1, 10**5),
}  # the objective itself, in double and single precision


@dataclass
class Outcome:
    """Of one problem: what was checked, and what is wrong."""

    problem: Problem
    certificates: int = 0
    positive: int = 0  # lower bounds above 0: the others say nothing
    exact: int = 0  # compared with the exact minimum
    refused: str = ""
    wrong: list[str] = field(default_factory=list)
    kind: str = ""  # of what is wrong first

    def note(self, kind: str, what: str) -> None:
        """Something is wrong."""
        self.kind = self.kind or kind
        self.wrong.append(what)


def check(problem: Problem) -> Outcome:
    """Fit, and compare each certificate with the truth."""
    outcome = Outcome(problem)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            models = problem.fitted()
        except InputError as error:
            outcome.refused = str(error)
            return outcome
        except Exception as error:
            outcome.note(type(error).__name__, str(error))
            return outcome
    for model in models:
        _check_model(problem, model, outcome)
    return outcome


def _check_model(problem: Problem, model: Any, outcome: Outcome) -> None:
    reported = (model.objective_, model.lower_bound_, model.gap_)
    if not all(math.isfinite(x) for x in reported) or model.gap_ < 0 or model.lower_bound_ < 0:
        said = f"objective {reported[0]!r}, lower bound {reported[1]!r}, gap {reported[2]!r}"
        outcome.note("not a number at least 0", said)
        return
    upper, lower, gap = map(Fraction, reported)
    objective = problem.objective(model)
    if objective is None:
        outcome.refused = "the Gram matrix is not symmetric and positive semi-definite in floats"
        return
    outcome.certificates += 1
    outcome.positive += lower > 0
    point = problem.point(model)
    here = objective.value(point)
    best = refine(objective, point, target=lower)
    outcome.exact += best.exact
    if best.value < lower:
        excess = float((lower - best.value) / max(abs(best.value), Fraction(1, 10**300)))
        outcome.note(
            "lower bound too high by " + next((f"up to {x:g} of it" for x in _SIZES if excess <= x), "more"),
            f"lower bound {reported[1]!r}, but J is {float(best.value)!r} at {[float(x) for x in best.z]}: "
            f"too high by {excess:.2g} of it",
        )
    if upper - lower > (gap + _ROUNDING) * upper:
        said = f"objective {reported[0]!r} − lower bound {reported[1]!r} exceeds the gap {reported[2]!r}"
        outcome.note("gap smaller than reported bounds", said)
    # the gap is about w: J(w) itself, not the number reported for it, is within it of the lower bound
    if here - lower > (gap + _ROUNDING) * here:
        outcome.note(
            "gap smaller than the truth",
            f"gap {reported[2]:.3g}, but J is {float(here)!r} (reported: {reported[0]!r}) at the fitted point and the "
            f"lower bound {reported[1]!r}: a gap of {float((here - lower) / here):.3g}",
        )
    single = problem.kernel is None and problem.X.dtype == np.float32
    if best.exact and upper < best.value * (1 - gap - _OBJECTIVE[single]):  # the gap counts the error of the objective
        said = f"objective {reported[0]!r} below the exact minimum {float(best.value)!r}"
        outcome.note("objective too small", said)


# Shorter reproductions ------------------------------------------------------------------------------------------------


def shortened(problem: Problem, seconds: float = 20.0) -> Problem:
    """A smaller problem that still fails."""
    end, again = time.monotonic() + seconds, True
    while again:
        again = False
        for smaller in _smaller(problem):
            if time.monotonic() > end:
                return problem
            try:
                fails = bool(check(smaller).wrong)
            except Exception:
                fails = False
            if fails:
                problem, again = smaller, True
                break
    return problem


def _smaller(problem: Problem) -> Iterator[Problem]:
    """Problems with something less: an option, a query, a feature, a document."""
    if problem.path:
        yield from (replace(problem, C=C, path=()) for C in problem.path)
    for name in ("w0", "query_weight", "doc_weight"):
        if getattr(problem, name) is not None:
            yield replace(problem, **{name: None})
    if problem.sparse:
        yield replace(problem, sparse=False)
    if problem.X.dtype == np.float32:
        yield replace(problem, X=problem.X.astype(np.float64))
    for key in problem.options:
        yield replace(problem, options={k: v for k, v in problem.options.items() if k != key})
    if problem.X.shape[1] > 1:
        for j in range(problem.X.shape[1]):
            w0 = None if problem.w0 is None else np.delete(problem.w0, j)
            yield replace(problem, X=np.delete(problem.X, j, axis=1), w0=w0)
    if problem.edges is not None or problem.loss.startswith("consistent-rank"):
        return
    for q in np.unique(problem.qid) if len(problem.ptr) > 2 else []:
        yield _without(problem, problem.qid == q)
    for i in range(len(problem.y)) if len(problem.y) > 1 else []:
        yield _without(problem, np.arange(len(problem.y)) == i)


def _without(problem: Problem, rows: np.ndarray) -> Problem:
    kept = np.isin(np.unique(problem.qid), problem.qid[~rows])
    query_weight = None if problem.query_weight is None else problem.query_weight[kept]
    doc_weight = None if problem.doc_weight is None else problem.doc_weight[~rows]
    return replace(
        problem, X=problem.X[~rows], y=problem.y[~rows], qid=problem.qid[~rows], query_weight=query_weight,
        doc_weight=doc_weight,
    )  # fmt: skip


def as_code(problem: Problem) -> str:
    """The problem as a line of Python."""
    given = []
    for f in fields(problem):
        value = getattr(problem, f.name)
        default = {} if f.name == "options" else f.default
        if isinstance(value, np.ndarray):
            kind = "" if value.dtype != np.float32 else ", np.float32"
            given.append(f"{f.name}=np.array({value.tolist()}{kind})")
        elif f.name == "options":
            if value:
                options = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in value.items()}
                given.append(f"options={options!r}")
        elif value != default:
            given.append(f"{f.name}={value!r}")
    return f"check(Problem({', '.join(given)}))"


# The command ----------------------------------------------------------------------------------------------------------


@dataclass
class Count:
    """What was checked, by solver, loss and decade of C."""

    checked: Counter = field(default_factory=Counter)
    wrong: Counter = field(default_factory=Counter)
    refused: Counter = field(default_factory=Counter)
    certificates: int = 0
    positive: int = 0
    exact: int = 0
    failures: list[tuple[int, Outcome]] = field(default_factory=list)

    def add(self, number: int, outcome: Outcome) -> None:
        """Count one problem."""
        problem = outcome.problem
        decade = f"1e{math.floor(math.log10(problem.C) + 1e-9):+03d}"
        solver = "kernel" if problem.kernel is not None else problem.solver
        self.certificates += outcome.certificates
        self.positive += outcome.positive
        self.exact += outcome.exact
        if outcome.refused:
            self.refused[outcome.refused.split(":")[0][:70]] += 1
        stem = problem.loss.split("@")[0].split(":")[0]
        variant = ":" + problem.loss.split(":")[1] if ":" in problem.loss else ""
        for key in (("solver", solver), ("loss", stem + variant), ("C", decade)):
            self.checked[key] += outcome.certificates
            self.wrong[key] += bool(outcome.wrong)
        if outcome.wrong:
            self.failures.append((number, outcome))


def run(count: int, seed: int, first: int = 0, losses: Sequence[str] = ()) -> Count:
    """So many certificates, from problem number ``first`` on; ``losses``: only of names that begin so."""
    total, number, tried = Count(), first, 0
    while total.certificates < count and tried < 3 * count + 10:
        problem = random_problem(seed, number)
        if problem.loss.startswith(tuple(losses or [""])):
            total.add(number, check(problem))
            tried += 1
        number += 1
    return total


def report(total: Count, seed: int, shown: int = 10) -> None:
    """Print the counts and the failures."""
    for kind in ("solver", "loss", "C"):
        print(f"{kind:<24}{'certificates':>14}{'wrong':>8}")
        keys = [key for key in total.checked if key[0] == kind]
        order = sorted(keys, key=lambda key: (float(key[1]) if kind == "C" else 0, key[1]))
        for key in order:
            print(f"{key[1]:<24}{total.checked[key]:>14}{total.wrong[key]:>8}")
        print()
    for why, n in total.refused.most_common():
        print(f"refused: {n} × {why}")
    for why, n in Counter(outcome.kind for _, outcome in total.failures).most_common():
        print(f"wrong: {n} × {why}")
    for number, outcome in total.failures[:shown]:
        print(f"\nnumber {number} (--seed {seed} --first {number} --count 1)")
        small = shortened(outcome.problem)
        for line in check(small).wrong or outcome.wrong:
            print(f"  {line}")
        print(f"  {as_code(small)}")
    if len(total.failures) > shown:
        print(f"\nand numbers {', '.join(str(n) for n, _ in total.failures[shown:])}")
    print(
        f"\n{total.certificates} certificates, {total.positive} of them above 0, {total.exact} compared with the exact "
        f"minimum: {len(total.failures)} wrong"
    )


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="attacks.certificates", description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=2000, help="how many certificates")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first problem")
    parser.add_argument("--shown", type=int, default=10, help="how many failures are made short and shown")
    parser.add_argument("--losses", nargs="+", default=[], help="only losses whose names begin so: svm sum softmax")
    given = parser.parse_args(arguments)
    began = time.monotonic()
    total = run(given.count, given.seed, given.first, given.losses)
    report(total, given.seed, given.shown)
    print(f"{time.monotonic() - began:.0f} seconds, seed {given.seed}")
    return 1 if total.failures else 0


if __name__ == "__main__":
    sys.exit(main())
