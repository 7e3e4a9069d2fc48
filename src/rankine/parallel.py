"""Threads: how many, and an ordered map over them. Kernels release the GIL, so threads suffice."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache
from typing import TypeVar

import numpy as np

T = TypeVar("T")
R = TypeVar("R")


def thread_count(threads: int | None = None) -> int:
    """How many threads to use: the argument, else ``RANKINE_THREADS``, else every core this process may use.

    >>> thread_count(3)
    3
    """
    if threads is None:
        given = os.environ.get("RANKINE_THREADS")
        if given is None:
            return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        if not given.isdigit():
            raise ValueError(f"RANKINE_THREADS must be a positive whole number, got {given!r}")
        threads = int(given)
    if threads < 1:
        raise ValueError(f"threads must be at least 1, got {threads}")
    return threads


def ordered_map(function: Callable[[T], R], items: Iterable[T], threads: int, ahead: int = 1) -> Iterator[R]:
    """``map`` over a pool of threads, results in order, at most ``threads + ahead`` items in flight.

    >>> list(ordered_map(lambda x: x * x, range(4), threads=2))
    [0, 1, 4, 9]
    """
    if threads == 1:
        yield from map(function, items)
        return
    pool = _pool(threads, os.getpid())
    waiting: deque = deque()
    try:
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) >= threads + ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        wait([future for future in waiting if not future.cancel()])


def shared_map(function: Callable[[T], R], items: Sequence[T], threads: int) -> list[R]:
    """``map`` over a list, the calling thread working along: for short tasks, where waking a thread costs.

    >>> shared_map(lambda x: x * x, range(4), threads=2)
    [0, 1, 4, 9]
    """
    results: list = [None] * len(items)
    numbers = iter(range(len(items)))  # next() on it is atomic under the GIL

    def work() -> None:
        for i in numbers:
            results[i] = function(items[i])

    helpers = min(threads, len(items)) - 1
    running = [_pool(threads, os.getpid()).submit(work) for _ in range(helpers)]
    try:
        work()
    finally:
        for helper in running:
            helper.result()
    return results


def query_ranges(ptr: np.ndarray, rows: int) -> list[tuple[int, int]]:
    """Ranges of queries with about ``rows`` rows each.

    >>> query_ranges(np.array([0, 4, 6, 9, 10]), 5)
    [(0, 2), (2, 4)]
    """
    edges = np.searchsorted(ptr, np.arange(rows, ptr[-1], rows))
    edges = np.unique(np.concatenate([[0], edges, [len(ptr) - 1]]))
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))


@lru_cache(maxsize=4)
def _pool(threads: int, process: int) -> ThreadPoolExecutor:
    """A pool is kept for the next call; a forked process gets its own."""
    return ThreadPoolExecutor(threads, thread_name_prefix="rankine")
