"""Tables of metadata as files: CSV, TSV, JSON and JSON lines, read and written (long: both ways, and their errors).

The encoding and the delimiter are found out. The column that names the recording is one of ``KEYS``; other columns are
fields. Rows and cells that cannot be used are reported, each with its line, and the others are used.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from ...errors import InputError, naming, nearest, shorten
from ...io.tables.decoding import DecodedText
from ...system.console import counted
from ...system.files import write_file
from ...system.sources import open_source
from ..dates import read_days
from .fields import KEYS, LICENCE, MEASURED, TABLE, field_name, field_of_cell, in_order, read_value
from .rights import CLOSED, OPEN, RIGHTS, access, is_licence, is_understood, not_understood, read_rights, restricts

MOST_COLUMNS = 500
_STATEMENT = "statement of rights"  # what a column is about, beside one about access: licences, mostly
_BLOCK = 1 << 22  # bytes that are decoded at once
_HINTS = 5  # unknown names for which the nearest is looked for
_COMPARED = 20_000  # names among which it is
_DELIMITERS = ",;\t|"
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}$")
JSON_LINES = (".jsonl", ".ndjson", ".jsonlines")

Row = tuple[str, list[tuple[str, str]] | InputError]  # the place, and names of columns with their cells


class UnreadRow(InputError):
    """A row that cannot be used; ``cells`` are those of its cells that can be read."""

    def __init__(self, message: str, cells: list[tuple[str, str]]) -> None:
        super().__init__(message)
        self.cells = cells


class MetadataRows(NamedTuple):
    """What a file says: cells by recording and field, why rows are not used, notes, fields, how many rows are used.

    ``bad_cells`` says of rows that are used why one of their cells is not.
    """

    cells: dict[str, dict[str, str]]
    errors: list[str]
    notes: list[str]
    fields: list[str]
    rows: int
    bad_cells: list[str]


def read_rows(path: str | os.PathLike, names: Mapping[str, int], encoding: str | None = None) -> MetadataRows:
    """The rows of a file about recordings that have these names."""
    rows, notes = table_rows(path, encoding)
    columns: dict[str, str] = {}  # and where each is first
    for where, cells in rows:
        for name, _ in cells if isinstance(cells, list) else cells.cells if isinstance(cells, UnreadRow) else ():
            columns.setdefault(name, where)
    if len(columns) > MOST_COLUMNS:
        raise InputError(f"{len(columns):,} columns; at most {MOST_COLUMNS} are read", str(path))
    key, fields, passed = _fields_of(columns, str(path))
    if passed:
        notes.append(f"{path}: passed over, because they cannot be set: {', '.join(passed)}")
    named, errors, bad_cells = RecordingFinder(names), list[str](), list[str]()
    of_recording: dict[str, list[tuple[str, dict[str, str]]]] = {}
    closed: list[str] = []
    for where, cells in rows:
        try:
            if isinstance(cells, InputError):
                raise cells
            recording = named.find(next((cell for column, cell in cells if column == key), ""), key)
            values, bad = _cells(cells, fields)
            if bad and not values:
                raise bad[0]
            bad_cells += [f"{where}: {error.message}" for error in bad]
            of_recording.setdefault(recording, []).append((where, values))
        except InputError as error:
            close = _closed_by(error, named, key, fields)
            closed += close
            errors.append(f"{where}: {error.message}" + "".join(f"; so {name!r} is closed" for name in close))
    merged, n_rows = dict[str, dict[str, str]](), 0
    for recording, some in of_recording.items():
        try:
            merged[recording] = _without_contradiction(recording, some)
            n_rows += len(some)
        except InputError as error:
            closing = _rights_of(some)
            merged |= {recording: {RIGHTS: closing}} if access(closing) != OPEN else {}
            errors.append(error.message + (", but for its rights" if recording in merged else ""))
    for recording in closed:
        merged[recording] = merged.get(recording, {}) | {RIGHTS: CLOSED}
    shown = [cells["date"] for cells in merged.values() if cells.get("date") and read_days(cells["date"]) is None]
    if shown:
        notes.append(
            f"{path}: {counted(len(shown), 'date')} such as {shown[0]!r} only shown: no filter of dates finds it"
        )
    rights = {recording: cells.get(RIGHTS, "") for recording, cells in merged.items()}
    notes += [f"{path}: {note}" for note in not_understood(rights)]
    there = {LICENCE if field == _STATEMENT else field for field in fields.values()}
    return MetadataRows(merged, errors, notes, in_order(there), n_rows, bad_cells)


def _closed_by(error: InputError, recordings: RecordingFinder, key: str, fields: Mapping[str, str]) -> list[str]:
    """Return the recording of a row that cannot be used, where the table says who may hear recordings; or nothing."""
    if not isinstance(error, UnreadRow) or not {RIGHTS, _STATEMENT} & set(fields.values()):
        return []
    try:
        return [recordings.find(dict(error.cells).get(key, ""), key)]
    except InputError:
        return []


def table_rows(path: str | os.PathLike, encoding: str | None = None) -> tuple[list[Row], list[str]]:
    """The rows of a table, at least one of which can be read, and notes about the file."""
    text, said = _decoded(path, encoding)
    rows = list(_rows(path, text))
    if not rows:
        raise InputError("expected rows below the head line, got none", str(path))
    if all(isinstance(cells, InputError) for _, cells in rows):
        where, error = rows[0]
        raise InputError(error.message, where) if isinstance(error, InputError) else AssertionError
    return rows, [said] if said else []


def _decoded(path: str | os.PathLike, encoding: str | None) -> tuple[str, str]:
    """The text of a file, and what was assumed about its encoding."""
    with open_source(path) as opened:
        decoder = DecodedText(opened, encoding, _BLOCK)
        text = b"".join(block.data for block in decoder.blocks()).decode("utf-8")
    assumed = encoding is None and decoder.encoding not in (None, "utf-8", "utf-8-sig")
    return text.removeprefix("\ufeff").rstrip("\n"), f"{path}: read as {decoder.encoding}" if assumed else ""


def _rows(path: str | os.PathLike, text: str) -> Iterator[Row]:
    suffix, begin = Path(path).suffix.lower(), text.lstrip()[:1]
    if suffix in JSON_LINES or (begin == "{" and suffix != ".json" and "\n{" in text.strip()):
        return _json_lines(path, text)
    if suffix == ".json" or begin in ("{", "["):
        return _json_rows(path, text)
    return _delimited(path, text, suffix)


def _delimited(path: str | os.PathLike, text: str, suffix: str) -> Iterator[Row]:
    """The rows of CSV or TSV; a quoted cell may have several lines."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = "\t" if suffix == ".tsv" else max(_DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    head: list[str] | None = None
    line = 1
    try:
        for cells in reader:
            where, line = f"{path}, line {line}", reader.line_num + 1
            if not any(cell.strip() for cell in cells):
                continue
            if head is None:
                head = _head(cells, where)
                continue
            if len(cells) != len(head):
                some = [pair for pair in zip(head, cells, strict=False) if pair[0]]
                yield where, UnreadRow(f"expected {len(head)} cells as in the head line, got {len(cells)}", some)
                continue
            pairs = list(zip(head, cells, strict=True))
            unnamed = next((cell for name, cell in pairs if not name and cell.strip()), None)
            if unnamed is not None:
                message = f"the cell {shorten(unnamed)} stands below no name of a column"
                yield where, UnreadRow(message, [pair for pair in pairs if pair[0]])
                continue
            yield where, [pair for pair in pairs if pair[0]]
    except csv.Error as error:
        raise InputError(f"not a row of cells ({error})", f"{path}, line {line}") from None


