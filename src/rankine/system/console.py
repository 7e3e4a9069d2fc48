"""All that Rankine prints: data on standard output, messages on standard error, tables, questions, times for people.

Text from files never controls a terminal: :func:`rankine.errors.shown` replaces control characters by escapes such as
``\\x1b``. Messages and what a terminal shows go through it; data that is piped stays as it is, byte for byte.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, cast

from ..errors import shown

_NUMBER = re.compile(r"|[-+−<.\d]([\d\W]|(?<=\d)e(?=[-+]?\d)|(?<=[-+])inf)*")  # also an interval, a time, nothing
_line_is_begun = False  # by a status, which the next message replaces


def say(text: object, lines: bool = False) -> None:
    """Print a message on standard error, as one line unless ``lines``."""
    encoding = sys.stderr.encoding or "utf-8"
    global _line_is_begun
    clear, _line_is_begun = "\r\x1b[K" if _line_is_begun else "", False
    message = f"{clear}{shown(text, lines)}\n".encode(encoding, "backslashreplace").decode(encoding)
    with suppress(OSError):  # a full disk behind standard error does not end the work
        sys.stderr.write(message)
        sys.stderr.flush()


def status(text: object) -> None:
    """Print a line on standard error in place of the one before; for a terminal."""
    global _line_is_begun
    _line_is_begun = True
    sys.stderr.write(f"\r\x1b[K{shown(text)}")
    sys.stderr.flush()


def put(text: str, end: str = "\n") -> None:
    """Write data to standard output; it is exact where output is piped, without control characters on a terminal.

    Names of files that are not valid text are written with their own bytes.
    """
    stream = sys.stdout
    encoding = stream.encoding or "utf-8"
    text += end
    if stream.isatty():
        data = shown(text, lines=True).encode(encoding, "backslashreplace")
    else:
        try:
            data = text.encode(encoding, "surrogateescape")
        except UnicodeEncodeError:
            data = text.encode(encoding, "backslashreplace")
    _write(data)


def put_json(value: Any, indent: int | None = None, allow_nan: bool = True) -> None:
    """Write a value as JSON to standard output."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=allow_nan)
    put(re.sub("[\ud800-\udfff]", lambda surrogate: f"\\u{ord(surrogate[0]):04x}", text))


def put_csv(rows: Iterable[Sequence[Any]]) -> None:
    """Write rows as CSV to standard output."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    put(text.getvalue(), end="")


@contextmanager
def data_output() -> Iterator[BinaryIO]:
    """Standard output for bytes: as they are where output is piped, without control characters on a terminal."""
    sys.stdout.flush()
    stream = cast(BinaryIO, _Terminal() if sys.stdout.isatty() else sys.stdout.buffer)
    with _named():
        yield stream
        stream.flush()


class _Terminal(io.RawIOBase):
    """Bytes of text that go to a terminal."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        _write(shown(bytes(data).decode("utf-8", "replace"), lines=True).encode(sys.stdout.encoding, "replace"))
        return len(data)


def _write(data: bytes) -> None:
    """Write bytes to standard output, after what was printed before."""
    with _named():
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


@contextmanager
def _named() -> Iterator[None]:
    """An error of writing that names no file is one of standard output."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or isinstance(error, BrokenPipeError):
            raise
        raise OSError(error.errno, error.strerror, "standard output") from None


def ask(question: str) -> str:
    """The answer to a question on standard error, without its line break; EOFError at the end of input."""
    sys.stderr.write(f"{shown(question)} ")
    sys.stderr.flush()
    answer = sys.stdin.readline()
    if not answer:
        raise EOFError("input ended before the answer")
    return answer.rstrip("\r\n")


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], note: str = "") -> None:
    """Print a table, drawn on a terminal, tab-separated where output is piped."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    if not console.is_terminal:
        put("".join("\t".join(map(str, row)) + "\n" for row in (columns, *rows)), end="")
        if note:
            say(note, lines=True)
        return
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", padding=(0, 1, 0, 0), collapse_padding=True)
    for i, column in enumerate(columns):
        numeric = all(_NUMBER.fullmatch(str(r[i])) for r in rows)
        table.add_column(Text(shown(column)), justify="right" if numeric else "left")
    for row in rows:
        table.add_row(*(Text(shown(cell)) for cell in row))
    console.print(shown(title), style="bold", markup=False, highlight=False)
    console.print(table)
    if note:
        console.print(shown(note, lines=True), style="dim", markup=False, highlight=False)


def is_terminal() -> bool:
    """Whether tables are drawn: standard output is a terminal, or the environment says so."""
    from rich.console import Console

    return Console().is_terminal


def print_entries(title: str, columns: Sequence[str], entries: Sequence[tuple[Sequence[Any], Sequence[str]]]) -> None:
    """Print rows on a terminal with lines of text below each, over the whole width.

    The last column becomes the last line below where rows would be wider than the terminal.
    """
    from rich.cells import cell_len, set_cell_size
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console()
    rows = [[shown(cell) for cell in row] for row, _ in entries]
    widths = [max(map(cell_len, column)) for column in zip(columns, *rows, strict=True)]
    n = len(columns) if sum(widths) + 2 * len(widths) <= console.width else len(columns) - 1
    right = [all(_NUMBER.fullmatch(row[i]) for row in rows) for i in range(n)]

    def line(cells: Sequence[str]) -> Text:
        padded = [
            " " * (width - cell_len(cell)) + cell if numeric else set_cell_size(cell, width)
            for cell, width, numeric in zip(cells[:n], widths, right, strict=False)
        ]
        return Text("  ".join(padded).rstrip())

    console.print(shown(title), style="bold", markup=False, highlight=False)
    console.print(line(columns), style="bold", highlight=False, soft_wrap=True)
    for row, (_, below) in zip(rows, entries, strict=True):
        console.print(line(row), highlight=False, soft_wrap=True)
        for text in (*map(shown, below), *row[n:]):
            console.print(Padding(Text(text), (0, 0, 0, widths[0] + 2), expand=False))


def counted(n: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "query"), counted(2, "query"), counted(1200, "place")
    ('1 query', '2 queries', '1,200 places')
    """
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{n:,} {noun if n == 1 else plural}"


def clock(seconds: float | None) -> str:
    """A time for people; one that is not known is a dash.

    >>> clock(3723.46), clock(5), clock(float("nan")), clock(None)
    ('1:02:03.5', '0:05.0', '-', '-')
    """
    if seconds is None or seconds != seconds:
        return "-"
    tenths = round(seconds * 10)
    hours, minutes, rest = tenths // 36000, tenths // 600 % 60, tenths % 600 / 10
    return f"{hours}:{minutes:02d}:{rest:04.1f}" if hours else f"{minutes}:{rest:04.1f}"
