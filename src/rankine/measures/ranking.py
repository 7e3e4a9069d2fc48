"""From scores to ranked lists: sort each query, find its ties, lay the grades out in rank order.

A query is sorted by one packed key per document, the score's bits in descending order with the document's number
in the lowest bits, so that a plain vectorised sort of integers replaces an argsort. Where the number displaced
significant bits of the score, neighbours may come out exchanged: an insertion pass over the true scores mends it, and
leaves equal scores in input order. Queries of similar length are sorted as rows of one matrix.
"""

from collections.abc import Iterator

import numpy as np

from ..arrays import per_row
from ..errors import InputError
from .kernels import Lists, count_grades, find_ties, group_starts, pack, unpack

TIES = ("expected", "trec", "stable")
_PACKED_UP_TO = 4096
_NONE_SAMPLED = np.zeros(0, np.bool_)


class Scratch:
    """Arrays that are used again: fresh memory costs more to map than these kernels take to fill it."""

    def __init__(self) -> None:
        self._arrays: dict[str, np.ndarray] = {}

    def get(self, name: str, n: int, dtype: type) -> np.ndarray:
        """An array of ``n`` entries with any content, valid until the next call with this name."""
        if name not in self._arrays or len(self._arrays[name]) < n:
            self._arrays[name] = np.empty(n, dtype)
        return self._arrays[name][:n]


def check_ties(ties: str, doc_ids: np.ndarray | None) -> None:
    """Raise unless ``ties`` is a known rule that can be applied."""
    if ties not in TIES:
        raise InputError(f"ties must be one of {', '.join(TIES)}; got {ties!r}")
    if ties == "trec" and doc_ids is None:
        raise InputError("ties='trec' breaks ties by document id: pass doc_ids, or use 'expected' or 'stable'")


def ranked_lists(
    scores: np.ndarray,
    grades: np.ndarray,
    ptr: np.ndarray,
    ties: str,
    doc_ids: np.ndarray | None,
    pool: tuple[np.ndarray, np.ndarray] | None,
    scratch: Scratch,
    sampled: np.ndarray | None = None,
) -> Lists:
    """The lists of several queries, in ``scratch``; without a ``pool`` the documents are their own."""
    order, tie_end, tied = rank_rows(scores, ptr, ties, doc_ids, scratch)
    if pool is None:
        pool = _sorted_grades(grades, ptr, scratch), ptr
    ranked = np.take(grades, order, out=scratch.get("grades", len(grades), np.float64), mode="clip")
    return Lists(ranked, ptr, tie_end, tied, *pool, _NONE_SAMPLED if sampled is None else sampled[order])


def rank_rows(
    scores: np.ndarray, ptr: np.ndarray, ties: str, doc_ids: np.ndarray | None, scratch: Scratch
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row numbers in rank order, ends of tie groups, and which queries have ties that are left to average over."""
    if ties == "trec":
        with np.errstate(over="ignore"):
            scores = scores.astype(np.float32).astype(np.float64)
    order, tie_end = (scratch.get(name, len(scores), np.int64) for name in ("order", "tie_end"))
    tied = np.zeros(len(ptr) - 1, np.bool_)
    for queries, width in _buckets(ptr):
        if width <= _PACKED_UP_TO:
            bits = max(int(width - 1).bit_length(), 1)
            keys = scratch.get("keys", len(queries) * width, np.int64).reshape(len(queries), width)
            pack(scores, ptr, queries, bits, keys)
            keys.sort(axis=1)
            unpack(scores, ptr, queries, bits, keys, order, tied)
        else:
            for q in queries.tolist():
                lo, hi = ptr[q], ptr[q + 1]
                order[lo:hi] = lo + np.argsort(-scores[lo:hi], kind="stable")
                tied[q] = True  # perhaps; its groups are looked for below
    find_ties(scores, ptr, order, tie_end, tied)
    if ties != "expected":
        if ties == "trec" and tied.any():
            assert doc_ids is not None
            _break_by_id(order, tie_end, tied, ptr, doc_ids)
        tied[:] = False
    return order, tie_end, tied


def _buckets(ptr: np.ndarray) -> Iterator[tuple[np.ndarray, int]]:
    """Queries grouped by length, rounded up by at most an eighth, with the common width."""
    lengths = np.diff(ptr)
    if len(lengths) == 0:
        return
    if (lengths == lengths[0]).all():
        if lengths[0]:
            yield np.arange(len(lengths)), int(lengths[0])
        return
    step = 2 ** np.maximum(np.log2(np.maximum(lengths, 1)).astype(np.int64) - 3, 2)
    widths = -(-lengths // step) * step
    order = np.argsort(widths, kind="stable")
    values, starts = np.unique(widths[order], return_index=True)
    for width, bucket in zip(values.tolist(), np.split(order, starts[1:]), strict=True):
        if width:
            yield bucket, width


def _break_by_id(
    order: np.ndarray, tie_end: np.ndarray, tied: np.ndarray, ptr: np.ndarray, doc_ids: np.ndarray
) -> None:
    """Within each tie group, document id descending."""
    group = group_starts(ptr, tie_end, tied)
    places = np.flatnonzero(group >= 0)
    rows = order[places]
    ids = doc_ids[rows]
    rank = np.unique(ids.astype(str) if ids.dtype.kind in "iu" else ids, return_inverse=True)[1]  # as strings, always
    order[places] = rows[np.lexsort((-rank, group[places]))]


def _sorted_grades(grades: np.ndarray, ptr: np.ndarray, scratch: Scratch) -> np.ndarray:
    """Each query's grades, best first: counted where they are small whole numbers, sorted otherwise."""
    out = scratch.get("pool", len(grades), np.float64)
    if not count_grades(grades, ptr, out):
        query = per_row(np.arange(len(ptr) - 1), ptr)
        out = grades[np.lexsort((-grades, query))]
    return out
