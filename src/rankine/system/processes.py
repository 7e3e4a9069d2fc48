"""Processes that do tasks: how they start, what they send, how they end."""

import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from multiprocessing import resource_tracker, spawn
from multiprocessing.reduction import ForkingPickler
from typing import Any, TypeVar

from ..errors import InputError

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
