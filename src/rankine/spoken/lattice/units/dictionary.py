"""Words and their units: pronunciation dictionaries, mappings, and the type of a function that splits a word."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from .... import files
from ....errors import InputError, shorten
from ...text import columns, decoded, lines_with_places, read_bytes, without_variant

Split = Callable[[str], Sequence[Sequence[str]]]  # a word → its pronunciations, each a sequence of units


def lexicon(path: str | os.PathLike, strip_stress: bool = True) -> dict[str, list[list[str]]]:
    """A pronunciation dictionary (``word PH PH …``, further ones as ``word(2)``), words in lower case; also packed."""
    entries: dict[str, list[list[str]]] = {}
    for where, line in lines_with_places(decoded(read_bytes(path), str(path)), str(path)):
        if line.startswith((";;;", "#")):
            continue
        word, *phones = columns(line.split(" #", 1)[0])
        if not phones:
            raise InputError(f"the word {shorten(word)} has no units", where)
        phones = [without_stress(p) for p in phones] if strip_stress else phones
        ways = entries.setdefault(without_variant(word).lower(), [])
        if phones not in ways:
            ways.append(phones)
    if not entries:
        raise InputError("no words", str(path))
    return entries


def without_stress(phone: str) -> str:
    """A phone without the mark of its stress.

    >>> without_stress("AH0")
    'AH'
    """
    return phone.rstrip("012")


def from_mapping(entries: Mapping[str, Sequence[Sequence[str]]], called: str = "the mapping") -> Split:
    """Units from a mapping of words (in lower case) to their pronunciations.

    >>> from_mapping({"to": [["T", "UW"]]})("To")
    [['T', 'UW']]
    """

    def split(word: str) -> Sequence[Sequence[str]]:
        ways = entries.get(word.lower())
        if not ways:
            raise InputError(f"{word!r} is not in {called}")
        return ways

    return split


def stamp(path: str | os.PathLike | None) -> tuple[str, int] | None:
    """The full path and the time of change of a file whose content is kept in memory; None if there is no such file."""
    if path is None or not Path(path).is_file():
        return None
    place, _, changed = files.stamp(path)
    return place, changed
