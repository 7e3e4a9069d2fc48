"""Snippets: the words of the likeliest reading around a place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..index import schema
from ..index.part_reader import PartReader
from ..index.runs import follows

_AROUND = 6  # words on either side


class _ReadWord(NamedTuple):
    """A word of the likeliest reading; ``middle`` is the middle of its time in the audio file."""

    text: str
    row: int
    middle: float


def _words(part: PartReader, row: int) -> list[_ReadWord]:
    numbers = part.words(row)
    times = part.numbers(schema.WORD_TIMES, numbers.start, numbers.stop).astype(np.float64)
    middle = (times[:, 0] + times[:, 1]) / 2 + part.numbers(schema.OFFSET)[row]
    texts = part.texts(schema.WORD_TEXT)
    return [_ReadWord(texts[i], row, m) for i, m in zip(numbers, middle.tolist(), strict=True)]


def snippet(part: PartReader, rows: range, begin: float, end: float) -> str:
    """The words around a place in these segments and beside them; those in it in brackets.

    Where no word of the likeliest reading stands in the place, it is ``[…]``; a place without times is not marked.
    """
    inside = [word for row in rows for word in _words(part, row)]
    document = part.utterances(int(part.document_of[rows.start]))
    before, after = list[_ReadWord](), list[_ReadWord]()
    row = rows.start
    while len(before) <= _AROUND and row > document.start and follows(part, row - 1, row):
        row -= 1
        before = _words(part, row) + before
    row = rows.stop - 1
    while len(after) <= _AROUND and row + 1 < document.stop and follows(part, row, row + 1):
        row += 1
        after += _words(part, row)
    marked = [i for i, w in enumerate(inside) if begin - 1e-6 <= w.middle <= end + 1e-6]
    texts = [w.text for w in inside]
    if marked:
        low, high = marked[0] + len(before), marked[-1] + len(before)
        texts[marked[0]] = f"[{texts[marked[0]]}"
        texts[marked[-1]] += "]"
    elif np.isnan(end):
        low = high = len(before) + _AROUND
    else:
        at = sum(w.middle < (begin + end) / 2 for w in inside)
        texts.insert(at, "[…]")
        low = high = at + len(before)
    words = [w.text for w in before] + texts + [w.text for w in after]
    first, last = max(low - _AROUND, 0), min(high + _AROUND + 1, len(words))
    return ("… " if first else "") + " ".join(words[first:last]) + (" …" if last < len(words) else "")
