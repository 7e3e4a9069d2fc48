"""Files that recognisers write, in any format of lattices or transcripts, as lattices."""

from __future__ import annotations

from pathlib import Path

from ....errors import InputError
from ...lattice.formats import TABLE, format_of, read_lattice
from ...lattice.formats.detection import candidates
from ...lattice.formats.transcripts.transcript import LONGEST
from ...lattice.lattice import Lattice
from ...lattice.scoring import Scoring
from ...text import read_head


def read_output(path: Path) -> Lattice | None:
    """The lattice of a file, weighed as its format is by default; None where it is a transcript without words."""
    names = candidates(path)
    if not names:
        raise InputError("in none of the formats that `rankine spoken formats` lists", path.name)
    name = format_of(path, names)
    read = TABLE[name].read
    if read is not None and not read(read_head(path, LONGEST + 1), str(path)):
        return None
    return Scoring().weighed(read_lattice(path, name), name)
