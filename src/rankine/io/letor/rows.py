"""Blocks of parsed LETOR text, appended in order to arrays that grow in place."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import per_row
from ...data.ranking_data import Numbering, RankingData, group_rows
from ...system.limits import check_dense
from . import kernels as k

SPARSE_BELOW = 0.1


class ParsedBlock(NamedTuple):
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
    first: int  # the number of the first feature
    missing: int  # how many values stand for none


class _Growing:
    """A flat array that grows in place (``realloc`` moves pages, not bytes) and is cut to size at the end."""

    def __init__(self, dtype: Any) -> None:
        self.array = np.empty(0, dtype)
        self.used = 0

    def append(self, values: np.ndarray, share: float | None) -> None:
        """Append ``values``; ``share`` is how much of the input has been read, if known: it tells what may follow."""
        self.reserve(self.used + len(values), share)
        self.array[self.used : self.used + len(values)] = values
        self.used += len(values)

    def reserve(self, need: int, share: float | None) -> None:
        if need <= len(self.array):
            return
        capacity = int(need * (1.25 if share is None else min(1.02 / share, 1e4))) + 1024
        if len(self.array) == 0:
            self.array = np.empty(capacity, self.array.dtype)
        else:
            self.array.resize(max(capacity, need + need // 5), refcheck=False)

    def finish(self) -> np.ndarray:
        self.array.resize(self.used, refcheck=False)
        return self.array


def _nonzeros(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What CSR stores of a dense matrix (−0 included): values, columns, ends of rows."""
    stored = (X != 0) | np.signbit(X)
    columns = np.nonzero(stored)[1].astype(np.int32)
    return X[stored], columns, np.cumsum(stored.sum(axis=1))


def _as_sparse(block: ParsedBlock) -> ParsedBlock:
    values, columns, ends = _nonzeros(block.values[: block.rows * block.stride].reshape(block.rows, block.stride))
    return block._replace(values=values, columns=columns, row_end=ends, entries=len(values), stride=0)


def _as_dense(block: ParsedBlock, stride: int) -> ParsedBlock:
    X = np.zeros((block.rows, stride), block.values.dtype)
    rows = np.repeat(np.arange(block.rows), np.diff(block.row_end, prepend=0))
    X[rows, block.columns[: block.entries]] = block.values[: block.entries]
    return block._replace(values=X.ravel(), stride=stride)


def _numbered_from_zero(block: ParsedBlock) -> ParsedBlock:
    """A block that was read as numbered from 1, with one more column before all others."""
    block = block._replace(width=block.width + 1, first=0)
    if not block.stride:
        return block._replace(columns=block.columns + 1)
    X = block.values[: block.rows * block.stride].reshape(block.rows, block.stride)
    return block._replace(values=np.pad(X, ((0, 0), (1, 0))).ravel(), stride=block.stride + 1)


def check_size(rows: int, columns: int, itemsize: int) -> None:
    """Refuse a dense matrix that no memory of this machine can hold."""
    check_dense(rows, columns, itemsize, ": use sparse=True")


