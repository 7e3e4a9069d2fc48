"""Progress on the terminal for anything that may take more than two seconds."""

import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .console import say, shown
from .interrupt import check

EVERY = 10.0  # seconds between lines, where no bar is drawn
_drawn = False  # rich can draw one at a time


@contextmanager
def bar(
    label: str, total: int | None, show: bool = True, unit: str = "", lines: bool = False
) -> Iterator[Callable[..., None]]:
    """A bar on standard error; yields the function that is told how much is done so far, and of how much if it changes.

    Nothing is drawn where ``show`` is false, standard error is not a terminal, this is a process of a pool, or a bar is
    drawn already. With ``lines``, there is a line of text every ten seconds where standard error is not a terminal.
    ``unit="bytes"`` adds sizes and speed, ``unit="seconds"`` (of audio) how many times faster than real time it goes.

    >>> with bar("reading", total=100, show=False) as update:
    ...     update(50)
    """
    global _drawn
    here = show and not _drawn and multiprocessing.parent_process() is None
    if not here or not sys.stderr.isatty():
        yield _lines(label, unit) if here and lines else lambda done, total=None: check()
        return
    from rich import progress as rp
    from rich.console import Console
    from rich.text import Text

    class Speed(rp.ProgressColumn):
        def render(self, task: rp.Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text("" if speed is None else f"{speed:.1f} × real time")

    amount: list[rp.ProgressColumn] = [rp.MofNCompleteColumn()]
    if unit == "bytes":
        amount = [rp.DownloadColumn(), rp.TransferSpeedColumn()]
    elif unit == "seconds":
        amount += [Speed()]
    columns = [rp.TextColumn("{task.description}", markup=False), rp.BarColumn(), *amount, rp.TimeRemainingColumn()]
    with rp.Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(shown(label), total=total)
        _drawn = True

        def update(done: float, total: float | None = None) -> None:
            check()
            progress.update(task, completed=done, total=total)

        try:
            yield update
        finally:
            _drawn = False


def _lines(label: str, unit: str) -> Callable[..., None]:
    """Print how much is done, at most one line every ``EVERY`` seconds."""
    last = time.monotonic()

    def update(done: float, total: float | None = None) -> None:
        nonlocal last
        check()
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            of = "" if total is None else f" of {total:,}"
            say(f"{label}: {done:,}{of} {unit}".rstrip())

    return update
