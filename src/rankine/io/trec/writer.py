"""Writing judgments and runs: TREC text, or the format of the ending."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from ...arrays import per_row
from ...errors import InputError, is_utf8
from ...system.files import open_target, replacing
from ..tables.columns import ending_of
from .reader import TrecTable

_BLANK = re.compile(r"[\x00-\x20]")


def save_qrels(table: TrecTable, target: str | os.PathLike | IO[bytes]) -> None:
    """Write judgments as ``query 0 document grade``, or in the format of the ending.

    >>> import io
    >>> out = io.BytesIO()
    >>> save_qrels(TrecTable.from_dict({"q1": {"d1": 2}}), out)
    >>> out.getvalue()
    b'q1 0 d1 2\\n'
    """
    _save(table, target, "relevance", lambda q, d, v, rank: f"{q} 0 {d} {v}\n")


def save_run(table: TrecTable, target: str | os.PathLike | IO[bytes], tag: str | None = None) -> None:
    """Write a run as ``query Q0 document rank score tag``, or in the format of the ending; each query best first.

    Ties are as trec_eval breaks them. Only TREC text has room for the tag.

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
    _save(ordered, target, "score", lambda q, d, v, rank: f"{q} Q0 {d} {rank} {v} {name}\n")


def _check_word(text: str, what: str) -> None:
    if not text or _BLANK.search(text) or not is_utf8(text):
        other = "; a file .csv or .json can" if what == "id" and text and text == text.strip() and is_utf8(text) else ""
        raise InputError(f"{what} {text!r} is empty, holds a blank or is not Unicode: TREC text cannot carry it{other}")


def _save(table: TrecTable, target: Any, value: str, line: Any) -> None:
    ending = ending_of(target)
    if ending == "parquet":
        _save_parquet(table, target, value)
        return
    for i in [*table.query_ids, *table.document_ids]:
        if ending is None:
            _check_word(i, "id")
        elif not i or i != i.strip() or "\n" in i or not is_utf8(i):
            raise InputError(f"id {i!r} is empty, begins or ends with a blank, holds a line break or is not Unicode")
    with open_target(target) as stream:
        if ending is None:
            for q, d, v, rank in _rows(table):
                stream.write(line(q, d, v, rank).encode())
        elif ending == "json" and ".json" in [suffix.lower() for suffix in Path(target).suffixes]:
            stream.write(json.dumps(_nested(table), ensure_ascii=False).encode() + b"\n")
        else:
            names = ("query_id", "doc_id", value)
            for text in _lines(table, names, ending):
                stream.write(text.encode())


def _rows(table: TrecTable) -> Any:
    """(query, document, number, rank within the query) of all rows; numbers that are whole as such."""
    starts = np.flatnonzero(np.diff(table.query, prepend=-1) != 0)
    ranks = np.arange(len(table)) - per_row(starts, np.append(starts, len(table))) + 1
    rows = zip(table.query.tolist(), table.document.tolist(), table.value.tolist(), ranks.tolist(), strict=True)
    for q, d, v, rank in rows:
        number = int(v) if v == int(v) and abs(v) < 2**53 else v
        yield table.query_ids[q], table.document_ids[d], number, rank


def _nested(table: TrecTable) -> dict[str, dict[str, float]]:
    nested: dict[str, dict[str, float]] = {}
    for q, d, v, _ in _rows(table):
        nested.setdefault(q, {})[d] = v
    return nested


def _lines(table: TrecTable, names: tuple[str, str, str], ending: str) -> Any:
    """Lines of CSV or TSV with a header, or of JSON objects."""
    if ending == "json":
        for row in _rows(table):
            yield json.dumps(dict(zip(names, row, strict=False)), ensure_ascii=False) + "\n"
        return
    out = io.StringIO()
    writer = csv.writer(out, delimiter="," if ending == "csv" else "\t", lineterminator="\n")
    for cells in (names, *(row[:3] for row in _rows(table))):
        writer.writerow(cells)
        yield out.getvalue()
        out.seek(0)
        out.truncate()


def _save_parquet(table: TrecTable, target: Any, value: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    queries, documents = (
        pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(names, pa.string()))
        for codes, names in ((table.query, table.query_ids), (table.document, table.document_ids))
    )
    with replacing(target) as temporary:
        pq.write_table(pa.table({"query_id": queries, "doc_id": documents, value: table.value}), temporary)
