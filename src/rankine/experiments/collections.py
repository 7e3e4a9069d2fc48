"""The collections that the experiments use, in the folder that RANKINE_DATA names: LETOR sets and recorded speech."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..errors import InputError, unknown

if TYPE_CHECKING:
    from ..data import RankingData


class LetorSet(NamedTuple):
    """A LETOR set: its name in print, its folder, and the normaliser its features need."""

    title: str
    folder: str
    normalise: str | None


class SpeechSet(NamedTuple):
    """A set of transcribed recordings with their lattices: its name in print, its folder, and its language."""

    title: str
    folder: str
    language: str


LETOR_SETS = {
    "mq2008": LetorSet("MQ2008", "letor/mq2008", None),
    "ohsumed": LetorSet("OHSUMED (LETOR 3.0)", "letor/ohsumed", None),
    "ohsumed-letor2": LetorSet("OHSUMED (LETOR 2.0)", "letor/ohsumed-letor2", "query-minmax"),
}
SPEECH_SETS = {
    "lj": SpeechSet("English (LJSpeech, PocketSphinx)", "speech/lj", "en"),
    "aishell": SpeechSet("Mandarin (commands, Kaldi)", "speech/aishell", "zh"),
}


class LetorFold(NamedTuple):
    """Training, validation and test queries."""

    train: RankingData
    valid: RankingData
    test: RankingData


def letor_folds(name: str) -> Iterator[LetorFold]:
    """The five folds of a set: S1+S2+S3 / S4 / S5, and so on round the circle."""
    from ..alignment import concatenate

    fifths = _fifths(_folder(name, LETOR_SETS))
    for i in range(5):
        turned = [fifths[(i + j) % 5] for j in range(5)]
        yield LetorFold(concatenate(turned[:3]), turned[3], turned[4])


def check_letor_sets(names: Iterable[str]) -> None:
    """Raise InputError for an unknown name or missing data, before a long computation starts."""
    for name in names:
        next(letor_folds(name))


@lru_cache(maxsize=3)
def _fifths(folder: Path) -> tuple[RankingData, ...]:
    from ..io import load_letor

    return tuple(load_letor(folder / f"S{i}.txt.xz") for i in range(1, 6))


def _folder(name: str, sets: dict[str, LetorSet] | dict[str, SpeechSet]) -> Path:
    """The folder of a set."""
    if name not in sets:
        raise unknown("set", name, sets)
    place = os.environ.get("RANKINE_DATA")
    if not place:
        raise InputError(f"set RANKINE_DATA to the folder that holds {sets[name].folder}")
    return Path(place, sets[name].folder)


def speech_folder(name: str) -> Path:
    """The folder of recorded speech; raises InputError for an unknown name, or where RANKINE_DATA is not set."""
    return _folder(name, SPEECH_SETS)


def transcripts(name: str) -> dict[str, str]:
    """The text of every utterance of recorded speech."""
    lines = (speech_folder(name) / "transcripts.tsv").read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines if line.strip())


def words_of(text: str) -> list[str]:
    """Words in lower case without punctuation.

    >>> words_of("Printing, in the only sense—that's all.")
    ['printing', 'in', 'the', 'only', 'sense', "that's", 'all']
    """
    return re.findall(r"[a-z0-9']+", text.lower())
