"""What the readers of all formats share: how words are read, and the pieces of a file of several utterances."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, NamedTuple

from ....errors import InputError, shorten
from ...text import (
    columns,
    decoded,
    is_number,
    lines_with_places,
    read_bytes,
    read_lines,
    whole_number,
    without_variant,
)
from ..lattice import MOST_TIME

_EPSILON = frozenset(["!NULL", "<eps>", "<epsilon>", "*DELETE*", "-", ""])  # what formats write on an empty arc
HEAD = 1 << 16  # bytes of a file by which its format is told
MOST_BYTES = 256 << 20  # of one utterance
MOST_WEIGHT = 1e9
IGNORED = frozenset(
    ["!SENT_START", "!SENT_END", "!ENTER", "!EXIT", "<s>", "</s>", "<sil>", "<SIL>", "SIL", "sil", "!SIL", "[NOISE]",
     "[SPEECH]", "++NOISE++", "<NOISE>", "<SPOKEN_NOISE>"]
)  # fmt: skip
_LATER_OPTIONS = ("score_columns", "language_weight", "posterior_scale", "encoding")


@dataclass(frozen=True)
class Reading:
    """How a source is read.

    Args:
        words: ``words.txt`` of a Kaldi file (a word and its number on each line); without it units are the numbers.
        frame: seconds per frame of Kaldi's alignments, 0.03 where the model subsamples.
        nothing: tokens to ignore (fillers, silence, sentence marks): their arcs are empty and take no position. None:
            the usual ones. What a format writes on empty arcs is ignored in any case.
        variants: keep pronunciation variants such as ``to(2)`` apart.
        lower: turn words to lower case. None: only those of transcripts, which write whole sentences.
        score_columns: how many columns of scores an n-best list has: 1 (a natural-log score) or 3 (SRILM's acoustic
            score, language score and number of words). None: told by the lines.
        language_weight: weight of language scores against acoustic ones in SLF and n-best lists. None: ``lmscale`` of
            SLF's header; 8, as in SRILM, for lists that are not plain.
        posterior_scale: the weighted scores of SLF and n-best lists are divided by this, so that posteriors are not too
            sure. None: the weight of language scores, as in SRILM, where it is above 0; 1 for plain lists.
        encoding: of the text of transcripts, such as ``cp1252``. None: UTF-8, or UTF-16 with a byte order mark.
    """

    words: str | None = None
    frame: float = 0.01
    nothing: Collection[str] | None = None
    variants: bool = False
    lower: bool | None = None
    score_columns: int | None = None
    language_weight: float | None = None
    posterior_scale: float | None = None
    encoding: str | None = None

    def __post_init__(self) -> None:
        if not 0 < self.frame < MOST_TIME:
            raise InputError(f"frame must be a positive number of seconds, got {self.frame!r}")
        if self.score_columns not in (None, 1, 3):
            raise InputError(f"score_columns must be 1 or 3, got {self.score_columns!r}")
        if self.language_weight is not None and not 0 <= self.language_weight <= MOST_WEIGHT:
            raise InputError(f"language_weight must be a number from 0, got {self.language_weight!r}")
        if self.posterior_scale is not None and not 1 / MOST_WEIGHT <= self.posterior_scale <= MOST_WEIGHT:
            raise InputError(f"posterior_scale must be a number above 0, got {self.posterior_scale!r}")
        if self.encoding is not None and not is_encoding(self.encoding):
            raise InputError(f"encoding must be one such as cp1252, latin-1 or utf-16, got {self.encoding!r}")

    def __repr__(self) -> str:
        """Without the options that came later, where they are not used: stopped batches and indexes are known by it.

        >>> Reading(posterior_scale=2.0)
        Reading(words=None, frame=0.01, nothing=None, variants=False, lower=None, posterior_scale=2.0)
        """
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        given = (f"{name}={x!r}" for name, x in values.items() if name not in _LATER_OPTIONS or x is not None)
        return f"Reading({', '.join(given)})"

    def weight(self, default: float) -> float:
        """The weight of language scores, where a source means ``default``."""
        return default if self.language_weight is None else self.language_weight

    def divisor(self, weight: float) -> float:
        """What scores are divided by, where language scores have this weight.

        >>> Reading().divisor(12.0), Reading().divisor(0.0), Reading(posterior_scale=1).divisor(12.0)
        (12.0, 1.0, 1)
        """
        if self.posterior_scale is not None:
            return self.posterior_scale
        return weight if weight > 0 else 1.0

    def unit_of(self, text: str, lower: bool = False, more: Collection[str] = ()) -> str | None:
        """The word as it is indexed, or None for an ignored token.

        >>> Reading().unit_of("to(2)"), Reading().unit_of("<sil>")
        ('to', None)
        """
        ignored: Collection[str] = IGNORED if self.nothing is None else self.nothing
        for token in (text, text if self.variants else without_variant(text)):
            if token in ignored or token in _EPSILON or token in more:
                return None
        text = token
        return text.lower() if (lower if self.lower is None else self.lower) else text


def is_encoding(name: str) -> bool:
    """Whether this is the name of an encoding of text.

    >>> is_encoding("cp1252"), is_encoding("rot13"), is_encoding("windows")
    (True, False, False)
    """
    try:
        b"a".decode(name)
    except UnicodeDecodeError:  # half of a character of UTF-16
        return True
    except (LookupError, ValueError):
        return False
    return True


_UNITS: dict[tuple[Any, ...], dict[bytes, str | None]] = {}
_MOST_UNITS = 10**6


def remembered_units(reading: Reading) -> dict[bytes, str | None]:
    """The units of the tokens read so far, kept for the next utterance that is read in the same way."""
    ignored = None if reading.nothing is None else frozenset(reading.nothing)
    units = _UNITS.setdefault((ignored, reading.variants, reading.lower), {})
    if len(units) > _MOST_UNITS:  # no language has so many words
        units.clear()
    return units


class Turn(NamedTuple):
    """What a transcript says about a piece: its recording, where in it the piece begins in seconds, and who speaks.

    ``estimated`` tells that some times of words are not given, but shares of longer stretches; ``title`` is that of
    the recording.
    """

    recording: str
    offset: float = 0.0
    speaker: str = ""
    estimated: bool = False
    title: str = ""

    def __repr__(self) -> str:
        """Without an empty title: recordings that were indexed before there were titles are known by it.

        >>> Turn("x"), Turn("x", title="On printing")
        (Turn(recording='x', offset=0.0, speaker='', estimated=False), Turn(recording='x', offset=0.0, speaker='', \
estimated=False, title='On printing'))
        """
        values = {name: value for name, value in self._asdict().items() if name != "title" or value}
        return f"Turn({', '.join(f'{name}={value!r}' for name, value in values.items())})"


class Piece(NamedTuple):
    """One utterance of a source, not yet parsed: ``data`` is None where it is the whole file ``path``.

    ``line`` is where its text begins in the file, ``byte`` where its binary data do (−1: it is text).
    ``turn`` is what a transcript says about it.
    """

    name: str
    format: str
    path: str
    data: bytes | None = None
    line: int = 1
    byte: int = -1
    turn: Turn | None = None

    @property
    def where(self) -> str:
        """The place that errors name."""
        if self.data is None:
            return self.path
        return f"{self.path}, {self.name}" + (f", byte {self.byte}" if self.byte >= 0 else "")

    def content(self) -> bytes:
        """Its bytes, decompressed."""
        return read_bytes(self.path) if self.data is None else self.data

    def lines(self) -> Iterator[tuple[str, str]]:
        """(where, line) of its text, without empty ones."""
        return lines_with_places(decoded(self.content(), self.where, self.line), self.where, self.line)


@lru_cache(maxsize=4)
def _word_list(path: str, changed: int) -> dict[int, str]:
    words: dict[int, str] = {}
    for place, line in lines_with_places(decoded(read_bytes(path), path), path):
        fields = columns(line)
        if len(fields) != 2:
            raise InputError(f"expected a word and its number, got {shorten(line)}", place)
        at = whole_number(fields[1], place, "the number of a word", 2**31)
        if at in words:
            raise InputError(f"the number {at} stands for {shorten(words[at])} and for {shorten(fields[0])}", place)
        words[at] = fields[0]
    if not words:
        raise InputError("no words", path)
    return words


def word_list(path: str | os.PathLike | None) -> dict[int, str]:
    """Number → word of a ``words.txt``; kept for the next utterance."""
    return {} if path is None else _word_list(str(path), os.stat(path).st_mtime_ns)


class Gathered:
    """The lines of one utterance of a text file, as they come."""

    def __init__(self, name: str, format: str, path: str, line: int) -> None:
        self.name, self.format, self.path, self.line = name, format, path, line
        self._text = bytearray()

    def add(self, line: bytes) -> None:
        """Append a line; raise InputError where the utterance becomes too large."""
        self._text += line
        if len(self._text) > MOST_BYTES:
            raise InputError(f"the utterance {shorten(self.name)} has more than {MOST_BYTES >> 20} MB", self.path)

    def piece(self) -> Piece:
        """The utterance, not yet parsed."""
        return Piece(self.name, self.format, self.path, bytes(self._text), self.line)


def split_at(path: str, format: str, name_of: Callable[[bytes], str | None]) -> Iterator[Piece]:
    """Pieces of a text file: each begins with a line for which ``name_of`` gives the utterance's name."""
    lines: Gathered | None = None
    for at, line in read_lines(path):
        next_name = name_of(line)
        if next_name is not None:
            if lines is not None:
                yield lines.piece()
            lines = Gathered(next_name, format, path, at)
        if lines is not None:
            lines.add(line)
        elif line.strip():
            raise InputError(f"expected the name of an utterance, got {shorten(repr(line[:40]))}", f"{path}, line {at}")
    if lines is not None:
        yield lines.piece()


