"""How utterances are read and their arcs weighed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from ...errors import InputError
from ...system.parallel import process_map
from .formats import TABLE, Piece, Reading, files, load, pieces
from .lattice import Lattice
from .posteriors import ArcPosteriors, arc_posteriors, as_scores


@dataclass(frozen=True)
class Scoring:
    """How utterances are read and their arcs weighed.

    Args:
        reading: how words are read.
        acoustic_scale: multiplies acoustic scores. None: the default of the format, 0.1 for Kaldi's lattices with
            frames of 10 ms, else 1.
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
        """The acoustic scale for a format; 1 for a lattice that was not read from a file."""
        if self.acoustic_scale is not None:
            return self.acoustic_scale
        return TABLE[format].scale(self.reading.frame) if format else 1.0

    def weigh(self, lattice: Lattice, format: str = "") -> ArcPosteriors:
        """Posteriors of all arcs."""
        return arc_posteriors(lattice, self.scale(format), self.language_scale, self.penalty, self.use)

    def open(self, piece: Piece) -> Lattice:
        """The lattice of an utterance within the beam, its scores the logs of transition probabilities.

        So its posteriors are ``arc_posteriors(lattice)``, however it is pruned or split from here on.
        """
        return self.weighed(self.load(piece), piece.format)

    def load(self, piece: Piece) -> Lattice:
        """The lattice of an utterance; that of an n-best list is the network of its weighed hypotheses."""
        return load(piece, self.reading, partial(self.weigh, format=piece.format))

    def weighed(self, lattice: Lattice, format: str = "") -> Lattice:
        """A lattice within the beam, its scores the logs of transition probabilities."""
        is_aligned = bool(format) and TABLE[format].align is not None
        scoring = replace(self, use="auto") if is_aligned else self  # what was aligned has been weighed
        weighed = as_scores(lattice, scoring.weigh(lattice, format))
        return weighed if self.beam is None else weighed.beam(self.beam)


# -- Work on every utterance of a source, in parallel and in order; errors are results


class UtteranceResult(NamedTuple):
    """The result of the work on an utterance, or the error that it raised."""

    name: str
    result: Any = None
    error: str | None = None


def each(
    source: str | os.PathLike,
    work: Callable[[Piece], Any],
    format: str | None = None,
    workers: int = 1,
    skip: int = 0,
    encoding: str | None = None,
) -> Iterator[UtteranceResult]:
    """The result of ``work`` for every utterance after the first ``skip``, in order; an error is a result too.

    Where a file of several utterances is damaged the rest of it is lost: one of the last results is that error.
    """
    damaged: list[UtteranceResult] = []

    def utterances() -> Iterator[Piece]:
        for file in files(source, format):
            try:
                yield from pieces(file, encoding)
            except InputError as error:
                damaged.append(UtteranceResult(f"the rest of {file.path}", None, str(error)))

    yield from process_map(partial(guarded, work), islice(utterances(), skip, None), workers, lost=lost)
    yield from damaged


def guarded(work: Callable[[Piece], Any], piece: Piece) -> UtteranceResult:
    """The result of one utterance; an error names the place."""
    try:
        return UtteranceResult(piece.name, work(piece))
    except InputError as error:
        text = str(error)
    except Exception as error:  # a bug here must not end the batch
        text = f"{type(error).__name__}: {error}"
    return UtteranceResult(piece.name, None, text if piece.path in text else f"{piece.where}: {text}")


def lost(piece: Piece, why: str) -> UtteranceResult:
    """The result of an utterance whose process died."""
    return UtteranceResult(piece.name, None, f"{piece.where}: {why}")
