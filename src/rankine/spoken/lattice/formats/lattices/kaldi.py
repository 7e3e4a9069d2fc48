"""Kaldi's files of lattices, in binary and in text: ``compactlattice44`` and ``lattice4``, many to a file.

Weights are costs (graph, acoustic). In a compact lattice an arc is a word with an alignment, whose length gives the
times. In the other type an arc is a frame with a transition on its input side, and a word stands on one of its frames:
it ends where the next one can begin. Written are compact lattices; their alignments have the right length, with 1 for
every frame.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from .....errors import InputError, shorten
from ....text import columns, has_blanks, is_number, lines_with_places, number, read_blocks, whole_number
from ...lattice import Lattice, numbered
from ...posteriors import as_scores
from ..reading import MOST_BYTES, Piece, Reading, is_states, rows_of, split_at, word_list
from ..transcripts.transcript import TranscriptSegment, segment_of_text, text_of
from . import kaldi_kernels as kn
from .networks import Slot, slots_as_lattice
from .slf import node_times

MAGIC = struct.pack("<i", 2125659606)
_COMPACT = {"compactlattice44": True, "lattice4": False}
_NONE = np.empty((0, 0), np.int64), np.empty((0, 0), np.float64)
_MOST = 10**8
_LONGEST_NAME = 10_000


class _Header:
    """The header of a binary lattice; ``size`` is 0 if the bytes end before the header does."""

    def __init__(self, data: bytes, at: int, where: str, done: int = 0) -> None:
        self.size = self.start = self.n_states = 0
        self.compact = False
        place = f"{where}, byte {done + at}"
        if data[at : at + 4] != MAGIC[: len(data) - at]:
            raise InputError(f"expected the magic number of a lattice, got {data[at : at + 4]!r}", place)
        texts, p = [], at + 4
        for _ in range(2):
            if p + 4 > len(data):
                return
            length = struct.unpack_from("<i", data, p)[0]
            if not 0 < length < 100:
                raise InputError(f"a name of {length} bytes: not a lattice, or damaged", place)
            texts.append(data[p + 4 : p + 4 + length].decode("latin-1"))
            p += 4 + length
        if p + 40 > len(data):
            return
        if texts[0] != "vector" or texts[1] not in _COMPACT:
            given = f"{shorten(texts[0])} of {shorten(texts[1])}"
            raise InputError(f"expected a vector of {' or '.join(_COMPACT)}, got {given}", place)
        _, flags, _, self.start, self.n_states, _ = struct.unpack_from("<iiQqqq", data, p)
        if flags & 3:
            raise InputError("symbol tables inside the lattice are not supported", place)
        if not 0 <= self.n_states <= _MOST or not -1 <= self.start < max(self.n_states, 1):
            raise InputError(f"{self.n_states} states, start {self.start}: not a lattice, or damaged", place)
        self.compact = _COMPACT[texts[1]]
        self.size = p + 40


def default_scale(frame: float) -> float:
    """The acoustic scale for models with frames of this length: 0.1, or 1 where the model subsamples."""
    return 0.1 if frame < 0.02 else 1.0


def looks_like_kaldi(head: bytes) -> bool:
    """Whether a file begins with a name and a binary lattice."""
    return head.split(b"\n", 1)[0].split(b" ", 1)[-1][:4] == MAGIC


def looks_like_kaldi_text(head: bytes) -> bool:
    """Whether a file begins with a name and an arc between two states on lines of their own."""
    rows = rows_of(head, most=2)
    if len(rows) < 2 or len(rows[0]) != 1 or not (3 <= len(rows[1]) <= 5 and is_states(rows[1][:2])):
        return False
    return "," in rows[1][-1] or not is_states(rows[0])  # else it is OpenFst's text that begins with a final state


def split_kaldi(path: str) -> Iterator[Piece]:
    """The lattices of a file, streamed: name, a blank and a binary lattice, or a line with the name and lines."""
    blocks = read_blocks(path)
    first = next(blocks, b"")
    head = first.split(b"\n", 1)[0].split(b" ", 1)
    if len(head) == 2 and head[1][:4] == MAGIC[: len(head[1])] and head[1]:
        yield from _binary_pieces(path, first, blocks)
        return
    blank = True

    def name_of(line: bytes) -> str | None:
        """The line after an empty one is an utterance's name."""
        nonlocal blank
        before, blank = blank, not line.strip()
        return line.strip().decode("utf-8", "replace") if before and len(line.split()) == 1 else None

    yield from split_at(path, "kaldi", name_of)


