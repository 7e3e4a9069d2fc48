"""Pictures of lattices (bars in time), and of confusion networks and PSPL (heat maps with the units in them)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InputError
from ...system.figures import check_picture, save_figure
from .lattice import Lattice
from .posteriors import ArcPosteriors, UnitPosteriors

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SHOWN, _COLUMNS, _PANELS = 6, 16, 20
_FONTS = ("Noto Sans CJK SC", "Noto Sans SC", "WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "SimHei", "PingFang SC",
          "Microsoft YaHei", "Arial Unicode MS")  # fmt: skip


def draw_lattice(
    lattice: Lattice, posteriors: ArcPosteriors, path: str | os.PathLike, prune: float = 0.02, most: int = 400
) -> Figure:
    """Words as bars from start to end, coloured by posterior, the likeliest path below; grey lines lead on.

    Arcs with a posterior up to ``prune`` are left out; where more than ``most`` are left, the least likely too.
    """
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    check_picture(path)
    threshold = max(prune, float(np.sort(posteriors.posterior)[-most - 1]) if len(lattice) > most else 0.0)
    with np.errstate(divide="ignore"):
        best = set(lattice.best_path(np.log(posteriors.transition)))
    arcs = [a for a in range(len(lattice)) if posteriors.posterior[a] > threshold or a in best]
    timed = not np.isnan(lattice.start[arcs]).any()
    start = lattice.start if timed else lattice.source.astype(float)
    end = lattice.end if timed else lattice.target.astype(float)
    lane = _lanes([a for a in arcs if lattice.unit[a] >= 0], best, start, end, posteriors.posterior)
    height = max(lane.values(), default=0) + 1
    length = max(float(end[arcs].max() - start[arcs].min()), 1e-9)
    words = len([a for a in best if lattice.unit[a] >= 0])
    figure = Figure(figsize=(min(max(8.0, 0.9 * words), 60.0), 1.6 + 0.3 * height), layout="constrained")
    axis = figure.subplots()
    colours = colormaps["YlGnBu"]
    by_source: dict[int, list[int]] = {}
    for a in lane:
        by_source.setdefault(int(lattice.source[a]), []).append(a)
    for a, y in lane.items():
        p = float(posteriors.posterior[a])
        for b in by_source.get(int(lattice.target[a]), []):
            axis.plot([end[a], start[b]], [y, lane[b]], color="0.8", linewidth=0.6, zorder=1)
        axis.barh(
            y, max(end[a] - start[a], 0.004 * length), left=start[a], height=0.8, color=colours(p), zorder=2,
            edgecolor="black" if a in best else "white", linewidth=1.0 if a in best else 0.4,
        )  # fmt: skip
        axis.text(
            start[a] + 0.002 * length, y, lattice.units[lattice.unit[a]], va="center", fontsize=8, zorder=3,
            color="white" if p > 0.5 else "black", clip_on=True, parse_math=False, family=_fonts(lattice.units, path),
        )  # fmt: skip
    axis.set_ylim(-0.7, height - 0.3)
    axis.set_yticks([])
    axis.set_xlabel("seconds" if timed else "nodes in topological order")
    left_out = len(lattice) - len(arcs)
    note = f", {left_out:,} less likely ones left out" if left_out else ""
    axis.set_title(
        f"{lattice.name}: {len(arcs):,} arcs{note}; outlined: the likeliest path",
        loc="left",
        fontsize=10,
        parse_math=False,
    )
    axis.spines[["top", "right", "left"]].set_visible(False)
    _colour_bar(figure, axis)
    save_with_letters(figure, path)
    return figure


def _lanes(
    arcs: list[int], best: set[int], start: np.ndarray, end: np.ndarray, posterior: np.ndarray
) -> dict[int, int]:
    """A lane for each arc, the likeliest path in the lowest, others in the lowest free lane."""
    lane: dict[int, int] = {}
    taken: list[list[tuple[float, float]]] = [[]]
    for a in sorted(arcs, key=lambda a: (a not in best, -posterior[a])):
        y = 0 if a in best else 1
        while y < len(taken) and a not in best and any(s < end[a] and start[a] < e for s, e in taken[y]):
            y += 1
        if y == len(taken):
            taken.append([])
        taken[y].append((float(start[a]), float(end[a])))
        lane[a] = y
    return lane


def draw_posteriors(network: UnitPosteriors, path: str | os.PathLike) -> Figure:
    """A column per position, its likeliest units from the top, coloured by posterior; long ones in several rows."""
    from matplotlib import colormaps
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    check_picture(path)
    if len(network) == 0:
        raise InputError("there is nothing to draw: no posterior is above the threshold", network.name or None)
    column = np.cumsum(np.bincount(network.position, minlength=1) > 0) - 1  # empty positions are not drawn
    columns = int(column[-1]) + 1
    panels = min(-(-columns // _COLUMNS), _PANELS)
    figure = Figure(figsize=(14, 0.6 + 2.0 * panels), layout="constrained")
    axes = figure.subplots(panels, 1, squeeze=False)[:, 0]
    colours = colormaps["YlGnBu"]
    rank, last = 0, -1
    fonts = _fonts(network.units, path)
    for (at, unit, p), begin in zip(network.triples(), network.start.tolist(), strict=True):
        rank = rank + 1 if at == last else 0
        last = at
        if column[at] >= panels * _COLUMNS:
            break
        axis, x = axes[column[at] // _COLUMNS], column[at] % _COLUMNS
        if rank == 0:
            when = "" if np.isnan(begin) else f"\n{begin:.1f} s"
            axis.text(x + 0.5, 0.15, f"{at}{when}", ha="center", va="bottom", fontsize=7, color="0.4")
        if rank >= _SHOWN:
            continue
        axis.add_patch(Rectangle((x, -rank - 1), 0.97, 0.94, color=colours(p), linewidth=0))
        shown = unit if len(unit) <= 13 else unit[:12] + "…"
        axis.text(
            x + 0.48, -rank - 0.53, shown, ha="center", va="center", fontsize=8, color="white" if p > 0.5 else "black",
            parse_math=False, family=fonts,
        )  # fmt: skip
    for axis in axes:
        axis.set_xlim(0, _COLUMNS)
        axis.set_ylim(-_SHOWN, 1)
        axis.axis("off")
    form = "confusion network" if network.form == "cn" else "position-specific posteriors"
    some = f"the first {panels * _COLUMNS} of " if columns > panels * _COLUMNS else ""
    axes[0].set_title(f"{network.name}: {form}, {some}{columns} positions", loc="left", fontsize=10, parse_math=False)
    _colour_bar(figure, list(axes))
    save_with_letters(figure, path)
    return figure


def save_with_letters(figure: Any, path: str | os.PathLike) -> None:
    """Save a figure; the text of an SVG is kept as text."""
    import warnings

    from matplotlib import rc_context

    with rc_context({"svg.fonttype": "none"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # an SVG is drawn elsewhere
        save_figure(figure, path)


def _fonts(units: tuple[str, ...], path: str | os.PathLike) -> list[str]:
    """Fonts that have these letters; for an SVG the program that shows it chooses."""
    from matplotlib import font_manager

    if not any(ord(c) > 0x2E80 for u in units for c in u):
        return ["DejaVu Sans"]
    installed = {f.name for f in font_manager.fontManager.ttflist}
    fonts = [f for f in _FONTS if f in installed]
    if not fonts and Path(path).suffix.lower() != ".svg":
        raise InputError("no font with these letters is installed: draw an .svg, or install Noto Sans CJK", str(path))
    return ["DejaVu Sans", *fonts]


def _colour_bar(figure: Any, axes: Any) -> None:
    from matplotlib.cm import ScalarMappable

    bar = figure.colorbar(ScalarMappable(cmap="YlGnBu"), ax=axes, shrink=0.8, pad=0.01, aspect=30)
    bar.set_label("posterior")
    bar.outline.set_visible(False)
