"""Threads and processes: how many, and maps over them.

Kernels release the GIL, so threads suffice for them; what is mostly Python (parsing, writing) goes to processes.
"""

import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, as_completed, wait
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from itertools import islice
from multiprocessing import resource_tracker, spawn
from multiprocessing.reduction import ForkingPickler
from typing import Any, Protocol, TypeVar

import numpy as np

from ..errors import InputError, shorten
from .signals import check

R = TypeVar("R")
_GRACE = 5.0  # seconds for a process to end by itself


class LostTask(Exception):
    """The process of a task ended before its result was there; the text says how."""


def begin_worker() -> None:
    """Called once in a process of a pool: it uses one thread, and ends when the one that started it is gone.

    Ctrl-C, which a terminal sends to all processes, is left to the one that started it, which ends this one by SIGTERM.
    """
    os.environ["RANKINE_THREADS"] = "1"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # at the end of the running call: temporary files go too
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def _serve(pipe: Any, start: Callable[..., None] | None, arguments: tuple) -> None:
    """The work of a process: do the tasks that arrive, send their results or errors."""
    begin_worker()
    task: tuple[Callable[..., Any], tuple] = (start, arguments) if start is not None else (int, ())
    while True:
        try:
            message = ForkingPickler.dumps((True, task[0](*task[1])))
        except Exception as error:
            message = _dumped(error)
        pipe.send_bytes(message)
        try:
            task = pipe.recv()
        except EOFError:
            return


def _dumped(error: Exception) -> Any:
    """An error as bytes; one that cannot travel is described."""
    try:
        message = ForkingPickler.dumps((False, error))
        pickle.loads(message)
    except Exception:
        message = ForkingPickler.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))
    return message


class Processes:
    """Processes, each with a thread of this one that hands it tasks: with a process only its own task is lost."""

    def __init__(
        self, workers: int, start: Callable[..., None] | None, arguments: tuple, imports_main: bool = True
    ) -> None:  # fmt: skip
        self._imports_main = imports_main
        self._context = multiprocessing.get_context("spawn")  # threads and forked processes do not go together
        self._begin = (start, arguments)
        self._own = threading.local()
        self._all: list[Any] = []
        self._closed = False
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="rankine-processes")

    def submit(self, function: Callable[..., R], *arguments: Any) -> Future[R]:
        """The future result of a task, or its error, or LostTask."""
        return self._threads.submit(self._do, function, arguments)

    def _do(self, function: Callable[..., Any], arguments: tuple) -> Any:
        process, pipe = getattr(self._own, "worker", None) or self._start()
        try:
            pipe.send((function, arguments))
            done, result = pipe.recv()
        except (EOFError, OSError):
            self._own.worker = None
            process.join()
            raise LostTask(_how_it_ended(process.exitcode)) from None
        if not done:
            raise result
        return result

    def _start(self) -> tuple[Any, Any]:
        """A new process for this thread."""
        if self._closed:
            raise CancelledError
        pipe, its_end = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(its_end, *self._begin), daemon=True)
        resource_tracker.ensure_running()  # it would unblock Ctrl-C when it starts
        main = nullcontext() if self._imports_main else _main_left_out()
        # it inherits that Ctrl-C is blocked, and cannot be interrupted before it ignores Ctrl-C
        with _ctrl_c_blocked(), main, _one_thread_each():
            process.start()
        its_end.close()
        self._all.append(process)
        try:
            done, result = pipe.recv()
        except (EOFError, OSError):
            process.join()
            raise InputError(
                f"a worker process {_how_it_ended(process.exitcode)} before it began: try workers=1. (A script that "
                "starts processes needs `if __name__ == '__main__':` around its work.)"
            ) from None
        if not done:
            raise result
        self._own.worker = process, pipe
        return process, pipe

    def close(self) -> None:
        """End all processes, each at the end of its running call, or after a few seconds by force."""
        self._closed = True
        for process in self._all:
            process.terminate()
        deadline = time.monotonic() + _GRACE
        for process in self._all:
            process.join(max(0.0, deadline - time.monotonic()))
            process.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for process in self._all:  # one may have been starting
            process.kill()


