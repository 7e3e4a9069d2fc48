"""The columns of a part of the index: the one place that knows their names.

A part holds rows on several levels: recordings, their utterances, the words of an utterance's likeliest reading, and
for each kind of units the units, the slots of the confusion networks and the postings. A column belongs to the rows of
one level. It is written from the values of its rows, read from a part, or merged from the rows of several parts that
stay. A *bounds* column divides the rows of the level below among its own rows.

Compiled functions and slices use numbers of a part as places in other arrays. So a column is checked when it is read
for the first time: its length is that of its level, bounds begin at 0 and never fall, utterances and positions of
postings are those that there are. A part for which this does not hold is damaged, whatever its checksums say.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...errors import InputError
from ..text import TEXTS
from .storage import Part

FORMS = ("pspl", "cn")  # position-specific posteriors, confusion networks
RECORDING, UTTERANCE, WORD, SLOT, UNIT = "recording", "utterance", "word", "slot", "unit"
Arrays = Iterator[tuple[str, np.ndarray]]
Masks = Sequence[np.ndarray]
_LATEST = 1e15  # seconds: no time is beyond it
_POSITIONS = 65536  # of an utterance: more only where there are as many postings


def bounds_of(part: Part, name: str, rows: int | None = None, below: int | None = None) -> np.ndarray:
    """Bounds of ``rows`` rows, checked once: they begin at 0, never fall, and end at the number of rows below."""
    array = part.get(part.typed(name, np.int64))
    if name not in part.valid:
        good = len(array) > 0 and array[0] == 0 and bool((array[1:] >= array[:-1]).all())
        if not good or (rows is not None and len(array) != rows + 1) or (below is not None and array[-1] != below):
            raise part.wrong(f"the array {name}")
        part.valid.add(name)
    return array


def joined(arrays: Sequence[np.ndarray], dtype: Any) -> np.ndarray:
    """Arrays one after the other."""
    return np.concatenate(arrays).astype(dtype, copy=False) if arrays else np.empty(0, dtype)


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

    def n_rows(self, part: Part) -> int | None:
        """How many rows the column's level has in a part; None: as many as the column has."""
        if self.rows in (RECORDING, UTTERANCE):
            return part.meta["documents"] if self.rows == RECORDING else part.meta["utterances"]
        if self.rows == UNIT:
            return None
        above = WORDS if self.rows == WORD else slots(self.name.removesuffix(".slot.time"))
        return int(above.read(part)[-1])

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
        text = part.typed(f"{self.name}.text", np.uint8)
        ptr = bounds_of(part, f"{self.name}.ptr", self.n_rows(part), part.length(text))
        return _strings(self, part, ptr, part.get(text))

    def merge(self, parts: Sequence[Part], masks: Masks) -> Arrays:
        """The arrays of one part of the rows for which the masks are true."""
        lengths, data = [np.zeros(1, np.int64)], []
        for part, mask in zip(parts, masks, strict=True):
            texts = self.read(part)
            length = np.diff(texts.ptr)
            data.append(texts.text[np.repeat(mask, length)])
            lengths.append(length[mask])
        yield f"{self.name}.ptr", np.cumsum(np.concatenate(lengths))
        yield f"{self.name}.text", joined(data, np.uint8)


def _strings(column: Column, part: Part, ptr: np.ndarray, text: np.ndarray) -> Strings:
    return Strings(ptr, text, lambda: part.wrong(f"a text in {column.name}"))


class SparseTextColumn(TextColumn):
    """Texts of which most are empty: a part in which all are has no arrays."""

    def write(self, values: Iterable[str]) -> Arrays:
        """The arrays of a new part; none where all texts are empty."""
        texts = list(values)
        return super().write(texts) if any(texts) else iter(())

    def read(self, part: Part) -> Strings:
        """The texts of a part."""
        if f"{self.name}.ptr" in part.places:
            return super().read(part)
        return _strings(self, part, np.zeros((self.n_rows(part) or 0) + 1, np.int64), np.zeros(0, np.uint8))

    def merge(self, parts: Sequence[Part], masks: Masks) -> Arrays:
        """The arrays of one part of the rows for which the masks are true."""
        texts = [t for p, m in zip(parts, masks, strict=True) for t in self.read(p).some(np.flatnonzero(m))]
        return self.write(texts)


