r"""How much words that follow each other count, learned from few judged queries.

Archives differ most in what their users ask for. Some type phrases, others words of which any will do. So one number
is learned: the weights of pairs of neighbouring words (columns that end in ``-pair``) are multiplied by :math:`e^{t}`.
All other weights stay where they begin. The number is the best of a few steps by

.. math:: \max_t \frac1n \sum_q \mathrm{AP}_q(t) - \frac{\lambda}{n} t^2

To learn weights of words, parts and sounds too, or of what joins two words, cost more than 0.01 on queries that were
not seen in the worst of many draws of ten queries. This number costs little anywhere (`rankine experiment search`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...data.ranking_data import RankingData
from ...measures import evaluate
from .classes import feature_of

STEPS = (-1.0, -0.5, 0.0, 0.5, 1.0, 1.5)
PENALTY = 0.02
LEAST = 0.01  # a smaller weight is raised from here


def multiplied(names: Sequence[str], weights: np.ndarray, log: float) -> np.ndarray:
    """The weights, with those of pairs multiplied.

    >>> multiplied(["heard-several-word", "heard-several-word-pair"], np.array([1.0, 0.5]), np.log(2.0)).tolist()
    [1.0, 1.0]
    """
    out = np.array(weights, np.float64)
    rows = [i for i, name in enumerate(names) if feature_of(name).endswith("-pair")]
    out[rows] = np.exp(log) * (np.maximum(out[rows], LEAST) if log > 0 else out[rows])
    return out


class NeighbourRanker:
    """Weights of evidence that differ from ``start`` in how much words that follow each other count."""

    def __init__(self, start: np.ndarray) -> None:
        self.start = np.asarray(start, np.float64)

    def fit(self, data: RankingData) -> NeighbourRanker:
        """Learn from judged queries; of equally good steps the smallest is taken."""
        names = list(map(str, data.feature_names or ()))
        X = np.asarray(data.X, np.float64)

        def objective(log: float) -> float:
            scores = X @ multiplied(names, self.start, log)
            mean = float(evaluate("AP", data.y, scores, data.qid).mean["AP"])
            return mean - PENALTY / data.n_queries * log * log

        self.log_ = max(sorted(STEPS, key=abs), key=lambda log: round(objective(log), 9))
        self.coef_ = multiplied(names, self.start, self.log_)
        return self

    def predict(self, data: RankingData) -> np.ndarray:
        """Scores."""
        return np.asarray(data.X, np.float64) @ self.coef_

    def get_params(self) -> dict[str, Any]:
        """What is noted with the weights."""
        return {"log of pairs": self.log_}
