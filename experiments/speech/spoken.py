"""Learned fusion of weak rankers on real speech, after Meng, Lee & Lee: "Improved lattice-based spoken recording
retrieval by directly learning from the evaluation measures".

Declared before it was run: queries are all sequences of one to three words that occur in at least five transcripts,
do not begin or end with a stop word and (in Mandarin) have at least two characters; where there are more than 200 a
seeded choice. A recording is relevant if its transcript contains the query. English lattices have four sizes, by beams
that come near the paper's 20, 30, 47 and 73 edges per spoken word; Mandarin ones are shallow and have one. Four folds
of queries; weak rankers' scores are normalised within a query (minimum 0, maximum 1); SVM-MAP has the paper's C = 10^4
over the number of queries, other losses choose C on folds of the training queries; AdaRank has the paper's update and
its default rounds. MAP as trec_eval computes it. The rows "uniform, normalised" (equal weights on the same scale as
what is learned) and "AdaRank (Xu & Li)" (with the original update) were added after the first run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from rankine.errors import InputError
from rankine.spoken.archive import Archive
from rankine.spoken.index.scores import ranker_names
from rankine.spoken.index.settings import LANGUAGES, Settings
from rankine.spoken.lattice.formats import Reading, files, pieces
from rankine.spoken.lattice.formats.reading import word_list
from rankine.spoken.lattice.scoring import Scoring
from rankine.spoken.learn.judgments import Judged
from rankine.spoken.learn.learning import CrossValidation, Examples, cross_validate
from rankine.spoken.query.word_reader import longest_words
from rankine.spoken.teaching.training_data import examples
from rankine.spoken.text import STOP_WORDS
from rankine.system.parallel import process_map
from rankine.system.progress import bar
from rankine.system.report import Section, write, write_page
from rankine.system.temporary import temporary_folder

from ..collections import (
    SPEECH_SETS,
    folder_of,
    named_speech,
    speech_folder,
    speech_set,
    speech_source,
    transcripts,
    words_of,
)
from ..table import Results

BEAMS = {"L1": 4.5, "L2": 5.5, "L3": 7.0, "L4": 8.5}
RANKERS = {
    "AdaRank": "adarank:meng", "AdaRank (Xu & Li)": "adarank", "SVM-MAP": "svm-map", "RankSVM (squared)": "ranksvm-l2",
    "ListNet": "listnet", "SVM-NDCG@10": "svm-ndcg@10",
}  # fmt: skip
LEAST, MOST, FOLDS, SEED = 5, 200, 4, 0
LEAST_QUERIES = 2 * FOLDS


@dataclass(frozen=True)
class SpokenCollection:
    """A set of recordings: its name and language, its lattices and how they are read, its transcripts in words."""

    name: str
    language: str
    source: str
    reading: Reading
    texts: dict[str, list[str]]

    @property
    def blank(self) -> str:
        """What stands between two words."""
        return " " if self.language == "en" else ""

    def contains(self, text: list[str], query: tuple[str, ...]) -> bool:
        """Whether the words of a query occur in a text, one after the other."""
        blank = self.blank
        return f"{blank}{blank.join(query)}{blank}" in f"{blank}{blank.join(text)}{blank}"


def collection(name: str) -> SpokenCollection:
    """``lj`` or ``aishell`` in the folder that RANKINE_DATA names, or a folder of one's own."""
    language = speech_set(name).language
    source = str(speech_source(name, "lattices", "lat.1.gz"))
    texts = transcripts(name)
    if language == "en":
        split = {u: words_of(t) for u, t in texts.items()}
        listed = [f for f in ("words.txt", "words.txt.gz") if (speech_folder(name) / f).exists()]
        reading = Reading(words=str(speech_folder(name) / listed[0]) if listed else None, lower=True)
        return SpokenCollection(name, language, source, reading, split)
    words = str(speech_source(name, "words.txt.gz", "words.txt"))
    vocabulary = set(word_list(words).values())
    split = {u: longest_words(t.replace(" ", ""), vocabulary) for u, t in texts.items()}
    return SpokenCollection(name, language, source, Reading(words=words, lower=True), split)


