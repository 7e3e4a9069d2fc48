"""Pictures of the large-margin method on a judged set: the gap closing, and the bound against what it bounds."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from rankine.data.ranking_data import RankingData
from rankine.losses import get
from rankine.measures import evaluate
from rankine.rankers import LinearRanker
from rankine.system.console import put
from rankine.system.figures import BLUE, GREY, RED, check_picture, save_figure

from ..collections import letor_folds
from .certificate_pictures import draw_certificate

GRID = tuple(10.0**e for e in range(-4, 3))


def bound_and_measure(loss: str, A: str, train: RankingData, valid: RankingData) -> list[tuple[float, ...]]:
    """For each C: mean loss over informative training queries, their mean of 1 − measure, that of validation."""
    rows: list[tuple[float, ...]] = []
    prepared = get(loss, A=A).prepare(train.y, train.ptr)
    measure = get(loss).measure
    held_out = get(loss).prepare(valid.y, valid.ptr).informative
    for model in LinearRanker(loss=loss, loss_options={"A": A}).path(GRID, train):
        values, _ = prepared(model.predict(train))
        on_train, on_valid = (
            evaluate(measure, d.y, model.predict(d), d.qid).per_query[measure][mask].mean()
            for d, mask in ((train, prepared.informative), (valid, held_out))
        )
        mean_loss = values[prepared.informative].mean()
        rows.append((model.C, float(mean_loss), float(1 - on_train), float(1 - on_valid)))
    return rows


def make_pictures(folder: Path) -> None:
    """Both pictures from MQ2008, fold 1, whose place is in RANKINE_DATA."""
    train, valid, _ = next(letor_folds("mq2008"))
    model = LinearRanker(loss="svm-map", C=1.0, tol=1e-4).fit(train)
    draw_certificate(model.history_, folder / "certificate.png")
    tables = {
        f"{loss}, A = {A}": np.array(bound_and_measure(loss, A, train, valid))
        for loss, A in (("svm-map", "yue"), ("svm-ndcg@10", "partial-order"))
    }
    draw_bound(tables, folder / "bound.png")
    for loss, rows in tables.items():
        head = "C, mean loss, 1 − measure on train, on validation"
        put("\n".join(map(str, [loss, head, *rows.round(4).tolist()])))


def draw_bound(tables: dict[str, np.ndarray], path: str | os.PathLike) -> None:
    """Mean loss, and 1 − measure on training and validation queries, against C; one panel per loss."""
    from matplotlib.figure import Figure

    check_picture(path)
    figure = Figure(figsize=(5 * len(tables), 3.6), layout="constrained")
    for axis, (loss, rows) in zip(figure.subplots(1, len(tables), squeeze=False)[0], tables.items(), strict=True):
        axis.semilogx(rows[:, 0], rows[:, 1], "o-", color=GREY, label="mean loss (the bound)")
        axis.semilogx(rows[:, 0], rows[:, 2], "o-", color=BLUE, label="1 − measure, training")
        axis.semilogx(rows[:, 0], rows[:, 3], "o-", color=RED, label="1 − measure, validation")
        axis.set_title(loss, loc="left", fontweight="bold", fontsize=11)
        axis.set_xlabel("C")
        axis.spines[["top", "right"]].set_visible(False)
        axis.legend(frameon=False, fontsize=8)
    save_figure(figure, path)


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
