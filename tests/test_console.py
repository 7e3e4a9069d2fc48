"""Tables and times for people."""

import pytest

from rankine.console import clock, print_table


def test_a_piped_table_is_separated_by_tabs(capsys):
    print_table("Title", ["name", "value"], [("a [b]", 1), ("c", 2.5)], "a note")
    out, err = capsys.readouterr()
    assert out == "name\tvalue\na [b]\t1\nc\t2.5\n"
    assert err == "a note\n"


def test_a_terminal_gets_a_drawn_table(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "40")
    print_table("Title", ["name", "value"], [("a [b]", 1), ("c" * 60, 22)], "a note", whole=("name",))
    out, err = capsys.readouterr()
    assert "Title" in out
    assert "a [b]" in out
    assert "a note" in out
    assert "\t" not in out
    assert err == ""


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0:00.0"), (59.94, "0:59.9"), (59.96, "1:00.0"), (3599.96, "1:00:00.0"), (7384.25, "2:03:04.2")],
)
def test_clock(seconds, text):
    assert clock(seconds) == text
