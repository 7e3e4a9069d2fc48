"""The columns of a part of the index: the one place that knows their names.

A part holds rows on several levels: documents, their utterances, the words of an utterance's likeliest reading, and
for each kind of units the units, the slots of the confusion networks and the postings. A column belongs to the rows of
one level. It is written from the values of its rows, read from a part, or merged from the rows of several parts that
stay. A *bounds* column divides the rows of the level below among its own rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ..text import TEXTS
from .storage import Part

FORMS = ("pspl", "cn")  # position-specific posteriors, confusion networks
DOCUMENT, UTTERANCE, WORD, SLOT, UNIT = "document", "utterance", "word", "slot", "unit"
Arrays = Iterator[tuple[str, np.ndarray]]
Masks = Sequence[np.ndarray]


def joined(arrays: Sequence[np.ndarray], dtype: Any) -> np.ndarray:
    """Arrays one after the other."""
    return np.concatenate(arrays).astype(dtype, copy=False) if arrays else np.empty(0, dtype)


class Strings(Sequence[str]):
    """The entries of a text column: bytes of UTF-8, and where each entry begins."""

    def __init__(self, ptr: np.ndarray, text: np.ndarray) -> None:
        self.ptr, self.text = ptr, text

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def bytes_of(self, i: int) -> bytes:
        """One entry, as it is stored."""
        return self.text[self.ptr[i] : self.ptr[i + 1]].tobytes()

    def __getitem__(self, i: int) -> str:  # type: ignore[override]
        return self.bytes_of(i).decode()

    def all(self) -> list[str]:
        """All entries at once."""
        data, cuts = self.text.tobytes(), self.ptr.tolist()
        return [data[a:b].decode() for a, b in pairwise(cuts)]

    def find(self, text: str) -> int:
        """The number of an entry in a column sorted by bytes, −1 where there is none."""
        sought, low, high = text.encode(), 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self.bytes_of(middle) < sought:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self) and self.bytes_of(low) == sought else -1


@dataclass(frozen=True)
class Column(ABC):
    """A column of a part.

    Args:
        name: of the column in a part.
        rows: the level that it belongs to.
        value: what is written for a row: of a text column a text, of bounds how many rows below it has.
    """

    name: str
    rows: str
    value: Callable[[Any], Any]

    @abstractmethod
    def write(self, values: Any) -> Arrays:
        """The arrays of a new part."""

    @abstractmethod
    def merge(self, parts: Sequence[Part], masks: Masks) -> Arrays:
        """The arrays of one part of the rows for which the masks are true."""

    def write_rows(self, rows: Iterable[Any]) -> Arrays:
        """The arrays of a new part of these rows."""
        return self.write([self.value(row) for row in rows])


class TextColumn(Column):
    """Texts, in two arrays."""

    def write(self, values: Iterable[str]) -> Arrays:
        """The arrays of a new part."""
        encoded = [text.encode() for text in values]
        ptr = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(e) for e in encoded], out=ptr[1:])
        yield f"{self.name}.ptr", ptr
        yield f"{self.name}.text", np.frombuffer(b"".join(encoded), np.uint8)

    def read(self, part: Part) -> Strings:
        """The texts of a part."""
        return Strings(part.get(f"{self.name}.ptr"), part.get(f"{self.name}.text"))

    def merge(self, parts: Sequence[Part], masks: Masks) -> Arrays:
        """The arrays of one part of the rows for which the masks are true."""
        lengths, data = [np.zeros(1, np.int64)], []
        for part, mask in zip(parts, masks, strict=True):
            length = np.diff(part.get(f"{self.name}.ptr"))
            data.append(part.get(f"{self.name}.text")[np.repeat(mask, length)])
            lengths.append(length[mask])
        yield f"{self.name}.ptr", np.cumsum(np.concatenate(lengths))
        yield f"{self.name}.text", joined(data, np.uint8)


class BoundsColumn(Column):
    """Where the rows of the level below begin, for each row, and where the last ones end."""

    def write(self, values: Iterable[int]) -> Arrays:
        """The array of a new part."""
        yield self.name, np.cumsum([0, *values]).astype(np.int64)

    def read(self, part: Part) -> np.ndarray:
        """The bounds of a part: one more than it has rows."""
        return part.get(self.name)

    def merge(self, parts: Sequence[Part], masks: Masks) -> Arrays:
        """The array of one part of the rows for which the masks are true."""
        counts = [np.diff(p.get(self.name))[m] for p, m in zip(parts, masks, strict=True)]
        yield self.name, np.cumsum(np.concatenate([[0], *counts])).astype(np.int64)

    def below(self, parts: Sequence[Part], masks: Masks) -> list[np.ndarray]:
        """Masks of the rows below, true where the row above them stays."""
        return [np.repeat(m, np.diff(p.get(self.name))) for p, m in zip(parts, masks, strict=True)]


@dataclass(frozen=True)
class NumberColumn(Column):
    """``width`` numbers of a type for each row."""

    dtype: type
    width: int = 1

    def write(self, values: Sequence[Any] | np.ndarray) -> Arrays:
        """The array of a new part."""
        yield self.name, np.array(values, self.dtype).reshape(-1)

    def read(self, part: Part, start: int = 0, stop: int | None = None) -> np.ndarray:
        """The numbers of rows of a part; a row each where there are several."""
        flat = part.get(self.name, start * self.width, None if stop is None else stop * self.width)
        return flat if self.width == 1 else flat.reshape(-1, self.width)

    def merge(self, parts: Sequence[Part], masks: Masks) -> Arrays:
        """The array of one part of the rows for which the masks are true."""
        rows = [p.get(self.name).reshape(-1, self.width)[m] for p, m in zip(parts, masks, strict=True)]
        yield self.name, np.concatenate(rows).ravel()


def _text_of(name: str, document: Any) -> str:
    return document.texts.get(name, "")


DOCUMENT_NAME = TextColumn("doc.name", DOCUMENT, lambda d: d.name)
FINGERPRINT = TextColumn("doc.fingerprint", DOCUMENT, lambda d: d.fingerprint)
DOCUMENT_TEXTS = {t: TextColumn(f"doc.{t}", DOCUMENT, partial(_text_of, t)) for t in TEXTS}
UTTERANCES = BoundsColumn("doc.first", DOCUMENT, lambda d: len(d.utterances))
UTTERANCE_NAME = TextColumn("utt.name", UTTERANCE, lambda u: u.name)
AUDIO = TextColumn("utt.audio", UTTERANCE, lambda u: u.audio)
OFFSET = NumberColumn("utt.offset", UTTERANCE, lambda u: u.offset, np.float64)
LENGTH = NumberColumn("utt.length", UTTERANCE, lambda u: u.length, np.float32)
WORDS = BoundsColumn("best.first", UTTERANCE, lambda u: len(u.best))
WORD_TIMES = NumberColumn("best.time", WORD, lambda w: w[1:], np.float32, 3)  # start, end, posterior
WORD_TEXT = TextColumn("best.word", WORD, lambda w: w.text)
COLUMNS: tuple[Column, ...] = (
    DOCUMENT_NAME, FINGERPRINT, *DOCUMENT_TEXTS.values(), UTTERANCES, UTTERANCE_NAME, AUDIO, OFFSET, LENGTH,
    WORDS, WORD_TIMES, WORD_TEXT,
)  # fmt: skip


def units(kind: str) -> TextColumn:
    """The units of a kind that a part holds, sorted by bytes."""
    return TextColumn(f"{kind}.unit", UNIT, str)


def slots(kind: str) -> BoundsColumn:
    """The slots of the utterances' confusion networks."""
    return BoundsColumn(f"{kind}.slot.first", UTTERANCE, lambda u: len(u.entries[kind, "cn"].slots))


