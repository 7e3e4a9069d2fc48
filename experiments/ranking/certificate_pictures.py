"""The picture of a certificate: objective and lower bound, iteration by iteration."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankine.system.figures import BLUE, RED, check_picture, save_figure

if TYPE_CHECKING:
    from rankine.solvers.certificate import Step


def draw_certificate(history: Sequence[Step], path: str | os.PathLike) -> None:
    """Objective and lower bound closing in on each other, and the relative gap, iteration by iteration."""
    from matplotlib.figure import Figure

    check_picture(path)
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    x = [s.iteration for s in history]
    left.plot(x, [s.objective for s in history], color=BLUE, label="objective")
    left.plot(x, [s.lower_bound for s in history], color=RED, label="lower bound")
    left.set_ylim(bottom=min(s.lower_bound for s in history[len(history) // 10 :]))
    left.legend(frameon=False)
    right.semilogy(x, [max(s.gap, 1e-16) for s in history], color="black")
    right.set_ylabel("relative gap")
    for axis in (left, right):
        axis.set_xlabel("iteration")
        axis.spines[["top", "right"]].set_visible(False)
    save_figure(figure, path)
