"""OpenFst's text (``fstprint``): ``from to input [output] [cost]``, then ``final [cost]``; costs are −log."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....errors import InputError, shorten
from ...text import columns, has_blanks, is_number, number, stem, whole_number
from ..lattice import Lattice
from ..posteriors import as_scores
from .common import Piece, Reading, whole_lines

_EPSILON = ("0",)


def looks_like_openfst(head: bytes) -> bool:
    """Whether all lines of a file are arcs or final states, and there is a final state or a state with two arcs."""
    rows = whole_lines(head)
    arcs = [row for row in rows if len(row) > 2]
    sources = [row[0] for row in arcs]
    is_graph = len(set(sources)) < len(sources) or len(arcs) < len(rows)
    return bool(arcs) and is_graph and all(map(_is_line, rows))


def _is_line(row: list[str]) -> bool:
    """Whether columns are those of an arc without Kaldi's pairs of costs, or of a final state."""
    states = row[: 2 if len(row) > 2 else 1]
    cost = row[1:] if len(row) == 2 else row[4:5]
    return len(row) <= 5 and all(s.isascii() and s.isdigit() for s in states) and all(map(is_number, cost))


def parse_openfst(piece: Piece, reading: Reading) -> Lattice:
    """A lattice from OpenFst's text; it holds no times."""
    arcs: list[tuple[Any, ...]] = []
    finals: list[tuple[int, float]] = []
    start = -1
    for where, line in piece.lines():
        fields = columns(line)
        state = whole_number(fields[0], where, "the number of a state")
        start = state if start < 0 else start
        if len(fields) <= 2:
            finals.append((state, number(fields[1], where) if len(fields) == 2 else 0.0))
            continue
        if len(fields) > 5:
            raise InputError(f"expected at most 5 columns, got {len(fields)}", where)
        to = whole_number(fields[1], where, "the number of a state")
        has_cost = len(fields) == 5 or (len(fields) == 4 and is_number(fields[3]))
        cost = number(fields[-1], where) if has_cost else 0.0
        arcs.append((state, to, reading.unit_of(fields[len(fields) - 1 - has_cost], more=_EPSILON), -cost))
    if not arcs or not finals:
        raise InputError("no arcs or no final state", piece.where)
    end = 1 + max(max(a[0], a[1]) for a in arcs)
    arcs += [(state, end, None, -cost) for state, cost in finals if math.isfinite(cost)]
    return Lattice.from_arcs(arcs, start, end, piece.name or stem(piece.path), piece.where)


def write_openfst(lattice: Lattice) -> bytes:
    """OpenFst's text, an acceptor of words; times are lost."""
    scored = as_scores(lattice)
    cost = -(scored.acoustic + scored.language)
    lines = []
    for u, v, w, c in zip(scored.source.tolist(), scored.target.tolist(), scored.unit.tolist(), cost, strict=True):
        word = "<eps>" if w < 0 else scored.units[w]
        if has_blanks(word) or is_number(word):
            raise InputError(f"OpenFst's text cannot hold the word {shorten(word)}", lattice.name or None)
        lines.append(f"{u} {v} {word} {word} {np.float64(c).item()!r}")
    return ("\n".join([*lines, str(scored.n_nodes - 1)]) + "\n").encode()