def _binary_pieces(path: str, data: bytes, blocks: Iterator[bytes]) -> Iterator[Piece]:
    done = at = 0  # bytes of the file before ``data``, and bytes of ``data`` that are done
    while True:
        cut = data.find(b" ", at)
        if 0 <= cut < at + _LONGEST_NAME:
            name = _name(data[at:cut], path, done + at)
            size = _extent(data, cut + 1, f"{path}, {name}", done)
        elif cut < 0 and len(data) < at + _LONGEST_NAME:
            size = 0
        else:
            raise _no_name(path, done + at)
        if size:
            yield Piece(name, "kaldi", path, data[cut + 1 : size], byte=done + cut + 1)
            at = size
            continue
        left, done, at = data[at:], done + at, 0
        if len(left) > MOST_BYTES:
            raise InputError(f"a lattice of more than {MOST_BYTES >> 20} MB", f"{path}, byte {done}")
        data = _longer(left, blocks)
        if len(data) == len(left):
            if not left.strip():
                return
            raise InputError(f"cut short: {len(left)} bytes of a lattice are left", f"{path}, byte {done}")


def _longer(data: bytes, blocks: Iterator[bytes]) -> bytes:
    """The bytes and at least as many again, or what is left: a long lattice is not looked through too often."""
    parts, size = [data], 0
    for block in blocks:
        parts.append(block)
        size += len(block)
        if size >= len(data):
            break
    return b"".join(parts)


def _no_name(path: str, at: int) -> InputError:
    return InputError("no utterance name where one should be: not a file of lattices", f"{path}, byte {at}")


def _name(data: bytes, path: str, done: int) -> str:
    try:
        name = data.strip().decode("utf-8")
    except UnicodeDecodeError:
        name = ""
    if not name or has_blanks(name):
        raise _no_name(path, done)
    return name


def _extent(data: bytes, at: int, where: str, done: int) -> int:
    """Where the lattice that begins at ``at`` ends, 0 if the bytes end before."""
    header = _Header(data, at, where, done)
    if header.size == 0:
        return 0
    _, _, end = kn.read_states(
        np.frombuffer(data, np.uint8), header.size, len(data), header.n_states, header.compact, *_NONE, *_NONE
    )
    if end < -1:
        raise InputError("an impossible length or weight: not a lattice, or damaged", f"{where}, byte {done - end - 2}")
    return max(int(end), 0)


def parse_kaldi(piece: Piece, reading: Reading) -> Lattice:
    """Parse one lattice, binary or text."""
    return _binary(piece.content(), piece, reading) if piece.byte >= 0 else _text(piece, reading)


def _binary(data: bytes, piece: Piece, reading: Reading) -> Lattice:
    header = _Header(data, 0, f"{piece.path}, {piece.name}", piece.byte)
    buffer = np.frombuffer(data, np.uint8)
    states = (buffer, header.size, len(data), header.n_states, header.compact)
    n_arcs, n_finals, end = kn.read_states(*states, *_NONE, *_NONE)
    if header.size == 0 or end < 0:
        raise InputError("not a lattice, or damaged", piece.where)
    ints, floats = np.empty((n_arcs + 1, 5), np.int64), np.empty((n_arcs + 1, 2))
    finals, final_weights = np.empty((n_finals + 1, 2), np.int64), np.empty((n_finals + 1, 2))
    kn.read_states(*states, ints, floats, finals, final_weights)
    names = word_list(reading.words)
    labels, inverse = np.unique(ints[:n_arcs, 3], return_inverse=True)
    units = [numbered_word(label, names, reading, piece.where) for label in labels.tolist()]
    words = [units[i] for i in inverse.tolist()]
    return _lattice(
        ints[:n_arcs, :2], words, floats[:n_arcs], ints[:n_arcs, 4], finals[:n_finals], final_weights[:n_finals],
        header.start, header.n_states, header.compact, piece, reading,
    )  # fmt: skip


