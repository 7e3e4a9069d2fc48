"""Simpler sources: one-best words with times and confidences (CTM, Whisper-like JSON), n-best lists, OpenFst text.

A one-best word with confidence c becomes an arc with posterior c beside one that says nothing with 1 − c: much of the
world has nothing better than that.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InputError, shorten
from ..lattice import Lattice, numbered
from .slf import NOTHING


def one_best(
    words: Sequence[tuple[str, float, float, float]], name: str = "", nothing: Collection[str] = NOTHING
) -> Lattice:
    """A lattice with one path from (word, start, end, confidence).

    >>> one_best([("hello", 0.0, 0.5, 0.8)]).posterior
    array([0.8, 0.2])
    """
    if not words:
        raise InputError("no words", name or None)
    arcs: list[tuple[Any, ...]] = []
    posterior: list[float] = []
    for i, (word, begin, end, confidence) in enumerate(words):
        if not 0 <= confidence <= 1:
            raise InputError(f"the confidence of {word!r} must lie between 0 and 1, got {confidence}", name or None)
        if word in nothing:
            arcs.append((i, i + 1, None, 0.0, begin, end))
            posterior.append(1.0)
            continue
        arcs.append((i, i + 1, word, 0.0, begin, end))
        posterior.append(confidence)
        if confidence < 1:
            arcs.append((i, i + 1, None, 0.0, begin, end))
            posterior.append(1 - confidence)
    unit, units = numbered([a[2] for a in arcs])
    return Lattice.build(
        source=np.array([a[0] for a in arcs]),
        target=np.array([a[1] for a in arcs]),
        unit=unit,
        units=units,
        acoustic=np.zeros(len(arcs)),
        language=np.zeros(len(arcs)),
        posterior=np.array(posterior),
        times=np.array([a[4:6] for a in arcs], np.float64),
        start=0,
        end=len(words),
        name=name,
    )


def read_ctm(path: str | os.PathLike, nothing: Collection[str] = NOTHING) -> Iterator[tuple[str, Lattice]]:
    """(utterance, lattice) of a CTM file: utterance, channel, start, duration, word, confidence (1 if missing)."""
    rows: dict[str, list[tuple[str, float, float, float]]] = {}
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        parts = line.split()
        if not parts or parts[0].startswith(";;"):
            continue
        where = f"{path}, line {number}"
        if len(parts) not in (5, 6):
            raise InputError(f"expected 5 or 6 columns, got {len(parts)}", where)
        begin, length = _number(parts[2], where), _number(parts[3], where)
        confidence = _number(parts[5], where) if len(parts) == 6 else 1.0
        rows.setdefault(parts[0], []).append((parts[4], begin, begin + length, confidence))
    for utterance, words in rows.items():
        yield utterance, one_best(sorted(words, key=lambda w: w[1]), utterance, nothing)


def read_whisper(path: str | os.PathLike, nothing: Collection[str] = NOTHING, lower: bool = True) -> Lattice:
    """A lattice of the JSON of Whisper and its kin: ``segments`` with ``words`` (word, start, end, probability)."""
    where = str(path)
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        found = [w for segment in content["segments"] for w in segment.get("words", [])]
        words = [
            (_clean(w.get("word", w.get("text", "")), lower), float(w["start"]), float(w["end"]),
             float(w.get("probability", w.get("confidence", w.get("score", 1.0)))))
            for w in found
        ]  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"not the JSON of a recogniser with word times ({type(error).__name__}: {error})", where
        ) from None
    return one_best([w for w in words if w[0]], Path(path).name.split(".")[0], nothing)


def read_nbest(path: str | os.PathLike, scale: float = 1.0, nothing: Collection[str] = NOTHING) -> Lattice:
    """A lattice of the paths of an n-best list: a log score and the words on each line."""
    arcs: list[tuple[Any, ...]] = []
    node = 2
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        score, *words = line.split()
        value = _number(score, f"{path}, line {number}") * scale
        at = 0
        for i, word in enumerate(words or [None]):
            last = i == max(len(words), 1) - 1
            to = 1 if last else node
            node += not last
            arcs.append((at, to, None if word is None or word in nothing else word, value if i == 0 else 0.0))
            at = to
    if not arcs:
        raise InputError("no hypotheses", str(path))
    return Lattice.from_arcs(arcs, 0, 1, Path(path).name.split(".")[0])


def read_openfst(path: str | os.PathLike, nothing: Collection[str] = NOTHING | {"<eps>", "0"}) -> Lattice:
    """A lattice of OpenFst's text: ``from to input [output] [cost]`` lines, then ``final [cost]``; costs are −log."""
    arcs: list[tuple[Any, ...]] = []
    finals: list[tuple[int, float]] = []
    start = -1
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        parts = line.split()
        where = f"{path}, line {number}"
        if not parts:
            continue
        if len(parts) <= 2:
            finals.append((_state(parts[0], where), _number(parts[1], where) if len(parts) == 2 else 0.0))
            start = finals[-1][0] if start < 0 else start
            continue
        if len(parts) > 5:
            raise InputError(f"expected at most 5 columns, got {len(parts)}", where)
        u, v = _state(parts[0], where), _state(parts[1], where)
        start = u if start < 0 else start
        cost = _number(parts[-1], where) if len(parts) == 5 or (len(parts) == 4 and _is_number(parts[3])) else 0.0
        word = parts[3] if len(parts) == 5 or (len(parts) == 4 and not _is_number(parts[3])) else parts[2]
        arcs.append((u, v, None if word in nothing else word, -cost))
    if not arcs or not finals:
        raise InputError("no arcs or no final state", str(path))
    end = 1 + max(max(a[0], a[1]) for a in arcs)
    arcs += [(state, end, None, -cost) for state, cost in finals if math.isfinite(cost)]
    return Lattice.from_arcs(arcs, start, end, Path(path).name.split(".")[0])


def _clean(word: str, lower: bool) -> str:
    word = word.strip().strip('.,;:!?"')
    return word.lower() if lower else word


def _state(text: str, where: str) -> int:
    if not text.isdigit():
        raise InputError(f"expected the number of a state, got {shorten(text)}", where)
    return int(text)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _number(text: str, where: str) -> float:
    if not _is_number(text) or math.isnan(float(text)):
        raise InputError(f"expected a number, got {shorten(text)}", where)
    return float(text)
