"""A document's likeliest words as WebVTT or SRT, words that are in doubt marked."""

from __future__ import annotations

import numpy as np

from ...errors import InputError
from ..index import schema
from ..index.build import Word
from ..index.reader import Index
from .rights import check_readable

_LETTERS, _SECONDS, _PAUSE, _DOUBT = 70, 6.0, 0.8, 0.5


def best_words(index: Index, document: str) -> list[Word]:
    """The words of a document in order of time; times count from the beginning of its audio file."""
    index.check_sizes()
    part, number = index.place_of(document)
    utterances = part.utterances(number)
    files = {part.texts(schema.AUDIO)[u] for u in utterances}
    if len(files) > 1:
        raise InputError(f"{document!r} stands in {len(files)} audio files: subtitles belong to one")
    offsets, texts = part.numbers(schema.OFFSET), part.texts(schema.WORD_TEXT)
    words = []
    for utterance in utterances:
        numbers, offset = part.words(utterance), float(offsets[utterance])
        times = part.numbers(schema.WORD_TIMES, numbers.start, numbers.stop).tolist()
        for i, (start, end, posterior) in zip(numbers, times, strict=True):
            words.append(Word(texts[i], start + offset, end + offset, posterior))
    return sorted(words, key=lambda w: w.start)


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


def subtitles(index: Index, document: str, form: str = "vtt", closed: bool = False) -> str:
    """The text of a subtitle file.

    In WebVTT every word carries its time and a class ``c0`` … ``c10`` for its posterior in tenths; in both, words whose
    posterior is below one half are in italics. A recording that is not open is an InputError, unless the keeper asks
    (``closed``).
    """
    if form not in ("vtt", "srt"):
        raise InputError(f"subtitles are vtt or srt, got {form!r}")
    check_readable(index, document, closed)
    words = best_words(index, document)
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
    return (
        text
        if form == "srt"
        else f"<{_stamp(word.start, '.')}><c.c{round(10 * np.clip(np.nan_to_num(word.posterior), 0, 1))}>{text}</c>"
    )


def _stamp(seconds: float, comma: str) -> str:
    ms = max(round(seconds * 1000), 0)
    return f"{ms // 3_600_000:02d}:{ms // 60_000 % 60:02d}:{ms // 1000 % 60:02d}{comma}{ms % 1000:03d}"
