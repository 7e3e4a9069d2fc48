"""Threads and processes: how many, and maps over them.

Kernels release the GIL, so threads suffice for them; what is mostly Python (parsing, writing) goes to processes.
"""

import multiprocessing
import multiprocessing.connection
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from typing import TypeVar

import numpy as np

from .errors import InputError

T = TypeVar("T")
R = TypeVar("R")


def thread_count(threads: int | None = None) -> int:
    """How many threads to use: the argument, else ``RANKINE_THREADS``, else every core this process may use.

    >>> thread_count(3)
    3
    """
    if threads is None:
        setting = os.environ.get("RANKINE_THREADS")
        if setting is None:
            return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        if not setting.isdigit():
            raise ValueError(f"RANKINE_THREADS must be a positive whole number, got {setting!r}")
        threads = int(setting)
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


def begin_worker() -> None:
    """Called once in a process of a pool: it uses one thread, and ends when the one that started it is gone."""
    os.environ["RANKINE_THREADS"] = "1"
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


@contextmanager
def _processes(workers: int, start: Callable[..., None] | None, arguments: tuple) -> Iterator[ProcessPoolExecutor]:
    """A pool of processes that ends with the block; a worker that dies is an InputError."""
    context = multiprocessing.get_context("spawn")  # threads and forked processes do not go together
    with ProcessPoolExecutor(workers, context, _begin, (start, arguments)) as pool:
        try:
            yield pool
        except BrokenProcessPool:
            raise InputError(
                "a worker process ended early, perhaps for want of memory: try workers=1. (A script that starts "
                "processes needs `if __name__ == '__main__':` around its work.)"
            ) from None
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _begin(start: Callable[..., None] | None, arguments: tuple) -> None:
    begin_worker()
    if start is not None:
        start(*arguments)


def process_map(
    function: Callable[[T], R], items: Iterable[T], workers: int, patience: float = 1.5, chunk: int = 4
) -> Iterator[R]:
    """``map`` over processes, results in order, few items in flight; ``function`` and results must be picklable.

    Starting processes takes a second: the first ``patience`` seconds' work is done in this one (below 0: none of it).

    >>> list(process_map(abs, [-1, 2, -3], workers=2))
    [1, 2, 3]
    """
    rest = iter(items)
    began = time.perf_counter()
    for item in rest if workers == 1 or patience >= 0 else ():
        yield function(item)
        if workers > 1 and time.perf_counter() - began > patience:
            break
    else:
        if workers == 1 or patience >= 0:
            return
    with _processes(workers, None, ()) as pool:
        waiting: deque = deque()
        while True:
            items_of_task = list(islice(rest, chunk))
            if items_of_task:
                waiting.append(pool.submit(_map_list, function, items_of_task))
            if not waiting:
                return
            if not items_of_task or len(waiting) > 2 * workers:
                yield from waiting.popleft().result()


def _map_list(function: Callable[[T], R], items: list[T]) -> list[R]:
    return [function(item) for item in items]


def paired_map(
    function: Callable[[T], R], items: Iterable[T], workers: int, patience: float = 1.5, chunk: int = 4
) -> Iterator[tuple[T, R]]:
    """Like :func:`process_map`, each result with its item, which does not travel back from the process.

    >>> list(paired_map(abs, [-1, 2], workers=1))
    [(-1, 1), (2, 2)]
    """
    sent: deque[T] = deque()

    def remembered() -> Iterator[T]:
        for item in items:
            sent.append(item)
            yield item

    for result in process_map(function, remembered(), workers, patience, chunk):
        yield sent.popleft(), result


def finished(
    function: Callable[[T], R],
    items: Sequence[T],
    workers: int,
    start: Callable[..., None] | None = None,
    arguments: tuple = (),
) -> Iterator[tuple[T, R]]:
    """Each item with its result, as soon as it is there; for long jobs of different length.

    With one worker the jobs are done in this process, in order. ``start`` is called once in each process, with
    ``arguments``.

    >>> sorted(finished(abs, [-1, 2, -3], workers=1))
    [(-3, 3), (-1, 1), (2, 2)]
    """
    if min(workers, len(items)) <= 1:
        if start is not None:
            start(*arguments)
        for item in items:
            yield item, function(item)
        return
    with _processes(min(workers, len(items)), start, arguments) as pool:
        futures = {pool.submit(function, item): number for number, item in enumerate(items)}
        for future in as_completed(futures):
            yield items[futures[future]], future.result()


@lru_cache(maxsize=4)
def _pool(threads: int, process: int) -> ThreadPoolExecutor:
    """A pool is kept for the next call; a forked process gets its own."""
    return ThreadPoolExecutor(threads, thread_name_prefix="rankine")
