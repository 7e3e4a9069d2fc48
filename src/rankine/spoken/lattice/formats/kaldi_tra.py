"""Kaldi's transcripts of one-best words (``.tra``): the name of an utterance and the numbers of its words on a line."""

from __future__ import annotations

from collections.abc import Iterator

from ....errors import InputError
from ...text import columns, whole_number
from ..lattice import Lattice
from .common import Piece, Reading, is_states, rows_of, split_at, word_list
from .kaldi import numbered_word
from .networks import Slot, slots_as_lattice


def looks_like_tra(head: bytes) -> bool:
    """Whether the lines of a file are names, which are no numbers, before whole numbers.

    Not all lines may have as many: a table has, such as a list of words and their numbers, or judgments.
    """
    rows = rows_of(head, lambda row: is_states(row[1:]) and not is_states(row[:1]))
    return len({len(row) for row in rows}) > 1 and any(len(row) > 2 for row in rows)


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
