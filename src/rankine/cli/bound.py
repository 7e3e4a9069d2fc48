"""``rankine bound``."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from ..io.formats import DataReading
from ..system.console import say
from .shared import common as c


def command(
    model: Annotated[str, typer.Argument(help="A linear model that `rankine train` wrote.")],
    data: Annotated[
        list[str],
        typer.Argument(help=f"The queries it was trained on (or not, with --held-out): {c.FORMATS}. {c.SEVERAL}"),
    ],
    delta: Annotated[float, typer.Option(help="The chance that the sample misleads.")] = 0.05,
    B: Annotated[
        float | None, typer.Option("--norm", help="A bound on ‖w‖ fixed beforehand; else powers of two share δ.")
    ] = None,
    M: Annotated[
        float | None, typer.Option("--radius", help="A bound on the norm of features; else the sample's largest.")
    ] = None,
    held_out: Annotated[bool, typer.Option("--held-out", help="The model was not trained on this data.")] = False,
    reading: DataReading = c.NOTHING_SAID,
) -> None:
    """What theory guarantees about queries to come: risk bounds with all their terms.

    `rankine bound model.json train.txt` and, mostly more telling, `rankine bound model.json test.txt --held-out`
    """
    from ..errors import InputError
    from ..system.console import print_table
    from ..theory import risk_bound
    from ..theory.wording import digits_up, number_up, probability

    option = "--norm" if B is not None else "--radius" if M is not None else None
    if held_out and option is not None:
        raise InputError(f"{option} is of bounds from training data: leave it out, or --held-out")
    fitted, queries = c.load_model(model), c.load_data(data, reading)
    problem = fitted.problem_of(queries)
    if problem:
        raise InputError(f"there is nothing to bound: {problem}", c.listed(data))
    guarantee = risk_bound(fitted, queries, delta, B=B, M=M, held_out=held_out)
    rows = [
        (b.result, b.of, b.status, *(number_up(x) for x in (b.log_risk, b.log_complexity, b.log_confidence)),
         number_up(b.log_total, certain=True), number_up(b.log_largest), "no" if b.vacuous else "yes",
         _queries(b.queries_needed(guarantee.n)))
        for b in guarantee.bounds
    ]  # fmt: skip
    columns = ("result", "what is bounded", "proof", "mean loss", "+ complexity", "+ confidence", "= bound",
               "the maximum", "below the maximum", "queries needed")  # fmt: skip
    g = guarantee
    norms = "" if held_out else f"B = {digits_up(g.B, 6)}, M = {digits_up(g.M)}, "
    title = f"{g.loss}: n = {g.n:,} queries, m ≤ {g.m}, {norms}δ = {delta:g}"
    print_table(title, columns, rows)
    for b in guarantee.bounds:
        say(f"{b.result}: {b.why}.")
    for note in guarantee.notes:
        say(note)
    best = guarantee.best
    if best.vacuous:
        say("Every bound is at or above the largest possible error, as is usual for so few queries.")
    else:
        at_most = number_up(best.log_total, certain=True)
        given = "" if held_out else ", if no query to come is longer, has more pairs or larger features than these"
        say(f"With probability {probability(delta)}{given}: {best.of} ≤ {at_most} ({best.result}).")


def _queries(n: float) -> str:
    return "no number" if math.isinf(n) else f"{n:.3g}"
