"""Solvers, and the table of them. They see an oracle and know no ranking.

Each row says what its solver needs of an oracle, beside ``value_grad``; an oracle says in ``offers`` what it has.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from ..errors import InputError, unknown
from .bundle import bundle
from .cccp import cccp
from .certificate import ConvergenceWarning, Solution
from .cutting_plane import cutting_plane
from .newton import lbfgs, newton
from .sgd import sgd
from .subgradient import conjugate_subgradient, subgradient

__all__ = ["NEEDS", "TABLE", "ConvergenceWarning", "Solution", "SolverRow", "choose", "names"]

NEEDS = {
    "smooth": "a gradient everywhere",
    "hvp": "a Hessian",
    "minibatch": "a sum over queries that can be evaluated a few at a time",
    "touching": "a convex bound that touches it (…:tight, target='best')",
    "dual": "planes of single queries, with inner products of features",
}


class SolverRow(NamedTuple):
    """A solver, what it is in one line, what it needs of an oracle, and whether it can do without convexity."""

    run: Callable[..., Solution]
    explanation: str
    needs: tuple[str, ...] = ()
    not_convex: bool = False


TABLE = {
    "bundle": SolverRow(bundle, "cutting planes of the whole objective with a line search; any convex loss"),
    "newton": SolverRow(newton, "truncated Newton steps; losses with a Hessian", ("hvp",)),
    "lbfgs": SolverRow(lbfgs, "SciPy's L-BFGS; differentiable losses", ("smooth",)),
    "sgd": SolverRow(sgd, "stochastic gradient descent, one query at a time; any convex loss", ("minibatch",)),
    "cutting-plane": SolverRow(cutting_plane, "the n-slack dual, for features of one scale; convex losses", ("dual",)),
    "cccp": SolverRow(cccp, "convex problems one after the other; differences of convex losses", ("touching",), True),
    "subgradient": SolverRow(subgradient, "subgradient descent with backtracking; any loss", (), True),
    "conjugate": SolverRow(conjugate_subgradient, "the same with conjugate directions; any loss", (), True),
}


def names() -> list[str]:
    """The solvers by name, and ``auto``."""
    return ["auto", *TABLE]


def choose(name: str, loss: str, offers: Collection[str], convex: bool) -> str:
    """The solver asked for, or with ``"auto"`` the one that fits; an error that names both sides if it does not fit.

    Args:
        name: of a solver, or ``"auto"``.
        loss: what the loss is called.
        offers: what the oracle can be asked for.
        convex: whether the loss is convex.

    >>> choose("auto", "ranksvm", offers=(), convex=True)
    'bundle'
    >>> choose("newton", "ranksvm", offers=(), convex=True)
    Traceback (most recent call last):
    rankine.errors.InputError: solver='newton' needs a loss with a Hessian, which ranksvm has not: use ...
    """
    if not isinstance(name, str) or name not in names():
        raise unknown("solver", name, names())
    if name == "auto":
        if not convex:
            return "cccp" if "touching" in offers else "subgradient"
        return "newton" if "hvp" in offers else "lbfgs" if "smooth" in offers else "bundle"
    fitting = [n for n, row in TABLE.items() if set(row.needs) <= set(offers) and (convex or row.not_convex)]
    row = TABLE[name]
    if not convex and not row.not_convex:
        raise InputError(f"{loss} is not convex, solver={name!r} needs a convex loss: use {', '.join(fitting)}")
    absent = [NEEDS[need] for need in row.needs if need not in offers]
    if absent:
        raise InputError(
            f"solver={name!r} needs a loss with {absent[0]}, which {loss} has not: use solver="
            + ", ".join(f"'{n}'" for n in fitting)
        )
    return name
