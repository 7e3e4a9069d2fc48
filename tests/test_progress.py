"""Bars are drawn on a terminal only, one at a time."""

import io
import sys

import pytest

from rankine import progress
from rankine.progress import bar


class Terminal(io.StringIO):
    def isatty(self):
        return True


def terminal_for(monkeypatch):
    """Standard error as a terminal of 120 columns; not a fixture, for pytest sets standard error after those."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(sys, "stderr", Terminal())
    return sys.stderr


def test_nothing_is_drawn_without_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with bar("reading", total=4) as update:
        update(1)
        update(2, 8)
    assert sys.stderr.getvalue() == ""


def test_nothing_is_drawn_where_it_is_not_shown(monkeypatch):
    terminal = terminal_for(monkeypatch)
    with bar("reading", total=4, show=False) as update:
        update(4)
    assert terminal.getvalue() == ""


def test_the_amount_is_drawn(monkeypatch):
    terminal = terminal_for(monkeypatch)
    with bar("reading", total=4) as update:
        update(3)
    assert "reading" in terminal.getvalue()
    assert "3/4" in terminal.getvalue()


def test_the_total_may_change(monkeypatch):
    terminal = terminal_for(monkeypatch)
    with bar("reading", total=None) as update:
        update(3, 8)
        update(5)
    assert "5/8" in terminal.getvalue()


@pytest.mark.parametrize(("unit", "text"), [("bytes", "3.0/4.0 kB"), ("seconds", "3000/4000")])
def test_units(monkeypatch, unit, text):
    terminal = terminal_for(monkeypatch)
    with bar("reading", total=4000, unit=unit) as update:
        update(3000)
    assert text in terminal.getvalue()


def test_one_bar_at_a_time(monkeypatch):
    terminal = terminal_for(monkeypatch)
    with bar("outer", total=4) as update:
        with bar("inner", total=9) as update_inner:
            update_inner(7)
        update(2)
    assert "2/4" in terminal.getvalue()
    assert "inner" not in terminal.getvalue()


def test_after_an_error_bars_are_drawn_again(monkeypatch):
    terminal = terminal_for(monkeypatch)
    with pytest.raises(ZeroDivisionError), bar("first", total=4):
        raise ZeroDivisionError
    with bar("second", total=4) as update:
        update(1)
    assert "second" in terminal.getvalue()


def test_lines_where_there_is_no_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    now = 100.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    with bar("recognising", None, unit="seconds", lines=True) as update:
        for done in range(0, 5000, 1000):
            update(done, 4000)
            now += 4
    assert sys.stderr.getvalue() == "recognising: 3,000 of 4,000 seconds\n"
    with bar("recognising", None, show=False, lines=True) as update:
        now += 100
        update(1)
    assert sys.stderr.getvalue().count("\n") == 1
