"""LETOR / SVMlight text with ``qid:``, as fast as memory allows.

The stream is cut into blocks of whole lines; each block is parsed by one kernel call (on several threads at
once), and the results are appended in order to arrays that grow in place. Memory stays near the size of the
finished arrays plus a few blocks.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

import numpy as np

from ..data import RankingData, group_rows
from ..errors import InputError, shorten
from ..files import Block, OpenSource, Source, line_blocks, open_source, open_target
from ..parallel import ordered_map, thread_count
from ..progress import bar
from . import letor_kernels as k
from .numbers import exact_float

SPARSE_BELOW = 0.1
_BAR_FROM = 50_000_000

_MESSAGES = {
    k.BAD_LABEL: "expected a label (a number) first, got {token}",
    k.LABEL_NOT_FINITE: "label {token} is not a finite number",
    k.NO_QID: "expected 'qid:' after the label, got {token}",
    k.EMPTY_QID: "there is no query id after 'qid:'",
    k.NO_COLON: "expected index:value, got {token}",
    k.ZERO_INDEX: "feature index 0, but indices start at 1",
    k.BAD_ORDER: "feature index {index} after {last}, indices must increase",
    k.INDEX_TOO_LARGE: "feature index {token} is too large (the largest is 2147483647)",
    k.BAD_VALUE: "feature {index}: expected a number, got {token}",
    k.VALUE_NOT_FINITE: "feature {index}: {token} is not a finite number",
    k.VALUE_OVERFLOW: "feature {index}: {token} does not fit {dtype}",
    k.NEEDS_COLUMNS: "feature index {index}, but n_features is {limit}",
}


class _Parsed(NamedTuple):
    """One block after parsing: ``rows`` rows in ``values`` (dense, ``stride`` wide) or CSR pieces."""

    rows: int
    lines: int
    entries: int
    width: int
    stride: int
    values: np.ndarray
    columns: np.ndarray
    row_end: np.ndarray
    labels: np.ndarray
    run_rows: np.ndarray
    run_ids: list[str]
    doc_ids: list[str] | None
    raw_position: int


class _LineError(Exception):
    """An error on a line of a block, before the number of lines before the block is known."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def load_letor(
    source: Source,
    dtype: str | type = "float32",
    sparse: bool | None = None,
    n_features: int | None = None,
    threads: int | None = None,
) -> RankingData:
    """Read judged rankings from LETOR / SVMlight text: ``label qid:ID index:value ... # docid = ID``.

    Indices start at 1 and increase along a line; features that a line leaves out are 0. A document id is taken
    from ``#docid = ID`` or from a comment of one word. Compression (.gz, .xz, .zst) is recognised by content.

    Args:
        source: a path, ``"-"`` for standard input, or a binary file object.
        dtype: ``"float32"`` or ``"float64"``; every value is the nearest float of that type.
        sparse: CSR if True, dense if False; None means dense unless fewer than one value in ten is non-zero.
        n_features: the number of columns; by default the largest index in the file.
        threads: parsing threads, by default one per core.

    >>> import io
    >>> data = load_letor(io.BytesIO(b"2 qid:7 1:0.5 3:1 # docid = d1\\n0 qid:7 2:0.25 # docid = d2\\n"))
    >>> data.X
    array([[0.5 , 0.  , 1.  ],
           [0.  , 0.25, 0.  ]], dtype=float32)
    >>> data.doc_ids.tolist()
    ['d1', 'd2']
    """
    kind = np.dtype(dtype)
    if kind not in (np.float32, np.float64):
        raise ValueError(f"dtype must be float32 or float64, got {kind}")
    if n_features is not None and n_features < 1:
        raise ValueError(f"n_features must be at least 1, got {n_features}")
    with open_source(source) as opened:
        return _load(opened, kind, sparse, n_features, thread_count(threads))