def _head(cells: list[str], where: str) -> list[str]:
    """The names of columns."""
    if len(cells) > MOST_COLUMNS:
        raise InputError(f"{len(cells):,} columns; at most {MOST_COLUMNS} are read", where)
    names = [cell.strip() for cell in cells]
    if not any(_is_key(name) for name in names):
        some = ", ".join(map(shorten, names[:5]))
        raise InputError(
            f"expected a head line with a column that names the recording ({', '.join(KEYS)}); got {some}", where
        )
    with naming(where):
        for name in filter(None, names):
            field_name(name)
    doubled = next((name for name in names if name and names.count(name) > 1), None)
    if doubled is not None:
        raise InputError(f"two columns are called {shorten(doubled)}", where)
    return names


class _Pairs(list[tuple[str, Any]]):
    """An object of JSON: keys and values, equal keys too."""


def _json(text: str, where: str | None = None) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_Pairs)
    except (json.JSONDecodeError, RecursionError) as error:
        at = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise InputError(f"not JSON ({error})", where and f"{where}{at}") from None


def _json_lines(path: str | os.PathLike, text: str) -> Iterator[Row]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield f"{path}, line {number}", _row(lambda line=line: _object(_json(line)))  # type: ignore[misc]


def _row(read: Callable[[], list[tuple[str, str]]]) -> list[tuple[str, str]] | InputError:
    """A row, or why it cannot be read."""
    try:
        return read()
    except InputError as error:
        return error


