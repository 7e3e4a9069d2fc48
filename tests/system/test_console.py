"""What is printed: data is exact where it is piped, and nothing from a file controls a terminal."""

import io
import os
import pty
import re
import subprocess
import sys
import unicodedata

import pytest

from rankine.errors import shown
from rankine.system import console
from rankine.system.console import clock, data_output, print_entries, print_table, put, put_csv, put_json, say

HOSTILE = "a\x1b[2J\x9b31m\u202eb\ud800\udcff\x07\r"


def test_control_characters_are_shown_as_escapes():
    assert shown(HOSTILE) == "a\\x1b[2J\\x9b31m\\u202eb\\ud800\\udcff\\x07\\x0d"
    assert shown("a\tb\nc") == "a\\x09b\\x0ac"
    assert shown("a\tb\nc\x1b", lines=True) == "a\tb\nc\\x1b"
    assert shown("nothing to do: é 漢 ∀ \\x1b") == "nothing to do: é 漢 ∀ \\x1b"
    assert not any(unicodedata.category(c) in ("Cc", "Cs") for c in shown("".join(map(chr, range(0x11000)))))


def test_a_piped_table_is_separated_by_tabs(capsys):
    print_table("Title", ["name", "value"], [("a [b]", 1), ("c", 2.5)], "a note")
    out, err = capsys.readouterr()
    assert out == "name\tvalue\na [b]\t1\nc\t2.5\n"
    assert err == "a note\n"


def test_a_terminal_gets_a_drawn_table(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "40")
    print_table("Title", ["name", "value"], [("a [b]", 1), ("c" * 60, 22)], "a note")
    out, err = capsys.readouterr()
    assert "Title" in out
    assert "a [b]" in out
    assert "a note" in out
    assert "\t" not in out
    assert err == ""


@pytest.mark.parametrize(("columns", "last"), [(80, True), (24, False)])
def test_rows_with_lines_below(capsys, monkeypatch, columns, last):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(columns))
    entries = [
        ((1, "tape\x1b", "0:03.9", "a:0.90"), ["Title · Ann"]), ((2, "温度", "1:03.9", "b:0.90"), ["one two " * 5]),
    ]  # fmt: skip
    print_entries("query", ["", "hit", "at", "heard"], entries)
    lines = [re.sub(r"\x1b\[[\d;]*m", "", line).rstrip() for line in capsys.readouterr().out.splitlines()]
    head, heard = ("   hit           at  heard", "  a:0.90") if last else ("   hit           at", "")
    assert lines[:4] == ["query", head, f"1  tape\\x1b  0:03.9{heard}", "   Title · Ann"]
    assert ("   a:0.90" in lines) == (not last)
    assert f"2  温度      1:03.9{heard.replace('a', 'b')}" in lines
    assert all(len(line) <= columns and line.startswith(("1  ", "2  ", "   ")) for line in lines[1:])


@pytest.mark.parametrize(
    ("cells", "right"),
    [(("1", "+22.5"), True), (("1.2e-05", "<0.001", ""), True), (("0:03.9", "1,200"), True), (("-inf", "-"), True),
     (("4 of 6 phones", "3 of 6 phones of prison"), False), (("2e1f", "12"), False)],
)  # fmt: skip
def test_numbers_stand_on_the_right_and_text_on_the_left(capsys, monkeypatch, cells, right):
    monkeypatch.setenv("FORCE_COLOR", "1")
    print_table("Title", ["a long head of the column"], [(cell,) for cell in cells])
    lines = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in capsys.readouterr().out.splitlines()]
    assert all(line.startswith("     ") == right for line in lines for cell in cells if cell and line.strip() == cell)


def output(monkeypatch, terminal=False, encoding="utf-8"):
    """Standard output as bytes, of a pipe or of a terminal."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    stream.isatty = lambda: terminal
    monkeypatch.setattr(sys, "stdout", stream)
    return raw


def test_piped_data_is_exact(monkeypatch):
    raw = output(monkeypatch)
    put("a\x1b[31m\x9b\udcff\r\n", end="")
    assert raw.getvalue() == b"a\x1b[31m\xc2\x9b\xff\r\n"
    with data_output() as stream:
        stream.write(b"\x1b\x00\xff")
    assert raw.getvalue().endswith(b"\x1b\x00\xff")


def test_text_that_cannot_be_written_is_escaped(monkeypatch):
    raw = output(monkeypatch)
    put("\ud800")
    put_json({"a": "\ud800é"})
    assert raw.getvalue() == b'\\ud800\n{"a": "\\ud800\xc3\xa9"}\n'
    raw = output(monkeypatch, encoding="ascii")
    put("é")
    assert raw.getvalue() == b"\\xe9\n"


def test_a_terminal_gets_no_control_characters(monkeypatch):
    raw = output(monkeypatch, terminal=True)
    put(HOSTILE)
    put_csv([[HOSTILE, 1]])
    put_json({HOSTILE: 1})
    with data_output() as stream:
        stream.write(HOSTILE.encode("utf-8", "surrogatepass") + b"\xff\n")
    text = raw.getvalue().decode()
    assert shown(text, lines=True) == text
    assert "a\\x1b[2J" in text


def test_a_message_is_one_line(capsys):
    say(f"rankine: {HOSTILE}\nrankine: all is well")
    assert capsys.readouterr().err == f"rankine: {shown(HOSTILE)}\\x0arankine: all is well\n"


def test_a_message_replaces_a_status(capsys):
    console.status("half done")
    say("done")
    say("really")
    assert capsys.readouterr().err == "\r\x1b[Khalf done\r\x1b[Kdone\nreally\n"


def test_a_full_disk_names_standard_output():
    script = (
        "from rankine.system.console import put\ntry:\n    put('x')\nexcept OSError as e:\n    raise SystemExit(str(e))"
    )
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-c", script], stdout=full, stderr=subprocess.PIPE, check=False)
    assert b"standard output" in done.stderr


def test_tables_on_a_real_terminal():
    script = (
        "from rankine.system.console import print_table\n"
        f"s = {HOSTILE!r}\n"
        "print_table(s, [s, 'n'], [(s, 1)], s)\n"
    )  # fmt: skip
    leader, follower = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "dumb", "COLUMNS": "200"}
    subprocess.run([sys.executable, "-c", script], stdout=follower, env=environment, check=True)
    text = os.read(leader, 1 << 16).decode().replace("\r\n", "\n")
    os.close(leader)
    os.close(follower)
    assert shown(text, lines=True) == text
    assert text.count("a\\x1b[2J") == 4


def test_questions(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("yes\n"))
    assert console.ask("well\x1b?") == "yes"
    assert capsys.readouterr().err == "well\\x1b? "
    with pytest.raises(EOFError):
        console.ask("well?")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0:00.0"), (59.94, "0:59.9"), (59.96, "1:00.0"), (3599.96, "1:00:00.0"), (7384.25, "2:03:04.2")],
)
def test_clock(seconds, text):
    assert clock(seconds) == text
