"""The words that stand for each other in an alignment of two sequences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def right_words(heard: Sequence[str], said: Sequence[str]) -> list[bool]:
    """For each word that was heard whether it is right, by an alignment with what was said that needs fewest edits.

    >>> right_words(["the", "old", "house"], ["the", "cold", "old", "mouse"])
    [True, True, False]
    """
    return [place >= 0 for place in matching_words(heard, said)]


def matching_words(heard: Sequence[str], said: Sequence[str]) -> list[int]:
    """For each word that was heard the place of the word that was said, −1 where it is wrong: fewest edits."""
    cost = np.zeros((len(heard) + 1, len(said) + 1), np.int64)
    cost[:, 0], cost[0] = np.arange(len(heard) + 1), np.arange(len(said) + 1)
    for i, word in enumerate(heard, 1):
        for j, right in enumerate(said, 1):
            cost[i, j] = min(cost[i - 1, j] + 1, cost[i, j - 1] + 1, cost[i - 1, j - 1] + (word != right))
    place, i, j = [-1] * len(heard), len(heard), len(said)
    while i and j:
        if cost[i, j] == cost[i - 1, j - 1] + (heard[i - 1] != said[j - 1]):
            i, j = i - 1, j - 1
            place[i] = j if heard[i] == said[j] else -1
        elif cost[i, j] == cost[i - 1, j] + 1:
            i -= 1
        else:
            j -= 1
    return place
