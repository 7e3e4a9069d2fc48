"""``rankine tune``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ..console import print_table
from . import common as c

NAME = "tune"


class Kind(StrEnum):
    """Which ranker."""

    linear = "linear"
    adarank = "adarank"
    rankboost = "rankboost"


def command(
    data: Annotated[str, typer.Argument(help="Training data: LETOR text (also .gz .xz .zst), .parquet or .arrow.")],
    folder: Annotated[str, typer.Option(help="Where finished jobs and results go; a later run goes on from there.")],
    ranker: Annotated[Kind, typer.Option(help="What is tuned.")] = Kind.linear,
    loss: Annotated[list[str] | None, typer.Option(help="Losses to try; repeat it. Default svm-map.")] = None,
    values: Annotated[str, typer.Option("-C", help="Values of C: low:high (powers of ten) or a list.")] = "1e-4:1e1",
    weights: Annotated[list[str] | None, typer.Option(help="Position weights A to try; repeat it.")] = None,
    rounds: Annotated[str, typer.Option(help="Numbers of rounds to try, for boosting.")] = "50,100,200",
    normalise: Annotated[list[str] | None, typer.Option(help="Normalisers to try; 'none' is one too.")] = None,
    measure: Annotated[str, typer.Option("-m", "--measure", help="What decides.")] = "nDCG@10",
    valid: Annotated[str | None, typer.Option(help="Validation data; without it, folds by query.")] = None,
    folds: Annotated[int, typer.Option(help="How many folds.")] = 5,
    seed: Annotated[int, typer.Option(help="Of the split into folds.")] = 0,
    workers: Annotated[int | None, typer.Option(help="Processes; by default one per core.")] = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="Refit the best on all data, save it here.")
    ] = None,
) -> None:
    """Try every combination of losses, C, position weights and normalisers; the best by a measure wins.

    `rankine tune train.txt --loss svm-map --loss ranksvm-l2 -C 1e-4:1e1 --folder tuning -o model.json`
    """
    from ..errors import InputError
    from ..rankers import AdaRank, LinearRanker, RankBoost, tune

    grid: dict[str, list[Any]] = {}
    estimator: Any
    if ranker is Kind.linear:
        estimator = LinearRanker()
        grid["loss"] = loss or ["svm-map"]
        if weights:
            grid["loss_options"] = [{"A": a} for a in weights]
        grid["C"] = c.grid_of(values, "-C")
    else:
        estimator = AdaRank(measure) if ranker is Kind.adarank else RankBoost()
        if loss or weights:
            raise InputError("--loss and --weights are for the linear ranker")
        if not all(v.strip().isdigit() for v in rounds.split(",")):
            raise InputError(f"--rounds must be a list of whole numbers, got {rounds!r}")
        grid["n_rounds"] = [int(v) for v in rounds.split(",")]
        if ranker is Kind.adarank:
            grid["update"] = ["original", "meng"]
    if normalise:
        grid["normalise"] = [None if n == "none" else n for n in normalise]
    if output is not None and Path(output).is_dir():
        raise InputError("is a folder, a file is needed", output)
    if output is not None and not Path(output).parent.is_dir():
        raise InputError(f"there is no folder '{Path(output).parent}' to write into", output)
    train = c.load_data(data)
    held_out = None if valid is None else c.load_data(valid)
    found = tune(
        estimator, train, grid, measure=measure, valid=held_out, folds=folds, seed=seed, workers=workers, folder=folder
    )  # fmt: skip
    print_table(f"{found.measure}, {'validation data' if valid else f'{folds} folds'}", *found.table())
    typer.echo(f"results: {Path(folder, 'tune.json')}, tune.csv{', tune.png' if found.axis else ''}", err=True)
    if output is not None:
        found.refit(train).save(output)
        typer.echo(f"the best, fitted on all of {data}: {output}", err=True)
