"""Readers of columns: CSV, TSV, JSON lines, JSON and Parquet end as one list for each role of a layout."""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, NamedTuple

from ...errors import InputError, is_utf8, shorten
from ...system.limits import Meter
from ...system.records import parsed
from ...system.sources import Block, Source, line_blocks, open_source
from ..notes import said
from .columns import (
    ColumnLayout,
    cells_of,
    choices,
    delimiter_of,
    ending_of,
    form_of,
    has_names,
    is_number,
    listed,
    named_columns,
    numbered_columns,
    words_of,
)

Given = Mapping[str, str | None]  # names of columns that the caller gave


class Records(NamedTuple):
    """A column for each role that the file has, and where each record stands."""

    columns: dict[str, list[Any]]
    lines: list[int]
    name: str
    unit: str = "line"
    form: str = ""  # the order of the columns, if they have no names

    def where(self, record: int) -> str:
        """The place of a record, for errors."""
        return f"{self.name}, {self.unit} {self.lines[record]}"


def lines_of(blocks: Iterable[Block], name: str) -> Iterator[tuple[int, str]]:
    """(number from 1, text) of the lines that are not blank."""
    number = 0
    for block in blocks:
        for line in block.data[: block.end].tobytes().split(b"\n")[:-1]:
            number += 1
            try:
                text = line.decode().rstrip("\r")
            except UnicodeDecodeError:
                raise InputError("the line is not valid UTF-8", f"{name}, line {number}") from None
            if words_of(text):
                yield number, text


def load_records(source: Source, layout: ColumnLayout, given: Given) -> Records:
    """Records of a file of any of the formats."""
    ending = ending_of(source)
    if ending == "parquet":
        return parquet_records(source, layout, given)
    with open_source(source) as opened:
        return text_records(line_blocks(opened), layout, given, opened.name, ending)


def text_records(blocks: Iterable[Block], layout: ColumnLayout, given: Given, name: str, ending: str | None) -> Records:
    """Records of text: JSON if the ending says so or it begins like that, else lines with a delimiter or blanks."""
    lines = lines_of(blocks, name)
    first = next(lines, None)
    if first is None:
        raise InputError("there is no data line in the file", name)
    lines = chain([first], lines)
    if ending == "json" or first[1].lstrip().startswith(("{", "[")):
        return _json_records(lines, layout, given, name)
    return _delimited_records(lines, layout, given, name, ending)


def _delimited_records(
    lines: Iterator[tuple[int, str]],
    layout: ColumnLayout,
    given: Given,
    name: str,
    ending: str | None,
) -> Records:
    """Records of lines with a delimiter. The first line holds names, or the columns stand in an order without names."""
    number, first = next(lines)
    delimiter = delimiter_of(first, ending)
    head = cells_of(first, delimiter)
    form = None if any(given.values()) or has_names(head, layout) else form_of([head], layout)
    numbered = numbered_columns(head, layout, given)
    if form is None and numbered is None:
        places = _places(head, layout, given, name, f"{name}, line {number}")
    else:
        ordered = {f: i for i, f in enumerate((form or "").split()) if layout.role(f) is not None and f != "rank"}
        places = ordered if numbered is None else numbered
        lines = chain([(number, first)], lines)
    rows = _rows(lines, delimiter, name)
    columns: dict[str, list[Any]] = {title: [] for title in places}
    numbers = []
    for number, row in rows:
        if len(row) != len(head):
            raise InputError(
                f"expected {len(head)} cells as in the first line, got {len(row)}", f"{name}, line {number}"
            )
        for title, at in places.items():
            columns[title].append(row[at])
        numbers.append(number)
    return _checked(Records(columns, numbers, name, form=form or ""), layout)


