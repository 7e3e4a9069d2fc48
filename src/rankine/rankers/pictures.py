"""Pictures of a choice of parameters: a measure on validation queries against a parameter."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..system.figures import BLUE, RED, check_picture, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_path(values: list[float], scores: list[float], measure: str, best: float, path: str | os.PathLike) -> None:
    """Validation against C on a logarithmic axis, the best value marked."""
    from matplotlib.figure import Figure

    check_picture(path)
    figure = Figure(figsize=(6, 3.6), layout="constrained")
    axis = figure.subplots()
    axis.semilogx(values, scores, "o-", color=BLUE)
    axis.plot([best], [scores[values.index(best)]], "o", color=RED, markersize=9, label=f"best: C = {best:g}")
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
