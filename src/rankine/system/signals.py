"""Ctrl-C and SIGTERM: the first is acknowledged at once and stops the work, the second ends the process at once.

Python calls a handler of signals between two steps of Python in the main thread: not while a kernel or a library runs.
So two others learn of signals too, whose numbers the operating system's handler writes into a pipe:

- a small process beside this one reads the pipe. It prints the acknowledgement, and passes the number on;
- a thread waits for that. It ends the process at the second signal, or when SIGTERM has not stopped the work after
  ``PATIENCE`` seconds. A library that does not let other threads run can hold it up: then the small process does it.

The main thread gets a KeyboardInterrupt as soon as it is back in Python; one that was lost, because it was raised where
Python ignores exceptions, is raised again.
"""

from __future__ import annotations

import mmap
import os
import select
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from ..errors import shown
from .temporary import remove_all

PATIENCE = 5.0  # seconds
_MORE_PATIENCE = 0.45  # seconds, of the small process with the thread
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_LOST, _END = 254, 255  # written into the pipe besides numbers of signals
_DEFAULT = "what is written, whole"
_whole = False  # whether a solver that is stopped has no result
_watcher: _Watcher | None = None


def keeping(text: str) -> None:
    """State what stays of the work if it is stopped from now on; it is printed then."""
    if _watcher is not None:
        _watcher.kept.write(text)


def check() -> None:
    """Raise KeyboardInterrupt if a signal came whose own was lost."""
    if _watcher is not None and _watcher.number and not _watcher.counted:
        raise KeyboardInterrupt


@contextmanager
def results_are_whole(whole: bool = True) -> Iterator[None]:
    """Within it a solver that is stopped passes KeyboardInterrupt on, and does not return the best point so far."""
    global _whole
    before, _whole = _whole, whole
    try:
        yield
    finally:
        _whole = before


def partial_result(success: bool = False) -> None:
    """Called where KeyboardInterrupt was caught and a result is at hand; raises it again if only whole ones count.

    With ``success`` the program ends with exit code 0 if it comes to its end.
    """
    if _whole:
        raise KeyboardInterrupt
    if _watcher is not None:
        _watcher.counted, _watcher.success = True, success


@contextmanager
def watched() -> Iterator[None]:
    """Within it signals are treated as this module says; a function for the main thread of a command line.

    If a signal came the process ends with the block; its exit code is 130 for Ctrl-C and 143 for SIGTERM.
    """
    global _watcher
    watcher = _watcher = _Watcher()
    watcher.begin()
    complete = False
    try:
        with results_are_whole():
            yield
        complete = True
    except (KeyboardInterrupt, SystemExit) as end:
        if not watcher.number:
            raise
        complete = isinstance(end, SystemExit) and not end.code
    finally:
        watcher.over = True
        _watcher = None
        if not watcher.number:
            watcher.end()
        remove_all()
    if watcher.number:
        watcher.acknowledged.wait(1.0)
        _tell(f"rankine: stopped; kept: {watcher.kept.read()}\n")
        with suppress(OSError, ValueError):
            sys.stdout.flush()
        code = 0 if complete and watcher.success else 128 + watcher.number
        os._exit(code)  # at once, for a second signal would find Python's own handlers


