"""LETOR text out: pyarrow formats the numbers (shortest exact form), a kernel puts the lines together."""

from __future__ import annotations

import os
import re
from typing import IO, Any, BinaryIO

import numpy as np

from ...data.ranking_data import Preferences, RankingData
from ...errors import InputError, is_utf8
from ...system.files import open_target
from ...system.progress import bar
from .kernels import assemble

_VALUES_PER_BLOCK = 2_000_000
_SPACE = re.compile("[\x00-\x20]")


def save_letor(data: RankingData, target: str | os.PathLike | IO[bytes]) -> None:
    """Write LETOR text; reading it back gives bit-identical features, grades and ids.

    Each number is written in its shortest exact form. A dense X is written with all its zeros, a CSR one with
    what it stores. Features are numbered from 1, or from 0 if the data was read from text with a feature 0. Weights are
    not written. The text cannot tell the string ``"7"`` from the number 7: query ids that all look like whole
    numbers are read back as numbers.

    Args:
        data: what to write; grades only, no :class:`~rankine.Preferences`.
        target: a path (compressed if it ends in .gz, .bz2, .xz or .zst; replaced only when complete), ``"-"`` for
            standard output, or a binary file object.

    >>> import io
    >>> out = io.BytesIO()
    >>> save_letor(RankingData([[0.5, 0.0]], [2], ["a"], doc_ids=["d1"]), out)
    >>> out.getvalue()
    b'2 qid:a 1:0.5 2:0 #docid = d1\\n'
    """
    with open_target(target) as stream:
        _write(data, stream)


def _write(data: RankingData, stream: BinaryIO) -> None:
    """Write every row of ``data`` to a binary stream."""
    if isinstance(data.y, Preferences):
        raise InputError("LETOR text holds grades, this data set has preferences")
    _check_ids(data.query_ids, "query id")
    if data.doc_ids is not None:
        _check_ids(data.doc_ids, "document id")
    step = max(_VALUES_PER_BLOCK // max(data.n_features, 1), 1)
    with bar("writing", data.n_documents, show=data.n_documents * data.n_features > 10_000_000) as update:
        for start in range(0, data.n_documents, step):
            stop = min(start + step, data.n_documents)
            stream.write(_lines(data, start, stop))
            update(stop)


def _check_ids(ids: Any, what: str) -> None:
    if ids.dtype.kind in "iu":
        return
    for i in ids.tolist():
        if _SPACE.search(i) or (not i and what == "query id") or not is_utf8(i):
            raise InputError(f"{what} {i!r} is empty, holds a blank or is not Unicode: LETOR text cannot carry it")


def _lines(data: RankingData, start: int, stop: int) -> memoryview:
    labels = _texts(data.y[start:stop]).to_pylist()
    heads = [f"{label} qid:{q}" for label, q in zip(labels, data.qid[start:stop].tolist(), strict=True)]
    tails = [""] * (stop - start)
    if data.doc_ids is not None:
        tails = [f" #docid = {d}" if d != "" else "" for d in data.doc_ids[start:stop].tolist()]
    columns, ends, values = _cells(data, start, stop)
    offsets, text = _arrow_parts(_texts(values))
    out = np.empty(
        len(text) + sum(map(len, heads)) * 4 + sum(map(len, tails)) * 4 + 12 * len(values) + stop - start,
        np.uint8,
    )
    used = assemble(*_joined(heads), *_joined(tails), columns, ends, offsets, text, out)
    return out[:used].data


def _cells(data: RankingData, start: int, stop: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The written cells of these rows: numbers of features, where each row ends, values."""
    n, d = stop - start, data.n_features
    first = 1 if data.numbering is None else data.numbering.first
    if not data.is_sparse:
        return np.tile(np.arange(first, d + first), n), np.arange(1, n + 1) * d, data.X[start:stop].ravel()
    rows = data.X[start:stop]
    columns, ends, values = rows.indices + first, rows.indptr[1:].astype(np.int64), rows.data
    # the first line names the last feature, so that their number survives, and feature 0 where that is the first
    if start == 0 and (ends[0] == 0 or columns[ends[0] - 1] != d - 1 + first):
        columns, values = np.insert(columns, ends[0], d - 1 + first), np.insert(values, ends[0], 0)
        ends = ends + 1
    if start == 0 and first == 0 and columns[0] != 0:
        columns, values = np.insert(columns, 0, 0), np.insert(values, 0, 0)
        ends = ends + 1
    return columns.astype(np.int64), ends, values


def _texts(values: np.ndarray) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.cast(pa.array(values), pa.large_string())


def _arrow_parts(strings: Any) -> tuple[np.ndarray, np.ndarray]:
    _, offsets, text = strings.buffers()
    raw = np.frombuffer(text, np.uint8) if text is not None and text.size else np.zeros(1, np.uint8)
    return np.frombuffer(offsets, np.int64)[: len(strings) + 1].copy(), raw.copy()


def _joined(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    raw = [t.encode() for t in texts]
    ends = np.cumsum([len(r) for r in raw])
    return np.concatenate([[0], ends]), np.frombuffer(b"".join(raw) + b"\0", np.uint8).copy()
