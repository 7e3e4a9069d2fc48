"""Rows of the index as utterances again: to write a recording anew without analysing it, and to keep what was heard.

An utterance that was corrected is written as other rows. The first of these holds in its column ``heard`` the rows that
stood there before, as text, so that they come back exactly; the others hold ``CONTINUED``. This travels with the
recording: into the bin, into a packed archive, and when parts are merged.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import TypedDict

import msgspec
import numpy as np

from ...errors import InputError
from . import schema
from .build import Entries, Utterance, Word
from .grams import UtteranceGrams, decoded
from .kernels import heard_rows as kn
from .reader import PartReader
from .schema import FORMS, GramPostings, Postings
from .settings import Settings
from .storage import Part

CONTINUED = "+"
_LONGEST = 1 << 26  # bytes of the rows before one correction
_WHAT = "what was heard before a correction"
_POSITIONS, _LATEST = 1 << 24, 1e15


# -- rows of a part


def utterances_of(reader: PartReader, recording: int, settings: Settings) -> list[Utterance]:
    """The utterances of a recording, as they were written."""
    return utterances_in(reader, reader.utterances(recording), settings)


def utterances_in(reader: PartReader, rows: range, settings: Settings) -> list[Utterance]:
    """The utterances of some rows, as they were written."""
    entries = {
        (kind, form): _entries(reader, kind, form, rows) for kind in settings.kinds for form in FORMS
    }  # fmt: skip
    grams = {
        (kind, order): some for kind, orders in settings.grams.items()
        for order, some in _grams(reader, kind, orders, rows).items()
    }  # fmt: skip
    return [
        utterance._replace(
            entries={key: some[i] for key, some in entries.items()}, grams={key: some[i] for key, some in grams.items()}
        )
        for i, utterance in enumerate(reading_in(reader, rows))
    ]


def reading_of(reader: PartReader, recording: int) -> list[Utterance]:
    """The utterances of a recording with the words of their likeliest readings, and nothing else that is searched."""
    last, rows = reader.part.kept.get("reading", (None, []))
    if last != recording:
        rows = reading_in(reader, reader.utterances(recording))
        reader.part.kept["reading"] = recording, rows
    return list(rows)


def reading_in(reader: PartReader, rows: range) -> list[Utterance]:
    """The same of some rows."""
    length, offset = (
        reader.numbers(column, rows.start, rows.stop).tolist() for column in (schema.LENGTH, schema.OFFSET)
    )
    columns = (schema.UTTERANCE_NAME, schema.AUDIO, schema.HEARD)
    names, audio, heard = (reader.texts(column).some(np.arange(rows.start, rows.stop)) for column in columns)
    words = _best_words(reader, rows)
    return [Utterance(names[i], length[i], {}, words[i], {}, audio[i], offset[i], heard[i]) for i in range(len(rows))]


def _best_words(reader: PartReader, rows: range) -> list[list[Word]]:
    """The words of the likeliest reading of each row; times count from its beginning."""
    if not rows:
        return []
    bounds = schema.WORDS.read(reader.part)[rows.start : rows.stop + 1].tolist()
    times = reader.numbers(schema.WORD_TIMES, bounds[0], bounds[-1]).tolist()
    texts = reader.texts(schema.WORD_TEXT).some(np.arange(bounds[0], bounds[-1]))
    every = [Word(text, *some) for text, some in zip(texts, times, strict=True)]
    return [every[a - bounds[0] : b - bounds[0]] for a, b in pairwise(bounds)]


def _postings(
    ptr: np.ndarray, row: np.ndarray, rows: range, check: Callable[[np.ndarray, np.ndarray], None] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The lists and the places of the postings of some rows, by rising row."""
    begin, end = np.empty(len(ptr) - 1, np.int64), np.empty(len(ptr) - 1, np.int64)
    kn.runs_of_rows(ptr, row, rows.start, rows.stop, begin, end)
    n = end - begin
    if check is not None:
        check(begin[n > 0], end[n > 0])
    unit = np.repeat(np.arange(len(n)), n)
    at = np.arange(n.sum()) - np.repeat(np.cumsum(n) - n, n) + np.repeat(begin, n)
    order = np.argsort(row[at], kind="stable")
    return unit[order], at[order]


def _check(
    part: Part, name: str, begin: np.ndarray, end: np.ndarray, arrays: Sequence[str] = ("utt", "pos", "p")
) -> None:
    for array in arrays:
        part.check_runs(f"{name}.{array}", begin, end)


def _check_grams(part: Part, name: str, begin: np.ndarray, end: np.ndarray) -> None:
    _check(part, name, begin, end, ("utt", "n"))


def _inside(row: np.ndarray, rows: range) -> bool:
    return bool(((row >= rows.start) & (row < rows.stop)).all())


