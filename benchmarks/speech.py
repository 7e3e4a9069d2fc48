"""What the benchmarks of recognisers share: utterances of LJSpeech, and lattices from what a recogniser gives."""

import gzip
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rankine.spoken.lattice.formats import Piece, Reading
from rankine.spoken.lattice.formats.lattices.slf import parse_slf
from rankine.spoken.lattice.lattice import Lattice
from rankine.spoken.recognise.audio.audio import segments
from rankine.spoken.recognise.audio.cutting import ALL
from rankine.spoken.recognise.recognisers.trimming import without_outer_words
from rankine.spoken.writing.tokens import clean, written_words

RATE = 16000


class Utterance(NamedTuple):
    """An utterance: its name, its samples, and its words as they are compared."""

    name: str
    samples: np.ndarray
    words: list[str]


def plain_words(text: str) -> list[str]:
    """The words of a text as they are written, in lower case, without punctuation."""
    return [clean(word).lower() for word in written_words(text)]


def utterances(step: int = 1) -> list[Utterance]:
    """Every so-manyth utterance of LJSpeech, chapter 1; none where the data are not there."""
    place = Path(os.environ.get("RANKINE_DATA", ""), "speech", "lj")
    if not (place / "transcripts.tsv").exists():
        print("  set RANKINE_DATA")
        return []
    lines = (place / "transcripts.tsv").read_text(encoding="utf-8").splitlines()
    said = {name: plain_words(text) for name, text in (line.split("\t")[:2] for line in lines)}
    paths = sorted((place / "audio").glob("*.flac"))[::step]
    return [Utterance(path.stem, next(segments(path, RATE)).samples, said[path.stem]) for path in paths]


def lattice_in(content: bytes) -> Lattice:
    """The lattice of SLF, gzipped."""
    return parse_slf(Piece("x", "slf", "x.slf", gzip.decompress(content)), Reading())


def one_text(content: bytes | None, inner: tuple[float, float] = ALL) -> list[str]:
    """The words of a lattice with one text, those of its inner part."""
    if content is None:
        return []
    lattice = without_outer_words(lattice_in(content), inner)
    return lattice.words(sorted(range(len(lattice)), key=lattice.source.__getitem__))