def _json_rows(path: str | os.PathLike, text: str) -> Iterator[Row]:
    """The objects of a list, or of an object by the name of the recording."""
    content = _json(text, str(path))
    if isinstance(content, _Pairs):
        for name, value in content:
            cells = _row(lambda value=value: _object(value))  # type: ignore[misc]
            named = [("recording", name)]
            if isinstance(cells, UnreadRow):
                cells.cells = [*named, *cells.cells]
            elif isinstance(cells, list):
                cells = [*named, *(pair for pair in cells if not _is_key(pair[0]))]
            yield f"{path}, {shorten(name)}", cells
    elif isinstance(content, list):
        for number, value in enumerate(content, 1):
            yield f"{path}, object {number}", _row(lambda value=value: _object(value))  # type: ignore[misc]
    else:
        raise InputError("expected a list of objects, or an object by the names of recordings", str(path))


def _object(value: Any) -> list[tuple[str, str]]:
    if not isinstance(value, _Pairs):
        raise InputError(f"expected an object of fields, got {shorten(json.dumps(value))}")
    doubled = next((k for i, (k, _) in enumerate(value) if any(k == other for other, _ in value[:i])), None)
    if doubled is not None:
        raise UnreadRow(f"two fields are called {shorten(doubled)}", _readable(value))
    if bad := next(((name, cell) for name, cell in value if _text_of(cell, name) is None), None):
        message = f"{bad[0]}: expected text, a number or a list of texts, got {shorten(json.dumps(bad[1]))}"
        raise UnreadRow(message, _readable(value))
    return _readable(value)


def _readable(pairs: _Pairs) -> list[tuple[str, str]]:
    return [(name, text) for name, cell in pairs if (text := _text_of(cell, name)) is not None]


def _text_of(value: Any, name: str) -> str | None:
    """Return a value as the text of a cell, or None. Rights have a text in any case, which closes the recording."""
    if isinstance(value, list) and not isinstance(value, _Pairs):
        texts = [_text_of(some, name) for some in value]
        return None if None in texts else "; ".join(text for text in texts if text is not None)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return json.dumps(value) if _is_field(name, RIGHTS) else None
    return str(value)


def _is_key(name: str) -> bool:
    return _is_field(name, *KEYS)


def _is_field(name: str, *fields: str) -> bool:
    """Whether a column is one of some fields; a name that cannot be one is none."""
    try:
        return field_name(name) in fields
    except InputError:
        return False


