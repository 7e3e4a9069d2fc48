"""From hypotheses of a recogniser, each a text with times of its words, to the lattice of a segment.

Hypotheses of the same words are one, with their number; in English also those that differ only in how they are
written: "1450" and "fourteen fifty". Of several ways of writing in a window the one with the most weight is taken.
Samples weigh equally; an n-best list is weighed by the softmax of its scores times ``SHARPNESS``, because the scores
themselves are too sure. A hypothesis that is not to be trusted gets less than its weight, and what is taken away is the
weight of an empty path: the words stay in the lattice, with small posteriors. There are three reasons for distrust:

- the recogniser itself thinks that nobody spoke (its probability of no speech is above 0.6);
- the text repeats itself: zlib makes it more than 2.4 times smaller;
- the mean log probability of its tokens is below −1.

These limits are those of OpenAI's Whisper, which throws such texts away or tries again.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...lattice.formats.lattices.slf import write_slf
from ...lattice.formats.reading import Reading
from ...lattice.formats.transcripts.lattice import lattice_of
from ...lattice.formats.transcripts.transcript import Alternative, TranscriptSegment, TranscriptWord, spread
from ...writing.normal import sayings
from ...writing.tokens import clean

NO_SPEECH, REPEATS, UNLIKELY = 0.6, 2.4, -1.0
_REPEATED = 0.1  # of the weight of a text that repeats itself is left
SHARPNESS = 0.3  # of the weights of an n-best list, as `python -m benchmarks calibration` fits it
_SHORTEST = 20  # characters; shorter texts do not repeat themselves


class TextHypothesis(NamedTuple):
    """A text as numbers of a recogniser's tokens, the sum of their log probabilities, and its weight."""

    tokens: tuple[int, ...]
    text: str
    log_probability: float
    weight: float = 1.0

    @property
    def mean(self) -> float:
        """The mean log probability of a token; the end of the text is one too."""
        return self.log_probability / (len(self.tokens) + 1)


WeighedWords = tuple[float, Sequence[TranscriptWord]]


class WindowHypotheses(NamedTuple):
    """What was heard in a window: where it begins and ends in seconds, hypotheses with words, the likeliest first.

    ``marks`` says why hypotheses are not trusted; "" where they are.
    """

    start: float
    end: float
    hypotheses: Sequence[WeighedWords]
    marks: str = ""


def by_count(samples: Sequence[TextHypothesis], language: str = "en") -> list[TextHypothesis]:
    """Different texts, each with its share of the samples, the most frequent first; of equal ones the first.

    >>> samples = [TextHypothesis((1,), " Yes.", -1.0), TextHypothesis((2,), " yes", -2.0)]
    >>> [(h.text, h.weight) for h in by_count(samples)]
    [(' Yes.', 1.0)]
    """
    return _merged([h._replace(weight=1 / len(samples)) for h in samples], language)


def by_score(
    beam: Sequence[TextHypothesis], language: str = "en", sharpness: float = SHARPNESS
) -> list[TextHypothesis]:
    """Different texts, weighed by the softmax of ``sharpness`` × log probability, the likeliest first.

    >>> beam = [TextHypothesis((1,), "a", 0.0), TextHypothesis((2,), "b", np.log(1 / 3))]
    >>> [round(h.weight, 3) for h in by_score(beam, sharpness=1.0)]
    [0.75, 0.25]
    """
    scores = sharpness * np.array([h.log_probability for h in beam])
    weights = np.exp(scores - scores.max())
    shares = (weights / weights.sum()).tolist()
    return _merged([h._replace(weight=w) for h, w in zip(beam, shares, strict=True)], language)


