"""Captions: WebVTT and SRT, read and written.

Captions of YouTube repeat what was said in the cue before, and have times inside cues: what is repeated is read once.
Those that this package writes have a class ``c0`` … ``c10`` for a word's confidence in tenths. Looked up in: W3C's
WebVTT, which also describes times inside cues and voices. SRT has no standard; speakers are written as WhisperX does.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any, NamedTuple

from .....errors import InputError, shorten
from ....writing.tokens import written_words
from .transcript import (
    Transcript,
    TranscriptSegment,
    TranscriptWord,
    check_timed,
    cues,
    head_text,
    segment_of_words,
    spread,
    text_of,
)

_DOUBT = 0.5
_TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
_SPAN = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?:\s.*)?")
_INLINE = re.compile(rf"<{_TIME}>")
_CLASS = re.compile(r"<c\.c(10|\d)>")
_VOICE = re.compile(r"<v(?:\.[^ \t>]*)?[ \t]+([^>]{0,200})>")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>|\{\\[^}]{0,200}\}")
_LABEL = re.compile(  # [Ann]: · SPEAKER_00: · >> Ann: · ANN SMITH:
    r"\s*(?:\[([^\]\[]{1,60})\]:|((?:SPEAKER|Speaker)[ _]?\w+):|(?:>>|-)\s*([A-Z][^:.?!]{0,40}):|"
    r"(?:>>\s*)?([A-Z][A-Z0-9 .'-]{1,40}):)\s+(?=\S)"
)
_ROLLING = 0.4  # of the cues begin with a line of the one before


class _Cue(NamedTuple):
    where: str
    start: float
    end: float
    lines: list[str]


def looks_like_vtt(head: bytes) -> bool:
    """Whether a file begins with WEBVTT."""
    return re.match(r"WEBVTT(\s|$)", head_text(head)) is not None


def looks_like_srt(head: bytes) -> bool:
    """Whether a file begins with the number of a cue and its times."""
    lines = [line for line in head_text(head).splitlines()[:20] if line.strip()]
    if lines and lines[0].strip().isdigit():
        lines = lines[1:]
    return bool(lines) and _SPAN.fullmatch(lines[0]) is not None


def read_captions(data: bytes, where: str) -> list[TranscriptSegment]:
    """The cues of WebVTT or SRT."""
    segments: list[TranscriptSegment] = []
    shown: list[str] = []  # the lines of the cue before
    all_cues = list(_cues(text_of(data, where), where))
    rolling = _is_rolling(all_cues)
    for cue in all_cues:
        lines = _new_lines(cue.lines, shown) if rolling else cue.lines
        shown = [_plain(line) for line in cue.lines]
        text = "\n".join(lines)
        if _INLINE.search(text):
            voice = _VOICE.search(text)
            segments.append(segment_of_words(_inline_words(text, cue), _name(voice[1]) if voice else ""))
        else:
            segments += _voices(text, cue)
    return segments


def _is_rolling(all_cues: list[_Cue]) -> bool:
    """Whether cues repeat lines of the cue before, as those of YouTube do."""
    if any(_INLINE.search(line) for cue in all_cues for line in cue.lines):
        return True
    pairs = [(a.lines[-1], b.lines[0]) for a, b in pairwise(all_cues) if a.lines and b.lines]
    return len(pairs) > 2 and sum(_plain(a) == _plain(b) for a, b in pairs) > _ROLLING * len(pairs)


def _new_lines(lines: list[str], shown: list[str]) -> list[str]:
    """The lines that the cue before did not show; a line with times inside is always new."""
    old = next((i for i, line in enumerate(lines) if _INLINE.search(line)), len(lines))
    plain = [_plain(line) for line in lines[:old]]
    return lines[next((n for n in range(len(plain), 0, -1) if plain[:n] == shown[-n:]), 0) :]


def _voices(text: str, cue: _Cue) -> list[TranscriptSegment]:
    """The parts of a cue that different speakers say; they share its time."""
    head, *rest = _VOICE.split(text)
    parts = [("", head), *zip(map(_name, rest[::2]), rest[1::2], strict=True)]
    said: list[tuple[str, list[str]]] = []
    for speaker, part in parts:
        plain = _plain(part)
        label = None if speaker else _LABEL.match(plain)
        name = speaker if label is None else next(filter(None, label.groups())).strip()
        said.append((name, written_words(plain if label is None else plain[label.end() :])))
    words = iter(spread([word for _, own in said for word in own], cue.start, cue.end))
    segments = [segment_of_words(list(islice(words, len(own))), name) for name, own in said]
    alone = sum(bool(s.words) for s in segments) == 1
    times: dict[str, Any] = {"start": cue.start, "end": cue.end} if alone else {}
    return [s._replace(estimated=True, **times) for s in segments]


def _name(voice: str) -> str:
    return " ".join(html.unescape(voice).split())


def _plain(line: str) -> str:
    """A line without tags, its entities as characters."""
    return " ".join(html.unescape(_TAG.sub("", _INLINE.sub("", line))).split())


def _cues(text: str, where: str) -> Iterator[_Cue]:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    at = 0
    while at < len(lines):
        if "-->" not in lines[at]:
            at += 1
            continue
        match, place = _SPAN.fullmatch(lines[at]), f"{where}, line {at + 1}"
        if match is None:
            raise InputError(
                f"expected hours:minutes:seconds --> and the same, got {shorten(lines[at].strip())}", place
            )
        last = at + 1
        while last < len(lines) and lines[last] and "-->" not in lines[last]:
            last += 1
        if last < len(lines) and "-->" in lines[last] and lines[last - 1].strip().isdigit():
            last -= 1  # no empty line before the next number
        start, end = _seconds(*match.groups()[:4]), _seconds(*match.groups()[4:])
        if start > end:
            raise InputError(f"a cue begins at {start} and ends at {end}", place)
        yield _Cue(place, start, end, [line for line in lines[at + 1 : last] if line.strip()])
        at = last


def _seconds(hours: str | None, minutes: str, seconds: str, thousandths: str) -> float:
    whole = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
    return whole + int(thousandths.ljust(3, "0")) / 1000


def _inline_words(text: str, cue: _Cue) -> list[TranscriptWord]:
    """Words between the times inside a cue; several between two times share them."""
    marks = [(m.start(), m.end(), _seconds(*m.groups())) for m in _INLINE.finditer(text)]
    starts = [(0, cue.start), *((end, time) for _, end, time in marks)]
    stops = [*((start, time) for start, _, time in marks), (len(text), cue.end)]
    words: list[TranscriptWord] = []
    for (first, begin), (last, end) in zip(starts, stops, strict=True):
        part = text[first:last]
        level = _CLASS.search(part)
        said = written_words(_plain(part))
        words += spread(said, begin, max(begin, end), 1.0 if level is None else int(level[1]) / 10)
    return words


# -- written


def write_vtt(transcript: Transcript) -> bytes:
    """WebVTT: every word has its time, where it is not estimated, and a class for its confidence."""
    check_timed(transcript, "WebVTT")
    lines = ["WEBVTT", ""]
    for segment, start, end, words in _groups(transcript):
        said = " ".join(_vtt_word(w, segment.estimated) for w in words)
        voice = f"<v {_escaped(segment.speaker)}>" if segment.speaker else ""
        lines += [f"{stamp(start)} --> {stamp(end)}", voice + said, ""]
    return ("\n".join(lines) + "\n").encode()


def write_srt(transcript: Transcript) -> bytes:
    """SRT: words whose confidence is below one half are in italics."""
    check_timed(transcript, "SRT")
    lines = []
    for number, (segment, start, end, words) in enumerate(_groups(transcript), 1):
        said = " ".join(_italic(w.text.replace("-->", "→"), w) for w in words)
        name = f"[{segment.speaker}]: " if segment.speaker else ""
        lines += [str(number), f"{stamp(start, ',')} --> {stamp(end, ',')}", name + said, ""]
    return ("\n".join(lines) + ("\n" if lines else "")).encode()


def _groups(transcript: Transcript) -> Iterator[tuple[TranscriptSegment, float, float, list[TranscriptWord]]]:
    for segment in transcript.segments:
        if segment.estimated:
            yield segment, segment.start, segment.end, list(segment.words)
            continue
        for group in cues(list(segment.words)):
            yield segment, group[0].start, max(w.end for w in group), group


def _vtt_word(word: TranscriptWord, estimated: bool) -> str:
    text = _italic(_escaped(word.text), word)
    return text if estimated else f"<{stamp(word.start)}><c.c{round(10 * word.confidence)}>{text}</c>"


def _italic(text: str, word: TranscriptWord) -> str:
    return f"<i>{text}</i>" if word.confidence < _DOUBT else text


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def stamp(seconds: float, point: str = ".") -> str:
    """A time as captions write it.

    >>> stamp(3661.5), stamp(1.0, ",")
    ('01:01:01.500', '00:00:01,000')
    """
    ms = max(round(seconds * 1000), 0)
    return f"{ms // 3_600_000:02d}:{ms // 60_000 % 60:02d}:{ms // 1000 % 60:02d}{point}{ms % 1000:03d}"
