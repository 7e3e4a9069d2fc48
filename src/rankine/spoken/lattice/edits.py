"""The edit distance of two sequences."""

from __future__ import annotations

from collections.abc import Sequence


def edit_distance(hypothesis: Sequence[str], reference: Sequence[str]) -> int:
    """The fewest insertions, deletions and substitutions.

    >>> edit_distance("the cat sat".split(), "a cat sat down".split())
    2
    """
    row = list(range(len(reference) + 1))
    for i, word in enumerate(hypothesis, 1):
        diagonal, row[0] = row[0], i
        for j, right in enumerate(reference, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (word != right))
    return row[-1]
