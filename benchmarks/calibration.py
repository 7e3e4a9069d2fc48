"""How far the posteriors of Whisper's words can be trusted, and how sharply its n-best lists are to be weighed.

``RANKINE_DATA=… python -m benchmarks calibration``: LJSpeech, every third utterance, clean and with white noise 5 dB
below speech. The power of the n-best weights is fitted on utterances with odd numbers: it maximises the likelihood that
the best words of the slots of the confusion network are right or wrong. All else is measured on those with even
numbers: the expected calibration error, which is the mean distance of posterior and share of right words in ten bins.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from experiments.speech.hearings import best_words, calibration_error
from experiments.speech.noise import with_noise
from rankine.spoken.lattice.edits import right_words
from rankine.spoken.recognise.recognisers.hypotheses import (
    SHARPNESS,
    TextHypothesis,
    WindowHypotheses,
    as_slf,
    by_count,
    by_score,
    trust,
)
from rankine.spoken.recognise.recognisers.table import get
from rankine.spoken.recognise.recognisers.whisper import _engine

from .speech import RATE, Utterance, lattice_in, utterances
from .timing import heading

STEP = 3
POWERS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.5)
SHARPER = (1.0, 1.25, 1.5, 2.0, 2.5, 3.0)
SHARES = (1.0, 0.95)  # of the weight of samples, the rest an empty path


class Decoded(NamedTuple):
    """What Whisper gives for an utterance: two lists of hypotheses, and the words of each with times."""

    utterance: Utterance
    beam: list[TextHypothesis]
    samples: list[TextHypothesis]
    no_speech: float
    words: dict


def decoded(utterance: Utterance) -> Decoded:
    """Both lists of an utterance."""
    whisper = get("whisper")
    engine = _engine(whisper.model)
    encoded = engine.encode(utterance.samples)
    beam, no_speech = engine.generate(engine.model, encoded, "en", beam_size=5, num_hypotheses=5)
    samples, _ = whisper.drawn(engine, encoded, utterance.samples, "en")
    texts = list({h.tokens: None for h in (*beam, *samples) if h.tokens})
    words = dict(zip(texts, engine.words(encoded, texts, "en", len(utterance.samples)), strict=True))
    return Decoded(utterance, beam, samples, no_speech, words)


def posteriors(d: Decoded, hypotheses: Sequence[TextHypothesis], confidences: bool = False) -> np.ndarray:
    """The best word of each slot, if it is likelier than none: its posterior, and whether it is right; two columns.

    With ``confidences`` there is one text, and all of its words count.
    """
    rows = []
    for h in hypotheses:
        if h.tokens:
            words = d.words[h.tokens]
            own = words if confidences else [w._replace(confidence=1.0) for w in words]
            rows.append((h.weight * trust(h, d.no_speech)[0], own))
    content = as_slf([WindowHypotheses(0.0, len(d.utterance.samples) / RATE, rows)])
    if content is None:
        return np.zeros((0, 2))
    chosen = best_words(lattice_in(content), single=confidences)
    right = right_words([word for word, _ in chosen], d.utterance.words)
    return np.array([(p, at) for (_, p), at in zip(chosen, right, strict=True)], np.float64).reshape(-1, 2)


def log_likelihood(rows: np.ndarray) -> float:
    """The mean log likelihood of right and wrong."""
    p = np.clip(rows[:, 0], 1e-3, 1 - 1e-3)
    return float(np.mean(np.where(rows[:, 1] == 1, np.log(p), np.log(1 - p))))


def table(some: Sequence[Decoded], make: Callable[[Decoded], np.ndarray]) -> np.ndarray:
    return np.concatenate([make(d) for d in some])


def scaled(hypotheses: Sequence[TextHypothesis], share: float) -> list[TextHypothesis]:
    """Hypotheses that leave a part of the weight to an empty path."""
    return [h._replace(weight=h.weight * share) for h in hypotheses]


def report(name: str, rows: np.ndarray) -> None:
    print(
        f"    {name:<28} {rows[:, 1].mean():6.1%} of {len(rows):,} words right, posterior {rows[:, 0].mean():.3f}, "
        f"calibration error {calibration_error(rows):.3f}, log likelihood {log_likelihood(rows):+.3f}", flush=True,
    )  # fmt: skip


def sharper(rows: np.ndarray, power: float) -> np.ndarray:
    """Posteriors p as p^power / (p^power + (1 − p)^power)."""
    yes, no = rows[:, 0] ** power, np.maximum(1 - rows[:, 0], 0.0) ** power
    return np.column_stack([yes / (yes + no), rows[:, 1]])


def fitted(name: str, rows: Callable[[float], np.ndarray], powers: Sequence[float]) -> float:
    """The likeliest of some powers."""
    by_power = {power: log_likelihood(rows(power)) for power in powers}
    best = max(powers, key=lambda power: by_power[power])
    print(f"  {name}: {best}; " + ", ".join(f"{power}: {x:+.3f}" for power, x in by_power.items()))
    return best


def study(by_noise: dict[str, list[Decoded]]) -> None:
    """Fit on odd numbers, clean and noisy together; print what holds on even ones."""
    odd = [d for some in by_noise.values() for d in some if int(d.utterance.name[-4:]) % 2]
    print(f"  fitted on {len(odd)} utterances with odd numbers, clean and noisy:")
    fitted(
        "power of n-best weights", lambda t: table(odd, lambda d: posteriors(d, by_score(d.beam, sharpness=t))), POWERS
    )
    drawn = table(odd, lambda d: posteriors(d, by_count(d.samples)))
    power = fitted("power of shares of samples", lambda t: sharper(drawn, t), SHARPER)
    for name, some in by_noise.items():
        even = [d for d in some if int(d.utterance.name[-4:]) % 2 == 0]
        print(f"  {name}, {len(even)} utterances with even numbers:")
        report("best", table(even, lambda d: posteriors(d, [d.beam[0]], confidences=True)))
        for t in (1.0, SHARPNESS):
            report(f"nbest, power {t}", table(even, lambda d, t=t: posteriors(d, by_score(d.beam, sharpness=t))))
        for s in SHARES:
            report(f"samples, share {s}", table(even, lambda d, s=s: posteriors(d, scaled(by_count(d.samples), s))))
        report(f"samples, power {power}", sharper(table(even, lambda d: posteriors(d, by_count(d.samples))), power))


def main() -> None:
    heading("Calibration")
    clean = utterances(STEP)
    noisy = [u._replace(samples=with_noise(u.samples.astype(np.float64), 5, u.name)) for u in clean]
    if clean:
        study({name: [decoded(u) for u in some] for name, some in (("clean", clean), ("5 dB", noisy))})
