"""The collections that the experiments use: LETOR sets and recorded speech in the folder that RANKINE_DATA names, and
files of one's own.

A set is called by its name. That of files of one's own begins with ``files:`` and holds their places, so that processes
of a pool find them; :func:`named_sets` makes it from what ``--data`` was given.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rankine.errors import InputError, unknown

if TYPE_CHECKING:
    from rankine.data.ranking_data import RankingData


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


_OWN, _SPEECH = "files:", "speech:"
_LANGUAGES = ("en", "zh")
_EXPECTED = "transcripts.tsv (utterance, tab, text), lattices with the same names, and for Mandarin words.txt"
_OWN_NORMALISER = "query-minmax"  # as LETOR has it
SEED = 0


def named_sets(names: Iterable[str], table: Iterable[str] = LETOR_SETS) -> list[str]:
    """The sets that ``--data`` names: known ones by their names; all files together are one more."""
    there, sets, files = list(table), [], []
    for name in names:
        if name in there:
            sets.append(name)
        elif Path(name).exists() or any(c in name for c in "*?["):
            files.append(name)
        elif Path(name).suffix or os.sep in name:
            raise InputError("there is no such file", name)
        else:
            raise unknown("set", name, [*there, "a file of your own"])
    return [*sets, *([own_set(files)] if files else [])]


def own_set(files: Iterable[str | Path]) -> str:
    """The name of the set that some files make.

    >>> is_own(own_set(["a.txt"])), is_own("mq2008")
    (True, False)
    """
    return _OWN + "\n".join(os.path.abspath(file) for file in files)


def is_own(name: str) -> bool:
    """Whether a set consists of files of one's own."""
    return name.startswith(_OWN)


def letor_set(name: str) -> LetorSet:
    """The row of a set; of files of one's own the title is their names.

    >>> letor_set(own_set(["/x/a.txt", "/x/b.txt"])).title
    'a.txt and b.txt'
    """
    if not is_own(name):
        if name not in LETOR_SETS:
            raise unknown("set", name, LETOR_SETS)
        return LETOR_SETS[name]
    files = [Path(file).name for file in name.removeprefix(_OWN).split("\n")]
    title = " and ".join(files) if len(files) < 4 else f"{files[0]} and {len(files) - 1} more files"
    return LetorSet(title, "", _OWN_NORMALISER)


def folder_of(name: str) -> str:
    """What the folder of a report on a set is called.

    >>> folder_of("mq2008"), folder_of(own_set(["a.txt"])), folder_of("speech:en:/x/talks")
    ('mq2008', 'own', 'talks')
    """
    if name.startswith(_SPEECH):
        return Path(name).name
    return "own" if is_own(name) else name


def own_data(name: str) -> RankingData:
    """The judged data of files of one's own; an error if there is nothing to learn from it."""
    import numpy as np  # not for help texts, which need this module

    from rankine.io.formats import load_data

    data = load_data(name.removeprefix(_OWN).split("\n"))
    title, y = letor_set(name).title, data.y
    if not isinstance(y, np.ndarray):
        raise InputError("experiments need grades, the data has a preference graph", title)
    if y.min() < 0:
        raise InputError(f"experiments need grades of at least 0, got {y.min():g}", title)
    if (np.maximum.reduceat(y, data.ptr[:-1]) == np.minimum.reduceat(y, data.ptr[:-1])).all():
        raise InputError("experiments need documents of different grade, and no query has any", title)
    return data


def err_of(name: str) -> str:
    """ERR with the highest grade of a set; it is 2 in the LETOR sets."""
    highest = max(part.y.max() for part in next(letor_folds(name))) if is_own(name) else 2
    return f"ERR(gmax={highest:g})"