def check_collection(name: str) -> None:
    """Raise InputError where lattices and transcripts do not belong together, or give too few queries."""
    recordings = collection(name)
    called = [piece.name for file in files(recordings.source) for piece in pieces(file)]
    missing = [utterance for utterance in called if utterance not in recordings.texts]
    if missing:
        raise InputError(
            f"{len(missing)} of {len(called)} lattices have no transcript, e.g. {', '.join(missing[:3])}; transcripts "
            f"are called {', '.join(list(recordings.texts)[:3])}, …", recordings.source,
        )  # fmt: skip
    if (n := len(judged_queries(recordings).queries)) < LEAST_QUERIES:
        raise InputError(
            f"{n} sequences of one to three words occur in at least {LEAST} transcripts, at least {LEAST_QUERIES} "
            "queries are needed", str(speech_folder(name)),
        )  # fmt: skip


def judged_queries(recordings: SpokenCollection, least: int | None = None) -> Judged:
    """The declared queries, in at least so many transcripts (by default five), and which recordings are relevant."""
    least = LEAST if least is None else least
    english = recordings.language == "en"
    stop = STOP_WORDS[recordings.language]
    counts: Counter[tuple[str, ...]] = Counter()
    for text in recordings.texts.values():
        counts.update({tuple(text[i : i + n]) for n in (1, 2, 3) for i in range(len(text) - n + 1)})
    phrases = sorted(
        q for q, n in counts.items()
        if n >= least and q[0] not in stop and q[-1] not in stop and (english or len("".join(q)) > 1)
    )  # fmt: skip
    if len(phrases) > MOST:
        picks = np.random.default_rng(SEED).choice(len(phrases), MOST, replace=False)
        phrases = [phrases[i] for i in sorted(picks.tolist())]
    queries = {f"{len(q)}-{i:03d}": recordings.blank.join(q) for i, q in enumerate(phrases)}
    qrels = {
        name: {u: 1.0 for u, text in recordings.texts.items() if recordings.contains(text, q)}
        for name, q in zip(queries, phrases, strict=True)
    }
    return Judged(queries, qrels)


@dataclass(frozen=True)
class LatticeSize:
    """The results for one size of lattices."""

    label: str
    edges: float  # per spoken word
    judged: Examples
    trial: CrossValidation
    singles: np.ndarray  # mean AP of each weak ranker
    names: list[str]


def run_size(name: str, label: str) -> LatticeSize:
    """Index one collection at one size, compute features, and cross-validate all rankers."""
    recordings = collection(name)
    scoring = Scoring(recordings.reading, beam=BEAMS.get(label))
    judged = judged_queries(recordings)
    with temporary_folder("rankine-spoken-") as temporary:
        archive = Archive.create(Path(temporary, "archive"), Settings(dict(LANGUAGES[recordings.language]), arcs=0.0))
        archive.lattices.index(recordings.source, scoring=scoring)
        data = examples(archive.index, judged, recordings=True)
        trial = cross_validate(data, RANKERS, FOLDS, SEED)
        names = ranker_names(archive.kinds)
    features = np.asarray(data.data.X, np.float64)
    n = len(trial.in_vocabulary)  # queries without a candidate count as 0
    singles = np.array([data.average_precision(data.data, features[:, f]).sum() / n for f in range(features.shape[1])])
    return LatticeSize(label, _edges(recordings, scoring), data, trial, singles, names)


def _edges(recordings: SpokenCollection, scoring: Scoring) -> float:
    """Arcs with a word per spoken word."""
    arcs = words = 0
    for piece in (p for file in files(recordings.source) for p in pieces(file)):
        arcs += int((scoring.open(piece).unit >= 0).sum())
        words += len(recordings.texts[piece.name])
    return arcs / words


def labels(name: str) -> list[str]:
    """The sizes of lattices of a collection."""
    return list(BEAMS) if name == "lj" else ["as given"]


