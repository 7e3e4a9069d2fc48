"""The constants of a loss on given judgments, from which its bounds are made: how steep it is, how large it can be."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..errors import InputError
from ..losses.base import Loss
from ..losses.pairwise import PositionSensitive, RankSVM, levels_of
from ..losses.structured import hinge_kernels as kn
from ..losses.structured.enumerated import SumHinge, log_outputs
from ..losses.structured.hinge import PreparedHinge, StructuredHinge
from ..losses.structured.slack import SlackHinge
from ..losses.structured.tight import TightHinge
from .bounds import count_pairs, reach_of_levels, reach_of_weights, weighted_pairs

HAVE_RESULTS = (
    "position-sensitive, ranksvm, svm-ndcg, svm-map, svm-p@k, svm-rr (also :tight and :slack), sum-ndcg, sum-map, "
    "softmax-ndcg, softmax-map"
)


class Structure(NamedTuple):
    """Of each query: the largest norm ``l2`` of the loss's gradient by the scores; its largest value is
    ``base`` + ``l1`` · (the largest |score|); both times exp(``log_times``).
    """

    l2: np.ndarray
    l1: np.ndarray
    base: np.ndarray
    log_times: np.ndarray
    sizes: list[list[int]]  # of each query's levels, best first

    def log_largest(self, log_score: float) -> float:
        """The logarithm of the largest loss of any query while no score is larger than exp(``log_score``)."""
        with np.errstate(divide="ignore"):
            return float((np.logaddexp(np.log(self.base), np.log(self.l1) + log_score) + self.log_times).max())


def structure(loss: Loss, y: np.ndarray, ptr: np.ndarray) -> Structure:
    """The constants of a loss; an error if there is no result for it."""
    if isinstance(loss, (PositionSensitive, RankSVM)) and not loss.name.startswith("ranksvm-l2"):
        return _of_pairs(loss, y, ptr)
    if isinstance(loss, SumHinge):
        found = _of_hinge(loss.base.prepare(y, ptr), free_target=False)
        outputs = log_outputs(loss.base.prepare(y, ptr))
        return found._replace(base=found.base + outputs) if loss.soft else found._replace(log_times=outputs)
    if isinstance(loss, SlackHinge):
        return _of_hinge(loss.base.prepare(y, ptr), free_target=False)
    if isinstance(loss, TightHinge):
        found = _of_hinge(loss.base.prepare(y, ptr), free_target=True)
        return found if loss.perfect else found._replace(l1=np.zeros_like(found.l1))
    if isinstance(loss, StructuredHinge):
        return _of_hinge(loss.prepare(y, ptr), free_target=False)
    raise InputError(f"no risk bound is known for the loss {loss.name}. There are some for: {HAVE_RESULTS}")


def level_sizes(y: np.ndarray, ptr: np.ndarray) -> list[list[int]]:
    """How many documents of each query have each of its grades, best grade first."""
    level, n_levels = levels_of(np.asarray(y, np.float64), ptr)
    return [
        np.bincount(level[a:b], minlength=n)[::-1].tolist()
        for a, b, n in zip(ptr[:-1].tolist(), ptr[1:].tolist(), n_levels.tolist(), strict=True)
    ]


def _of_pairs(loss: PositionSensitive | RankSVM, y: np.ndarray, ptr: np.ndarray) -> Structure:
    """A document pulls one way for the active pairs in which it is better, the other way for the others."""
    sizes = level_sizes(y, ptr)
    found = []
    for query in sizes:
        below, above, squares = sum(query), 0, 0
        for size in query:
            below -= size
            squares += size * max(below, above) ** 2
            above += size
        pairs = count_pairs(query)
        margins = weighted_pairs(query) if isinstance(loss, PositionSensitive) else pairs
        over = max(pairs, 1) if loss.norm else 1
        found.append((squares**0.5 / over, 2 * pairs / over, margins / over))
    l2, l1, base = np.array(found, float).T
    return Structure(l2, l1, base, np.zeros(len(sizes)), sizes)


def _of_hinge(base: PreparedHinge, *, free_target: bool) -> Structure:
    """Structural hinges: A(π) against the target's A, which for the tighter bounds is any ranking's too."""
    problem, ptr = base.problem, base.ptr
    sizes, reach = [], np.zeros((2, len(ptr) - 1))
    for q in range(len(ptr) - 1):
        lo, hi = int(ptr[q]), int(ptr[q + 1])
        firsts = problem.level_first[problem.level_ptr[q] : problem.level_ptr[q + 1]].tolist()
        sizes.append(np.diff([*firsts, hi]).tolist() if base.informative[q] else [hi - lo])
        if not base.informative[q]:
            continue
        A = np.empty(hi - lo)
        norm = kn.fill_weights(base.mode, base.table, base.k, hi - lo, sizes[q][0], hi - lo, A)
        if norm > 0:
            reach[:, q] = reach_of_levels(sizes[q], norm, free_target)
        else:
            reach[:, q] = reach_of_weights(A.tolist(), None if free_target else problem.target[lo:hi].tolist())
    return Structure(reach[0], reach[1], np.ones(len(sizes)), np.zeros(len(sizes)), sizes)
