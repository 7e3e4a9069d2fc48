"""Kaldi's binary lattice archives: ``compactlattice44`` (weights and alignments on arcs), plain or .gz."""

from __future__ import annotations

import gzip
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ...errors import InputError
from ..lattice import Lattice, numbered
from .slf import NOTHING

_MAGIC = 2125659606
_FRAME = 0.01


def read_kaldi(
    path: str | os.PathLike,
    words: str | os.PathLike | None = None,
    frame: float = _FRAME,
    nothing: Any = NOTHING | {"<SIL>"},
) -> Iterator[tuple[str, Lattice]]:
    """(utterance, lattice) of a binary archive.

    Args:
        path: the archive.
        words: its ``words.txt`` (word, number); without it units are the numbers.
        frame: seconds per frame of the alignments, 0.03 where the model subsamples.
        nothing: words that say nothing.
    """
    names = {} if words is None else _words(words)
    where = str(path)
    with _opened(path) as file:
        try:
            while (key := _key(file, where)) is not None:
                yield key, _lattice(file, key, f"{where}, {key}", names, frame, nothing)
        except (EOFError, OSError, zlib.error) as error:
            raise InputError(f"cut short or damaged ({error})", where) from None


def _opened(path: str | os.PathLike) -> BinaryIO:
    with open(path, "rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
    return gzip.open(path) if zipped else open(path, "rb")  # type: ignore[return-value]


def _words(path: str | os.PathLike) -> dict[int, str]:
    data = Path(path).read_bytes()
    text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8")
    out = {}
    for number, line in enumerate(text.splitlines(), 1):
        parts = line.split()
        if not parts:
            continue
        if len(parts) != 2 or not parts[1].isdigit():
            raise InputError(f"expected a word and its number, got {line[:40]!r}", f"{path}, line {number}")
        out[int(parts[1])] = parts[0]
    return out


def _key(file: BinaryIO, where: str) -> str | None:
    """The utterance's name up to the blank, or None at the end."""
    name = b""
    while (c := file.read(1)) != b" ":
        if not c:
            if name.strip():
                raise InputError("cut short in the middle of a name", where)
            return None
        name += c
        if len(name) > 10_000:
            raise InputError("no utterance name where one should be: not an archive", where)
    try:
        return name.strip().decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("an utterance name that is not UTF-8: not an archive", where) from None


def _exactly(file: BinaryIO, n: int) -> bytes:
    data = file.read(n)
    if len(data) != n:
        raise EOFError(f"{n} bytes expected, {len(data)} left")
    return data


def _int32(file: BinaryIO) -> int:
    return int(struct.unpack("<i", _exactly(file, 4))[0])


def _lattice(file: BinaryIO, key: str, where: str, names: dict[int, str], frame: float, nothing: Any) -> Lattice:
    magic = _int32(file)
    if magic != _MAGIC:
        raise InputError(f"expected the magic number {_MAGIC}, got {magic}: not a binary lattice", where)
    kind = _exactly(file, _bounded(_int32(file), 100, where)).decode("latin-1")
    weight = _exactly(file, _bounded(_int32(file), 100, where)).decode("latin-1")
    if kind != "vector" or weight != "compactlattice44":
        raise InputError(f"expected a vector of compactlattice44, got {kind} of {weight}", where)
    _, _, _, start, n_states, _ = struct.unpack("<iiQqqq", _exactly(file, 40))
    source, target, labels, graph, acoustic, frames = [], [], [], [], [], []
    finals: list[tuple[int, float, float, int]] = []
    for state in range(_bounded(n_states, 10**8, where)):
        g, a, length = _weight(file, where)
        if np.isfinite(g) and np.isfinite(a):
            finals.append((state, g, a, length))
        (n_arcs,) = struct.unpack("<q", _exactly(file, 8))
        for _ in range(_bounded(n_arcs, 10**8, where)):
            ilabel, _ = struct.unpack("<ii", _exactly(file, 8))
            g, a, length = _weight(file, where)
            source.append(state)
            labels.append(ilabel)
            graph.append(-g)
            acoustic.append(-a)
            frames.append(length)
            target.append(_int32(file))
    if not finals:
        raise InputError("no final state", where)
    end = n_states  # one end: final weights become arcs to it
    for state, g, a, length in finals:
        source.append(state)
        target.append(end)
        labels.append(0)
        graph.append(-g)
        acoustic.append(-a)
        frames.append(length)
    unit, units = numbered([_unit(label, names, nothing, where) for label in labels])
    arcs = np.array(source), np.array(target)
    if len(arcs[0]) and (arcs[1].max() > end or arcs[1].min() < 0):
        raise InputError(f"an arc leads to state {int(arcs[1].max())}, there are {n_states}", where)
    times = _times(*arcs, np.array(frames), start, n_states + 1) * frame
    return Lattice.build(
        source=arcs[0],
        target=arcs[1],
        unit=unit,
        units=units,
        acoustic=np.array(acoustic),
        language=np.array(graph),
        posterior=np.full(len(unit), np.nan),
        times=np.column_stack([times[arcs[0]], times[arcs[1]]]),
        start=int(start),
        end=end,
        name=key,
    )


def _weight(file: BinaryIO, where: str) -> tuple[float, float, int]:
    """Graph cost, acoustic cost, and the length of the alignment, which is skipped."""
    graph, acoustic, size = struct.unpack("<ffi", _exactly(file, 12))
    _exactly(file, 4 * _bounded(size, 10**7, where))
    return graph, acoustic, size


def _bounded(n: int, most: int, where: str) -> int:
    if not 0 <= n <= most:
        raise InputError(f"a length of {n}: not a lattice, or damaged", where)
    return n


def _unit(label: int, names: dict[int, str], nothing: Any, where: str) -> str | None:
    if label == 0:
        return None
    if names and label not in names:
        raise InputError(f"word number {label} is not in words.txt", where)
    word = names.get(label, str(label))
    return None if word in nothing else word


def _times(source: np.ndarray, target: np.ndarray, frames: np.ndarray, start: int, n: int) -> np.ndarray:
    """Frames before each state; every path to a state has the same number in Kaldi's lattices."""
    from ..lattice_kernels import topological

    place = np.empty(n, np.int64)
    topological(n, source.astype(np.int64), target.astype(np.int64), place)
    times = np.zeros(n)
    for a in np.argsort(place[source], kind="stable"):
        times[target[a]] = max(times[target[a]], times[source[a]] + frames[a])
    return times
