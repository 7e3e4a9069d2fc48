"""Which columns of a table hold the grades, the query ids, the document ids and the features.

A column is named by its name or by its number, from 1. Features may also be given as patterns: ``f*`` (names that
match), ``f1-f46`` or ``4-49`` (from one column to another, as they stand in the table), ``!title`` (all others but).
"""

from __future__ import annotations

import csv
import os
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError, nearest, shorten
from ...system.limits import FEATURES, max_features

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


# -- Which columns of a table hold the grades, the query ids, the document ids and the features


Column = str | int

GUESSES = {  # those of judgments and runs; here a score is a feature
    "label": ("label", *(name for name in GRADE.names if name not in ("label", "score")), "y"),
    "qid": tuple(name for name in QUERY.names if name != "q"),
    "doc_id": DOCUMENT.names,
}
GRADES = (*GUESSES["label"], "labels", "grades", "relevancy", "relevancelabel", "target")
_NO_FEATURES = ("weight", "score", "rank", "index", "id")  # names of what is rather no feature
STANDARD = ["label", "qid", "doc_id"]  # how a table begins that Rankine writes as text
_OPTIONS = {"label": "--label", "qid": "--query", "doc_id": "--document"}


class Columns(NamedTuple):
    """Places of columns, from 0; ``doc_id`` may be None. A place of −1: the values stand apart from the table."""

    label: int
    qid: int
    doc_id: int | None
    features: list[int]


class ColumnNames:
    """The columns of a table: their names, or None for a table without names, and how many there are."""

    def __init__(self, names: Sequence[str] | None, width: int, where: str | None = None) -> None:
        self.names, self.width, self.where = names, width, where
        self.places: dict[str, int] = {} if names is None else {name: i for i, name in enumerate(names)}
        twice = next((n for n, times in Counter(names or ()).items() if times > 1 and n), None)
        if twice is not None:
            raise InputError(f"there are two columns {shorten(twice)}", where)

    def called(self, place: int) -> str:
        """A column as messages call it.

        >>> ColumnNames(["qid", ""], 2).called(0), ColumnNames(["qid", ""], 2).called(1)
        ("column 'qid'", 'column 2')
        """
        name = "" if self.names is None else self.names[place]
        return f"column {shorten(name)}" if name else f"column {place + 1}"

    def label(self, place: int) -> str:
        """The name of a column, or its number from 1."""
        return (self.names[place] if self.names is not None else "") or str(place + 1)

    def place(self, given: Column) -> int:
        """The place of the column with this name or this number from 1; a name that there is goes first."""
        if isinstance(given, str) and given in self.places:
            return self.places[given]
        number = int(given) if _is_number(given) else None
        if number is None:
            raise InputError(f"there is no column {given!r:.60}.{self._hint(str(given))}", self.where)
        if not 1 <= number <= self.width:
            raise InputError(f"there is no column {number}: the numbers are 1 to {self.width}", self.where)
        return number - 1

    def _hint(self, name: str) -> str:
        """A column that may be meant, or those that there are."""
        if self.names is None:
            return f" Columns have no names here, but the numbers 1 to {self.width}"
        first = ", ".join(map(shorten, self.names[:6]))
        return _similar(name, self.names) or f" There are: {first}{', …' if self.width > 6 else ''}"

    def guess(self, role: str) -> int | None:
        """The column whose name tells what it holds; the name that Rankine writes goes first."""
        if role in self.places:
            return self.places[role]
        plain = self.plain()
        return next((plain.index(name) for name in GUESSES[role] if name in plain), None)

    def plain(self) -> list[str]:
        """The names in small letters and digits."""
        return [plain_name(name) for name in self.names or ()]

    def check_grades(self, label: int, features: list[int]) -> None:
        """Raise if another column may hold grades too: as a feature it would tell the grade."""
        plain = self.plain()
        other = next((place for place in features if plain and plain[place] in GRADES), None)
        if other is None:
            return
        if label < 0:
            both, say = f"{self.called(other)} may hold grades too", "features= (--features) that name it"
        else:
            both = f"{self.called(label)} and {self.called(other)} may both hold the grades"
            say = f"which it is ({_option('label')}) and which the features are (features=, --features)"
        raise InputError(f"{both}: say {say}", self.where)

    def odd(self, features: list[int]) -> list[str]:
        """The names of features that are rather none, such as a score or the index of a frame."""
        plain = self.plain() or [""] * self.width
        return [self.called(p).removeprefix("column ") for p in features if _is_odd(plain[p], self.names)]

    def matches(self, pattern: str) -> list[int]:
        """The columns of a pattern, a range, a name or a number."""
        if pattern in self.places:
            return [self.places[pattern]]
        if any(sign in pattern for sign in "*?["):
            places = [i for i, name in enumerate(self.names or ()) if name and fnmatchcase(name, pattern)]
            if not places:
                raise InputError(f"no column has a name like {shorten(pattern)}", self.where)
            return places
        for at in [i for i, sign in enumerate(pattern) if sign == "-"]:
            ends = pattern[:at], pattern[at + 1 :]
            if all(end in self.places or _is_number(end) for end in ends):
                if (ends[0] in self.places) != (ends[1] in self.places) and all(map(_is_number, ends)):
                    named, other = ends if ends[0] in self.places else ends[::-1]
                    says = f"{named} is the name of a column, and {other} is not"
                    raise InputError(f"the ends of {pattern!r} are both names or both numbers: {says}", self.where)
                first, last = map(self.place, ends)
                if first > last:
                    raise InputError(f"the columns {pattern!r} run backwards", self.where)
                return list(range(first, last + 1))
        return [self.place(pattern)]


