"""Pictures. Matplotlib is imported only when one is drawn."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .measures.compare import Comparison, Pair
    from .solvers.certificate import Step

_BLUE, _RED, _GREY = "#1f5fa8", "#c8553d", "#8a8f98"
_MOST_PANELS = 24
_FORMATS = (".png", ".svg", ".pdf")


def draw_differences(comparison: Comparison, path: str | os.PathLike | None = None) -> Figure:
    """Per-query differences of every pair, largest first: blue where the first system wins, red where it loses."""
    from matplotlib.figure import Figure

    if path is not None:
        check_picture(path)
    pairs = comparison.pairs[:_MOST_PANELS]
    columns = min(sum(p.measure == pairs[0].measure for p in pairs), 3)  # a row per measure where it fits
    rows = -(-len(pairs) // columns)
    figure = Figure(figsize=(5.2 * columns, 3.6 * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for axis, pair in zip(axes, pairs, strict=False):
        a, b = (comparison.reports[s].per_query[pair.measure] for s in (pair.a, pair.b))
        _draw_pair(axis, pair, np.sort(a - b)[::-1], comparison.confidence)
    for axis in axes[len(pairs) :]:
        axis.set_visible(False)
    if len(comparison.pairs) > len(pairs):
        figure.suptitle(f"the first {len(pairs)} of {len(comparison.pairs)} pairs")
    if path is not None:
        save_figure(figure, path)
    return figure


def _draw_pair(axis: Axes, pair: Pair, differences: np.ndarray, confidence: float) -> None:
    x = np.arange(1, len(differences) + 1)
    axis.bar(x, differences, width=1.0, color=np.where(differences >= 0, _BLUE, _RED), linewidth=0)
    axis.axhspan(pair.low, pair.high, color=_GREY, alpha=0.25, linewidth=0)
    axis.axhline(pair.difference, color="black", linewidth=1)
    axis.axhline(0, color=_GREY, linewidth=0.8)
    axis.set_title(f"{pair.a} − {pair.b}", fontsize=11, loc="left", fontweight="bold")
    axis.set_xlabel(
        f"{len(differences)} queries, sorted by difference: {pair.wins} won, {pair.ties} tied, {pair.losses} lost"
    )
    axis.set_ylabel(f"difference in {pair.measure}")
    axis.spines[["top", "right"]].set_visible(False)
    axis.margins(x=0.01)
    text = (
        f"mean {pair.difference:+.4f}\n{confidence:.0%} interval [{pair.low:+.4f}, {pair.high:+.4f}]\n"
        f"randomisation p = {pair.randomisation_holm:.2g}"
    )
    axis.text(0.98, 0.96, text, transform=axis.transAxes, ha="right", va="top", fontsize=9)


def draw_path(values: list[float], scores: list[float], measure: str, chosen: float, path: str | os.PathLike) -> None:
    """Validation against C on a logarithmic axis, the chosen one marked."""
    from matplotlib.figure import Figure

    check_picture(path)
    figure = Figure(figsize=(6, 3.6), layout="constrained")
    axis = figure.subplots()
    axis.semilogx(values, scores, "o-", color=_BLUE)
    axis.plot([chosen], [scores[values.index(chosen)]], "o", color=_RED, markersize=9, label=f"chosen: C = {chosen:g}")
    axis.set_xlabel("C")
    axis.set_ylabel(f"validation {measure}")
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False)
    save_figure(figure, path)


def draw_curves(
    curves: dict[str, list[tuple[float, float]]], against: str, measure: str, path: str | os.PathLike | None = None
) -> Figure:
    """A measure against a parameter on a logarithmic axis, one curve for each setting of the rest."""
    from matplotlib.figure import Figure

    if path is not None:
        check_picture(path)
    figure = Figure(figsize=(7.5, 4.2), layout="constrained")
    axis = figure.subplots()
    for label, points in curves.items():
        axis.semilogx(*zip(*points, strict=True), "o-", markersize=4, label=label)
    axis.set_xlabel(against)
    axis.set_ylabel(f"validation {measure}")
    axis.spines[["top", "right"]].set_visible(False)
    if len(curves) > 1:
        axis.legend(frameon=False, fontsize="small")
    if path is not None:
        save_figure(figure, path)
    return figure


def draw_bars(
    means: dict[str, float], intervals: dict[str, tuple[float, float]], label: str, path: str | os.PathLike
) -> None:
    """Means with their intervals, one line for each name, best at the top."""
    from matplotlib.figure import Figure

    check_picture(path)
    figure = Figure(figsize=(7.5, 0.34 * len(means) + 1), layout="constrained")
    axis = figure.subplots()
    names = sorted(means, key=lambda n: means[n])
    for i, name in enumerate(names):
        low, high = intervals[name]
        axis.plot([low, high], [i, i], color=_GREY, linewidth=2)
        axis.plot([means[name]], [i], "o", color=_BLUE)
    axis.set_yticks(range(len(names)), names)
    axis.set_xlabel(label)
    axis.grid(axis="x", color="#dddddd")
    axis.spines[["top", "right", "left"]].set_visible(False)
    save_figure(figure, path)


def draw_certificate(history: Sequence[Step], path: str | os.PathLike) -> None:
    """Objective and lower bound closing in on each other, and the relative gap, iteration by iteration."""
    from matplotlib.figure import Figure

    check_picture(path)
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    x = [s.iteration for s in history]
    left.plot(x, [s.objective for s in history], color=_BLUE, label="objective")
    left.plot(x, [s.lower_bound for s in history], color=_RED, label="lower bound")
    left.set_ylim(bottom=min(s.lower_bound for s in history[len(history) // 10 :]))
    left.legend(frameon=False)
    right.semilogy(x, [max(s.gap, 1e-16) for s in history], color="black")
    right.set_ylabel("relative gap")
    for axis in (left, right):
        axis.set_xlabel("iteration")
        axis.spines[["top", "right"]].set_visible(False)
    save_figure(figure, path)


def draw_bound(tables: dict[str, np.ndarray], path: str | os.PathLike) -> None:
    """Mean loss, and 1 − measure on training and validation queries, against C; one panel per loss."""
    from matplotlib.figure import Figure

    check_picture(path)
    figure = Figure(figsize=(5 * len(tables), 3.6), layout="constrained")
    for axis, (loss, rows) in zip(figure.subplots(1, len(tables), squeeze=False)[0], tables.items(), strict=True):
        axis.semilogx(rows[:, 0], rows[:, 1], "o-", color=_GREY, label="mean loss (the bound)")
        axis.semilogx(rows[:, 0], rows[:, 2], "o-", color=_BLUE, label="1 − measure, training")
        axis.semilogx(rows[:, 0], rows[:, 3], "o-", color=_RED, label="1 − measure, validation")
        axis.set_title(loss, loc="left", fontweight="bold", fontsize=11)
        axis.set_xlabel("C")
        axis.spines[["top", "right"]].set_visible(False)
        axis.legend(frameon=False, fontsize=8)
    save_figure(figure, path)


def check_picture(path: str | os.PathLike) -> None:
    """Raise unless the file name ends as a picture's."""
    if Path(path).suffix.lower() not in _FORMATS:
        raise InputError(f"expected a picture ending in one of {', '.join(_FORMATS)}", str(path))


