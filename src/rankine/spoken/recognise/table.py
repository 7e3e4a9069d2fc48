"""The table of recognisers, and what a recogniser must have."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from ...errors import InputError, nearest
from .pocketsphinx import PocketSphinx


class Recogniser(Protocol):
    """What a recogniser must have; it is sent to other processes, so it must be picklable.

    It may have a method ``start()`` too. It is called once before the first recording is recognised, and raises
    InputError where the recogniser cannot work with its settings.
    """

    @property
    def rate(self) -> int:
        """Samples per second of the audio that it takes."""
        ...  # pragma: no cover

    @property
    def ending(self) -> str:
        """Ending of the files that hold its results, that of a lattice format: ``".slf.gz"``, ``".nbest"``, …"""
        ...  # pragma: no cover

    def __call__(self, samples: np.ndarray) -> bytes | None:
        """The content of such a file for a segment of speech (16 bits, one channel); None if nothing was understood."""
        ...  # pragma: no cover


class RecogniserRow(NamedTuple):
    """A recogniser: its class, what it is in one line, and the extra of the package that it needs."""

    make: Any
    explanation: str
    extra: str


TABLE: dict[str, RecogniserRow] = {
    "pocketsphinx": RecogniserRow(
        PocketSphinx, "PocketSphinx with its US English model, or others; lattices", "spoken"
    ),
}


def get(name: str) -> Recogniser:
    """The recogniser of this name, with its default settings."""
    if name not in TABLE:
        raise InputError(f"unknown recogniser {name!r}.{nearest(name, TABLE)} There are: {', '.join(TABLE)}")
    return TABLE[name].make()