class BoundsColumn(Column):
    """Where the rows of the level below begin, for each row, and where the last ones end."""

    def write(self, values: Iterable[int]) -> Arrays:
        """The array of a new part."""
        yield self.name, np.cumsum([0, *values]).astype(np.int64)

    def read(self, part: Part) -> np.ndarray:
        """The bounds of a part: one more than it has rows."""
        return bounds_of(part, self.name, self.n_rows(part), self.n_below(part))

    def n_below(self, part: Part) -> int:
        """How many rows the level below has, as its numbers or the footer of the part tell."""
        if self.rows == RECORDING:
            return part.meta["utterances"]
        times = WORD_TIMES if self.name == WORDS.name else slot_times(self.name.removesuffix(".slot.first"))
        return part.length(times.name) // times.width

    def merge(self, parts: Sequence[Part], masks: Masks) -> Arrays:
        """The array of one part of the rows for which the masks are true."""
        counts = [np.diff(self.read(p))[m] for p, m in zip(parts, masks, strict=True)]
        yield self.name, np.cumsum(np.concatenate([[0], *counts])).astype(np.int64)

    def below(self, parts: Sequence[Part], masks: Masks) -> list[np.ndarray]:
        """Masks of the rows below, true where the row above them stays."""
        return [np.repeat(m, np.diff(self.read(p))) for p, m in zip(parts, masks, strict=True)]


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
        if self.name not in part.valid:
            rows = self.n_rows(part)
            if rows is not None and part.length(part.typed(self.name, self.dtype)) != rows * self.width:
                raise part.wrong(f"the length of the array {self.name}")
            part.valid.add(self.name)
        flat = part.get(self.name, start * self.width, None if stop is None else stop * self.width)
        whole = (self.name, "numbers")
        if whole not in part.valid:
            if (np.abs(flat) > _LATEST).any():
                raise part.wrong(f"a number of the array {self.name}")
            if len(flat) == part.length(self.name):
                part.valid.add(whole)
        return flat if self.width == 1 else flat.reshape(-1, self.width)

    def merge(self, parts: Sequence[Part], masks: Masks) -> Arrays:
        """The array of one part of the rows for which the masks are true."""
        rows = [self.read(p).reshape(-1, self.width)[m] for p, m in zip(parts, masks, strict=True)]
        yield self.name, np.concatenate(rows).ravel()


def _text_of(name: str, recording: Any) -> str:
    return recording.texts.get(name, "")


RECORDING_NAME = TextColumn("doc.name", RECORDING, lambda d: d.name)
FINGERPRINT = TextColumn("doc.fingerprint", RECORDING, lambda d: d.fingerprint)
CORRECTIONS = SparseTextColumn("doc.corrections", RECORDING, lambda d: d.corrections)
RECORDING_TEXTS = {t: TextColumn(f"doc.{t}", RECORDING, partial(_text_of, t)) for t in TEXTS}
UTTERANCES = BoundsColumn("doc.first", RECORDING, lambda d: len(d.utterances))
UTTERANCE_NAME = TextColumn("utt.name", UTTERANCE, lambda u: u.name)
AUDIO = TextColumn("utt.audio", UTTERANCE, lambda u: u.audio)
OFFSET = NumberColumn("utt.offset", UTTERANCE, lambda u: u.offset, np.float64)
LENGTH = NumberColumn("utt.length", UTTERANCE, lambda u: u.length, np.float32)
HEARD = SparseTextColumn("utt.heard", UTTERANCE, lambda u: u.heard)  # what a corrected one was before
WORDS = BoundsColumn("best.first", UTTERANCE, lambda u: len(u.best))
WORD_TIMES = NumberColumn("best.time", WORD, lambda w: w[1:], np.float32, 3)  # start, end, posterior
WORD_TEXT = TextColumn("best.word", WORD, lambda w: w.text)
COLUMNS: tuple[Column, ...] = (
    RECORDING_NAME, FINGERPRINT, CORRECTIONS, *RECORDING_TEXTS.values(), UTTERANCES, UTTERANCE_NAME, AUDIO, OFFSET,
    LENGTH, HEARD, WORDS, WORD_TIMES, WORD_TEXT,
)  # fmt: skip


TEXT_COLUMNS = {column.name: column for column in (RECORDING_NAME, FINGERPRINT, AUDIO)}  # that can be replaced


def units(kind: str) -> TextColumn:
    """The units of a kind that a part holds, sorted by bytes."""
    return TextColumn(f"{kind}.unit", UNIT, str)


def slots(kind: str) -> BoundsColumn:
    """The slots of the utterances' confusion networks."""
    return BoundsColumn(f"{kind}.slot.first", UTTERANCE, lambda u: len(u.entries[kind, "cn"].slots))


def slot_times(kind: str) -> NumberColumn:
    """Start and end of each slot."""
    return NumberColumn(f"{kind}.slot.time", SLOT, lambda slot: slot, np.float32, 2)


