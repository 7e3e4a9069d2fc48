"""Pictures of weights, and of measures in groups, as bars."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...system.figures import check_picture
from ..lattice.pictures import save_with_letters

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_weights(names: Sequence[str], series: Mapping[str, Any], path: str | os.PathLike) -> Figure:
    """Weights of weak rankers as bars, largest absolute weight 1; several series beside each other."""
    from matplotlib.figure import Figure

    check_picture(path)
    figure = Figure(figsize=(max(7.0, 0.5 * len(names) + 1), 3.8), layout="constrained")
    axis = figure.subplots()
    width = 0.8 / len(series)
    for k, (label, values) in enumerate(series.items()):
        largest = max(np.abs(values).max(), 1e-300)
        x = np.arange(len(names)) + (k - (len(series) - 1) / 2) * width
        axis.bar(x, np.asarray(values) / largest, width, label=label)
    axis.axhline(0, color="0.3", linewidth=0.8)
    axis.set_xticks(range(len(names)), names, rotation=60, ha="right", fontsize=8)
    axis.set_ylabel("weight over the largest")
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize="small")
    save_with_letters(figure, path)
    return figure


def draw_groups(groups: Sequence[str], series: Mapping[str, Any], label: str, path: str | os.PathLike) -> Figure:
    """Bars in groups, one bar of each series in a group."""
    from matplotlib.figure import Figure

    check_picture(path)
    figure = Figure(figsize=(max(7.0, 0.16 * len(groups) * (len(series) + 1) + 1), 3.8), layout="constrained")
    axis = figure.subplots()
    width = 0.84 / len(series)
    for k, (name, values) in enumerate(series.items()):
        axis.bar(np.arange(len(groups)) + (k - (len(series) - 1) / 2) * width, values, width, label=name)
    turned: dict[str, Any] = {"rotation": 60, "ha": "right", "fontsize": 8} if len(groups) > 8 else {}
    axis.set_xticks(range(len(groups)), groups, **turned)
    axis.set_ylabel(label)
    axis.set_ylim(0, 1)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize="small", ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    save_with_letters(figure, path)
    return figure
