"""Judgments (qrels) and runs: TREC text, and what :mod:`rankine.io.tables.columns` reads."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...arrays import as_numbers
from ...errors import InputError, shorten
from ...system.progress import bar
from ...system.sources import Block, Source, line_blocks, open_source
from ..letor.kernels import count_lines
from ..notes import said
from ..number_kernels import exact_float
from ..paths import expand, named
from ..tables.columns import ColumnLayout, ending_of, words_of
from ..tables.records import Records, frame_records, parquet_records, text_records
from . import kernels as k
from .detection import QRELS, RUN, THREE, TrecForm, are_against_ranks, are_ranks, beginning, trec_form

_FIELDS = re.compile(rb"[^\x00-\x20]+")
_BLANKS = bytes(range(33))


@dataclass(frozen=True, repr=False, eq=False)
class TrecTable:
    """Rows of (query, document, number), queries and documents as numbers into lists of their names.

    ``value`` holds grades in judgments and scores in a run; ``tag`` is a run's name, empty in judgments.
    """

    query: np.ndarray
    document: np.ndarray
    value: np.ndarray
    query_ids: list[str]
    document_ids: list[str]
    tag: str = ""

    def __len__(self) -> int:
        return len(self.value)

    def __repr__(self) -> str:
        return f"TrecTable({len(self.query_ids):,} queries, {len(self):,} rows)"

    @classmethod
    def from_columns(cls, queries: Any, documents: Any, values: Any, tag: str = "") -> TrecTable:
        """A table from three columns.

        >>> TrecTable.from_columns(["q1", "q1"], ["d1", "d2"], [1, 0])
        TrecTable(1 queries, 2 rows)
        """
        q_names, query = _numbered(queries)
        d_names, document = _numbered(documents)
        value = as_numbers(values, "values")
        if not len(query) == len(document) == len(value):
            raise InputError(
                f"queries, documents and values must have one length, got {len(query)}, {len(document)}, {len(value)}"
            )
        bad = np.flatnonzero(~np.isfinite(value))
        if len(bad):
            raise InputError(f"expected a finite number, got {value[bad[0]]}", f"row {bad[0]}")
        table = cls(query, document, value, q_names, d_names, tag)
        _check_unique(table, "row {}".format, np.arange(len(value)))
        return table

    @classmethod
    def from_dict(cls, nested: Mapping[str, Mapping[str, float]], tag: str = "") -> TrecTable:
        """A table from ``{query: {document: number}}``, the form pytrec_eval and ranx take.

        >>> TrecTable.from_dict({"q1": {"d1": 1, "d2": 0}})
        TrecTable(1 queries, 2 rows)
        """
        if not all(isinstance(documents, Mapping) for documents in nested.values()):
            raise InputError("expected {query: {document: number}}")
        triples = [(q, d, v) for q, documents in nested.items() for d, v in documents.items()]
        queries, documents, values = zip(*triples, strict=True) if triples else ((), (), ())
        return cls.from_columns(queries, documents, values, tag)


def _numbered(names: Any) -> tuple[list[str], np.ndarray]:
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(str(n), len(numbers)) for n in names]
    return list(numbers), np.array(codes, np.int32)


def load_qrels(
    source: Any, *, query: str | None = None, document: str | None = None, grade: str | None = None
) -> TrecTable:
    """Read judgments: TREC text, CSV, TSV, JSON lines, JSON or Parquet, by the ending or else by the first line.

    TREC text has lines of ``query iteration document grade`` or ``query document grade``. ``query``, ``document`` and
    ``grade`` name the columns (members) of the other formats where they have none of the usual names. JSON may also be
    ``{query: {document: grade}}``. ``source`` is a path, ``-``, a binary file object, a list of these, a pattern, or a
    folder: of BEIR's layout, with ``qrels/test.tsv``, or of files of judgments. A frame of pandas or polars, or what
    else has the Arrow interface, is read as such a table too.

    >>> import io
    >>> load_qrels(io.BytesIO(b"q1 0 d1 2\\nq1 0 d2 0\\n")).value
    array([2., 0.])
    >>> load_qrels(io.BytesIO(b"query-id\\tcorpus-id\\tscore\\nq1\\td1\\t2\\n")).document_ids
    ['d1']
    """
    return _load(_judgments_in(source), QRELS, {"query": query, "document": document, "grade": grade})


def load_run(
    source: Any,
    *,
    query: str | None = None,
    document: str | None = None,
    score: str | None = None,
    rank: str | None = None,
) -> TrecTable:
    """Read a run: TREC text, CSV, TSV, JSON lines, JSON or Parquet, by the ending or else by the first line.

    TREC text has lines of ``query Q0 document rank score tag``, of these without ``Q0``, ``rank`` or ``tag``, or of
    ``query document score``. The rank is ignored, as trec_eval does, unless there is no score. ``query``, ``document``
    and ``score`` (or, where there is none, ``rank``) name the columns of the other formats, or number them from 1; JSON
    may also be ``{query: {document: score}}``. ``source`` may be several files, as of :func:`load_qrels`.

    >>> import io
    >>> load_run(io.BytesIO(b"q1 Q0 d1 1 2.5 bm25\\n")).tag
    'bm25'
    """
    if score is not None and rank is not None:
        raise InputError(f"score={score!r} and rank={rank!r}: a run is ranked by one of them")
    return _load(source, RUN, {"query": query, "document": document, "score": score, "rank": rank})


class _Rows(NamedTuple):
    """The rows of a block: where the names of queries and documents stand in ``names``, the numbers, the lines."""

    names: np.ndarray
    spans: np.ndarray
    values: np.ndarray
    lines: np.ndarray


def _judgments_in(source: Any) -> Any:
    """The file of judgments in a folder of BEIR's layout; any other source as it is."""
    if not isinstance(source, (str, os.PathLike)) or not (Path(source) / "qrels").is_dir():
        return source
    files = sorted(p for p in (Path(source) / "qrels").glob("*.tsv*"))
    test = [p for p in files if p.name.startswith("test.tsv")] or files
    if len(test) != 1:
        names = ", ".join(p.name for p in test)
        raise InputError(f"expected qrels/test.tsv in a folder of BEIR's layout; it has {names or 'none'}", str(source))
    said(f"{source}: the judgments are those of {test[0].relative_to(source)}")
    return test[0]


