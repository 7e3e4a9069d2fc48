"""Kaldi's transcripts of one-best words (``.tra``): the name of an utterance and the numbers of its words on a line."""

from __future__ import annotations

from collections.abc import Iterator

from ....errors import InputError
from ...text import columns, whole_number
from ..lattice import Lattice
from .common import Piece, Reading, split_at, whole_lines, word_list
from .kaldi import numbered_word
from .networks import Slot, slots_as_lattice


def looks_like_tra(head: bytes) -> bool:
    """Whether the lines of a file are names before whole numbers, and not only numbers."""
    rows = whole_lines(head)
    return (
        all(all(map(_is_whole, row[1:])) for row in rows)
        and any(len(row) > 1 for row in rows)
        and not any(_is_whole(row[0]) for row in rows)
    )


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdigit()


def split_tra(path: str) -> Iterator[Piece]:
    """The utterances of a file, one a line."""
    yield from split_at(
        path, "kaldi-tra", lambda line: line.split()[0].decode("utf-8", "replace") if line.split() else None
    )


def parse_tra(piece: Piece, reading: Reading) -> Lattice:
    """The only path of an utterance, without times; a line without numbers is an utterance without words."""
    where, line = next(piece.lines(), (piece.where, ""))
    if not line:
        raise InputError("expected the name of an utterance and the numbers of its words", where)
    names = word_list(reading.words)
    slots: list[Slot] = []
    for field in columns(line)[1:]:
        label = whole_number(field, where, "the number of a word", 2**31)
        slots.append({numbered_word(label, names, reading, where): (1.0, float("nan"), float("nan"))})
    return slots_as_lattice(slots or [{}], piece.name, where)
