"""Simpler sources: one-best words with times and confidences (CTM, JSON of Whisper and its relatives).

A one-best word with confidence c becomes an arc with posterior c beside an empty arc with 1 − c.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ....errors import InputError, shorten
from ...text import columns, has_blanks, number, read_lines
from ..lattice import MOST_TIME, Lattice
from ..posteriors import UnitPosteriors
from .common import Gathered, Piece, Reading
from .networks import Slot, slots_as_lattice

_LONGEST_JSON = 64 << 20  # bytes; as Python's objects they take many times as much


def one_best(
    words: Sequence[tuple[str, float, float, float]],
    name: str = "",
    where: str = "",
    reading: Reading = Reading(),  # noqa: B008 (it is frozen)
    lower: bool = False,
) -> Lattice:
    """A lattice with one path from (word, start, end, confidence).

    >>> one_best([("hello", 0.0, 0.5, 0.8)]).posterior
    array([0.8, 0.2])
    """
    if not words:
        raise InputError("no words", where or name or None)
    slots: list[Slot] = []
    for word, begin, end, confidence in words:
        _check_word(word, begin, end, confidence, where or None)
        unit = reading.unit_of(word, lower)
        slots.append({unit: (1.0 if unit is None else confidence, begin, end)})
    return slots_as_lattice(slots, name, where or name)


def _check_word(word: str, begin: float, end: float, confidence: float, where: str | None) -> None:
    if not 0 <= confidence <= 1:
        raise InputError(f"the confidence of {shorten(word)} must lie between 0 and 1, got {confidence}", where)
    if not 0 <= begin <= end <= MOST_TIME:
        raise InputError(f"{shorten(word)} begins at {begin} and ends at {end}", where)


def split_ctm(path: str) -> Iterator[Piece]:
    """The utterances of a CTM, by file and channel (1 and A are not named); the lines of one must stand together."""
    lines, seen = None, set[str]()
    for at, line in read_lines(path):
        fields = line.split(None, 2)
        if len(fields) > 1 and not line.startswith(b";;"):
            file, channel = (p.decode("utf-8", "replace") for p in fields[:2])
            own = file if channel in ("1", "A") else f"{file}-{channel}"
            if lines is None or own != lines.name:
                if lines is not None:
                    yield lines.piece()
                if own in seen:
                    raise InputError(f"the lines of {shorten(own)} do not stand together", f"{path}, line {at}")
                seen.add(own)
                lines = Gathered(own, "ctm", path, at)
        elif line.strip() and not line.startswith(b";;"):
            raise InputError("expected 5 or 6 columns, got 1", f"{path}, line {at}")
        if lines is not None:
            lines.add(line)
    if lines is not None:
        yield lines.piece()


def parse_ctm(piece: Piece, reading: Reading) -> Lattice:
    """Utterance, channel, start, duration, word, confidence (1 if missing)."""
    words = []
    for where, line in piece.lines():
        if line.startswith(";;"):
            continue
        fields = columns(line)
        if len(fields) not in (5, 6):
            raise InputError(f"expected 5 or 6 columns, got {len(fields)}", where)
        begin, length = number(fields[2], where), number(fields[3], where)
        word = (fields[4], begin, begin + length, number(fields[5], where) if len(fields) == 6 else 1.0)
        _check_word(*word, where)  # an error names the line
        words.append(word)
    return one_best(sorted(words, key=lambda w: w[1]), piece.name, piece.where, reading)


def write_ctm(network: UnitPosteriors) -> bytes:
    """The likeliest word of every slot of a confusion network as CTM, unless an empty slot is likelier."""
    name = network.name or "utterance"
    lines = []
    for i in network.best_entries():
        begin, end, word = float(network.start[i]), float(network.end[i]), network.units[network.unit[i]]
        if np.isnan(begin) or np.isnan(end):
            raise InputError("CTM needs times, and this lattice has none", name)
        if has_blanks(word + name):
            raise InputError(f"CTM cannot hold {shorten(word)} of {shorten(name)}: no blanks")
        lines.append(f"{name} 1 {begin!r} {end - begin!r} {word} {min(float(network.posterior[i]), 1.0)!r}\n")
    return "".join(lines).encode()


def looks_like_json(head: bytes) -> bool:
    """Whether a file begins like JSON."""
    return b"\0" not in head and head.lstrip()[:1] in (b"{", b"[")


def parse_json(piece: Piece, reading: Reading) -> Lattice:
    """``segments`` with ``words`` (Whisper), ``words`` or ``result`` (Vosk), with times and confidences.

    Other members may hold anything that JSON can say, NaN included, which some recognisers write.
    """
    where, data = piece.where, piece.content()
    if len(data) > _LONGEST_JSON:
        raise InputError(f"JSON of more than {_LONGEST_JSON >> 20} MB: not that of a recogniser", where)
    try:
        words = _timed(_words_of(json.loads(data)))
        for word in words:
            word[0].encode()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        reason = shorten(str(error), 200)[1:-1]
        raise InputError(
            f"not the JSON of a recogniser with word times ({type(error).__name__}: {reason})", where
        ) from None
    return one_best([w for w in words if w[0]], piece.name, where, reading, lower=True)


def _words_of(content: Any) -> list[Any]:
    if isinstance(content, list):
        return [w for part in content for w in _words_of(part)]
    for key in ("words", "result"):
        if key in content:
            return _listed(content[key])
    if "transcription" in content:  # whisper.cpp
        return [w for segment in _listed(content["transcription"]) for w in _of_tokens(_listed(segment["tokens"]))]
    return [w for segment in _listed(content["segments"]) for w in _listed(segment.get("words", []))]


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"expected a list, got {type(value).__name__}")
    return value


def _of_tokens(tokens: list[Any]) -> list[dict[str, Any]]:
    """Words of whisper.cpp's tokens: one that begins with a blank begins a word; its confidence is the least."""
    words: list[dict[str, Any]] = []
    for token in tokens:
        text, times = token["text"], token["offsets"]
        if text.startswith("[_"):
            continue
        if text.startswith(" ") or not words:
            words.append({"word": "", "start": times["from"] / 1000, "probability": 1.0})
        words[-1]["word"] += text
        words[-1]["end"] = times["to"] / 1000
        words[-1]["probability"] = min(words[-1]["probability"], float(token.get("p", 1.0)))
    return words


def _timed(entries: list[Any]) -> list[tuple[str, float, float, float]]:
    """Words with times; one without (as WhisperX leaves numerals) gets what lies between its neighbours."""
    if not any("start" in w for w in entries) and any("end" not in w for w in entries):
        raise KeyError("start")
    following: list[float | None] = [None] * len(entries)  # the first start after each word
    for i in range(len(entries) - 1, 0, -1):
        following[i - 1] = float(entries[i]["start"]) if "start" in entries[i] else following[i]
    words, last = [], 0.0
    for w, after in zip(entries, following, strict=True):
        begin = float(w.get("start", last))
        end = float(w.get("end", max(last if after is None else after, last)))
        last = end
        words.append((_clean(w.get("word", w.get("text", ""))), begin, end, _confidence(w)))
    return words


def _confidence(word: Any) -> float:
    for key in ("probability", "confidence", "conf", "score"):
        if key in word:
            return float(word[key])
    return 1.0


def _clean(word: str) -> str:
    return word.strip().strip('.,;:!?"')
