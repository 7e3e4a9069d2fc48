"""The weak rankers of an archive: {PSPL, CN} × {1, 2, 3}-grams × kinds of units, each a column of features.

Unpruned, the sum over positions of a unit's posterior is its expected count in PSPL and in a confusion network alike,
so the unigram rankers of the two forms differ only through pruning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from . import score_kernels as kn
from .reader import PartReader
from .schema import FORMS

ORDERS = 3


def ranker_names(kinds: Sequence[str]) -> list[str]:
    """``word-pspl-1`` and so on, in the order of the columns.

    >>> ranker_names(["word"])
    ['word-pspl-1', 'word-pspl-2', 'word-pspl-3', 'word-cn-1', 'word-cn-2', 'word-cn-3']
    """
    return [f"{kind}-{form}-{n}" for kind in kinds for form in FORMS for n in range(1, ORDERS + 1)]


def unigrams(part: PartReader, kind: str, units: Sequence[str]) -> np.ndarray:
    """The sum of the unigram scores of both forms for every document of a part."""
    out = np.zeros(part.n_documents)
    for form in FORMS:
        first, last = part.bounds(kind, form, units)
        utterance, _, coded = part.postings(kind, form)
        for a, b in zip(first.tolist(), last.tolist(), strict=True):
            kn.unigrams(utterance[a:b], coded[a:b], part.posteriors, part.document_of, out)
    return out


def all_scores(part: PartReader, units: Mapping[str, Sequence[str]], docs: np.ndarray) -> np.ndarray:
    """All weak rankers' scores of some documents of a part (rising numbers), a row each; ``units`` are by kind."""
    blocks = []
    for kind, units_of_kind in units.items():
        for form in FORMS:
            out = np.zeros((len(docs), ORDERS))
            if units_of_kind and len(docs):
                _run(kn.ngrams, part, kind, form, units_of_kind, docs, out)
            blocks.append(out)
    return np.hstack(blocks)


def chains(part: PartReader, kind: str, units: Sequence[str], docs: np.ndarray) -> np.ndarray:
    """How often all units follow each other in some documents of a part: the larger expectation of the two forms."""
    best = np.zeros(len(docs))
    for form in FORMS:
        out = np.zeros(len(docs))
        _run(kn.chain, part, kind, form, units, docs, out)
        best = np.maximum(best, out)
    return best


def _run(
    kernel: object, part: PartReader, kind: str, form: str, units: Sequence[str], docs: np.ndarray, out: np.ndarray
) -> None:
    first, last = part.bounds(kind, form, units)
    kernel(  # type: ignore[operator]
        first, last, *part.postings(kind, form), part.posteriors, part.first_utterance, docs,
        part.n_positions(kind, form), out,
    )  # fmt: skip
