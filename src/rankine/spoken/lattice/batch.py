"""Work on every utterance of a source: in parallel, in order, a bad one reported and passed over."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from ...errors import InputError
from ...parallel import process_map
from .formats import Piece, Reading, files, load, pieces
from .lattice import Lattice
from .posteriors import ArcPosteriors, arc_posteriors, as_scores


@dataclass(frozen=True)
class Scoring:
    """How utterances are read and their arcs weighed.

    Args:
        reading: how words are read.
        acoustic_scale: multiplies acoustic scores. None: 0.1 for Kaldi's lattices with frames of 10 ms, else 1.
        language_scale: multiplies language scores.
        penalty: added for every word.
        beam: keep only arcs on a path that is at most e^beam times less likely than the likeliest; None: all.
        use: ``"scores"``, ``"given"`` (the source's own posteriors) or ``"auto"``: those given, if all are. Scales and
            penalty matter only for scores.
    """

    reading: Reading = field(default_factory=Reading)
    acoustic_scale: float | None = None
    language_scale: float = 1.0
    penalty: float = 0.0
    beam: float | None = None
    use: str = "auto"

    def scale(self, format: str) -> float:
        """The acoustic scale for a source."""
        if self.acoustic_scale is not None:
            return self.acoustic_scale
        return 0.1 if format == "kaldi" and self.reading.frame < 0.02 else 1.0

    def weigh(self, lattice: Lattice, format: str = "") -> ArcPosteriors:
        """Posteriors of all arcs."""
        return arc_posteriors(lattice, self.scale(format), self.language_scale, self.penalty, self.use)

    def open(self, piece: Piece) -> Lattice:
        """The lattice of an utterance within the beam, its scores the logs of transition probabilities.

        So its posteriors are ``arc_posteriors(lattice)``, however it is pruned or split from here on.
        """
        lattice = load(piece, self.reading)
        weighed = as_scores(lattice, self.weigh(lattice, piece.format))
        return weighed if self.beam is None else weighed.beam(self.beam)


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
        for file in files(source, format):
            try:
                yield from pieces(file)
            except InputError as error:
                broken.append(Outcome(f"the rest of {file.path}", None, str(error)))

    yield from process_map(partial(guarded, work), islice(whole(), skip, None), workers)
    yield from broken


def guarded(work: Callable[[Piece], Any], piece: Piece) -> Outcome:
    """The outcome of one utterance; an error names the place."""
    try:
        return Outcome(piece.name, work(piece))
    except InputError as error:
        text = str(error)
    except Exception as error:  # a mistake of ours: it must not end the batch
        text = f"{type(error).__name__}: {error}"
    return Outcome(piece.name, None, text if piece.path in text else f"{piece.where}: {text}")
