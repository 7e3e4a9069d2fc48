"""Words and their units: pronunciation dictionaries, mappings, and the type of a function that splits a word."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from ....errors import InputError, shorten
from ....system import files
from ...text import columns, decoded, read_bytes, without_variant

Split = Callable[[str], Sequence[Sequence[str]]]  # a word → its pronunciations, each a sequence of units


class Lexicon(Mapping[str, list[list[str]]]):
    """A pronunciation dictionary, by words in lower case: lines ``word PH PH …``, further ones as ``word(2) …``.

    A line is divided into units when its word is asked for: most words of a dictionary never are.
    """

    def __init__(self, content: bytes, where: str, strip_stress: bool = True) -> None:
        self.strip_stress = strip_stress
        self.lines = _lines_by_word(content, where)
        if not self.lines:
            raise InputError("no words", where)

    def __getitem__(self, word: str) -> list[list[str]]:
        return pronunciations(self.lines[word], self.strip_stress)

    def __iter__(self) -> Iterator[str]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)


def lexicon(path: str | os.PathLike, strip_stress: bool = True) -> Lexicon:
    """The pronunciation dictionary in a file, also a packed one."""
    return Lexicon(read_bytes(path), str(path), strip_stress)


def _lines_by_word(content: bytes, where: str) -> dict[str, bytes]:
    """The lines of each word, joined by line ends; a line without units is an InputError."""
    decoded(content, where)  # an error names the line
    by_word: dict[str, bytes] = {}
    for number, line in enumerate(content.split(b"\n"), 1):
        head = line.split(None, 1)  # by blanks of ASCII, as bytes have them
        if not head or head[0].startswith((b";;;", b"#")):
            continue
        word = head[0].decode().lower()
        if len(head) == 1 or (head[1][:1] == b"#" and not _columns(line)[1:]):
            raise InputError(f"the word {shorten(head[0].decode())} has no units", f"{where}, line {number}")
        if word[-1] == ")":
            word = without_variant(word)
        by_word[word] = by_word[word] + b"\n" + line if word in by_word else line
    return by_word


def _columns(line: bytes) -> list[str]:
    """A word and its units; a comment behind them is left out."""
    return columns(line.decode().split(" #", 1)[0])


def pronunciations(lines: bytes, strip_stress: bool = True) -> list[list[str]]:
    """The pronunciations on the lines of a word; those that are equal (without stress) are one.

    >>> pronunciations(b"to T UW1\\nto(2) T UW0\\nto(3) T AH0")
    [['T', 'UW'], ['T', 'AH']]
    """
    ways = [_columns(line)[1:] for line in lines.split(b"\n")]
    if strip_stress:
        ways = [[without_stress(phone) for phone in way] for way in ways]
    return [list(way) for way in dict.fromkeys(map(tuple, ways))]


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
