"""Work on every utterance of a source, in parallel and in order; errors are results."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from ...errors import InputError
from ...system.parallel import process_map
from .formats import Piece, files, pieces


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
