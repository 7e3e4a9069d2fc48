"""Learned fusion of weak rankers on real speech, after Meng, Lee & Lee: "Improved lattice-based spoken document
retrieval by directly learning from the evaluation measures".

Declared before it was run: queries are all sequences of one to three words that occur in at least five transcripts,
do not begin or end with a stop word and (in Mandarin) have at least two characters; where there are more than 200 a
seeded choice. A document is relevant if its transcript contains the query. English lattices have four sizes, by beams
that come near the paper's 20, 30, 47 and 73 edges per spoken word; Mandarin ones are shallow and have one. Four folds
of queries; weak rankers' scores are normalised within a query (minimum 0, maximum 1); SVM-MAP has the paper's C = 10^4
over the number of queries, other losses choose C on folds of the training queries; AdaRank its default rounds. MAP as
trec_eval computes it. The row "uniform, normalised" was added after the first run: equal weights on the same scale as
what is learned.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..parallel import process_map
from ..report import Section, write_page
from ..spoken.archive.archive import Archive
from ..spoken.archive.query import longest_words
from ..spoken.index.analyse import LANGUAGES, Settings
from ..spoken.lattice.batch import Scoring
from ..spoken.lattice.formats import Reading, files, pieces
from ..spoken.lattice.formats.common import word_list
from ..spoken.learn.judgments import Judged
from ..spoken.learn.learning import COLUMNS, Examples, Trial, cross_validate, examples
from .lattices import words_of

BEAMS = {"L1": 4.5, "L2": 5.5, "L3": 7.0, "L4": 8.5}
RANKERS = {
    "AdaRank": "adarank", "SVM-MAP": "svm-map", "RankSVM (squared)": "ranksvm-l2", "ListNet": "listnet",
    "SVM-NDCG@10": "svm-ndcg@10",
}  # fmt: skip
LEAST, MOST, FOLDS, SEED = 5, 200, 4, 0
ENGLISH_STOP = frozenset(
    "a about after all also an and any are as at be been before being between but by could did do does each for from "
    "had has have he her him his i if in into is it its may me might more most must my no not of on one only or other "
    "our out over own same shall she should so some such than that the their them then there these they this those "
    "through to under up upon us very was we were what when where which while who whom whose will with would you "
    "your".split()
)
MANDARIN_STOP = frozenset(
    "的 了 在 是 我 你 他 她 它 们 这 那 有 和 就 不 也 吗 呢 吧 啊 嗯 个 一 要 去 到 给 把 被 对".split()
)


@dataclass(frozen=True)
class Collection:
    """A set of recordings: where it is, its transcripts in words, and how its lattices are read."""

    name: str
    language: str
    source: str
    reading: Reading
    texts: dict[str, list[str]]

    def contains(self, text: list[str], query: tuple[str, ...]) -> bool:
        """Whether the query was said."""
        joint = " " if self.language == "en" else ""
        return f"{joint}{joint.join(query)}{joint}" in f"{joint}{joint.join(text)}{joint}"


def collection(name: str) -> Collection:
    """``lj`` or ``aishell`` in the folder that RANKINE_DATA names."""
    place = os.environ.get("RANKINE_DATA")
    if not place:
        raise InputError("set RANKINE_DATA to the folder that holds speech/lj and speech/aishell")
    folder = Path(place, "speech", name)
    lines = (folder / "transcripts.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t", 1) for line in lines if line.strip()]
    if name == "lj":
        texts = {u: words_of(t) for u, t in rows}
        return Collection(name, "en", str(folder / "lattices"), Reading(lower=True), texts)
    words = str(folder / "words.txt.gz")
    known = set(word_list(words).values())
    texts = {u: longest_words(t.replace(" ", ""), known.__contains__) for u, t in rows}
    return Collection(name, "zh", str(folder / "lat.1.gz"), Reading(words=words, lower=True), texts)


def judged_queries(found: Collection) -> Judged:
    """The declared queries, and which documents are relevant to each."""
    stop = ENGLISH_STOP if found.language == "en" else MANDARIN_STOP
    counts: Counter[tuple[str, ...]] = Counter()
    for text in found.texts.values():
        counts.update({tuple(text[i : i + n]) for n in (1, 2, 3) for i in range(len(text) - n + 1)})
    chosen = sorted(
        q for q, n in counts.items()
        if n >= LEAST and q[0] not in stop and q[-1] not in stop and (found.language == "en" or len("".join(q)) > 1)
    )  # fmt: skip
    if len(chosen) > MOST:
        picks = np.random.default_rng(SEED).choice(len(chosen), MOST, replace=False)
        chosen = [chosen[i] for i in sorted(picks.tolist())]
    joint = " " if found.language == "en" else ""
    queries = {f"{len(q)}-{i:03d}": joint.join(q) for i, q in enumerate(chosen)}
    qrels = {
        name: {u: 1.0 for u, text in found.texts.items() if found.contains(text, q)}
        for name, q in zip(queries, chosen, strict=True)
    }
    return Judged(queries, qrels)


@dataclass(frozen=True)
class Size:
    """The outcome for one size of lattices."""

    label: str
    edges: float  # per spoken word
    found: Examples
    trial: Trial
    singles: np.ndarray  # mean AP of each weak ranker
    names: list[str]


def run_size(name: str, label: str) -> Size:
    """Index one collection at one size, compute features, and cross-validate all rankers."""
    found = collection(name)
    scoring = Scoring(found.reading, beam=BEAMS.get(label))
    judged = judged_queries(found)
    with tempfile.TemporaryDirectory(prefix="rankine-spoken-") as temporary:
        archive = Archive.create(Path(temporary, "archive"), Settings(dict(LANGUAGES[found.language]), arcs=0.0))
        archive.add(found.source, scoring=scoring)
        data = examples(archive, judged, keep=False)
        trial = cross_validate(data, RANKERS, FOLDS, SEED)
        names = archive.ranker_names
    features = np.asarray(data.data.X, np.float64)
    n = len(trial.known)  # queries without a candidate count as 0
    singles = np.array([data.average_precision(data.data, features[:, f]).sum() / n for f in range(features.shape[1])])
    return Size(label, _edges(found, scoring), data, trial, singles, names)


def _edges(found: Collection, scoring: Scoring) -> float:
    """Arcs with a word per spoken word."""
    arcs = words = 0
    for piece in (p for file in files(found.source) for p in pieces(file)):
        arcs += int((scoring.open(piece).unit >= 0).sum())
        words += len(found.texts[piece.name])
    return arcs / words


def run(names: list[str], workers: int, report: Callable[[int], None]) -> dict[str, list[Size]]:
    """All sizes of all collections."""
    jobs = [(name, label) for name in names for label in (BEAMS if name == "lj" else ["as given"])]
    out: dict[str, list[Size]] = {name: [] for name in names}
    for done, (job, size) in enumerate(
        zip(jobs, process_map(_job, jobs, workers, patience=0, chunk=1), strict=True), 1
    ):
        out[job[0]].append(size)
        report(done)
    return out


def _job(job: tuple[str, str]) -> Size:
    return run_size(*job)


def without_negative_unigrams(size: Size, ranker: str = "SVM-MAP") -> tuple[list[str], float, float]:
    """Unigram rankers with a negative weight in some fold, and MAP with the weights as learned and without those."""
    names, columns = set[str](), [i for i, n in enumerate(size.names) if n.endswith("-1")]
    before, after = [], []
    for fold, (_, test) in zip(size.trial.folds, size.found.data.folds(FOLDS, SEED), strict=True):
        coef = fold.coef[ranker].copy()
        X = _normalised(test)
        before.append(size.found.average_precision(test, X @ coef))
        gone = [i for i in columns if coef[i] < 0]
        names |= {size.names[i] for i in gone}
        coef[gone] = 0.0
        after.append(size.found.average_precision(test, X @ coef))
    n = len(size.trial.known)  # queries without a candidate count too
    return sorted(names), float(np.concatenate(before).sum() / n), float(np.concatenate(after).sum() / n)


def triples(size: Size, ranker: str = "SVM-MAP") -> list[tuple[float, tuple[str, ...], tuple[float, ...]]]:
    """MAP on the first fold of all 816 triples of weak rankers, with their learned weights, best first."""
    _, test = next(iter(size.found.data.folds(FOLDS, SEED)))
    X, coef = _normalised(test), size.trial.folds[0].coef[ranker]
    out = []
    for chosen in combinations(range(len(size.names)), 3):
        columns = list(chosen)
        value = size.found.average_precision(test, X[:, columns] @ coef[columns]).mean()
        out.append((float(value), tuple(size.names[i] for i in chosen), tuple(float(coef[i]) for i in chosen)))
    return sorted(out, key=lambda row: (-row[0], row[1]))


def _normalised(data: Any) -> np.ndarray:
    from ..normalise import Normaliser

    return np.asarray(Normaliser("query-minmax").fit(data).apply(data).X, np.float64)


def sections(name: str, sizes: list[Size], folder: Path) -> list[Section]:
    """The report on one collection, its pictures written into ``folder``."""
    from ..spoken.lattice.pictures import draw_groups, draw_weights

    judged = judged_queries(collection(name))
    lengths = Counter(q.split("-")[0] for q in judged.queries)
    relevant = np.array([len(r) for r in judged.qrels.values()])
    first = sizes[0]
    unknown = int((~first.trial.known).sum())
    told = ", ".join(f"{lengths.get(str(n), 0)} of {n}" for n in (1, 2, 3))
    title = {"lj": "English (LJSpeech, PocketSphinx)", "aishell": "Mandarin (commands, Kaldi)"}[name]
    intro = (
        f"{len(judged.queries)} queries ({told} words; {unknown} with a word that is in no lattice of {first.label}), "
        f"{relevant.min()} to {relevant.max()} relevant documents each. Lattices: "
        + ", ".join(f"{s.label} with {s.edges:.1f} edges per spoken word" for s in sizes)
        + "."
    )
    draw_groups(first.names, {s.label: s.singles for s in sizes}, "mean AP", folder / f"{name}-figure1.png")
    systems = list(first.trial.precision)
    draw_groups(
        [s.label for s in sizes], {n: [s.trial.precision[n].mean() for s in sizes] for n in systems}, "mean AP",
        folder / f"{name}-figure2.png",
    )  # fmt: skip
    draw_weights(
        first.names, {"SVM-MAP": first.trial.folds[0].coef["SVM-MAP"], "AdaRank": first.trial.folds[0].coef["AdaRank"]},
        folder / f"{name}-figure3.png",
    )  # fmt: skip
    every = {f"{s.label}, fold {i + 1}": f.coef["SVM-MAP"] for s in sizes for i, f in enumerate(s.trial.folds)}
    spread = np.array([w / np.abs(w).max() for w in every.values()])
    parts = [Section(title, intro)]
    parts.append(Section("Each weak ranker alone (Figure 1)", "", picture=f"{name}-figure1.png"))
    for s in sizes:
        note = "" if len(sizes) == 1 else f", {s.label}"
        parts.append(Section(f"Mean AP over four folds{note}", "", COLUMNS, s.trial.table()))
    parts.append(Section("The same by lattice size (Figure 2)", "", picture=f"{name}-figure2.png"))
    parts.append(Section(f"Weights, {first.label}, fold 1 (Figure 3)", "", picture=f"{name}-figure3.png"))
    rows = [
        (n, f"{spread[:, i].mean():+.3f}", f"{spread[:, i].std():.3f}", f"{(spread[:, i] < 0).mean():.0%}")
        for i, n in enumerate(first.names)
    ]
    parts.append(
        Section(
            "SVM-MAP's weights over all folds and sizes",
            "Each vector divided by its largest absolute weight.",
            ("weak ranker", "mean", "deviation", "negative in"),
            rows,
        )
    )
    best = triples(first)[:5]
    parts.append(
        Section(
            f"The five best of 816 triples ({first.label}, fold 1, Table 2)",
            f"With SVM-MAP's weights for all 18 the same queries have {_first_fold(first, 'SVM-MAP')}, with equal "
            f"weights {_first_fold(first, 'uniform')}.",
            ("weak rankers", "weights", "mean AP"),
            [(" + ".join(names), ", ".join(f"{w:+.2f}" for w in ws), f"{value:.4f}") for value, names, ws in best],
        )
    )
    removed = []
    for s in sizes:
        gone, before, after = without_negative_unigrams(s)
        removed.append((s.label, ", ".join(gone) or "none", f"{before:.4f}", f"{after:.4f}", f"{after - before:+.4f}"))
    parts.append(
        Section(
            "Without the negatively weighted unigrams",
            "",
            ("lattices", "negative in some fold", "as learned", "without", "change"),
            removed,
        )
    )
    return parts


def make(folder: Path, workers: int) -> None:
    """Run everything; write the pages that the documentation includes, with their pictures, into ``folder``."""
    for name, sizes in run(["lj", "aishell"], workers, lambda done: None).items():
        write_page(sections(name, sizes, folder), folder, name, level=2)


def _first_fold(size: Size, system: str) -> str:
    return f"{size.trial.folds[0].precision[system].mean():.4f}"


def summary(sizes: Mapping[str, list[Size]]) -> list[tuple[str, ...]]:
    """A row per collection and size: MAP of every system."""
    return [
        (name, s.label, f"{s.edges:.1f}", *(f"{x.mean():.4f}" for x in s.trial.precision.values()))
        for name, found in sizes.items()
        for s in found
    ]
