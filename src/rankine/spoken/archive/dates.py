"""Dates as people give them: a day, a month, a year, or a range of these."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date
from typing import NamedTuple

from ...errors import InputError, shorten

EXPECTED = "a year (2023), a month (2023-05) or a day (2023-05-17)"
_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", re.ASCII)
_WITH_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[T ]\d\d:.*", re.ASCII)
_FIRST, _LAST = 0, 99999999


class DateRange(NamedTuple):
    """The days from ``first`` to ``last``, as numbers such as 20230517."""

    first: int = _FIRST
    last: int = _LAST

    def holds(self, other: DateRange) -> bool:
        """Whether all days of another range are in this one."""
        return self.first <= other.first and other.last <= self.last


def read_date(text: str) -> DateRange | None:
    """The days of a year, a month or a day, None where text is nothing of these.

    >>> read_date("2023-05"), read_date("5.11.2026")
    (DateRange(first=20230501, last=20230531), None)
    """
    timed = _WITH_TIME.fullmatch(text)
    match = _DATE.fullmatch(timed[1] if timed else text)
    if match is None:
        return None
    year, month, day = match.groups()
    try:
        date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        return None
    last_day = monthrange(int(year), int(month or 12))[1]
    first, last = (f"{year}{month or m}{day or d}" for m, d in (("01", "01"), ("12", f"{last_day:02d}")))
    return DateRange(int(first), int(last))


def read_days(text: str) -> DateRange | None:
    """The days of what a recording has as its date: a date or a range; None where it is neither, such as c. 1962.

    >>> read_days("1960..1969"), read_days("c. 1962")
    (DateRange(first=19600101, last=19691231), None)
    """
    try:
        return read_date(text) or (read_dates(text) if ".." in text else None)
    except InputError:
        return None


def read_dates(text: str) -> DateRange:
    """The days of a date or of a range such as ``2021..2023``, ``2021-05..`` or ``..2022``.

    >>> read_dates("..2022")
    DateRange(first=0, last=20221231)
    """
    begin, dots, end = text.strip().partition("..")
    if not dots:
        end = begin
    first = DateRange() if dots and not begin else read_date(begin.strip())
    last = DateRange() if dots and not end else read_date(end.strip())
    if first is None or last is None or not (begin or end):
        raise InputError(f"expected {EXPECTED}, or two of them with .. between; got {shorten(text)}")
    if first.first > last.last:
        raise InputError(f"expected dates from the earlier to the later, got {shorten(text)}")
    return DateRange(first.first, last.last)
