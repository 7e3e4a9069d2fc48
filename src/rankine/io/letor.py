"""LETOR / SVMlight text with ``qid:``, as fast as memory allows.

The stream is cut into blocks of whole lines; each block is parsed by one kernel call (on several threads at
once), and the results are appended in order to arrays that grow in place. Memory stays near the size of the
finished arrays plus a few blocks.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

import numpy as np

from ..data import RankingData
from ..errors import InputError, shorten
from ..limits import FEATURES, max_features
from ..parallel import ordered_map, thread_count
from ..progress import bar
from ..sources import Block, FilePiece, OpenSource, Source, line_pieces, open_source
from . import letor_kernels as k
from .expand import several
from .letor_rows import SPARSE_BELOW, LetorRows, ParsedBlock, check_size
from .number_kernels import exact_float

_BAR_FROM = 50_000_000
_TOKEN = re.compile(rb"[^\x00-\x20#]+")

_MESSAGES = {
    k.BAD_LABEL: "expected a label (a number) first, got {token}",
    k.LABEL_NOT_FINITE: "label {token} is not a finite number",
    k.NO_QID: "expected 'qid:' after the label, got {token}",
    k.EMPTY_QID: "there is no query id after 'qid:'",
    k.NO_COLON: "expected index:value, got {token}",
    k.ZERO_INDEX: "feature index 0, but indices start at 1",
    k.BAD_ORDER: "feature index {index} after {last}, indices must increase",
    k.INDEX_TOO_LARGE: "feature index {token} is too large: the largest is {largest} (--max-features, {setting})",
    k.BAD_VALUE: "feature {index}: expected a number, got {token}",
    k.VALUE_NOT_FINITE: "feature {index}: {token} is not a finite number",
    k.VALUE_OVERFLOW: "feature {index}: {token} does not fit {dtype}",
    k.NEEDS_COLUMNS: "feature index {index}, but n_features is {limit}",
}


class _LineError(Exception):
    """An error on a line of a block, before the number of lines before the block is known."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@several
def load_letor(
    source: Source,
    dtype: str | type = "float32",
    sparse: bool | None = None,
    n_features: int | None = None,
    threads: int | None = None,
) -> RankingData:
    """Read judged rankings from LETOR / SVMlight text: ``label qid:ID index:value ... # docid = ID``.

    Indices start at 1 and increase along a line; features that a line leaves out are 0. A document id is taken
    from ``#docid = ID`` or from a comment of one word. Compression (.gz, .bz2, .xz, .zst) is recognised by content.

    Args:
        source: a path, ``"-"`` for standard input, or a binary file object.
        dtype: ``"float32"`` or ``"float64"``; every value is the nearest float of that type.
        sparse: CSR if True, dense if False; None means dense unless fewer than one value in ten is non-zero.
        n_features: the number of columns; by default the largest index in the file, which may be 1,048,576 or
            ``RANKINE_MAX_FEATURES``.
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
    if n_features is not None and not 1 <= n_features <= k.LARGEST_INDEX:
        raise ValueError(f"n_features must be at least 1 and at most {k.LARGEST_INDEX}, got {n_features}")
    with open_source(source) as opened:
        return _load(opened, kind, sparse, n_features, thread_count(threads))


def _load(
    opened: OpenSource, dtype: np.dtype, sparse: bool | None, n_features: int | None, threads: int
) -> RankingData:
    pieces = line_pieces(opened)
    first = next(pieces, None)
    if first is None:
        raise InputError("the file is empty", opened.name)
    first, lines = first.load(), 0
    try:
        probe = _parse(first, k.count_lines(first.data, first.end), 0, dtype, n_features)
        width = n_features or max(probe.width, 1)
        as_sparse = probe.entries < SPARSE_BELOW * probe.rows * width if sparse is None else sparse
        if not as_sparse:
            check_size(probe.rows, width, dtype.itemsize)
        table = LetorRows(dtype, 0 if as_sparse else width, opened.size, may_turn_sparse=sparse is None)
        rows_per_byte = 1.1 * probe.rows / first.end

        def parse(piece: Block | FilePiece) -> ParsedBlock:
            block = piece.load()
            return _parse(block, int(block.end * rows_per_byte) + 16, table.stride, dtype, n_features)

        with bar(f"reading {opened.name}", opened.size, (opened.size or 0) > _BAR_FROM, "bytes") as update:
            for parsed in ordered_map(parse, chain([first], pieces), threads):
                table.append(parsed)
                lines += parsed.lines
                update(parsed.raw_position)
    except _LineError as error:
        raise InputError(str(error), f"{opened.name}, line {lines + error.line}") from None
    if table.rows == 0:
        raise InputError("there is no data line in the file", opened.name)
    return table.finish(n_features, sparse)


def _parse(block: Block, capacity: int, stride: int, dtype: np.dtype, limit: int | None) -> ParsedBlock:
    """Parse a block of about ``capacity`` rows, again with more rows or columns if it needs them."""
    buf, end = block.data, block.end
    text = memoryview(buf.data)
    state = np.zeros(k.N_STATE, np.int64)
    labels, row_end = np.empty(capacity), np.empty(capacity, np.int64)
    runs, ids = np.empty((capacity, 3), np.int64), np.empty(end + capacity, np.uint8)
    hard = np.empty((end // 20 + 1, 2), np.int64)
    columns = np.empty(0 if stride else end // 4 + 1, np.int32)
    values = np.zeros(capacity * stride, dtype) if stride else np.empty(end // 4 + 1, dtype)
    # an index above n_features is told from one that is too large
    largest = max_features() if limit is None else k.LARGEST_INDEX
    status = k.parse_lines(buf, end, stride, largest, values, columns, row_end, labels, runs, ids, hard, state)
    if status == k.NEEDS_COLUMNS and limit is None:
        wider = max(int(state[k.INDEX]), stride + stride // 4)
        # a block that would be mostly zeros is handed on as it stands in the file
        return _parse(block, capacity, wider if capacity * wider < 4 * end else 0, dtype, limit)
    if status == k.NEEDS_ROWS:
        return _parse(block, k.count_lines(buf, end), stride, dtype, limit)
    if status == k.OK and limit is not None and state[k.WIDTH] > limit:
        return _parse(block, capacity, limit, dtype, limit)
    if status != k.OK:
        raise _line_error(status, text, state, dtype, limit)
    rows = int(state[k.ROWS])
    for slot, at in hard[: state[k.HARD]].tolist():
        _fix(text, at, slot, labels, values, buf)
    runs = runs[: state[k.RUNS]]
    return ParsedBlock(
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
    match = _TOKEN.match(text, at)
    token = bytes(match[0]).decode().rpartition(":")[2] if match else ""
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
        largest=max_features() if limit is None else k.LARGEST_INDEX,
        setting=FEATURES,
    )
    return _LineError(int(state[k.LINES]), message)
