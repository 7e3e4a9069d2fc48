"""The lattice of a transcript: its words one after the other, alternatives as parallel paths.

A word with confidence c is an arc with posterior c beside an empty arc with 1 − c.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .....errors import InputError
from ....writing.tokens import BREAKS, clean
from ...lattice import Lattice, numbered
from ..reading import Piece, Reading, Turn
from .transcript import TranscriptSegment, TranscriptWord, spread, unpacked


def parse_turn(piece: Piece, reading: Reading) -> Lattice:
    """The lattice of a turn; its times count from where the turn begins."""
    turn = piece.turn or Turn(piece.name)
    return lattice_of(unpacked(piece.content()), turn.offset, piece.name, piece.where, reading)


class _Arcs:
    """Arcs of a lattice as they are added: (from, to, unit or None, posterior, start, end)."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, int, str | None, float, float, float]] = []
        self.nodes = 1

    def path(
        self, words: Sequence[tuple[str | None, float, float, float]], weight: float, begin: int, end: int
    ) -> None:
        """Words one after the other; what a confidence lacks to 1 is an empty arc."""
        at = begin
        for i, (unit, start, stop, confidence) in enumerate(words):
            to = end if i == len(words) - 1 else self.nodes
            self.nodes += to == self.nodes
            p = 1.0 if unit is None else confidence
            if unit is not None:
                self.rows.append((at, to, unit, weight * p, start, stop))
            if unit is None or 1 - p > 1e-9:
                self.rows.append((at, to, None, weight * (1 - p if unit is not None else 1.0), start, stop))
            at = to


def lattice_of(
    segments: Sequence[TranscriptSegment],
    offset: float,
    name: str,
    where: str,
    reading: Reading,
    sentences: bool = True,
) -> Lattice:
    """The lattice of segments one after the other; the alternatives of one are parallel paths.

    Words of ``sentences`` lose their punctuation, and capital letters unless ``reading`` says otherwise.
    """
    arcs, at = _Arcs(), 0
    for segment in segments:
        best = 1.0 - sum(other.weight for other in segment.alternatives)
        hypotheses = [(best, segment.words), *((other.weight, other.words) for other in segment.alternatives)]
        empty: list[tuple[str | None, float, float, float]] = [
            (None, segment.start - offset, segment.end - offset, 1.0)
        ]
        paths = [(w, _units(words, offset, reading, sentences) or empty) for w, words in hypotheses if w > 1e-9]
        end, arcs.nodes = arcs.nodes, arcs.nodes + 1
        for weight, said in paths:
            arcs.path(said, weight, at, end)
        at = end
    if not arcs.rows:
        raise InputError("no words", where)
    unit, units = numbered([r[2] for r in arcs.rows])
    columns = list(zip(*arcs.rows, strict=True))
    return Lattice.build(
        source=np.array(columns[0]),
        target=np.array(columns[1]),
        unit=unit,
        units=units,
        acoustic=np.zeros(len(unit)),
        language=np.zeros(len(unit)),
        posterior=np.array(columns[3]),
        times=np.array(columns[4:6], np.float64).T.copy(),
        start=0,
        end=at,
        name=name,
        where=where,
    )


def _units(
    words: Sequence[TranscriptWord], offset: float, reading: Reading, sentences: bool
) -> list[tuple[str | None, float, float, float]]:
    """(unit, start, end, confidence) of words; what is written as one word and consists of several shares its time."""
    out = []
    for word in words:
        tokens = [clean(token) for token in BREAKS.split(word.text)] if sentences else [word.text]
        for part in spread([t for t in tokens if t], word.start, word.end, word.confidence):
            out.append((reading.unit_of(part.text, sentences), part.start - offset, part.end - offset, part.confidence))
    return out
