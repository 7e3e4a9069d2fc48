r"""Sum and soft-max hinges: over all outputs of a query instead of the worst one (Riezler & De Bona, Definition 3).

.. math:: \sum_{\pi \ne \pi^*} x_\pi^+ , \qquad \log \sum_\pi \exp x_\pi , \qquad
    x_\pi = \Delta(\pi) - (F(\pi^*) - F(\pi))

with the pairwise maps: F counts pairs of different grade. Outputs are the distinct sequences of a query's grades, each
with its best ranking, every grade in score order. Both are exact, by enumeration, for queries with at most ``limit``
outputs. With the arg-max hinge :math:`\xi = \max_\pi x_\pi` and N outputs, among them π* with x = 0,

.. math:: \xi \le \sum_{\pi \ne \pi^*} x_\pi^+ \le (N - 1)\,\xi , \qquad
    \xi \le \log \sum_\pi \exp x_\pi \le \xi + \log N .

So ξ, which has no limit, may stand in for a query with more outputs (``long="argmax"``): it is a lower bound of what it
stands for, and still bounds 1 − measure from above. It is smaller than a sum by as much as a factor of N − 1, so such a
query weighs little beside one that is just within the limit; of a soft maximum it is short by log N at most. Outputs
that are drawn (``long="sample"``), each sequence of grades equally likely and none twice, give a lower bound too: terms
are left out that are not negative. Over the draws, at fixed scores, its mean is the sum times a constant. But it bounds
no measure, for the predicted ranking may not be among the draws.
"""

from __future__ import annotations

from functools import lru_cache
from math import lgamma
from typing import Any

import numpy as np

from ...errors import InputError
from ...rounding import UNIT
from ..base import Bounded, Loss, Rounding, Seen, Theorem
from ..constants import Constants
from ..supervision import check_ptr
from . import enumerated_kernels as kn
from .hinge import PreparedHinge, StructuredHinge
from .wrapped import PreparedWrapped, WrappedHinge

MOST_OUTPUTS, SAMPLES = 10**6, 1000
LONG = ("argmax", "sample", "error")


def log_outputs(base: PreparedHinge) -> np.ndarray:
    """The logarithm of the number of distinct sequences of grades of each query; 0 where they do not matter."""
    out = np.zeros(len(base.ptr) - 1)
    for q in np.flatnonzero(base.informative).tolist():
        sizes = base.level_sizes(q)
        out[q] = lgamma(sum(sizes) + 1) - sum(lgamma(n + 1) for n in sizes)
    return out


@lru_cache(maxsize=64)
def drawn_outputs(sizes: tuple[int, ...], samples: int, seed: int) -> np.ndarray:
    """Distinct sequences of levels (0 is the best) other than the perfect one, a row each, from so many draws.

    Every sequence is equally likely. What is drawn depends on the sizes of the levels and on the seed, on nothing else:
    not on scores, not on the order of rows or queries, not on the other queries.

    >>> drawn_outputs((1, 2), 100, 0)
    array([[1, 0, 1],
           [1, 1, 0]], dtype=uint8)
    """
    perfect = np.repeat(np.arange(len(sizes)), sizes).astype(np.min_scalar_type(len(sizes)))
    rng = np.random.default_rng([seed, *sizes])
    draws = np.unique(rng.permuted(np.tile(perfect, (samples, 1)), axis=1), axis=0)
    return draws[(draws != perfect).any(axis=1)]


