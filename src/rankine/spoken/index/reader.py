"""The weak rankers of an archive: {PSPL, CN} × {1, 2, 3}-grams × kinds of units, each a column of features.

Unpruned, the sum over positions of a unit's posterior is its expected count in PSPL and in a confusion network alike,
so the unigram rankers of the two forms differ only through pruning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from . import score_kernels as kn
from .analyse import FORMS
from .storage import Part
from .strings import Strings

ORDERS = 3


def names(kinds: Sequence[str]) -> list[str]:
    """``word-pspl-1`` and so on, in the order of the columns.

    >>> names(["word"])
    ['word-pspl-1', 'word-pspl-2', 'word-pspl-3', 'word-cn-1', 'word-cn-2', 'word-cn-3']
    """
    return [f"{kind}-{form}-{n}" for kind in kinds for form in FORMS for n in range(1, ORDERS + 1)]


class View:
    """A part as search sees it."""

    def __init__(self, part: Part, table: np.ndarray) -> None:
        self.part, self.table = part, table
        self.doc_first = part.get("doc.first")
        self.n_documents = len(self.doc_first) - 1
        self.doc_of = np.repeat(np.arange(self.n_documents), np.diff(self.doc_first))
        self.units: dict[str, Strings] = {}

    def texts(self, name: str) -> Strings:
        """A column of text, kept."""
        if name not in self.units:
            self.units[name] = Strings(self.part, name)
        return self.units[name]

    def bounds(self, kind: str, form: str, units: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Where the postings of each unit begin and end, checked; an unknown unit has none."""
        ptr = self.part.get(f"{kind}.{form}.ptr")
        found = np.array([self.texts(f"{kind}.unit").find(u) for u in units], np.int64)
        first, last = np.where(found < 0, 0, ptr[found]), np.where(found < 0, 0, ptr[found + 1])
        for a, b in set(zip(first.tolist(), last.tolist(), strict=True)):
            for array in ("utt", "pos", "p"):
                self.part.get(f"{kind}.{form}.{array}", a, b)
        return first, last

    def _postings(self, kind: str, form: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        name = f"{kind}.{form}"
        return self.part.raw(f"{name}.utt"), self.part.raw(f"{name}.pos"), self.part.raw(f"{name}.p"), self.table

    def _width(self, kind: str, form: str) -> int:
        return int(self.part.meta["positions"][f"{kind}.{form}.positions"])

    def unigrams(self, kind: str, units: Sequence[str]) -> np.ndarray:
        """The sum of the unigram scores of both forms for every document."""
        out = np.zeros(self.n_documents)
        for form in FORMS:
            first, last = self.bounds(kind, form, units)
            utt, _, coded, table = self._postings(kind, form)
            for a, b in zip(first.tolist(), last.tolist(), strict=True):
                kn.unigrams(utt[a:b], coded[a:b], table, self.doc_of, out)
        return out

    def scores(self, units: Mapping[str, Sequence[str]], docs: np.ndarray) -> np.ndarray:
        """All weak rankers' scores of some documents (rising numbers): a row each."""
        blocks = []
        for kind, wanted in units.items():
            for form in FORMS:
                out = np.zeros((len(docs), ORDERS))
                if wanted and len(docs):
                    first, last = self.bounds(kind, form, wanted)
                    postings = self._postings(kind, form)
                    kn.ngrams(first, last, *postings, self.doc_first, docs, self._width(kind, form), out)
                blocks.append(out)
        return np.hstack(blocks)

    def chains(self, kind: str, units: Sequence[str], docs: np.ndarray) -> np.ndarray:
        """How often all units follow each other in some documents, as expected from either form."""
        best = np.zeros(len(docs))
        for form in FORMS:
            out = np.zeros(len(docs))
            first, last = self.bounds(kind, form, units)
            kn.chain(first, last, *self._postings(kind, form), self.doc_first, docs, self._width(kind, form), out)
            best = np.maximum(best, out)
        return best