_preparing = threading.Lock()


_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
_environment = threading.Lock()


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """A process that is started within the block does linear algebra in one thread, unless the user has set it."""
    with _environment:
        added = [name for name in _THREADS if name not in os.environ]
        os.environ.update(dict.fromkeys(added, "1"))
        try:
            yield
        finally:
            for name in added:
                del os.environ[name]


@contextmanager
def _main_left_out() -> Iterator[None]:
    """A process that is started within the block does not import the script that runs."""
    with _preparing:
        before = spawn.get_preparation_data

        def without_main(name: str) -> dict[str, Any]:
            return {k: v for k, v in before(name).items() if not k.startswith("init_main")}

        spawn.get_preparation_data = without_main
        try:
            yield
        finally:
            spawn.get_preparation_data = before


@contextmanager
def _ctrl_c_blocked() -> Iterator[None]:
    """SIGINT is not delivered to this thread within the block."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _how_it_ended(code: int | None) -> str:
    """The exit code of a process in words.

    >>> _how_it_ended(-9)
    'was killed (signal 9), perhaps for want of memory'
    """
    if code is not None and code < 0:
        return f"was killed (signal {-code})" + (", perhaps for want of memory" if code == -9 else "")
    return f"ended early (exit code {code})"


@contextmanager
def processes(
    workers: int, start: Callable[..., None] | None, arguments: tuple, imports_main: bool = True
) -> Iterator[Processes]:
    """Processes that end with the block."""
    pool = Processes(workers, start, arguments, imports_main)
    try:
        yield pool
    finally:
        pool.close()


# -- Threads and processes: how many, and maps over them


T = TypeVar("T")


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


def process_map(
    function: Callable[[T], R],
    items: Iterable[T],
    workers: int,
    patience: float = 1.5,
    chunk: int = 4,
    lost: Callable[[T, str], R] | None = None,
) -> Iterator[R]:
    """``map`` over processes, results in order, few items in flight; ``function`` and results must be picklable.

    Starting processes takes a second: the first ``patience`` seconds' work is done in this one (below 0: none of it).
    If a process dies at its item, the result is ``lost(item, why)``; without ``lost`` it is an InputError.

    >>> list(process_map(abs, [-1, 2, -3], workers=2))
    [1, 2, 3]
    """
    rest = iter(items)
    began = time.perf_counter()
    for item in rest if workers == 1 or patience >= 0 else ():
        yield function(item)
        check()
        if workers > 1 and time.perf_counter() - began > patience:
            break
    else:
        if workers == 1 or patience >= 0:
            return
    with processes(workers, None, ()) as pool:
        waiting: deque[tuple[list[T], Future[list[R]]]] = deque()
        while True:
            items_of_task = list(islice(rest, chunk))
            if items_of_task:
                waiting.append((items_of_task, pool.submit(_map_list, function, items_of_task)))
            if not waiting:
                return
            if not items_of_task or len(waiting) > 2 * workers:
                task, future = waiting.popleft()
                yield from _results(pool, function, task, future, lost)
                check()


def _map_list(function: Callable[[T], R], items: list[T]) -> list[R]:
    return [function(item) for item in items]


def _results(pool: Processes, function: Any, items: list[T], future: Future[list[R]], lost: Any) -> list[R]:
    """The results of a task. If its process died, its items are done again one by one, to learn at which."""
    try:
        return future.result()
    except LostTask as error:
        if len(items) == 1:
            return [_without_result(items[0], error, lost)]
        warnings.warn(f"a worker process {error}: its last {len(items)} tasks are done again", stacklevel=3)
    again = [([item], pool.submit(_map_list, function, [item])) for item in items]
    return [_results(pool, function, *task, lost)[0] for task in again]


def _without_result(item: T, error: LostTask, lost: Callable[[T, str], R] | None) -> R:
    if lost is not None:
        return lost(item, f"the worker process {error}")
    raise InputError(f"the worker process of {shorten(str(item), 80)} {error}: try workers=1") from None


def paired_map(function: Callable[[T], R], items: Iterable[T], workers: int, **options: Any) -> Iterator[tuple[T, R]]:
    """Like :func:`process_map`, each result with its item, which does not travel back from the process.

    >>> list(paired_map(abs, [-1, 2], workers=1))
    [(-1, 1), (2, 2)]
    """
    sent: deque[T] = deque()

    def remembered() -> Iterator[T]:
        for item in items:
            sent.append(item)
            yield item

    for result in process_map(function, remembered(), workers, **options):
        yield sent.popleft(), result


class Jobs(Protocol):
    """Does jobs: each item with its result as soon as it is there, until the deadline (of ``time.monotonic``)."""

    def __call__(
        self,
        function: Callable[[T], R],
        items: Sequence[T],
        lost: Callable[[T, str], R] | None = None,
        deadline: float = np.inf,
    ) -> Iterator[tuple[T, R]]:
        """For ``lost`` see :func:`process_map`."""  # fmt: skip


@contextmanager
def job_pool(
    workers: int, start: Callable[..., None] | None = None, arguments: tuple = (), imports_main: bool = True
) -> Iterator[Jobs]:
    """A function that does long jobs of different length, in processes that end with the block.

    With one worker the jobs are done in this process, in order. ``start`` is called once in each process, with
    ``arguments``. Without ``imports_main`` the processes do not import the script that runs: functions and items must
    come from modules then, and the script needs no ``if __name__ == "__main__":``.

    >>> with job_pool(workers=1) as jobs:
    ...     sorted(jobs(abs, [-1, 2, -3]))
    [(-3, 3), (-1, 1), (2, 2)]
    """
    if workers <= 1:
        if start is not None:
            start(*arguments)
        yield _here
        return
    with processes(workers, start, arguments, imports_main) as pool:

        def there(
            function: Callable[[T], R], items: Sequence[T], lost: Callable[[T, str], R] | None = None,
            deadline: float = np.inf,
        ) -> Iterator[tuple[T, R]]:  # fmt: skip
            futures = {pool.submit(function, item): item for item in items}
            left = None if deadline == np.inf else max(deadline - time.monotonic(), 0.0)
            try:
                for future in as_completed(futures, timeout=left):
                    item = futures[future]
                    try:
                        result = future.result()
                    except LostTask as error:
                        result = _without_result(item, error, lost)
                    yield item, result
                    check()
            except TimeoutError:
                return
            finally:
                for future in futures:
                    future.cancel()

        yield there


def finished(
    function: Callable[[T], R], items: Sequence[T], workers: int, start: Callable[..., None] | None = None,
    arguments: tuple = (), lost: Callable[[T, str], R] | None = None,
) -> Iterator[tuple[T, R]]:  # fmt: skip
    """The jobs of one list, as :func:`job_pool` does them.

    >>> sorted(finished(abs, [-1, 2, -3], workers=1))
    [(-3, 3), (-1, 1), (2, 2)]
    """
    with job_pool(min(workers, len(items)), start, arguments) as do:
        yield from do(function, items, lost)


def _here(
    function: Callable[[T], R], items: Sequence[T], lost: Callable[[T, str], R] | None = None, deadline: float = np.inf
) -> Iterator[tuple[T, R]]:
    """Jobs in this process."""
    for item in items:
        if time.monotonic() > deadline:
            return
        yield item, function(item)
        check()


@lru_cache(maxsize=4)
def _pool(threads: int, process: int) -> ThreadPoolExecutor:
    """A pool is kept for the next call; a forked process gets its own."""
    return ThreadPoolExecutor(threads, thread_name_prefix="rankine")
