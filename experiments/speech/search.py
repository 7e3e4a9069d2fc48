"""The shipped weights: learned on all speech at hand, and tested on collections that they were not learned on.

Every hearing (:mod:`.search_speech`) gives sets of judged queries (:mod:`.search_tables`). Weights are learned by
:mod:`.search_weights` without the collection that they are tested on; then once more on everything, and these are the
ones that are shipped. A collection's own judgments continue from weights that were learned without it. Candidates are
all places with any evidence; AP as trec_eval computes it; relevant places that are not found count.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rankine.data.ranking_data import RankingData
from rankine.spoken.learn.classes import CLASS_HEADS, class_rows
from rankine.spoken.learn.learning import make_ranker
from rankine.spoken.learn.neighbours import NeighbourRanker
from rankine.spoken.learn.weights import Weights, is_evidence, normalised
from rankine.spoken.search.grouping import COMBINATIONS, recording_score
from rankine.system.files import write_file
from rankine.system.parallel import process_map
from rankine.system.progress import bar
from rankine.system.report import Section, write, write_page

from ..table import Results
from .search_speech import COLLECTIONS, Hearing, hearings, recognised, recognised_sets
from .search_tables import JudgedSet, judged_sets
from .search_weights import NAMES, ascent

FOLDS, SEED, DRAWS, FEW = 4, 0, 50, 10
COLUMNS: dict[str, tuple[str, ...]] = {  # of the table, and the sets of queries that each is the mean of
    "LJ": ("lj declared",),
    "LJ pairs": ("lj pairs",),
    "aishell": ("aishell declared",),
    "sample": ("sample own",),
    "unknown words": ("lj-without words", "lj names"),
    "joined": ("joined declared",),
    "Whisper": ("lj-whisper rare",),
    "5 dB": ("lj-whisper-noise rare",),
    "Vosk": ("lj-vosk rare",),
}
SYSTEMS = ("best single", "equal", "equal, normalised", "words", "demo's", "shipped", "learned")


class SearchTrial:
    """All sets of queries, and the weights that were learned without each collection."""

    def __init__(self, sets: Sequence[JudgedSet]) -> None:
        self.sets = {s.name: s for s in sets}

    @property
    def training(self) -> list[JudgedSet]:
        """What is learned from: joined recordings only test."""
        return [s for s in self.sets.values() if not s.name.startswith("joined")]

    @cached_property
    def without(self) -> dict[str, np.ndarray]:
        """For each collection the weights that were learned on the others."""
        there = dict.fromkeys(s.collection for s in self.training)
        return {c: ascent([s for s in self.training if s.collection != c]) for c in there}

    @cached_property
    def shipped(self) -> np.ndarray:
        """The weights that were learned on everything."""
        return ascent(self.training)

    @cached_property
    def demo(self) -> tuple[np.ndarray, list[str]]:
        """Weights of the papers' weak rankers by SVM-MAP from the sample's queries, as the demo learned them."""
        s = self.sets["sample own"]
        names = paper_names(s)
        data = s.data.select(names)
        return quietly_fitted(make_ranker("svm-map", data, "query-minmax"), data).coef_, names

    def precision(self, system: str, s: JudgedSet) -> np.ndarray | None:
        """AP of every query by a system; None where the system cannot be tested on it."""
        if system == "learned":
            return learned_precision(s, self.without[s.collection])
        if system == "best single":
            return max((s.precision(x) for x in s.columns(paper_names(s)).T), key=np.mean)
        scores = self.scores(system, s)
        return None if scores is None else s.precision(scores)

    def scores(self, system: str, s: JudgedSet) -> np.ndarray | None:
        """The scores of a system with given weights; None where its weights are for other columns."""
        names = paper_names(s)
        if system == "shipped":
            return s.columns(NAMES) @ self.without[s.collection]
        if system == "equal, normalised":
            return normalised(s.data.select(names), "query-minmax").sum(axis=1)
        if system == "demo's":
            weights, columns = self.demo
            fits = s.collection != "sample" and columns == names
            return normalised(s.data.select(names), "query-minmax") @ weights if fits else None
        return s.columns([n for n in names if system == "equal" or n.startswith("word-")]).sum(axis=1)


def paper_names(s: JudgedSet) -> list[str]:
    """The papers' weak rankers."""
    return [name for name in map(str, s.data.feature_names or ()) if not is_evidence(name)]


