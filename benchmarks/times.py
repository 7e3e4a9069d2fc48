"""Whisper's times of words against those of PocketSphinx, which aligns the transcript by force.

``RANKINE_DATA=… python -m benchmarks times``: LJSpeech, chapter 1, words that Whisper (best) has right. How
late Whisper is, which its times allow for, was told from utterances with odd numbers; even ones are the test.
Utterances with a word that is not in PocketSphinx's dictionary are left out.
"""

from collections.abc import Sequence

import numpy as np
import pocketsphinx

from rankine.spoken.lattice.edits import matching_words
from rankine.spoken.recognise.recognisers.table import get
from rankine.spoken.text import without_variant

from .speech import Utterance, lattice_in, utterances
from .timing import goal, heading

STEP = 1
Words = list[tuple[str, float, float]]


def by_force(decoder: pocketsphinx.Decoder, utterance: Utterance) -> Words:
    """The words of the transcript with times; none where a word is not in the dictionary or the sound does not fit."""
    if not all(decoder.lookup_word(word) for word in utterance.words):
        return []
    decoder.set_align_text(" ".join(utterance.words))
    decoder.start_utt()
    decoder.process_raw(utterance.samples.tobytes(), full_utt=True)
    decoder.end_utt()
    rows = [(without_variant(s.word), s.start_frame / 100, (s.end_frame + 1) / 100) for s in decoder.seg() or ()]
    words = [row for row in rows if row[0] in set(utterance.words)]
    return words if [row[0] for row in words] == utterance.words else []


def by_whisper(utterance: Utterance) -> Words:
    """The words of Whisper's best text with times."""
    content = get("whisper", hypotheses="best")(utterance.samples)
    lattice = lattice_in(content)
    arcs = sorted(np.flatnonzero(lattice.unit >= 0), key=lambda a: (lattice.start[a], lattice.source[a]))
    return [(lattice.units[lattice.unit[a]], float(lattice.start[a]), float(lattice.end[a])) for a in arcs]


def differences(heard: Words, truth: Words) -> np.ndarray:
    """Whisper's start and end minus the aligned ones, of the words that are right: two columns."""
    places = matching_words([row[0] for row in heard], [row[0] for row in truth])
    rows = [(row[1] - truth[at][1], row[2] - truth[at][2]) for row, at in zip(heard, places, strict=True) if at >= 0]
    return np.array(rows).reshape(-1, 2)


def show(title: str, rows: Sequence[np.ndarray]) -> None:
    """Print the shares within 0.1 and 0.2 s."""
    table = np.concatenate(rows)
    print(f"  {title}: {len(table):,} words of {len(rows)} utterances")
    for name, x in (("start", table[:, 0]), ("end", table[:, 1])):
        near = [np.mean(np.abs(x) <= limit) for limit in (0.1, 0.2)]
        print(f"  {name:<6} within 0.1 s {near[0]:6.1%}, within 0.2 s {near[1]:6.1%}, median {np.median(x):+.3f} s")
        goal(f"{name} within 0.2 s", float(near[1]), 0.9)


def main() -> None:
    heading("Times of words")
    decoder = pocketsphinx.Decoder(lm=None, loglevel="FATAL", cmn="batch")
    pairs = [(u, truth) for u in utterances(STEP) if (truth := by_force(decoder, u))]
    for title, odd in (("odd numbers", 1), ("even numbers", 0)):
        some = [differences(by_whisper(u), truth) for u, truth in pairs if int(u.name[-4:]) % 2 == odd]
        if some:
            show(title, some)
