"""What a query consists of: terms, of which each has alternatives in words, and what is required or excluded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..lattice.units import Split

WordPieces = tuple[tuple[str, ...], ...]  # the units of each word


class UnitsByKind(Mapping[str, WordPieces]):
    """The units of each word, by kind; made when they are asked for, because letter-to-sound rules are slow."""

    def __init__(self, kinds: Sequence[str], make: Callable[[str], WordPieces]) -> None:
        self.kinds, self.make = kinds, make
        self.made: dict[str, WordPieces] = {}

    def __getitem__(self, kind: str) -> WordPieces:
        if kind not in self.made:
            if kind not in self.kinds:
                raise KeyError(kind)
            self.made[kind] = self.make(kind)
        return self.made[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self.kinds)

    def __len__(self) -> int:
        return len(self.kinds)


@dataclass(frozen=True)
class WordSequence:
    """Words that follow each other, and the units of each word by kind."""

    words: tuple[str, ...]
    by_word: Mapping[str, WordPieces] = field(hash=False, repr=False)

    def units(self, kind: str, words: tuple[int, int] | None = None) -> list[str]:
        """The units of one kind, of all words or of those from, to."""
        begin, end = words or (0, len(self.words))
        return [u for units in self.by_word[kind][begin:end] for u in units]


def sequence(words: Sequence[str], splits: Mapping[str, Split | None]) -> WordSequence:
    """Words as they are written, with the units that they are split into."""
    return WordSequence(
        tuple(words), UnitsByKind(list(splits), lambda kind: tuple(_pieces(word, splits[kind]) for word in words))
    )


def joined(sequences: Sequence[WordSequence], kinds: Sequence[str]) -> WordSequence:
    """Sequences one after the other, as one."""
    if len(sequences) == 1:
        return sequences[0]
    words = tuple(word for some in sequences for word in some.words)
    return WordSequence(
        words, UnitsByKind(kinds, lambda kind: tuple(p for some in sequences for p in some.by_word[kind]))
    )


def _pieces(word: str, split: Split | None) -> tuple[str, ...]:
    if split is None:
        return (word,)
    ways = split(word)
    return tuple(ways[0]) if ways else ()


class Term(NamedTuple):
    """What is scored: a word, or alternatives of which any will do; ``stop`` where all of them are stop words.

    ``of_number``: it is a word of a number that was typed in digits.
    """

    text: str
    alternatives: tuple[WordSequence, ...]
    stop: bool = False
    of_number: bool = False

    @property
    def sounds(self) -> bool:
        """Whether the term was typed by its sounds (pinyin), so that its words are none of the archive."""
        return not isinstance(self.alternatives[0].by_word, UnitsByKind)


class Phrase(NamedTuple):
    """A quoted phrase: one of the alternatives is required; ``place`` are its words in the query, from, to."""

    text: str
    alternatives: tuple[WordSequence, ...]
    place: tuple[int, int]


class Near(NamedTuple):
    """Two things that must be at most ``distance`` words apart; each has alternatives."""

    distance: int
    left: tuple[WordSequence, ...]
    right: tuple[WordSequence, ...]


class FieldFilter(NamedTuple):
    """Recordings of which a field has one of these values, or (``excluded``) all others."""

    name: str
    values: tuple[str, ...]
    excluded: bool = False


@dataclass(frozen=True)
class SpokenQuery:
    """A query.

    ``whole`` are all words that are looked for, in order, repeated ones too: what the papers' weak rankers score.
    ``terms`` are what is scored otherwise, each once; ``neighbours`` are the numbers of terms that stand next to each
    other. ``phrases`` and ``nears`` are required; what is in ``excluded`` must not be heard; ``fields`` choose
    recordings. ``notes`` say what was assumed, a line each.
    """

    text: str
    whole: WordSequence
    terms: tuple[Term, ...]
    neighbours: tuple[tuple[int, int], ...] = ()
    phrases: tuple[Phrase, ...] = ()
    nears: tuple[Near, ...] = ()
    excluded: tuple[WordSequence, ...] = ()
    fields: tuple[FieldFilter, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """All words that are looked for, in order, repeated ones too."""
        return self.whole.words

    @property
    def by_word(self) -> Mapping[str, WordPieces]:
        """The units of each word, by kind."""
        return self.whole.by_word

    def units(self, kind: str, words: tuple[int, int] | None = None) -> list[str]:
        """The units of one kind, of all words or of those from, to."""
        return self.whole.units(kind, words)