class LetorRows:
    """Collects parsed blocks in order. ``stride`` is the dense row width so far, 0 for CSR.

    Features are numbered from ``first``, which becomes 0 when a block has a feature 0.
    """

    def __init__(self, dtype: np.dtype, stride: int, size: int | None, may_turn_sparse: bool, first: int) -> None:
        self.stride, self.size, self.may_turn_sparse, self.first = stride, size, may_turn_sparse, first
        self.rows = self.entries = self.width = self.missing = 0
        self.values, self.columns = _Growing(dtype), _Growing(np.int32)
        self.row_end, self.labels = _Growing(np.int64), _Growing(np.float64)
        self.run_rows: list[np.ndarray] = []
        self.run_ids: list[str] = []
        self.doc_ids: list[str] = []
        self.has_ids = False

    def append(self, block: ParsedBlock) -> None:
        """Append the rows of a block, in the layout of the rows so far."""
        if block.first < self.first:
            self._number_from_zero()
        elif block.first > self.first:
            block = _numbered_from_zero(block)
        share = min(block.raw_position / self.size, 1.0) if self.size and block.raw_position else None
        width, rows = max(self.width, block.width), self.rows + block.rows
        if self.stride and self.may_turn_sparse and self.entries + block.entries < SPARSE_BELOW * rows * width:
            self._turn_sparse()
        if self.stride:
            check_size(rows, max(self.stride, block.width), block.values.itemsize)
            self._append_dense(_as_dense(block, max(self.stride, block.width)) if block.stride == 0 else block, share)
        else:
            block = _as_sparse(block) if block.stride else block
            self.values.append(block.values[: block.entries], share)
            self.columns.append(block.columns[: block.entries], share)
            self.row_end.append(block.row_end + self.entries, share)
        self.labels.append(block.labels, share)
        self.run_rows.append(block.run_rows + self.rows)
        self.run_ids += block.run_ids
        self.has_ids = self.has_ids or block.doc_ids is not None
        self.doc_ids += block.doc_ids if block.doc_ids is not None else [""] * block.rows
        self.rows += block.rows
        self.entries += block.entries
        self.width = max(self.width, block.width)
        self.missing += block.missing

    def append_groups(self, sizes: np.ndarray) -> None:
        """Say of which query the last rows are, by the sizes of the queries; these are numbered from 1."""
        starts = self.rows - int(sizes.sum()) + np.cumsum(sizes) - sizes
        before = len(self.run_ids)
        self.run_rows.append(starts)
        self.run_ids += [str(before + i + 1) for i in range(len(sizes))]

    def _number_from_zero(self) -> None:
        """Go on with one more column before all others: a feature 0 has occurred."""
        self.first = 0
        if not self.rows:
            return
        self.width += 1
        if not self.stride:
            self.columns.array[: self.columns.used] += 1
            return
        X = self.values.array[: self.values.used].reshape(self.rows, self.stride)
        self.stride += 1
        check_size(self.rows, self.stride, X.itemsize)
        flat = np.zeros(self.rows * self.stride, X.dtype)
        flat.reshape(self.rows, self.stride)[:, 1:] = X
        self.values.array, self.values.used = flat, len(flat)

    def _turn_sparse(self) -> None:
        """Go on as CSR: a later block of the file has shown that most values are zero."""
        so_far = self.values.array[: self.rows * self.stride].reshape(self.rows, self.stride)
        values, columns, ends = _nonzeros(so_far)
        for growing, content in ((self.values, values), (self.columns, columns), (self.row_end, ends)):
            growing.array, growing.used = content, len(content)
        self.entries, self.stride = len(values), 0

    def _append_dense(self, block: ParsedBlock, share: float | None) -> None:
        """Append dense rows; where the block came out wider (or narrower) both sides are brought to one width."""
        if block.stride > self.stride:
            self.values.reserve(self.rows * block.stride, share)
            k.widen(self.values.array, self.rows, self.stride, block.stride)
            self.values.used = self.rows * block.stride
            self.stride = block.stride
        values = block.values[: block.rows * block.stride]
        if block.stride < self.stride:
            wide = np.zeros((block.rows, self.stride), values.dtype)
            wide[:, : block.stride] = values.reshape(block.rows, block.stride)
            values = wide.ravel()
        self.values.append(values, share)

    def finish(self, n_features: int | None, sparse: bool | None, assumed: bool) -> RankingData:
        """The data set of all rows, grouped by query; the arrays are cut to size, not copied.

        ``assumed``: nobody said how features are numbered.
        """
        width = n_features or max(self.width, 1)
        qid = self._query_ids()
        order = group_rows(qid).order
        labels = self.labels.finish()
        doc_ids = np.array(self.doc_ids, object) if self.has_ids else None
        if self.stride:
            check_size(self.rows, width, self.values.array.itemsize)
        X = self._dense(width, order) if self.stride else self._csr(width, order)
        if order is not None:
            labels, qid = labels[order], qid[order]
            doc_ids = None if doc_ids is None else doc_ids[order]
        if sparse is None and bool(self.stride) == (self.entries < SPARSE_BELOW * self.rows * width):
            import scipy.sparse as sp

            X = sp.csr_array(X) if self.stride else X.toarray()
        data = RankingData.from_valid(X, labels, qid, doc_ids, order=order)
        data.numbering = Numbering(self.first, assumed and self.first == 1)
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
        ptr = np.append(starts, self.rows)
        try:
            numbers = np.array([int(i) for i in self.run_ids], np.int64)
            if [str(i) for i in numbers.tolist()] == self.run_ids:
                return per_row(numbers, ptr)
        except (ValueError, OverflowError):
            pass
        return per_row(np.array(self.run_ids, object), ptr)
