"""Units below the word: characters, syllables, phones, or what a user's own mapping says.

A word arc becomes a chain of arcs, one per unit, its time divided among them and its score on the first; several
pronunciations are several chains that share its probability.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from ....errors import InputError, nearest, shorten
from ..formats.common import Piece, columns
from ..lattice import Lattice
from . import unit_kernels as kn

Split = Callable[[str], Sequence[Sequence[str]]]
_VARIANT = re.compile(r"^(.+)\(\d+\)$")


def characters(word: str) -> list[list[str]]:
    """The characters of a word, as its one pronunciation.

    >>> characters("设定")
    [['设', '定']]
    """
    return [list(word)]


def pinyin(tones: bool = True) -> Split:
    """Mandarin syllables by pypinyin, with or without tone; characters it does not know stay as they are."""
    try:
        from pypinyin import Style, lazy_pinyin
    except ImportError:
        raise InputError("Mandarin syllables need pypinyin: pip install 'rankine[spoken]'") from None
    style = Style.TONE3 if tones else Style.NORMAL

    @lru_cache(maxsize=1 << 17)
    def split(word: str) -> list[list[str]]:
        return [lazy_pinyin(word, style=style, neutral_tone_with_five=tones)]

    return split


def lexicon(path: str | os.PathLike, strip_stress: bool = True) -> dict[str, list[list[str]]]:
    """A pronunciation dictionary (``word PH PH …``, further ones as ``word(2)``), words in lower case, also packed."""
    entries: dict[str, list[list[str]]] = {}
    for where, line in Piece("", "", str(path)).lines():
        if line.startswith((";;;", "#")):
            continue
        word, *phones = columns(line.split(" #", 1)[0])
        if not phones:
            raise InputError(f"the word {shorten(word)} has no units", where)
        if match := _VARIANT.match(word):
            word = match[1]
        phones = [p.rstrip("012") for p in phones] if strip_stress else phones
        ways = entries.setdefault(word.lower(), [])
        if phones not in ways:
            ways.append(phones)
    if not entries:
        raise InputError("no words", str(path))
    return entries


def from_mapping(entries: Mapping[str, Sequence[Sequence[str]]], called: str = "the mapping") -> Split:
    """Units from a mapping of words (in lower case) to their pronunciations.

    >>> from_mapping({"to": [["T", "UW"]]})("To")
    [['T', 'UW']]
    """

    def split(word: str) -> Sequence[Sequence[str]]:
        found = entries.get(word.lower())
        if not found:
            raise InputError(f"{word!r} is not in {called}")
        return found

    return split


KINDS = {
    "words": "what the recogniser wrote",
    "characters": "the characters of words",
    "pinyin": "Mandarin syllables with tone",
    "pinyin-toneless": "Mandarin syllables",
    "phones": "English phones, by a dictionary and letter-to-sound rules",
    "syllables": "English syllables, from the phones",
}


def splitter(kind: str, dictionary: str | os.PathLike | None = None) -> Split | None:
    """What makes units of a word: a name in ``KINDS``, or a file of words and their units; None for words."""
    return _splitter(kind, None if dictionary is None else str(dictionary), stamp(kind), stamp(dictionary))


def stamp(path: str | os.PathLike | None) -> tuple[str, int] | None:
    """Tells files apart whose contents are kept in memory; None where there is no such file."""
    if path is None or not Path(path).is_file():
        return None
    return str(Path(path).resolve()), Path(path).stat().st_mtime_ns


@lru_cache(maxsize=32)
def _splitter(kind: str, dictionary: str | None, *stamps: tuple[str, int] | None) -> Split | None:
    from .english import pronounce, syllables

    if kind == "words":
        return None
    if kind == "characters":
        return characters
    if kind in ("pinyin", "pinyin-toneless"):
        return pinyin(tones=kind == "pinyin")
    if kind == "phones":
        return pronounce(dictionary)
    if kind == "syllables":
        return syllables(dictionary)
    if not Path(kind).is_file():
        known = ", ".join(KINDS)
        raise InputError(f"units must be {known}, or a file of words and units; got {kind!r}.{nearest(kind, KINDS)}")
    return from_mapping(lexicon(kind, strip_stress=False), str(kind))


def to_units(lattice: Lattice, split: Split | None, silent: bool = False) -> Lattice:
    """The same lattice over smaller units; a word that has none is an error, or (``silent``) says nothing.

    >>> lattice = Lattice.from_arcs([(0, 1, "ab", 0.0, 0.0, 1.0), (0, 1, "c", 0.0, 0.0, 1.0)], start=0, end=1)
    >>> to_units(lattice, characters).units
    ('a', 'b', 'c')
    """
    if split is None:
        return lattice
    numbers: dict[str, int] = {}
    pieces, first_piece, first_way = list[int](), [0], [0]
    for word in lattice.units:
        ways = [way for way in split(word) if len(way)]
        if not ways and not silent:
            raise InputError(f"{word!r} has no units", lattice.name or None)
        for way in ways:
            pieces += [numbers.setdefault(u, len(numbers)) for u in way]
            first_piece.append(len(pieces))
        first_way.append(len(first_piece) - 1)
    ways_at, pieces_at = np.array(first_way), np.array(first_piece)
    words = np.append(np.diff(ways_at) > 0, False)[lattice.unit]  # the last entry serves −1
    unit = np.where(words, lattice.unit, -1)
    n = kn.count_chains(unit, ways_at, pieces_at)
    nodes, said = np.empty((n, 2), np.int64), np.empty(n, np.int64)
    scores, times = np.empty((3, n)), np.empty((n, 2))
    kn.chains(
        lattice.source, lattice.target, unit,
        np.stack([lattice.acoustic, lattice.language, lattice.posterior]), lattice.start, lattice.end, lattice.n_nodes,
        ways_at, pieces_at, np.array(pieces, np.int64), nodes, said, scores, times,
    )  # fmt: skip
    return Lattice.build(
        source=nodes[:, 0],
        target=nodes[:, 1],
        unit=said,
        units=list(numbers),
        acoustic=scores[0],
        language=scores[1],
        posterior=scores[2],
        times=times,
        start=0,
        end=lattice.n_nodes - 1,
        name=lattice.name,
    )