def _is_number(given: Any) -> bool:
    """Whether this may be the number of a column."""
    if isinstance(given, str):
        return given.isascii() and given.isdigit() and len(given) < 10
    return hasattr(given, "__index__") and not isinstance(given, bool)


def _similar(name: str, names: Sequence[str]) -> str:
    """The hint at a name that is near, not one that only shares some letters."""
    hint = nearest(name, names)
    return hint if hint and SequenceMatcher(None, name.lower(), hint[15:-2].lower()).ratio() >= 0.7 else ""


def _is_odd(plain: str, names: Any) -> bool:
    return names is not None and (not plain or plain in _NO_FEATURES or plain.startswith("unnamed"))


def _option(role: str) -> str:
    return f"{role}=, {_OPTIONS[role]}"


def choose(
    names: ColumnNames,
    label: Column | None,
    qid: Column | None,
    doc_id: Column | None,
    features: Any = None,
    apart: Collection[str] = (),
    ungraded: bool = False,
) -> Columns:
    """The columns that are given, and for the rest those whose names tell what they hold.

    The values of the roles in ``apart`` stand elsewhere; a column whose name tells that role must not be a feature.
    ``ungraded``: there need be no grades.

    >>> choose(ColumnNames(["grade", "qid", "bm25", "age"], 4), None, None, None)
    Columns(label=0, qid=1, doc_id=None, features=[2, 3])
    """
    places: dict[str, Any] = {}
    for role, given in (("label", label), ("qid", qid), ("doc_id", doc_id)):
        places[role] = names.guess(role) if given is None else names.place(given)
        if role in apart:
            if places[role] is not None and features is None:
                raise InputError(
                    f"{names.called(places[role])} is there, and {role} is given apart from it", names.where
                )
            places[role] = -1
        if places[role] is None and role == "label" and ungraded:
            places[role] = -1
        if places[role] is None and role != "doc_id":
            none = f"none of {', '.join(GUESSES[role])}" if names.names is not None else "columns have no names here"
            raise InputError(f"there is no {role} column: {none}; say which it is ({_option(role)})", names.where)
    twice = next((p for p, times in Counter(places.values()).items() if times > 1 and p not in (None, -1)), None)
    if twice is not None:
        roles = " and ".join(role for role, place in places.items() if place == twice)
        raise InputError(f"{names.called(twice)} cannot be {roles} at once", names.where)
    columns = Columns(**places, features=feature_places(names, features, places))
    if features is None or (label is None and "label" not in apart):
        names.check_grades(columns.label, columns.features)
    return columns


def feature_places(names: ColumnNames, features: Any, roles: dict[str, int | None]) -> list[int]:
    """The places of the features: what is given, or all columns that have no other role (and a name, if any has)."""
    others = set(roles.values())
    free = [i for i in range(names.width) if i not in others and (names.names is None or names.names[i])]
    if features is not None:
        free = _selection(names, features, free, roles)
    if not free:
        raise InputError("there are no feature columns", names.where)
    if len(free) > max_features():
        most = f"the most is {max_features():,} (--max-features, {FEATURES})"
        raise InputError(f"{len(free):,} features: {most}", names.where)
    return free


def _selection(names: ColumnNames, features: Any, free: list[int], roles: dict[str, int | None]) -> list[int]:
    given = [features] if isinstance(features, str) or not hasattr(features, "__iter__") else list(features)
    parts: list[Any] = []
    for part in given:
        whole = not isinstance(part, str) or part in names.places
        parts += [part] if whole else [piece.strip() for piece in part.split(",") if piece.strip()]
    wanted: dict[int, None] = {}
    unwanted: set[int] = set()
    for part in parts:
        if isinstance(part, str) and part.startswith("!") and part not in names.places:
            unwanted.update(names.matches(part[1:]))
            continue
        alone = not isinstance(part, str) or part in names.places or _is_number(part)
        places = [names.place(part)] if alone else names.matches(part)
        if len(places) > 1:
            places = [p for p in places if p in free]
        role = next((role for role, place in roles.items() if place in places), None)
        if role is not None:
            raise InputError(f"{names.called(places[0])} is the {role} and cannot be a feature", names.where)
        wanted.update(dict.fromkeys(places))
    if parts and not wanted:
        wanted = dict.fromkeys(free)
    return [place for place in wanted if place not in unwanted]
