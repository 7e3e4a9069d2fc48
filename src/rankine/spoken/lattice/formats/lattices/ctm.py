"""Simpler sources: one-best words with times and confidences (CTM).

A one-best word with confidence c becomes an arc with posterior c beside an empty arc with 1 − c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .....errors import InputError, shorten
from ....text import columns, has_blanks, number, read_lines
from ...lattice import Lattice
from ..reading import Gathered, Piece, Reading, all_numbers, rows_of
from ..transcripts.lattice import lattice_of
from ..transcripts.transcript import (
    Alternative,
    Transcript,
    TranscriptSegment,
    TranscriptWord,
    check_timed,
    check_word,
    in_milliseconds,
)
from .networks import Slot, slots_as_lattice

_MICROSECONDS = 6  # decimals of sums of times that are read
_MARKS = frozenset(["<ALT_BEGIN>", "<ALT>", "<ALT_END>"])


def one_best(
    words: Sequence[tuple[str, float, float, float]],
    name: str = "",
    where: str = "",
    reading: Reading = Reading(),  # noqa: B008 (it is frozen)
    lower: bool = False,
) -> Lattice:
    """A lattice with one path from (word, start, end, confidence).

    >>> one_best([("hello", 0.0, 0.5, 0.8)]).posterior
    array([0.8, 0.2])
    """
    if not words:
        raise InputError("no words", where or name or None)
    slots: list[Slot] = []
    for word, begin, end, confidence in words:
        check_word(word, begin, end, confidence, where or None)
        unit = reading.unit_of(word, lower)
        slots.append({unit: (1.0 if unit is None else confidence, begin, end)})
    return slots_as_lattice(slots, name, where or name)


def looks_like_ctm(head: bytes) -> bool:
    """Whether all lines have 5 or 6 columns, the third and fourth numbers and the fifth not always one."""
    rows = [row for row in rows_of(head, _is_line) if not row[0].startswith(";;")]
    return not all(all_numbers(row[4:5]) for row in rows)


def _is_line(row: list[str]) -> bool:
    shaped = len(row) in (5, 6) and (all_numbers(row[2:4] + row[5:]) or row[4] in _MARKS)
    return shaped or row[0].startswith(";;")


def split_ctm(path: str) -> Iterator[Piece]:
    """The utterances of a CTM, by file and channel (1 and A are not named); the lines of one must stand together."""
    lines, seen = None, set[str]()
    for at, line in read_lines(path):
        fields = line.split(None, 2)
        if len(fields) > 1 and not line.startswith(b";;"):
            file, channel = (p.decode("utf-8", "replace") for p in fields[:2])
            own = file if channel in ("1", "A") else f"{file}-{channel}"
            if lines is None or own != lines.name:
                if lines is not None:
                    yield lines.piece()
                if own in seen:
                    raise InputError(f"the lines of {shorten(own)} do not stand together", f"{path}, line {at}")
                seen.add(own)
                lines = Gathered(own, "ctm", path, at)
        elif line.strip() and not line.startswith(b";;"):
            raise InputError("expected 5 or 6 columns, got 1", f"{path}, line {at}")
        if lines is not None:
            lines.add(line)
    if lines is not None:
        yield lines.piece()


def parse_ctm(piece: Piece, reading: Reading) -> Lattice:
    """Utterance, channel, start, duration, word, confidence (1 if missing).

    What stands between ``<ALT_BEGIN>`` and ``<ALT_END>`` are alternatives, divided by ``<ALT>`` and equally likely.
    """
    parts: list[list[list[TranscriptWord]]] = [[[]]]  # words, or alternatives
    for where, line in piece.lines():
        if line.startswith(";;"):
            continue
        fields = columns(line)
        if len(fields) not in (5, 6):
            raise InputError(f"expected 5 or 6 columns, got {len(fields)}", where)
        if fields[4] in _MARKS:
            _mark(parts, fields[4], where)
            continue
        begin, length = number(fields[2], where), number(fields[3], where)
        end = max(begin, round(begin + length, _MICROSECONDS)) if length >= 0 else begin + length
        word = (fields[4], begin, end, number(fields[5], where) if len(fields) == 6 else 1.0)
        check_word(*word, where)  # an error names the line
        parts[-1][-1].append(TranscriptWord(*word))
    if len(parts) % 2 == 0:
        raise InputError("<ALT_BEGIN> without <ALT_END>", piece.where)
    ordered = [[sorted(words, key=lambda w: w.start) for words in part] for part in parts]
    if len(parts) == 1:
        return one_best(ordered[0][0], piece.name, piece.where, reading)
    segments = [_alternatives(part) for part in ordered if any(part)]
    return lattice_of(segments, 0.0, piece.name, piece.where, reading, sentences=False)


def _mark(parts: list[list[list[TranscriptWord]]], mark: str, where: str) -> None:
    """Begin alternatives, the next of them, or what follows them."""
    inside = len(parts) % 2 == 0
    if inside == (mark == "<ALT_BEGIN>"):
        raise InputError(f"{mark} {'inside of' if inside else 'without'} <ALT_BEGIN>", where)
    if mark == "<ALT>":
        parts[-1].append([])
    else:
        parts.append([[]])


def _alternatives(part: list[list[TranscriptWord]]) -> TranscriptSegment:
    """A segment of equally likely alternatives; an empty one, or ``@``, is that nothing was said."""
    hypotheses = [tuple(w for w in words if w.text != "@") for words in part]
    times = [t for words in hypotheses for w in words for t in (w.start, w.end)]
    others = tuple(Alternative(1 / len(part), words) for words in hypotheses[1:])
    return TranscriptSegment(min(times, default=0.0), max(times, default=0.0), hypotheses[0], alternatives=others)


def write_ctm(transcript: Transcript) -> bytes:
    """CTM: the words of a transcript with times in milliseconds and confidences; speakers are lost."""
    name = transcript.name
    check_timed(transcript, "CTM")
    lines = []
    for word in (w for segment in transcript.segments for w in segment.words):
        if has_blanks(word.text + name):
            raise InputError(f"CTM cannot hold {shorten(word.text)} of {shorten(name)}: no blanks")
        begin, end = in_milliseconds(word.start), in_milliseconds(word.end)
        length = in_milliseconds(end - begin)
        lines.append(f"{name} 1 {begin!r} {length!r} {word.text} {word.confidence!r}\n")
    return "".join(lines).encode()