def _text(piece: Piece, reading: Reading) -> Lattice:
    """``from to word [weight]`` or ``from to transition word [weight]``; ``final [weight]``."""
    names = word_list(reading.words)
    arcs, words, costs, frames, finals, final_costs = [], [], [], [], [], []
    start, compact, most = -1, None, -1
    lines = piece.lines()
    next(lines, None)  # the name
    for where, line in lines:
        fields = columns(line)
        if len(fields) > 5:
            raise InputError(f"expected at most 5 columns, got {len(fields)}", where)
        state = whole_number(fields[0], where, "the number of a state", _MOST)
        start = state if start < 0 else start
        if len(fields) <= 2:
            graph, acoustic, length = _weight(fields[1], where) if len(fields) == 2 else (0.0, 0.0, 0)
            if np.isfinite(graph) and np.isfinite(acoustic):
                finals.append((state, length))
                final_costs.append((graph, acoustic))
            most = max(most, state)
            continue
        has_weight = len(fields) == 5 or (len(fields) == 4 and "," in fields[-1])
        one_label = len(fields) - has_weight == 3
        if compact is None:
            compact = one_label
        if compact != one_label:
            raise InputError("some arcs have one label and some two", where)
        to = whole_number(fields[1], where, "the number of a state", _MOST)
        graph, acoustic, length = _weight(fields[-1], where) if has_weight else (0.0, 0.0, 0)
        label = fields[2 if one_label else 3]
        is_number = label.isascii() and label.isdigit()
        word = (
            numbered_word(whole_number(label, where, largest=2**31), names, reading, where)
            if is_number
            else reading.unit_of(label)
        )
        arcs.append((state, to))
        words.append(word)
        costs.append((graph, acoustic))
        frames.append(length if one_label else int(fields[2] != "0" and fields[2] not in ("<eps>",)))
        most = max(most, state, to)
    return _lattice(
        np.array(arcs, np.int64).reshape(-1, 2), words, np.array(costs, np.float64).reshape(-1, 2),
        np.array(frames, np.int64), np.array(finals, np.int64).reshape(-1, 2),
        np.array(final_costs, np.float64).reshape(-1, 2), start, most + 1, bool(compact), piece, reading,
    )  # fmt: skip


def _weight(text: str, where: str) -> tuple[float, float, int]:
    """Graph cost, acoustic cost, and the length of the alignment."""
    fields = text.split(",")
    if len(fields) not in (2, 3):
        raise InputError(f"expected graph,acoustic[,alignment], got {shorten(text)}", where)
    costs = [float("inf") if p.lower() in ("infinity", "inf") else number(p, where) for p in fields[:2]]
    return costs[0], costs[1], (fields[2].count("_") + 1 if len(fields) == 3 and fields[2] else 0)


def _lattice(
    arcs: np.ndarray,
    words: list[str | None],
    costs: np.ndarray,
    frames: np.ndarray,
    finals: np.ndarray,
    final_costs: np.ndarray,
    start: int,
    n_states: int,
    compact: bool,
    piece: Piece,
    reading: Reading,
) -> Lattice:
    """The lattice with one end node; final weights become arcs to it."""
    where = piece.where
    if len(finals) == 0 or len(arcs) == 0 or start < 0:
        raise InputError("an empty lattice: no arcs or no final state", where)
    if arcs.max() >= n_states or arcs.min() < 0:
        raise InputError(f"an arc leads to state {arcs.max()}, there are {n_states}", where)
    unit, units = numbered([*words, *[None] * len(finals)])
    n = len(unit)
    built = Lattice.build(
        source=np.concatenate([arcs[:, 0], finals[:, 0]]),
        target=np.concatenate([arcs[:, 1], np.full(len(finals), n_states)]),
        unit=unit,
        units=units,
        acoustic=-np.concatenate([costs[:, 1], final_costs[:, 1]]),
        language=-np.concatenate([costs[:, 0], final_costs[:, 0]]),
        posterior=np.full(n, np.nan),
        times=np.column_stack([np.concatenate([frames, finals[:, 1]]), np.zeros(n)]),
        start=start,
        end=n_states,
        name=piece.name,
        where=where,
    )
    times, next_word = np.empty(built.n_nodes), np.empty(built.n_nodes)
    if not built.start.any():  # no alignments: times are unknown
        return replace(built, start=np.full(len(built), np.nan), end=np.full(len(built), np.nan))
    kn.state_times(built.n_nodes, built.source, built.target, built.start, built.unit >= 0, times, next_word)
    ends = times[built.target] if compact else np.where(built.unit >= 0, next_word[built.target], times[built.target])
    return replace(built, start=times[built.source] * reading.frame, end=ends * reading.frame)


def numbered_word(label: int, names: dict[int, str], reading: Reading, where: str) -> str | None:
    """The word of a number, None for 0; the number itself where there is no list of words."""
    if label == 0:
        return None
    if names and label not in names:
        raise InputError(f"word number {label} is not in {reading.words}", where)
    return reading.unit_of(names[label]) if names else str(label)


