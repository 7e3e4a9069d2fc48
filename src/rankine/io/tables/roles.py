"""What the columns of judgments, runs and preferences are called, and in which order they stand without names.

The readers are in :mod:`rankine.io.tables.records`.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError, nearest, shorten

ENDINGS = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".json": "json", ".jsonl": "json", ".ndjson": "json",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
PACKED = (".gz", ".bz2", ".xz", ".zst")  # the table of formats, which needs this module, has them too
_DELIMITERS = ("\t", ",", ";", "|")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
_NOT_A_NAME = re.compile("[^a-z0-9]")
_WORD = re.compile(r"[^\x00-\x20]+")


class Role(NamedTuple):
    """What a column holds, and the names it is known by: small letters and digits only, the likeliest first."""

    title: str
    names: tuple[str, ...]
    needed: bool = True
    number: bool = False


class ColumnLayout(NamedTuple):
    """The columns of a kind of file; ``forms`` are the orders that they stand in where they have no names."""

    what: str
    roles: tuple[Role, ...]
    forms: tuple[str, ...]

    def role(self, title: str) -> Role | None:
        """The role of this title, if the layout has it."""
        return next((role for role in self.roles if role.title == title), None)


QUERY = Role("query", ("queryid", "qid", "query", "topicid", "topic", "q"))
DOCUMENT = Role(
    "document", ("docno", "documentid", "docid", "corpusid", "document", "doc", "passageid", "pid", "did")
)  # fmt: skip
GRADE = Role("grade", ("grade", "relevance", "rel", "label", "judgment", "judgement", "score"), number=True)
SCORE = Role("score", ("score", "similarity", "sim", "prediction"), number=True)
RANK = Role("rank", ("rank",), needed=False, number=True)
TAG = Role("tag", ("tag", "runtag", "runid", "system", "run"), needed=False)


def ending_of(source: Any) -> str | None:
    """The format of a file by its ending, before the ending of a compression; None if it has no such ending.

    >>> ending_of("qrels/test.tsv"), ending_of("run.JSONL.gz"), ending_of("bm25.run")
    ('tsv', 'json', None)
    """
    if not isinstance(source, (str, os.PathLike)):
        return None
    endings = [ending.lower() for ending in Path(source).suffixes]
    while endings and endings[-1] in PACKED:
        endings.pop()
    return ENDINGS.get(endings[-1]) if endings else None


def is_number(text: str) -> bool:
    """Whether a text is a decimal number.

    >>> is_number("-1.5e3"), is_number("nan"), is_number("1_0")
    (True, False, False)
    """
    return _NUMBER.fullmatch(text) is not None


def words_of(line: str) -> list[str]:
    """The words of a line between blanks as TREC text has them: the characters up to the space, no others."""
    return _WORD.findall(line)


def delimiter_of(line: str, form: str | None = None) -> str | None:
    """What separates the cells of a line: a tab, a comma, a semicolon or a bar; None for blanks.

    >>> delimiter_of("query-id\\tcorpus-id\\tscore"), delimiter_of("q1;d1;2"), delimiter_of("q1 0 d1 2")
    ('\\t', ';', None)
    """
    if form == "tsv":
        return "\t"
    counts = {mark: line.count(mark) for mark in _DELIMITERS}
    best = max(counts, key=lambda mark: counts[mark])
    return best if counts[best] > 1 or (counts[best] and len(words_of(line)) == 1) else None


def cells_of(line: str, delimiter: str | None) -> list[str]:
    """The cells of one line; none if its quotes do not close."""
    if delimiter is None:
        return words_of(line)
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter, strict=True), [])]
    except csv.Error:
        return []


def form_of(rows: Sequence[Sequence[str]], layout: ColumnLayout) -> str | None:
    """The form without names that these first rows fit, if there is one: as many cells, and numbers where they belong.

    Of forms with five fields the second column decides: it is ``Q0`` if it is the same in all rows, else the document.
    """
    fitting = [form for form in layout.forms if _fits(form.split(), rows[0], layout)]
    if fitting and len(fitting[0].split()) == 5:
        constant = _is_constant(rows)
        fitting = [form for form in fitting if ("Q0" in form) == constant]
    return fitting[0] if fitting else None


def _fits(fields: list[str], row: Sequence[str], layout: ColumnLayout) -> bool:
    longer = fields[-1] == "tag" and len(fields) > 5  # a tag may be followed by more words
    if len(row) < len(fields) or (len(row) > len(fields) and not longer):
        return False
    for field, cell in zip(fields, row, strict=False):
        role = layout.role(field)
        ignored = field == "rank" and len(fields) == 6  # trec_eval ignores it too
        if role is not None and role.number and not ignored and not is_number(cell):
            return False
    return True


def _is_constant(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the second column is no document: the same in all rows, and ``Q0``, ``0`` or repeated for a query."""
    values = {row[1] for row in rows if len(row) > 1}
    if len(values) > 1:
        return False
    return values <= {"Q0", "q0", "0"} or len({row[0] for row in rows}) < len(rows)