def _entries(reader: PartReader, kind: str, form: str, rows: range) -> list[Entries]:
    """The entries of rows in one kind and form."""
    part, postings = reader.part, Postings(kind, form)
    row, position, coded = reader.postings(kind, form)
    unit, at = _postings(postings.bounds(part), row, rows, lambda a, b: _check(part, postings.name, a, b))
    if len(at) and (not _inside(row[at], rows) or position[at].max() >= postings.width(part)):
        raise part.wrong(f"a number of the postings {postings.name}")
    bounds = np.searchsorted(row[at], np.arange(rows.start, rows.stop + 1))
    slots = schema.slots(kind).read(part)[rows.start : rows.stop + 1] if form == "cn" else None
    names, out = reader.texts(schema.units(kind)), []
    for i in range(len(rows)):
        some = slice(bounds[i], bounds[i + 1])
        posterior = reader.posteriors[coded[at[some]]]
        order = np.lexsort((unit[some], -posterior, position[at[some]]))
        own, number = np.unique(unit[some][order], return_inverse=True)
        times = np.zeros((0, 2), np.float32)
        if slots is not None:
            times = reader.numbers(schema.slot_times(kind), int(slots[i]), int(slots[i + 1]))
        out.append(
            Entries(
                tuple(names.some(own)), number, position[at[some]][order].astype(np.int64), posterior[order],
                np.array(times),
            )
        )  # fmt: skip
    return out


def _grams(reader: PartReader, kind: str, orders: Sequence[int], rows: range) -> dict[int, list[UtteranceGrams]]:
    """The n-grams of rows, by order."""
    part, out = reader.part, dict[int, list[UtteranceGrams]]()
    names = reader.texts(schema.gram_units(kind)).all()
    for order in orders:
        grams = GramPostings(kind, order)
        row, coded = (part.raw(f"{grams.name}.{array}") for array in ("utt", "n"))
        some = _postings(grams.bounds(part), row, rows, partial(_check_grams, part, grams.name))
        if not _inside(row[some[1]], rows):
            raise part.wrong(f"a number of the postings {grams.name}")
        out[order] = _of_rows(names, order, grams.codes(part), row, coded, rows, some)
    return out


