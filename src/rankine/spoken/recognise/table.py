"""The table of recognisers, and what a recogniser must have. Looking at it imports nothing heavy.

The command line takes its options of recognition from it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ...errors import InputError, nearest, unknown

if TYPE_CHECKING:
    import numpy as np


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


class RecogniserOption(NamedTuple):
    """A parameter of a recogniser's class and its flag on the command line, with its help and its type there.

    Recognisers that share a flag share its type and its help. ``reader`` names the function of the recogniser's module
    that turns what stands on the command line into the parameter; without one it is the parameter.
    """

    parameter: str
    flag: str
    help: str
    type: type = str
    reader: str = ""


class RecogniserRow(NamedTuple):
    """A recogniser: its module and class, what it is in one line, the extra of the package it needs, its options."""

    module: str
    class_name: str
    explanation: str
    extra: str
    options: tuple[RecogniserOption, ...] = ()

    def make(self, **options: Any) -> Recogniser:
        """The recogniser with these parameters."""
        return self._load(self.class_name)(**options)

    def read(self, option: RecogniserOption, value: Any) -> Any:
        """The parameter that a value on the command line stands for."""
        return self._load(option.reader)(value) if option.reader else value

    def _load(self, name: str) -> Any:
        return getattr(import_module(f".{self.module}", __package__), name)


TABLE: dict[str, RecogniserRow] = {
    "pocketsphinx": RecogniserRow(
        "pocketsphinx",
        "PocketSphinx",
        "PocketSphinx with its US English model, or others; lattices",
        "spoken",
        (
            RecogniserOption(
                "without",
                "--without-words",
                "A file of words that the recogniser is not to know.",
                reader="read_words",
            ),
            RecogniserOption("model", "--model", "Folder of an acoustic model; default: PocketSphinx's US English."),
            RecogniserOption("language_model", "--lm", "An n-gram model; default: PocketSphinx's own."),
            RecogniserOption("dictionary", "--dict", "A pronunciation dictionary; default: PocketSphinx's own."),
            RecogniserOption(
                "beam",
                "--beam",
                "The decoder's beam, a ratio (1e-48): smaller is slower, with larger lattices.",
                float,
            ),
            RecogniserOption(
                "word_beam", "--word-beam", "The decoder's beam at ends of words, a ratio (7e-29).", float
            ),
        ),
    ),
}
DEFAULT = "pocketsphinx"


def row_of(name: str) -> RecogniserRow:
    """The row of a recogniser.

    >>> row_of("pocketsphinks")
    Traceback (most recent call last):
    rankine.errors.InputError: unknown recogniser 'pocketsphinks'. Did you mean 'pocketsphinx'? There are: ...
    """
    if name not in TABLE:
        raise unknown("recogniser", name, TABLE)
    return TABLE[name]


def get(name: str = DEFAULT, **options: Any) -> Recogniser:
    """The recogniser of this name; options are those of its row.

    >>> get("pocketsphinx", beam=1e-40).beam
    1e-40
    >>> get("pocketsphinx", speed=2)
    Traceback (most recent call last):
    rankine.errors.InputError: the recogniser 'pocketsphinx' has no option 'speed'. There are: without, model, ...
    """
    row = row_of(name)
    parameters = [option.parameter for option in row.options]
    for option in options:
        if option not in parameters:
            hint = nearest(option, parameters)
            raise InputError(
                f"the recogniser {name!r} has no option {option!r}.{hint} There are: {', '.join(parameters)}"
            )
    return row.make(**options)