class _Text:
    """A text in memory that processes share."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 4096)
        self.write(_DEFAULT)

    def write(self, text: str) -> None:
        data = shown(text).encode("utf-8", "replace")[:4000]
        self._memory[: len(data) + 1] = data + b"\0"

    @property
    def ending(self) -> bool:
        """Whether the thread is ending the process."""
        return self._memory[-1] != 0

    @ending.setter
    def ending(self, value: bool) -> None:
        self._memory[-1] = value

    def read(self) -> str:
        return self._memory[:].partition(b"\0")[0].decode("utf-8", "replace")


class _Count:
    """Which of the numbers in the pipe is the first signal, which the second; own ones do not count."""

    def __init__(self) -> None:
        self.first, self.own = 0, 0

    def is_second(self, number: int) -> bool:
        if number == _LOST:
            self.own += 1  # the thread sends the signal once more
        elif number in SIGNALS and self.own:
            self.own -= 1
        elif number in SIGNALS and self.first:
            return True
        elif number in SIGNALS:
            self.first = number
        return False


class _Watcher:
    """The pipe, the small process, the thread, and what they have seen."""

    def __init__(self) -> None:
        self.number = 0  # of the first signal
        self.raised = False
        self.again = False  # the thread sends a signal that was lost once more
        self.success = False  # whoever has caught it counts its work as done
        self.counted = False  # somebody has caught its KeyboardInterrupt and goes on to the end
        self.ignoring = False  # Python is ignoring an exception
        self.over = False
        self.acknowledged = threading.Event()
        self.kept = _Text()
        self.main = threading.get_ident()
        self.helper = 0
        self.before: dict[int, Any] = {}

    def begin(self) -> None:
        self.read, self.write = os.pipe()
        if hasattr(os, "fork"):
            self._start_helper()
        os.set_blocking(self.write, False)
        self.thread = threading.Thread(target=self._wait, daemon=True, name="rankine-signals")
        self.thread.start()
        self.fd_before = signal.set_wakeup_fd(self.write, warn_on_full_buffer=False)
        self.hook_before, sys.unraisablehook = sys.unraisablehook, self._ignored
        for number in SIGNALS:
            if signal.getsignal(number) != signal.SIG_IGN:  # as of a job in the background, or of nohup
                self.before[number] = signal.signal(number, self._raise)

    def _start_helper(self) -> None:
        """Fork the small process between the pipe and another, which the thread reads."""
        last, forward = os.pipe()
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # it keeps that: signals are not for it
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # it calls nothing that another thread may hold
            self.helper = os.fork()
        if not self.helper:
            _help(self.read, self.write, forward, self.kept)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.close(self.read)
        os.close(forward)
        self.read = last

    def end(self) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self.fd_before)
        sys.unraisablehook = self.hook_before
        os.write(self.write, bytes([_END]))
        self.thread.join()
        os.close(self.write)
        os.close(self.read)
        if self.helper:
            with suppress(ChildProcessError):
                os.waitpid(self.helper, 0)

    def _raise(self, number: int, frame: Any) -> None:
        """The handler in the main thread."""
        if self.over or (self.raised and not self.again):
            return  # the thread ends the process
        self.number, self.raised, self.again = self.number or number, True, False
        if self.ignoring:  # it would be lost once more
            os.write(self.write, bytes([_LOST]))
        else:
            raise KeyboardInterrupt

    def _ignored(self, what: Any) -> None:
        """Python ignores an exception, for instance one of a destructor; KeyboardInterrupt must not be lost."""
        self.ignoring = True
        if self.number and what.exc_type is not None and issubclass(what.exc_type, KeyboardInterrupt):
            os.write(self.write, bytes([_LOST]))
        else:
            self.hook_before(what)
        self.ignoring = False

    def _wait(self) -> None:
        """The thread: end the process at the second signal, or when SIGTERM takes too long."""
        patience: float | None = None
        count = _Count()
        while True:
            if not select.select([self.read], [], [], patience)[0]:
                self._end_process()
            for number in os.read(self.read, 64):
                if number == _END:
                    return
                before = count.first
                if count.is_second(number):
                    self._end_process()
                if number == _LOST:
                    self.again = True
                    signal.pthread_kill(self.main, self.number)
                elif count.first != before:
                    self.number = self.number or number
                    if not self.helper:
                        _acknowledge(number, self.kept)
                    self.acknowledged.set()
                    patience = None if number == signal.SIGINT else PATIENCE

    def _end_process(self) -> NoReturn:
        """End the process at once, with its own temporary files and the processes that it started."""
        self.kept.ending = True
        with suppress(Exception):
            workers = sys.modules.get("multiprocessing")  # not loaded: there are none
            for process in workers.active_children() if workers else []:
                process.kill()
            remove_all()
        _tell("rankine: ended\n")
        os._exit(128 + (self.number or signal.SIGINT))


def _help(read: int, write: int, forward: int, kept: _Text) -> NoReturn:
    """The small process: acknowledge the first signal; kill the other process if its thread cannot end it."""
    try:
        parent, count, patience = os.getppid(), _Count(), None
        for file in (0, 1, write):
            with suppress(OSError):
                os.close(file)
        while True:
            if not select.select([read], [], [], patience)[0]:
                if os.getppid() == parent and (not kept.ending or patience == PATIENCE):
                    os.kill(parent, signal.SIGKILL)
                    break
                patience = PATIENCE
                continue
            data = os.read(read, 64)
            if not data:  # the other process has ended
                break
            for number in data:
                before = count.first
                if count.is_second(number):
                    patience = _MORE_PATIENCE
                elif count.first != before:
                    _acknowledge(number, kept)
                    patience = None if number == signal.SIGINT else PATIENCE + _MORE_PATIENCE
            with suppress(OSError):
                os.write(forward, data)
    finally:
        os._exit(0)


def _acknowledge(number: int, kept: _Text) -> None:
    again = " (Ctrl-C again: at once)" if number == signal.SIGINT else ""
    _tell(f"rankine: stopping{again}; kept: {kept.read()}\n")


def _tell(text: str) -> None:
    """Write to standard error past Python's own stream, which another thread may hold."""
    clear = "\r\x1b[K\x1b[?25h" if os.isatty(2) else ""  # a bar, which hides the cursor
    with suppress(OSError):
        os.write(2, (clear + text).encode("utf-8", "replace"))
