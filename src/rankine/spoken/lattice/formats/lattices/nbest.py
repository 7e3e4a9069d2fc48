"""n-best lists: one hypothesis on a line, with its scores before its words.

Four layouts are read. A *plain* list has a natural-log score. SRILM's own has three columns: acoustic score, language
score (both to the base 10) and number of words. Decipher's ``NBestList1.0`` has one score in brackets, its
``NBestList2.0`` also times and scores of every word; both count in bytelogs, 1024/10000.5 of a natural log. Of the last
three the scores are combined as (acoustic + weight · language) / scale. The weight is 8 and the scale is the weight
unless others are given: SRILM does the same.

Read, a list is a lattice of paths beside each other. Without times ``hypotheses.network_of_list`` makes a
confusion network of them; with times the words stay where they are in time.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from .....errors import InputError, shorten
from ....text import columns, has_blanks, is_number, number, stem
from ...lattice import Lattice, numbered
from ...paths import best_hypotheses
from ..reading import Piece, Reading, all_numbers, is_states, rows_of

MAGIC = ("NBestList1.0", "NBestList2.0")
PAUSES = ("-pau-",)  # ignored, unless other tokens are named
LANGUAGE_WEIGHT = 8.0  # SRILM's
BYTELOG = 1024 / 10000.5  # in natural logs
FRAME = 0.01  # seconds; Decipher gives the beginning of a word's last frame
_MOST_CHARACTERS, _MOST_FIELDS = 16 << 20, 1 << 20
_WORD = 11  # columns of a word of NBestList2.0: word ( st: 0.1 et: 0.3 g: -5 a: -100 )
_MARKS = ("(", "st:", "et:", "g:", "a:", ")")
_BRACKETS = re.compile(r"\((.*)\)")


class ListedWord(NamedTuple):
    """A word of a hypothesis, with its scores in natural logs and its times."""

    text: str
    acoustic: float = 0.0
    language: float = 0.0
    start: float = math.nan
    end: float = math.nan


class Hypothesis(NamedTuple):
    """A line of an n-best list: scores that belong to no single word, and the words."""

    acoustic: float
    language: float
    words: list[ListedWord]


_NOTHING = (ListedWord(""), ListedWord(""))


def looks_like_nbest(head: bytes) -> bool:
    """Whether a file begins like an n-best list: with Decipher's mark, or with scores before words.

    No score may be positive, and not all 0, unless the third column counts the words: lines that begin with other
    numbers more often begin with times.
    """
    if any(len(row) == 1 and row[0] in MAGIC for row in rows_of(head, most=1)):
        return True
    rows = rows_of(head, lambda row: is_number(_score(row)) and float(_score(row)) <= 0)
    scored = any(float(_score(row)) < 0 for row in rows) or all(_three_numbers(r) and _counts_words(r) for r in rows)
    return scored and not all(all_numbers(row[1:]) for row in rows)


def _score(row: list[str]) -> str:
    """What stands in the first column, without brackets."""
    match = _BRACKETS.fullmatch(row[0])
    return match[1] if match else row[0]


def parse_nbest(piece: Piece, reading: Reading) -> Lattice:
    """A lattice of the paths of an n-best list."""
    layout, rows = _layout(piece, reading)
    hypotheses = [layout.parse(row, where) for where, row in rows]
    return _paths(hypotheses, *layout.scales(reading), piece, reading)


def divisor(piece: Piece, reading: Reading) -> float:
    """What the scores of a list are divided by."""
    layout, _ = _layout(piece, reading)
    return reading.divisor(layout.weight(reading))


class _Layout(NamedTuple):
    """How lines are read, and the usual weight of language scores."""

    parse: Callable[[list[str], str], Hypothesis]
    language_weight: float = LANGUAGE_WEIGHT
    has_weight: bool = True

    def weight(self, reading: Reading) -> float:
        """The weight of language scores; that of a list with one natural-log score is not changed."""
        return reading.weight(self.language_weight) if self.has_weight else 1.0

    def scales(self, reading: Reading) -> tuple[float, float]:
        """Factors of acoustic and of language scores."""
        weight = self.weight(reading)
        return 1 / reading.divisor(weight), weight / reading.divisor(weight)


def _layout(piece: Piece, reading: Reading) -> tuple[_Layout, list[tuple[str, list[str]]]]:
    """The layout of a list, and its lines with their places, without Decipher's mark."""
    rows, characters, fields = list[tuple[str, list[str]]](), 0, 0
    for where, line in piece.lines():
        characters += len(line)
        rows.append((where, columns(line) if characters <= _MOST_CHARACTERS else []))
        fields += len(rows[-1][1])
        if characters > _MOST_CHARACTERS or fields > _MOST_FIELDS:
            most = f"{_MOST_FIELDS:,} columns or {_MOST_CHARACTERS:,} characters"
            raise InputError(f"more than {most}: too large for an n-best list", where)
    mark = rows[0][1][0] if rows and len(rows[0][1]) == 1 else ""
    rows = rows[1:] if mark in MAGIC else rows
    if not rows:
        raise InputError("no hypotheses", piece.where)
    if mark == MAGIC[1]:
        return _Layout(_timed_words), rows
    if mark == MAGIC[0] or rows[0][1][0].startswith("("):
        return _Layout(_bracketed), rows
    if score_columns(rows, reading) == 3:
        return _Layout(_three_scores), rows
    return _Layout(_plain, 1.0, has_weight=False), rows