def _load(source: Any, layout: ColumnLayout, given: dict[str, str | None]) -> TrecTable:
    """One file, several as one table, or a table in memory."""
    if hasattr(source, "__arrow_c_stream__"):
        return _of_records(frame_records(source, layout, given), given.get("rank") is not None)
    files = expand(source)
    tables = [_load_file(file, layout, given) for file in files]
    return tables[0] if len(tables) == 1 else _joined(tables, [named(file) for file in files])


def _joined(tables: list[TrecTable], names: list[str]) -> TrecTable:
    """The rows of several tables one after another; a document may stand only once for a query in all of them."""
    queries: dict[str, int] = {}
    documents: dict[str, int] = {}
    parts = []
    for table in tables:
        q, d = (
            np.array([numbers.setdefault(name, len(numbers)) for name in ids], np.int32)
            for numbers, ids in ((queries, table.query_ids), (documents, table.document_ids))
        )
        parts.append((q[table.query], d[table.document], table.value))
    query, document, value = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    joined = TrecTable(query, document, value, list(queries), list(documents), tables[0].tag)
    _check_unique(joined, lambda file: names[file], np.repeat(np.arange(len(tables)), [len(t) for t in tables]))
    return joined


def _load_file(source: Source, layout: ColumnLayout, given: dict[str, str | None]) -> TrecTable:
    ending, ranked = ending_of(source), given.get("rank") is not None
    if ending == "parquet":
        return _of_records(parquet_records(source, layout, given), ranked)
    with (
        open_source(source) as opened,
        bar(f"reading {opened.name}", opened.size, (opened.size or 0) > 50_000_000, "bytes") as update,
    ):
        blocks = line_blocks(opened)
        first = next(blocks, None)
        if first is None:
            raise InputError("the file is empty", opened.name)
        start = beginning(first)
        form = None if any(given.values()) else trec_form(start, layout, ending, opened.name)
        if form is not None:
            table = _load_text(chain([first], blocks), form, opened.name, update)
            if form.fields == 5:
                said(f"{opened.name}: 5 fields, read as '{form.text}'")
            words = form.text.split()
            if "rank" in words and are_against_ranks([words_of(line) for line in start.lines], words):
                said(f"{opened.name}: ranks and scores disagree in every query; scores decide, larger ones first")
            return table
        return _of_records(text_records(chain([first], blocks), layout, given, opened.name, ending), ranked)


def _load_text(blocks: Iterator[Block], form: TrecForm, name: str, update: Callable[[int], None]) -> TrecTable:
    parts: list[_Rows] = []
    before, length, tag = 0, 0, ""
    for block in blocks:
        rows, n_lines = _cut(block, form, name, before, length)
        if len(rows.values):
            if not parts and "tag" in form.text:
                tag = _tag(block, form)
            parts.append(rows)
        before += n_lines
        length += len(rows.names)
        update(block.raw_position)
    if not parts:
        raise InputError("there is no data line in the file", name)
    names, spans, values, lines = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    del parts, rows
    query, query_ids = _encode(names, spans[:, 0], spans[:, 1], lines, name)
    documents, document_ids = _encode(names, spans[:, 2], spans[:, 3], lines, name)
    table = TrecTable(query, documents, values, query_ids, document_ids, tag)
    _check_unique(table, f"{name}, line {{}}".format, lines)
    return _by_rank(table, name) if form.text == THREE else table


