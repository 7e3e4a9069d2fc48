"""Work on every utterance of a source: in parallel, in order, a bad one reported and passed over."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError
from ..parallel import process_map
from .formats import Piece, Reading, files, load, pieces
from .lattice import Lattice
from .posterior import ArcPosteriors, arc_posteriors


@dataclass(frozen=True)
class Scoring:
    """How utterances are read and their arcs weighed.

    Args:
        reading: how words are read.
        acoustic_scale: multiplies acoustic scores. None: 0.1 for Kaldi's lattices with frames of 10 ms, else 1.
        language_scale: multiplies language scores.
        penalty: added for every word.
        beam: keep only arcs on a path that is at most e^beam times less likely than the likeliest; None: all.
    """

    reading: Reading = field(default_factory=Reading)
    acoustic_scale: float | None = None
    language_scale: float = 1.0
    penalty: float = 0.0
    beam: float | None = None

    def weigh(self, lattice: Lattice, format: str = "") -> ArcPosteriors:
        """Posteriors of all arcs."""
        scale = self.acoustic_scale
        if scale is None:
            scale = 0.1 if format == "kaldi" and self.reading.frame < 0.02 else 1.0
        return arc_posteriors(lattice, scale, self.language_scale, self.penalty)

    def open(self, piece: Piece) -> tuple[Lattice, ArcPosteriors]:
        """The lattice of an utterance within the beam, and the posteriors of its arcs."""
        lattice = load(piece, self.reading)
        found = self.weigh(lattice, piece.format)
        if self.beam is None:
            return lattice, found
        with np.errstate(divide="ignore"):
            kept = lattice.beam(self.beam, np.log(found.transition))
        return (lattice, found) if kept is lattice else (kept, self.weigh(kept, piece.format))


class Outcome(NamedTuple):
    """What became of an utterance: a result, or what was wrong with it."""

    name: str
    result: Any = None
    error: str | None = None


def each(
    source: str | os.PathLike,
    work: Callable[[Piece], Any],
    format: str | None = None,
    workers: int = 1,
    skip: int = 0,
) -> Iterator[Outcome]:
    """``work`` for every utterance after the first ``skip``, in order. What is wrong with one is its outcome.

    Where an archive is damaged the rest of it is lost: one of the last outcomes says so.
    """
    broken: list[Outcome] = []

    def whole() -> Iterator[Piece]:
        for path, kind in files(source, format):
            try:
                yield from pieces(path, kind)
            except InputError as error:
                broken.append(Outcome(f"the rest of {path}", None, str(error)))

    yield from process_map(partial(guarded, work), islice(whole(), skip, None), workers)
    yield from broken


def guarded(work: Callable[[Piece], Any], piece: Piece) -> Outcome:
    """The outcome of one utterance."""
    try:
        return Outcome(piece.name, work(piece))
    except InputError as error:
        return Outcome(piece.name, None, str(error))
