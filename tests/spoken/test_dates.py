"""Dates: days, months and years, and ranges of them."""

from datetime import date, timedelta

import pytest

import rankine as rk
from rankine.spoken.dates import DateRange, read_date, read_dates


def test_dates():
    assert read_date("2023") == (20230101, 20231231)
    assert read_date("2024-02") == (20240201, 20240229)
    assert read_date("2024-02-29") == read_date("2024-02-29T10:00:00Z") == read_date("2024-02-29 10:00") != None  # noqa: E711
    for text in (
        "5.11.2026",
        "2023-13",
        "2023-02-29",
        "23",
        "2023/05",
        "",
        "may 2023",
        "2023-5",
        "0000",
        "２０２３",
        "20230517",
    ):
        assert read_date(text) is None


def test_a_range_holds_the_days_between():
    days = [date(2021, 12, 28) + timedelta(i) for i in range(40)]
    for text, first, last in (
        ("2021..2022", "2021-01-01", "2022-12-31"), ("2022-01", "2022-01-01", "2022-01-31"),
        ("2022..", "2022-01-01", "9999"),
        ("..2021", "0000", "2021-12-31"), ("2021-12-30..2022-01-02", "2021-12-30", "2022-01-02"),
        ("2022-01-01", "2022-01-01", "2022-01-01"),
    ):  # fmt: skip
        inside = [d for d in days if read_dates(text).holds(read_date(d.isoformat()))]
        assert inside == [d for d in days if first <= d.isoformat() <= last] != []
    assert not read_dates("2022-01").holds(read_date("2022"))  # which month is not said
    assert read_dates("2022").holds(read_date("2022-01"))
    assert read_dates("2022-01-01..2022-12-31").holds(read_date("2022"))
    assert read_dates("2022-05-01..2022-05-31").holds(read_date("2022-05"))
    assert DateRange().holds(read_date("1455"))


@pytest.mark.parametrize("text", ["..", "", "x", "2022..x", "2022...2023", "2022-01..02"])
def test_what_is_no_range(text):
    with pytest.raises(rk.InputError, match="expected a year"):
        read_dates(text)


def test_backwards():
    with pytest.raises(rk.InputError, match=r"from the earlier to the later, got '2023\.\.2021'"):
        read_dates("2023..2021")
