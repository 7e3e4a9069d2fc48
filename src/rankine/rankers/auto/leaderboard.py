"""The leaderboard of :class:`~rankine.AutoRanker`: what was tried, how good it was, and what can be said of it."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import numpy as np

from ...errors import InputError
from ...system.figures import save_figure
from ...system.files import write_file
from ...system.records import Finite
from ...system.report import Section
from ...system.report import write as write_report

COLUMNS = ("name", "params", "mean", "low", "high", "seconds", "verdict")


class LeaderboardRow(NamedTuple):
    """A candidate with its best setting: the mean of the measure on held-out queries, its interval, and a verdict.

    For each fold the setting is chosen on the others, so that the means of candidates and fusions can be compared.
    ``mean``, ``low`` and ``high`` are NaN where the candidate was not judged on all folds. They are not corrected for
    the choosing among candidates: the estimate is.
    """

    name: str
    params: dict[str, Any]
    mean: float
    low: float
    high: float
    seconds: float
    verdict: str


@dataclass(frozen=True)
class AutoReport:
    """All that a fit of :class:`~rankine.AutoRanker` has to say.

    ``lines`` are sentences: what is best, how good it is, what was not shown, what was stopped.
    """

    measure: str
    queries: int
    lines: tuple[str, ...]
    rows: tuple[LeaderboardRow, ...]
    estimate: tuple[float, float, float]

    def __str__(self) -> str:
        columns, rows = self.table()
        widths = [max(len(str(r[i])) for r in (columns, *rows)) for i in range(len(columns))]
        body = [
            "  ".join(str(c).ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in (columns, *rows)
        ]
        return "\n".join([*self.lines, "", *body])

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Column names and rows, for people."""
        rows = [
            [
                r.name, settings_text(r.params), _number(r.mean), f"[{_number(r.low)}, {_number(r.high)}]"
                if np.isfinite(r.low) else "-", f"{r.seconds:.1f}", r.verdict,
            ]
            for r in self.rows
        ]  # fmt: skip
        return ["candidate", "settings", self.measure, "90 % interval", "seconds", "verdict"], rows

    def to_json(self) -> str:
        """Everything as JSON."""
        rows = [{name: _plain(value) for name, value in r._asdict().items()} for r in self.rows]
        mean, low, high = (_plain(v) for v in self.estimate)
        content = {
            "measure": self.measure, "queries": self.queries, "lines": list(self.lines),
            "estimate": {"mean": mean, "low": low, "high": high}, "leaderboard": rows,
        }  # fmt: skip
        return json.dumps(content, indent=1, ensure_ascii=False, default=str)

    def to_csv(self) -> str:
        """The leaderboard as CSV."""
        out = io.StringIO()
        rows = [[*r[:1], json.dumps(r.params, default=str), *r[2:]] for r in self.rows]
        csv.writer(out).writerows([COLUMNS, *rows])
        return out.getvalue()

    def plot(self, path: Any = None) -> Any:
        """A figure of the means with their intervals, best above, and the estimate as a band; written to ``path``."""
        from matplotlib.figure import Figure

        rows = [r for r in self.rows if np.isfinite(r.mean)][::-1]
        if not rows:
            raise InputError("no candidate was judged: there is nothing to draw")
        figure = Figure(figsize=(8, 0.32 * len(rows) + 1.2), layout="constrained")
        axes = figure.subplots()
        mean, low, high = self.estimate
        if np.isfinite(low):
            axes.axvspan(low, high, color="#dddddd", label="estimate, corrected for the choosing")
            axes.axvline(mean, color="#888888", linewidth=1)
        y = np.arange(len(rows))
        center = np.array([r.mean for r in rows])
        spread = np.array([[r.mean - r.low for r in rows], [r.high - r.mean for r in rows]])
        axes.errorbar(center, y, xerr=spread, fmt="o", color="#1f5fa8", markersize=4, linewidth=1)
        axes.set_yticks(y, [r.name for r in rows])
        axes.set_xlabel(f"{self.measure} on held-out queries, 90 % interval")
        if np.isfinite(low):
            axes.legend(loc="lower right", fontsize="small")
        if path is not None:
            save_figure(figure, path)
        return figure

    def write(self, folder: str | Path) -> list[Path]:
        """Write leaderboard.json, leaderboard.csv, leaderboard.png and the report (report.md, report.html)."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        files = {place / "leaderboard.json": self.to_json(), place / "leaderboard.csv": self.to_csv()}
        for path, text in files.items():
            write_file(path, text.encode())
        drawn = any(np.isfinite(r.mean) for r in self.rows)
        if drawn:
            self.plot(place / "leaderboard.png")
        columns, rows = self.table()
        sections = [
            Section(f"Which ranker is best at {self.measure}?", "\n".join(self.lines)),
            Section("Candidates", "", columns, rows, "leaderboard.png" if drawn else ""),
        ]
        return [*files, *write_report(sections, place)]


def settings_text(params: dict[str, Any]) -> str:
    """Settings in a table: the values that tell configurations of a candidate apart.

    >>> settings_text({"C": 0.1, "loss": "svm-map"})
    'C 0.1, loss svm-map'
    """
    return ", ".join(f"{k} {v:g}" if isinstance(v, float) else f"{k} {v}" for k, v in params.items()) or "-"


def verdict_of(values: np.ndarray, best: np.ndarray, weights: np.ndarray | None) -> str:
    """What the paired test says of a configuration against the best."""
    from .estimate import p_better

    p = p_better(best - values, weights)
    return f"worse (p = {p:.2g})" if p < 0.05 else "not shown to be worse"


def _number(value: float) -> str:
    return f"{value:.4f}" if np.isfinite(value) else "-"


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value.item() if isinstance(value, np.generic) else value


class RowState(TypedDict):
    """What is stored of a row of the leaderboard; None stands for a number that is not there."""

    name: str
    params: dict[str, Any]
    mean: Finite | None
    low: Finite | None
    high: Finite | None
    seconds: Finite
    verdict: str


class ReportState(TypedDict):
    """What is stored of a report."""

    measure: str
    queries: int
    lines: list[str]
    learned: bool
    estimate: tuple[Finite | None, Finite | None, Finite | None]
    leaderboard: list[RowState]


def report_state(report: AutoReport, learned: bool) -> dict[str, Any]:
    """A report as plain values."""
    return {
        "measure": report.measure, "queries": report.queries, "lines": list(report.lines), "learned": learned,
        "estimate": [_plain(v) for v in report.estimate],
        "leaderboard": [{name: _plain(value) for name, value in r._asdict().items()} for r in report.rows],
    }  # fmt: skip


def report_from(state: ReportState) -> AutoReport:
    """The report that :func:`report_state` gave."""

    def number(value: float | None) -> float:
        return np.nan if value is None else value

    rows = tuple(
        LeaderboardRow(
            r["name"], r["params"], number(r["mean"]), number(r["low"]), number(r["high"]), r["seconds"], r["verdict"]
        )
        for r in state["leaderboard"]
    )
    mean, low, high = (number(v) for v in state["estimate"])
    return AutoReport(state["measure"], state["queries"], tuple(state["lines"]), rows, (mean, low, high))
