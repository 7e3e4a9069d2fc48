"""Lists of what there is: ``rankine measures``, ``losses``, ``rankers``, ``solvers`` and ``formats``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .shared import common as c
from .shared.printing import print_rows

if TYPE_CHECKING:
    from ..measures.table import Parameter

MEASURE_COLUMNS = ("name", "also", "what it is")


def measures_command(output: c.OutputOption = c.Output.table) -> None:
    """List all measures: names, parameters, trec_eval's names, and a line of explanation."""
    from ..measures.evaluation import GAIN_NOTE

    print_rows("Measures", MEASURE_COLUMNS, measure_rows(), output, GAIN_NOTE)


def measure_rows() -> list[tuple[str, str, str]]:
    """Each measure with its parameters, its other names, and its explanation."""
    from ..measures.table import ALIASES, TABLE
    from ..measures.trec_eval.names import TREC_NAMES

    out = []
    for name, row in TABLE.items():
        others = [a for a, b in ALIASES.items() if b == name]
        trec = [
            t + _settings(trec_row.params, row.parameters)
            for t, trec_row in TREC_NAMES.items()
            if trec_row.measure == name and t not in (name, *others)
        ]
        out.append((_spelled(name, row.parameters), " ".join([*others, *trec]), row.explanation))
    return out


def _settings(given: dict[str, Any], parameters: dict[str, Parameter]) -> str:
    """The parameters that a name of trec_eval has otherwise than the measure."""
    other = [f"{k}={_short(v)}" for k, v in given.items() if v != parameters[k].default]
    return f"({', '.join(other)})" if other else ""


def _spelled(name: str, parameters: dict[str, Parameter]) -> str:
    """The name with its parameters, their defaults, and where a cutoff goes."""
    inside = [k if p.default is None else f"{k}={_short(p.default)}" for k, p in parameters.items() if k != "cutoff"]
    cutoff = parameters.get("cutoff")
    letter = "k" if cutoff is None or cutoff.value_type is int else "x"
    suffix = "" if cutoff is None else f"@{letter}" if cutoff.required else "[@k]"
    return name + (f"({', '.join(inside)})" if inside else "") + suffix


def _short(value: object) -> str:
    if value == ():
        return "()"
    if isinstance(value, tuple):
        return f"({_short(value[0])}, …, {_short(value[-1])})"
    return f"{value:g}" if isinstance(value, float) else repr(value)


# -- ``rankine losses``


LOSSE_COLUMNS = ("name", "variants", "made for", "learns from", "bounds", "what it is")


def losses_command(output: c.OutputOption = c.Output.table) -> None:
    """List all losses: names, the measure each is made for, what it learns from, and what it bounds."""
    from ..losses.structured.hinge import POSITION_WEIGHTS

    note = f"Position weights A of the svm- losses: {', '.join(POSITION_WEIGHTS)}; learn learns them along with w."
    print_rows("Losses", LOSSE_COLUMNS, losse_rows(), output, note)


def losse_rows() -> list[tuple[str, str, str, str, str, str]]:
    """Each loss with its variants, its measure if it is made for one, its supervision, its bound, its explanation."""
    from ..losses.table import TABLE, get

    out = []
    for name, row in TABLE.items():
        cut = {"no": "", "may": "[@k]", "must": "@k"}[row.cut]
        loss = get(name if row.cut == "no" else f"{name}@10")
        made_for_none = not cut and loss.measure == "nDCG@10"  # then it is only reported by that
        measure = "" if made_for_none else loss.measure.replace("@10", cut)
        bounded = "" if loss.bounded is None else loss.bounded.text.replace("@10", cut)
        variants = " ".join(f":{v}" for v in row.variants)
        out.append((f"{name}{cut}", variants, measure, " or ".join(loss.supervision), bounded, row.explanation))
    return out


# -- ``rankine rankers``


RANKER_COLUMNS = ("name", "in Python", "needs", "what it is", "what tune tries")
CANDIDATE_COLUMNS = ("candidate", "ranker", "needs", "settings", "what is tried")


def rankers_command(
    candidates: Annotated[
        bool, typer.Option("--candidates", help="List the candidates that `rankine train` tries, in their order.")
    ] = False,
    output: c.OutputOption = c.Output.table,
) -> None:
    """List all rankers: names, the classes in Python, what each is, and what `rankine tune` tries for it."""
    if candidates:
        print_rows("Candidates", CANDIDATE_COLUMNS, candidate_rows(), output)
    else:
        print_rows("Rankers", RANKER_COLUMNS, ranker_rows(), output)


def candidate_rows() -> list[tuple[str, str, str, str, str]]:
    """Each candidate of AutoRanker with its ranker, the extra it needs, its settings, and the values it tries."""
    from ..rankers.auto.candidates import CANDIDATES
    from ..rankers.table import TABLE

    out = []
    for row in CANDIDATES:
        extra = TABLE[row.ranker].extra
        fixed = ", ".join(f"{name} {_short_grid(value)}" for name, value in row.settings.items())
        tried = "" if row.sweep is None else f"{row.sweep[0]}: {', '.join(map(_short_grid, row.sweep[1]))}"
        out.append((row.name, row.ranker, extra and f"[{extra}]", fixed, tried))
    return out


def ranker_rows() -> list[tuple[str, str, str, str, str]]:
    """Each ranker with its class, the extra it needs, its explanation, and its grid."""
    from ..rankers.table import TABLE

    out = []
    for name, row in TABLE.items():
        grid = "; ".join(
            f"{parameter}: {', '.join(map(_short_grid, values))}" for parameter, values in row.grid.items()
        )
        out.append((name, row.class_name, row.extra and f"[{row.extra}]", row.explanation, grid))
    return out


def _short_grid(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


# -- ``rankine solvers``


SOLVER_COLUMNS = ("name", "losses", "a loss must have", "what it does")


def solvers_command(output: c.OutputOption = c.Output.table) -> None:
    """List all solvers: names, what each needs of a loss, and what it does."""
    print_rows("Solvers", SOLVER_COLUMNS, solver_rows(), output)


def solver_rows() -> list[tuple[str, str, str, str]]:
    """Each solver with the losses it can minimise, what it needs of them, and its explanation."""
    from ..solvers import NEEDS, TABLE

    return [
        (name, "any" if row.not_convex else "convex", ", ".join(NEEDS[need] for need in row.needs), row.explanation)
        for name, row in TABLE.items()
    ]


# -- ``rankine formats``


FORMAT_COLUMNS = ("name", "holds", "endings", "what it is")


def formats_command(output: c.OutputOption = c.Output.table) -> None:
    """List all formats that are read: judged data, judgments, runs, and lattices of speech recognisers."""
    print_rows("Formats", FORMAT_COLUMNS, format_rows(), output)


def format_rows() -> list[tuple[str, str, str, str]]:
    """Each format with its content, its endings, and its explanation."""
    from ..io.formats import TABLE
    from ..spoken.lattice.formats import TABLE as LATTICES

    return [
        *((name, row.holds, " ".join(row.endings), row.explanation) for name, row in TABLE.items()),
        *((name, "lattices", " ".join(row.endings), row.explanation) for name, row in LATTICES.items()),
    ]
