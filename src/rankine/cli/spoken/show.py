"""``rankine spoken show``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ...system.console import say
from .common import LatticeSource, Lexicon, Units, reads_lattices

if TYPE_CHECKING:
    from ...spoken.lattice.formats import Piece


@reads_lattices
def show(
    source: LatticeSource,
    output: Annotated[str, typer.Option("-o", "--output", help="The picture: .svg, .png or .pdf.")] = "lattice.svg",
    utterance: Annotated[str | None, typer.Option(help="Name of the utterance; default: the first.")] = None,
    what: Annotated[
        str,
        typer.Option(
            "--as", help="What to draw: lattice (bars in time), or pspl, cn or mangu (heat maps of posteriors)."
        ),
    ] = "lattice",
    units: Units = "words",
    lexicon: Lexicon = None,
    prune: Annotated[float, typer.Option(help="Leave out posteriors up to this threshold.")] = 0.02,
) -> None:
    """Draw a lattice, or its posteriors.

    `rankine spoken show lattices/u1.slf.gz -o u1.svg`

    `rankine spoken show lat.1.gz --words words.txt --utterance u7 --as cn -o u7.png`
    """
    from dataclasses import replace

    from ...errors import InputError
    from ...spoken import arc_posteriors
    from ...spoken.lattice.lattice import check_threshold
    from ...spoken.lattice.pictures import draw_lattice, draw_posteriors
    from ...spoken.lattice.units import splitter, to_units
    from ...system.figures import check_picture
    from .posteriors import compute

    check_picture(output)
    check_threshold(prune, "--prune")
    if what not in ("lattice", "pspl", "cn", "mangu"):
        raise InputError(f"--as must be lattice, pspl, cn or mangu; got {what!r}")
    piece = _find(source, utterance)
    if what == "lattice":
        lattice = replace(to_units(source.scoring.open(piece), splitter(units, lexicon)), name=piece.name)
        draw_lattice(lattice, arc_posteriors(lattice), output, prune)
    else:
        method = "pivot" if what == "cn" else what
        posteriors = compute(source.scoring, units, lexicon, prune, method, piece)
        draw_posteriors(replace(posteriors, name=piece.name), output)
    say(f"{piece.name}: {output}")


def _find(source: LatticeSource, utterance: str | None) -> Piece:
    from ...errors import InputError, nearest
    from ...spoken.lattice.formats import files, pieces

    names = []
    for file in files(source.place, source.format):
        for piece in pieces(file, source.scoring.reading.encoding):
            if utterance is None or piece.name == utterance:
                return piece
            names.append(piece.name)
    raise InputError(f"no utterance is called {utterance!r}.{nearest(utterance or '', names)}", source.place)
