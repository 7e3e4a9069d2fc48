"""TREC judgments (qrels) and runs."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import IO, Any, NamedTuple

import numpy as np

from ..arrays import as_numbers, per_row
from ..errors import InputError, is_utf8, shorten
from ..files import open_target
from ..progress import bar
from ..sources import Block, Source, line_blocks, open_source
from . import trec_kernels as k
from .letor_kernels import count_lines
from .number_kernels import exact_float

_BLANK = re.compile(r"[\x00-\x20]")
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


def load_qrels(source: Source) -> TrecTable:
    """Read TREC judgments, lines of ``query iteration document grade``.

    >>> import io
    >>> load_qrels(io.BytesIO(b"q1 0 d1 2\\nq1 0 d2 0\\n")).value
    array([2., 0.])
    """
    return _load(source, _Form("query iteration document grade", document=2, value=3))


def load_run(source: Source) -> TrecTable:
    """Read a TREC run, lines of ``query Q0 document rank score tag``; the rank is ignored, as trec_eval does.

    >>> import io
    >>> load_run(io.BytesIO(b"q1 Q0 d1 1 2.5 bm25\\n")).tag
    'bm25'
    """
    return _load(source, _Form("query Q0 document rank score tag", document=2, value=4))


class _Rows(NamedTuple):
    """The rows of a block: where the names of queries and documents stand in ``names``, the numbers, the lines."""

    names: np.ndarray
    spans: np.ndarray
    values: np.ndarray
    lines: np.ndarray


class _Form(NamedTuple):
    """What a line holds, and in which fields the document and the number stand."""

    text: str
    document: int
    value: int

    @property
    def fields(self) -> int:
        return len(self.text.split())


def _load(source: Source, form: _Form) -> TrecTable:
    parts: list[_Rows] = []
    before, length, tag = 0, 0, ""
    with (
        open_source(source) as opened,
        bar(f"reading {opened.name}", opened.size, (opened.size or 0) > 50_000_000, "bytes") as update,
    ):
        name = opened.name
        block = None
        for block in line_blocks(opened):
            rows, n_lines = _cut(block, form, name, before, length)
            if len(rows.values):
                if not parts and form.fields == 6:
                    tag = _tag(block)
                parts.append(rows)
            before += n_lines
            length += len(rows.names)
            update(block.raw_position)
    if block is None:
        raise InputError("the file is empty", name)
    if not parts:
        raise InputError("there is no data line in the file", name)
    names, spans, values, lines = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    del parts, rows
    query, query_ids = _encode(names, spans[:, 0], spans[:, 1], lines, name)
    documents, document_ids = _encode(names, spans[:, 2], spans[:, 3], lines, name)
    table = TrecTable(query, documents, values, query_ids, document_ids, tag)
    _check_unique(table, f"{name}, line {{}}".format, lines)
    return table


def _cut(block: Block, form: _Form, name: str, before: int, start: int) -> tuple[_Rows, int]:
    """The rows of a block, and how many lines it has; ``before`` lines and ``start`` bytes of names precede them."""
    buf, end = block.data, block.end
    capacity = count_lines(buf, end)
    spans, values, lines = np.empty((capacity, 4), np.int64), np.empty(capacity), np.empty(capacity, np.int64)
    hard, state = np.empty((end // 20 + 1, 3), np.int64), np.zeros(5, np.int64)
    status = k.cut_lines(buf, end, form.fields, form.document, form.value, spans, values, lines, hard, state)
    where = f"{name}, line {before + state[k.LINE]}"
    if status == k.TOO_FEW_FIELDS:
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


def _tag(block: Block) -> str:
    """The last field of the first row."""
    text = block.data[: block.end].tobytes().lstrip(_BLANKS)
    return _FIELDS.findall(text.partition(b"\n")[0])[5].decode("utf-8", "replace")


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


def save_qrels(table: TrecTable, target: str | os.PathLike | IO[bytes]) -> None:
    """Write judgments as ``query 0 document grade``.

    >>> import io
    >>> out = io.BytesIO()
    >>> save_qrels(TrecTable.from_dict({"q1": {"d1": 2}}), out)
    >>> out.getvalue()
    b'q1 0 d1 2\\n'
    """
    _save(table, target, lambda q, d, v, rank: f"{q} 0 {d} {v}\n")


def save_run(table: TrecTable, target: str | os.PathLike | IO[bytes], tag: str | None = None) -> None:
    """Write a run as ``query Q0 document rank score tag``, each query best first, ties as trec_eval breaks them.

    >>> import io
    >>> out = io.BytesIO()
    >>> save_run(TrecTable.from_dict({"q1": {"d1": 0.5, "d2": 1.5}}), out, tag="mine")
    >>> print(out.getvalue().decode().strip())
    q1 Q0 d2 1 1.5 mine
    q1 Q0 d1 2 0.5 mine
    """
    name = tag if tag is not None else table.tag or "rankine"
    _check_word(name, "tag")
    by_name = np.argsort(np.argsort(np.array(table.document_ids, object), kind="stable"), kind="stable")
    with np.errstate(over="ignore"):
        order = np.lexsort((-by_name[table.document], -table.value.astype(np.float32), table.query))
    ordered = replace(table, query=table.query[order], document=table.document[order], value=table.value[order])
    _save(ordered, target, lambda q, d, v, rank: f"{q} Q0 {d} {rank} {v} {name}\n")


def _check_word(text: str, what: str) -> None:
    if not text or _BLANK.search(text) or not is_utf8(text):
        raise InputError(f"{what} {text!r} is empty, holds a blank or is not Unicode: TREC text cannot carry it")


def _save(table: TrecTable, target: Any, line: Any) -> None:
    for i in [*table.query_ids, *table.document_ids]:
        _check_word(i, "id")
    new_query = np.diff(table.query, prepend=-1) != 0
    starts = np.flatnonzero(new_query)
    ranks = np.arange(len(table)) - per_row(starts, np.append(starts, len(table))) + 1
    rows = zip(table.query.tolist(), table.document.tolist(), table.value.tolist(), ranks.tolist(), strict=True)
    with open_target(target) as stream:
        for q, d, v, rank in rows:
            number = int(v) if v == int(v) and abs(v) < 2**53 else v
            stream.write(line(table.query_ids[q], table.document_ids[d], number, rank).encode())
