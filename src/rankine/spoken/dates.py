"""Dates as people give them: a day, a month, a year, or a range of these."""

from __future__ import annotations

import re
import unicodedata
from calendar import monthrange
from datetime import date
from typing import NamedTuple

from ..errors import InputError, shorten

_LANGUAGES = (  # names of months; the first three letters of the English ones too
    "january february march april may june july august september october november december",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
)
MONTHS = {name: i for names in _LANGUAGES for i, name in enumerate(names.split(), 1)}
MONTHS |= {name[:3]: i for i, name in enumerate(_LANGUAGES[0].split(), 1)} | {"sept": 9}
_WEEKDAY = re.compile(r"(mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?|sun)(day)?[.,]?\s+", re.IGNORECASE)
_TIME = re.compile(r"(.*\d)(?:[T ]|,\s)\s*\d{1,2}:\d\d(:\d\d(\.\d+)?)?\s*(z|[ap]m|[+-]\d\d:?\d\d)?", re.IGNORECASE)
_YEAR_FIRST = re.compile(r"(\d{4})([-/.])(\d{1,2})(?:\2(\d{1,2}))?", re.ASCII)
_TOGETHER = re.compile(r"(\d{4})(\d\d)(\d\d)", re.ASCII)
_YEAR_LAST = re.compile(r"(\d{1,2})([-/.])\s*(\d{1,2})\2\s*(\d{4})", re.ASCII)
_MONTH_YEAR = re.compile(r"(\d{1,2})[-/.](\d{4})", re.ASCII)
_SHORT_YEAR = re.compile(r"\d{1,2}[-/. ]\s*(\d{1,2}|[^\W\d]+\.?)[-/. ]\s*'?\d\d", re.ASCII)
_DAY_NAME = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er|\.)?[\s-]*(?:of |de )?([^\W\d_]+)\.?[\s,-]*(?:de )?(\d{4})")
_NAME_DAY = re.compile(r"([^\W\d_]+)\.?[\s-]*(\d{1,2})(?:st|nd|rd|th)?,?[\s-]+(\d{4})")
_NAME_YEAR = re.compile(r"([^\W\d_]+)\.?[\s,-]*(\d{4})")
_CHINESE = re.compile(r"(\d{4})年(?:(\d{1,2})月(?:(\d{1,2})日)?)?")

_YEARS = re.compile(r"(\d{4})\s*(?:-|–|—|to|until)\s*(\d{4})", re.ASCII)
_DECADE = re.compile(r"(?:the )?(\d{3}0)'?s", re.ASCII)
_ONE_SIDE = re.compile(r"(before|pre-?|after|post-?)\s*(\d{4})", re.ASCII)
_ABOUT = re.compile(r"(?:c|ca|circa|about|around|approx|approximately|um|vers|~)\.?\s*\d{4}|\d{4}\s*\(?\?\)?", re.ASCII)


def date_cell(text: str) -> str:
    """A date as a field keeps it: an ISO date, a range such as 1962..1965, or about a year, which is only shown.

    >>> [date_cell(text) for text in ("17 May 1962", "1962-1965", "1960s", "before 1950", "after 1950", "c.  1962")]
    ['1962-05-17', '1962..1965', '1960..1969', '..1949', '1951..', 'c. 1962']
    """
    plain = " ".join(unicodedata.normalize("NFKC", text).split())
    small = plain.casefold()
    if ".." in plain:
        read_dates(plain)
        return "..".join(part.strip() for part in plain.split("..", 1))
    if _ABOUT.fullmatch(small):
        return plain
    if match := _YEARS.fullmatch(small):
        return date_cell(f"{match[1]}..{match[2]}")
    if match := _ONE_SIDE.fullmatch(small):
        year, before = int(match[2]), match[1].startswith(("before", "pre"))
        return f"..{year - 1:04d}" if before else f"{year + 1:04d}.."
    if match := _DECADE.fullmatch(small):
        if match[1].endswith("00"):
            years = f"{match[1]}..{match[1][:3]}9 or {match[1]}..{match[1][:2]}99"
            raise InputError(f"{shorten(text)} means {years}: write the one that is meant")
        return f"{match[1]}..{match[1][:3]}9"
    return iso_date(text)


def iso_date(text: str) -> str:
    """A date as 2023, 2023-05 or 2023-05-17; one that has two meanings is an InputError, and so is what is none.

    >>> [iso_date(text) for text in ("17 May 2023", "May 17, 2023", "17.5.2023", "5/17/2023", "20230517", "2023")]
    ['2023-05-17', '2023-05-17', '2023-05-17', '2023-05-17', '2023-05-17', '2023']
    >>> iso_date("5/11/2023")
    Traceback (most recent call last):
    rankine.errors.InputError: '5/11/2023' means 2023-05-11 or 2023-11-05: write the one that is meant
    """
    plain = " ".join(unicodedata.normalize("NFKC", text).split())
    timed = _TIME.fullmatch(plain)
    plain = _WEEKDAY.sub("", timed[1].rstrip(",") if timed else plain, count=1)
    if _SHORT_YEAR.fullmatch(plain):
        raise InputError(f"expected a year of four digits, as in 2023-05-17; got {shorten(text)}")
    parts = _parts(plain, text)
    out = "-".join(f"{part:0{4 if i == 0 else 2}d}" for i, part in enumerate(parts or ()))
    if parts is None or read_date(out) is None:
        raise InputError(f"expected {EXPECTED}; got {shorten(text)}")
    return out


def _parts(plain: str, text: str) -> tuple[int, ...] | None:
    """Year, month and day, as far as they are given; None where text is no date."""
    if re.fullmatch(r"\d{4}", plain, re.ASCII):
        return (int(plain),)
    if match := _TOGETHER.fullmatch(plain) or _CHINESE.fullmatch(plain):
        return tuple(int(part) for part in match.groups() if part)
    if match := _YEAR_FIRST.fullmatch(plain):
        return tuple(int(part) for part in (match[1], match[3], match[4]) if part)
    if match := _YEAR_LAST.fullmatch(plain):
        return _unambiguous(int(match[1]), int(match[3]), int(match[4]), text)
    if match := _MONTH_YEAR.fullmatch(plain):
        return int(match[2]), int(match[1])
    for pattern, year, month, day in ((_DAY_NAME, 3, 2, 1), (_NAME_DAY, 3, 1, 2), (_NAME_YEAR, 2, 1, 0)):
        if (match := pattern.fullmatch(plain)) and (number := MONTHS.get(match[month].casefold())):
            return (int(match[year]), number, *([int(match[day])] if day else []))
    return None


def _unambiguous(first: int, second: int, year: int, text: str) -> tuple[int, int, int] | None:
    """Year, month and day of two numbers before a year, where only one order is possible."""
    orders = [(year, month, day) for month, day in {(first, second), (second, first)} if _is_day(year, month, day)]
    if len(orders) > 1:
        either = " or ".join(sorted(date(*order).isoformat() for order in orders))
        raise InputError(f"{shorten(text)} means {either}: write the one that is meant")
    return orders[0] if orders else None


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


# -- Dates as people give them: a day, a month, a year, or a range of these


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