def _by_rank(table: TrecTable, name: str) -> TrecTable:
    """A run of three columns, whose third one may hold ranks."""
    if not are_ranks(table.query, table.value, name):
        return table
    said(f"{name}: the third column holds whole numbers that grow in every query and is read as the rank")
    return replace(table, value=0 - table.value)


def _of_records(records: Records, ranked: bool) -> TrecTable:
    """A table of a file with names of columns; ``ranked`` if the caller named the column of ranks."""
    columns = records.columns
    tag = columns["tag"][0] if "tag" in columns else ""
    value = columns.get("score") or columns.get("grade")
    if value is None:
        if not ranked:
            said(f"{records.name}: there is no column of scores, documents are ranked by the column of ranks")
        value = [-rank for rank in columns["rank"]]
    q_names, query = _numbered(columns["query"])
    d_names, document = _numbered(columns["document"])
    table = TrecTable(query, document, np.array(value, np.float64), q_names, d_names, tag)
    _check_unique(table, records.where, np.arange(len(table)))
    return _by_rank(table, records.name) if records.form == THREE else table


def _cut(block: Block, form: TrecForm, name: str, before: int, start: int) -> tuple[_Rows, int]:
    """The rows of a block, and how many lines it has; ``before`` lines and ``start`` bytes of names precede them."""
    buf, end = block.data, block.end
    capacity = count_lines(buf, end)
    spans, values, lines = np.empty((capacity, 4), np.int64), np.empty(capacity), np.empty(capacity, np.int64)
    hard, state = np.empty((end // 20 + 1, 3), np.int64), np.zeros(5, np.int64)
    form_numbers = form.fields, form.most, form.document, form.value
    status = k.cut_lines(buf, end, *form_numbers, spans, values, lines, hard, state)
    where = f"{name}, line {before + state[k.LINE]}"
    if status == k.OTHER_FIELDS:
        raise InputError(f"expected {form.fields} fields '{form.text}', got {state[k.FIELDS]}", where)
    if status != k.OK:
        token = shorten(_FIELDS.findall(buf[state[k.POSITION] :][:200].tobytes())[0].decode("utf-8", "replace"))
        what = "a finite number" if status == k.NOT_FINITE else "a number"
        raise InputError(f"expected {what} in field {form.value + 1}, got {token}", where)
    for row, first, last in hard[: state[k.HARD]].tolist():
        values[row] = _exact(buf[first:last].tobytes(), f"{name}, line {before + lines[row]}")
    rows = int(state[k.ROWS])
    names = np.empty(end, np.uint8)
    used = k.gather(buf, spans, rows, start, names)
    return _Rows(names[:used].copy(), spans[:rows].copy(), values[:rows].copy(), lines[:rows] + before), capacity


def _tag(block: Block, form: TrecForm) -> str:
    """The tag in the first row."""
    text = block.data[: block.end].tobytes().lstrip(_BLANKS)
    return _FIELDS.findall(text.partition(b"\n")[0])[form.fields - 1].decode("utf-8", "replace")


def _exact(token: bytes, where: str) -> float:
    try:
        number = exact_float(token.decode(), np.dtype(np.float64))
    except ValueError:
        number = np.inf
    if not np.isfinite(number):
        raise InputError(f"expected a finite number, got {shorten(token.decode('utf-8', 'replace'))}", where)
    return number


def _encode(
    buf: np.ndarray, starts: np.ndarray, lengths: np.ndarray, lines: np.ndarray, name: str
) -> tuple[np.ndarray, list[str]]:
    codes, firsts = np.empty(len(starts), np.int32), np.empty(len(starts), np.int64)
    n = k.encode(buf, starts.copy(), lengths.copy(), codes, firsts)
    view, names = memoryview(buf.data), []
    for row, a, length in zip(
        firsts[:n].tolist(), starts[firsts[:n]].tolist(), lengths[firsts[:n]].tolist(), strict=True
    ):
        try:
            names.append(str(view[a : a + length], "utf-8"))
        except UnicodeDecodeError:
            raise InputError("an id is not valid UTF-8", f"{name}, line {lines[row]}") from None
    return codes, names


def _check_unique(table: TrecTable, where: Any, lines: np.ndarray) -> None:
    """A document may stand only once in a query's list."""
    key = table.query.astype(np.int64) * len(table.document_ids) + table.document
    order = np.argsort(key, kind="stable")
    twice = np.flatnonzero(key[order[1:]] == key[order[:-1]])
    if len(twice):
        row = int(order[1:][twice].min())
        d, q = table.document_ids[table.document[row]], table.query_ids[table.query[row]]
        raise InputError(f"document {d!r} stands twice for query {q!r}", where(lines[row]))
