"""What theory says: ``rankine bound`` and ``rankine consistency``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from ..io.formats import DataReading
from ..system.console import put, say
from .shared import common as c

if TYPE_CHECKING:
    from ..theory.consistency import Verdict


def bound_command(
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


# -- ``rankine consistency``


_MEASURE = (
    "DCG@k, nDCG@k, AP, ERR, RR or P@k of grades; WPD, weighted pairwise disagreement, of preference graphs; zero-one "
    "(also 0-1), the error of permutations, of ranks."
)
_GIVEN = (
    "A file with supervisions and their probabilities. Lines of a probability and the grades, or ranks, of all items; "
    "for WPD blocks of a probability and the m lines of an m × m matrix, with blank lines between them; or JSON: "
    '[{"probability": "1/2", "weights": [[0, 1], [0, 0]]}, …], with "grades" or "ranks" likewise.'
)


def consistency_command(
    measure: Annotated[str, typer.Argument(help=_MEASURE)],
    loss: Annotated[
        str | None, typer.Option("-l", "--loss", help="Look for a case in which minimising this loss misleads.")
    ] = None,
    items: Annotated[int | None, typer.Option("-m", "--items", help="Number of documents; by default 3.")] = None,
    grades: Annotated[
        str | None,
        typer.Option("-g", "--grades", help="The grades that occur, for measures of grades; by default 0,1."),
    ] = None,
    given: Annotated[str | None, typer.Option("--given", metavar="FILE", help=_GIVEN)] = None,
    tries: Annotated[
        int | None, typer.Option(help="Number of random distributions to look at; by default 200.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed of the distributions; by default 0.")] = None,
) -> None:
    """Whether a measure can be optimised by sorting, and whether a loss leads there.

    Without a loss: does the measure have a standard form, so that order-preserving losses are consistent for it?
    `rankine consistency AP -m 4`

    With a loss: `rankine consistency DCG --loss preorder --grades 0,1,2`

    Of preferences and of permutations, where three judges said so:
    `rankine consistency WPD --loss consistent-wpd --given graphs.txt`

    `rankine consistency 0-1 --loss consistent-rank --given ranks.txt`
    """
    from ..theory import consistency, standard_form_exists
    from ..theory.supervisions import load_distribution

    searching = {"--tries": tries, "--seed": seed}
    making = {"--items": items, "--grades": grades}
    if loss is None:
        _refuse(searching, "is for the search with a loss: name one with --loss")
    if given is not None:
        _refuse(making | searching, "is not for --given, whose file holds the supervisions")
        labels, probabilities = load_distribution(given)
        if loss is None:
            _show_form(measure, standard_form_exists(measure, labels))
        else:
            _show(consistency.check(loss, measure, labels, probabilities))
        return
    labels, about = _supervisions(measure, items, grades)
    if loss is None:
        _show_form(measure, standard_form_exists(measure, labels))
        return
    n = 200 if tries is None else tries
    verdict = consistency.search(loss, measure, labels, tries=n, seed=0 if seed is None else seed)
    if verdict is None:
        put(f"{loss} was consistent with {measure} under each of {n} random distributions of {about}. "
                   "That is no proof.")  # fmt: skip
    else:
        _show(verdict)


def _refuse(options: dict[str, Any], why: str) -> None:
    """Raise if an option was given that would have no effect."""
    for name, value in options.items():
        if value is not None:
            raise InputError(f"{name} {why}")


def _supervisions(measure: str, items: int | None, grades: str | None) -> tuple[list[Any], str]:
    """The supervisions that a measure is looked at with where no file holds them, and what they are in words."""
    from ..theory import consistency
    from ..theory.exact_errors import spelled

    m = 3 if items is None else items
    if spelled(measure) == "zero-one" or measure.startswith("WPD"):
        graphs = measure.startswith("WPD")
        _refuse({"--grades": grades}, f"is for measures of grades; {measure} is of {'graphs' if graphs else 'ranks'}")
        if graphs:
            return consistency.every_edge(m), f"graphs of one preference over {m} items"
        return consistency.every_ranking(m), f"permutations of {m} items"
    text = "0,1" if grades is None else grades
    return consistency.every_label(_grades(text), m), f"grades {text} over {m} items"


def _grades(text: str) -> list[int]:
    try:
        return [int(g) for g in text.split(",")]
    except ValueError:
        raise InputError(f"--grades are whole numbers with commas, such as 0,1,2; got {text!r}") from None


def _show(verdict: Verdict) -> None:
    from ..system.console import print_table

    used = [(str(p), y) for p, y in zip(verdict.probabilities, verdict.labels, strict=True) if p]
    m = len(verdict.scores)
    scores = [f"{s:.4f}" for s in verdict.scores]
    kind = _kind(verdict.measure, verdict.labels)
    if kind == "preferences":
        print_table("graphs and their probability", ("probability", "preferences"), [(p, _label(y)) for p, y in used])
        put(f"minimiser of {verdict.loss}: {', '.join(scores)}")
    else:
        rows = [*((p, *map(str, y)) for p, y in used), (f"minimiser of {verdict.loss}", *scores)]
        print_table(f"{kind} and their probability", ("probability", *(f"item {i + 1}" for i in range(m))), rows)
    put(f"{verdict.answer}: the loss sorts {_order(verdict.order)}; best for {verdict.measure} "
               f"{'is' if len(verdict.optimum.rankings) == 1 else 'are'} {_best(verdict)}; expected {verdict.measure} "
               f"lost: {float(verdict.regret):.4g}")  # fmt: skip


def _order(groups: Any) -> str:
    return " > ".join(" = ".join(str(i + 1) for i in group) for group in groups)


def _best(verdict: Verdict) -> str:
    orders = [_order([(i,) for i in order]) for order in verdict.optimum.rankings]
    return ", ".join(orders[:4]) + (f" and {len(orders) - 4} more" if len(orders) > 4 else "")


def _show_form(measure: str, form: Any) -> None:
    from ..system.console import print_table

    m, kind = len(form.labels[0]), _kind(measure, form.labels)
    put(f"{measure} on these {len(form.labels)} supervisions of {m} items has a standard form: {form.answer}, "
               f"{form.why}.")  # fmt: skip
    if form.r is not None:
        rows = [(_label(y), *(f"{float(x):.6g}" for x in r)) for y, r in zip(form.labels, form.r, strict=True)]
        print_table(
            "r, up to scale and what is common to a row",
            (kind, *(f"item {i + 1}" for i in range(m))),
            rows,
        )
    for order, i, j, weights in form.certificate or ():
        rows = [(_label(y), str(w)) for y, w in zip(form.labels, weights, strict=True) if w]
        put(f"\nHere {_order([(t,) for t in order])} is optimal, so E[r] of item {i + 1} ≥ that of {j + 1}:")
        print_table("", (kind, "weight"), rows)
    if form.certificate:
        put("\nSummed over these tables (and over all renamings of the items), the differences cancel for every "
                   "r, though one of them must be positive.")  # fmt: skip


def _label(label: Any) -> str:
    """Grades or ranks; of a matrix the preferences, with their weights where they are not 1."""
    if not isinstance(label[0], tuple):
        return " ".join(str(g) for g in label)
    edges = [(i, j, a) for i, row in enumerate(label, 1) for j, a in enumerate(row, 1) if a]
    return ", ".join(f"{i} > {j}{'' if a == 1 else f' ({a})'}" for i, j, a in edges) or "none"


def _kind(measure: str, labels: Any) -> str:
    """What supervisions are called."""
    from ..theory.exact_errors import spelled

    graphs = isinstance(labels[0][0], tuple)
    return "preferences" if graphs else "ranks" if spelled(measure) == "zero-one" else "grades"
