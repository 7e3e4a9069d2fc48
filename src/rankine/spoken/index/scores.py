"""The weak rankers of an archive: {PSPL, CN} × {1, 2, 3}-grams × kinds of units, each a column of features.

Unpruned, the sum over positions of a unit's posterior is its expected count in PSPL and in a confusion network alike,
so the unigram rankers of the two forms differ only through pruning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from .kernels import scores as kn
from .reader import PartReader, UtteranceGroups
from .schema import FORMS

ORDERS = 3


def ranker_names(kinds: Sequence[str]) -> list[str]:
    """``word-pspl-1`` and so on, in the order of the columns.

    >>> ranker_names(["word"])
    ['word-pspl-1', 'word-pspl-2', 'word-pspl-3', 'word-cn-1', 'word-cn-2', 'word-cn-3']
    """
    return [f"{kind}-{form}-{n}" for kind in kinds for form in FORMS for n in range(1, ORDERS + 1)]


def unigrams(part: PartReader, kind: str, units: Sequence[str], groups: UtteranceGroups) -> np.ndarray:
    """The sum of the unigram scores of both forms for every recording or place of a part."""
    out = np.zeros(len(groups.first) - 1)
    for form in FORMS:
        first, last = part.bounds(kind, form, units)
        utterance, _, coded = part.postings(kind, form)
        for a, b in zip(first.tolist(), last.tolist(), strict=True):
            kn.unigrams(utterance[a:b], coded[a:b], part.posteriors, groups.of, out)
    return out


def all_scores(
    part: PartReader, units: Mapping[str, Sequence[str]], rows: np.ndarray, groups: UtteranceGroups
) -> np.ndarray:
    """All weak rankers' scores of some recordings or places of a part (rising numbers), a row each.

    ``units`` are those of the query by kind; columns of kinds without units are 0.
    """
    blocks = []
    for kind, units_of_kind in units.items():
        for form in FORMS:
            out = np.zeros((len(rows), ORDERS))
            if units_of_kind and len(rows):
                _run(kn.ngrams, part, kind, form, units_of_kind, rows, out, groups)
            blocks.append(out)
    return np.hstack(blocks)


def score_bounds(part: PartReader, kind: str, form: str, units: Sequence[str]) -> np.ndarray:
    r"""The unigram score of every place of a part, and what the scores of longer n-grams are at most.

    :math:`\sum_k \prod_j P(q_{i+j}, k+j)` is at most the least of the expected counts :math:`\sum_k P(q_{i+j}, k)`.
    """
    out = np.zeros((len(part.recording_of), ORDERS))
    if units:
        first, last = part.bounds(kind, form, units)
        utterance, _, coded = part.postings(kind, form)
        kn.bounds(first, last, utterance, coded, part.posteriors, out)
    return out


def _run(
    kernel: object, part: PartReader, kind: str, form: str, units: Sequence[str], rows: np.ndarray, out: np.ndarray,
    groups: UtteranceGroups,
) -> None:  # fmt: skip
    first, last = part.bounds(kind, form, units)
    kernel(  # type: ignore[operator]
        first, last, *part.postings(kind, form), part.posteriors, groups.first, rows, part.n_positions(kind, form),
        out,
    )  # fmt: skip
