"""``rankine spoken inspect``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ...system.console import counted, print_table, say
from .common import LatticeSource, Workers, finish, reads_lattices

if TYPE_CHECKING:
    from ...spoken.lattice.formats import Piece
    from ...spoken.lattice.scoring import Scoring


@reads_lattices
def inspect(source: LatticeSource, workers: Workers = None) -> None:
    """Print the format of a source, and the size and the best path of every lattice.

    `rankine spoken inspect lattices/`

    `rankine spoken inspect lat.1.gz --words words.txt`
    """
    rows, bad = [], []
    for utterance in source.each(partial(_row, source.scoring), workers):
        if utterance.error is None:
            rows.append(utterance.result)
        else:
            bad.append(utterance.error)
    columns = ["utterance", "nodes", "arcs", "units", "paths", "seconds", "best path"]
    say_formats(source)
    print_table(source.place, columns, rows)
    finish(bad, len(rows))


def say_formats(source: LatticeSource) -> None:
    """Print the format of each file, or how many files have it, and what tells it."""
    from collections import Counter

    from ...spoken.lattice.formats import files
    from ...spoken.lattice.formats.detection import how_told

    told = Counter(
        (file.format, "as --format says" if source.format else f"told {how_told(file.path, file.format)}")
        for file in files(source.place, source.format)
    )
    for (name, how), n in told.items():
        say(f"{source.place}: {counted(n, 'file')} of the format {name}, {how}")


def _row(scoring: Scoring, piece: Piece) -> tuple[Any, ...]:
    import numpy as np

    lattice = scoring.open(piece)
    best = lattice.words(lattice.best_path())
    length = "-" if np.isnan(lattice.end).all() else f"{np.nanmax(lattice.end):.2f}"
    sizes = (lattice.n_nodes, len(lattice), len(lattice.units), f"{lattice.n_paths:.3g}")
    return (piece.name, *sizes, length, " ".join(best))
