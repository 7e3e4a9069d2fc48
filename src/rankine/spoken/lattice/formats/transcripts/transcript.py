"""Transcripts: words as they are written, in segments with times and speakers, and what readers and writers share.

A reader of a transcript makes segments of a file's bytes. They are cut into turns, one piece each: consecutive segments
of one recording and one speaker. Where only a segment has times its words get shares of it by their lengths, and are
marked as estimated. Words lose their punctuation when they become a lattice; a conversion between formats of
transcripts keeps it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from .....errors import InputError, shorten
from ....writing.tokens import BREAKS, clean, is_speech, written_words
from ...lattice import MOST_TIME
from ...posteriors import UnitPosteriors
from ..reading import Piece, Turn

LETTERS_A_SECOND = 15.0  # only for the end of a last segment that is not given
_LETTERS, _SECONDS, _PAUSE = 70, 6.0, 0.8  # of a cue
LONGEST = 64 << 20  # bytes of a file; as Python's objects they take many times as much
_STATED_ENCODING = re.compile(r"""^(\s*<\?xml\b[^>]*?)\s+encoding\s*=\s*["'][^"'>]*["']""")


class TranscriptWord(NamedTuple):
    """A word as it is written, with its times in seconds (NaN: unknown) and its confidence."""

    text: str
    start: float
    end: float
    confidence: float = 1.0


class Alternative(NamedTuple):
    """What else may have been said in a segment, and how likely that is: the weights of a segment sum to at most 1."""

    weight: float
    words: tuple[TranscriptWord, ...]


class TranscriptSegment(NamedTuple):
    """Words that were said one after the other by one speaker ("": unknown).

    ``estimated`` tells that the times of words are shares of the segment's. ``recording`` is "" where a file holds one.
    """

    start: float
    end: float
    words: tuple[TranscriptWord, ...]
    speaker: str = ""
    estimated: bool = False
    alternatives: tuple[Alternative, ...] = ()
    recording: str = ""


class Transcript(NamedTuple):
    """The segments of a recording, in order of time."""

    name: str
    segments: tuple[TranscriptSegment, ...]


SegmentReader = Callable[[bytes, str], list[TranscriptSegment]]


def text_of(data: bytes, where: str) -> str:
    """The text of a file in UTF-8, or in UTF-16 with a byte order mark."""
    utf16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        return data.decode("utf-16") if utf16 else data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        bad = data[error.start : error.start + 4]
        raise InputError(
            f"{bad!r} is not UTF-{16 if utf16 else 8}; say which encoding the text has (--encoding, such as cp1252 or "
            "latin-1)", f"{where}, line {line}",
        ) from None  # fmt: skip


def in_utf8(data: bytes, encoding: str | None, where: str) -> bytes:
    """A file in UTF-8, given one in another encoding; what XML states of itself is taken out.

    >>> in_utf8(b'<?xml version="1.0" encoding="x"?><a>\\xe9', "cp1252", "x.xml").decode()
    '<?xml version="1.0"?><a>é'
    """
    if encoding is None:
        return data
    try:
        text = data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        bad = data[error.start : error.start + 4]
        raise InputError(f"{bad!r} is not {encoding}", f"{where}, line {line}") from None
    return _STATED_ENCODING.sub(r"\1", text).encode("utf-8", "surrogatepass")


def head_text(head: bytes) -> str:
    """The first bytes of a file as text; what is not UTF-8 or UTF-16 is replaced.

    >>> head_text("File".encode("utf-16"))
    'File'
    """
    coding = "utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    return head.decode(coding, "replace").removeprefix("\ufeff")


def spread(words: Sequence[str], start: float, end: float, confidence: float = 1.0) -> tuple[TranscriptWord, ...]:
    """Words with shares of a stretch of time, by their lengths.

    >>> [(w.start, w.end) for w in spread(["one", "eleven"], 1.0, 10.0)]
    [(1.0, 4.0), (4.0, 10.0)]
    """
    total, done, out, at = sum(map(len, words)), 0, [], start
    for word in words:
        done += len(word)
        to = end if done == total else start + (end - start) * done / total
        out.append(TranscriptWord(word, at, to, confidence))
        at = to
    return tuple(out)


def segment_of_text(
    text: str, start: float, end: float, speaker: str = "", recording: str = "", confidence: float = 1.0
) -> TranscriptSegment:
    """A segment of which only its own times are given."""
    return TranscriptSegment(
        start, end, spread(written_words(text), start, end, confidence), speaker, True, (), recording
    )


def segment_of_words(
    words: Sequence[TranscriptWord], speaker: str = "", start: float | None = None, end: float | None = None
) -> TranscriptSegment:
    """A segment whose words have times; its own are theirs, unless they are given."""
    said = tuple(w for w in words if is_speech(w.text))
    first = min((w.start for w in said), default=0.0) if start is None else start
    last = max((w.end for w in said), default=first) if end is None else end
    return TranscriptSegment(first, last, said, speaker)


def by_speaker(words: Sequence[tuple[TranscriptWord, str]]) -> list[TranscriptSegment]:
    """Segments of words of which each has a speaker."""
    runs = groupby(words, key=lambda pair: pair[1])
    return [segment_of_words([word for word, _ in run], speaker) for speaker, run in runs]


def weights(confidences: Sequence[float | None]) -> list[float]:
    """The probabilities of alternatives, best first, from what a recogniser says of them.

    Confidences are divided by their sum. Logarithms of probabilities (some lie outside of 0 and 1) are turned into
    probabilities first. Where some are missing, each alternative counts half as much as the one before it.

    >>> weights([0.5, 0.5]), weights([301.0, 301.0]), weights([0.9, None])
    ([0.5, 0.5], [0.5, 0.5], [0.6666666666666666, 0.3333333333333333])
    """
    given = [c for c in confidences if c]
    if any(math.isnan(c) for c in given):
        raise ValueError("a confidence is not a number")
    if len(given) < len(confidences):
        given = [0.5**i for i in range(len(confidences))]
    elif not all(0 <= c <= 1 for c in given):
        best = max(given)
        given = [math.exp(max(c - best, -700.0)) for c in given]
    total = sum(given)
    return [c / total for c in given]


# -- segments to pieces


def check(segments: Iterable[TranscriptSegment], where: str) -> None:
    """Raise InputError where times or confidences are impossible."""
    for segment in segments:
        hypotheses = (segment.words, *(other.words for other in segment.alternatives))
        for word in (w for words in hypotheses for w in words):
            check_word(*word, where)
        _check_times(segment.words[0].text if segment.words else "a segment", segment.start, segment.end, where)


def check_word(word: str, begin: float, end: float, confidence: float, where: str | None) -> None:
    """Raise InputError where the times or the confidence of a word are impossible."""
    if not 0 <= confidence <= 1:
        raise InputError(f"the confidence of {shorten(word)} must lie between 0 and 1, got {confidence}", where)
    _check_times(word, begin, end, where)


def _check_times(word: str, begin: float, end: float, where: str | None) -> None:
    if not (0 <= begin <= end <= MOST_TIME or (math.isnan(begin) and math.isnan(end))):
        raise InputError(f"{shorten(word)} begins at {begin} and ends at {end}", where)


def read_segments(read: SegmentReader, data: bytes, where: str) -> list[TranscriptSegment]:
    """The segments of a file that hold words, in order of recordings and of time; InputError if there are none."""
    if len(data) > LONGEST:
        raise InputError(f"more than {LONGEST >> 20} MB: not a transcript", where)
    segments = [_on_one_line(s) for s in read(data, where) if s.words]
    if not segments:
        raise InputError("no words", where)
    check(segments, where)
    try:
        for s in segments:
            said = (*s.words, *(w for other in s.alternatives for w in other.words))
            "".join([s.speaker, s.recording, *(w.text for w in said)]).encode()
    except UnicodeEncodeError as error:
        raise InputError(f"half of a character: {error.object[error.start : error.end]!r}", where) from None
    recordings = {recording: number for number, recording in enumerate(dict.fromkeys(s.recording for s in segments))}
    return sorted(segments, key=lambda s: (recordings[s.recording], -1.0 if math.isnan(s.start) else s.start))


def _on_one_line(segment: TranscriptSegment) -> TranscriptSegment:
    """A segment whose words and names have no line breaks."""
    words = tuple(w._replace(text=" ".join(w.text.split())) for w in segment.words)
    others = tuple(
        Alternative(o.weight, tuple(w._replace(text=" ".join(w.text.split())) for w in o.words))
        for o in segment.alternatives
    )
    return segment._replace(words=words, alternatives=others, speaker=" ".join(segment.speaker.split()))


def turns(read: SegmentReader, data: bytes, path: str, name: str, format: str, title: str = "") -> Iterator[Piece]:
    """The turns of a file as pieces; one whose recording has one turn is called as the recording."""
    segments = read_segments(read, data, path)
    for recording, own in groupby(segments, key=lambda s: s.recording or name):
        runs = [list(run) for _, run in groupby(own, key=lambda s: s.speaker)]
        names: dict[str, int] = {}
        for run in runs:
            offset = 0.0 if len(runs) == 1 or math.isnan(run[0].start) else run[0].start
            label = recording if len(runs) == 1 else f"{recording}@{offset:.2f}"
            names[label] = names.get(label, 0) + 1
            label += f"+{names[label] - 1}" if names[label] > 1 else ""
            turn = Turn(recording, offset, run[0].speaker, any(s.estimated for s in run), title)
            yield Piece(label, format, path, packed(run), turn=turn)


def packed(segments: Sequence[TranscriptSegment]) -> bytes:
    """Segments as the content of a piece."""
    return json.dumps(segments, ensure_ascii=False).encode()


def unpacked(data: bytes) -> list[TranscriptSegment]:
    """The segments of a piece.

    >>> segment = segment_of_text("hello there", 0.0, 1.0, "Ann")
    >>> unpacked(packed([segment])) == [segment]
    True
    """

    def words(rows: Any) -> tuple[TranscriptWord, ...]:
        return tuple(TranscriptWord(*row) for row in rows)

    return [
        TranscriptSegment(
            start, end, words(said), speaker, estimated, tuple(Alternative(w, words(o)) for w, o in others), recording
        )
        for start, end, said, speaker, estimated, others, recording in json.loads(data)
    ]


# -- to be written


def cues(words: list[TranscriptWord]) -> list[list[TranscriptWord]]:
    """Words in groups that can be read at once: broken at pauses, after six seconds or seventy letters."""
    groups: list[list[TranscriptWord]] = []
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


def transcript_of(network: UnitPosteriors, offset: float = 0.0) -> Transcript:
    """The likeliest words of a confusion network, where they are likelier than none; a segment is what fits a cue."""
    words = [
        TranscriptWord(
            network.units[network.unit[i]],
            float(network.start[i]) + offset,
            float(network.end[i]) + offset,
            min(float(network.posterior[i]), 1.0),
        )
        for i in network.best_entries()
    ]
    return Transcript(network.name or "utterance", tuple(segment_of_cue(group) for group in cues(words)))


def segment_of_cue(words: Sequence[TranscriptWord]) -> TranscriptSegment:
    """A segment of words as they are."""
    first, last = np.fmin.reduce([w.start for w in words]), np.fmax.reduce([w.end for w in words])
    return TranscriptSegment(float(first), float(last), tuple(words))


def without_punctuation(segments: Iterable[TranscriptSegment]) -> tuple[TranscriptSegment, ...]:
    """Segments whose words have no punctuation around them and no blanks inside, for formats that hold bare words."""

    def bare(word: TranscriptWord) -> tuple[TranscriptWord, ...]:
        tokens = [clean(token) for token in BREAKS.split(word.text)]
        return spread([t for t in tokens if t], word.start, word.end, word.confidence)

    return tuple(s._replace(words=tuple(w for word in s.words for w in bare(word)), alternatives=()) for s in segments)


def in_milliseconds(seconds: float) -> float:
    """A time as it is written: seconds with three decimals.

    >>> in_milliseconds(0.1 + 0.2)
    0.3
    """
    return round(seconds, 3)


def check_timed(transcript: Transcript, title: str) -> None:
    """Raise InputError where a word has no times: most formats of transcripts need them."""
    for segment in transcript.segments:
        if any(math.isnan(w.start) or math.isnan(w.end) for w in segment.words):
            raise InputError(f"{title} needs times, and this lattice has none", transcript.name)
