"""Position posteriors of Whisper's samples against counting, before and after texts are merged through times.

``RANKINE_DATA=… python -m benchmarks positions``: LJSpeech, every third utterance. In the lattices that are indexed
each text of a window is a path of its own, so the posterior of a word at a position is the share of samples that have
it there. Merged through times, texts share a node wherever words of both begin or end at the same time. A path may
then change from one text to another. Links and expected counts stay what they were; positions do not, because how many
words came before is forgotten. This is how far they are from counting, over all pairs of a word and a position.
"""

from collections.abc import Sequence

import numpy as np

from rankine.spoken import pspl
from rankine.spoken.lattice.lattice import Lattice, numbered
from rankine.spoken.lattice.posteriors import arc_posteriors, expected_counts
from rankine.spoken.recognise.recognisers.hypotheses import WeighedWords, WindowHypotheses, as_slf, by_count, trust

from .calibration import STEP, Decoded, decoded
from .speech import RATE, lattice_in, utterances
from .timing import heading

TICK = 0.02  # seconds: the steps of Whisper's times
Timed = list[tuple[str, int, int]]  # words with the ticks at which they begin and end


def texts(d: Decoded) -> tuple[list[tuple[float, Timed]], Lattice]:
    """The weights and words of different samples, and the lattice of all as it is indexed."""
    end, rows, out = len(d.utterance.samples) / RATE, list[WeighedWords](), list[tuple[float, Timed]]()
    for h in by_count(d.samples):
        words = [w._replace(confidence=1.0) for w in d.words.get(h.tokens, [])]
        content = as_slf([WindowHypotheses(0.0, end, [(1.0, words)])])
        if content is not None:
            rows.append((h.weight * trust(h, d.no_speech)[0], words))
            out.append((rows[-1][0], in_order(lattice_in(content))))
    content = as_slf([WindowHypotheses(0.0, end, rows)])
    return out, lattice_in(content) if content is not None else merged([])


def in_order(lattice: Lattice) -> Timed:
    """The words of a lattice with one text."""
    arcs = [a for a in np.argsort(lattice.source, kind="stable").tolist() if lattice.unit[a] >= 0]
    ticks = np.rint(np.column_stack([lattice.start, lattice.end]) / TICK).astype(np.int64)
    return [(lattice.units[lattice.unit[a]], int(ticks[a, 0]), int(ticks[a, 1])) for a in arcs]


def counted(rows: Sequence[tuple[float, Timed]]) -> dict[tuple[int, str], float]:
    """How much weight has a word at a position."""
    out: dict[tuple[int, str], float] = {}
    for weight, words in rows:
        for position, (word, _, _) in enumerate(words):
            out[position, word] = out.get((position, word), 0.0) + weight
    return out


def merged(rows: Sequence[tuple[float, Timed]]) -> Lattice:
    """The lattice whose nodes are times: a word lasts a tick at least; what is between words is an empty arc."""
    last = max((end for _, words in rows for _, _, end in words), default=0) + sum(len(words) for _, words in rows)
    mass: dict[tuple[int, int, str | None], float] = {}
    for weight, words in [*rows, (1 - sum(weight for weight, _ in rows), [])]:
        at, arcs = 0, list[tuple[int, int, str | None]]()
        for word, begin, end in words:
            start = max(begin, at)
            arcs += [(at, start, None)] if start > at else []
            at = max(end, start + 1)
            arcs.append((start, at, word))
        for arc in [*arcs, (at, last, None)]:
            mass[arc] = mass.get(arc, 0.0) + weight
    there = {arc: p for arc, p in mass.items() if p > 1e-9}
    ticks = sorted({tick for arc in there for tick in arc[:2]})
    number = {tick: i for i, tick in enumerate(ticks)}
    unit, units = numbered([arc[2] for arc in there])
    return Lattice.build(
        source=np.array([number[arc[0]] for arc in there]), target=np.array([number[arc[1]] for arc in there]),
        unit=unit, units=units, acoustic=np.zeros(len(there)), language=np.zeros(len(there)),
        posterior=np.array(list(there.values())), times=TICK * np.array([arc[:2] for arc in there], np.float64),
        start=0, end=len(ticks) - 1, name="x", where="x",
    )  # fmt: skip


def differences(lattice: Lattice, expected: dict[tuple[int, str], float]) -> list[float]:
    """How far the posteriors of words at positions are from others."""
    own = {(position, word): p for position, word, p in pspl(lattice).triples()}
    return [abs(own.get(key, 0.0) - expected.get(key, 0.0)) for key in {**own, **expected}]


def main() -> None:
    heading("Position posteriors of samples, against counting")
    before, after, counts = list[float](), list[float](), list[float]()
    for rows, lattice in (texts(decoded(u)) for u in utterances(STEP)):
        expected, joined = counted(rows), merged(rows)
        before += differences(lattice, expected)
        after += differences(joined, expected)
        own, others = (expected_counts(some, arc_posteriors(some)) for some in (lattice, joined))
        counts += [abs(own.get(word, 0.0) - others.get(word, 0.0)) for word in {**own, **others}]
    for name, some in (
        ("positions, each text a path", before),
        ("positions, merged through times", after),
        ("expected counts, merged or not", counts),
    ):
        if some:
            print(f"  {name:<33} {len(some):>6,} pairs: mean difference {np.mean(some):.6f}, largest {max(some):.6f}")
