"""Citations: one line that names a recording and a time in it."""

from __future__ import annotations

from collections.abc import Mapping

from ...system.console import clock


def citation(name: str, fields: Mapping[str, str], second: float | None = None) -> str:
    """A recording as it is cited, with what is said about it, and the time code of a place.

    >>> citation("tape-7", {"title": "Harbour", "speakers": "Ann Lee; Bob Day", "date": "1999-05-17"}, 741.24)
    'Ann Lee; Bob Day: “Harbour” (1999-05-17). Recording tape-7, 12:21.2.'
    >>> citation("tape-7", {})
    'Recording tape-7.'
    """
    speakers, title, date = (" ".join(fields.get(field, "").split()) for field in ("speakers", "title", "date"))
    collection = " ".join(fields.get("collection", "").split())
    head = f"“{title}”" if title else ""
    head = f"{speakers}: {head}" if speakers and head else speakers or head
    head += f" ({date})" if date and head else date
    parts = f"Recording {name}", collection, "" if second is None else clock(second)
    place = ", ".join(part for part in parts if part)
    return f"{head}. {place}." if head else f"{place}."
