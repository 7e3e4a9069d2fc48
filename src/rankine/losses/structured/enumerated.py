r"""Sum and soft-max hinges: over all outputs of a query instead of the worst one (Riezler & De Bona, Definition 3).

.. math:: \sum_{\pi \ne \pi^*} \bigl(\Delta(\pi) - (F(\pi^*) - F(\pi))\bigr)_+ , \qquad
    \log \sum_\pi \exp\bigl(\Delta(\pi) + F(\pi) - F(\pi^*)\bigr)

with the pairwise maps: F counts pairs of different grade. Outputs are the distinct sequences of a query's grades, each
with its best ranking, every grade in score order. Both dominate the arg-max hinge. They are exact, by enumeration, and
so only for queries with at most a million outputs.
"""

from __future__ import annotations

from math import lgamma

import numpy as np

from ...errors import InputError
from ...rounding import UNIT
from ..base import Theorem
from ..constants import Constants
from ..rounding import Rounding, Seen
from . import enumerated_kernels as kn
from .hinge import PreparedHinge, StructuredHinge
from .wrapped import PreparedWrapped, WrappedHinge

MOST_OUTPUTS = 10**6


def log_outputs(base: PreparedHinge) -> np.ndarray:
    """The logarithm of the number of distinct sequences of grades of each query; 0 where they do not matter."""
    out = np.zeros(len(base.ptr) - 1)
    for q in np.flatnonzero(base.informative).tolist():
        sizes = base.level_sizes(q)
        out[q] = lgamma(sum(sizes) + 1) - sum(lgamma(n + 1) for n in sizes)
    return out


class PreparedSum(PreparedWrapped):
    """A sum over outputs with the grades laid out; call it with scores; a query with too many outputs is an error."""

    def __init__(self, loss: SumHinge, base: PreparedHinge) -> None:
        super().__init__(loss, base)
        self.soft, self.outputs = loss.soft, log_outputs(base)
        q = int(np.argmax(self.outputs))
        if self.outputs[q] > np.log(MOST_OUTPUTS) + 1e-9:
            raise InputError(
                f"{loss.name}: query number {q + 1} has about {np.exp(min(self.outputs[q], 700)):.2g} outputs, at most "
                f"{MOST_OUTPUTS:,} can be summed; {loss.base.name} takes the worst one and has no such limit"
            )

    def evaluate(self, q0: int, q1: int, scores: np.ndarray, values: np.ndarray, grad: np.ndarray) -> None:
        """Queries q0 to q1 − 1 on the calling thread."""
        b = self.base
        kn.over_outputs(
            self.soft, b.loss.of == "map", b.mode, b.discount, b.k, b.problem, scores, q0, q1, values, grad
        )  # fmt: skip

    def rounding(self, q0: int, q1: int, seen: Seen) -> Rounding:
        """Each output is off like a hinge; a sum adds that up, a soft maximum is off by at most the worst output."""
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
        threads: by default one per core.

    >>> SumHinge("ndcg").value_and_grad([0.0, 0.0], y=[1, 0], ptr=[0, 2])[0].round(4)
    array([0.3691])
    """

    prepared = PreparedSum

    def __init__(
        self, of: str, k: int | None = None, *, soft: bool = False, gain: str = "exp", rel: float = 1.0,
        threads: int | None = None,
    ) -> None:  # fmt: skip
        A = "partial-order" if of == "ndcg" else "yue"
        name = f"{'softmax' if soft else 'sum'}-{of}" + ("" if k is None else f"@{k}")
        super().__init__(StructuredHinge(of, k, A=A, gain=gain, rel=rel, threads=threads), name)
        self.of, self.k, self.soft, self.gain, self.rel = of, k, soft, gain, rel
        self.theorem = None if soft else Theorem("relevant" if of == "map" else "rankings")