def _rows(lines: Iterator[tuple[int, str]], delimiter: str | None, name: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each line; a cell that goes over several lines is refused."""
    number = 0

    def texts() -> Iterator[str]:
        nonlocal number
        for number, line in lines:  # noqa: B007
            yield line

    if delimiter is None:
        yield from ((number, words_of(line)) for line in texts())
        return
    reader = csv.reader(texts(), delimiter=delimiter, strict=True)
    try:
        for taken, row in enumerate(reader, 1):
            if reader.line_num != taken:
                raise InputError("a quoted text does not end in its line", f"{name}, before line {number}")
            yield number, [cell.strip() for cell in row]
    except csv.Error as error:
        raise InputError(f"not a line of cells ({error})", f"{name}, line {number}") from None


def _json_records(lines: Iterator[tuple[int, str]], layout: ColumnLayout, given: Given, name: str) -> Records:
    """Records of JSON lines, of a JSON array of objects, or of ``{query: {document: number}}``."""
    number, first = next(lines)
    try:
        content = json.loads(first)
    except (ValueError, RecursionError):
        content = None
    if isinstance(content, dict) and content and not any(isinstance(v, dict) for v in content.values()):
        return _object_records(_objects(chain([(number, first)], lines), name), layout, given, name, "line")
    text = "\n".join([first, *(line for _, line in lines)])
    Meter(name, whole=True).add(len(text), None)
    content = parsed(text.encode(), f"JSON of {layout.what}", name)
    if isinstance(content, list):
        return _object_records(enumerate(content, 1), layout, given, name, "object")
    return _nested_records(text, layout, name)


def _objects(lines: Iterator[tuple[int, str]], name: str) -> Iterator[tuple[int, Any]]:
    for number, line in lines:
        yield number, parsed(line.encode(), "a line of JSON", f"{name}, line {number}")


def _object_records(
    objects: Iterable[tuple[int, Any]], layout: ColumnLayout, given: Given, name: str, unit: str
) -> Records:
    columns: dict[str, list[Any]] = {}
    numbers: list[int] = []
    members: dict[str, str] = {}
    for number, content in objects:
        where = f"{name}, {unit} {number}"
        if not isinstance(content, dict):
            raise InputError(f"expected an object with members of {layout.what}, got {shorten(str(content))}", where)
        if not members:
            names = list(content)
            members = {title: names[at] for title, at in _places(names, layout, given, name, where).items()}
            columns = {title: [] for title in members}
        for title, member in members.items():
            if member not in content:
                raise InputError(f"there is no member {member!r}. {listed(list(content))}", where)
            columns[title].append(content[member])
        numbers.append(number)
    if not numbers:
        raise InputError("there is no data in the file", name)
    return _checked(Records(columns, numbers, name, unit), layout)


def _nested_records(text: str, layout: ColumnLayout, name: str) -> Records:
    """``{query: {document: number}}``; an object that names a query or a document twice is refused."""
    value = layout.roles[2].title
    if [role.title for role in layout.roles[:2]] != ["query", "document"]:
        raise InputError(f"expected JSON lines or an array of objects with the members of {layout.what}", name)
    queries = json.loads(text, object_pairs_hook=list)
    if isinstance(queries, list) and queries and queries[0][0] == "rankine":
        raise InputError(f"this is a model, not {layout.what}: a model ranks a judged data set", name)
    columns: dict[str, list[Any]] = {"query": [], "document": [], value: []}
    counts: dict[str, int] = {}
    for query, documents in queries if isinstance(queries, list) else ():
        counts[query] = counts.get(query, 0) + 1
        if counts[query] > 1:
            raise InputError(f"query {shorten(query)} stands twice", name)
        if not (isinstance(documents, list) and all(isinstance(d, tuple) for d in documents)):
            raise InputError(
                f"expected {{query: {{document: {value}}}}}; query {shorten(query)} has no documents", name
            )
        for document, number in documents:
            columns["query"].append(query)
            columns["document"].append(document)
            columns[value].append(number)
    if not columns["query"]:
        raise InputError("there is no data in the file", name)
    return _checked(Records(columns, list(range(1, len(columns["query"]) + 1)), name, "document"), layout)


def parquet_records(path: Any, layout: ColumnLayout, given: Given) -> Records:
    """Records of a Parquet file; only the columns that are needed are read."""
    import pyarrow.parquet as pq

    name = str(path)
    with _parquet_errors(name), pq.ParquetFile(path) as file:
        names, rows = list(file.schema_arrow.names), file.metadata.num_rows
        Meter(name).add(8 * rows, os.stat(path).st_size)
        places = _places(names, layout, given, name, name)
        table = file.read(columns=[names[at] for at in places.values()])
        columns = {title: table[names[at]].to_pylist() for title, at in places.items()}
    return _checked(Records(columns, list(range(1, rows + 1)), name, "row"), layout)


def frame_records(frame: Any, layout: ColumnLayout, given: Given) -> Records:
    """Records of a table in memory, of pandas, polars, DuckDB or Arrow."""
    from .frames import as_table

    table, name = as_table(frame), f"the {type(frame).__name__}"
    names = list(table.column_names)
    columns = {title: table.column(at).to_pylist() for title, at in _places(names, layout, given, name, name).items()}
    return _checked(Records(columns, list(range(table.num_rows)), name, "row"), layout)


def column_names(path: Any) -> list[str]:
    """The names of the columns of a Parquet file."""
    import pyarrow.parquet as pq

    with _parquet_errors(str(path)), pq.ParquetFile(path) as file:
        return list(file.schema_arrow.names)


@contextmanager
def _parquet_errors(name: str) -> Iterator[None]:
    """What pyarrow says of a file that it cannot read, as bad input."""
    import pyarrow as pa

    try:
        yield
    except (InputError, FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except (pa.ArrowException, OSError, ValueError, LookupError, TypeError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise InputError(f"not a readable Parquet file ({reason})", name) from None


def _places(names: Sequence[str], layout: ColumnLayout, given: Given, name: str, where: str) -> dict[str, int]:
    """Where each role stands among the names of columns; a choice between several is told."""
    places = named_columns(names, layout, given, where)
    told = choices(names, layout, given, places)
    if told:
        said(f"{name}: {told}")
    return places


def _checked(records: Records, layout: ColumnLayout) -> Records:
    """Names as texts that are not empty, numbers as finite floats."""
    if not records.lines:
        raise InputError("there is no data line in the file", records.name)
    columns = {}
    for title, values in records.columns.items():
        role = layout.role(title)
        convert = _number if role is not None and role.number else _name
        columns[title] = [convert(v, title, records, i) for i, v in enumerate(values)]
    return records._replace(columns=columns)


def _number(value: Any, title: str, records: Records, record: int) -> float:
    good = is_number(value) if isinstance(value, str) else isinstance(value, (int, float)) and value is not True
    if not good or value is False:
        raise InputError(f"expected a number for the {title}, got {shorten(str(value))}", records.where(record))
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InputError(f"expected a finite number for the {title}, got {shorten(str(value))}", records.where(record))
    return number


def _name(value: Any, title: str, records: Records, record: int) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        what = "nothing" if value is None else shorten(str(value))
        raise InputError(f"expected a name for the {title}, got {what}", records.where(record))
    text = str(value)
    if not text or not is_utf8(text):
        raise InputError(f"the name of the {title} is {'not Unicode' if text else 'empty'}", records.where(record))
    return text
