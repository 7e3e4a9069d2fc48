"""The words of a recording with its corrections, and what a new correction would be about."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...errors import InputError, is_utf8, shorten
from ...system.console import clock
from ..index.build import Utterance
from ..index.reader import Index
from ..lattice.formats.transcripts.transcript import spread
from ..metadata.rights import check_readable
from ..recordings.place_files import PlaceRow
from ..recordings.places import read_place_name
from ..store.store import Store
from ..writing.tokens import written_words
from .changes import reading_as_heard
from .placement import PlacedCorrections, PlacedWord, TimedWords, context, heard_words, placed, span_of
from .rows import Correction, counting_corrections, indexed_words

LONGEST = 1000  # characters of a correction
_BEYOND = 1.0  # seconds by which a span may end behind its recording: times are rounded


class CorrectedWord(NamedTuple):
    """A word of a transcript: its times, and the correction that it comes from; None: it was heard."""

    text: str
    start: float
    end: float
    correction: Correction | None = None


def corrected_words(all_placed: PlacedCorrections) -> list[CorrectedWord]:
    """The words of a recording in order of time; those of corrections as they were written."""
    out: list[CorrectedWord] = []
    done: set[int] = set()
    whole = {p.correction.id: p for p in all_placed.placements}
    for word in all_placed.words:
        if word.correction is None:
            out.append(CorrectedWord(word.text, word.start, word.end))
        elif _is_whole(all_placed.words, word.correction):
            if word.correction.id not in done:
                place = whole[word.correction.id]
                out += [CorrectedWord(w.text, w.start, w.end, word.correction)
                        for w in spread(written_words(word.correction.written), place.start, place.end)]  # fmt: skip
            done.add(word.correction.id)
        else:  # a later correction covers a part of it
            out.append(CorrectedWord(word.text, word.start, word.end, word.correction))
    return sorted(out, key=lambda word: word.start)


def _is_whole(words: Sequence[PlacedWord], correction: Correction) -> bool:
    return [word.text for word in words if word.correction == correction] == correction.words


def checked_text(written: str) -> str:
    """The text of a correction as it is kept; an InputError where it is none."""
    text = " ".join(unicodedata.normalize("NFC", written).split())
    if len(text) > LONGEST:
        raise InputError(
            f"a correction of {len(text):,} characters; at most {LONGEST:,} are kept: correct shorter spans one by one"
        )
    if not is_utf8(text) or any(unicodedata.category(c) == "Cc" for c in text):
        raise InputError(f"the text of a correction holds a control character, or half of one: {shorten(text)}")
    if text and not indexed_words(text):
        raise InputError(f"expected words, got {shorten(text)}; an empty text says that nothing was said")
    return text


class WordsToCorrect:
    """The words of recordings, of which new corrections are made."""

    def __init__(self, index: Index, store: Store) -> None:
        self.index, self.store = index, store
        self._words: dict[str, tuple[list[Utterance], TimedWords]] = {}

    def _of(self, recording: str) -> tuple[list[Utterance], TimedWords]:
        if recording not in self._words:
            rows = reading_as_heard(self.index, recording)
            self._words[recording] = rows, heard_words(rows)
        return self._words[recording]

    def row(self, place: str, written: str, closed: bool) -> dict[str, Any]:
        """The row of a new correction at ``RECORDING@START-END``."""
        name = read_place_name(place, self.index.numbers, self.index.utterances_of)
        self.index.number_of(name.recording)
        if name.start is None or name.end is None:
            raise InputError(f"expected RECORDING@START-END in seconds, such as tape-7@12.5-13.1; got {shorten(place)}")
        return self._row(name.recording, name.start, name.end, checked_text(written), closed, name.utterance)

    def imported(self, place: PlaceRow, closed: bool) -> dict[str, Any]:
        """The row of a correction in a file; what it says of the words there counts."""
        if place.start is None or place.end is None:
            raise InputError("expected the start and the end of a correction, in seconds")
        written = checked_text(place.cells["written"])
        if "heard" not in place.cells:
            return self._row(place.recording, place.start, place.end, written, closed)
        self._check(place.recording, place.start, place.end, closed)
        texts = {name: " ".join(place.cells.get(name, "").split()) for name in ("heard", "before", "after")}
        if not written and not texts["heard"]:
            raise InputError("nothing was heard there, and nothing is written: there is nothing to correct")
        return {"recording": place.recording, "start": place.start, "stop": place.end, "written": written,
                "replaces": None, **texts}  # fmt: skip

    def _row(
        self, recording: str, start: float, end: float, written: str, closed: bool, utterance: str | None = None
    ) -> dict[str, Any]:
        rows, words = self._check(recording, start, end, closed)
        span = span_of(words, rows, start, end, utterance)
        if span is None:
            raise InputError(f"nothing is recorded between {start:g} and {end:g} seconds", recording)
        first, last = span[:2]
        heard, before, after = context(words, first, last)
        if not heard and not written and not self._is_written(rows, recording, start, end):
            raise InputError(f"no word stands between {start:g} and {end:g} seconds: nothing is to correct", recording)
        return {
            "recording": recording, "start": start, "stop": end, "heard": heard, "written": written, "before": before,
            "after": after, "replaces": None,
        }  # fmt: skip

    def _is_written(self, rows: list[Utterance], recording: str, start: float, end: float) -> bool:
        """Whether an earlier correction has put words into a span."""
        with self.store.reading(whole=False) as db:
            words = placed(rows, counting_corrections(db, [recording])).words
        return any(start <= word.middle <= end for word in words)

    def _check(self, recording: str, start: float, end: float, closed: bool) -> tuple[list[Utterance], TimedWords]:
        """The rows and words of a recording; an InputError where it has no such time, or may not be read."""
        check_readable(self.index, recording, closed)
        rows, words = self._of(recording)
        length = max((row.offset + row.length for row in rows if not math.isnan(row.length)), default=math.nan)
        if math.isnan(length) or any(math.isnan(word.middle) for word in words):
            raise InputError("its words have no times, and corrections are made by time", recording)
        if not start < end:
            raise InputError(f"expected a span from a time to a later one, got {start:g} to {end:g} seconds", recording)
        if end > length + _BEYOND:
            raise InputError(
                f"expected a span in the recording, which is {clock(length)} ({length:.2f} seconds) long; got "
                f"{start:g} to {end:g}", recording,
            )  # fmt: skip
        return rows, words