def quietly_fitted(model: Any, data: RankingData) -> Any:
    """Fit without warnings: how well it does is measured."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(data)


def continued(data: RankingData, start: np.ndarray) -> np.ndarray:
    """Weights from judged queries, beginning at some, as `rankine spoken learn` learns them."""
    return NeighbourRanker(start).fit(data).coef_


def learned_precision(s: JudgedSet, start: np.ndarray) -> np.ndarray:
    """AP of every query by weights that were learned from the other folds of the set's queries."""
    data = s.data.select(NAMES)
    number = {q: i for i, q in enumerate(data.query_ids)}
    out = np.zeros(data.n_queries + len(s.examples.lost))
    for train, test in data.folds(FOLDS, SEED):
        scores = np.asarray(test.X, np.float64) @ continued(train, start)
        out[[number[q] for q in test.query_ids]] = s.examples.average_precision(test, scores)
    return out


def run(
    work: Path,
    workers: int,
    report: Callable[[float, float], None] = lambda done, total: None,
    without: str | None = None,
) -> SearchTrial:
    """Recognise what is to be recognised, index every hearing, and compute the columns of all queries.

    ``without``: a collection that is left out.
    """
    work.mkdir(parents=True, exist_ok=True)
    for name, heard in recognised_sets().items():
        if heard.collection != without:
            recognised(name, work, workers, report)
    every = [h for h in hearings(work) if h.collection != without]
    jobs = [(h, False) for h in every] + [(h, True) for h in every if h.name == "lj"]
    sets: list[JudgedSet] = []
    with bar("indexing", len(jobs)) as update:
        for done, some in enumerate(process_map(_job, jobs, workers, patience=0, chunk=1), 1):
            sets += some
            update(done)
    return SearchTrial(sets)


def _job(job: tuple[Hearing, bool]) -> list[JudgedSet]:
    return judged_sets(*job)


def main_table(trial: SearchTrial) -> list[tuple[str, ...]]:
    """A row for each system: MAP on each set of queries, by weights that were learned without its collection."""
    out = []
    for system in SYSTEMS:
        cells = []
        for names in COLUMNS.values():
            parts = [trial.precision(system, trial.sets[name]) for name in names]
            there = [x for x in parts if x is not None]
            cells.append(f"{np.concatenate(there).mean():.4f}" if there else "-")
        out.append((system, *cells))
    return out


def all_sets(trial: SearchTrial) -> list[tuple[str, ...]]:
    """A row for each set of queries."""
    rows = []
    for s in trial.sets.values():
        scores = [trial.scores(system, s) for system in ("words", "equal, normalised", "shipped")]
        means = (f"{s.precision(x).mean():.4f}" for x in scores if x is not None)
        rows.append((s.name, str(s.data.n_queries + len(s.examples.lost)), *means))
    return rows


def recordings_table(trial: SearchTrial) -> list[tuple[str, ...]]:
    """MAP of whole recordings by each combination of their places' scores."""
    rows = []
    for name in ("joined declared", "joined pairs"):
        s = trial.sets[name]
        scores = np.asarray(trial.scores("shipped", s))
        cells = [f"{np.mean(recording_precisions(s, scores, c)):.4f}" for c in COMBINATIONS]
        rows.append((name, *cells))
    return rows


def recording_precisions(s: JudgedSet, scores: np.ndarray, combination: str) -> np.ndarray:
    """AP of the recordings of each query; a recording is relevant if it holds a relevant place that was found."""
    out = []
    y = np.asarray(s.data.y)
    for a, b in zip(s.data.ptr[:-1], s.data.ptr[1:], strict=True):
        own = s.recordings[a:b]
        there = np.unique(own)
        values = np.array([recording_score(scores[a:b][own == r], combination) for r in there])
        relevant = np.array([(y[a:b][own == r] > 0).any() for r in there])
        if relevant.any():
            ranked = relevant[np.argsort(-np.round(values, 12), kind="stable")]
            out.append(float((ranked * np.cumsum(ranked) / np.arange(1, len(ranked) + 1)).sum() / ranked.sum()))
    return np.array(out)


def few_table(trial: SearchTrial) -> list[tuple[str, ...]]:
    """What ten judged queries change, over random draws: the mean, and the worst draw."""
    rows: list[tuple[str, ...]] = []
    every = []
    for s in (s for s in trial.training if s.data.n_queries >= 2 * FEW):
        changes = few_changes(s, trial.without[s.collection])
        every.append(changes)
        rows.append((s.name, *_changed(changes)))
    return [*rows, ("all", *_changed(np.concatenate(every)))]