@lru_cache(maxsize=2)
def lines_of(head: bytes) -> tuple[bytes, ...]:
    """The lines that a file begins with, without empty ones and blanks at their ends; binary data have none.

    A line that the head cuts in two is left out, unless it is the only one.
    """
    if b"\0" in head:
        return ()
    lines = head.split(b"\n")
    whole = lines[:-1] if len(head) >= HEAD - 3 and len(lines) > 1 else lines
    return tuple(stripped for line in whole if (stripped := line.strip()))


def rows_of(head: bytes, fits: Callable[[list[str]], bool] | None = None, most: int | None = None) -> list[list[str]]:
    """The columns of the first lines of a file, at most so many; none where one does not fit.

    >>> rows_of(b"0 1 a\\n\\n1 0.5\\n"), rows_of(b"0 1 a\\n1 0.5\\n", fits=all_numbers)
    ([['0', '1', 'a'], ['1', '0.5']], [])
    """
    rows = []
    for line in lines_of(head)[:most]:
        row = columns(line.decode("utf-8", "replace"))
        if fits is not None and not fits(row):
            return []
        rows.append(row)
    return rows


def all_numbers(fields: Sequence[str]) -> bool:
    """Whether all of these columns are read as numbers.

    >>> all_numbers(["1", "-2.5"]), all_numbers(["1", "a"])
    (True, False)
    """
    return all(map(is_number, fields))


def is_states(fields: Sequence[str]) -> bool:
    """Whether columns are numbers of states, or of words.

    >>> is_states(["0", "12"]), is_states(["00:01,5"])
    (True, False)
    """
    return all(field.isascii() and field.isdigit() for field in fields)
