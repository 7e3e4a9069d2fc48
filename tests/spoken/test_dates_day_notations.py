"""Dates in the notations that people use."""

from contextlib import suppress
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankine as rk
from rankine.spoken.dates import MONTHS, date_cell, iso_date, read_date, read_dates, read_days


@pytest.mark.parametrize(
    "text",
    [
        "2023-05-17", "17 May 2023", "May 17, 2023", "17.5.2023", "17.05.2023", "2023/05/17", "20230517", "5/17/2023",
        "17/5/2023", "17-May-2023", "17th of May 2023", "May 17th, 2023", "Wednesday, 17 May 2023", "17. Mai 2023",
        "17 mai 2023", "17 de mayo de 2023", "2023年5月17日", "2023-05-17T10:00:00Z", "Wed, 17 May 2023 10:00:00 +0200",
        "5/17/2023, 9:05 PM", "２０２３-05-17", " 17  May\t2023 ",
    ],
)  # fmt: skip
def test_one_day_in_many_notations(text):
    assert iso_date(text) == "2023-05-17"


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("2023", "2023"), ("2023-05", "2023-05"), ("2023-5", "2023-05"), ("May 2023", "2023-05"),
        ("05/2023", "2023-05"),
        ("5/5/2023", "2023-05-05"), ("29 Feb 2024", "2024-02-29"), ("Sept 2023", "2023-09"), ("2023年", "2023"),
    ],
)  # fmt: skip
def test_years_and_months(text, want):
    assert iso_date(text) == want


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5/11/2023", "^'5/11/2023' means 2023-05-11 or 2023-11-05: write the one that is meant$"),
        ("05.11.2023", "means 2023-05-11 or 2023-11-05"), ("1-2-2023", "means 2023-01-02 or 2023-02-01"),
        ("05.11.23", r"^expected a year of four digits, as in 2023-05-17; got '05\.11\.23'$"),
        ("17 May 23", "expected a year of four digits"), ("17.5.23", "expected a year of four digits"),
        ("31.2.2023", r"^expected a year \(2023\), a month"), ("13/13/2023", "expected a year"),
        ("29 Feb 2023", "expected"),
        ("c. 1950", "expected a year"), ("1950s", "expected a year"), ("0000", "expected a year"),
        ("", "expected a year"),
        ("17 Floréal 2023", "expected a year"), ("2023-13", "expected a year"), ("12345", "expected a year"),
    ],
)  # fmt: skip
def test_what_is_ambiguous_or_no_date(text, message):
    with pytest.raises(rk.InputError, match=message):
        iso_date(text)


NOTATIONS = (
    "{d} {m} {y}",
    "{m} {d}, {y}",
    "{y}/{n}/{d}",
    "{y}{n:02}{d:02}",
    "{d}.{n}.{y}",
    "{n}/{d}/{y}",
    "{d}-{m}-{y}",
)


@given(st.dates(date(1000, 1, 1), date(9999, 12, 31)), st.sampled_from(NOTATIONS), st.sampled_from(sorted(MONTHS)))
def test_every_day_is_read_as_it_is_or_refused(day, notation, name):
    day = (date(day.year, MONTHS[name], 1) + timedelta(day.day - 1)) if "{m}" in notation else day
    text = notation.format(d=day.day, n=day.month, y=day.year, m=name)
    if "{m}" in notation and day.month != MONTHS[name]:
        return
    ambiguous = notation in ("{d}.{n}.{y}", "{n}/{d}/{y}") and day.day <= 12 and day.day != day.month
    if ambiguous:
        with pytest.raises(rk.InputError, match="write the one that is meant"):
            iso_date(text)
    else:
        assert iso_date(text) == day.isoformat()


@given(st.text(max_size=20))
def test_any_text_is_a_date_or_an_error(text):
    with suppress(rk.InputError):
        assert read_date(iso_date(text)) is not None


@pytest.mark.parametrize(
    ("text", "want", "around", "missed"),
    [
        ("1962-1965", "1962..1965", "1960..1965", "1962"), ("1962 – 1965", "1962..1965", "1962..1965", "1963..1965"),
        ("1960s", "1960..1969", "1960..1969", "1960..1968"), ("the 1960's", "1960..1969", "1950..1970", "1965"),
        ("Before 1950", "..1949", "..1949", "1900..1949"), ("after 1950", "1951..", "1951..", "1951..2000"),
        ("1962-05 .. 1963", "1962-05..1963", "1962..1963", "1962"),
    ],
)  # fmt: skip
def test_ranges(text, want, around, missed):
    assert date_cell(text) == want == date_cell(want)
    days = read_days(want)
    assert read_dates(around).holds(days)
    assert not read_dates(missed).holds(days)


@pytest.mark.parametrize("text", ["c. 1962", "ca 1962", "Circa 1962", "1962?", "about 1962", "~1962"])
def test_about_a_year_is_only_shown(text):
    assert date_cell(text) == text
    assert read_days(text) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1900s", r"means 1900\.\.1909 or 1900\.\.1999"), ("1965-1962", "from the earlier to the later"),
        ("1962-65", "expected a year"), ("5/11/1963", "means"), ("before", "expected a year"), ("..", "expected"),
        ("before 1950-05", "expected a year"), ("c. 17 May", "expected a year"), ("60s", "expected a year"),
    ],
)  # fmt: skip
def test_ranges_that_are_ambiguous_or_none(text, message):
    with pytest.raises(rk.InputError, match=message):
        date_cell(text)
