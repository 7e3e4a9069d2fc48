"""A document's likeliest words as WebVTT or SRT, words that are in doubt marked."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import InputError
from .archive import Archive

_LETTERS, _SECONDS, _PAUSE, _DOUBT = 70, 6.0, 0.8, 0.5


class Word(NamedTuple):
    """A word of the likeliest reading, with times in the audio and its posterior."""

    text: str
    start: float
    end: float
    posterior: float


def best_words(archive: Archive, document: str) -> list[Word]:
    """The words of a document in order of time."""
    view, doc = archive.place_of(document)
    begin, end = view.doc_first[doc], view.doc_first[doc + 1]
    first, offsets = view.part.get("best.first"), view.part.get("utt.offset")
    times, words = view.part.get("best.time").reshape(-1, 3), view.texts("best.word")
    audio = [view.texts("utt.audio")[u] for u in range(begin, end)]
    files = list(dict.fromkeys(audio))
    if len(files) > 1:
        raise InputError(f"{document!r} stands in {len(files)} audio files: subtitles belong to one")
    out = []
    for utt in range(begin, end):
        for i in range(first[utt], first[utt + 1]):
            start, stop, p = (float(x) for x in times[i])
            out.append(Word(words[i], start + float(offsets[utt]), stop + float(offsets[utt]), p))
    return sorted(out, key=lambda w: w.start)


def cues(words: list[Word]) -> list[list[Word]]:
    """Words in groups that can be read at once: broken at pauses, after six seconds or seventy letters."""
    groups: list[list[Word]] = []
    for word in words:
        group = groups[-1] if groups else []
        letters = sum(len(w.text) + 1 for w in group)
        new = (
            not group
            or word.start - group[-1].end > _PAUSE
            or word.end - group[0].start > _SECONDS
            or letters + len(word.text) > _LETTERS
        )
        if new:
            groups.append([word])
        else:
            group.append(word)
    return groups


def subtitles(archive: Archive, document: str, form: str = "vtt") -> str:
    """The text of a subtitle file.

    In WebVTT every word carries its time and a class ``c0`` … ``c10`` for its posterior in tenths; in both, words whose
    posterior is below one half are in italics.
    """
    if form not in ("vtt", "srt"):
        raise InputError(f"subtitles are vtt or srt, got {form!r}")
    words = best_words(archive, document)
    if any(np.isnan(w.start) or np.isnan(w.end) for w in words):
        raise InputError("subtitles need times, and this document's lattices have none", document)
    lines = ["WEBVTT", ""] if form == "vtt" else []
    for i, group in enumerate(cues(words), 1):
        comma = "." if form == "vtt" else ","
        span = f"{_stamp(group[0].start, comma)} --> {_stamp(max(w.end for w in group), comma)}"
        lines += ([] if form == "vtt" else [str(i)]) + [span, " ".join(_word(w, form) for w in group), ""]
    return "\n".join(lines) + ("\n" if lines else "")


def _word(word: Word, form: str) -> str:
    text = word.text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") if form == "vtt" else word.text
    text = f"<i>{text}</i>" if word.posterior < _DOUBT else text
    return text if form == "srt" else f"<{_stamp(word.start, '.')}><c.c{round(10 * word.posterior)}>{text}</c>"


def _stamp(seconds: float, comma: str) -> str:
    ms = max(round(seconds * 1000), 0)
    return f"{ms // 3_600_000:02d}:{ms // 60_000 % 60:02d}:{ms // 1000 % 60:02d}{comma}{ms % 1000:03d}"