def score_columns(rows: Sequence[tuple[str, list[str]]], reading: Reading) -> int:
    """How many columns of scores a list has: 1, or 3 where on every line the third counts the words after it.

    Pauses need not be counted.

    >>> score_columns([("line 1", ["-1.5", "-2.5", "1", "a"])], Reading())
    3
    """
    if reading.score_columns is not None:
        return reading.score_columns
    if not all(_three_numbers(row) for _, row in rows):
        return 1
    where, line = next(((where, row) for where, row in rows if not _counts_words(row)), ("", []))
    if not line:
        return 3
    raise InputError(
        f"columns 2 and 3 of {shorten(' '.join(line))} may be scores or words. Give score_columns 1 (a natural-log "
        "score, then words) or 3 (acoustic score, language score, number of words: SRILM's)", where,
    )  # fmt: skip


def _three_numbers(row: list[str]) -> bool:
    return len(row) >= 3 and is_number(row[1]) and is_states(row[2:3])


def _counts_words(row: list[str]) -> bool:
    words = row[3:]
    return len(row[2]) < 10 and int(row[2]) in (len(words), sum(word not in PAUSES for word in words))


def _plain(row: list[str], where: str) -> Hypothesis:
    return Hypothesis(number(row[0], where), 0.0, [ListedWord(word) for word in row[1:]])


def _three_scores(row: list[str], where: str) -> Hypothesis:
    if len(row) < 3:
        raise InputError(f"expected three columns of scores, got {shorten(' '.join(row))}", where)
    acoustic, language, _ = (number(x, where) for x in row[:3])
    return Hypothesis(acoustic * math.log(10), language * math.log(10), [ListedWord(word) for word in row[3:]])


def _bracketed(row: list[str], where: str) -> Hypothesis:
    match = _BRACKETS.fullmatch(row[0])
    if match is None:
        raise InputError(f"expected a score in brackets, got {shorten(row[0])}", where)
    return Hypothesis(number(match[1], where) * BYTELOG, 0.0, [ListedWord(word) for word in row[1:]])


def _timed_words(row: list[str], where: str) -> Hypothesis:
    """``(score) word ( st: … et: … g: … a: … ) …``; units inside the word before, phones and states, are left out."""
    _bracketed(row[:1], where)
    fields = row[1:]
    if len(fields) % _WORD:
        raise InputError(f"expected {_WORD} columns for each word, got {len(fields)}", where)
    words: list[ListedWord] = []
    for at in range(0, len(fields), _WORD):
        word, *marks = fields[at : at + _WORD]
        if (marks[0], *marks[1::2]) != _MARKS:
            raise InputError(f"expected word ( st: … et: … g: … a: … ), got {shorten(' '.join([word, *marks]))}", where)
        begin, last, language, acoustic = (number(marks[i], where) for i in (2, 4, 6, 8))
        if not 0 <= begin <= last + FRAME:
            raise InputError(f"{shorten(word)} begins at {begin:g} and ends at {last:g}", where)
        inside = bool(words) and words[-1].start <= begin and last + FRAME <= words[-1].end
        if not inside:
            words.append(ListedWord(word, acoustic * BYTELOG, language * BYTELOG, begin, last + FRAME))
    end = words[-1].end if words else 0.0
    return Hypothesis(0.0, 0.0, [*words, *(w._replace(start=end, end=end) for w in _NOTHING[len(words) :])])


def _paths(
    hypotheses: Sequence[Hypothesis], acoustic: float, language: float, piece: Piece, reading: Reading
) -> Lattice:
    """The hypotheses as paths from one node to another; scores of no single word stand on the first arc.

    A path has at least two arcs, the last of which may be empty: so the first nodes keep the order of the list.
    """
    ignored = PAUSES if reading.nothing is None else ()
    source, target, words, scores, times = [], [], list[str | None](), [], []
    node = 2
    for hypothesis in hypotheses:
        listed = [*hypothesis.words, *_NOTHING[len(hypothesis.words) :]]
        at = 0
        for i, word in enumerate(listed):
            last = i == len(listed) - 1
            source.append(at)
            at = 1 if last else node
            node += not last
            target.append(at)
            words.append(reading.unit_of(word.text, more=ignored))
            first = hypothesis if i == 0 else Hypothesis(0.0, 0.0, [])
            scores.append((word.acoustic + first.acoustic, word.language + first.language))
            times.append((word.start, word.end))
    unit, units = numbered(words)
    factors = np.array([acoustic, language])
    with np.errstate(over="ignore", invalid="ignore"):  # Lattice.build refuses what comes of it
        weighted = np.where(factors == 0, 0.0, np.array(scores) * factors)
    return Lattice.build(
        source=np.array(source),
        target=np.array(target),
        unit=unit,
        units=units,
        acoustic=weighted[:, 0],
        language=weighted[:, 1],
        posterior=np.full(len(unit), np.nan),
        times=np.array(times, np.float64),
        start=0,
        end=1,
        name=piece.name or stem(piece.path),
        where=piece.where,
    )


def write_nbest(lattice: Lattice, paths: int = 100) -> bytes:
    """SRILM's list of the likeliest different hypotheses, the logs of their paths' posteriors as language scores."""
    lines = []
    for score, words in best_hypotheses(lattice, paths):
        for word in words:
            if not word or has_blanks(word):
                raise InputError(f"an n-best list cannot hold the word {shorten(word)}", lattice.name or None)
        lines.append(" ".join(["0", repr(score / math.log(10)), str(len(words)), *words]))
    return ("\n".join(lines) + "\n").encode()
