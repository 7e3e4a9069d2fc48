"""Rights: who may hear a recording, and what search, playing and export do about it.

open                     everybody; so is a recording of which nothing is said
on request               it is listed with what is said about it; it is not searched, played or exported
closed                   it is not listed, searched, played or exported
closed until 2030-01-01  closed before this day, open from it on
anything else            closed, until somebody says one of the above

Whoever keeps the archive asks for everything with ``closed=True``, on the command line with ``--closed``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import numpy as np

from ...errors import InputError, shorten
from ...system.console import counted
from ..dates import iso_date
from ..index.reader import Index
from ..index.storage import MANIFEST
from ..store.cells import CLOSED, OPEN, RIGHTS

ON_REQUEST = "on request"
HEARINGS = "hearings"  # the folder of further hearings in that of an archive
_EXPECTED = "open, on request, closed, or closed until a day such as 2030-01-01"
_WRITTEN = {"open": OPEN, "public": OPEN, "on request": ON_REQUEST, "by request": ON_REQUEST, "closed": CLOSED}
_LICENCE = re.compile(  # all of a text: what stands beside a licence may be about access
    r"(cc0|cc[ -]by([ -](sa|nc|nd))*|creative commons|public domain)"
    r"([ :,.-]*(mark|zero|attribution|share ?alike|non-?commercial|no ?deriv(ative)?s|licen[cs]e|universal"
    r"|international|unported|cc|by|sa|nc|nd|\d\.\d|[(]|[)]))*"
    r"|(https?://)?(www\.)?creativecommons\.org/\S+", re.IGNORECASE,
)  # fmt: skip
_UNTIL = re.compile(r"(?:closed|embargo(?:ed)?) until (.+)")


def read_rights(text: str) -> str:
    """Return rights as they are kept; what is not understood is kept as it is written, and closes the recording.

    Until a year or month is until its first day.

    >>> read_rights("On  request"), read_rights("closed until 17 May 2030"), read_rights("closed until 2030")
    ('on request', 'closed until 2030-05-17', 'closed until 2030-01-01')
    >>> read_rights("Restricted"), access("Restricted")
    ('Restricted', 'closed')
    """
    written = " ".join(text.split())
    plain = (" ".join(text.replace("-", " ").split()) if "until" not in text.casefold() else written).casefold()
    if plain in _WRITTEN:
        return _WRITTEN[plain]
    match = _UNTIL.fullmatch(plain)
    try:
        day = iso_date(match[1]) if match else ""
    except InputError:
        day = ""
    return f"closed until {day}{'-01-01'[len(day) - 4 :] if len(day) < 10 else ''}" if day else written


def is_licence(text: str) -> bool:
    """Return whether a text is the name of a licence and nothing else: that does not say who may hear a recording.

    >>> is_licence("CC-BY 4.0"), is_licence("https://creativecommons.org/publicdomain/zero/1.0/"), is_licence("closed")
    (True, True, False)
    >>> is_licence("Creative Commons Attribution-ShareAlike 4.0"), is_licence("Public domain, but closed until then")
    (True, False)
    """
    return _LICENCE.fullmatch(" ".join(text.split())) is not None


def restricts(text: str) -> bool:
    """Return whether a text says that a recording is closed, or on request.

    >>> restricts("Closed"), restricts("closed until 2999"), restricts("(c) the archive"), restricts("open")
    (True, True, False, False)
    """
    rights = read_rights(text)
    return is_understood(rights) and access(rights) != OPEN


def not_understood(rights: Mapping[str, str]) -> list[str]:
    """Return a sentence for each text of rights by recording that closes it because it is not understood."""
    names: dict[str, list[str]] = {}
    for name, text in rights.items():
        if text and not is_understood(text):
            names.setdefault(text, []).append(name)
    return [
        f"the rights {shorten(text)} are not understood, so {counted(len(some), 'recording')} such as {some[0]!r} "
        f"{'is' if len(some) == 1 else 'are'} closed; understood is {_EXPECTED}, and `open` opens it. "
        "A licence stands in the field licence"
        for text, some in names.items()
    ]


def is_understood(rights: str) -> bool:
    """Return whether rights as they are kept say who may hear a recording."""
    return rights in (OPEN, ON_REQUEST, CLOSED) or _embargo(rights) is not None


def _embargo(rights: str) -> date | None:
    """Return the day from which a recording is open; None where no day can be read."""
    match = re.fullmatch(r"closed until (\d{4}-\d\d-\d\d)", rights, re.ASCII)
    try:
        return date.fromisoformat(match[1]) if match else None
    except ValueError:
        return None


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
    day = _embargo(rights)
    return OPEN if day is not None and (today or date.today()) >= day else CLOSED


def listed_recordings(index: Index) -> np.ndarray:
    """Return the numbers of the recordings that are not closed."""
    closed = [name for name, means in _not_open(index).items() if means == CLOSED]
    return np.setdiff1d(np.arange(len(index)), [index.numbers[name] for name in closed])


def not_open(index: Index) -> list[str]:
    """Return the names of recordings that are closed or on request."""
    return list(_not_open(index))


def _not_open(index: Index) -> dict[str, str]:
    """Return what the rights of recordings mean that are not open, by name."""
    means = {name: access(rights) for name, rights in index.cells.having(RIGHTS, OPEN).items()}
    if _is_hearing_of_what_is_not_open(index.folder):
        means |= dict.fromkeys(index.names, CLOSED)
    return {name: mean for name, mean in means.items() if mean != OPEN and name in index.numbers}


def _is_hearing_of_what_is_not_open(folder: Path) -> bool:
    """Return whether a folder holds a further hearing of an archive in which not all is open.

    A hearing has no rights of its own, and may call recordings by other names.
    """
    above = folder.resolve().parent.parent
    return (
        folder.resolve().parent.name == HEARINGS and (above / MANIFEST).exists() and bool(not_open(Index.open(above)))
    )


def open_index(index: Index) -> Index:
    """Return the index as if it held only what is open: all that is said to others than the keeper comes from it."""
    return index.without(not_open(index))


def check_all_open(index: Index, everything: str = "closed=True", some: str = "open_only=True") -> None:
    """Raise InputError if the archive has recordings that are closed or on request; it names the two ways to pack."""
    if names := not_open(index):
        raise InputError(
            f"{counted(len(names), 'recording')} such as {names[0]!r} may not be read by everybody: {some} leaves out "
            f"what is not open, {everything} packs it too, for the keeper", str(index.folder),
        )  # fmt: skip


def check_readable(index: Index, recording: str, closed: bool = False, way: str = "closed=True") -> None:
    """Raise InputError if a recording is closed or only given on request, unless the keeper asks (``closed``).

    ``way`` is how the keeper asks.
    """
    if closed:
        return
    rights = index.cells.some([recording]).get(recording, {}).get(RIGHTS, "")
    if (means := access(rights)) != OPEN:
        state = "is only given on request" if means == ON_REQUEST else f"is {rights if rights else CLOSED}"
        raise InputError(f"{recording!r} {state}: {way} opens it for those who may", str(index.folder))
