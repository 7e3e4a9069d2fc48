"""``rankine spoken pspl`` and ``rankine spoken cn``."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .common import Lexicon, Output, Prune, Source, Units, Workers, reads_lattices, write_all

if TYPE_CHECKING:
    from ...spoken import Posteriors
    from ...spoken.lattice.batch import Scoring
    from ...spoken.lattice.formats import Piece

_HEADER = b"utterance\tposition\tunit\tposterior\tstart\tend\n"


@reads_lattices
def pspl(
    source: Source, units: Units = "words", lexicon: Lexicon = None, prune: Prune = 1e-4, output: Output = None,
    workers: Workers = None,
) -> None:  # fmt: skip
    """Position-specific posteriors as (utterance, position, unit, posterior, start, end).

    `rankine spoken pspl lattices/ --units syllables -o pspl.tsv`
    """
    _checked(prune, units, lexicon)
    work = partial(_table, source.scoring, units, lexicon, prune, "pspl", "tsv")
    write_all(source, work, output, workers, _HEADER, f"pspl {units} {lexicon} {prune}")


@reads_lattices
def cn(
    source: Source, units: Units = "words", lexicon: Lexicon = None, prune: Prune = 1e-4, output: Output = None,
    workers: Workers = None,
    method: Annotated[
        str,
        typer.Option(help="pivot, or mangu: clustering by time and sound (of --lexicon), after pruning arcs at 1e-4."),
    ] = "pivot",
) -> None:  # fmt: skip
    """Confusion networks as (utterance, slot, unit, posterior, start, end); as `.mesh` (SRILM) or `.sausage` by ending.

    `rankine spoken cn lat.1.gz --words words.txt -o cn.tsv`
    """
    _checked(prune, units, lexicon, method)
    endings = Path(output or "").suffixes
    form = "mesh" if ".mesh" in endings else "sausage" if ".sausage" in endings else "tsv"
    work = partial(_table, source.scoring, units, lexicon, prune, method, form)
    settings = f"cn {units} {lexicon} {prune} {method}"
    write_all(source, work, output, workers, _HEADER if form == "tsv" else b"", settings)


def _checked(prune: float, units: str, lexicon: str | None, method: str = "pivot") -> None:
    """Complain about options once, before the work."""
    from ...errors import InputError
    from ...spoken.lattice.units import splitter

    if not 0 <= prune < 1:
        raise InputError(f"--prune must be at least 0 and below 1, got {prune}")
    if method not in ("pivot", "mangu"):
        raise InputError(f"--method must be pivot or mangu, got {method!r}")
    splitter(units, lexicon)


def _table(
    scoring: Scoring, units: str, lexicon: str | None, prune: float, method: str, form: str, piece: Piece
) -> bytes:  # fmt: skip
    from ...spoken.lattice.formats import write_mesh, write_sausage

    found = compute(scoring, units, lexicon, prune, method, piece)
    if form != "tsv":
        return write_mesh(found) if form == "mesh" else write_sausage(found)
    return "".join(
        f"{piece.name}\t{position}\t{_cell(unit)}\t{p:.6f}\t{begin:.3f}\t{end:.3f}\n"
        for (position, unit, p), begin, end in zip(found.triples(), found.start, found.end, strict=True)
    ).encode()


def _cell(text: str) -> str:
    """Text without what ends a cell or a line."""
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def compute(
    scoring: Scoring, units: str, lexicon: str | None, prune: float, method: str, piece: Piece
) -> Posteriors:  # fmt: skip
    """The posteriors of an utterance; ``method`` is pspl, pivot or mangu."""
    from ...spoken import arc_posteriors, confusion_network
    from ...spoken import pspl as position_specific
    from ...spoken.lattice.units import splitter, to_units
    from ...spoken.lattice.units.english import pronounce

    lattice = scoring.open(piece)
    if method == "mangu":
        lattice = lattice.prune(arc_posteriors(lattice).posterior, 1e-4)
    lattice = to_units(lattice, splitter(units, lexicon))
    found = arc_posteriors(lattice)
    if method == "pspl":
        return position_specific(lattice, found, prune)
    if method == "mangu" and lexicon is not None and units == "words":
        sound = pronounce(lexicon)
        return confusion_network(lattice, method, found, prune, lambda word: sound(word)[0])
    return confusion_network(lattice, method, found, prune)