def _load(
    opened: OpenSource, dtype: np.dtype, sparse: bool | None, n_features: int | None, threads: int
) -> RankingData:
    blocks = line_blocks(opened)
    first = next(blocks, None)
    if first is None:
        raise InputError("the file is empty", opened.name)
    lines = 0
    try:
        probe = _parse(first, k.count_lines(first.data, first.end), 0, dtype, n_features)
        width = n_features or max(probe.width, 1)
        as_sparse = probe.entries < SPARSE_BELOW * probe.rows * width if sparse is None else sparse
        if not as_sparse:
            _check_size(probe.rows, width, dtype.itemsize)
        table = _Table(dtype, 0 if as_sparse else width, opened.size, may_turn_sparse=sparse is None)
        rows_per_byte = 1.1 * probe.rows / first.end

        def parse(block: Block) -> _Parsed:
            return _parse(block, int(block.end * rows_per_byte) + 16, table.stride, dtype, n_features)

        with bar(f"reading {opened.name}", opened.size, (opened.size or 0) > _BAR_FROM, "bytes") as update:
            for part in ordered_map(parse, _chain(first, blocks), threads):
                table.append(part)
                lines += part.lines
                update(part.raw_position)
    except _LineError as error:
        raise InputError(str(error), f"{opened.name}, line {lines + error.line}") from None
    if table.rows == 0:
        raise InputError("there is no data line in the file", opened.name)
    return table.finish(n_features, sparse)


def _chain(first: Block, rest: Iterator[Block]) -> Iterator[Block]:
    yield first
    yield from rest