def slot_times(kind: str) -> NumberColumn:
    """Start and end of each slot."""
    return NumberColumn(f"{kind}.slot.time", SLOT, lambda slot: slot, np.float32, 2)


@dataclass(frozen=True)
class Postings:
    """Where the units of a kind occur: utterances, positions and stored posteriors, sorted by unit, in four arrays."""

    kind: str
    form: str

    @property
    def name(self) -> str:
        """What the names of the arrays begin with."""
        return f"{self.kind}.{self.form}"

    @property
    def n_positions(self) -> str:
        """The key of the number of positions in a part's footer."""
        return f"{self.name}.positions"

    def write(self, ptr: np.ndarray, utterance: np.ndarray, position: np.ndarray, coded: np.ndarray) -> Arrays:
        """The arrays of a new part: where each unit's postings begin, and the postings."""
        yield f"{self.name}.ptr", ptr
        yield f"{self.name}.utt", utterance
        yield f"{self.name}.pos", position.astype(np.uint16 if position.max(initial=0) < 65536 else np.uint32)
        yield f"{self.name}.p", coded

    def bounds(self, part: Part) -> np.ndarray:
        """Where each unit's postings begin, and where the last ones end."""
        return part.get(f"{self.name}.ptr")

    def check(self, part: Part, start: int, stop: int) -> None:
        """Compare the checksums of some postings."""
        for array in ("utt", "pos", "p"):
            part.get(f"{self.name}.{array}", start, stop)

    def unchecked(self, part: Part) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Utterances, positions and stored posteriors, not compared with their checksums."""
        return part.raw(f"{self.name}.utt"), part.raw(f"{self.name}.pos"), part.raw(f"{self.name}.p")

    def read(self, part: Part) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Utterances, positions and stored posteriors."""
        self.check(part, 0, len(part.raw(f"{self.name}.utt")))
        return self.unchecked(part)