def write_kaldi(lattice: Lattice, numbers: dict[str, int], frame: float = 0.01) -> bytes:
    """A compact lattice in binary, after its name; ``numbers`` are those of ``words.txt``. Scores become float32."""
    times, by_state, last = _states(lattice)
    out = [f"{_key(lattice)} ".encode(), MAGIC]
    for text in (b"vector", b"compactlattice44"):
        out += [struct.pack("<i", len(text)), text]
    out.append(struct.pack("<iiQqqq", 2, 0, 3, 0, len(times), sum(map(len, by_state))))
    for state, leaving in enumerate(by_state):
        weight = (0.0, 0.0) if state == last else (np.inf, np.inf)
        out.append(struct.pack("<ffiq", *weight, 0, len(leaving)))
        for to, word, acoustic, language in leaving:
            label = 0 if word is None else numbers[_plain(word, "words.txt")]
            frames = _frames(times[state], times[to], frame)
            if any(3e38 < abs(x) < np.inf for x in (language, acoustic)):
                raise InputError(f"a score is too large for Kaldi: {language}, {acoustic}", lattice.name or None)
            out.append(struct.pack("<iiffi", label, label, -language, -acoustic, frames))
            out.append(struct.pack("<i", 1) * frames + struct.pack("<i", to))
    return b"".join(out)


def write_kaldi_text(lattice: Lattice, frame: float = 0.01) -> bytes:
    """A compact lattice in text with words as they are: the name, arcs, the final state, an empty line."""
    times, by_state, last = _states(lattice)
    lines = [_key(lattice)]
    for state, leaving in enumerate(by_state):
        for to, word, acoustic, language in leaving:
            alignment = "_".join(["1"] * _frames(times[state], times[to], frame))
            token = "<eps>" if word is None else _plain(word, "Kaldi's text")
            lines.append(f"{state} {to} {token} {-language!r},{-acoustic!r},{alignment}")
        if state == last:
            lines.append(f"{state} 0,0,")
    return ("\n".join(lines) + "\n\n").encode()


def _states(lattice: Lattice) -> tuple[list[float], list[list[tuple[int, str | None, float, float]]], int]:
    """Times of states, the arcs that leave each, and which is final."""
    scored = as_scores(lattice)
    times, arcs = node_times(scored)
    shift = int(times[0] > 0)
    if shift:  # an empty arc stands for the time before
        times = [0.0, *times]
        arcs = [(0, 1, None, 0.0, 0.0, 1.0), *((u + 1, v + 1, w, a, lm, p) for u, v, w, a, lm, p in arcs)]
    by_state: list[list[tuple[int, str | None, float, float]]] = [[] for _ in times]
    for u, v, word, acoustic, language, _ in arcs:
        by_state[u].append((v, word, acoustic, language))
    return times, by_state, scored.n_nodes - 1 + shift


def _key(lattice: Lattice) -> str:
    name = lattice.name or "utterance"
    if has_blanks(name):
        raise InputError(f"a Kaldi file cannot hold the name {shorten(name)}: it has blanks")
    return name


def _plain(word: str, holder: str) -> str:
    if has_blanks(word) or (holder != "words.txt" and (word.isdigit() or "," in word)):
        raise InputError(f"{holder} cannot hold the word {shorten(word)}")
    return word


def _frames(begin: float, end: float, frame: float) -> int:
    """Frames between two times, counted from the beginning so that rounding does not add up."""
    if np.isnan(begin) or np.isnan(end):
        return 0
    frames = max(round(end / frame) - round(begin / frame), 0)
    if frames > 10**6:
        raise InputError(f"an arc of {frames:,} frames is too long for an alignment")
    return frames


# -- Kaldi's transcripts of one-best words (``.tra``): the name of an utterance and the numbers of its words on a line


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


# -- Kaldi's ``text``: the name of an utterance and its words on a line, without times


_NAME = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[\w.:/+@#-]+")  # with a letter and a digit
_WORD = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]*)*")
_NOT_SAID = re.compile(r"<[^<>\s]+>|\[[^\[\]\s]+\]")  # <noise>, [laughter]


def looks_like_utterances(head: bytes) -> bool:
    """Whether all lines begin with names, which hold letters and digits, and most of what follows is words.

    Not all lines may have as many columns: a table has, such as those that stand beside ``text``.
    """
    rows = rows_of(head, lambda row: _NAME.fullmatch(row[0]) is not None and not is_number(row[0]))
    tokens = [token for row in rows for token in row[1:]]
    words = sum(any(kind.fullmatch(token) for kind in (_WORD, _NOT_SAID)) for token in tokens)
    return len({len(row) for row in rows}) > 1 and 2 * words > len(tokens)


def read_utterances(data: bytes, where: str) -> list[TranscriptSegment]:
    """A recording for each line; a name is there once, and marks in brackets are no words."""
    lines: dict[str, TranscriptSegment] = {}
    for place, line in lines_with_places(text_of(data, where), where):
        name, *tokens = columns(line)
        if name in lines:
            raise InputError(f"the utterance {shorten(name)} is there twice", place)
        said = " ".join(token for token in tokens if not _NOT_SAID.fullmatch(token))
        lines[name] = segment_of_text(said, math.nan, math.nan, recording=name)._replace(estimated=False)
    return list(lines.values())