def _fields_of(columns: Mapping[str, str], where: str) -> tuple[str, dict[str, str], list[str]]:
    """The column that names the recording, the field of each other column, and columns that cannot be set."""
    keys = [(KEYS.index(field_name(name)), name) for name in columns if _is_key(name)]
    if not keys:
        some = ", ".join(map(shorten, [*columns][:5]))
        raise InputError(f"expected a column that names the recording ({', '.join(KEYS)}); got {some}", where)
    key = min(keys)[1]
    fields: dict[str, str] = {}
    passed: list[str] = []
    statements = _rights_statements(columns)
    for name, place in columns.items():
        if name == key:
            continue
        with naming(place):
            field = _STATEMENT if name in statements else field_name(name)
        if field in MEASURED or field == "recording":
            passed.append(name)
            continue
        other = next((n for n, f in fields.items() if f == field), None)
        if other is not None and not (field == _STATEMENT or (field in TABLE and TABLE[field].several)):
            raise InputError(f"the columns {shorten(other)} and {shorten(name)} are both the field {field!r}", where)
        fields[name] = field
    if not fields:
        raise InputError(f"expected columns besides {shorten(key)}, such as {', '.join(TABLE)}; got none", where)
    return key, fields, passed


def _rights_statements(columns: Iterable[str]) -> set[str]:
    """Return the columns such as dc:rights that are about licences, because another one is about access."""
    about_access = [name for name in columns if _is_field(name, RIGHTS)]
    plain = {name for name in about_access if name.casefold().rpartition(":")[2].strip() == RIGHTS}
    return plain if len(plain) < len(about_access) else set()


def _cells(cells: list[tuple[str, str]], fields: Mapping[str, str]) -> tuple[dict[str, str], list[InputError]]:
    """The cells of a row by field, and why others cannot be read; those of several columns of one field are joined.

    Rights that cannot be read are closed.
    """
    own = [(fields[column], _until(column, cell)) for column, cell in cells if column in fields]
    has_access = any(field == RIGHTS and cell.strip() for field, cell in own)
    joined: dict[str, str] = {}
    for given, cell in own:
        for part in cell.split(";") if given in (RIGHTS, LICENCE, _STATEMENT) else [cell]:
            field = _field_of_part(given, part, has_access)
            before = joined.get(field, "")
            if part.strip() or not before.strip():
                joined[field] = f"{before}; {part.strip()}" if before.strip() else part
    out, errors = dict[str, str](), list[InputError]()
    for field, cell in joined.items():
        try:
            out[field] = read_value(field, cell)
        except InputError as error:
            errors.append(error)
            if field == RIGHTS:
                out[field] = CLOSED
    return out, errors


def _until(column: str, text: str) -> str:
    """Return a cell, as rights where its column names the end of an embargo.

    >>> _until("Embargo date", "2030-01-01"), _until("Embargo", "open"), _until("Rights", "2030-01-01")
    ('closed until 2030-01-01', 'open', '2030-01-01')
    """
    named = "embargo" in column.casefold() and text.strip() and not is_understood(read_rights(text))
    return f"{CLOSED} until {text.strip()}" if named else text


def _field_of_part(given: str, text: str, has_access: bool) -> str:
    """Return the field of a part of a cell in the column of a field; what says that a recording is not open is rights.

    A statement of rights is a licence where another cell of the row is about access, or where it is no more than that.
    """
    if given in (LICENCE, _STATEMENT) and restricts(text):
        return RIGHTS
    if given == _STATEMENT:
        return LICENCE if has_access or not text.strip() or is_licence(text) else RIGHTS
    return field_of_cell(given, text)


def _rights_of(rows: list[tuple[str, dict[str, str]]]) -> str:
    """The rights of all rows of one recording, which nobody understands where they differ."""
    return " and ".join(dict.fromkeys(cells[RIGHTS] for _, cells in rows if cells.get(RIGHTS)))


