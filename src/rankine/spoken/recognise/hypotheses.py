"""From hypotheses of a recogniser, each a text with times of its words, to the lattice of a segment.

Hypotheses of the same words are one, with their number. Samples weigh equally; an n-best list is weighed by the softmax
of its scores times ``SHARPNESS``, because the scores themselves are too sure. A hypothesis that is not to be trusted
gets less than its weight, and what is taken away is the weight of an empty path: the words stay in the lattice, with
small posteriors. There are three reasons for distrust:

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

from ..lattice.formats.common import Reading
from ..lattice.formats.slf import write_slf
from ..lattice.formats.transcript import Alternative, TranscriptSegment, TranscriptWord, clean
from ..lattice.formats.transcript_lattice import lattice_of

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


class WindowHypotheses(NamedTuple):
    """What was heard in a window: where it begins and ends in seconds, hypotheses with words, the likeliest first.

    ``marks`` says why hypotheses are not trusted; "" where they are.
    """

    start: float
    end: float
    hypotheses: Sequence[tuple[float, Sequence[TranscriptWord]]]
    marks: str = ""


def by_count(samples: Sequence[TextHypothesis]) -> list[TextHypothesis]:
    """Different texts, each with its share of the samples, the most frequent first; of equal ones the first.

    >>> samples = [TextHypothesis((1,), " Yes.", -1.0), TextHypothesis((2,), " yes", -2.0)]
    >>> [(h.text, h.weight) for h in by_count(samples)]
    [(' Yes.', 1.0)]
    """
    return _merged([h._replace(weight=1 / len(samples)) for h in samples])


def by_score(beam: Sequence[TextHypothesis], sharpness: float = SHARPNESS) -> list[TextHypothesis]:
    """Different texts, weighed by the softmax of ``sharpness`` × log probability, the likeliest first.

    >>> beam = [TextHypothesis((1,), "a", 0.0), TextHypothesis((2,), "b", np.log(1 / 3))]
    >>> [round(h.weight, 3) for h in by_score(beam, 1.0)]
    [0.75, 0.25]
    """
    scores = sharpness * np.array([h.log_probability for h in beam])
    weights = np.exp(scores - scores.max())
    return _merged([h._replace(weight=w) for h, w in zip(beam, (weights / weights.sum()).tolist(), strict=True)])


def _merged(hypotheses: Sequence[TextHypothesis]) -> list[TextHypothesis]:
    by_words: dict[tuple[str, ...], TextHypothesis] = {}
    for h in hypotheses:
        words = tuple(bare for word in h.text.lower().split() if (bare := clean(word)))
        before = by_words.setdefault(words, h._replace(weight=0.0))
        by_words[words] = before._replace(weight=before.weight + h.weight)
    return sorted(by_words.values(), key=lambda h: -round(h.weight, 12))


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
