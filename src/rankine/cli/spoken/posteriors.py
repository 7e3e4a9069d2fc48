"""``rankine spoken pspl`` and ``rankine spoken cn``."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .common import LatticeSource, Lexicon, Output, Prune, Units, Workers, finish, reads_lattices, write_all

if TYPE_CHECKING:
    from ...spoken import UnitPosteriors
    from ...spoken.lattice.formats import Piece
    from ...spoken.lattice.scoring import Scoring

_HEADER = b"utterance\tposition\tunit\tposterior\tstart\tend\n"


@reads_lattices
def pspl(
    source: LatticeSource, units: Units = "words", lexicon: Lexicon = None, prune: Prune = 1e-4, output: Output = None,
    workers: Workers = None,
) -> None:  # fmt: skip
    """Write position-specific posteriors as (utterance, position, unit, posterior, start, end).

    `rankine spoken pspl lattices/ --units syllables -o pspl.tsv`
    """
    _check_options(prune, units, lexicon)
    work = partial(_rows, source.scoring, units, lexicon, prune, "pspl", "tsv")
    finish(*write_all(source, work, output, workers, _HEADER, f"pspl {units} {lexicon} {prune}"))


@reads_lattices
def cn(
    source: LatticeSource, units: Units = "words", lexicon: Lexicon = None, prune: Prune = 1e-4, output: Output = None,
    workers: Workers = None,
    method: Annotated[
        str,
        typer.Option(help="pivot, or mangu (clustering by time and by sound of --lexicon; arcs pruned at 1e-4)."),
    ] = "pivot",
) -> None:  # fmt: skip
    """Write confusion networks as (utterance, slot, unit, posterior, start, end), or as a `.mesh` or a `.sausage`.

    `rankine spoken cn lat.1.gz --words words.txt -o cn.tsv`
    """
    from ...spoken.lattice.formats import TABLE
    from ...spoken.lattice.formats.table import name_by_path

    _check_options(prune, units, lexicon, method)
    name = name_by_path(Path(output or ""))
    form = name if name is not None and TABLE[name].writes == "network" else "tsv"
    work = partial(_rows, source.scoring, units, lexicon, prune, method, form)
    settings = f"cn {units} {lexicon} {prune} {method}"
    finish(*write_all(source, work, output, workers, _HEADER if form == "tsv" else b"", settings))


def _check_options(prune: float, units: str, lexicon: str | None, method: str = "pivot") -> None:
    """Raise InputError for a bad option once, before the work."""
    from ...spoken.lattice.confusion import check_method
    from ...spoken.lattice.lattice import check_threshold
    from ...spoken.lattice.units import splitter

    check_threshold(prune, "--prune")
    check_method(method, "--method")
    splitter(units, lexicon)


def _rows(
    scoring: Scoring, units: str, lexicon: str | None, prune: float, method: str, form: str, piece: Piece
) -> bytes:  # fmt: skip
    from ...spoken.lattice.formats.table import writer_of
    from ...spoken.text import escaped

    posteriors = compute(scoring, units, lexicon, prune, method, piece)
    if form != "tsv":
        return writer_of(form)(posteriors)
    return "".join(
        f"{piece.name}\t{position}\t{escaped(unit)}\t{p:.6f}\t{begin:.3f}\t{end:.3f}\n"
        for (position, unit, p), begin, end in zip(posteriors.triples(), posteriors.start, posteriors.end, strict=True)
    ).encode()


def compute(
    scoring: Scoring, units: str, lexicon: str | None, prune: float, method: str, piece: Piece
) -> UnitPosteriors:  # fmt: skip
    """The posteriors of an utterance; ``method`` is pspl, pivot or mangu."""
    from ...spoken import arc_posteriors, confusion_network
    from ...spoken import pspl as position_specific
    from ...spoken.lattice.units import splitter, to_units
    from ...spoken.lattice.units.english import pronounce

    lattice = scoring.open(piece)
    if method == "mangu":
        lattice = lattice.prune(arc_posteriors(lattice).posterior, 1e-4)
    lattice = to_units(lattice, splitter(units, lexicon))
    by_arc = arc_posteriors(lattice)
    if method == "pspl":
        return position_specific(lattice, by_arc, prune)
    if method == "mangu" and lexicon is not None and units == "words":
        sound = pronounce(lexicon)
        return confusion_network(lattice, method, by_arc, prune, lambda word: sound(word)[0])
    return confusion_network(lattice, method, by_arc, prune)