def run(names: list[str], workers: int, report: Callable[[int], None]) -> dict[str, list[LatticeSize]]:
    """All sizes of all collections."""
    jobs = [(name, label) for name in names for label in labels(name)]
    out: dict[str, list[LatticeSize]] = {name: [] for name in names}
    for done, (job, size) in enumerate(
        zip(jobs, process_map(_job, jobs, workers, patience=0, chunk=1), strict=True), 1
    ):
        out[job[0]].append(size)
        report(done)
    return out


def _job(job: tuple[str, str]) -> LatticeSize:
    return run_size(*job)


def without_negative_unigrams(size: LatticeSize, ranker: str = "SVM-MAP") -> tuple[list[str], float, float]:
    """Unigram rankers with a negative weight in some fold, and MAP with the weights as learned and without those."""
    names, columns = set[str](), [i for i, n in enumerate(size.names) if n.endswith("-1")]
    before, after = [], []
    for fold, (_, test) in zip(size.trial.folds, size.judged.data.folds(FOLDS, SEED), strict=True):
        coef = fold.coef[ranker].copy()
        X = _normalised(test)
        before.append(size.judged.average_precision(test, X @ coef))
        gone = [i for i in columns if coef[i] < 0]
        names |= {size.names[i] for i in gone}
        coef[gone] = 0.0
        after.append(size.judged.average_precision(test, X @ coef))
    n = len(size.trial.in_vocabulary)  # queries without a candidate count too
    return sorted(names), float(np.concatenate(before).sum() / n), float(np.concatenate(after).sum() / n)


def triples(size: LatticeSize, ranker: str = "SVM-MAP") -> list[tuple[float, tuple[str, ...], tuple[float, ...]]]:
    """MAP on the first fold of all 816 triples of weak rankers, with their learned weights, best first."""
    _, test = next(iter(size.judged.data.folds(FOLDS, SEED)))
    X, coef = _normalised(test), size.trial.folds[0].coef[ranker]
    out = []
    for triple in combinations(range(len(size.names)), 3):
        columns = list(triple)
        value = size.judged.average_precision(test, X[:, columns] @ coef[columns]).mean()
        out.append((float(value), tuple(size.names[i] for i in triple), tuple(float(coef[i]) for i in triple)))
    return sorted(out, key=lambda row: (-row[0], row[1]))


def _normalised(data: Any) -> np.ndarray:
    from rankine.data.normalisers import Normaliser

    return np.asarray(Normaliser("query-minmax").fit(data).apply(data).X, np.float64)


def sections(name: str, sizes: list[LatticeSize], folder: Path) -> list[Section]:
    """The report on one collection, its pictures written into ``folder``."""
    first = sizes[0]
    _draw(folder_of(name), sizes, folder)
    tables = [
        Section(
            f"Mean AP over four folds{'' if len(sizes) == 1 else f', {s.label}'}", "", s.trial.columns, s.trial.table()
        )
        for s in sizes
    ]
    return [
        _introduction(name, sizes),
        Section("Each weak ranker alone (Figure 1)", "", picture=f"{folder_of(name)}-figure1.png"),
        *tables,
        Section("The same by lattice size (Figure 2)", "", picture=f"{folder_of(name)}-figure2.png"),
        Section(f"Weights, {first.label}, fold 1 (Figure 3)", "", picture=f"{folder_of(name)}-figure3.png"),
        _weights(sizes),
        _triples(first),
        _negative_unigrams(sizes),
    ]


def _introduction(name: str, sizes: list[LatticeSize]) -> Section:
    """Numbers of queries, of relevant recordings, and of edges."""
    judged = judged_queries(collection(name))
    lengths = Counter(q.split("-")[0] for q in judged.queries)
    relevant = np.array([len(r) for r in judged.qrels.values()])
    unknown = int((~sizes[0].trial.in_vocabulary).sum())
    counts = ", ".join(f"{lengths.get(str(n), 0)} of {n}" for n in (1, 2, 3))
    text = (
        f"{len(judged.queries)} queries ({counts} words; {unknown} with a word that is in no lattice of "
        f"{sizes[0].label}), {relevant.min()} to {relevant.max()} relevant recordings each. Lattices: "
        + ", ".join(f"{s.label} with {s.edges:.1f} edges per spoken word" for s in sizes)
        + "."
    )
    return Section(speech_set(name).title, text)


