"""What learning comes to: the measure before and after on queries it did not see, and the weights in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ...measures.compare import mean_interval, wilcoxon
from ...measures.resampling import randomisation
from .classes import feature_of
from .learning import IN_USE, SHIPPED, CrossValidation
from .weights import Weights, is_evidence

CONFIDENCE = 0.95
SEED = 0  # of the interval and of the test
_SAME = 0.005  # by so much a ratio of weights may differ from 1
_LISTED = 3
_GROUPS = {  # of features of evidence, by the last part of their names and by their beginning
    "words": lambda f: f == "word",
    "parts of words": lambda f: f.startswith("part-") and f.endswith(("-all", "-share")),
    "sounds": lambda f: f.startswith("sound-") and f.endswith(("-all", "-share")),
    "words that follow each other": lambda f: f.endswith("-pair"),
    "what joins two words": lambda f: f.endswith("-join"),
}

_AS_BEFORE = "everything counts as before"


class QueryChange(NamedTuple):
    """A query, its text, and its AP before and after."""

    query: str
    text: str
    before: float
    after: float


class LearningVerdict(NamedTuple):
    """How learned weights do on queries that they were not learned from, against the shipped weights or those in use.

    ``baseline`` says which these are: the better of both, as if they had not seen the queries either. ``difference`` is
    the mean of after − before, ``low`` and ``high`` its interval (bootstrap, BCa), ``p`` is that of the paired
    randomisation test and ``wilcoxon`` that of Wilcoxon's; ``queries`` are sorted by their change, those that won most
    first. ``words`` say how the weights change, a sentence each.
    """

    measure: str
    baseline: str
    before: float
    after: float
    difference: float
    low: float
    high: float
    p: float
    wilcoxon: float
    won: int
    equal: int
    lost: int
    queries: tuple[QueryChange, ...]
    words: tuple[str, ...]

    @property
    def changes_nothing(self) -> bool:
        """Whether no query was won or lost, and each kind of evidence counts as before."""
        return self.won == self.lost == 0 and self.words == (_AS_BEFORE,)

    def summary(self) -> dict[str, float | int | str]:
        """What is kept with the weights."""
        return {
            "measure": self.measure, "baseline": self.baseline, "before": self.before, "after": self.after,
            "low": self.low, "high": self.high, "p": self.p, "won": self.won, "equal": self.equal, "lost": self.lost,
        }  # fmt: skip

    def __str__(self) -> str:
        return (
            f"mean {self.measure} {self.before:.4f} → {self.after:.4f} ({self.difference:+.4f}, {CONFIDENCE:.0%} "
            f"interval [{self.low:+.4f}, {self.high:+.4f}], p = {self.p:.2g}) on queries it did not see; "
            f"{self.won} won, {self.equal} equal, {self.lost} lost"
        )


def baseline_of(trial: CrossValidation) -> str:
    """Return the name of the better of the shipped weights and those in use."""
    return max((name for name in (SHIPPED, IN_USE) if name in trial.precision), key=lambda n: trial.precision[n].mean())


def learning_verdict(
    trial: CrossValidation, before: Weights, after: Weights, texts: Mapping[str, str]
) -> LearningVerdict:
    """The verdict on weights that were learned and tested; ``texts`` are those of the queries, by name."""
    baseline = baseline_of(trial)
    x, y = trial.precision[baseline], trial.precision[after.ranker]
    d = y - x
    d[np.abs(d) < 1e-12] = 0.0
    low, high = mean_interval(d, CONFIDENCE, SEED)
    rows = [
        QueryChange(name, texts.get(name, name), float(b), float(a))
        for name, b, a in zip(trial.query_ids, x, y, strict=True)
    ]
    rows.sort(key=lambda row: (row.before - row.after, row.query))
    return LearningVerdict(
        "AP", baseline, float(x.mean()), float(y.mean()), float(d.mean()), low, high,
        float(randomisation(d[None], SEED)[0]), wilcoxon(d), int((d > 0).sum()), int((d == 0).sum()),
        int((d < 0).sum()), tuple(rows), tuple(weight_changes(before, after)),
    )  # fmt: skip


def weight_changes(before: Weights, after: Weights) -> list[str]:
    """How weights differ, a sentence each.

    >>> old = Weights(("heard-several-word", "heard-several-word-pair"), (1.0, 0.5), None, "x", {})
    >>> new = Weights(("heard-several-word", "heard-several-word-pair"), (1.0, 1.0), None, "x", {})
    >>> weight_changes(old, new)
    ['words that follow each other count 2.00 times as much as before', 'all else counts as before']
    """
    if not all(map(is_evidence, (*before.names, *after.names))) or before.normalise or after.normalise:
        largest = sorted(after.by_name.items(), key=lambda item: -abs(item[1]))[:_LISTED]
        listed = ", ".join(f"{name} ({value:+.3f})" for name, value in largest)
        return [f"the weights are of other weak rankers, or on another scale, than before; the largest are {listed}"]
    sums = {group: [_sum(weights, group) for weights in (before, after)] for group in _GROUPS}
    changes = [line for group, (old, new) in sums.items() if (line := _change(group, old, new))]
    same = len(changes) < sum(old > 0 or new > 0 for old, new in sums.values())
    return [*changes, *(["all else counts as before" if changes else _AS_BEFORE] if same else [])]


def _sum(weights: Weights, group: str) -> float:
    return sum(value for name, value in weights.by_name.items() if _GROUPS[group](feature_of(name)))


def _change(group: str, old: float, new: float) -> str:
    """What changes in a group of features; empty where nothing does."""
    if abs(new - old) <= _SAME * max(abs(old), abs(new)):
        return ""
    if old <= 0 or new <= 0:
        return f"{group} had the weight {old:+.3f} and have {new:+.3f} now"
    return f"{group} count {new / old:.2f} times as much as before"
