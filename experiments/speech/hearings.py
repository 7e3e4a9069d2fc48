"""What search gains from hypotheses: Whisper's best text, n-best lists and samples, clean and with noise.

Chapter 1 of LJ is heard by Whisper in three ways, clean and with white noise and babble. Queries are all content words
and names that occur in 1 to 5 utterances; the list is written before anything is heard (``queries.tsv``). AP is of
utterances, as trec_eval computes it, and utterances that are not found count. The baseline is what others offer: a
search for words in the best text.

Weights are equal; shipped ones, learned without LJ; self-supervised ones, learned from the words that the best text is
sure of, searched in the hearing; and learned ones, by coordinate ascent on three fourths of the queries and tested on
the last.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rankine.errors import InputError, unknown
from rankine.spoken.archive import Archive
from rankine.spoken.lattice.confusion import confusion_network
from rankine.spoken.lattice.edits import right_words
from rankine.spoken.lattice.formats import Reading, read_lattice
from rankine.spoken.lattice.lattice import Lattice
from rankine.spoken.lattice.scoring import Scoring
from rankine.spoken.recognise.recognisers.table import Recogniser, get
from rankine.spoken.recognise.run import recognise
from rankine.spoken.writing.normal import normal_words
from rankine.system.files import write_file
from rankine.system.parallel import process_map
from rankine.system.progress import bar
from rankine.system.report import Section, write, write_page
from rankine.system.temporary import temporary_folder

from ..collections import speech_folder, transcripts
from ..table import CONDITIONS, TEMPERATURE, Results
from . import search
from .noise import noisy_audio
from .search_speech import chapter
from .search_tables import JudgedSet, rare_words, set_rows
from .search_weights import NAMES, ascent

BEST, SAMPLES = "best text", "samples"
WAYS = {BEST: "best", "n-best": "nbest", SAMPLES: "samples"}
SURE = 0.9  # posterior of words that weights are learned from without judgments
FOLDS, SEED = 4, 0
EQUAL, SHIPPED, SELF, LEARNED = "equal", "shipped", "self-supervised", "learned"
SYSTEMS = (("words", EQUAL), *(("+ subwords", w) for w in (EQUAL, SHIPPED, SELF, LEARNED)))
SEARCHES = 100  # queries whose time is taken


@dataclass(frozen=True)
class Heard:
    """An archive of a condition and a way: its queries, those that it asks itself, its size and time of search.

    ``words`` are the posteriors of the words that were heard, and whether each is right.
    """

    condition: str
    way: str
    judged: JudgedSet
    own: JudgedSet | None
    size: int
    seconds: float
    words: np.ndarray

    @property
    def queries(self) -> list[str]:
        """The queries in the order of their AP."""
        return [*map(str, self.judged.data.query_ids), *self.judged.examples.lost]


@lru_cache(maxsize=1)
def names() -> frozenset[str]:
    """Words of the chapter that stand with a capital within a sentence, and never without one."""
    inside, small = set(), set()
    for text in (t for u, t in transcripts("lj").items() if u in chapter()):
        for sentence in re.split(r"[.!?;:]\s+", text):
            for i, word in enumerate(re.findall(r"[A-Za-z']+", sentence)):
                if word[0].islower():
                    small.add(word)
                elif i > 0:
                    inside.add(word.lower())
    return frozenset(inside - small)


def audio(condition: str, work: Path) -> Path:
    """The folder of the chapter's recordings in a condition."""
    source = speech_folder("lj") / "audio"
    if condition == "clean":
        return source
    noise, decibels, _ = condition.split()
    return noisy_audio(source, work / f"audio-{noise}-{decibels}", noise, int(decibels))


class Listening(NamedTuple):
    """Where lattices are, and the temperature of samples."""

    work: Path
    temperature: float

    def lattices(self, condition: str, way: str) -> Path:
        """The folder of the lattices of a condition and a way."""
        drawn = f"-{self.temperature:g}" if way == SAMPLES else ""
        return self.work / f"{condition.replace(' ', '-')}-{WAYS[way]}{drawn}"

    def recogniser(self, way: str) -> Recogniser:
        """What hears in a way."""
        drawn = {"temperature": self.temperature} if way == SAMPLES else {}
        return get("whisper", hypotheses=WAYS[way], **drawn)