def _of_rows(
    names: Sequence[str], order: int, codes: np.ndarray, row: np.ndarray, coded: np.ndarray, rows: range,
    postings: tuple[np.ndarray, np.ndarray],
) -> list[UtteranceGrams]:  # fmt: skip
    which, at = postings
    bounds = np.searchsorted(row[at], np.arange(rows.start, rows.stop + 1))
    counts, base, out = decoded(), max(len(names), 1), []
    for i in range(len(rows)):
        some = slice(bounds[i], bounds[i + 1])
        code = codes[which[some]]
        units = np.stack([code // base**n % base for n in range(order - 1, -1, -1)], axis=1)
        own, number = np.unique(units, return_inverse=True)
        grams = number.reshape(-1, order)
        out.append(UtteranceGrams(tuple(names[u] for u in own.tolist()), grams, counts[coded[at[some]]]))
    return out


# -- rows as text


class _TextEntries(TypedDict):
    names: list[str]
    unit: bytes
    position: bytes
    posterior: bytes
    slots: bytes


class _TextGrams(TypedDict):
    names: list[str]
    grams: bytes
    counts: bytes


class _TextRow(TypedDict):
    name: str
    length: float
    audio: str
    offset: float
    best: list[tuple[str, float, float, float]]
    entries: dict[str, _TextEntries]
    grams: dict[str, _TextGrams]


def rows_as_text(rows: Sequence[Utterance], mark: str) -> str:
    """Rows as text that :func:`rows_of_text` reads, behind a mark of the corrections that stand in their place."""
    data = msgspec.msgpack.encode([_text_row(row) for row in rows])
    return f"{mark}:{base64.b64encode(zlib.compress(data)).decode()}"


def mark_of(text: str) -> str:
    """The mark of the corrections in the place of what was heard, as it is kept in the column ``heard``."""
    return text.partition(":")[0]


def _text_row(row: Utterance) -> _TextRow:
    entries: dict[str, _TextEntries] = {
        f"{kind} {form}": {
            "names": list(e.names), "unit": _bytes(e.unit, np.int32), "position": _bytes(e.position, np.int32),
            "posterior": _bytes(e.posterior, np.float64), "slots": _bytes(e.slots, np.float32),
        }
        for (kind, form), e in row.entries.items()
    }  # fmt: skip
    grams: dict[str, _TextGrams] = {
        f"{kind} {order}": {
            "names": list(g.names), "grams": _bytes(g.grams, np.int32), "counts": _bytes(g.counts, np.float64),
        }
        for (kind, order), g in row.grams.items()
    }  # fmt: skip
    best = [(word.text, word.start, word.end, word.posterior) for word in row.best]
    return {"name": row.name, "length": row.length, "audio": row.audio, "offset": row.offset, "best": best,
            "entries": entries, "grams": grams}  # fmt: skip


def _bytes(array: np.ndarray, dtype: type) -> bytes:
    return np.ascontiguousarray(array, np.dtype(dtype).newbyteorder("<")).tobytes()


def rows_of_text(text: str, settings: Settings, where: str) -> list[Utterance]:
    """The rows that :func:`rows_as_text` wrote; an InputError where they are not in order: others may have written."""
    try:
        grams = tuple((kind, tuple(orders)) for kind, orders in settings.grams.items())
        return list(_rows_of_text(text, tuple(settings.kinds), grams))
    except (ValueError, zlib.error, binascii.Error, msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"the archive is damaged: not {_WHAT} ({' '.join(str(error).split())})", where) from None


@lru_cache(maxsize=128)  # each change of a recording reads all that was corrected in it before
def _rows_of_text(text: str, kinds: Sequence[str], grams: Iterable[tuple[str, Sequence[int]]]) -> tuple[Utterance, ...]:
    unpacker = zlib.decompressobj()
    data = unpacker.decompress(base64.b64decode(text.partition(":")[2].encode(), validate=True), _LONGEST)
    if unpacker.unconsumed_tail or not unpacker.eof:
        raise ValueError("it is cut off, or too long")
    return tuple(_row(row, kinds, grams) for row in msgspec.msgpack.decode(data, type=list[_TextRow]))


def _row(row: _TextRow, kinds: Sequence[str], orders_of: Iterable[tuple[str, Sequence[int]]]) -> Utterance:
    best = [Word(*word) for word in row["best"]]
    numbers = [row["offset"], row["length"], *(x for word in best for x in word[1:])]
    _require(not (np.abs(np.array(numbers)) > _LATEST).any(), "times")
    entries, grams = {}, {}
    for kind in kinds:
        for form in FORMS:
            entries[kind, form] = _read_entries(row["entries"].get(f"{kind} {form}"), form)
    for kind, orders in orders_of:
        for order in orders:
            grams[kind, order] = _read_grams(row["grams"].get(f"{kind} {order}"), order)
    return Utterance(row["name"], row["length"], entries, best, grams, row["audio"], row["offset"])


def _require(condition: bool | np.bool_, what: str) -> None:
    if not condition:
        raise ValueError(f"its {what} are wrong")


def _array(data: bytes, dtype: type) -> np.ndarray:
    kind = np.dtype(dtype).newbyteorder("<")
    _require(len(data) % kind.itemsize == 0, "numbers")
    return np.frombuffer(data, kind).astype(dtype)


def _read_entries(some: _TextEntries | None, form: str) -> Entries:
    if some is None:
        raise ValueError("a kind of units is missing")
    unit, position = _array(some["unit"], np.int32), _array(some["position"], np.int32)
    posterior, slots = _array(some["posterior"], np.float64), _array(some["slots"], np.float32)
    _require(len(unit) == len(position) == len(posterior) and len(slots) % 2 == 0, "numbers")
    slots = slots.reshape(-1, 2)
    most = len(slots) if form == "cn" else _POSITIONS
    _require(not ((position < 0) | (position >= most)).any() and not (np.diff(position) < 0).any(), "positions")
    _require(not ((unit < 0) | (unit >= len(some["names"]))).any(), "units")
    _require(((posterior >= 0) & (posterior <= 1)).all(), "posteriors")
    _require(not (np.abs(slots) > _LATEST).any(), "times")
    place = position.astype(np.int64) << 32 | unit
    _require(len(np.unique(place)) == len(place), "entries")
    return Entries(tuple(some["names"]), unit.astype(np.int64), position.astype(np.int64), posterior, slots)


def _read_grams(some: _TextGrams | None, order: int) -> UtteranceGrams:
    if some is None:
        raise ValueError("its n-grams are missing")
    grams, counts = _array(some["grams"], np.int32), _array(some["counts"], np.float64)
    _require(len(grams) == len(counts) * order, "n-grams")
    _require(not ((grams < 0) | (grams >= len(some["names"]))).any(), "n-grams")
    _require(((counts >= 0) & (counts <= _LATEST)).all(), "counts")
    rows = grams.reshape(-1, order).astype(np.int64)
    _require(len(np.unique(rows, axis=0)) == len(rows), "n-grams")
    return UtteranceGrams(tuple(some["names"]), rows, counts)


def as_heard(rows: Sequence[Utterance], settings: Settings, where: str) -> list[Utterance]:
    """The rows of a recording as they were before all corrections."""
    out: list[Utterance] = []
    for row in rows:
        if not row.heard:
            out.append(row)
        elif row.heard != CONTINUED:
            out += before_correction(row, settings, where)
    return out


def before_correction(row: Utterance, settings: Settings, where: str) -> list[Utterance]:
    """The rows in whose place a corrected row stands, the first of its own."""
    before = rows_of_text(row.heard, settings, where)
    return [old._replace(audio=row.audio) for old in before]  # the recording may have moved since
