"""Blocks of LETOR text, parsed by the kernel; errors name the line."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np

from ...errors import shorten
from ...system.limits import FEATURES, max_features
from ...system.sources import PADDING, Block
from ..number_kernels import exact_float
from ..tables.columns import GUESSES, plain_name
from . import kernels as k
from .rows import ParsedBlock

_HEAD = 1 << 16  # bytes, that comments at the head of a file are looked for in
_TOKEN = re.compile(rb"[^\x00-\x20#]+")

_MESSAGES = {
    k.BAD_LABEL: "expected a label (a number) first, got {token}",
    k.LABEL_NOT_FINITE: "label {token} is not a finite number",
    k.NO_QID: "expected 'qid:' after the label, got {token}",
    k.EMPTY_QID: "there is no query id after 'qid:'",
    k.NO_COLON: "expected index:value, got {token}",
    k.ZERO_INDEX: "feature index 0, but indices start at 1 (first_index, --first-index)",
    k.BAD_ORDER: "feature index {index} after {last}, indices must increase (unordered, --unordered)",
    k.INDEX_TOO_LARGE: "feature index {token} is too large: the largest is {largest} (--max-features, {setting})",
    k.BAD_VALUE: "feature {index}: expected a number, got {token}",
    k.VALUE_NOT_FINITE: "feature {index}: {token} is not a finite number; a missing value is left out, and counts as 0",
    k.VALUE_OVERFLOW: "feature {index}: {token} does not fit {dtype}",
    k.NEEDS_COLUMNS: "feature index {index}, but n_features is {limit}",
}


class LetorLineError(Exception):
    """An error on a line of a block, before the number of lines before the block is known."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class LetorLines(NamedTuple):
    """How lines are to be read: the number of features, and that of the first one, None where it is not settled."""

    dtype: np.dtype
    limit: int | None
    first: int | None
    has_qid: bool
    unordered: bool


def stated_first(block: Block) -> int | None:
    """The number of the first feature if the head of a file states it, as scikit-learn's writer does."""
    if not block.end or block.data[0] != ord("#"):
        return None
    lines = block.data[: min(block.end, _HEAD)].tobytes().splitlines()
    comments = [line.strip() for line in takewhile(lambda line: line.startswith(b"#"), lines)]
    stated = {0: b"# Column indices are zero-based", 1: b"# Column indices are one-based"}
    return next((first for first, text in stated.items() if text in comments), None)


def parse_block(block: Block, capacity: int, stride: int, first: int, lines: LetorLines) -> ParsedBlock:
    """Parse a block of about ``capacity`` rows, again with more rows or columns if it needs them.

    Features are taken to be numbered from ``first``. Where that is not settled and a feature 0 occurs, it is 0.
    """
    if lines.unordered:
        block, lines = _ordered(block), lines._replace(unordered=False)
        return parse_block(block, capacity, stride, first, lines)
    buf, end = block.data, block.end
    text = memoryview(buf.data)
    state = np.zeros(k.N_STATE, np.int64)
    labels, row_end = np.empty(capacity), np.empty(capacity, np.int64)
    runs, ids = np.empty((capacity, 3), np.int64), np.empty(end + capacity, np.uint8)
    hard = np.empty((end // 20 + 1, 2), np.int64)
    columns = np.empty(0 if stride else end // 4 + 1, np.int32)
    values = np.zeros(capacity * stride, lines.dtype) if stride else np.empty(end // 4 + 1, lines.dtype)
    # an index above n_features is told from one that is too large
    largest = max_features() if lines.limit is None else k.LARGEST_INDEX
    status = k.parse_lines(
        buf, end, stride, first, lines.has_qid, largest, values, columns, row_end, labels, runs, ids, hard, state
    )
    if status == k.ZERO_INDEX and lines.first is None:
        return parse_block(block, capacity, stride, 0, lines._replace(first=0))
    if status == k.NEEDS_COLUMNS and lines.limit is None:
        wider = max(int(state[k.INDEX]) + 1 - first, stride + stride // 4)
        # a block that would be mostly zeros is handed on as it stands in the file
        return parse_block(block, capacity, wider if capacity * wider < 4 * end else 0, first, lines)
    if status == k.NEEDS_ROWS:
        return parse_block(block, k.count_lines(buf, end), stride, first, lines)
    if status == k.OK and lines.limit is not None and state[k.WIDTH] > lines.limit:
        return parse_block(block, capacity, lines.limit, first, lines)
    if status != k.OK:
        raise _line_error(status, text, state, lines)
    return _parsed(block, stride, first, values, columns, row_end, labels, runs, ids, hard, state)


def _parsed(
    block: Block, stride: int, first: int, values: np.ndarray, columns: np.ndarray, row_end: np.ndarray,
    labels: np.ndarray, runs: np.ndarray, ids: np.ndarray, hard: np.ndarray, state: np.ndarray,
) -> ParsedBlock:  # fmt: skip
    """What the kernel left, with long numbers converted and ids decoded."""
    buf, rows = block.data, int(state[k.ROWS])
    text = memoryview(buf.data)
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
        first,
        int(state[k.MISSING]),
    )


def _ordered(block: Block) -> Block:
    """The same lines with the cells of each in the order of their indices."""
    data = np.zeros(block.end + PADDING, np.uint8)
    return Block(data, k.order_cells(block.data, block.end, data), block.raw_position)


def _decode(piece: Any, buf: np.ndarray, at: int) -> str:
    try:
        return bytes(piece).decode("utf-8")
    except UnicodeDecodeError:
        line = int(np.count_nonzero(buf[:at] == 10)) + 1
        if at == 0:  # document ids of the whole block: find the line
            line += next(
                i for i, raw in enumerate(bytes(piece).split(b"\n")) if raw.decode("utf-8", "ignore").encode() != raw
            )
        raise LetorLineError(line, "an id is not valid UTF-8") from None


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
        raise LetorLineError(int(np.count_nonzero(buf[:at] == 10)) + 1, f"{shorten(token)} does not fit {target.dtype}")


def _line_error(status: int, text: memoryview, state: np.ndarray, lines: LetorLines) -> LetorLineError:
    token = _token(text, int(state[k.POSITION]))
    if status in (k.BAD_VALUE, k.VALUE_NOT_FINITE, k.VALUE_OVERFLOW):
        token = token.partition(":")[2]
    form = _MESSAGES[status]
    if status == k.NO_COLON and token.startswith("qid:"):
        form = "{token}, but the first line has no query id"
    if status == k.BAD_ORDER and state[k.INDEX] == state[k.LAST]:
        form = "feature index {index} occurs twice"
    if status == k.BAD_LABEL and (plain_name(token) in GUESSES["label"] or set(token) & set(",;|")):
        form += "; is it CSV (load_csv, --delimiter)?"
    message = form.format(
        token=shorten(token) if token else "the end of the line",
        index=int(state[k.INDEX]),
        last=int(state[k.LAST]),
        dtype=lines.dtype,
        limit=lines.limit,
        largest=max_features() if lines.limit is None else k.LARGEST_INDEX,
        setting=FEATURES,
    )
    return LetorLineError(int(state[k.LINES]), message)