def hear(listening: Listening, conditions: Sequence[str], workers: int) -> None:
    """Recognise everything that was not recognised before."""
    for condition in conditions:
        place = audio(condition, listening.work)
        for way in WAYS:
            folder, recogniser = listening.lattices(condition, way), listening.recogniser(way)
            with bar(f"{condition}, {way}", None, unit="seconds") as update:
                done = recognise([place], folder, recogniser, workers=workers, report=_rounded(update))
            if done.errors:
                raise InputError(f"{len(done.errors)} recordings could not be recognised: {done.errors[0]}")


def _rounded(update: Callable[[int, int], object]) -> Callable[[float, float], None]:
    def report(done: float, total: float) -> None:
        update(round(done), round(total))

    return report


def sure_words(folder: Path) -> dict[str, list[str]]:
    """The words of the lattices of a folder whose posterior in the confusion network is high, by utterance."""
    out = {}
    for path in sorted(folder.glob("*.slf.gz")):
        network = confusion_network(read_lattice(path, lower=True))
        out[path.name.removesuffix(".slf.gz")] = [w for _, w, p in network.triples() if p >= SURE]
    return out


def heard(condition: str, way: str, listening: Listening) -> Heard:
    """Index the lattices of a condition and a way, and compute the columns of all queries."""
    folder = listening.lattices(condition, way)
    with temporary_folder("rankine-hearings-") as temporary:
        archive = Archive.create(Path(temporary) / "archive")
        archive.lattices.index(folder, scoring=Scoring(Reading(lower=True)))
        size = sum(p.stat().st_size for p in archive.folder.rglob("*") if p.is_file())
        queries = rare_words(chapter())
        judged = JudgedSet(f"{condition} {way}", "lj", *set_rows(archive.index, queries))
        pseudo = rare_words(sure_words(listening.lattices(condition, BEST)))
        own = JudgedSet(f"{condition} {way} own", "lj", *set_rows(archive.index, pseudo)) if pseudo.queries else None
        words = folder_rows(folder, transcripts("lj"), way == BEST)
        return Heard(condition, way, judged, own, size, _seconds(archive, list(queries.queries)[:SEARCHES]), words)


