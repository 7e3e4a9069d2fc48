"""CSV and TSV: tables as text, one column for each feature.

The file is cut into blocks of whole lines. pyarrow parses each block, on several threads at once. A block that it
refuses, or whose values are not all finite numbers, is read again line by line: that finds the line of an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ...data.alignment import concatenate
from ...data.ranking_data import RankingData
from ...errors import InputError, shorten
from ...system.limits import check_dense
from ...system.parallel import ordered_map, thread_count
from ...system.progress import bar
from ...system.sources import Source, open_source
from ..notes import said
from ..number_kernels import exact_float
from ..paths import expand, named, tell_joined
from ..side_files import GROUPS, beside, called, group_sizes, weighted
from .columns import Column
from .csv_layout import (
    CARRIAGE_RETURN,
    DECIMAL_COMMA,
    DELIMITERS,
    MISSING,
    NUMBER,
    OPEN_QUOTE,
    THOUSANDS,
    TRUTHS,
    CsvLayout,
    CsvLine,
    CsvOptions,
    fields_of,
    is_standard,
    layout_of,
    lines_of,
)
from .decoding import UTF8, DecodedText, TextBlock

BLOCK = 2 << 20
_BAR_FROM = 50_000_000
_USUAL = {".csv": ",", ".tsv": "\t", ".tab": "\t"}


class BlockRows(NamedTuple):
    """The rows of a block: values, grades, and ids as numbers of different texts."""

    X: np.ndarray
    y: np.ndarray
    query: np.ndarray
    queries: list[str]
    documents: list[str] | None
    raw_position: int


def load_csv(
    source: Any,
    label: Column | None = None,
    qid: Column | None = None,
    doc_id: Column | None = None,
    features: Any = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    dtype: str | type = "float32",
    threads: int | None = None,
    groups: Any = None,
    weights: Any = None,
    ungraded: bool = False,
) -> RankingData:
    """Read judged rankings from CSV, TSV and the like, compressed or not.

    What is not given is found out, and told in one line (:class:`~rankine.errors.InputNote`) unless the file looks as
    :func:`save_csv` writes it. A column is given by its name or by its number, from 1.

    Args:
        source: a path, ``"-"`` for standard input, or a binary file object; or several, a folder, a pattern.
        label: the column of grades; by default the one called label, grade, relevance, rel or y.
        qid: the column of query ids; by default the one called qid, query_id or query.
        doc_id: the column of document ids; by default the one called doc_id, docid, docno, document_id or document,
            if there is one.
        features: names, numbers or patterns, as a list or with commas between: ``f*`` are the columns whose names
            match, ``f1-f46`` and ``4-49`` those from one column to another, ``!title`` all but this one. By default
            all other columns that have a name.
        delimiter: ``,``, ``;``, ``|``, ``tab`` or another sign.
        encoding: the name of a text encoding, such as utf-8, utf-16 or cp1252.
        header: whether the first line holds the names of the columns.
        dtype: ``"float32"`` or ``"float64"``; every value is the nearest float of that type.
        threads: parsing threads, by default one per core.
        groups: a file with the size of each query, or the sizes, for data without query ids; by default
            ``train.csv.query`` or ``train.csv.group`` beside ``train.csv``, if there is no column of query ids.
        weights: a file with a weight for each row or each query, or ``"none"``; by default ``train.csv.weight``.
        ungraded: whether there may be no column of grades, as in new data that is to be ranked; all grades are then 0.

    >>> import io
    >>> data = load_csv(io.BytesIO(b"label,qid,doc_id,f1\\n2,7,d1,0.5\\n0,7,d2,0.25\\n"))
    >>> data.feature_names, data.y, data.doc_ids.tolist()
    (('f1',), array([2., 0.]), ['d1', 'd2'])
    """
    kind = np.dtype(dtype)
    if kind not in (np.float32, np.float64):
        raise ValueError(f"dtype must be float32 or float64, got {kind}")
    given = CsvOptions(label, qid, doc_id, features, delimiter, header, None, groups is not None, ungraded)
    if given.grouped and qid is not None:
        raise InputError("either qid (--query) tells the queries or groups (--groups), not both")
    files, parts, rows = expand(source), [], 0
    for file in files:
        parts.append(
            _load(file, given._replace(groups=file_of_groups(file)), encoding, kind, thread_count(threads), rows)
        )
        rows += parts[-1].data.n_documents
    data = united(files, parts, groups)
    return weighted(data, files, weights, named(files[0]) if len(files) == 1 else f"{named(files[0])} and others")


def _load(
    source: Source, given: CsvOptions, encoding: str | None, dtype: np.dtype, threads: int, start: int
) -> CsvPart:
    """The data of one file; where there are no query ids each row is a query, numbered from ``start``."""
    with open_source(source) as opened:
        text = DecodedText(opened, encoding, BLOCK)
        blocks = text.blocks()
        first = next((block for block in blocks if block.data.strip(b"\r\n")), None)
        if first is None:
            raise InputError("the file is empty", opened.name)
        layout = layout_of(first.data, opened.name, given, first.line)
        reader = BlockReader(opened.name, layout, dtype)
        with bar(f"reading {opened.name}", opened.size, (opened.size or 0) > _BAR_FROM, "bytes") as update:
            parts, n = [], 0
            for rows in ordered_map(reader.rows, chain([first], blocks), threads):
                parts.append(rows)
                n += len(rows.y)
                check_dense(n, rows.X.shape[1], dtype.itemsize, where=opened.name)
                update(rows.raw_position)
    data = _joined(parts, layout, opened.name, start)
    _tell(opened.name, layout, text.encoding, given, encoding is not None)
    return CsvPart(data, layout.columns.qid < 0)


class BlockReader:
    """Parses the blocks of a file."""

    def __init__(self, name: str, layout: CsvLayout, dtype: np.dtype) -> None:
        import pyarrow as pa
        from pyarrow import csv

        self.name, self.layout, self.dtype = name, layout, dtype
        self.numbers = [str(i) for i in layout.columns.features]
        label, query, document = map(str, layout.columns[:3])
        repeating = pa.dictionary(pa.int32(), pa.string())
        kinds = dict.fromkeys(self.numbers, pa.from_numpy_dtype(dtype))
        kinds |= {label: pa.float64(), query: repeating, document: pa.string()}
        kinds = {name: kind for name, kind in kinds.items() if name not in ("None", "-1")}
        self.options = {
            "parse_options": csv.ParseOptions(delimiter=layout.delimiter),
            "convert_options": csv.ConvertOptions(column_types=kinds, include_columns=list(kinds)),
        }

    def rows(self, block: TextBlock) -> BlockRows:
        """The rows of a block."""
        data = block.data
        if block.line <= self.layout.skip:  # the header
            lines = data.split(b"\n", self.layout.skip - block.line + 1)
            data = lines[-1]
            block = block._replace(data=data, line=self.layout.skip + 1)
        rows = self.fast(block)
        return self.slow(block) if rows is None else rows

    def fast(self, block: TextBlock) -> BlockRows | None:
        """The rows as pyarrow reads them; None if the block must be read line by line."""
        import pyarrow as pa
        from pyarrow import csv

        data, n = block.data, _count_lines(block.data)
        if n < 1:
            return None
        reading = csv.ReadOptions(
            column_names=[str(i) for i in range(self.layout.names.width)], use_threads=False, block_size=len(data) + 1
        )
        try:
            table = csv.read_csv(pa.py_buffer(data), reading, **self.options)
        except pa.ArrowException:
            return None
        label, query, document = map(str, self.layout.columns[:3])
        numeric = [table[name] for name in self.numbers]
        y = table[label] if label != "-1" else None
        if table.num_rows != n or (y is not None and y.null_count) or any(c.null_count for c in numeric):
            return None  # a field with line breaks, or a missing value
        X = np.empty((n, len(numeric)), self.dtype)
        for j, column in enumerate(numeric):
            X[:, j] = column.to_numpy()
        grades = np.zeros(n) if y is None else y.to_numpy()
        codes, queries = np.zeros(n, np.int32), ["-"]
        if self.layout.columns.qid >= 0:
            ids = table[query].combine_chunks()
            ids = ids.chunk(0) if isinstance(ids, pa.ChunkedArray) else ids
            codes, queries = ids.indices.to_numpy(), [name.strip(" \t") for name in ids.dictionary.to_pylist()]
        if not (_finite(X) and _finite(grades) and all(queries)):
            return None
        documents = None if document == "None" else [d.strip(" \t") for d in table[document].to_pylist()]
        return BlockRows(X, grades.astype(np.float64), codes, queries, documents, block.raw_position)

    def slow(self, block: TextBlock) -> BlockRows:
        """The rows read line by line; the first line that cannot be read is an error."""
        label, query, document, features = self.layout.columns
        X, y, names, documents = [], [], [], []
        for line in lines_of(block.data, block.line):
            cells = self._cells(line)
            y.append(self._number(cells, label, line, np.dtype(np.float64)) if label >= 0 else 0.0)
            names.append(cells[query].strip(" \t") if query >= 0 else "-")
            if not names[-1]:
                raise self._error(line, f"{self.layout.names.called(query)}: the query id is missing")
            X.append([self._number(cells, place, line, self.dtype) for place in features])
            documents.append("" if document is None else cells[document].strip(" \t"))
        places = {name: i for i, name in enumerate(dict.fromkeys(names))}
        return BlockRows(
            np.array(X, self.dtype).reshape(len(y), len(features)),
            np.array(y, np.float64),
            np.array([places[name] for name in names], np.int32),
            list(places),
            None if document is None else documents,
            block.raw_position,
        )

    def _cells(self, line: CsvLine) -> list[str]:
        """The fields of a line, as many as the first line has."""
        cells, width = fields_of(line.text, self.layout.delimiter), self.layout.names.width
        if cells is None:
            raise self._error(line, OPEN_QUOTE)
        if "\r" in line.text:
            raise self._error(line, CARRIAGE_RETURN)
        if len(cells) != width:
            sign = DELIMITERS.get(self.layout.delimiter, repr(self.layout.delimiter))
            raise self._error(line, f"{len(cells)} fields with a {sign} between, the first line has {width}")
        if self.layout.header is not None:
            if [cell.strip(" \t") for cell in cells] == self.layout.header:
                raise self._error(line, "the header stands here again")
            begins = line.number == self.layout.skip + 1
            if begins and not any(NUMBER.fullmatch(c) or c.strip().lower() in MISSING for c in cells):
                raise self._error(line, f"there is no number in {shorten(line.text)}: a second header row?")
        return cells

    def _number(self, cells: list[str], place: int, line: CsvLine, dtype: np.dtype) -> float:
        """A field as a finite number."""
        text = cells[place].strip(" \t")
        if text in TRUTHS:
            return TRUTHS[text]
        what = self.layout.names.called(place)
        if NUMBER.fullmatch(text):
            value = exact_float(text, dtype)
            if np.isfinite(value):
                return value
            raise self._error(line, f"{what}: {shorten(text)} does not fit {dtype}")
        if text.lower() in MISSING:
            given = f" ({shorten(text)})" if text else ""
            raise self._error(line, f"{what}: the value is missing{given}; fill it first, for instance df.fillna(0)")
        if text.lower().lstrip("+-") in ("inf", "infinity"):
            raise self._error(line, f"{what}: {shorten(text)} is not a finite number")
        hint = ""
        if THOUSANDS.fullmatch(text):
            hint = "; write numbers without a comma, with a decimal point if there are decimals"
        elif DECIMAL_COMMA.fullmatch(text):
            hint = "; write a decimal point, not a comma"
        elif place != self.layout.columns.label:
            hint = f"; '!{self.layout.names.label(place)}' in features= (--features) leaves the column out"
        raise self._error(line, f"{what}: expected a number, got {shorten(text)}{hint}")

    def _error(self, line: CsvLine, message: str) -> InputError:
        return InputError(message, f"{self.name}, line {line.number}")


def _count_lines(data: bytes) -> int:
    """How many lines are not empty, or −1 if quotes or carriage returns make that uncertain."""
    signs = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(signs == ord("\n"))
    lengths = np.diff(ends, prepend=-1) - 1
    if b"\r" in data:
        returns = np.flatnonzero(signs == ord("\r"))
        if (signs[returns + 1] != ord("\n")).any():  # the last sign is a line break
            return -1
        lengths -= signs[ends - 1] == ord("\r")
    if b'"' in data and data.count(b'"') % 2:
        return -1
    return int(np.count_nonzero(lengths))


def _finite(values: np.ndarray) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(values.sum())) or bool(np.isfinite(values).all())


def _joined(parts: list[BlockRows], layout: CsvLayout, name: str, start: int) -> RankingData:
    """One data set of the rows of all blocks, which are given up one after the other."""
    n, width = sum(len(part.y) for part in parts), len(layout.columns.features)
    if n == 0:
        raise InputError("there is only a header, and no row of data", name)
    y = np.concatenate([part.y for part in parts])
    places: dict[str, int] = {}
    query = np.concatenate([_places(part, places) for part in parts])
    documents: Any = None
    if layout.columns.doc_id is not None:
        documents = np.array([d for part in parts for d in part.documents or ()], object)
    names = None if layout.header is None else [layout.header[i] for i in layout.columns.features]
    X = np.empty((n, width), parts[0].X.dtype)
    end = n
    while parts:
        part = parts.pop()
        X[end - len(part.y) : end] = part.X
        end -= len(part.y)
    qid = _as_ids(list(places))[query] if layout.columns.qid >= 0 else start + np.arange(n)
    return RankingData.from_valid(X, y, qid, documents, names)


def _places(part: BlockRows, places: dict[str, int]) -> np.ndarray:
    """The query of each row of a part as its place among all queries, to which new ones are added."""
    own = np.array([places.setdefault(name, len(places)) for name in part.queries], np.int64)
    return own[part.query] if len(own) else np.empty(0, np.int64)


def _as_ids(names: list[str]) -> np.ndarray:
    """Integers where every id is the plain decimal of one, else strings."""
    try:
        numbers = np.array([int(name) for name in names], np.int64)
        if [str(number) for number in numbers.tolist()] == names:
            return numbers
    except (ValueError, OverflowError):
        pass
    return np.array(names, object)


def _tell(name: str, layout: CsvLayout, encoding: str | None, given: CsvOptions, encoding_given: bool) -> None:
    """Say what was guessed, in one line."""
    usual = next((sign for end, sign in _USUAL.items() if end in name.lower()), ",")
    plain = (given.delimiter or layout.delimiter == usual) and (encoding_given or encoding in (None, *UTF8))
    guesses = ", ".join(_guesses(layout, encoding, given, encoding_given))
    if guesses and not (plain and is_standard(layout)):
        said(f"{name}: read as {guesses}")


def _guesses(layout: CsvLayout, encoding: str | None, given: CsvOptions, encoding_given: bool) -> Iterator[str]:
    if given.delimiter is None:
        yield f"{DELIMITERS[layout.delimiter]}-separated"
    if not encoding_given and encoding is not None:
        yield encoding
    if given.header is None:
        yield "with a header" if layout.header is not None else "without a header"
    for what, place, by_user in zip(("grades", "queries", "documents"), layout.columns[:3], given[:3], strict=True):
        if what == "grades" and place == -1:
            yield "without grades (all are 0)"
        elif place is not None and place < 0 and given.groups and not given.grouped:
            yield f"{what} from {given.groups}"
        elif by_user is None and place is not None and place >= 0:
            yield f"{what} from {layout.names.called(place)}"
    places = layout.columns.features
    if given.features is None:
        last = f" to {layout.names.called(places[-1]).removeprefix('column ')}" if len(places) > 1 else ""
        yield f"{len(places)} feature{'s' * bool(last)} from {layout.names.called(places[0])}{last}"
        unnamed = [i + 1 for i, n in enumerate(layout.header or ()) if not n and i not in layout.columns[:3]]
        odd = layout.names.odd(places)
        if odd:
            yield f"features include {' and '.join(odd)}"
        if unnamed:
            yield f"without column {unnamed[0]}, which has no name"


# -- CSV without a column of query ids: the sizes of queries stand beside the file, as LightGBM has them, or are given


class CsvPart(NamedTuple):
    """The data of one file; ``grouped``: it has no query ids, each row is a query until the sizes are known."""

    data: RankingData
    grouped: bool


def file_of_groups(file: Any) -> str | None:
    """The file with the sizes of the queries beside a file."""
    return beside(file, GROUPS)


def united(files: list[Any], parts: list[CsvPart], groups: Any) -> RankingData:
    """The data of all files, with the queries of their files of sizes, or of ``groups``."""
    names = [named(file) for file in files]
    other = next((i for i, part in enumerate(parts) if part.grouped != parts[0].grouped), None)
    if other is not None:
        raise InputError(
            f"its rows have {'no ' * parts[other].grouped}query ids, unlike those of {names[0]}", names[other]
        )
    data = parts[0].data if len(parts) == 1 else concatenate(_with_like_ids([part.data for part in parts]), names)
    if not parts[0].grouped:
        tell_joined(data, [part.data.n_documents for part in parts])
        return data
    if groups is not None:
        sizes = _checked(group_sizes(groups), data.n_documents, called(groups), ", ".join(names))
    else:
        places = [str(file_of_groups(file)) for file in files]
        each = zip(places, parts, names, strict=True)
        sizes = np.concatenate([_checked(group_sizes(p), part.data.n_documents, p, name) for p, part, name in each])
    qid = np.repeat(np.arange(1, len(sizes) + 1), sizes)
    return RankingData.from_valid(data.X, data.y, qid, data.doc_ids, data.feature_names)


def _with_like_ids(parts: list[RankingData]) -> list[RankingData]:
    """The data sets with query ids that are strings, if those of one are; numbers become their decimals."""
    whole = [data.qid.dtype.kind in "iu" for data in parts]
    if all(whole) or not any(whole):
        return parts
    return [
        data if not w else RankingData.from_valid(
            data.X, data.y, data.qid.astype(str).astype(object), data.doc_ids, data.feature_names, data.order
        )
        for data, w in zip(parts, whole, strict=True)
    ]  # fmt: skip


def _checked(sizes: np.ndarray, rows: int, place: str, name: str) -> np.ndarray:
    if sizes.sum() != rows:
        says = f"the sizes of {len(sizes)} queries add up to {sizes.sum()}"
        raise InputError(f"{says}, but {name} has {rows} rows", place)
    return sizes
