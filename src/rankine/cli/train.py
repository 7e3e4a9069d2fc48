"""``rankine train``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console import print_table, say
from ..interrupt import keeping, results_are_whole
from . import common as c

if TYPE_CHECKING:
    from ..data import RankingData


def command(
    data: c.TrainingData,
    output: Annotated[str, typer.Option("-o", "--output", help="Where the model goes, as JSON.")],
    loss: Annotated[str, typer.Option(help="Loss name; `rankine losses` lists all.")] = "svm-ndcg@10",
    weight: Annotated[float, typer.Option("-C", help="Weight of the losses against ½‖w‖².")] = 1.0,
    valid: Annotated[str | None, typer.Option(help="Validation data, measured too; needed by --path.")] = None,
    path: Annotated[
        str | None,
        typer.Option(help="Try several C, e.g. 1e-4:1e2 (seven powers of ten), and keep the best on --valid."),
    ] = None,
    plot: Annotated[str | None, typer.Option(help="With --path: draw validation against C (.png, .svg, .pdf).")] = None,
    weights: Annotated[
        str | None, typer.Option(help="Position weights A of the loss; `rankine losses` lists them.")
    ] = None,
    measure: c.Measures = None,
    normalise: Annotated[
        str | None, typer.Option(help=f"Normaliser of the features, kept in the model: {c.NORMALISERS}.")
    ] = None,
    solver: Annotated[str, typer.Option(help="Solver name, or auto; `rankine solvers` lists all.")] = "auto",
    tol: Annotated[float, typer.Option(help="Relative gap to certify.")] = 1e-3,
    max_iter: Annotated[int, typer.Option(help="The most iterations.")] = 1000,
) -> None:
    """Learn a linear ranker: by a bound on the measure itself, or by pairs; to a certified optimum.

    `rankine train train.txt --loss svm-ndcg@10 -C 0.1 --valid vali.txt -o model.json`

    `rankine train train.txt --loss svm-map --path 1e-4:1e1 --valid vali.txt -o model.json --plot path.png`
    """
    from ..errors import InputError
    from ..files import check_folder_of
    from ..rankers import LinearRanker

    made_for = _measure_of(loss)
    names = c.measure_names(measure or [made_for, *_further_measures(loss)], c.Gain.exp)
    if path is not None and valid is None:
        raise InputError("--path chooses C on validation data: pass --valid")
    if plot is not None and path is None:
        raise InputError("--plot draws a path: pass --path")
    check_folder_of(output)
    train = c.load_data(data)
    held_out = None if valid is None else c.load_data(valid)
    options = None if weights is None else {"A": weights}
    ranker = LinearRanker(
        loss=loss, loss_options=options, normalise=normalise, solver=solver, tol=tol, max_iter=max_iter
    )
    values = [weight] if path is None else c.grid_of(path, "--path")
    keeping(f"no model, {output} is as it was" if len(values) > 1 else f"the best model so far, in {output}")
    with results_are_whole(len(values) > 1):
        models = ranker.path(values, train)
    scores = [0.0 if held_out is None else model.score(held_out) for model in models]
    best = models[scores.index(max(scores))]
    best.save(output)
    keeping(f"the model, in {output}")
    if path is not None:
        _show_path(models, scores, made_for, f"{made_for} on {valid}", best.C, plot)
    sets = {"train": train} if held_out is None else {"train": train, "valid": held_out}
    _report(best, sets, names, output)


def _measure_of(loss: str) -> str:
    """The measure that a loss is made for, if data files can hold its supervision; nDCG@10 for a graph's measure."""
    from ..errors import InputError
    from ..losses import get
    from ..losses.supervision import PREFERENCES
    from ..measures import parse

    of = get(loss)
    if of.supervision == (PREFERENCES,):
        raise InputError(f"{loss} learns from preference graphs, which no data file holds: use it from Python")
    return "nDCG@10" if parse(of.measure).supervision == "preferences" else of.measure


def _further_measures(loss: str) -> list[str]:
    """The measures that are shown besides the loss's own; none for ranks, of which every document is relevant."""
    from ..losses import get
    from ..losses.supervision import RANKS

    return [] if RANKS in get(loss).supervision else ["nDCG@10", "AP"]


def _show_path(
    models: list[Any], scores: list[float], measure: str, title: str, best: float, plot: str | None
) -> None:  # fmt: skip
    """The table of the values of C that were tried, and their picture."""
    from ..theory.words import digits_up

    rows = [
        (f"{model.C:g}", f"{model.objective_:.5g}", digits_up(model.gap_, 2), model.n_iter_, f"{score:.4f}")
        for model, score in zip(models, scores, strict=True)
    ]
    print_table(title, ["C", "objective", "gap", "iterations", measure], rows)
    if plot is not None:
        from ..rankers.pictures import draw_path

        draw_path([model.C for model in models], scores, measure, best, plot)


def _report(model: Any, sets: dict[str, RankingData], names: list[str], output: str) -> None:
    """Print the measures on each data set, the certificate, and what is guaranteed on the training data."""
    from ..measures import evaluate
    from ..measures.evaluation import gain_note, parse_all
    from ..theory import training_bound

    names = list(dict.fromkeys(names))
    rows = []
    for name, data in sets.items():
        means = evaluate(names, model.grades(data.y), model.predict(data), data.qid).mean
        rows.append((name, data.n_queries, *(f"{v:.4f}" for v in means.values())))
    print_table("Measures", ["data", "queries", *names], rows, gain_note(parse_all(names).values()))
    say(f"objective {model.objective_:.6g}, {_certified(model)} in {model.n_iter_} iterations")
    bound = training_bound(model, sets["train"])
    if bound is not None:
        say(str(bound))
    say(f"model written to {output}")


def _certified(model: Any) -> str:
    """What was proved of the objective, in words."""
    from ..theory.words import decimals_up

    if not model.check_parameters().convex:
        end = "where it falls no more" if model.converged_ else "where it was still falling"
        return (
            f"{end}, not certified (the loss is not convex: nothing is known of the least but that it is not below 0),"
        )
    gap = decimals_up(100 * model.gap_, 2)
    if model.converged_:
        return f"certified to within {gap}%"
    return f"not certified to the {model.tol:.2g} asked for, only to within {gap}%,"