def _seconds(archive: Archive, queries: Sequence[str]) -> float:
    """The median time of a search, the second time that it is asked."""
    took = []
    for text in [*queries, *queries]:
        began = time.perf_counter()
        try:
            archive.search(text, 10)
        except InputError:  # nothing in the query occurs
            continue
        took.append(time.perf_counter() - began)
    return float(np.median(took[len(took) // 2 :]))


class HearingTrial:
    """The archives of all conditions and ways, and weights that were learned without LJ."""

    def __init__(self, every: Sequence[Heard], shipped: np.ndarray) -> None:
        self.every = {(h.condition, h.way): h for h in every}
        self.shipped = shipped

    @property
    def conditions(self) -> list[str]:
        """The conditions that were heard."""
        return list(dict.fromkeys(condition for condition, _ in self.every))

    def precision(self, condition: str, way: str, units: str, weights: str) -> np.ndarray:
        """AP of every query, in the order of its name."""
        h = self.every[condition, way]
        if units == "words":
            scores = h.judged.columns([n for n in NAMES if n.endswith("-word")]).sum(axis=1)
        elif weights == EQUAL:
            scores = h.judged.columns(NAMES).sum(axis=1)
        elif weights == SHIPPED:
            scores = h.judged.columns(NAMES) @ self.shipped
        elif weights == SELF:
            learned = self.shipped if h.own is None else ascent([h.own], self.shipped)
            scores = h.judged.columns(NAMES) @ learned
        else:
            return self._in_order(h, cross_validated(h.judged, self.shipped))
        return self._in_order(h, h.judged.precision(scores))

    @staticmethod
    def _in_order(h: Heard, values: np.ndarray) -> np.ndarray:
        return values[np.argsort(h.queries)]


def cross_validated(s: JudgedSet, start: np.ndarray) -> np.ndarray:
    """AP of every query by weights that were learned on the other folds, beginning at some."""
    data = s.data.select(NAMES)
    number = {q: i for i, q in enumerate(data.query_ids)}
    out = np.zeros(data.n_queries + len(s.examples.lost))
    for train, test in data.folds(FOLDS, SEED):
        rows = [number[q] for q in train.query_ids]
        weights = ascent([JudgedSet(s.name, s.collection, s.examples.subset(rows), s.recordings)], start)
        out[[number[q] for q in test.query_ids]] = s.examples.average_precision(test, np.asarray(test.X) @ weights)
    return out


# -- the report


def run(work: Path, conditions: Sequence[str], temperature: float, workers: int) -> HearingTrial:
    """Hear and index everything."""
    work.mkdir(parents=True, exist_ok=True)
    queries = rare_words(chapter())
    lines = "".join(f"{w}\t{'name' if w in names() else 'word'}\t{len(queries.qrels[w])}\n" for w in queries.queries)
    write_file(work / "queries.tsv", lines.encode())
    listening = Listening(work, temperature)
    hear(listening, conditions, workers)
    jobs = [(condition, way, listening) for condition in conditions for way in WAYS]
    every = []
    with bar("indexing", len(jobs)) as update:
        for done, one in enumerate(process_map(_heard, jobs, workers, patience=0, chunk=1), 1):
            every.append(one)
            update(done)
    with bar("recognising other collections", None, unit="seconds") as update:
        others = search.run(work / "others", workers, lambda now, total: update(round(now), round(total)), "lj")
    return HearingTrial(every, ascent(others.training))


def _heard(job: tuple[str, str, Listening]) -> Heard:
    return heard(*job)


def precision_rows(trial: HearingTrial, condition: str) -> list[tuple[str, ...]]:
    """A row for each way, units and weights: MAP of all queries, names and others, and the gain over the best text."""
    queries = sorted(rare_words(chapter()).queries)
    groups = [np.ones(len(queries), np.bool_), np.array([q in names() for q in queries])]
    groups.append(~groups[1])
    base = trial.precision(condition, BEST, "words", EQUAL)
    rows = []
    for way in WAYS:
        for units, weights in SYSTEMS:
            values = trial.precision(condition, way, units, weights)
            cells = [f"{values[g].mean():.3f}" for g in groups]
            gains = [f"{(values - base)[g].mean():+.3f}" for g in groups]
            rows.append((way, units, weights, *(x for pair in zip(cells, gains, strict=True) for x in pair)))
    return rows


def summary_rows(trial: HearingTrial) -> list[tuple[str, ...]]:
    """A row for each condition: MAP of the best text, and what samples gain by shipped and by learned weights."""
    queries = sorted(rare_words(chapter()).queries)
    group = np.array([q in names() for q in queries])
    rows = []
    for condition in trial.conditions:
        base = trial.precision(condition, BEST, "words", EQUAL)
        row = [condition, f"{base.mean():.3f}", f"{base[group].mean():.3f}"]
        for weights in (SHIPPED, LEARNED):
            gain = trial.precision(condition, SAMPLES, "+ subwords", weights) - base
            row += [f"{gain.mean():+.3f}", f"{gain[group].mean():+.3f}"]
        rows.append(tuple(row))
    return rows


def cost_rows(trial: HearingTrial) -> list[tuple[str, ...]]:
    """A row for each condition and way: the size of the index and the time of a search, over those of the best text."""
    rows: list[tuple[str, ...]] = []
    for condition in trial.conditions:
        one = trial.every[condition, BEST]
        for way in WAYS:
            h = trial.every[condition, way]
            rows.append((
                condition, way, f"{h.size / 1e6:.2f}", f"{h.size / one.size:.2f}", f"{1000 * h.seconds:.1f}",
                f"{h.seconds / one.seconds:.2f}",
            ))  # fmt: skip
    return rows


def calibration_rows(trial: HearingTrial) -> list[tuple[str, ...]]:
    """A row for each condition and way: how many words are right, their mean posterior, the calibration error."""
    rows: list[tuple[str, ...]] = []
    for (condition, way), h in trial.every.items():
        posterior, right = h.words.mean(axis=0) if len(h.words) else (0.0, 0.0)
        error = calibration_error(h.words)
        rows.append((condition, way, str(len(h.words)), f"{right:.3f}", f"{posterior:.3f}", f"{error:.3f}"))
    return rows


_COLUMNS = ("heard", "units", "weights", "all", "gain", "names", "gain", "others", "gain")


def sections(trial: HearingTrial, folder: Path) -> list[Section]:
    """The report, its picture written into ``folder``."""
    from rankine.spoken.learn.pictures import draw_groups

    n, m = len(rare_words(chapter()).queries), len([w for w in rare_words(chapter()).queries if w in names()])
    summary = summary_rows(trial)
    bars = {
        BEST: [float(row[1]) for row in summary],
        "samples, shipped weights": [float(row[1]) + float(row[3]) for row in summary],
        "samples, learned weights": [float(row[1]) + float(row[5]) for row in summary],
    }
    draw_groups(trial.conditions, bars, "mean AP", folder / "hearings.png")
    text = (
        f"{n} queries, of them {m} names; {len(chapter())} utterances. Mean AP. Gains are over a search for words in "
        "the best text, in the same condition. Shipped weights are learned without LJ; learned ones are tested on "
        "queries they were not learned on."
    )
    heads = ("condition", "best text", "names", "shipped", "names", "learned", "names")
    out = [
        Section("Samples of Whisper against its best text", text, heads, summary),
        Section("The same as a picture", "", picture="hearings.png"),
        Section(
            "Size and time", "Megabytes of the index; milliseconds of a search, the median.",
            ("condition", "heard", "MB", "ratio", "ms", "ratio"), cost_rows(trial),
        ),
        Section(
            "Calibration", "The words that were heard, the share of them that is right, their mean posterior, and the "
            "expected calibration error over ten bins.",
            ("condition", "heard", "words", "right", "posterior", "error"), calibration_rows(trial),
        ),
    ]  # fmt: skip
    return out + [Section(c, "", _COLUMNS, precision_rows(trial, c)) for c in trial.conditions]


def experiment(condition: Sequence[str], temperature: float, output: Path, workers: int) -> Results:
    """Hear, index, learn and test; the report and the lattices go into ``output``."""
    for name in condition:
        if name not in CONDITIONS:
            raise unknown("condition", name, CONDITIONS)
    output.mkdir(parents=True, exist_ok=True)
    trial = run(output / "speech", list(condition), temperature, workers)
    report = sections(trial, output)
    return Results([report[0], *report[2:4]], [write(report, output)])


def make(folder: Path, work: Path, workers: int) -> None:
    """Run everything; write the page that the documentation includes into ``folder``."""
    report = sections(run(work, CONDITIONS, TEMPERATURE, workers), folder)
    shown = [section for section in report if section.title in ("clean", "white 5 dB")]
    write_page([*report[:4], *shown], folder, "hearings", level=3)


# -- How far the posteriors of words can be trusted: the expected calibration error of lattices


BINS = 10


def best_words(lattice: Lattice, single: bool = False) -> list[tuple[str, float]]:
    """The best word of each slot with its posterior, if it is likelier than none; of a single text all of them."""
    slots: dict[int, list[tuple[float, str]]] = {}
    for slot, word, posterior in confusion_network(lattice).triples():
        slots.setdefault(slot, []).append((posterior, word))
    rows = (slots[slot] for slot in sorted(slots))
    best = (max(row) for row in rows if single or max(row)[0] >= 1 - sum(p for p, _ in row))
    return [(word, posterior) for posterior, word in best]


def word_rows(best: Sequence[tuple[str, float]], said: Sequence[str]) -> np.ndarray:
    """The posterior of each word as it is said, and whether it is right: two columns.

    >>> word_rows([("in", 0.9), ("1450", 0.5)], ["in", "fourteen", "sixty"]).tolist()
    [[0.9, 1.0], [0.5, 1.0], [0.5, 0.0]]
    """
    words = [(word, posterior) for unit, posterior in best for word in normal_words(unit)]
    right = right_words([word for word, _ in words], said)
    return np.array([(p, r) for (_, p), r in zip(words, right, strict=True)], np.float64).reshape(-1, 2)


def calibration_error(rows: np.ndarray) -> float:
    """The mean over words of the distance between the mean posterior of their bin and its share of right words."""
    number = np.minimum((rows[:, 0] * BINS).astype(int), BINS - 1)
    return sum(abs(float((rows[number == b, 0] - rows[number == b, 1]).sum())) for b in range(BINS)) / max(len(rows), 1)


def folder_rows(folder: Path, texts: Mapping[str, str], single: bool = False) -> np.ndarray:
    """The rows of all lattices of a folder, whose names are those of the texts."""
    rows = [np.zeros((0, 2))]
    for path in sorted(folder.glob("*.slf.gz")):
        said = normal_words(texts[path.name.removesuffix(".slf.gz")])
        rows.append(word_rows(best_words(read_lattice(path, lower=True), single), said))
    return np.concatenate(rows)
