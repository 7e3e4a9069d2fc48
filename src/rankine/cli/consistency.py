"""``rankine consistency``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console import put
from ..errors import InputError

if TYPE_CHECKING:
    from ..theory.consistency import Verdict


def command(
    measure: Annotated[
        str,
        typer.Argument(help="A measure, such as DCG@k or AP; for another one an error lists those that are supported."),
    ],
    loss: Annotated[
        str | None, typer.Option("-l", "--loss", help="Look for a case in which minimising this loss misleads.")
    ] = None,
    items: Annotated[int, typer.Option("-m", "--items", help="Number of documents.")] = 3,
    grades: Annotated[str, typer.Option("-g", "--grades", help="The grades that occur.")] = "0,1",
    distribution: Annotated[
        str | None,
        typer.Option("--given", help="A distribution to check: lines of a probability and the grades of all items."),
    ] = None,
    tries: Annotated[int, typer.Option(help="Number of random distributions to look at.")] = 200,
    seed: Annotated[int, typer.Option(help="Random seed of the distributions.")] = 0,
) -> None:
    """Whether a measure can be optimised by sorting, and whether a loss leads there.

    Without a loss: does the measure have a standard form, so that order-preserving losses are consistent for it?
    `rankine consistency AP -m 4`

    With a loss: `rankine consistency DCG --loss preorder --grades 0,1,2`
    """
    from ..theory import consistency, standard_form_exists

    if loss is None:
        if distribution is not None:
            raise InputError("--given is a distribution to check a loss with: name one with --loss")
        _show_form(measure, standard_form_exists(measure, consistency.every_label(_grades(grades), items)))
        return
    if distribution is not None:
        labels, probabilities = _read(distribution)
        _show(consistency.check(loss, measure, labels, probabilities))
        return
    labels = consistency.every_label(_grades(grades), items)
    verdict = consistency.search(loss, measure, labels, tries=tries, seed=seed)
    if verdict is None:
        put(f"{loss} was consistent with {measure} under each of {tries} random distributions of grades "
                   f"{grades} over {items} items. That is no proof.")  # fmt: skip
    else:
        _show(verdict)


def _grades(text: str) -> list[int]:
    try:
        return [int(g) for g in text.split(",")]
    except ValueError:
        raise InputError(f"--grades are whole numbers with commas, such as 0,1,2; got {text!r}") from None


def _read(path: str) -> tuple[list[Any], list[str]]:
    from ..limits import check_decimal
    from ..sources import text_lines

    labels: list[Any] = []
    probabilities: list[str] = []
    for number, line in text_lines(path):
        words = line.split("#")[0].split()
        if len(words) == 1:
            raise InputError("expected a probability and the grades of all items", f"{path}, line {number}")
        for word in words:
            check_decimal(word, f"{path}, line {number}")
        if words:
            probabilities.append(words[0])
            labels.append(words[1:])
    return labels, probabilities


def _show(verdict: Verdict) -> None:
    from ..console import print_table

    rows = [(str(p), *map(str, y)) for p, y in zip(verdict.probabilities, verdict.labels, strict=True) if p]
    m = len(verdict.scores)
    rows.append((f"minimiser of {verdict.loss}", *(f"{s:.4f}" for s in verdict.scores)))
    print_table("grades and their probability", ("probability", *(f"item {i + 1}" for i in range(m))), rows)
    put(f"{verdict.answer}: the loss sorts {_order(verdict.order)}; best for {verdict.measure} "
               f"{'is' if len(verdict.optimum.rankings) == 1 else 'are'} {_best(verdict)}; expected {verdict.measure} "
               f"lost: {float(verdict.regret):.4g}")  # fmt: skip


def _order(groups: Any) -> str:
    return " > ".join(" = ".join(str(i + 1) for i in group) for group in groups)


def _best(verdict: Verdict) -> str:
    orders = [_order([(i,) for i in order]) for order in verdict.optimum.rankings]
    return ", ".join(orders[:4]) + (f" and {len(orders) - 4} more" if len(orders) > 4 else "")


def _show_form(measure: str, form: Any) -> None:
    from ..console import print_table

    m = len(form.labels[0])
    put(f"{measure} on these {len(form.labels)} supervisions of {m} items has a standard form: {form.answer}, "
               f"{form.why}.")  # fmt: skip
    if form.r is not None:
        rows = [(_label(y), *(f"{float(x):.6g}" for x in r)) for y, r in zip(form.labels, form.r, strict=True)]
        print_table(
            "r, up to scale and what is common to a row", ("grades", *(f"item {i + 1}" for i in range(m))), rows
        )
    for order, i, j, weights in form.certificate or ():
        rows = [(_label(y), str(w)) for y, w in zip(form.labels, weights, strict=True) if w]
        put(f"\nHere {_order([(t,) for t in order])} is optimal, so E[r] of item {i + 1} ≥ that of {j + 1}:")
        print_table("", ("grades", "weight"), rows)
    if form.certificate:
        put("\nSummed over these tables (and over all renamings of the items), the differences cancel for every "
                   "r, though one of them must be positive.")  # fmt: skip


def _label(label: Any) -> str:
    return " ".join(str(g) for g in label)
