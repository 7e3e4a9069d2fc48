"""A recording's likeliest words as WebVTT or SRT, words that are in doubt marked."""

from __future__ import annotations

import numpy as np

from ...errors import InputError
from ..corrections.changes import placed_recording, reading_as_heard
from ..corrections.placement import Placement
from ..index.build import Word
from ..index.heard_rows import reading_of
from ..index.reader import Index
from ..lattice.formats.transcripts.captions import stamp, write_srt, write_vtt
from ..lattice.formats.transcripts.transcript import Transcript, TranscriptWord, segment_of_cue, spread
from ..metadata.rights import check_readable
from ..writing.tokens import written_words


def best_words(index: Index, recording: str, as_heard: bool = False) -> list[Word]:
    """The words of a recording in order of time, those of corrections as they were written (or ``as_heard``).

    Times count from the beginning of its audio file.
    """
    index.check_sizes()
    part, number = index.place_of(recording)
    rows = reading_as_heard(index, recording) if as_heard else reading_of(part, number)
    files = {row.audio for row in rows}
    if len(files) > 1:
        raise InputError(f"{recording!r} stands in {len(files)} audio files: subtitles belong to one")
    words = [w._replace(start=w.start + r.offset, end=w.end + r.offset) for r in rows for w in r.best]
    for place in [] if as_heard else _placements(index, recording):
        said = spread(written_words(place.correction.written), place.start, place.end)
        words = [w for w in words if not place.start <= (w.start + w.end) / 2 <= place.end]
        words += [Word(w.text, w.start, w.end, 1.0) for w in said]
    return sorted(words, key=lambda w: w.start)


def _placements(index: Index, recording: str) -> list[Placement]:
    return placed_recording(index, recording).placements if recording in index.corrected else []


def subtitles(index: Index, recording: str, form: str = "vtt", closed: bool = False, as_heard: bool = False) -> str:
    """The text of a subtitle file.

    In WebVTT every word carries its time and a class ``c0`` … ``c10`` for its posterior in tenths, and notes at its
    beginning say what was corrected, by whom and when; in both forms words whose posterior is below one half are in
    italics. ``as_heard`` leaves out corrections. A recording that is not open is an InputError, unless the keeper asks
    (``closed``).
    """
    if form not in ("vtt", "srt"):
        raise InputError(f"subtitles are vtt or srt, got {form!r}")
    check_readable(index, recording, closed)
    words = best_words(index, recording, as_heard)
    if any(np.isnan(w.start) or np.isnan(w.end) for w in words):
        raise InputError("subtitles need times, and this recording's lattices have none", recording)
    said = tuple(
        TranscriptWord(w.text, w.start, w.end, float(np.clip(np.nan_to_num(w.posterior), 0, 1))) for w in words
    )
    segments = (segment_of_cue(said),) if said else ()
    if form == "srt":
        return write_srt(Transcript(recording, segments)).decode()
    notes = "".join(_note(place) for place in ([] if as_heard else _placements(index, recording)))
    return write_vtt(Transcript(recording, segments)).decode().replace("WEBVTT\n\n", f"WEBVTT\n\n{notes}", 1)


def _note(place: Placement) -> str:
    """What was corrected, as a comment of WebVTT."""
    c = place.correction
    text = f"NOTE corrected at {stamp(place.start)}: {c.heard or '(nothing)'} → {c.written or '(nothing)'}"
    return f"{text} ({c.who}, {c.time})".replace("-->", "→") + "\n\n"
