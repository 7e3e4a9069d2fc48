r"""How much words that follow each other count, learned from few judged queries.

Archives differ most in what their users ask for. Some type phrases, others words of which any will do. So two numbers
are learned: the weights of *pairs* of neighbouring words (columns that end in ``-pair``), and of what *joins* them
(``-join``), are multiplied by :math:`e^{a}` and :math:`e^{b}`. All other weights stay where they begin. The two are

.. math:: \max_{a, b} \frac1n \sum_q \mathrm{AP}_q(a, b) - \frac{\lambda}{n} (a^2 + b^2)

over a few steps, one number at a time until nothing is gained. With few queries only steps up are tried: shipped
weights of pairs are bounded, so that two words do not decide a long query, and the queries say where that is too low.

Weights of words, parts and sounds are left alone. To learn them too gained less on queries that were not seen, from ten
judged queries as well as from a hundred and fifty (`rankine experiment search`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...data import RankingData
from ...measures import evaluate
from .classes import feature_of

GROUPS = ("-pair", "-join")
STEPS_UP = (0.0, 0.5, 1.0)
STEPS = (-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5)
MANY = 20  # queries from which all steps are tried
PENALTY = 0.02
LEAST = 0.01  # a smaller weight is raised from here
SWEEPS = 3
_GAIN = 1e-9


def multiplied(names: Sequence[str], weights: np.ndarray, logs: Sequence[float]) -> np.ndarray:
    """The weights, with those of each group multiplied.

    >>> multiplied(["heard-several-word", "heard-several-word-pair"], np.array([1.0, 0.5]), (np.log(2.0), 0.0)).tolist()
    [1.0, 1.0]
    """
    out = np.array(weights, np.float64)
    for end, log in zip(GROUPS, logs, strict=True):
        rows = [i for i, name in enumerate(names) if feature_of(name).endswith(end)]
        out[rows] = np.exp(log) * (np.maximum(out[rows], LEAST) if log > 0 else out[rows])
    return out


def best_steps(objective: Callable[[tuple[float, ...]], float], steps: Sequence[float], n: int) -> tuple[float, ...]:
    """One number at a time is set to the step that raises the objective most, from zeros, until none does."""
    at = (0.0,) * n
    best = objective(at)
    for _ in range(SWEEPS):
        before = at
        for i in range(n):
            for step in steps:
                trial = (*at[:i], step, *at[i + 1 :])
                value = objective(trial)
                if value > best + _GAIN:
                    at, best = trial, value
        if at == before:
            break
    return at


class NeighbourRanker:
    """Weights of evidence that differ from ``start`` in how much words that follow each other count."""

    def __init__(self, start: np.ndarray) -> None:
        self.start = np.asarray(start, np.float64)

    def fit(self, data: RankingData) -> NeighbourRanker:
        """Learn from judged queries."""
        names = list(map(str, data.feature_names or ()))
        X = np.asarray(data.X, np.float64)
        values: dict[tuple[float, ...], float] = {}

        def objective(logs: tuple[float, ...]) -> float:
            if logs not in values:
                scores = X @ multiplied(names, self.start, logs)
                mean = evaluate("AP", data.y, scores, data.qid).mean["AP"]
                values[logs] = mean - PENALTY / data.n_queries * float(np.square(logs).sum())
            return values[logs]

        steps = STEPS_UP if data.n_queries < MANY else STEPS
        self.logs_ = best_steps(objective, steps, len(GROUPS))
        self.coef_ = multiplied(names, self.start, self.logs_)
        return self

    def predict(self, data: RankingData) -> np.ndarray:
        """Scores."""
        return np.asarray(data.X, np.float64) @ self.coef_

    def get_params(self) -> dict[str, Any]:
        """What is noted with the weights."""
        return {end.strip("-"): log for end, log in zip(GROUPS, self.logs_, strict=True)}