class PreparedSum(PreparedWrapped):
    """A sum over outputs with the grades laid out; call it with scores.

    ``long`` are the numbers of the queries with more outputs than the limit, ``outputs`` the logarithm of how many are
    summed, for each query: all, those that were drawn, or the worst alone.
    """

    def __init__(self, loss: SumHinge, base: PreparedHinge) -> None:
        super().__init__(loss, base)
        self.soft, self.outputs = loss.soft, log_outputs(base)
        self.long = loss.too_long(self.outputs)
        self.count = np.zeros(len(self.ptr) - 1, np.int64)  # of the outputs that were drawn; 0: all, −1: the worst
        self.first = np.zeros(len(self.ptr) - 1, np.int64)
        self.drawn = np.empty(0, np.uint8)
        if loss.long == "error" and len(self.long):
            loss.refuse(self.outputs, self.long, None)
        if loss.long == "sample":
            self._draw(loss)
        else:
            self.count[self.long], self.outputs[self.long] = -1, 0.0

    def _draw(self, loss: SumHinge) -> None:
        """Lay the drawn outputs of long queries out; queries with levels of equal sizes share them."""
        places: dict[tuple[int, ...], tuple[int, int]] = {}
        parts, end = [], 0
        for q in self.long.tolist():
            sizes = tuple(self.base.level_sizes(q))
            if sizes not in places:
                draws = drawn_outputs(sizes, loss.samples, loss.seed)
                places[sizes] = end, len(draws)
                parts.append(draws.ravel())
                end += draws.size
            self.first[q], self.count[q] = places[sizes]
            self.outputs[q] = np.log(1 + self.count[q])
        if parts:
            self.drawn = np.concatenate(parts)

    @property
    def theorem(self) -> Theorem | None:
        """The published bound is of a sum over all outputs: it does not apply where a query has too many."""
        return None if len(self.long) else self.loss.theorem

    def evaluate(self, q0: int, q1: int, scores: np.ndarray, values: np.ndarray, grad: np.ndarray) -> None:
        """Queries q0 to q1 − 1 on the calling thread."""
        b = self.base
        kn.over_outputs(
            self.soft, b.loss.of == "map", b.mode, b.discount, b.k, b.problem, scores, self.first, self.count,
            self.drawn, q0, q1, values, grad,
        )  # fmt: skip
        for q in np.flatnonzero(self.count[q0:q1] < 0).tolist():
            b.evaluate(q0 + q, q0 + q + 1, scores, values, grad)

    def rounding(self, q0: int, q1: int, seen: Seen) -> Rounding:
        """Each output is off like a hinge; a sum adds that up, a soft maximum is off by at most the worst output."""
        out, worst = self._summed(q0, q1, seen), self.count[q0:q1] < 0
        if not worst.any():
            return out
        return Rounding(*(np.where(worst, a, b) for a, b in zip(self.base.rounding(q0, q1, seen), out, strict=True)))

    def _summed(self, q0: int, q1: int, seen: Seen) -> Rounding:
        m, counts = self.lengths[q0:q1], self.informative[q0:q1]
        weights, steep = (x[q0:q1] for x in self.base.reach())
        outputs = np.exp(self.outputs[q0:q1]) + 8
        each = 8 * UNIT * (m + 8) * (2 + weights * seen.largest)
        if not self.soft:
            value = outputs * each + 2 * UNIT * outputs * seen.value
            return Rounding(value * counts, outputs * 4 * UNIT * (outputs + 8) * weights, outputs * steep)
        share = 2 * each + 8 * UNIT * (2 * outputs + np.minimum(2 * weights * seen.largest, 800))
        return Rounding((share + 8 * UNIT * (seen.value + 1)) * counts, 2 * share * (weights + 1) * counts, steep)

    def constants(self) -> Constants:
        """Those of the hinge: times the number of outputs, or for the soft maximum plus its logarithm."""
        constants = self.base.constants()
        if self.soft:
            return constants._replace(base=constants.base + self.outputs)
        return constants._replace(log_times=self.outputs)


