"""LETOR text out: pyarrow formats the numbers (shortest exact form), a kernel puts the lines together."""

# mypy: allow-untyped-defs

import re
from typing import Any, BinaryIO

import numpy as np

from ..data import Preferences, RankingData
from ..errors import InputError, is_utf8
from ..kernel import kernel
from ..progress import bar

_VALUES_PER_BLOCK = 2_000_000
_SPACE = re.compile("[\x00-\x20]")


def write_letor(data: RankingData, stream: BinaryIO) -> None:
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
    used = _assemble(*_joined(heads), *_joined(tails), columns, ends, offsets, text, out)
    return out[:used].data


def _cells(data: RankingData, start: int, stop: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The written cells of these rows: 1-based columns, where each row ends, values."""
    n, d = stop - start, data.n_features
    if not data.is_sparse:
        return np.tile(np.arange(1, d + 1), n), np.arange(1, n + 1) * d, data.X[start:stop].ravel()
    rows = data.X[start:stop]
    columns, ends, values = rows.indices + 1, rows.indptr[1:].astype(np.int64), rows.data
    if start == 0 and (ends[0] == 0 or columns[ends[0] - 1] != d):
        # the first line names the last column, so that the number of features survives
        columns, values = np.insert(columns, ends[0], d), np.insert(values, ends[0], 0)
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


@kernel
def _copy(text, start, stop, out, at):
    for i in range(start, stop):
        out[at] = text[i]
        at += 1
    return at


@kernel
def _assemble(head_at, heads, tail_at, tails, columns, ends, value_at, values, out):
    """Lines ``head index:value ... tail``; how many bytes they took."""
    at, cell = 0, 0
    digits = np.empty(20, np.uint8)
    for row in range(len(ends)):
        at = _copy(heads, head_at[row], head_at[row + 1], out, at)
        while cell < ends[row]:
            out[at] = 32
            at += 1
            n, index = 0, columns[cell]
            while index > 0:
                digits[n] = 48 + index % 10
                index //= 10
                n += 1
            for i in range(n - 1, -1, -1):
                out[at] = digits[i]
                at += 1
            out[at] = 58
            at = _copy(values, value_at[cell], value_at[cell + 1], out, at + 1)
            cell += 1
        at = _copy(tails, tail_at[row], tail_at[row + 1], out, at)
        out[at] = 10
        at += 1
    return at
