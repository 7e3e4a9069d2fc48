"""Confusion networks as files: SRILM's meshes, and sausages of one line an utterance (``name [ w p w p ] [ w p ]``).

Read, they are lattices with a node between any two slots, whose arcs have posteriors; what a slot lacks to 1 is an
empty arc.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .....errors import InputError, shorten
from ....text import columns, has_blanks, is_number, number, stem, whole_number
from ...lattice import MOST_TIME, Lattice, numbered
from ...posteriors import UnitPosteriors
from ..reading import Piece, Reading, is_states, rows_of, split_at

Slot = dict[str | None, tuple[float, float, float]]  # word → posterior, start, end


def slots_as_lattice(slots: list[Slot], name: str, where: str) -> Lattice:
    """A lattice of slots, each a set of words with posteriors and times."""
    if not slots:
        raise InputError("no slots", where)
    rows: list[tuple[int, str | None, float, float, float]] = []
    for i, slot in enumerate(slots):
        total = sum(p for p, _, _ in slot.values())
        if total > 1.01 or any(p < 0 for p, _, _ in slot.values()):
            raise InputError(f"the posteriors of slot {i} are negative or sum to {total:g}", where)
        times = [(s, e) for _, s, e in slot.values() if not np.isnan(s)]
        for s, e in times:
            if max(abs(s), abs(e)) > MOST_TIME:
                raise InputError(f"slot {i} has the times {s:g} and {e:g}", where)
        begin, end = (float(np.mean([t[k] for t in times])) if times else np.nan for k in (0, 1))
        rows += [(i, word, p, s, e) for word, (p, s, e) in slot.items() if word is not None]
        empty = slot.get(None, (0.0, 0.0, 0.0))[0] + max(1 - total, 0.0)
        if empty > 1e-9 or not any(word is not None for word in slot):
            rows.append((i, None, empty, begin, end))
    unit, units = numbered([r[1] for r in rows])
    return Lattice.build(
        source=np.array([r[0] for r in rows]),
        target=np.array([r[0] + 1 for r in rows]),
        unit=unit,
        units=units,
        acoustic=np.zeros(len(rows)),
        language=np.zeros(len(rows)),
        posterior=np.array([r[2] for r in rows]),
        times=np.array([r[3:5] for r in rows], np.float64),
        start=0,
        end=len(slots),
        name=name,
        where=where,
    )


def _add(slot: Slot, word: str | None, p: float, begin: float = np.nan, end: float = np.nan) -> None:
    """Add a word to a slot; tokens of one unit share an entry."""
    entry = slot.get(word)
    slot[word] = (p, begin, end) if entry is None else (entry[0] + p, entry[1], entry[2])


def looks_like_mesh(head: bytes) -> bool:
    """Whether a file begins like a mesh: with a name or the number of slots, which must be there."""
    if not any(row[0] in ("name", "numaligns") for row in rows_of(head, most=1)):
        return False
    return any(row[0] == "numaligns" and len(row) == 2 and is_states(row[1:]) for row in rows_of(head))


def split_mesh(path: str) -> Iterator[Piece]:
    """The meshes of a file: each begins with ``name …``, or the only one with ``numaligns``."""

    def name_of(line: bytes) -> str | None:
        fields = line.split(None, 1)
        if fields and fields[0] == b"name":
            state["named"] = True
            return fields[1].strip().decode("utf-8", "replace") if len(fields) > 1 else ""
        return stem(path) if fields and fields[0] == b"numaligns" and not state["named"] else None

    state = {"named": False}
    yield from split_at(path, "mesh", name_of)


def parse_mesh(piece: Piece, reading: Reading) -> Lattice:
    """``numaligns n``, then ``align slot word posterior …`` and perhaps ``info slot word start duration …``."""
    slots: dict[int, list[tuple[str, float]]] = {}
    info: dict[tuple[int, str], tuple[float, float]] = {}
    n = -1
    for where, line in piece.lines():
        key, *fields = columns(line)
        if key == "numaligns" and fields:
            n = whole_number(fields[0], where)
        elif key == "align" and fields:
            at, rest = whole_number(fields[0], where), fields[1:]
            if len(rest) % 2 or not rest:
                raise InputError("expected pairs of a word and its posterior", where)
            if at in slots:
                raise InputError(f"slot {at} is given twice", where)
            slots[at] = [(w, number(p, where)) for w, p in zip(rest[::2], rest[1::2], strict=True)]
        elif key == "info" and len(fields) >= 4:
            begin = number(fields[2], where)
            info[whole_number(fields[0], where), fields[1]] = begin, begin + number(fields[3], where)
        elif key in ("time", "name", "posterior", "info", "reference", "hyps", "key"):
            continue
        else:
            raise InputError(f"expected numaligns, align, info, time or posterior, got {shorten(line)}", where)
    if n != len(slots) or (slots and sorted(slots) != list(range(n))):
        raise InputError(f"numaligns {n}, but there are {len(slots)} slots", piece.where)
    filled: list[Slot] = []
    for i in range(n):
        slot: Slot = {}
        for word, p in slots[i]:
            _add(slot, reading.unit_of(word), p, *info.get((i, word), (np.nan, np.nan)))
        filled.append(slot)
    return slots_as_lattice(filled, piece.name, piece.where)


def looks_like_sausage(head: bytes) -> bool:
    """Whether the first line of a file is a sausage: a name, and the first slot."""
    tokens = next(iter(rows_of(head, most=1)), [])[:5]
    pair = len(tokens) > 3 and is_number(tokens[3])
    return len(tokens) > 2 and tokens[1] == "[" and (tokens[2] == "]" or pair)


def split_sausages(path: str) -> Iterator[Piece]:
    """The sausages of a file, one a line."""
    yield from split_at(
        path, "sausage", lambda line: line.split()[0].decode("utf-8", "replace") if line.split() else None
    )


def parse_sausage(piece: Piece, reading: Reading) -> Lattice:
    """``name [ word posterior word posterior ] [ … ]`` on one line."""
    where, line = next(piece.lines(), (piece.where, ""))
    slots: list[Slot] = []
    tokens, at = columns(line), 1
    closing = _closing(tokens)
    while at < len(tokens):
        if tokens[at] != "[" or closing.get(at, -1) < 0:
            raise InputError(f"expected [ word posterior … ], got {shorten(' '.join(tokens[at : at + 4]))}", where)
        cut = closing[at]
        inside, at = tokens[at + 1 : cut], cut + 1
        if len(inside) % 2:
            raise InputError("expected pairs of a word and its posterior", where)
        slot: Slot = {}
        for word, p in zip(inside[::2], inside[1::2], strict=True):
            _add(slot, reading.unit_of(word), number(p, where))
        slots.append(slot)
    return slots_as_lattice(slots, piece.name, where)


def _closing(tokens: list[str]) -> dict[int, int]:
    """For each opening bracket the next closing one."""
    closing, last = {}, -1
    for at in range(len(tokens) - 1, 0, -1):
        last = at if tokens[at] == "]" else last
        if tokens[at] == "[":
            closing[at] = last
    return closing


def write_mesh(network: UnitPosteriors) -> bytes:
    """An SRILM mesh; what a slot lacks to 1 is its ``*DELETE*``."""
    lines = [f"name {network.name or 'utterance'}", f"numaligns {network.n_positions}", "posterior 1"]
    for i, entries in enumerate(_slots(network)):
        pairs = " ".join(f"{word} {p!r}" for word, p, _, _ in entries)
        lines.append(f"align {i} {pairs} *DELETE* {max(1 - sum(e[1] for e in entries), 0.0)!r}".replace("  ", " "))
        lines += [f"info {i} {w} {s!r} {e - s!r} 0 0 0" for w, _, s, e in entries if np.isfinite(e - s)]
    return ("\n".join(lines) + "\n").encode()


def write_sausage(network: UnitPosteriors) -> bytes:
    """A sausage on one line; times are lost."""
    slots = [" ".join(f"{word} {p!r}" for word, p, _, _ in entries) for entries in _slots(network)]
    if has_blanks(network.name):
        raise InputError(f"a sausage cannot hold the name {shorten(network.name)}: it has blanks")
    return (" ".join([network.name or "utterance", *(f"[ {s} ]" if s else "[ ]" for s in slots)]) + "\n").encode()


def _slots(network: UnitPosteriors) -> list[list[tuple[str, float, float, float]]]:
    slots: list[list[tuple[str, float, float, float]]] = [[] for _ in range(network.n_positions)]
    for (at, word, p), begin, end in zip(
        network.triples(), network.start.tolist(), network.end.tolist(), strict=True
    ):  # fmt: skip
        if has_blanks(word) or word in ("[", "]"):
            raise InputError(f"meshes and sausages cannot hold the word {shorten(word)}")
        slots[at].append((word, p, begin, end))
    return slots
