r"""Sum and soft-max hinges: over all outputs of a query instead of the worst one (Riezler & De Bona, Definition 3).

.. math:: \sum_{\pi \ne \pi^*} \bigl(\Delta(\pi) - (F(\pi^*) - F(\pi))\bigr)_+ , \qquad
    \log \sum_\pi \exp\bigl(\Delta(\pi) + F(\pi) - F(\pi^*)\bigr)

with the pairwise maps: F counts pairs of different grade. Outputs are the distinct sequences of a query's grades, each
with its best ranking, every grade in score order. Both dominate the arg-max hinge. They are exact, by enumeration, and
so only for queries with at most a million outputs.
"""

from __future__ import annotations

from math import lgamma
from typing import Any

import numpy as np

from ...errors import InputError
from ..base import Loss, Prepared
from . import enumerated_kernels as kn
from .hinge import PreparedHinge, StructuredHinge

MOST_OUTPUTS = 10**6


def log_outputs(base: PreparedHinge) -> np.ndarray:
    """The logarithm of the number of distinct sequences of grades of each query; 0 where they do not matter."""
    problem, out = base.problem, np.zeros(len(base.ptr) - 1)
    for q in np.flatnonzero(base.informative).tolist():
        firsts = problem.level_first[problem.level_ptr[q] : problem.level_ptr[q + 1]].tolist()
        sizes = np.diff([*firsts, problem.ptr[q + 1]])
        out[q] = lgamma(sizes.sum() + 1) - sum(lgamma(n + 1) for n in sizes.tolist())
    return out


class SumHinge(Loss):
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

    bounds = True

    def __init__(
        self, of: str, k: int | None = None, *, soft: bool = False, gain: str = "exp", rel: float = 1.0,
        threads: int | None = None,
    ) -> None:  # fmt: skip
        A = "partial-order" if of == "ndcg" else "yue"
        self.base = StructuredHinge(of, k, A=A, gain=gain, rel=rel, threads=threads)
        self.soft, self.threads = soft, threads
        self.name = f"{'softmax' if soft else 'sum'}-{of}" + ("" if k is None else f"@{k}")

    @property
    def measure(self) -> str:
        """The measure whose complement the loss bounds."""
        return self.base.measure

    def prepare(self, y: Any, ptr: Any, doc_weight: np.ndarray | None = None) -> PreparedSum:
        """Lay the grades out once for many evaluations; a query with too many outputs is an error."""
        return PreparedSum(self, self.base.prepare(y, ptr))


class PreparedSum(Prepared):
    """A sum over outputs with the grades laid out; call it with scores."""

    def __init__(self, loss: SumHinge, base: PreparedHinge) -> None:
        super().__init__(loss, base.ptr)
        self.base, self.soft, self.informative = base, loss.soft, base.informative
        outputs = log_outputs(base)
        q = int(np.argmax(outputs))
        if outputs[q] > np.log(MOST_OUTPUTS) + 1e-9:
            raise InputError(
                f"{loss.name}: query number {q + 1} has about {np.exp(min(outputs[q], 700)):.2g} outputs, at most "
                f"{MOST_OUTPUTS:,} can be summed; {loss.base.name} takes the worst one and has no such limit"
            )

    def stiffness(self, grad: np.ndarray) -> np.ndarray:
        """That of the hinge it is made from."""
        return self.base.stiffness(grad)

    def part(self, q0: int, q1: int, scores: np.ndarray, values: np.ndarray, grad: np.ndarray) -> None:
        """Queries q0 to q1 − 1 on the calling thread."""
        b = self.base
        kn.over_outputs(
            self.soft,
            b.loss.of == "map",
            b.mode,
            b.discount,
            b.k,
            b.problem,
            scores,
            q0,
            q1,
            values,
            grad,
        )