def _parse(block: Block, room: int, stride: int, dtype: np.dtype, limit: int | None) -> _Parsed:
    """Parse a block that should not exceed ``room`` rows, with more rows or columns if it turns out to need them."""
    buf, end = block.data, block.end
    text = memoryview(buf.data)
    state = np.zeros(k.N_STATE, np.int64)
    labels, row_end = np.empty(room), np.empty(room, np.int64)
    runs, ids = np.empty((room, 3), np.int64), np.empty(end + room, np.uint8)
    hard = np.empty((end // 20 + 1, 2), np.int64)
    columns = np.empty(0 if stride else end // 4 + 1, np.int32)
    values = np.zeros(room * stride, dtype) if stride else np.empty(end // 4 + 1, dtype)
    status = k.parse_lines(buf, end, stride, values, columns, row_end, labels, runs, ids, hard, state)
    if status == k.NEEDS_COLUMNS and limit is None:
        wider = max(int(state[k.INDEX]), stride + stride // 4)
        # a block that would be mostly zeros is handed on as it stands in the file
        return _parse(block, room, wider if room * wider < 4 * end else 0, dtype, limit)
    if status == k.NEEDS_ROWS:
        return _parse(block, k.count_lines(buf, end), stride, dtype, limit)
    if status == k.OK and limit is not None and state[k.WIDTH] > limit:
        return _parse(block, room, limit, dtype, limit)
    if status != k.OK:
        raise _line_error(status, text, state, dtype, limit)
    rows = int(state[k.ROWS])
    for slot, at in hard[: state[k.HARD]].tolist():
        _fix(text, at, slot, labels, values, buf)
    runs = runs[: state[k.RUNS]]
    return _Parsed(
        rows,
        int(state[k.LINES]),
        int(state[k.ENTRIES]),
        int(state[k.WIDTH]),
        stride,
        values,
        columns,
        row_end[:rows],
        labels[:rows],
        runs[:, 0].copy(),
        [_decode(text[a : a + n], buf, a) for _, a, n in runs.tolist()],
        _decode(ids[: state[k.ID_BYTES]], buf, 0).split("\n")[:-1] if state[k.IDS] else None,
        block.raw_position,
    )


def _decode(piece: Any, buf: np.ndarray, at: int) -> str:
    try:
        return bytes(piece).decode("utf-8")
    except UnicodeDecodeError:
        line = int(np.count_nonzero(buf[:at] == 10)) + 1
        if at == 0:  # document ids of the whole block: find the line
            line += next(
                i for i, raw in enumerate(bytes(piece).split(b"\n")) if raw.decode("utf-8", "ignore").encode() != raw
            )
        raise _LineError(line, "an id is not valid UTF-8") from None


def _token(text: memoryview, at: int) -> str:
    raw = bytes(text[at : at + 200]).split(b"\n", 1)[0].split()
    return raw[0].decode("utf-8", "replace") if raw else ""


def _fix(text: memoryview, at: int, slot: int, labels: np.ndarray, values: np.ndarray, buf: np.ndarray) -> None:
    """Convert a number of more than 19 digits by rational arithmetic."""
    end = at
    while buf[end] > 32 and buf[end] != 35:
        end += 1
    token = bytes(text[at:end]).decode().rpartition(":")[2]
    target, index = (values, slot) if slot >= 0 else (labels, -1 - slot)
    target[index] = exact_float(token, target.dtype)
    if np.isinf(target[index]):
        raise _LineError(int(np.count_nonzero(buf[:at] == 10)) + 1, f"{shorten(token)} does not fit {target.dtype}")


def _line_error(status: int, text: memoryview, state: np.ndarray, dtype: np.dtype, limit: int | None) -> _LineError:
    token = _token(text, int(state[k.POSITION]))
    if status in (k.BAD_VALUE, k.VALUE_NOT_FINITE, k.VALUE_OVERFLOW):
        token = token.partition(":")[2]
    message = _MESSAGES[status].format(
        token=shorten(token) if token else "the end of the line",
        index=int(state[k.INDEX]),
        last=int(state[k.LAST]),
        dtype=dtype,
        limit=limit,
    )
    return _LineError(int(state[k.LINES]), message)


class _Growing:
    """A flat array that grows in place (``realloc`` moves pages, not bytes) and is cut to size at the end."""

    def __init__(self, dtype: Any) -> None:
        self.array = np.empty(0, dtype)
        self.used = 0

    def append(self, part: np.ndarray, share: float | None) -> None:
        """``share`` is the part of the input that has been read, as far as known: the rest sets the room."""
        self.reserve(self.used + len(part), share)
        self.array[self.used : self.used + len(part)] = part
        self.used += len(part)

    def reserve(self, need: int, share: float | None) -> None:
        if need <= len(self.array):
            return
        room = int(need * (1.25 if share is None else min(1.02 / share, 1e4))) + 1024
        if len(self.array) == 0:
            self.array = np.empty(room, self.array.dtype)
        else:
            self.array.resize(max(room, need + need // 5), refcheck=False)

    def finish(self) -> np.ndarray:
        self.array.resize(self.used, refcheck=False)
        return self.array


def _nonzeros(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What CSR stores of a dense matrix (−0 included): values, columns, ends of rows."""
    stored = (X != 0) | np.signbit(X)
    columns = np.nonzero(stored)[1].astype(np.int32)
    return X[stored], columns, np.cumsum(stored.sum(axis=1))


def _sparse_part(part: _Parsed) -> _Parsed:
    values, columns, ends = _nonzeros(part.values[: part.rows * part.stride].reshape(part.rows, part.stride))
    return part._replace(values=values, columns=columns, row_end=ends, entries=len(values), stride=0)


def _dense_part(part: _Parsed, stride: int) -> _Parsed:
    X = np.zeros((part.rows, stride), part.values.dtype)
    rows = np.repeat(np.arange(part.rows), np.diff(part.row_end, prepend=0))
    X[rows, part.columns[: part.entries]] = part.values[: part.entries]
    return part._replace(values=X.ravel(), stride=stride)


def _check_size(rows: int, columns: int, itemsize: int) -> None:
    """Refuse a dense matrix that no memory of this machine can hold."""
    need = rows * columns * itemsize
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 1 << 45
    if need > memory:
        raise InputError(
            f"{rows:,} rows × {columns:,} features need {need / 2**30:,.0f} GiB as a dense matrix, more than this "
            "machine has: use sparse=True"
        )


class _Table:
    """Collects parsed blocks in order. ``stride`` is the dense row width so far, 0 for CSR."""

    def __init__(self, dtype: np.dtype, stride: int, size: int | None, may_turn_sparse: bool) -> None:
        self.stride, self.size, self.may_turn_sparse = stride, size, may_turn_sparse
        self.rows = self.entries = self.width = 0
        self.values, self.columns = _Growing(dtype), _Growing(np.int32)
        self.row_end, self.labels = _Growing(np.int64), _Growing(np.float64)
        self.run_rows: list[np.ndarray] = []
        self.run_ids: list[str] = []
        self.doc_ids: list[str] = []
        self.has_ids = False

    def append(self, part: _Parsed) -> None:
        share = min(part.raw_position / self.size, 1.0) if self.size and part.raw_position else None
        width, rows = max(self.width, part.width), self.rows + part.rows
        if self.stride and self.may_turn_sparse and self.entries + part.entries < SPARSE_BELOW * rows * width:
            self._turn_sparse()
        if self.stride:
            _check_size(rows, max(self.stride, part.width), part.values.itemsize)
            self._append_dense(_dense_part(part, max(self.stride, part.width)) if part.stride == 0 else part, share)
        else:
            part = _sparse_part(part) if part.stride else part
            self.values.append(part.values[: part.entries], share)
            self.columns.append(part.columns[: part.entries], share)
            self.row_end.append(part.row_end + self.entries, share)
        self.labels.append(part.labels, share)
        self.run_rows.append(part.run_rows + self.rows)
        self.run_ids += part.run_ids
        self.has_ids = self.has_ids or part.doc_ids is not None
        self.doc_ids += part.doc_ids if part.doc_ids is not None else [""] * part.rows
        self.rows += part.rows
        self.entries += part.entries
        self.width = max(self.width, part.width)

    def _turn_sparse(self) -> None:
        """Go on as CSR: a later part of the file has shown that most values are zero."""
        so_far = self.values.array[: self.rows * self.stride].reshape(self.rows, self.stride)
        values, columns, ends = _nonzeros(so_far)
        for growing, content in ((self.values, values), (self.columns, columns), (self.row_end, ends)):
            growing.array, growing.used = content, len(content)
        self.entries, self.stride = len(values), 0

    def _append_dense(self, part: _Parsed, share: float | None) -> None:
        """Append dense rows; where the block came out wider (or narrower) both sides are brought to one width."""
        if part.stride > self.stride:
            self.values.reserve(self.rows * part.stride, share)
            k.widen(self.values.array, self.rows, self.stride, part.stride)
            self.values.used = self.rows * part.stride
            self.stride = part.stride
        values = part.values[: part.rows * part.stride]
        if part.stride < self.stride:
            wide = np.zeros((part.rows, self.stride), values.dtype)
            wide[:, : part.stride] = values.reshape(part.rows, part.stride)
            values = wide.ravel()
        self.values.append(values, share)

    def finish(self, n_features: int | None, sparse: bool | None) -> RankingData:
        width = n_features or max(self.width, 1)
        qid = self._query_ids()
        order = group_rows(qid).order
        labels = self.labels.finish()
        doc_ids = np.array(self.doc_ids, object) if self.has_ids else None
        if self.stride:
            _check_size(self.rows, width, self.values.array.itemsize)
        X = self._dense(width, order) if self.stride else self._csr(width, order)
        if order is not None:
            labels, qid = labels[order], qid[order]
            doc_ids = None if doc_ids is None else doc_ids[order]
        if sparse is None and bool(self.stride) == (self.entries < SPARSE_BELOW * self.rows * width):
            import scipy.sparse as sp

            X = sp.csr_array(X) if self.stride else X.toarray()
        data = RankingData.from_valid(X, labels, qid, doc_ids)
        data._order = order
        return data

    def _dense(self, width: int, order: np.ndarray | None) -> Any:
        if width < self.stride:
            k.narrow(self.values.array, self.rows, self.stride, width)
            self.values.used = self.rows * width
        elif width > self.stride:
            self.values.reserve(self.rows * width, None)
            k.widen(self.values.array, self.rows, self.stride, width)
            self.values.used = self.rows * width
        X = self.values.finish().reshape(self.rows, width)
        if order is not None:
            k.permute_rows(X, order)
        return X

    def _csr(self, width: int, order: np.ndarray | None) -> Any:
        import scipy.sparse as sp

        row_end = self.row_end.finish()
        indptr = np.concatenate([[0], row_end])
        index_type = np.int32 if len(self.values.array) < 2**31 else np.int64
        X = sp.csr_array(
            (self.values.finish(), self.columns.finish(), indptr.astype(index_type)), shape=(self.rows, width)
        )
        return X if order is None else X[order]

    def _query_ids(self) -> np.ndarray:
        """Integers where every id is the plain decimal of one, else strings."""
        starts = np.concatenate(self.run_rows)
        lengths = np.diff(np.append(starts, self.rows))
        try:
            numbers = np.array([int(i) for i in self.run_ids], np.int64)
            if [str(i) for i in numbers.tolist()] == self.run_ids:
                return np.repeat(numbers, lengths)
        except (ValueError, OverflowError):
            pass
        return np.repeat(np.array(self.run_ids, object), lengths)


def save_letor(data: RankingData, target: str | os.PathLike | IO[bytes]) -> None:
    """Write LETOR text; reading it back gives bit-identical features, grades and ids.

    Each number is written in its shortest exact form. A dense X is written with all its zeros, a CSR one with
    what it stores. The text cannot tell the string ``"7"`` from the number 7: query ids that all look like whole
    numbers are read back as numbers.

    Args:
        data: what to write; grades only, no :class:`~rankine.Preferences`.
        target: a path (compressed if it ends in .gz, .xz or .zst; replaced only when complete), ``"-"`` for
            standard output, or a binary file object.

    >>> import io
    >>> out = io.BytesIO()
    >>> save_letor(RankingData([[0.5, 0.0]], [2], ["a"], doc_ids=["d1"]), out)
    >>> out.getvalue()
    b'2 qid:a 1:0.5 2:0 #docid = d1\\n'
    """
    from .letor_write import write_letor

    with open_target(target) as stream:
        write_letor(data, stream)