def save_figure(figure: Figure, path: str | os.PathLike) -> None:
    """Write a figure whole or not at all; the same figure gives the same bytes."""
    from .files import replacing

    suffix = Path(path).suffix.lower()
    stamp = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(suffix)
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=150, metadata=stamp)


def draw_curves_by_k(curves: dict[str, list[float]], label: str, path: str | os.PathLike) -> None:
    """A measure at ranks 1, 2, …, one curve for each system."""
    from matplotlib.figure import Figure

    check_picture(path)
    figure = Figure(figsize=(7.5, 4.6), layout="constrained")
    axis = figure.subplots()
    for i, (name, values) in enumerate(curves.items()):
        axis.plot(range(1, len(values) + 1), values, marker="osD^vXP*"[i % 8], markersize=4, label=name)
    axis.set_xlabel("k")
    axis.set_ylabel(label)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize="small")
    save_figure(figure, path)


def draw_bounds(panels: dict[str, dict[str, list[tuple[float, float]]]], largest: str, path: str | os.PathLike) -> None:
    """Risks and bounds against the number of queries, both axes logarithmic, one panel for each loss."""
    from matplotlib.figure import Figure

    check_picture(path)
    figure = Figure(figsize=(11, 3.4 * ((len(panels) + 1) // 2)), layout="constrained")
    axes = figure.subplots((len(panels) + 1) // 2, 2, squeeze=False).ravel()
    for axis, (title, curves) in zip(axes, panels.items(), strict=False):
        for i, (name, points) in enumerate(curves.items()):
            axis.loglog(*zip(*points, strict=True), marker="osD^vXP*"[i % 8], markersize=4, label=name)
        axis.axhline(1, color=_GREY, linewidth=1, linestyle="--", label=largest)
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("queries")
        axis.spines[["top", "right"]].set_visible(False)
        axis.legend(frameon=False, fontsize="x-small")
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    save_figure(figure, path)
