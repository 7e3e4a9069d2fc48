"""From the text of a query to its terms: the grammar tells what stands where, the archive's words what it means."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise

from ...errors import InputError, shorten
from ..lattice.units import Split
from ..text import HAN, STOP_WORDS
from .grammar import FreeFields, Item, Operand, parse_syntax
from .terms import FieldFilter, Near, Phrase, SpokenQuery, Term, WordSequence, joined
from .vocabulary import WordList
from .word_reader import MOST, TypedWord, WordReader

_MOST_WORDS = 100
_MOST_READINGS = 5  # numbers of which it is told how they are read
_CHARACTERS = re.compile(f"[{HAN}]+")
_STOP = frozenset().union(*STOP_WORDS.values())
_NOT = "NOT is a word here: -word excludes one"
_AND = "AND is not needed: places with all words mostly come first"


def parse(
    text: str,
    splits: Mapping[str, Split | None],
    vocabulary: WordList | Collection[str],
    language: str = "en",
    listed: Callable[[str], bool] = lambda word: False,
    free: FreeFields = tuple,
) -> SpokenQuery:
    """Read a query; ``vocabulary`` are the words of the archive, and ``language`` is what it is spoken in.

    ``listed`` tells whether a pronunciation dictionary has a word. Others are folded before they are sounded.
    ``free`` gives the names of the archive's own fields.

    >>> query = parse('find "spoken words"', {"word": None}, {"find", "spoken", "words"})
    >>> query.words, [phrase.place for phrase in query.phrases], [term.text for term in query.terms]
    (('find', 'spoken', 'words'), [(1, 3)], ['find', 'spoken', 'words'])
    """
    words = vocabulary if isinstance(vocabulary, WordList) else WordList(vocabulary)
    syntax = parse_syntax(text, free)
    made = _Making(WordReader(splits, words, language, listed))
    made.notes += [_AND] if syntax.with_and else []
    beside = {number for near in syntax.nears for number in (near.left, near.right)}
    plain: list[str] = []
    for number, item in enumerate(syntax.items):
        if number not in beside and _is_plain(item):
            plain.append(item.operands[0].text)
            continue
        made.add_words(plain)
        plain = []
        made.add(number, item)
    made.add_words(plain)
    _check(text, made)
    nears = tuple(Near(n.distance, made.sides[n.left], made.sides[n.right]) for n in syntax.nears)
    if all(term.stop for term in made.terms):
        made.notes.append("all words of the query are stop words, which occur nearly everywhere")
    notes = [*made.notes, *list(made.readings)[:_MOST_READINGS]]
    return SpokenQuery(
        text, joined(made.whole, list(splits)), tuple(made.terms), tuple(made.neighbours()), tuple(made.phrases), nears,
        tuple(made.excluded), tuple(made.fields), tuple(dict.fromkeys(notes)),
    )  # fmt: skip


def _is_plain(item: Item) -> bool:
    return not item.excluded and len(item.operands) == 1 and item.operands[0].kind == "word"


def _check(text: str, made: _Making) -> None:
    if made.typed > _MOST_WORDS:
        raise InputError(f"a query of {made.typed} words; at most {_MOST_WORDS} can be asked for")
    if made.whole:
        return
    if made.excluded:
        raise InputError(f"the query {shorten(text)} only excludes: expected a word to look for as well")
    if made.fields:
        raise InputError(f"the query {shorten(text)} only chooses recordings: expected a word to look for as well")
    raise InputError(f"the query {shorten(text)} has no words")


class _Making:
    """A query while it is read."""

    def __init__(self, reader: WordReader) -> None:
        self.reader = reader
        self.typed = 0  # words
        self.whole: list[WordSequence] = []
        self.terms: list[Term] = []
        self.order: list[int] = []  # numbers of terms as they stand in the query
        self.numbers: dict[frozenset[tuple[str, ...]], int] = {}  # of terms
        self.phrases: list[Phrase] = []
        self.sides: dict[int, tuple[WordSequence, ...]] = {}  # alternatives of the items beside near
        self.excluded: list[WordSequence] = []
        self.fields: list[FieldFilter] = []
        self.notes: list[str] = []
        self.readings: dict[str, None] = {}  # notes about numbers, each once

    def add_words(self, chunks: Sequence[str]) -> list[TypedWord]:
        """Add words that stand one after the other, each as a term."""
        typed = self._read(chunks)
        runs = self.reader.runs(typed)
        for at, word in enumerate(typed):
            instead = [some for run in runs if run.begin <= at < run.end for some in run.words]
            self._add_term(word.text, (*word.alternatives, *instead), word.part > 0)
            self.whole.append(word.alternatives[0])
        return typed

    def add(self, number: int, item: Item) -> None:
        """Add any other item."""
        operand = item.operands[0]
        if item.field:
            self.fields.append(FieldFilter(item.field, tuple(o.text for o in item.operands), item.excluded))
            return
        if item.excluded:
            alternatives = self._alternatives(operand)
            self.excluded += alternatives
            words = self.reader.words
            if not any(all(word in words for word in some.words) for some in alternatives):
                self.notes.append(f"-{_written(operand)}: nobody said it, nothing is excluded")
            return
        begin = sum(len(some.words) for some in self.whole)
        quoted = any(o.kind == "phrase" for o in item.operands)
        if len(item.operands) == 1 and operand.kind != "prefix":
            sides = self.reader.sequences(self.add_words(operand.text.split()))
        else:
            ways = [self._alternatives(o) for o in item.operands]
            sides = tuple(some for way in ways for some in way)[:MOST]
            for way, o in zip(ways, item.operands, strict=True):
                self.whole += way if o.kind == "prefix" else way[:1]
            if sides:
                self._add_term(" OR ".join(map(_written, item.operands)), sides)
        self.sides[number] = sides
        if quoted and sides:
            end = sum(len(some.words) for some in self.whole)
            self.phrases.append(Phrase(" OR ".join(map(_written, item.operands)), sides, (begin, end)))

    def _alternatives(self, operand: Operand) -> tuple[WordSequence, ...]:
        if operand.kind != "prefix":
            return self.reader.sequences(self._read(operand.text.split()))
        self.typed += 1
        alternatives, note = self.reader.prefix(operand.text)
        self.notes += [note] if note else []
        return alternatives

    def _read(self, chunks: Sequence[str]) -> list[TypedWord]:
        self.notes += [_NOT] if "NOT" in chunks else []
        typed = self.reader.read(chunks[: _MOST_WORDS + 1])
        self.typed += sum(word.part < 2 for word in typed) + max(len(chunks) - _MOST_WORDS - 1, 0)
        self.readings |= dict.fromkeys(word.note for word in typed if word.note)
        return typed

    def _add_term(self, text: str, alternatives: tuple[WordSequence, ...], of_number: bool = False) -> None:
        key = frozenset(some.words for some in alternatives)
        if key not in self.numbers:
            self.numbers[key] = len(self.terms)
            stop = all(word in _STOP for some in alternatives for word in some.words)
            self.terms.append(Term(text, alternatives, stop, of_number))
        self.order.append(self.numbers[key])

    def neighbours(self) -> list[tuple[int, int]]:
        """Pairs of terms that stand next to each other, each once; a word beside itself only in Chinese characters.

        There repeated characters are written as one (三三); elsewhere a repeated word counts once.
        """
        pairs = dict.fromkeys(pairwise(self.order))
        return [(a, b) for a, b in pairs if a != b or _CHARACTERS.fullmatch(self.terms[a].text)]


def _written(operand: Operand) -> str:
    return {"phrase": f'"{operand.text}"', "prefix": f"{operand.text}*"}.get(operand.kind, operand.text)