class SumHinge(WrappedHinge):
    """The sum (or ``soft`` maximum) of the hinges of all outputs, of one minus nDCG@k or AP.

    Args:
        of: ``"ndcg"`` or ``"map"``.
        k: the cutoff of nDCG.
        soft: the logarithm of the sum of exponentials instead of the sum of hinges.
        gain: of nDCG: ``"exp"`` or ``"linear"``.
        rel: the lowest grade that is relevant, for AP.
        long: what a query with more outputs than ``limit`` counts: ``"argmax"`` the worst output alone, which keeps
            every guarantee; ``"sample"`` outputs that are drawn once, regardless of scores; ``"error"`` is an error.
        limit: the most outputs that are summed.
        samples: how many outputs are drawn for a long query.
        seed: of the draws.
        threads: by default one per core.

    >>> SumHinge("ndcg").value_and_grad([0.0, 0.0], y=[1, 0], ptr=[0, 2])[0].round(4)
    array([0.3691])
    """

    prepared = PreparedSum

    def __init__(
        self, of: str, k: int | None = None, *, soft: bool = False, gain: str = "exp", rel: float = 1.0,
        long: str = "argmax", limit: int = MOST_OUTPUTS, samples: int = SAMPLES, seed: int = 0,
        threads: int | None = None,
    ) -> None:  # fmt: skip
        A = "partial-order" if of == "ndcg" else "yue"
        if long not in LONG:
            raise InputError(f"long must be one of {', '.join(LONG)}; got {long!r}")
        for what, number, least in (("limit", limit, 1), ("samples", samples, 1), ("seed", seed, 0)):
            if not isinstance(number, (int, np.integer)) or isinstance(number, bool) or number < least:
                raise InputError(f"{what} must be a whole number, at least {least}; got {number!r}")
        name = f"{'softmax' if soft else 'sum'}-{of}" + ("" if k is None else f"@{k}")
        hinge = StructuredHinge(of, k, A=A, gain=gain, rel=rel, threads=threads)
        super().__init__(hinge, name if long == "argmax" else f"{name}:{long}")
        self.of, self.k, self.soft, self.gain, self.rel = of, k, soft, gain, rel
        self.long, self.limit, self.samples, self.seed = long, limit, samples, seed
        self.advice = "Try listmle or ranksvm-l2"
        self.theorem = None if soft else Theorem("relevant" if of == "map" else "rankings")

    @property
    def bounded(self) -> Bounded | None:
        """What the hinge bounds; nothing where long queries are sampled."""
        return None if self.long == "sample" else self.base.bounded

    def dominating(self) -> Loss:
        """The same with the arg-max hinge for long queries: a sample of outputs bounds no measure."""
        return self.with_options(long="argmax") if self.long == "sample" else self

    def too_long(self, outputs: np.ndarray) -> np.ndarray:
        """The numbers of the queries with more outputs than the limit, from the logarithms of their numbers."""
        return np.flatnonzero(outputs > np.log(self.limit) + 1e-9)

    def remark(self, y: Any, ptr: Any, ids: Any) -> str:
        """Which queries are too long, and what they count instead; an error where that is asked for."""
        outputs = log_outputs(self.base.prepare(y, check_ptr(ptr)))
        long = self.too_long(outputs)
        if not len(long):
            return ""
        if self.long == "error":
            self.refuse(outputs, long, ids)
        names = ", ".join(str(ids[q]) for q in long[:_NAMED]) + (", …" if len(long) > _NAMED else "")
        return (
            f"{len(long)} of {len(outputs)} queries are too long for {self.name}, with more than {self.limit:,} "
            f"outputs: {names}. {self._instead()}"
        )

    def _instead(self) -> str:
        """What long queries count, in a sentence."""
        what = "soft maximum" if self.soft else "sum"
        if self.long == "sample":
            return (
                f"Each counts at most {self.samples:,} outputs, drawn with seed {self.seed} regardless of scores: a "
                f"lower bound of its {what}. Objective and gap are those of this sampled problem"
            )
        return (
            f"Each counts its worst output alone ({self.base.name} with A={self.base.A!r}), a lower bound of its "
            f"{what}. long='sample' (:sample) draws outputs instead, long='error' (:error) refuses such data"
        )

    def refuse(self, outputs: np.ndarray, long: np.ndarray, ids: Any) -> None:
        """Raise the error that names the longest query."""
        q = int(long[np.argmax(outputs[long])])
        name = f"query number {q + 1}" if ids is None else f"query {ids[q]}"
        raise InputError(
            f"{self.name}: {len(long)} of {len(outputs)} queries have more than {self.limit:,} outputs; {name} has "
            f"about 10^{outputs[q] / np.log(10):.0f}. {self.name.removesuffix(':error')} takes the worst output for "
            "these"
        )


_NAMED = 5  # queries that a remark names
