"""Places grouped by recordings: a recording's score is a combination of the scores of its places.

best         the score of its best place: other places change nothing
log-sum      log(1 + Σ (exp s − 1)) over places with a positive score s
saturating   s₁ + s₂/2 + s₃/4 + …, positive scores in falling order: at most twice the best

None of them falls when the score of a place rises. Scores of places stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...errors import InputError, nearest
from .ranking import RankedPlace, largest


def _best(scores: np.ndarray) -> float:
    return float(scores[0])


def _log_sum(scores: np.ndarray) -> float:
    most = max(float(scores[0]), 0.0)
    positive = scores[scores > 0]
    return most + float(np.log(np.exp(-most) + np.sum(np.exp(positive - most) - np.exp(-most))))


def _saturating(scores: np.ndarray) -> float:
    positive = scores[scores > 0][:60]
    return float(np.sum(positive * 0.5 ** np.arange(len(positive))))


COMBINATIONS: dict[str, Callable[[np.ndarray], float]] = {
    "best": _best, "log-sum": _log_sum, "saturating": _saturating,
}  # fmt: skip
DEFAULT = "best"


def check_combination(name: str) -> None:
    """Raise InputError if no combination of scores has a name."""
    if name not in COMBINATIONS:
        hint = nearest(name, COMBINATIONS)
        raise InputError(f"combination must be one of {', '.join(COMBINATIONS)}, got {name!r}.{hint}")


def recording_score(scores: Sequence[float] | np.ndarray, combination: str = DEFAULT) -> float:
    """The score of a recording, of those of its places.

    >>> recording_score([1.0, 2.0]), recording_score([1.0, 2.0], "saturating")
    (2.0, 2.5)
    """
    check_combination(combination)
    return COMBINATIONS[combination](np.sort(np.asarray(scores, np.float64))[::-1])


class RankedRecording(NamedTuple):
    """A recording by its number, and its score."""

    recording: int
    score: float


class PlacesByRecording:
    """Places with scores, by recording.

    Args:
        places: by number.
        scores: of each.
        recordings: the recording of each, by number.
        name_of: the name of a recording, which decides between recordings whose best places have the same score.
        combination: what makes the score of a recording.
    """

    def __init__(
        self,
        places: np.ndarray,
        scores: np.ndarray,
        recordings: np.ndarray,
        name_of: Callable[[int], str],
        combination: str = DEFAULT,
    ) -> None:
        check_combination(combination)
        self.places, self.scores, self.recordings = places, np.round(scores, 12), recordings
        self._name_of = name_of
        best = np.full(int(recordings.max(initial=-1)) + 1, -np.inf)
        np.maximum.at(best, recordings, self.scores)
        self.there = np.flatnonzero(best > -np.inf)
        self._best = best[self.there]
        self._combined = self._combine(combination) if combination != DEFAULT and len(self.there) else self._best

    def __len__(self) -> int:
        """How many recordings have a place."""
        return len(self.there)

    def _combine(self, combination: str) -> np.ndarray:
        """The score of each recording that has a place."""
        order = np.argsort(self.recordings, kind="stable")
        ends = np.flatnonzero(np.diff(self.recordings[order])) + 1
        return np.array([round(recording_score(self.scores[own], combination), 12) for own in np.split(order, ends)])

    def best(self, k: int) -> list[RankedRecording]:
        """The k best recordings, the best first; of equal ones that with the better best place."""
        rows = largest(self._combined, k, self._key)
        return [RankedRecording(int(self.there[i]), float(self._combined[i])) for i in rows.tolist()]

    def _key(self, i: int) -> tuple[float, str]:
        """What decides between recordings with equal scores."""
        return -float(self._best[i]), self._name_of(int(self.there[i]))

    def of(self, recording: int) -> list[RankedPlace]:
        """The places of a recording, the best first."""
        rows = np.flatnonzero(self.recordings == recording)
        rows = rows[np.lexsort((self.places[rows], -self.scores[rows]))]
        return list(zip(self.places[rows].tolist(), self.scores[rows].tolist(), strict=True))