def columns_of(kind: str) -> tuple[Any, ...]:
    """The columns of a kind of units, but for the postings."""
    return units(kind), slots(kind), slot_times(kind)


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
        if self.name not in part.valid:
            utt = part.length(part.typed(f"{self.name}.utt", np.uint32))
            pos = part.length(part.typed(f"{self.name}.pos", np.uint16, np.uint32))
            if not utt == pos == part.length(part.typed(f"{self.name}.p", np.uint16)):
                raise part.wrong(f"the length of the postings {self.name}")
            part.valid.add(self.name)
        n_units = part.length(f"{units(self.kind).name}.ptr") - 1
        return bounds_of(part, f"{self.name}.ptr", n_units, part.length(f"{self.name}.utt"))

    def width(self, part: Part) -> int:
        """The largest number of positions of an utterance."""
        width = part.meta["positions"].get(self.n_positions, -1)
        if not 0 <= width <= max(_POSITIONS, 4 * part.length(f"{self.name}.pos")):
            raise part.wrong(f"the number of positions of the postings {self.name}")
        return width

    def check(self, part: Part, start: int, stop: int) -> None:
        """Compare the checksums of some postings, and their utterances and positions with those that there are."""
        utterance, position, _ = (part.get(f"{self.name}.{array}", start, stop) for array in ("utt", "pos", "p"))
        some = (self.name, start, stop)
        if some in part.valid or start == stop:
            return
        if utterance.max() >= part.meta["utterances"] or position.max() >= self.width(part):
            raise part.wrong(f"a number of the postings {self.name}")
        part.valid.add(some)

    def unchecked(self, part: Part) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Utterances, positions and stored posteriors, not compared with their checksums."""
        return part.raw(f"{self.name}.utt"), part.raw(f"{self.name}.pos"), part.raw(f"{self.name}.p")

    def read(self, part: Part) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Utterances, positions and stored posteriors."""
        self.check(part, 0, int(self.bounds(part)[-1]))
        return self.unchecked(part)


def gram_units(kind: str) -> TextColumn:
    """The units of a kind of which n-grams are made, sorted by bytes."""
    return TextColumn(f"{kind}.gram.unit", UNIT, str)


@dataclass(frozen=True)
class GramPostings:
    """Where the n-grams of a kind occur: codes of the grams (rising), and for each utterances and stored counts.

    The code of a gram has the numbers of its units in :func:`gram_units` as digits.
    """

    kind: str
    order: int

    @property
    def name(self) -> str:
        """What the names of the arrays begin with."""
        return f"{self.kind}.gram{self.order}"

    def write(self, codes: np.ndarray, ptr: np.ndarray, utterance: np.ndarray, coded: np.ndarray) -> Arrays:
        """The arrays of a new part: the grams, where each one's postings begin, and the postings."""
        yield f"{self.name}.code", codes
        yield f"{self.name}.ptr", ptr
        yield f"{self.name}.utt", utterance.astype(np.uint16 if utterance.max(initial=0) < 65536 else np.uint32)
        yield f"{self.name}.n", coded

    def codes(self, part: Part) -> np.ndarray:
        """The codes of all grams, checked once: they rise, and are made of the units that there are."""
        codes = part.get(part.typed(f"{self.name}.code", np.int64))
        if self.name not in part.valid:
            most = (part.length(f"{gram_units(self.kind).name}.ptr") - 1) ** self.order
            utt = part.length(part.typed(f"{self.name}.utt", np.uint16, np.uint32))
            if utt != part.length(part.typed(f"{self.name}.n", np.uint16)):
                raise part.wrong(f"the length of the postings {self.name}")
            if len(codes) and (codes[0] < 0 or codes[-1] >= most or (codes[1:] <= codes[:-1]).any()):
                raise part.wrong(f"the array {self.name}.code")
            part.valid.add(self.name)
        return codes

    def bounds(self, part: Part) -> np.ndarray:
        """Where each gram's postings begin, and where the last ones end."""
        return bounds_of(part, f"{self.name}.ptr", len(self.codes(part)), part.length(f"{self.name}.utt"))

    def read(self, part: Part, start: int = 0, stop: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Utterances and stored counts of some postings, checked; read :meth:`bounds` first."""
        utterance, coded = (part.get(f"{self.name}.{array}", start, stop) for array in ("utt", "n"))
        some = (self.name, start, stop)
        if some not in part.valid and len(utterance):
            if utterance.max() >= part.meta["utterances"]:
                raise part.wrong(f"a number of the postings {self.name}")
            part.valid.add(some)
        return utterance, coded


class Strings(Sequence[str]):
    """The entries of a text column: bytes of UTF-8, and where each entry begins."""

    def __init__(self, ptr: np.ndarray, text: np.ndarray, wrong: Callable[[], InputError]) -> None:
        self.ptr, self.text, self.wrong = ptr, text, wrong

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def bytes_of(self, i: int) -> bytes:
        """One entry, as it is stored."""
        return self.text[self.ptr[i] : self.ptr[i + 1]].tobytes()

    def __getitem__(self, i: int) -> str:  # type: ignore[override]
        try:
            return self.bytes_of(i).decode()
        except UnicodeDecodeError:
            raise self.wrong() from None

    def all(self) -> list[str]:
        """All entries at once."""
        return self.some(np.arange(len(self)))

    def some(self, numbers: np.ndarray) -> list[str]:
        """Entries by their numbers, at once."""
        data, first, last = self.text.tobytes(), self.ptr[numbers].tolist(), self.ptr[numbers + 1].tolist()
        try:
            return [data[a:b].decode() for a, b in zip(first, last, strict=True)]
        except UnicodeDecodeError:
            raise self.wrong() from None

    def find(self, text: str) -> int:
        """The number of an entry in a column sorted by bytes, −1 where there is none."""
        sought, low, high = text.encode("utf-8", "replace"), 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self.bytes_of(middle) < sought:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self) and self.bytes_of(low) == sought else -1
