"""``rankine tune``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ..io.formats import DataReading
from ..rankers.table import TABLE, RankerRow
from ..system.console import print_table, say
from ..system.signals import keeping
from .shared import common as c
from .shared.checks import check_data, refuse_folds

_TUNED = [name for name in TABLE if name != "auto"]
_RANKERS = f"What is tuned: {', '.join(_TUNED)}. `rankine rankers` explains them and lists the values tried by default."
PositionWeightList = Annotated[
    list[str] | None, typer.Option(help="Position weights A to try (see `rankine losses`); repeat it.")
]
NormaliserList = Annotated[
    list[str] | None, typer.Option(help=f"A normaliser to try: {c.NORMALISERS} or none; repeat it.")
]
SettingList = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A value to try for a parameter of the ranker; repeat it."),
]
ValidationData = Annotated[
    list[str] | None, typer.Option(help="Validation data (repeat it for several files); without it, folds by query.")
]
RefitOutput = Annotated[str | None, typer.Option("-o", "--output", help="Refit the best on all data, save it here.")]


def command(
    data: c.TrainingData,
    folder: Annotated[
        str | None, typer.Option(help="Where finished jobs and results go; a later run goes on from there.")
    ] = None,
    ranker: Annotated[str, typer.Option(help=_RANKERS)] = "linear",
    loss: Annotated[list[str] | None, typer.Option(help="A loss to try (see `rankine losses`); repeat it.")] = None,
    values: Annotated[str | None, typer.Option("-C", help="Values of C: low:high (powers of ten) or a list.")] = None,
    weights: PositionWeightList = None,
    rounds: Annotated[str | None, typer.Option(help="Numbers of rounds to try, for boosting; a list.")] = None,
    normalise: NormaliserList = None,
    settings: SettingList = None,
    measure: Annotated[
        str, typer.Option("-m", "--measure", help="Measure by which the best combination is chosen.")
    ] = "nDCG@10",
    valid: ValidationData = None,
    folds: Annotated[int | None, typer.Option(help="Number of folds; by default 5.")] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed of the folds; by default 0.")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; by default one per core.")] = None,
    output: RefitOutput = None,
    reading: DataReading = c.NOTHING_SAID,
) -> None:
    """Try every combination of parameters of a ranker, and rank the combinations by a measure.

    `rankine tune train.txt --loss svm-map --loss ranksvm-l2 -C 1e-4:1e1 --folder tuning -o model.json`

    `rankine tune train.txt --ranker adarank --folder tuning`
    """
    from ..rankers.auto.tuning import tune
    from ..rankers.models.provenance import made_by

    row = _row(ranker)
    refuse_folds(valid, {"--folds": folds, "--seed": seed})
    split = {"folds": 5 if folds is None else folds, "seed": 0 if seed is None else seed}
    estimator = row.make(measure=measure)
    options: dict[str, tuple[str, Any]] = {
        "loss": ("--loss", loss),
        "loss_options": ("--weights", weights and [{"A": a} for a in weights]),
        "C": ("-C", values and c.grid_of(values, "-C")),
        "n_rounds": ("--rounds", rounds and _whole_numbers(rounds)),
        "normalise": ("--normalise", normalise and [None if n == "none" else n for n in normalise]),
    }
    grid = _grid(ranker, row, options, settings or [])
    if output is not None:
        c.check_output(output, [*data, *(valid or [])])
    train = c.load_data(data, reading)
    held_out = None if valid is None else c.load_data(valid, reading)
    check_data(estimator, measure, (c.listed(data), train), (c.listed(valid or []), held_out))
    keeping("nothing" if folder is None else f"finished jobs in {folder}; the same command goes on from there")
    tuning = tune(estimator, train, grid, measure=measure, valid=held_out, workers=workers, folder=folder, **split)
    print_table(f"{tuning.measure}, {'validation data' if valid else '{folds} folds'.format(**split)}", *tuning.table())
    for line in tuning.report().lines:
        say(line)
    if folder is not None:
        say(f"results: {Path(folder, 'leaderboard.csv')}, tune.json{', tune.png' if tuning.axis else ''}")
    if output is not None:
        with made_by(c.command_line()):
            tuning.refit(train, held_out).save(output)
        say(f"the best, fitted on all of {c.listed(data)}: {output}")


def _row(ranker: str) -> RankerRow:
    """The row of a ranker that has a grid."""
    from ..errors import InputError
    from ..rankers.table import row_of

    if ranker == "auto":
        raise InputError("tune tries a grid of one ranker; `rankine train` tries all of them")
    return row_of(ranker)


def _grid(
    ranker: str, row: RankerRow, options: dict[str, tuple[str, Any]], texts: Sequence[str]
) -> dict[str, list[Any]]:
    """The grid of the ranker's row, with the values of options in place of its own."""
    from inspect import signature

    from .shared.parameters import given_options, grid_of_settings

    kind = row.load()
    given = given_options(ranker, signature(kind).parameters, {n: (o, v or None) for n, (o, v) in options.items()})
    values_of = given | grid_of_settings(kind, texts, given)
    order = dict.fromkeys(["loss", "loss_options", "C", "n_rounds", *row.grid, *values_of])
    if "normalise" in order:
        order["normalise"] = order.pop("normalise")
    return {name: list(values_of.get(name) or row.grid[name]) for name in order if name in {**values_of, **row.grid}}


def _whole_numbers(text: str) -> list[int]:
    from ..errors import InputError

    if not all(v.strip().isdigit() for v in text.split(",")):
        raise InputError(f"--rounds must be a list of whole numbers, got {text!r}")
    return [int(v) for v in text.split(",")]
