"""What the first lines of a CSV file show: its delimiter, whether it has a header, and what its columns hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import NamedTuple

from ...errors import InputError, shorten
from .columns import GUESSES, STANDARD, Column, ColumnNames, Columns, choose, plain_name

DELIMITERS = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma"}  # where two fit alike, the first
NUMBER = re.compile(r"[ \t]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t]*")
TRUTHS = {word: float(word.lower() == "true") for word in ("true", "True", "TRUE", "false", "False", "FALSE")}
THOUSANDS = re.compile(r"[ \t]*[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?[ \t]*")
DECIMAL_COMMA = re.compile(r"[ \t]*[+-]?[0-9]*,[0-9]+[ \t]*")
MISSING = {"", "na", "n/a", "nan", "-nan", "null", "none", "#n/a", "?", "-"}
CARRIAGE_RETURN = "a carriage return inside the line: lines must end in \\n or \\r\\n"
OPEN_QUOTE = "a quoted field does not end on its line: fields with line breaks are not read"
_SAMPLE = 200  # lines
_LARGEST_GRADE = 31


class CsvLayout(NamedTuple):
    """How a file is to be read; ``skip`` is the number of the line of the header, 0 without one."""

    delimiter: str
    names: ColumnNames
    columns: Columns
    header: list[str] | None
    skip: int


class CsvLine(NamedTuple):
    """A line of a file: its number, where it begins, and its text."""

    number: int
    start: int
    text: str


class CsvOptions(NamedTuple):
    """What the user says about a file."""

    label: Column | None = None
    qid: Column | None = None
    doc_id: Column | None = None
    features: object = None
    delimiter: str | None = None
    header: bool | None = None
    groups: str | None = None  # the sizes of queries stand there
    grouped: bool = False  # so the user says
    ungraded: bool = False  # there need be no grades


def lines_of(data: bytes, first: int = 1) -> Iterator[CsvLine]:
    """The lines that are not empty."""
    at = 0
    for number, line in enumerate(data.split(b"\n"), first):
        if line.rstrip(b"\r"):
            yield CsvLine(number, at, line.decode().rstrip("\r"))
        at += len(line) + 1


def fields_of(line: str, delimiter: str) -> list[str] | None:
    """The fields of a line, None if a quote is not closed; a quote counts at the beginning of a field only.

    >>> fields_of('a,"b, ""c"", d",e', ",")
    ['a', 'b, "c", d', 'e']
    """
    if '"' not in line:
        return line.split(delimiter)
    fields, at = [], 0
    while True:
        field = ""
        if line.startswith('"', at):
            at += 1
            while True:
                end = line.find('"', at)
                if end < 0:
                    return None
                field, at = field + line[at:end], end + 1
                if not line.startswith('"', at):
                    break
                field, at = field + '"', at + 1
        end = line.find(delimiter, at)
        fields.append(field + (line[at:] if end < 0 else line[at:end]))
        if end < 0:
            return fields
        at = end + 1


def layout_of(data: bytes, name: str, given: CsvOptions, number: int = 1) -> CsvLayout:
    """The layout of a file that begins with these lines, the first of which has this number."""
    lines = list(islice(lines_of(data, number), _SAMPLE))
    first = lines[0]
    where = f"{name}, line {first.number}"
    if "\r" in first.text:
        raise InputError(CARRIAGE_RETURN, where)
    delimiter = _delimiter(lines, where) if given.delimiter is None else _given_delimiter(given.delimiter)
    rows = [row for line in lines if (row := fields_of(line.text, delimiter)) is not None]
    head = fields_of(first.text, delimiter)
    if head is None:
        raise InputError(OPEN_QUOTE, where)
    has_header = _is_header(rows, given) if given.header is None else given.header
    header = [n.strip(" \t") for n in head] if has_header else None
    names = ColumnNames(header, len(head), where)
    grouped = given.grouped or (given.groups is not None and given.qid is None and names.guess("qid") is None)
    given = given if has_header else _by_place(names, given, rows, grouped)
    apart = ("qid",) if grouped else ()
    columns = choose(names, given.label, given.qid, given.doc_id, given.features, apart, given.ungraded)
    return CsvLayout(delimiter, names, columns, header, first.number if has_header else 0)


def _given_delimiter(delimiter: str) -> str:
    """The character that is meant."""
    by_name = {name: sign for sign, name in DELIMITERS.items()} | {"\\t": "\t"}
    sign = by_name.get(delimiter, delimiter)
    if len(sign) != 1 or not sign.isascii() or sign.isalnum() or sign in '"\r\n\0+-.':
        raise InputError(f"the delimiter must be one sign such as , ; | or tab, got {delimiter!r:.60}")
    return sign


def _delimiter(lines: list[CsvLine], where: str) -> str:
    """The sign that cuts every line into equally many fields, and leaves them free of the other signs."""
    scores = {}
    for sign in DELIMITERS:
        rows = [fields_of(line.text, sign) or [] for line in lines]
        cells = [cell for row in rows for cell in row]
        clean = sum(not any(s in c for s in DELIMITERS) or bool(DECIMAL_COMMA.fullmatch(c)) for c in cells)
        if len(rows[0]) > 1:
            same = sum(len(row) == len(rows[0]) for row in rows) / len(rows)
            scores[sign] = (round(same, 1), clean / len(cells), len(rows[0]))
    if not scores:
        if any(sign in lines[0].text for sign in DELIMITERS):
            raise InputError(OPEN_QUOTE, where)
        hint = "This looks like LETOR text" if " qid:" in lines[0].text else "Say which delimiter it is"
        says = f"there is no comma, semicolon, tab or bar in {shorten(lines[0].text)}"
        raise InputError(f"{says}. {hint} (delimiter=, --delimiter)", where)
    return max(scores, key=lambda sign: scores[sign])


def _is_header(rows: list[list[str]], given: CsvOptions) -> bool:
    """Whether the first row holds names: one that was given or tells a role, no number, or a text above a number."""
    head = [cell.strip() for cell in rows[0]]
    named = any(isinstance(g, str) and not g.isdigit() for g in (given.label, given.qid, given.doc_id))
    if named or any(plain_name(cell) in (*GUESSES["label"], *GUESSES["qid"]) for cell in head):
        return True
    if len(head) > 4 and head in ([str(i + start) for i in range(len(head))] for start in (0, 1)):
        return True  # a frame without names
    texts = [bool(cell) and not _is_number(cell) for cell in head]
    if all(text or not cell for text, cell in zip(texts, head, strict=True)):
        return any(texts)
    return len(rows) > 1 and any(text and _is_number(cell) for text, cell in zip(texts, rows[1], strict=False))


def _is_number(cell: str) -> bool:
    return bool(NUMBER.fullmatch(cell) or DECIMAL_COMMA.fullmatch(cell))


def _by_place(names: ColumnNames, given: CsvOptions, rows: list[list[str]], grouped: bool) -> CsvOptions:
    """Grades, queries and documents of a file without a header: the first columns, if they can hold them."""
    label, qid, doc_id = given.label, given.qid, given.doc_id
    columns = [[row[i] if i < len(row) else "" for row in rows] for i in range(min(names.width, 3))]
    if given.ungraded and label is None and (qid is not None or grouped):
        return given
    if label is None and columns and all(_is_grade(c) for c in columns[0]):
        label = 1
    if grouped and label is not None:
        return given._replace(label=label)
    if qid is None and label == 1 and len(columns) > 1 and _may_be_queries(columns[1]):
        qid = 2
    if label is None or qid is None:
        missing = "grades" if label is None else "query ids"
        says = f"without a header it cannot be told which column holds the {missing}"
        raise InputError(f"{says}: say which: label=N, qid=M (--label N --query M)", names.where)
    if doc_id is None and (label, qid) == (1, 2) and len(columns) > 2 and _are_texts(columns[2]):
        doc_id = 3
    return given._replace(label=label, qid=qid, doc_id=doc_id)


def _is_grade(cell: str) -> bool:
    return bool(NUMBER.fullmatch(cell)) and float(cell) in range(_LARGEST_GRADE + 1)


def _may_be_queries(cells: list[str]) -> bool:
    """Whether cells look like query ids: not fractions, and equal ones stand together."""
    if any(not c.strip() or (NUMBER.fullmatch(c) and not c.strip().lstrip("-").isdigit()) for c in cells):
        return False
    runs = 1 + sum(a != b for a, b in pairwise(cells))
    return runs == len(set(cells)) and (runs < len(cells) or runs == 1)


def _are_texts(cells: list[str]) -> bool:
    return all(c.strip().lower() not in MISSING and c.strip() not in TRUTHS and not _is_number(c) for c in cells)


def is_standard(layout: CsvLayout) -> bool:
    """Whether the columns are those that Rankine writes, so that nothing had to be guessed."""
    roles = [layout.columns.label, layout.columns.qid, layout.columns.doc_id]
    n = 2 if roles[2] is None else 3
    written = [*STANDARD[:n], *(f"f{i + 1}" for i in range(layout.names.width - n))]
    return layout.header == written and roles[:n] == list(range(n))
