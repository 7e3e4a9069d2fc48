"""Ctrl-C and SIGTERM: the first is acknowledged at once and stops the work, the second ends the process at once.

Python calls a handler of signals between two steps of Python in the main thread: not while a kernel or a library runs.
So a thread waits for signals too (the operating system's handler writes their numbers into a pipe). It prints the
acknowledgement, and it ends the process at the second signal, or when SIGTERM has not stopped the work after
``PATIENCE`` seconds. The main thread gets a KeyboardInterrupt as soon as it is back in Python; one that was lost,
because it was raised where Python ignores exceptions, is raised again.
"""

from __future__ import annotations

import multiprocessing
import os
import select
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from .temporary import remove_all

PATIENCE = 5.0  # seconds
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_LOST, _END = 254, 255  # written into the pipe besides numbers of signals

_DEFAULT = "what is written, whole"
_kept = _DEFAULT  # what stays of the work if it is stopped now
_whole = False  # whether a solver that is stopped has no result
_watcher: _Watcher | None = None


def keeping(text: str) -> None:
    """State what stays of the work if it is stopped from now on; it is printed then."""
    global _kept
    _kept = text


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


def partial_result() -> None:
    """Called where KeyboardInterrupt was caught and a result is at hand; raises it again if only whole ones count."""
    if _whole:
        raise KeyboardInterrupt
    if _watcher is not None:
        _watcher.counted = True


class _Watcher:
    """The thread that waits for signals, and what it has seen."""

    def __init__(self) -> None:
        self.number = 0  # of the first signal
        self.acknowledged = False
        self.ignoring = False  # Python is ignoring an exception
        self.counted = False  # somebody has caught its KeyboardInterrupt and goes on to the end
        self.main = threading.get_ident()
        self.read, self.write = os.pipe()
        os.set_blocking(self.write, False)
        self.before: dict[int, Any] = {}
        self.thread = threading.Thread(target=self._wait, daemon=True, name="rankine-signals")

    def begin(self) -> None:
        self.fd_before = signal.set_wakeup_fd(self.write, warn_on_full_buffer=False)
        self.hook_before, sys.unraisablehook = sys.unraisablehook, self._ignored
        for number in SIGNALS:
            if signal.getsignal(number) != signal.SIG_IGN:  # as of a job in the background, or of nohup
                self.before[number] = signal.signal(number, self._raise)
        self.thread.start()

    def end(self) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self.fd_before)
        sys.unraisablehook = self.hook_before
        os.write(self.write, bytes([_END]))
        self.thread.join()
        os.close(self.read)
        os.close(self.write)

    def _raise(self, number: int, frame: Any) -> None:
        """The handler in the main thread."""
        self.number = self.number or number
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
        """The thread: acknowledge the first signal, end the process at the second or when SIGTERM takes too long."""
        patience: float | None = None
        own = 0  # signals that this thread has sent and that have not arrived yet
        while True:
            if not select.select([self.read], [], [], patience)[0]:
                self._end_process()
            for number in os.read(self.read, 64):
                if number == _END:
                    return
                if number == _LOST:
                    own += 1
                    signal.pthread_kill(self.main, self.number)
                elif number in self.before and own:
                    own -= 1
                elif number in self.before and self.acknowledged:
                    self._end_process()
                elif number in self.before:
                    self.number = self.number or number
                    self.acknowledged = True
                    self._acknowledge()
                    patience = None if number == signal.SIGINT else PATIENCE

    def _acknowledge(self) -> None:
        again = " (Ctrl-C again: at once)" if self.number == signal.SIGINT else ""
        _tell(f"rankine: stopping{again}; kept: {_kept}\n")

    def _end_process(self) -> None:
        """End the process at once, with its own temporary files and the processes that it started."""
        with suppress(Exception):
            for process in multiprocessing.active_children():
                process.kill()
            remove_all()
        _tell("rankine: ended\n")
        os._exit(128 + self.number)


def _tell(text: str) -> None:
    """Write to standard error past Python's own stream, which another thread may hold."""
    clear = "\r\x1b[K\x1b[?25h" if os.isatty(2) else ""  # a bar, which hides the cursor
    with suppress(OSError):
        os.write(2, (clear + text).encode("utf-8", "replace"))


@contextmanager
def watched() -> Iterator[None]:
    """Within it signals are treated as this module says; a function for the main thread of a command line.

    It ends with SystemExit, the code 130 for Ctrl-C and 143 for SIGTERM, if a signal came.
    """
    global _watcher
    keeping(_DEFAULT)
    watcher = _watcher = _Watcher()
    watcher.begin()
    try:
        with results_are_whole():
            yield
    except (KeyboardInterrupt, SystemExit):
        if not watcher.number:
            raise
    finally:
        _watcher = None
        watcher.end()
        remove_all()
    if watcher.number:
        _tell(f"rankine: stopped; kept: {_kept}\n")
        raise SystemExit(128 + watcher.number)
