"""Cutting a long recording: words that are wrong because of the cuts, of our cuts and of PocketSphinx's endpointer.

``RANKINE_DATA=… python -m benchmarks cutting``. Utterances of read English (LJSpeech, every third) are joined with
pauses of 0.3 to 1.5 s, clean and with white noise 10 dB below speech. Whisper (best) hears each utterance by itself,
and the recording as it is cut. Where the endpointer finds no pause, its stretch is cut at its quietest moments, without
overlap, as it was done before.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import pocketsphinx
from rapidfuzz.distance import Levenshtein

from experiments.speech.noise import with_noise
from rankine.spoken.recognise.audio.cutting import Segment, cut, quietest
from rankine.spoken.recognise.recognisers.table import get

from .speech import RATE, one_text, utterances
from .timing import heading

STEP, LONGEST = 3, 30.0
HISS = 10.0  # level of the pauses, in 16-bit numbers


def joined(parts: Sequence[np.ndarray]) -> tuple[np.ndarray, list[int]]:
    """Utterances with pauses between them, and where they begin."""
    rng = np.random.default_rng(0)
    pieces, starts, at = [], [], 0
    for samples in parts:
        pause = np.rint(rng.normal(0, HISS, int(rng.uniform(0.3, 1.5) * RATE))).astype(np.int16)
        pieces += [samples, pause]
        starts.append(at)
        at += len(samples) + len(pause)
    return np.concatenate(pieces), starts


def endpointed(samples: np.ndarray) -> Iterator[Segment]:
    """The stretches of PocketSphinx's endpointer; those that are too long are cut at their quietest moments."""
    detector = pocketsphinx.Endpointer(sample_rate=RATE)
    size, most = detector.frame_bytes // 2, int(LONGEST * RATE)
    speech = np.zeros(0, np.int16)
    for at in range(0, len(samples), size):
        frame = samples[at : at + size].tobytes()
        more = detector.process(frame) if len(frame) == 2 * size else detector.end_stream(frame)
        speech = np.append(speech, np.frombuffer(more or b"", np.int16))
        while len(speech) > most:
            middle = quietest(speech, RATE, most // 2, most)
            yield Segment(0.0, speech[:middle])
            speech = speech[middle:]
        if len(speech) and not detector.in_speech:
            yield Segment(0.0, speech)
            speech = np.zeros(0, np.int16)
    if len(speech):
        yield Segment(0.0, speech)


def main() -> None:
    heading("Cutting")
    taken = utterances(STEP)
    if not taken:
        return
    whole, starts = joined([u.samples for u in taken])
    words = [word for u in taken for word in u.words]
    print(f"  {len(taken)} utterances joined to {len(whole) / RATE:.0f} s, {len(words):,} words")
    recogniser = get("whisper", hypotheses="best")
    for name, samples in (("clean", whole), ("10 dB", with_noise(whole.astype(np.float64), 10, "joined"))):
        ways = {
            "each utterance by itself": [
                Segment(0.0, samples[at : at + len(u.samples)]) for at, u in zip(starts, taken, strict=True)
            ],
            "our cuts": list(cut([samples], RATE, LONGEST)),
            "PocketSphinx's endpointer": list(endpointed(samples)),
        }
        for way, parts in ways.items():
            heard = [word for part in parts for word in one_text(recogniser(part.samples), part.inner)]
            wrong = Levenshtein.distance(heard, words) / len(words)
            print(f"  {name:<6} {way:<26} {wrong:6.1%} of words wrong, {len(parts):3} segments", flush=True)