def _without_contradiction(recording: str, rows: list[tuple[str, dict[str, str]]]) -> dict[str, str]:
    """The cells of all rows of one recording; two different values of a field are an InputError.

    Two different rights are kept together, which nobody understands, so the recording is closed.
    """
    out: dict[str, str] = {}
    places: dict[str, str] = {}
    for where, cells in rows:
        for field, value in cells.items():
            if field != RIGHTS and value and out.get(field) and out[field] != value:
                raise InputError(
                    f"{where}: the {field} of {recording!r} is {shorten(value)} here and {shorten(out[field])} in "
                    f"{places[field]}; no row of it is used"
                )
            if not out.get(field):
                out[field], places[field] = value, where
    rights = _rights_of(rows)
    return out | {RIGHTS: rights} if rights else out


class RecordingFinder:
    """Finds the recording that a cell means: its name, or that of its file with folder and ending."""

    def __init__(self, names: Mapping[str, int]) -> None:
        self.names, self.hints = names, _HINTS
        self._composed: dict[str, str] | None = None

    def find(self, cell: str, key: str) -> str:
        """The name of the recording; an InputError where there is none. ``key`` is the column of the cell."""
        name = cell.strip()
        if not name:
            raise InputError(f"expected the name of a recording in the column {key!r}, got none")
        forms = list(dict.fromkeys(form for text in (name, name.replace("\\", "/")) for form in (text, stem_of(text))))
        for look in (self._exact, self._by_composition, self._by_last_part):
            for form in forms:
                if (match := look(form)) is not None:
                    return match
        self.hints -= 1
        hint = nearest(stem_of(name), self.names) if self.hints >= 0 and len(self.names) <= _COMPARED else ""
        raise InputError(f"no recording is called {shorten(name, 80)}.{hint}")

    def _exact(self, name: str) -> str | None:
        return name if name in self.names else None

    def _by_composition(self, name: str) -> str | None:
        if name.isascii():
            return None
        if self._composed is None:
            self._composed = {unicodedata.normalize("NFC", n): n for n in self.names if not n.isascii()}
        return self._composed.get(unicodedata.normalize("NFC", name))

    def _by_last_part(self, name: str) -> str | None:
        """The recording that is called like the last part of a path."""
        if "/" not in name:
            return None
        match = PurePosixPath(name).name
        return match if match in self.names else None


def stem_of(name: str) -> str:
    """A name without the ending of a file."""
    return _ENDING.sub("", name)


# -- writing


def write_rows(path: str | os.PathLike, cells: Mapping[str, Mapping[str, str]]) -> None:
    """Write the cells of recordings to a file; its ending says how."""
    suffix = Path(path).suffix.lower()
    if suffix not in _WRITERS:
        endings = ", ".join(_WRITERS)
        raise InputError(f"expected a file that ends in {endings}; got {shorten(Path(path).name)}")
    fields = in_order({field for some in cells.values() for field in some})
    text = _WRITERS[suffix](cells, ["recording", *(fields or TABLE)])
    write_file(path, text.encode("utf-8"))


def _as_delimited(delimiter: str) -> Callable[[Mapping[str, Mapping[str, str]], list[str]], str]:
    def written(cells: Mapping[str, Mapping[str, str]], columns: list[str]) -> str:
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([name, *(some.get(field, "") for field in columns[1:])] for name, some in cells.items())
        return text.getvalue()

    return written


def _as_json(cells: Mapping[str, Mapping[str, str]], columns: list[str]) -> str:
    return (
        json.dumps([{"recording": name, **some} for name, some in cells.items()], ensure_ascii=False, indent=1) + "\n"
    )


def _as_lines(cells: Mapping[str, Mapping[str, str]], columns: list[str]) -> str:
    return "".join(json.dumps({"recording": n, **some}, ensure_ascii=False) + "\n" for n, some in cells.items())


_WRITERS = {
    ".csv": _as_delimited(","), ".tsv": _as_delimited("\t"), ".json": _as_json, **dict.fromkeys(JSON_LINES, _as_lines),
}  # fmt: skip
