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


def recording_score(scores: Sequence[float] | np.ndarray, combination: str = DEFAULT) -> float:
    """The score of a recording, of those of its places.

    >>> recording_score([1.0, 2.0]), recording_score([1.0, 2.0], "saturating")
    (2.0, 2.5)
    """
    if combination not in COMBINATIONS:
        hint = nearest(combination, COMBINATIONS)
        raise InputError(f"combination must be one of {', '.join(COMBINATIONS)}, got {combination!r}.{hint}")
    return COMBINATIONS[combination](np.sort(np.asarray(scores, np.float64))[::-1])


class GroupedPlace(NamedTuple):
    """A place with its score, and the rank and score of its recording."""

    place: int
    score: float
    recording_rank: int
    recording_score: float


def grouped(
    ranking: Sequence[tuple[int, float]],
    recordings: Sequence[int],
    k: int,
    per_recording: int,
    combination: str = DEFAULT,
) -> list[GroupedPlace]:
    """The k best recordings, each with its best places, at most ``per_recording``.

    Args:
        ranking: all places with their scores, the best first.
        recordings: the recording of each, by number.
        k: how many recordings.
        per_recording: how many places of each.
        combination: what makes the score of a recording; of equal ones the best place's rank decides.
    """
    if per_recording < 1:
        raise InputError(f"per_recording must be at least 1, got {per_recording}")
    places: dict[int, list[tuple[int, float]]] = {}
    for pair, recording in zip(ranking, recordings, strict=True):
        places.setdefault(recording, []).append(pair)
    scores = {r: round(recording_score([s for _, s in own], combination), 12) for r, own in places.items()}
    best = sorted(places, key=lambda r: -scores[r])[:k]  # stable: in order of their best places
    return [
        GroupedPlace(place, score, rank, scores[recording])
        for rank, recording in enumerate(best, 1)
        for place, score in places[recording][:per_recording]
    ]


class RecordingGroups(NamedTuple):
    """How many places of each recording a search returns, and what makes the score of a recording."""

    per_recording: int
    combination: str = DEFAULT
