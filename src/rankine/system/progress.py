"""Progress on the terminal for anything that may take more than two seconds."""

import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from ..errors import shown
from .console import say
from .signals import check

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

EVERY = 10.0  # seconds between lines, where no bar is drawn
_MINUTES_FROM = 600.0  # seconds of audio: so many and more are shown in minutes
_WIDE = 100  # columns of a terminal, in which the speed has room
_drawn = False  # rich can draw one at a time


@contextmanager
def bar(
    label: str, total: float | None, show: bool = True, unit: str = "", lines: bool = False
) -> Iterator[Callable[..., None]]:
    """A bar on standard error; yields the function that is told how much is done so far, and of how much if it changes.

    Nothing is drawn where ``show`` is false, standard error is not a terminal, this is a process of a pool, or a bar is
    drawn already. With ``lines``, there is a line of text every ten seconds where standard error is not a terminal.
    ``unit="bytes"`` adds sizes and speed, ``unit="seconds"`` (of audio) how many times faster than real time it goes.
    The function takes a ``note`` too, which stands at the end of the bar until the next call. A total that is less than
    what is done is not shown.

    >>> with bar("reading", total=100, show=False) as update:
    ...     update(50)
    """
    global _drawn
    here = show and not _drawn and multiprocessing.parent_process() is None
    if not here or not sys.stderr.isatty():
        yield _lines(label, unit) if here and lines else lambda done, total=None, note="": check()
        return
    from rich import progress as rp
    from rich.console import Console

    period = 300.0 if unit == "seconds" else 30.0  # recordings come in jumps
    console = Console(stderr=True)
    with rp.Progress(
        *_columns(unit, console.width), console=console, transient=True, speed_estimate_period=period
    ) as progress:
        number = progress.add_task(shown(label), total=total, note="")
        task = progress.tasks[0]
        _drawn = True

        def update(done: float, total: float | None = None, note: str = "") -> None:
            check()
            total = task.total if total is None else total
            if total is not None and done > total:
                task.total = total = None
            progress.update(number, completed=done, total=total, note=shown(note))

        try:
            yield update
        finally:
            _drawn = False


def _columns(unit: str, width: int) -> list["ProgressColumn"]:
    """The columns of a bar: its label, the bar, how much is done, how fast, the time that is left, and the note.

    They fit into one line of the terminal: in a narrow one the bar is short, and nothing is said of the speed.
    """
    from rich import progress as rp
    from rich.table import Column
    from rich.text import Text

    class Amount(rp.ProgressColumn):
        def render(self, task: rp.Task) -> Text:
            return Text(amount(task.completed, task.total, unit, short=True))

    class Speed(rp.ProgressColumn):
        def render(self, task: rp.Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text("" if speed is None else f"{speed:.1f} × real time")

    class TimeLeft(rp.TimeRemainingColumn):
        def render(self, task: rp.Task) -> Text:
            return Text("") if task.time_remaining is None else super().render(task) + Text(" left")

    line = Column(no_wrap=True)
    if unit == "bytes":
        amounts: list[rp.ProgressColumn] = [rp.DownloadColumn(table_column=line), rp.TransferSpeedColumn(line)]
    else:
        amounts = [Amount(line) if unit else rp.MofNCompleteColumn(table_column=line)]
        amounts += [Speed(line)] if unit == "seconds" and width >= _WIDE else []
    label = rp.TextColumn("{task.description}", markup=False, table_column=line)
    note = rp.TextColumn("{task.fields[note]}", markup=False, table_column=line)
    return [label, rp.BarColumn(min(40, width // 5)), *amounts, TimeLeft(table_column=line), note]


def amount(done: float, total: float | None, unit: str, short: bool = False) -> str:
    """How much is done, of how much if that is stated; many seconds are given in minutes.

    >>> amount(700, 7860, "seconds"), amount(12, 95, "seconds", short=True), amount(1200, None, "utterances")
    ('12 of 131 minutes', '12 of 95 s', '1,200 utterances')
    """
    scale = 1.0
    if unit == "seconds":
        if (done if total is None else total) >= _MINUTES_FROM:
            scale, unit = 60.0, "minutes"
        unit = {"seconds": "s", "minutes": "min"}[unit] if short else unit
    of = "" if total is None else f" of {round(total / scale):,}"
    return f"{round(done / scale):,}{of} {unit}".rstrip()


def _lines(label: str, unit: str) -> Callable[..., None]:
    """Print how much is done, at most one line every ``EVERY`` seconds."""
    last, whole = time.monotonic(), None

    def update(done: float, total: float | None = None, note: str = "") -> None:
        nonlocal last, whole
        check()
        whole = whole if total is None else total
        whole = None if whole is not None and done > whole else whole
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            say(f"{label}: {amount(done, whole, unit)}")

    return update


class _Stages:
    """The bars of stages, of which one is drawn at a time; called with a stage, the amount done and its total."""

    def __init__(self, units: Mapping[str, str], within: Mapping[str, str], stack: ExitStack) -> None:
        self.units, self.within, self.stack = units, within, stack
        self.begun: list[str] = []
        self.last = 0.0
        self.update: Callable[..., None] | None = None

    def __call__(self, stage: str, done: float, total: float | None) -> None:
        name, comma, of_what = stage.partition(",")
        outer = f"{self.within.get(name, name)}{comma}{of_what}"
        if outer != stage and outer in self.begun:
            check()
            if outer == self.begun[-1] and self.update is not None:
                self.update(self.last, None, note=name)
            return
        if self.update is None or stage != self.begun[-1]:
            self.stack.close()
            self.update = self.stack.enter_context(bar(stage, total, unit=self.units.get(name, ""), lines=True))
            self.begun.append(stage)
        self.last = done
        self.update(done, total)


@contextmanager
def stages(units: Mapping[str, str], within: Mapping[str, str]) -> Iterator[Callable[[str, float, float | None], None]]:
    """One bar after the other; yields a function of the stage, the amount done and its total.

    A stage is called ``"name"`` or ``"name, of what"``; ``units`` are by name. A stage that goes on ``within`` another
    one has no bar of its own: its name stands at the end of the other's bar.

    >>> with stages({"recognising": "seconds"}, within={"indexing": "recognising"}) as progress:
    ...     progress("recognising", 30.0, 90.0)
    ...     progress("indexing", 1, None)
    """
    with ExitStack() as stack:
        yield _Stages(units, within, stack)