def _changed(changes: np.ndarray) -> tuple[str, ...]:
    """The mean, the worst, and how many are not negative."""
    return f"{changes.mean():+.4f}", f"{changes.min():+.4f}", f"{(changes >= 0).mean():.0%}"


def few_changes(s: JudgedSet, start: np.ndarray, draws: int = DRAWS) -> np.ndarray:
    """The change of MAP on the other queries by learning from ten, for each draw."""
    data, rng = s.data.select(NAMES), np.random.default_rng(SEED)
    X = np.asarray(data.X, np.float64)
    before = s.examples.average_precision(data, X @ start)
    out = []
    for _ in range(draws):
        some = np.sort(rng.permutation(data.n_queries)[:FEW])
        after = s.examples.average_precision(data, X @ continued(data.subset(some), start))
        rest = np.setdiff1d(np.arange(data.n_queries), some)
        out.append(float((after - before)[rest].mean()))
    return np.array(out)


def shipped_weights(trial: SearchTrial) -> Weights:
    """The weights that are shipped, with what they were learned on and how they did without it."""
    sets = {s.name: s.data.n_queries + len(s.examples.lost) for s in trial.training}
    means = {
        s.name: round(float(s.precision(s.columns(NAMES) @ trial.without[s.collection]).mean()), 4)
        for s in trial.training
    }
    provenance = {"queries": sum(sets.values()), "learned on": sets, "MAP without the collection": means}
    return Weights(tuple(NAMES), tuple(trial.shipped.tolist()), None, "coordinate ascent", provenance)


def sections(trial: SearchTrial, folder: Path) -> list[Section]:
    """The report, its picture written into ``folder``."""
    from rankine.spoken.learn.pictures import draw_groups

    rows = main_table(trial)
    means = {row[0]: [float("nan") if x == "-" else float(x) for x in row[1:]] for row in rows}
    draw_groups(list(COLUMNS), means, "mean AP", folder / "search.png")
    n = sum(s.data.n_queries for s in trial.training)
    text = (
        f"{n} queries over {len(COLLECTIONS)} collections. Mean AP of places. Shipped weights are learned without the "
        "collection that they are tested on; learned ones continue from them, on folds of the queries. Joined: the "
        "utterances of LJ as recordings of 1 to 60. Whisper, 5 dB (white noise, heard by Whisper) and Vosk: "
        "rare words of chapter 1 of LJ. Best single is the best on the set itself. Features, the way of "
        "learning and its settings were chosen while looking at these sets, so the figures are somewhat too high."
    )
    return [
        Section("Weights on collections that they were not learned on", text, ("weights", *COLUMNS), rows),
        Section("The same as a picture", "", picture="search.png"),
        Section(
            f"{FEW} judged queries", f"{DRAWS} draws of {FEW} queries; the change of mean AP on all others.",
            ("queries", "mean change", "worst draw", "not worse"), few_table(trial),
        ),
        Section(
            "Whole recordings", "Mean AP of recordings, by what is made of their places' scores.",
            ("queries", *COMBINATIONS), recordings_table(trial),
        ),
        Section(
            "All sets of queries", "Without: words are taken out of the recogniser's dictionary; hidden: they are not "
            "in the archive's pronunciation dictionary either. Noise is in dB below the speech.",
            ("queries", "number", "words", "equal, normalised", "shipped"), all_sets(trial),
        ),
        Section("The shipped weights", "Learned on everything.", ("feature", *CLASS_HEADS), weight_rows(trial.shipped)),
    ]  # fmt: skip


def weight_rows(weights: np.ndarray) -> list[tuple[str, ...]]:
    """A row for each feature, a column for each class of words."""
    return class_rows(dict(zip(NAMES, weights.tolist(), strict=True)), "{:.2f}", "-")


def experiment(output: Path, workers: int) -> Results:
    """Recognise, index, learn and test; the report, the lattices and the weights (shipped.json) go into ``output``."""
    output.mkdir(parents=True, exist_ok=True)
    with bar("recognising", None, unit="seconds") as update:
        trial = run(output / "speech", workers, lambda done, total: update(round(done), round(total)))
    report = sections(trial, output)
    write_file(output / "shipped.json", shipped_weights(trial).to_bytes())
    return Results([report[0], report[2], report[3]], [write(report, output)])


def make(folder: Path, work: Path, workers: int, weights: Path) -> None:
    """Run everything; write the page that the documentation includes into ``folder``, and the shipped weights."""
    trial = run(work, workers)
    write_page(sections(trial, folder), folder, "search", level=2)
    write_file(weights, shipped_weights(trial).to_bytes())
