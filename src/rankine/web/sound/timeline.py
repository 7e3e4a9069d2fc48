"""The time of a recording: its audio files one after the other.

The archive counts times from the beginning of an audio file. A recording may consist of several, such as the sides of a
tape. The page knows one time for all of it: a file begins where the one before ends. Files stand in the order in which
the utterances of the recording name them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...spoken.index import schema
from ...spoken.index.reader import Index
from ...spoken.recognise.audio import audio
from ...spoken.recordings.roots import RecordingRoots
from ...spoken.search.hits import Hit
from ...spoken.transcripts.reading import TranscriptPiece, transcript_piece

_NEAR = 1.0  # seconds around a piece of a transcript that are asked for, since sums of times are rounded


class TimedFile(NamedTuple):
    """An audio file of a recording: as the archive names it, its path (None: it is not there), begin and length."""

    stored: str
    path: Path | None
    begin: float = 0.0
    seconds: float = 0.0


class _Utterances(NamedTuple):
    """The utterances of a recording: the audio file of each, and when it begins and ends there."""

    audio: list[str]
    offset: np.ndarray
    length: np.ndarray


def _utterances(index: Index, recording: str) -> _Utterances:
    part, number = index.place_of(recording)
    rows, texts = part.utterances(number), part.texts(schema.AUDIO)
    offset, length = (np.nan_to_num(part.numbers(c)[rows.start : rows.stop]) for c in (schema.OFFSET, schema.LENGTH))
    stored = [texts[row] for row in rows]
    first = next(filter(None, stored), "")
    return _Utterances([text or first for text in stored], offset.astype(float), length.astype(float))


def timeline(index: Index, recording: str) -> list[TimedFile]:
    """The audio files of a recording; the length of the only one is not looked up, and stays 0."""
    said = _utterances(index, recording)
    names = [name for name in dict.fromkeys(said.audio) if name]
    roots = RecordingRoots(index.folder, index.manifest) if names else None
    files: list[TimedFile] = []
    for name in names:
        path = None
        with suppress(InputError, OSError):
            path = roots.find(name) if roots else None
        if len(names) == 1:
            return [TimedFile(name, path)]
        own = np.array([stored == name for stored in said.audio])
        last = float((said.offset + said.length)[own].max())
        begin = files[-1].begin + files[-1].seconds if files else 0.0
        heard = _seconds(path)
        files.append(TimedFile(name, path if heard else None, begin, round(max(heard, last), 3)))
    return files


def _seconds(path: Path | None) -> float:
    """The length of an audio file; 0 where it is not there or cannot be read."""
    try:
        return 0.0 if path is None else _length(path, os.stat(path).st_mtime_ns, os.stat(path).st_size)
    except (InputError, OSError):
        return 0.0


@lru_cache(maxsize=10_000)
def _length(path: Path, time: int, size: int) -> float:
    return audio.seconds(path)


def in_recordings(index: Index, hits: Sequence[Hit]) -> list[Hit]:
    """Hits with times that count from the beginnings of their recordings."""
    several = [name for name in {hit.recording for hit in hits} if len(set(_utterances(index, name).audio)) > 1]
    files = {name: timeline(index, name) for name in several}
    begins = {(name, file.stored): file.begin for name, own in files.items() for file in own}
    return [_later(hit, begins.get((hit.recording, hit.audio), 0.0)) for hit in hits]


def _later(hit: Hit, seconds: float) -> Hit:
    if not seconds:
        return hit
    line = tuple(replace(word, start=word.start + seconds, end=word.end + seconds) for word in hit.line)
    matches = tuple(replace(match, start=match.start + seconds, end=match.end + seconds) for match in hit.matches)
    return replace(hit, start=hit.start + seconds, end=hit.end + seconds, line=line, matches=matches)


def piece_of(index: Index, recording: str, start: float, end: float) -> TranscriptPiece:
    """The words of a recording whose segments begin from one time of it to another."""
    files = timeline(index, recording)
    if len(files) < 2 or not start < end:
        return transcript_piece(index, recording, start, end)
    said, begin_of = _utterances(index, recording), {file.stored: file.begin for file in files}
    begins = said.offset + np.array([begin_of[stored] for stored in said.audio])
    inside = (start <= begins) & (begins < end)
    words = []
    for file in files:
        first, last = max(start - file.begin - _NEAR, 0.0), end - file.begin + _NEAR
        if last > 0 and any(inside[i] and said.audio[i] == file.stored for i in range(len(inside))):
            for word in transcript_piece(index, recording, first, last).words:
                if inside[word.segment] and said.audio[word.segment] == file.stored:
                    own = word.word
                    words.append(word._replace(
                        word=replace(own, start=own.start + file.begin, end=own.end + file.begin)
                    ))  # fmt: skip
    later = begins[begins >= end]
    return TranscriptPiece(words, float(later.min()) if len(later) else None)
