"""``rankine train``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console import print_table
from . import common as c

if TYPE_CHECKING:
    from ..data import RankingData

NAME = "train"


def command(
    data: Annotated[str, typer.Argument(help="Training data: LETOR text (also .gz .xz .zst), .parquet or .arrow.")],
    output: Annotated[str, typer.Option("-o", "--output", help="Where the model goes, as JSON.")],
    loss: Annotated[
        str,
        typer.Option(
            help="svm-ndcg@10, svm-map, ranksvm, ranksvm-l2, consistent-ndcg, listnet, …; a wrong name lists all."
        ),
    ] = "svm-ndcg@10",
    weight: Annotated[float, typer.Option("-C", help="Weight of the losses against ½‖w‖².")] = 1.0,
    valid: Annotated[str | None, typer.Option(help="Validation data, measured too; needed by --path.")] = None,
    path: Annotated[
        str | None,
        typer.Option(help="Try several C, e.g. 1e-4:1e2 (seven powers of ten), and keep the best on --valid."),
    ] = None,
    plot: Annotated[str | None, typer.Option(help="With --path: draw validation against C (.png, .svg, .pdf).")] = None,
    weights: Annotated[
        str | None,
        typer.Option(help="Position weights A of the loss: linear, inverse-sqrt, discount, partial-order, yue, learn."),
    ] = None,
    measure: c.Measures = None,
    normalise: Annotated[
        str | None, typer.Option(help="query-minmax, query-zscore or zscore, kept in the model.")
    ] = None,
    solver: Annotated[
        str, typer.Option(help="bundle (any loss), newton, lbfgs (smooth ones), sgd, or auto: what fits.")
    ] = "auto",
    tol: Annotated[float, typer.Option(help="Relative gap to certify.")] = 1e-3,
    max_iter: Annotated[int, typer.Option(help="The most iterations.")] = 1000,
) -> None:
    """Learn a linear ranker: by a bound on the measure itself, or by pairs; to a certified optimum.

    `rankine train train.txt --loss svm-ndcg@10 -C 0.1 --valid vali.txt -o model.json`

    `rankine train train.txt --loss svm-map --path 1e-4:1e1 --valid vali.txt -o model.json --plot path.png`
    """
    from ..errors import InputError
    from ..losses import get
    from ..measures import parse
    from ..rankers import LinearRanker

    made_for = get(loss).measure
    if loss.startswith("consistent-wpd"):
        raise InputError("consistent-wpd learns from preference graphs, which no data file holds: use it from Python")
    if parse(made_for).supervision == "preferences":
        made_for = "nDCG@10"
    names = c.measure_names(measure or [made_for, "nDCG@10", "AP"], c.Gain.exp)
    if path is not None and valid is None:
        raise InputError("--path chooses C on validation data: pass --valid")
    if plot is not None and path is None:
        raise InputError("--plot draws a path: pass --path")
    if not Path(output).parent.is_dir():
        raise InputError(f"there is no folder '{Path(output).parent}' to write into", output)
    train = c.load_data(data)
    held_out = None if valid is None else c.load_data(valid)
    grid = [weight] if path is None else grid_of(path, "--path")
    tried: list[tuple[Any, ...]] = []
    best: Any = None
    options = None if weights is None else {"A": weights}
    ranker = LinearRanker(
        loss=loss, loss_options=options, normalise=normalise, solver=solver, tol=tol, max_iter=max_iter
    )
    for model in ranker.path(grid, train):
        C = model.C
        score = None if held_out is None else model.score(held_out)
        tried.append((C, model, score))
        if best is None or (score is not None and score > best[2]):
            best = tried[-1]
    C, model, _ = best
    model.save(output)
    if path is not None:
        rows = [(f"{t[0]:g}", f"{t[1].objective_:.5g}", f"{t[1].gap_:.1e}", t[1].n_iter_, f"{t[2]:.4f}") for t in tried]
        print_table(f"{made_for} on {valid}", ["C", "objective", "gap", "iterations", made_for], rows)
        if plot is not None:
            from ..rankers.pictures import draw_path

            draw_path([t[0] for t in tried], [t[2] for t in tried], made_for, C, plot)
    sets = {"train": train} if held_out is None else {"train": train, "valid": held_out}
    _report(model, sets, names, made_for, output)


def grid_of(text: str, option: str) -> list[float]:
    """Powers of ten from ``low:high``, or the numbers of a comma-separated list."""
    from ..errors import InputError

    try:
        if ":" not in text:
            values = [float(v) for v in text.split(",")]
        else:
            import math

            low, high = (math.log10(float(v)) for v in text.split(":"))
            values = [10**e for e in range(round(low), round(high) + 1)]
    except (ValueError, OverflowError):
        values = []
    if not values or not all(0 < v < float("inf") for v in values):
        raise InputError(f"{option} must be low:high or a list of positive numbers, got {text!r}")
    return sorted(values)


def _report(model: Any, sets: dict[str, RankingData], names: list[str], made_for: str, output: str) -> None:
    from ..losses import get
    from ..measures import evaluate
    from ..measures.evaluation import gain_note, parse_all

    names = list(dict.fromkeys(names))
    rows = []
    loss = get(model.loss)
    for name, data in sets.items():
        found = evaluate(names, loss.as_grades(data.y), model.predict(data), data.qid)
        rows.append((name, data.n_queries, *(f"{v:.4f}" for v in found.mean.values())))
    note = gain_note(parse_all(names).values())
    print_table("Measures", ["data", "queries", *names], rows, note)
    certified = f"certified to within {model.gap_:.2%}" if loss.convex else "a local minimum, not certified,"
    typer.echo(f"objective {model.objective_:.6g}, {certified} in {model.n_iter_} iterations", err=True)
    if loss.bounds:
        bound, n = guarantee(model, sets["train"])
        typer.echo(
            f"guaranteed: over the {n} training queries that carry information the mean of 1 − {made_for} is at most "
            f"{bound:.4f}",
            err=True,
        )
    typer.echo(f"model written to {output}", err=True)


def guarantee(model: Any, data: RankingData) -> tuple[float, int]:
    """The mean loss over the queries that carry information, an upper bound on their mean of 1 − measure."""
    from ..losses import get

    options = dict(model.loss_options or {})
    if hasattr(model, "A_"):
        options["A"] = model.A_
    prepared = get(model.loss, **options).prepare(data.y, data.ptr)
    values, _ = prepared(model.predict(data))
    n = int(prepared.informative.sum())
    return float(values.sum()) / max(n, 1), n
