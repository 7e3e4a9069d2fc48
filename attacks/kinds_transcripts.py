"""Kinds of transcripts that are mutated: JSON of recognisers and services, captions, tables, tiers and XML."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from rankine.spoken.lattice import formats
from rankine.spoken.lattice.formats.transcripts.transcript import (
    Transcript,
    TranscriptSegment,
    TranscriptWord,
    unpacked,
)
from tests import reference_transcripts as slow
from tests.spoken.lattice.formats.cases import TEXTS

from . import mutate
from .kinds import Kind
from .kinds_spoken import WORDS, LatticeKind


def transcript(rng: random.Random) -> Transcript:
    """A few segments of two speakers, some of whose words have times."""
    segments, at = [], 0.0
    for _ in range(rng.randrange(1, 4)):
        start, words = at, []
        for word in rng.sample(WORDS[:8], rng.randrange(1, 5)):
            length = round(rng.random(), 2)
            text = word + rng.choice(["", "", ",", ".", "!"])
            words.append(TranscriptWord(text, round(at, 2), round(at + length, 2), round(rng.random(), 3)))
            at = words[-1].end
        segments.append(TranscriptSegment(start, at, tuple(words), rng.choice(["", "Ann", "Bob"])))
    return Transcript("input", tuple(segments))


class TranscriptKind(LatticeKind):
    """A format of transcripts: the words are those that the slow reader of the format reads, where there is one."""

    def sample(self, rng: random.Random) -> bytes:
        """A transcript that is written, or the small file of the tests."""
        row = formats.TABLE[self.format]
        if row.write is not None and rng.random() < 0.7:
            return row.write(transcript(rng))
        return next(text for text in map(str.encode, TEXTS.values()) if row.sniff(text))

    def agrees(self, path: Path, result: Any) -> None:
        """The lattices of the turns are those of their words, which are those of the file."""
        super().agrees(path, result)
        if self.format in slow.READERS:
            pieces = formats.pieces(formats.files(path, self.format)[0])
            slow.same(self.format, path.read_bytes(), [s for piece in pieces for s in unpacked(piece.content())])


class JsonKind(TranscriptKind):
    """JSON of a recogniser or a service."""

    def __init__(self, name: str) -> None:
        super().__init__(name, ".json")

    def write(self, rng: random.Random, folder: Path) -> Path:
        """JSON with other values, or another text."""
        path = folder / "input.json"
        data = self.sample(rng)
        try:
            path.write_bytes(mutate.json_text(rng, json.loads(data), mild=0.7))
        except json.JSONDecodeError:  # several values
            path.write_bytes(mutate.text(rng, data))
        return path


KINDS: list[Kind] = [
    JsonKind(name) if ".json" in row.endings else TranscriptKind(name, next(iter(row.endings), ""))
    for name, row in formats.TABLE.items()
    if row.read is not None
]
