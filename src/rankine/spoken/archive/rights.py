"""Rights: who may hear a recording, and what search, playing and export do about it.

open                     everybody; so is a recording of which nothing is said
on request               search says where something was said, but not what; it is not played or exported
closed                   it is not in answers, and is not played or exported
closed until 2030-01-01  closed before this day, open from it on

Whoever keeps the archive asks for everything with ``closed=True``, on the command line with ``--closed``.
"""

from __future__ import annotations

import re
from datetime import date

import numpy as np

from ...console import counted
from ...errors import InputError, shorten
from ..index.reader import Index
from .day_notations import iso_date

OPEN, ON_REQUEST, CLOSED = "open", "on request", "closed"
RIGHTS = "rights"  # the field
_EXPECTED = "open, on request, closed, or closed until a day such as 2030-01-01"
_WRITTEN = {"open": OPEN, "public": OPEN, "on request": ON_REQUEST, "by request": ON_REQUEST, "closed": CLOSED}
_UNTIL = re.compile(r"(?:closed|embargo(?:ed)?) until (.+)")


def read_rights(text: str) -> str:
    """Rights as they are kept; anything else is an InputError. Until a year or month is until its first day.

    >>> read_rights("On  request"), read_rights("closed until 17 May 2030"), read_rights("closed until 2030")
    ('on request', 'closed until 2030-05-17', 'closed until 2030-01-01')
    """
    plain = " ".join(text.replace("-", " ").split() if "until" not in text else text.split()).casefold()
    if plain in _WRITTEN:
        return _WRITTEN[plain]
    match = _UNTIL.fullmatch(plain)
    if match is None:
        raise InputError(f"expected {_EXPECTED}; got {shorten(text)}")
    day = iso_date(match[1])
    return f"closed until {day}{'-01-01'[len(day) - 4 :] if len(day) < 10 else ''}"


def access(rights: str, today: date | None = None) -> str:
    """What rights mean on a day: ``open``, ``on request`` or ``closed``; what cannot be read is closed.

    >>> access("closed until 2030-01-01", date(2029, 12, 31)), access("closed until 2030-01-01", date(2030, 1, 1))
    ('closed', 'open')
    >>> access(""), access("on request"), access("ask Ann")
    ('open', 'on request', 'closed')
    """
    if rights in ("", OPEN):
        return OPEN
    if rights == ON_REQUEST:
        return ON_REQUEST
    match = re.fullmatch(r"closed until (\d{4}-\d\d-\d\d)", rights, re.ASCII)
    return OPEN if match and (today or date.today()).isoformat() >= match[1] else CLOSED


def readable_documents(index: Index, words: bool = False) -> np.ndarray | None:
    """True for the documents that are not closed, by number, with ``words`` for those that are open; None: for all."""
    secret = (CLOSED, ON_REQUEST) if words else (CLOSED,)
    closed = [name for name, rights in index.cells.having(RIGHTS, OPEN).items() if access(rights) in secret]
    numbers = [index.numbers[name] for name in closed if name in index.numbers] if closed else []
    if not numbers:
        return None
    mask = np.ones(len(index), np.bool_)
    mask[numbers] = False
    return mask


def not_open(index: Index) -> list[str]:
    """The names of recordings that are closed or on request."""
    others = [name for name, rights in index.cells.having(RIGHTS, OPEN).items() if access(rights) != OPEN]
    return [name for name in others if name in index.numbers]


def check_all_open(index: Index, everything: str = "closed=True", some: str = "open_only=True") -> None:
    """Raise InputError if the archive has recordings that are closed or on request; it names the two ways to pack."""
    if names := not_open(index):
        raise InputError(
            f"{counted(len(names), 'recording')} such as {names[0]!r} may not be read by everybody: {some} leaves out "
            f"what is not open, {everything} packs it too, for the keeper", str(index.folder),
        )  # fmt: skip


def check_readable(index: Index, document: str, closed: bool = False, way: str = "closed=True") -> None:
    """Raise InputError if a recording is closed or only given on request, unless the keeper asks (``closed``).

    ``way`` is how the keeper asks.
    """
    if closed:
        return
    rights = index.cells.some([document]).get(document, {}).get(RIGHTS, "")
    if (means := access(rights)) != OPEN:
        state = "is only given on request" if means == ON_REQUEST else f"is {rights if rights else CLOSED}"
        raise InputError(f"{document!r} {state}: {way} opens it for those who may", str(index.folder))
