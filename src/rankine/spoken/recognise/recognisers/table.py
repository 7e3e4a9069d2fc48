"""The table of recognisers, and what a recogniser must have. Looking at it imports nothing heavy.

The command line takes its options of recognition from it.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ....errors import InputError, install, nearest, unknown

if TYPE_CHECKING:
    import numpy as np


PLACES = ("{audio}", "{output}")  # what a command has


class SegmentError(Exception):
    """A recogniser cannot hear one segment: its recording is reported, and the others go on."""


class Recogniser(Protocol):
    """What a recogniser must have; it is sent to other processes, so it must be picklable.

    It may have a method ``start()`` too. It is called once before the first recording is recognised, and raises
    InputError where the recogniser cannot work with its settings. And it may have a property ``settings``, a text: all
    that its results depend on. Without one its attributes are that. A property ``languages`` states the codes of the
    languages that it understands, a method ``in_language(language)`` returns the recogniser for recordings in one.
    Where a property ``detects`` is true, ``language_of(segments)`` tells what is spoken in the first segments of a
    recording.
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
        """The content of such a file for a segment of speech (16 bits, one channel); None if nothing was understood.

        An InputError or an OSError ends the run. Any other error, such as SegmentError, is reported for its recording.
        """
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
    """A recogniser: its module and class, what it is in one line, the extra of the package it needs, its options.

    ``packages`` are the modules that the extra brings; ``languages`` says what it understands, ``yields`` what it
    makes, ``model`` where its model comes from, ``mark`` a file that the folder of each of its models has, ``cost`` how
    much processor time a second of audio takes with what is the default (`python -m benchmarks recognisers`).
    """

    module: str
    class_name: str
    explanation: str
    extra: str
    options: tuple[RecogniserOption, ...] = ()
    packages: tuple[str, ...] = ()
    languages: str = ""
    yields: str = ""
    model: str = ""
    cost: str = ""
    mark: str = ""

    @property
    def is_installed(self) -> bool:
        """Whether the modules that it needs are there."""
        return all(find_spec(package) is not None for package in self.packages)

    def load(self) -> Any:
        """The class."""
        return self._load(self.class_name)

    def make(self, **options: Any) -> Recogniser:
        """The recogniser with these parameters."""
        return self.load()(**options)

    def read(self, option: RecogniserOption, value: Any) -> Any:
        """The parameter that a value on the command line stands for."""
        return self._load(option.reader)(value) if option.reader else value

    def _load(self, name: str) -> Any:
        return getattr(import_module(f".{self.module}", __package__), name)


_MODEL = RecogniserOption(
    "model", "--model", "Folder of a model, or its name (`rankine spoken models list`); default: its own."
)
_NUMBER = RecogniserOption(
    "number", "--number", "How many hypotheses: samples (20), the beam of nbest (5), Vosk's alternatives (100).", int
)
TABLE: dict[str, RecogniserRow] = {
    "pocketsphinx": RecogniserRow(
        "pocketsphinx",
        "PocketSphinx",
        "PocketSphinx with its US English model, or others",
        "spoken",
        (
            RecogniserOption(
                "without",
                "--without-words",
                "A file of words that the recogniser is not to know.",
                reader="read_words",
            ),
            _MODEL,
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
        packages=("pocketsphinx",),
        languages="US English, others by --model",
        yields="lattices",
        model="inside its package",
        cost="0.32 s",
        mark="mdef",
    ),
    "whisper": RecogniserRow(
        "whisper",
        "Whisper",
        "OpenAI's Whisper by CTranslate2, on the processor",
        "whisper",
        (
            _MODEL,
            RecogniserOption(
                "hypotheses",
                "--hypotheses",
                "What Whisper gives: samples (drawn at random), nbest (of a beam), or best (one text).",
            ),
            _NUMBER,
            RecogniserOption("temperature", "--temperature", "Of the samples (0.6); less prefers the likely.", float),
            RecogniserOption("seed", "--seed", "Of the samples: the same seed gives the same samples.", int),
            RecogniserOption(
                "language", "--speech-language", "What is spoken, such as de; default: what Whisper thinks."
            ),
        ),
        packages=("ctranslate2", "tokenizers"),
        languages="English; 99 with other models",
        yields="samples or n-best lists",
        model="`rankine spoken models add tiny.en`",
        cost="0.26 s",
        mark="model.bin",
    ),
    "vosk": RecogniserRow(
        "vosk",
        "Vosk",
        "Vosk, Kaldi's decoder with small models",
        "vosk",
        (_MODEL, _NUMBER),
        packages=("vosk",),
        languages="US English, Mandarin; others by --model",
        yields="n-best lists",
        model="`rankine spoken models add vosk-small-en`",
        cost="0.22 s",
        mark="am/final.mdl",
    ),
    "command": RecogniserRow(
        "command",
        "Command",
        "one's own program: --recogniser 'program {audio} {output}'",
        "spoken",
        (RecogniserOption("timeout", "--timeout", "Seconds for each segment; default: 60, and 10 a second.", float),),
        packages=("soundfile",),
        languages="those of the program",
        yields="what the program writes",
        model="that of the program",
        cost="that of the program",
    ),
}


def row_of(name: str) -> RecogniserRow:
    """The row of a recogniser.

    >>> row_of("pocketsphinks")
    Traceback (most recent call last):
    rankine.errors.InputError: unknown recogniser 'pocketsphinks'. Did you mean 'pocketsphinx'? There are: ...
    """
    if is_command(name):
        return TABLE["command"]
    if name not in TABLE:
        raise unknown("recogniser", name, TABLE)
    return TABLE[name]


def is_command(name: str) -> bool:
    """Whether this is a command, not the name of a recogniser.

    >>> is_command("program {audio} {output}.json"), is_command("whisper")
    (True, False)
    """
    return any(place in name for place in PLACES)


def get(name: str, **options: Any) -> Recogniser:
    """The recogniser of this name, or the command; options are those of its row.

    >>> get("pocketsphinx", beam=1e-40).beam
    1e-40
    >>> get("pocketsphinx", speed=2)
    Traceback (most recent call last):
    rankine.errors.InputError: the recogniser 'pocketsphinx' has no option 'speed'. There are: without, model, ...
    """
    row = row_of(name)
    if not row.is_installed:
        raise InputError(f"the recogniser {name!r} is not installed: {install(row.extra)}")
    parameters = [option.parameter for option in row.options]
    for option in options:
        if option not in parameters:
            hint = nearest(option, parameters)
            raise InputError(
                f"the recogniser {name!r} has no option {option!r}.{hint} There are: {', '.join(parameters)}"
            )
    return row.make(command=name, **options) if is_command(name) else row.make(**options)
