"""Figure 1 of Chapelle, Le & Smola with numbers: why the convex bound can be least at w = 0, and the tight one not.

One query, one feature. A document of grade 0 has a feature value nearly as large as the best one. For w > 0 the
predicted ranking is good, though not perfect. But other bad documents follow closely, and a ranking of three bad ones
scores above the perfect one. The convex bound charges that: the more, the larger w. So it is least at w = 0, for every
C. The tight bound compares with the predicted ranking, and falls.
"""

from __future__ import annotations

import os
import warnings
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rankine.data.ranking_data import RankingData
from rankine.losses import StructuredHinge, get
from rankine.rankers import LinearRanker
from rankine.system.figures import BLUE, GREY, RED, check_picture, save_figure
from rankine.system.report import Section

CUT = 3
FEATURE = (3.0, 2.9, 1.9, 1.6, 1.2, 1.1, 0.5, 0.2)
GRADES = (3, 0, 0, 2, 1, 0, 0, 0)
CONVEX, TIGHT = f"svm-ndcg@{CUT}", f"svm-ndcg@{CUT}:tight"
C_GRID = tuple(10.0**e for e in range(-2, 5, 2))
COLUMNS = ("C", "w, convex bound", "proved gap", "1 − nDCG@3", "w, tight bound", "1 − nDCG@3")
PICTURE = "figure-1.png"


class RankedTop(NamedTuple):
    """The first documents of a ranking: what they lose, and their score at w = 1."""

    order: tuple[int, ...]
    loss: float
    score: float


def example() -> RankingData:
    """The query of the picture."""
    return RankingData(np.array(FEATURE)[:, None], GRADES, np.zeros(len(GRADES)))


def tops() -> list[RankedTop]:
    """All rankings of the first ranks: 1 − nDCG, and F at w = 1."""
    gain, discount = 2.0 ** np.array(GRADES) - 1, 1 / np.log2(2 + np.arange(CUT))
    best = float(np.sort(gain)[::-1][:CUT] @ discount)
    A, x = np.arange(CUT, 0, -1), np.array(FEATURE)
    return [
        RankedTop(order, 1 - float(gain[list(order)] @ discount) / best, float(A @ x[list(order)]))
        for order in permutations(range(len(GRADES)), CUT)
    ]


def named_tops() -> dict[str, RankedTop]:
    """The rankings of the paper's figure, at w = 1: perfect, bad (the highest of the worst), good (predicted)."""
    every = tops()
    return {
        "perfect": min(every, key=lambda t: t.loss),
        "bad": max((t for t in every if t.loss > 1 - 1e-9), key=lambda t: t.score),
        "good": max(every, key=lambda t: t.score),
    }


def losses_at(weights: np.ndarray) -> dict[str, np.ndarray]:
    """Both bounds and what they bound, at each w."""
    data = example()
    scores = [w * data.X[:, 0] for w in weights]
    ptr = data.ptr
    out = {
        name: np.array([get(loss).value_and_grad(s, data.y, ptr)[0][0] for s in scores])
        for name, loss in (("convex bound", CONVEX), ("tight bound", TIGHT))
    }
    bounded = StructuredHinge("ndcg", CUT).bounded
    out["1 − nDCG@3"] = np.array([bounded.values(s, data.y, ptr)[0] for s in scores])
    return out


def rows() -> list[tuple[str, ...]]:
    """For each C: w of both bounds, what is proved of the convex one, and what the predictions lose."""
    data = example()
    out: list[tuple[str, ...]] = []
    for C in C_GRID:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            models = [LinearRanker(loss, C=C).fit(data) for loss in (CONVEX, TIGHT)]
        lost = [f"{1 - m.score(data):.4f}" for m in models]
        w = ["0" if abs(m.coef_[0]) < 1e-9 else f"{m.coef_[0]:.4f}" for m in models]
        out.append((f"{C:g}", w[0], f"{models[0].gap_:.2g}", lost[0], w[1], lost[1]))
    return out


def sections(folder: Path) -> list[Section]:
    """The report, its picture written into ``folder``."""
    named = named_tops()
    draw_underfitting(folder / PICTURE)
    listed = ", ".join(f"{x:g} (grade {g})" for x, g in zip(FEATURE, GRADES, strict=True))
    text = (
        f"One query, one feature: {listed}. At w = 1 the perfect ranking scores {named['perfect'].score:.1f}, one of "
        f"three bad documents {named['bad'].score:.1f}, the predicted one, which is good, {named['good'].score:.1f}. "
        "Equal scores are averaged over."
    )
    return [
        Section("Why the convex bound can be least at w = 0 (Figure 1)", text, COLUMNS, rows()),
        Section("Left: all rankings at w = 1. Right: both bounds", "", picture=PICTURE),
    ]


def draw_underfitting(path: str | os.PathLike) -> None:
    """Left: every ranking by its score and its loss, and what both bounds measure; right: both bounds against w."""
    from matplotlib.figure import Figure

    check_picture(path)
    figure = Figure(figsize=(10.5, 3.9), layout="constrained")
    left, right = figure.subplots(1, 2)
    every, named = tops(), named_tops()
    left.scatter([t.score for t in every], [t.loss for t in every], s=7, color="#cccccc")
    for (name, top), color in zip(named.items(), (BLUE, GREY, RED), strict=True):
        left.scatter([top.score], [top.loss], s=45, color=color, zorder=3)
        left.annotate(name, (top.score, top.loss), (0, -14), textcoords="offset points", ha="center", color=color)
    reach = max(t.score + t.loss for t in every)
    for height, start, name, color in (
        (1.14, named["perfect"].score, "convex bound", BLUE),
        (1.30, named["good"].score, "tight bound", RED),
    ):
        left.annotate("", (start, height), (reach, height), arrowprops={"arrowstyle": "|-|", "color": color})
        left.text(start - 0.25, height, f"{name} {reach - start:.2f}", ha="right", va="center", color=color)
    left.axvline(reach, color=GREY, linewidth=0.8, linestyle=":")
    left.set_xlabel("score F of a ranking at w = 1 (dotted: the largest loss + score)")
    left.set_ylabel("1 − nDCG@3")
    left.set_ylim(-0.22, 1.42)
    weights = np.linspace(-0.4, 1.2, 321)
    for (name, values), style in zip(losses_at(weights).items(), ("-", "-", "--"), strict=True):
        right.plot(weights, values, style, color={"convex bound": BLUE, "tight bound": RED}.get(name, GREY), label=name)
    right.plot([0], [losses_at(np.zeros(1))["convex bound"][0]], "o", color=BLUE)
    right.set_ylim(0, 4.6)
    right.set_xlabel("w")
    right.set_ylabel("loss of the query")
    right.legend(frameon=False)
    for axis in (left, right):
        axis.spines[["top", "right"]].set_visible(False)
    save_figure(figure, path)
