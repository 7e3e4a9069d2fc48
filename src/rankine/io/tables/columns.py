"""Which columns of a table hold the grades, the query ids, the document ids and the features.

A column is named by its name or by its number, from 1. Features may also be given as patterns: ``f*`` (names that
match), ``f1-f46`` or ``4-49`` (from one column to another, as they stand in the table), ``!title`` (all others but).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from ...errors import InputError, nearest, shorten
from ...system.limits import FEATURES, max_features
from .roles import DOCUMENT, GRADE, QUERY, plain_name

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