def letor_folds(name: str) -> Iterator[LetorFold]:
    """The five folds of a set: S1+S2+S3 / S4 / S5, and so on round the circle; files are cut up by query, seeded."""
    from rankine.data.alignment import concatenate

    fifths = _own_fifths(name) if is_own(name) else _fifths(_folder(name, LETOR_SETS))
    for i in range(5):
        turned = [fifths[(i + j) % 5] for j in range(5)]
        yield LetorFold(concatenate(turned[:3]), turned[3], turned[4])


def check_letor_sets(names: Iterable[str]) -> None:
    """Raise InputError for an unknown name or missing data, before a long computation starts."""
    for name in names:
        next(letor_folds(name))


@lru_cache(maxsize=3)
def _fifths(folder: Path) -> tuple[RankingData, ...]:
    from rankine.io import load_letor

    return tuple(load_letor(folder / f"S{i}.txt.xz") for i in range(1, 6))


@lru_cache(maxsize=3)
def _own_fifths(name: str) -> tuple[RankingData, ...]:
    data = own_data(name)
    if data.n_queries < 5:
        raise InputError(f"five folds need at least 5 queries, got {data.n_queries}", letor_set(name).title)
    return tuple(part for _, part in data.folds(5, SEED))


def _folder(name: str, sets: dict[str, LetorSet] | dict[str, SpeechSet]) -> Path:
    """The folder of a set."""
    if name not in sets:
        raise unknown("set", name, sets)
    place = os.environ.get("RANKINE_DATA")
    if not place:
        raise InputError(f"set RANKINE_DATA to the folder that holds {sets[name].folder}")
    return Path(place, sets[name].folder)


def named_speech(names: Iterable[str], language: str) -> list[str]:
    """The sets of speech that ``--data`` names: known ones, and folders of one's own, each in this language."""
    if language not in _LANGUAGES:
        raise InputError(f"--language must be one of {', '.join(_LANGUAGES)}; got {language!r}")
    return [
        f"{_SPEECH}{language}:{os.path.abspath(name)}" if name not in SPEECH_SETS and Path(name).is_dir() else name
        for name in names
    ]


def speech_set(name: str) -> SpeechSet:
    """The row of a set of speech; of a folder of one's own the title is its name."""
    if name.startswith(_SPEECH):
        language, _, folder = name.removeprefix(_SPEECH).partition(":")
        return SpeechSet(Path(folder).name, folder, language)
    if name not in SPEECH_SETS:
        raise unknown("set", name, [*SPEECH_SETS, "a folder of your own"])
    return SPEECH_SETS[name]


def speech_folder(name: str) -> Path:
    """The folder of recorded speech; raises InputError for an unknown name, or where RANKINE_DATA is not set."""
    row = speech_set(name)
    return Path(row.folder) if name.startswith(_SPEECH) else _folder(name, SPEECH_SETS)


def speech_source(name: str, file: str, *others: str) -> Path:
    """A file or folder of a set of speech, by the first of these names that is there."""
    folder = speech_folder(name)
    there = [folder / f for f in (file, *others) if (folder / f).exists()]
    if not there and name.startswith(_SPEECH):
        raise InputError(
            f"there is no {' or '.join((file, *others))} in this folder; expected {_EXPECTED}", str(folder)
        )
    return there[0] if there else folder / file


def transcripts(name: str) -> dict[str, str]:
    """The text of every utterance of recorded speech."""
    file = speech_source(name, "transcripts.tsv")
    lines = file.read_text(encoding="utf-8").splitlines()
    for i, line in enumerate(lines, 1):
        if line.strip() and "\t" not in line:
            raise InputError("expected an utterance, a tab and its text", f"{file}, line {i}")
    return dict(line.split("\t", 1) for line in lines if line.strip())


def words_of(text: str) -> list[str]:
    """Words in lower case without punctuation.

    >>> words_of("Printing, in the only sense—that's all.")
    ['printing', 'in', 'the', 'only', 'sense', "that's", 'all']
    """
    return re.findall(r"[a-z0-9']+", text.lower())
