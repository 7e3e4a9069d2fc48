"""A document's likeliest words as WebVTT or SRT, words that are in doubt marked."""

from __future__ import annotations

import numpy as np

from ...errors import InputError
from ..index import schema
from ..index.build import Word
from ..index.reader import Index
from ..lattice.formats.captions import write_srt, write_vtt
from ..lattice.formats.transcript import Transcript, TranscriptWord, segment_of_cue
from .rights import check_readable


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
    said = tuple(
        TranscriptWord(w.text, w.start, w.end, float(np.clip(np.nan_to_num(w.posterior), 0, 1))) for w in words
    )
    segments = (segment_of_cue(said),) if said else ()
    return (write_vtt if form == "vtt" else write_srt)(Transcript(document, segments)).decode()
