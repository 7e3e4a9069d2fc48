"""Praat's TextGrid, in its long and its short form.

Both forms hold the same numbers and texts in the same order. Looked up in: the specification of
TextGrid by the authors of readtextgrid, which follows Praat's manual.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .....errors import InputError, shorten
from ....text import is_number
from .transcript import (
    Transcript,
    TranscriptSegment,
    TranscriptWord,
    check_timed,
    head_text,
    in_milliseconds,
    segment_of_text,
    segment_of_words,
    text_of,
)

_TOKEN = re.compile(r'"((?:[^"]|"")*)"|(<exists>|<absent>)|\[[^\]\n]*\]|![^\n]*|([^\s"<\[!]+)|\s+|.', re.DOTALL)
_WORDS = re.compile(r"(.*?)[\s_/-]*\b(?:words?|orthograph\w*|ort)\b", re.IGNORECASE)
_SMALLER = re.compile(r"phon|phoneme|syll|segment|tone|point|\bpos\b|gloss|morph|mau\b", re.IGNORECASE)
_SILENCE = frozenset(["sil", "sp", "spn", "<eps>", "<sil>", "<p:>", "pau", "<p>", "silence", "#"])
_LEAST = 0.001  # seconds that an interval takes at least


class _Tier(NamedTuple):
    name: str
    intervals: list[tuple[float, float, str]]


def looks_like_textgrid(head: bytes) -> bool:
    """Whether a file begins like an object of Praat that is a TextGrid."""
    return re.match(r'\s*(?:File type = )?"ooTextFile.*"TextGrid"', head_text(head), re.DOTALL) is not None


def read_textgrid(data: bytes, where: str) -> list[TranscriptSegment]:
    """Tiers of words where there are some, else all tiers of intervals but those of phones and the like."""
    tiers = [t for t in _tiers(data, where) if any(label.strip() for _, _, label in t.intervals)]
    by_word = [(match[1].strip(" -_"), t) for t in tiers if (match := _WORDS.fullmatch(t.name.strip()))]
    if by_word:
        return [
            segment_of_words([TranscriptWord(w, s, e) for s, e, w in t.intervals if w.strip() not in _SILENCE], speaker)
            for speaker, t in by_word
        ]
    tiers = [t for t in tiers if not _SMALLER.search(t.name)]
    return [
        segment_of_text(label, start, end, t.name.strip() if len(tiers) > 1 else "")
        for t in tiers
        for start, end, label in t.intervals
        if label.strip() not in _SILENCE
    ]


def _tiers(data: bytes, where: str) -> Iterator[_Tier]:
    text = text_of(data, where)
    tokens = _Tokens(text, where)
    for expected in ("ooTextFile", "TextGrid"):
        kind = tokens.text()
        if not kind.startswith(expected):
            raise InputError(f"expected {expected!r}, got {shorten(kind)}", where)
    tokens.number(), tokens.number()  # where it begins and ends
    if tokens.flag() == "<absent>":
        return
    for _ in range(tokens.count()):
        kind, name = tokens.text(), tokens.text()
        tokens.number(), tokens.number()
        intervals = []
        for _ in range(tokens.count()):
            start = tokens.number()
            end = tokens.number() if kind == "IntervalTier" else start
            intervals.append((start, end, tokens.text()))
        if kind == "IntervalTier":
            yield _Tier(name, intervals)


class _Tokens:
    """The texts, numbers and flags of a file, one after the other."""

    def __init__(self, text: str, where: str) -> None:
        self.source, self.where, self.at = text, where, 0
        self.matches = _TOKEN.finditer(text)

    def _next(self, kind: str) -> tuple[str | None, str | None, str | None]:
        for match in self.matches:
            quoted, flag, bare = match.groups()
            self.at = match.start()
            if quoted is not None or flag is not None or (bare is not None and is_number(bare)):
                return quoted, flag, bare
        raise InputError(f"expected {kind}, but the file ends", self.where)

    def _wrong(self, kind: str) -> InputError:
        line = self.source.count("\n", 0, self.at) + 1
        given = shorten(self.source[self.at : self.at + 40].split("\n")[0])
        return InputError(f"expected {kind}, got {given}", f"{self.where}, line {line}")

    def text(self) -> str:
        """The next text."""
        quoted, _, _ = self._next("a text in quotes")
        if quoted is None:
            raise self._wrong("a text in quotes")
        return quoted.replace('""', '"')

    def number(self) -> float:
        """The next number."""
        _, _, bare = self._next("a number")
        if bare is None:
            raise self._wrong("a number")
        return float(bare)

    def count(self) -> int:
        """The next number, which counts what follows."""
        value = self.number()
        if not 0 <= value < 1e8 or value != int(value):
            raise self._wrong("a number of tiers or intervals")
        return int(value)

    def flag(self) -> str:
        """Whether there are tiers."""
        _, flag, _ = self._next("<exists>")
        if flag is None:
            raise self._wrong("<exists>")
        return flag


def write_textgrid(transcript: Transcript) -> bytes:
    """A TextGrid in its long form: a tier of words for each speaker, or of segments where times are estimated.

    Confidences are lost. Intervals of a tier cannot overlap, so a word begins where the one before it ends, at the
    earliest, and takes a millisecond at least. Times are in milliseconds.
    """
    check_timed(transcript, "TextGrid")
    by_word = not any(s.estimated for s in transcript.segments)
    rows: dict[str, list[tuple[float, float, str]]] = {}
    for s in transcript.segments:
        own = rows.setdefault(s.speaker, [])
        own += [(w.start, w.end, w.text) for w in s.words] if by_word else [
            (s.start, s.end, " ".join(w.text for w in s.words))
        ]  # fmt: skip
    tiled = {speaker: _tiled(own) for speaker, own in rows.items()}
    last = max((own[-1][1] for own in tiled.values() if own), default=1.0)
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "xmin = 0", f"xmax = {last!r}"]
    lines += ["tiers? <exists>", f"size = {len(tiled)}", "item []:"]
    for number, (speaker, own) in enumerate(tiled.items(), 1):
        name = " - ".join(filter(None, [speaker, "words"])) if by_word else speaker or "transcript"
        intervals = [*own, *([(own[-1][1], last, "")] if own and own[-1][1] < last else [])]
        lines += [f"    item [{number}]:", '        class = "IntervalTier"', f"        name = {_quoted(name)}"]
        lines += ["        xmin = 0", f"        xmax = {last!r}", f"        intervals: size = {len(intervals)}"]
        for i, (start, end, text) in enumerate(intervals, 1):
            lines += [f"        intervals [{i}]:", f"            xmin = {start!r}", f"            xmax = {end!r}"]
            lines.append(f"            text = {_quoted(text)}")
    return ("\n".join(lines) + "\n").encode()


def _tiled(intervals: list[tuple[float, float, str]]) -> list[tuple[float, float, str]]:
    """Intervals from 0 on without gaps."""
    out: list[tuple[float, float, str]] = []
    last = 0.0
    for start, end, text in sorted(intervals, key=lambda i: i[0]):
        begin = max(in_milliseconds(start), last)
        if begin > last:
            out.append((last, begin, ""))
        last = in_milliseconds(max(end, begin + _LEAST))
        out.append((begin, last, text))
    return out


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
