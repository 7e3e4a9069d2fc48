"""OpenFst's text (``fstprint``): ``from to input [output] [cost]``, then ``final [cost]``; costs are −log."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from .....errors import InputError, shorten
from ....text import columns, has_blanks, is_number, number, stem, whole_number
from ...lattice import Lattice
from ...posteriors import as_scores
from ..reading import HEAD, Piece, Reading, all_numbers, is_states, rows_of

_EPSILON = ("0",)
_KALDI_WEIGHT = re.compile(r"[-+.\de]+,[-+.\de]+(,|$)")


def looks_like_openfst(head: bytes) -> bool:
    """Whether all lines are arcs between numbered states or final states, and some arc leads on from another.

    Some state must be final; where a file is longer than its head it is enough that some state has two arcs.
    """
    rows = rows_of(head, _is_line)
    arcs = [row for row in rows if len(row) > 2]
    begun = [row[0] for row in arcs]
    forked = len(head) >= HEAD - 3 and len(set(begun)) < len(begun)
    left = {row[0] for row in rows} - {row[0] for row in rows[:1]}
    return (len(arcs) < len(rows) or forked) and any(row[1] in left for row in arcs)


def _is_line(row: list[str]) -> bool:
    """Whether columns are those of an arc without Kaldi's pairs of costs, or of a final state."""
    if len(row) <= 2:
        return is_states(row[:1]) and all_numbers(row[1:])
    return len(row) <= 5 and _KALDI_WEIGHT.match(row[-1]) is None and is_states(row[:2]) and all_numbers(row[4:])


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