def _bare(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(bare for text in texts if (bare := clean(text.lower())))


def _merged(hypotheses: Sequence[TextHypothesis], language: str) -> list[TextHypothesis]:
    """One hypothesis for all of the same words, in the writing that has the most weight."""
    same: dict[tuple[str, ...], dict[tuple[str, ...], TextHypothesis]] = {}
    for h in hypotheses:
        words = h.text.split()
        written = _bare(words)
        said = tuple(word for some in sayings(words) for word in some.words) if language == "en" else written
        writings = same.setdefault(said, {})
        before = writings.get(written, h._replace(weight=0.0))
        writings[written] = before._replace(weight=before.weight + h.weight)
    merged = []
    for writings in same.values():
        best = max(writings.values(), key=lambda h: round(h.weight, 12))
        merged.append(best._replace(weight=sum(h.weight for h in writings.values())))
    return sorted(merged, key=lambda h: -round(h.weight, 12))


def written_alike(hypotheses: Sequence[WeighedWords]) -> list[WeighedWords]:
    """English hypotheses in which what is said alike is written alike: in the way that has the most weight in all.

    >>> one, other = ([TranscriptWord(w, 0.0, 1.0) for w in text.split()] for text in ("in 1450", "by fourteen fifty"))
    >>> [[w.text for w in words] for _, words in written_alike([(0.6, one), (0.4, other)])]
    [['in', '1450'], ['by', '1450']]
    """
    if len(hypotheses) < 2:
        return list(hypotheses)
    spoken = [sayings([word.text for word in words]) for _, words in hypotheses]
    weights: dict[tuple[str, ...], dict[tuple[str, ...], float]] = {}
    for (weight, words), said in zip(hypotheses, spoken, strict=True):
        for some in said:
            ways = weights.setdefault(some.words, {})
            way = _bare([word.text for word in words[some.begin : some.end]])
            ways[way] = ways.get(way, 0.0) + weight
    best = {said: max(ways, key=lambda way: round(ways[way], 12)) for said, ways in weights.items()}
    return [
        (weight, [word for some in said for word in _rewritten(words[some.begin : some.end], best[some.words])])
        for (weight, words), said in zip(hypotheses, spoken, strict=True)
    ]


def _rewritten(words: Sequence[TranscriptWord], way: tuple[str, ...]) -> Sequence[TranscriptWord]:
    """Words in another writing, in the same time."""
    if _bare([word.text for word in words]) == way:
        return words
    if len(words) == len(way):
        return [word._replace(text=text) for word, text in zip(words, way, strict=True)]
    return spread(way, words[0].start, words[-1].end, min(word.confidence for word in words))


def trust(hypothesis: TextHypothesis, no_speech: float) -> tuple[float, list[str]]:
    """How much of its weight a hypothesis keeps, from 0 to 1, and the reasons for less.

    >>> trust(TextHypothesis((1, 2), "a plain text", -0.5), 0.1)
    (1.0, [])
    """
    share, reasons = 1.0, []
    if no_speech > NO_SPEECH:
        share *= 1 - no_speech
        reasons.append("no speech")
    if compression(hypothesis.text) > REPEATS:
        share *= _REPEATED
        reasons.append("repeats")
    if hypothesis.mean < UNLIKELY:
        share *= float(np.exp(hypothesis.mean - UNLIKELY))
        reasons.append("unlikely")
    return share, reasons


def compression(text: str) -> float:
    """How many times smaller zlib makes a text.

    >>> compression("again and again " * 20) > REPEATS > compression("a text that says something once")
    True
    """
    data = text.encode("utf-8", "replace")
    return len(data) / len(zlib.compress(data)) if len(data) > _SHORTEST else 1.0


def as_slf(windows: Sequence[WindowHypotheses], name: str = "utterance") -> bytes | None:
    """Windows one after the other as HTK's SLF, gzipped, with the words that are indexed; None if there is no word.

    The weights of a window's hypotheses are the posteriors of its paths; what they lack to 1 is an empty path. Marks
    stand in lines with # before the lattice.
    """
    segments = [_segment(window) for window in windows]
    lattice = lattice_of(segments, 0.0, name, name, Reading()) if segments else None
    if lattice is None or not lattice.units:
        return None
    marks = [f"# {w.start:.2f}-{w.end:.2f}: {w.marks}\n" for w in windows if w.marks]
    return gzip.compress("".join(marks).encode() + write_slf(lattice), 6, mtime=0)


def _segment(window: WindowHypotheses) -> TranscriptSegment:
    """A window as a segment: alternatives are all hypotheses, and the first one is empty."""
    others = tuple(Alternative(weight, _ordered(words, window)) for weight, words in window.hypotheses)
    return TranscriptSegment(window.start, window.end, (), alternatives=others)


def _ordered(words: Sequence[TranscriptWord], window: WindowHypotheses) -> tuple[TranscriptWord, ...]:
    """Words whose times lie in the window, none of them before the one before it, and without double quotes."""
    out, at = [], window.start
    for word in words:
        start = min(max(word.start, at), window.end)
        at = min(max(word.end, start), window.end)
        out.append(TranscriptWord(word.text.replace('"', ""), round(start, 3), round(at, 3), word.confidence))
    return tuple(out)