def plain_name(name: str) -> str:
    """A name of a column as roles have it: small letters and digits.

    >>> plain_name("Query-ID")
    'queryid'
    """
    return _NOT_A_NAME.sub("", name.lower())


def named_columns(
    names: Sequence[str], layout: ColumnLayout, given: Mapping[str, str | None], where: str
) -> dict[str, int]:  # fmt: skip
    """Where each role stands among the names of columns: those that are given, else the usual names.

    A column may also be given by its number, from 1; a name that there is goes first.
    """
    places = {}
    for role in layout.roles:
        name = given.get(role.title)
        if name is None:
            plain = [plain_name(n) for n in names]
            name = next((names[plain.index(usual)] for usual in role.names if usual in plain), None)
        elif name not in names and name.isdecimal() and 1 <= int(name) <= len(names):
            name = names[int(name) - 1]
        elif name not in names:
            raise InputError(f"there is no column {name!r}.{nearest(name, names)} {listed(names)}", where)
        if name is None:
            continue
        if names.count(name) > 1:
            raise InputError(f"there are two columns {name!r}", where)
        places[role.title] = list(names).index(name)
    if "score" in places and "rank" in places:  # one of them says all
        del places["score" if given.get("rank") is not None else "rank"]
    there = {*places, *(["score"] if "rank" in places else [])}
    missing = [role.title for role in layout.roles if role.needed and role.title not in there]
    if missing:
        raise InputError(f"there is no column for the {missing[0]}. {listed(names)}; name it: {missing[0]}=…", where)
    if len(set(places.values())) < len(places):
        raise InputError(f"one column is to hold two things. {listed(names)}", where)
    return places


def numbered_columns(
    cells: Sequence[str], layout: ColumnLayout, given: Mapping[str, str | None]
) -> dict[str, int] | None:  # fmt: skip
    """Where the roles stand that are given by number, if the first line has no names: numbers where they belong.

    >>> numbered_columns(["q1", "7", "d1"], ColumnLayout("", (QUERY, RANK), ()), {"query": "1", "rank": "2"})
    {'query': 0, 'rank': 1}
    """
    numbers = {title: n for title, n in given.items() if n is not None}
    if not numbers or set(numbers.values()) <= set(cells) or not all(n.isdecimal() for n in numbers.values()):
        return None
    places = {title: int(n) - 1 for title, n in numbers.items()}
    there = {*places, *(["score"] if "rank" in places else [])}
    complete = all(role.title in there for role in layout.roles if role.needed)
    if not complete or not all(0 <= at < len(cells) for at in places.values()):
        return None
    of_numbers = [places[role.title] for role in layout.roles if role.number and role.title in places]
    return places if of_numbers and all(is_number(cells[at]) for at in of_numbers) else None


def choices(
    names: Sequence[str], layout: ColumnLayout, given: Mapping[str, str | None], places: Mapping[str, int]
) -> str:
    """Where several columns have a usual name of one role, which of them was taken; empty if there was no choice."""
    texts = []
    for role in layout.roles:
        others = [n for i, n in enumerate(names) if plain_name(n) in role.names and i not in places.values()]
        if others and given.get(role.title) is None and role.title in places:
            texts.append(f"the {role.title} is taken from {names[places[role.title]]!r}, not from {others[0]!r}")
    return "; ".join(texts)


def has_names(cells: Sequence[str], layout: ColumnLayout, given: Mapping[str, str | None] | None = None) -> bool:
    """Whether these are names of all the columns that are needed, where some may be given.

    >>> has_names(["qid", "docno", "label"], ColumnLayout("judgments", (QUERY, DOCUMENT, GRADE), ()))
    True
    """
    try:
        named_columns(cells, layout, given or {}, "")
    except InputError:
        return False
    return True


def listed(names: Sequence[str]) -> str:
    """The names of columns that there are, for errors."""
    return f"There are: {', '.join(shorten(n) for n in names[:12])}{', …' if len(names) > 12 else ''}"
