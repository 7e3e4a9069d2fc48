"""Bars are drawn on a terminal only, one at a time."""

import io
import re
import sys
from functools import partialmethod

import pytest
import rich.progress

from rankine.system import progress
from rankine.system.progress import bar, stages


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


UNITS = {"bytes": "3.0/4.0 kB", "seconds": "50 of 67 min", "words": "3,000 of 4,000 words"}


@pytest.mark.parametrize(("unit", "text"), UNITS.items())
def test_units(monkeypatch, unit, text):
    terminal = terminal_for(monkeypatch)
    with bar("reading", total=4000, unit=unit) as update:
        update(3000)
    assert text in terminal.getvalue()


def test_no_more_is_done_than_there_is(monkeypatch):
    terminal = terminal_for(monkeypatch)
    with bar("reading", total=None) as update:
        update(5, 5)
        update(49)  # of a total that nobody has told
    assert "49/?" in terminal.getvalue()
    assert "49/5" not in terminal.getvalue()


@pytest.fixture
def every_change(monkeypatch):
    """Bars are drawn at every change."""
    monkeypatch.setattr(rich.progress.Progress, "update", partialmethod(rich.progress.Progress.update, refresh=True))


def batches(progress, hearing=""):
    """Tell of recordings that are indexed in batches while others are recognised."""
    for batch in range(4):
        progress(f"recognising{hearing}", 1800.0 * batch, 7200.0)
        for done in range(50 * batch):  # all are looked at
            progress(f"indexing{hearing}", done, None)
        progress(f"indexing{hearing}", 6, 6)
    progress(f"recognising{hearing}", 7200.0, 7200.0)


def test_a_stage_within_another_one_is_a_word_behind_its_bar(monkeypatch, every_change):
    terminal = terminal_for(monkeypatch)
    with stages({"recognising": "seconds"}, {"indexing": "recognising"}) as update:
        batches(update)
        batches(update, ", whisper")
        update("indexing", 1, 2)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.getvalue())
    lines = [line.strip() for line in re.split(r"[\r\n]+", text) if line.strip()]
    assert {re.split(r"\s*[━╸╺]", line)[0] for line in lines} == {"recognising", "recognising, whisper"}
    assert any(line.endswith("indexing") for line in lines)
    assert all("of 120 min" in line for line in lines)
    assert "120 of 120 min" in lines[-1]


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_a_bar_is_one_line_and_tells_the_time_that_is_left(monkeypatch, every_change, columns):
    terminal = terminal_for(monkeypatch)
    monkeypatch.setenv("COLUMNS", str(columns))
    now = 0.0
    monkeypatch.setattr("rich.console.monotonic", lambda: now)
    with stages({"recognising": "seconds"}, {"indexing": "recognising"}) as update:
        for done in range(10):
            now += 60.0
            update("recognising, whisper", 600.0 * done, 7860.0)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.getvalue())
    lines = [line.rstrip() for line in re.split(r"[\r\n]+", text) if line.strip()]
    assert all(line.startswith("recognising, whisper") for line in lines)
    assert all(len(line) <= columns for line in lines)
    assert "90 of 131 min" in lines[-1]
    assert re.search(r"\d:\d\d:\d\d left", lines[-1])
    assert ("× real time" in lines[-1]) == (columns >= 100)


def test_a_stage_within_another_one_that_has_not_begun_has_its_own_bar(monkeypatch, every_change):
    terminal = terminal_for(monkeypatch)
    with stages({"indexing": "words"}, {"indexing": "recognising"}) as update:
        update("indexing", 812, None)
        update("indexing", 3, 5)
        update("indexing", 4, None)
    assert "3 of 5 words" in terminal.getvalue()
    assert "4 of 5 words" in terminal.getvalue()


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
    assert sys.stderr.getvalue() == "recognising: 50 of 67 minutes\n"
    with bar("recognising", None, show=False, lines=True) as update:
        now += 100
        update(1)
    assert sys.stderr.getvalue().count("\n") == 1


def test_lines_of_stages_where_there_is_no_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    monkeypatch.setattr(progress, "EVERY", 0.0)
    with stages({"recognising": "seconds"}, {"indexing": "recognising"}) as update:
        batches(update)
    minutes = [line.removeprefix("recognising: ") for line in dict.fromkeys(sys.stderr.getvalue().splitlines())]
    assert minutes == [f"{done} of 120 minutes" for done in (0, 30, 60, 90, 120)]