def _draw(name: str, sizes: list[LatticeSize], folder: Path) -> None:
    """Figures 1 to 3."""
    from rankine.spoken.learn.pictures import draw_groups, draw_weights

    first = sizes[0]
    draw_groups(first.names, {s.label: s.singles for s in sizes}, "mean AP", folder / f"{name}-figure1.png")
    means = {n: [s.trial.precision[n].mean() for s in sizes] for n in first.trial.precision}
    draw_groups([s.label for s in sizes], means, "mean AP", folder / f"{name}-figure2.png")
    weights = {ranker: first.trial.folds[0].coef[ranker] for ranker in ("SVM-MAP", "AdaRank")}
    draw_weights(first.names, weights, folder / f"{name}-figure3.png")


def _weights(sizes: list[LatticeSize]) -> Section:
    """Mean and spread of SVM-MAP's weights."""
    weights = np.array([f.coef["SVM-MAP"] / np.abs(f.coef["SVM-MAP"]).max() for s in sizes for f in s.trial.folds])
    rows = [
        (n, f"{column.mean():+.3f}", f"{column.std():.3f}", f"{(column < 0).mean():.0%}")
        for n, column in zip(sizes[0].names, weights.T, strict=True)
    ]
    return Section(
        "SVM-MAP's weights over all folds and sizes",
        "Each vector divided by its largest absolute weight.",
        ("weak ranker", "mean", "deviation", "negative in"),
        rows,
    )


def _triples(size: LatticeSize) -> Section:
    """The best triples of weak rankers."""
    return Section(
        f"The five best of 816 triples ({size.label}, fold 1, Table 2)",
        f"With SVM-MAP's weights for all 18 the same queries have {_first_fold(size, 'SVM-MAP')}, with equal "
        f"weights {_first_fold(size, 'uniform')}.",
        ("weak rankers", "weights", "mean AP"),
        [
            (" + ".join(names), ", ".join(f"{w:+.2f}" for w in weights), f"{value:.4f}")
            for value, names, weights in triples(size)[:5]
        ],
    )


def _negative_unigrams(sizes: list[LatticeSize]) -> Section:
    """What negatively weighted unigrams are worth."""
    rows = []
    for s in sizes:
        names, before, after = without_negative_unigrams(s)
        rows.append((s.label, ", ".join(names) or "none", f"{before:.4f}", f"{after:.4f}", f"{after - before:+.4f}"))
    columns = ("lattices", "negative in some fold", "as learned", "without", "change")
    return Section("Without the negatively weighted unigrams", "", columns, rows)


def _first_fold(size: LatticeSize, system: str) -> str:
    return f"{size.trial.folds[0].precision[system].mean():.4f}"


def summary(results: Mapping[str, list[LatticeSize]]) -> list[tuple[str, ...]]:
    """A row per collection and size: MAP of every system."""
    return [
        (folder_of(name), s.label, f"{s.edges:.1f}", *(f"{x.mean():.4f}" for x in s.trial.precision.values()))
        for name, sizes in results.items()
        for s in sizes
    ]


def experiment(data: list[str], language: str, output: Path, workers: int) -> Results:
    """Run all sizes of the collections; write a report for each collection into a folder below ``output``."""
    data = named_speech(data, language)
    for name in data:
        check_collection(name)  # before the long computation starts
    with bar("lattice sizes", total=sum(len(labels(name)) for name in data)) as update:
        results = run(data, workers, update)
    reports = []
    for name in data:
        folder = output / folder_of(name)
        folder.mkdir(parents=True, exist_ok=True)
        reports.append(write(sections(name, results[name], folder), folder))
    columns = ("data", "lattices", "edges", *results[data[0]][0].trial.precision)
    return Results([Section("Mean AP over four folds of queries", "", columns, summary(results))], reports)


def make(folder: Path, workers: int) -> None:
    """Run everything; write the pages that the documentation includes, with their pictures, into ``folder``."""
    for name, sizes in run(list(SPEECH_SETS), workers, lambda done: None).items():
        write_page(sections(name, sizes, folder), folder, name, level=2)
