"""What judgments are worth, by the choice of what is judged: a judge is simulated who knows the transcripts.

Queries are those of :mod:`.search_tables` over the lattices that are given, of LJ and AISHELL: *phrases* are the
declared ones and pairs of neighbouring words; *all kinds* are these and pairs of words that stand apart, or of which
any will do. One half of the queries, drawn with a seed, can be judged; the other half is the test. The judge is asked
about one place of one query after the other, and knows what is right. Three choices are compared, over the same places,
those that a ranker of the committee (:mod:`..spoken.learn.disagreement`) has among its first ten:

next     those of which rankers disagree most, as ``Archive.judgments.next`` lists them
random   at random
top      query after query, in a random order, the first ten places of each, as `rankine spoken judge` asks

After each number of judgments weights are learned as `rankine spoken learn` does, and used where they are not worse in
its test; places that nobody judged count as not relevant there. Learning begins at weights that were learned without
the collection. The rule of ``next`` was chosen among four, and that unjudged places count as not relevant among two
ways, while looking at these sets and the sample with the seeds 0 to 4. The seeds here are others, but the queries are
the same, so its figures may be somewhat too high.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rankine.data.ranking_data import RankingData
from rankine.spoken.learn.disagreement import DEPTH, committee, disagreement, ranks_of
from rankine.spoken.learn.learning import SHIPPED, Examples, learn
from rankine.spoken.learn.neighbours import STEPS
from rankine.spoken.learn.table import NEIGHBOURS
from rankine.spoken.learn.weights import Weights
from rankine.system.figures import BLUE, GREY, RED, save_figure
from rankine.system.parallel import process_map
from rankine.system.progress import bar
from rankine.system.report import Section, write, write_page

from ..table import Results
from .search import SearchTrial
from .search_speech import Hearing, hearings
from .search_tables import JudgedSet, judged_sets
from .search_weights import NAMES

KINDS = {"phrases": ("declared", "pairs"), "all kinds": ("declared", "pairs", "apart", "either")}
COLLECTIONS = {"lj": "LJ", "aishell": "AISHELL"}
GIVEN = (*COLLECTIONS, "sample")  # whose lattices are given
NUMBERS = (0, 5, 10, 20, 40, 80, 160, 320, 640)
SEEDS = tuple(range(100, 110))  # the rule was chosen with 0 to 4
FOLDS = 4  # of the test in learning: with fewer queries that have a relevant place nothing is learned
CHOICES = ("next", "random", "top")
SHARE = 0.5  # of the judgments of random choice, at most, for the same MAP
LEAST = -0.01  # by so much learned weights may fall below those that they begin at


@dataclass(frozen=True)
class JudgedPopulation:
    """Queries with the columns of their places, what is relevant, and the weights that learning begins at."""

    name: str
    data: RankingData
    relevant: np.ndarray
    start: np.ndarray

    @classmethod
    def of(cls, name: str, sets: Sequence[JudgedSet], start: np.ndarray) -> JudgedPopulation:
        """The queries of several sets."""
        parts = [s.data.select(NAMES) for s in sets]
        qid = [f"{s.name} {q}" for s, part in zip(sets, parts, strict=True) for q in _rows_of(part)]
        ids = np.concatenate([np.asarray(part.doc_ids).astype(str) for part in parts])
        data = RankingData(
            np.vstack([np.asarray(part.X, np.float64) for part in parts]), np.concatenate([part.y for part in parts]),
            qid, doc_ids=ids.tolist(), feature_names=NAMES,
        )  # fmt: skip
        return cls(name, data, np.concatenate([s.examples.relevant for s in sets]), start)

    def examples(self, grades: Mapping[int, float]) -> Examples | None:
        """What is known after some judgments, by row; None where they are too few to learn from."""
        y = np.zeros(self.data.n_documents)
        y[list(grades)] = list(grades.values())
        counts = np.add.reduceat(y > 0, self.data.ptr[:-1])
        some = np.flatnonzero(counts)
        if len(some) < FOLDS:
            return None
        rows = self.data.subset(some)
        keep = np.concatenate([np.arange(*self.data.ptr[q : q + 2]) for q in some])
        data = RankingData(rows.X, y[keep], rows.qid, doc_ids=rows.doc_ids, feature_names=NAMES)
        return Examples(data, counts[some], np.ones(len(some), np.bool_), len(grades))

    def precision(self, weights: np.ndarray) -> np.ndarray:
        """AP of each query."""
        whole = Examples(self.data, self.relevant, np.ones(self.data.n_queries, np.bool_))
        return whole.average_precision(self.data, np.asarray(self.data.X) @ weights)


def _rows_of(data: RankingData) -> list[str]:
    """The query of each row."""
    return [str(q) for q, n in zip(data.query_ids, np.diff(data.ptr), strict=True) for _ in range(n)]


def places_to_judge(population: JudgedPopulation, queries: np.ndarray, choice: str, seed: int) -> list[int]:
    """The rows of places in the order in which they are judged."""
    rng, weights = np.random.default_rng([seed, CHOICES.index(choice)]), committee(NAMES, population.start)
    shipped = STEPS.index(0.0)
    pool: list[tuple[float, int, int]] = []  # (−disagreement, rank by the weights that are begun at, row)
    for q in rng.permutation(queries).tolist():
        a, b = population.data.ptr[q : q + 2].tolist()
        ranks = ranks_of(weights @ np.asarray(population.data.X[a:b], np.float64).T)
        spread = disagreement(ranks)
        own = [(-float(spread[i]), int(ranks[shipped, i]), a + i) for i in np.flatnonzero(spread >= 0).tolist()]
        pool += sorted(own, key=lambda place: place[1])[:DEPTH] if choice == "top" else own
    if choice == "random":
        return [pool[i][2] for i in rng.permutation(len(pool)).tolist()]
    return [row for *_, row in (sorted(pool, key=lambda place: place[:2]) if choice == "next" else pool)]


def learned(population: JudgedPopulation, grades: Mapping[int, float]) -> np.ndarray:
    """The weights that search uses after some judgments."""
    examples = population.examples(grades)
    if examples is None:
        return population.start
    begin = Weights(tuple(NAMES), tuple(population.start), None, SHIPPED, {})
    weights, trial = learn(examples, NEIGHBOURS, folds=FOLDS, begin=begin)
    better = trial.precision[NEIGHBOURS].mean() >= trial.precision[SHIPPED].mean()
    return np.array(weights.values) if better else population.start


class JudgingCurve(NamedTuple):
    """MAP on unseen queries after each of ``NUMBERS`` of judgments."""

    population: str
    choice: str
    seed: int
    values: tuple[float, ...]


def curve(population: JudgedPopulation, choice: str, seed: int) -> JudgingCurve:
    """Simulate a judge."""
    order = np.random.default_rng(seed).permutation(population.data.n_queries)
    half = len(order) // 2
    rows = places_to_judge(population, np.sort(order[:half]), choice, seed)
    y, values = np.asarray(population.data.y), []
    for n in NUMBERS:
        weights = learned(population, {row: float(y[row]) for row in rows[:n]})
        values.append(float(population.precision(weights)[order[half:]].mean()))
    return JudgingCurve(population.name, choice, seed, tuple(values))


@dataclass(frozen=True)
class JudgingTrial:
    """All curves."""

    curves: tuple[JudgingCurve, ...]

    @property
    def populations(self) -> list[str]:
        """Their names."""
        return list(dict.fromkeys(c.population for c in self.curves))

    def values(self, population: str, choice: str) -> np.ndarray:
        """A row for each seed, a column for each number of judgments."""
        return np.array([c.values for c in self.curves if (c.population, c.choice) == (population, choice)])

    def needed(self, population: str, choice: str, value: float) -> int | None:
        """The least number of judgments after which a mean MAP is reached; None: it never is."""
        there = np.flatnonzero(self.values(population, choice).mean(axis=0) >= value - 1e-9)
        return NUMBERS[there[0]] if len(there) else None


def run(workers: int, work: Path) -> JudgingTrial:
    """Index the lattices that are given, learn weights without each collection, and simulate the judge."""
    every = [h for h in hearings(work) if h.name in GIVEN]
    sets: list[JudgedSet] = []
    with bar("indexing", len(every)) as update:
        for done, some in enumerate(process_map(_sets, every, workers, patience=0, chunk=1), 1):
            sets += some
            update(done)
    jobs = list(product(populations(sets), CHOICES, SEEDS))
    curves: list[JudgingCurve] = []
    with bar("judging", len(jobs)) as update:
        for done, one in enumerate(process_map(_curve, jobs, workers, patience=0, chunk=1), 1):
            curves.append(one)
            update(done)
    return JudgingTrial(tuple(curves))


def populations(sets: Sequence[JudgedSet]) -> list[JudgedPopulation]:
    """The queries of each collection, phrases and all kinds, with weights learned on the other collections."""
    trial = SearchTrial(sets)
    return [
        JudgedPopulation.of(f"{title}, {kind}", [trial.sets[f"{name} {k}"] for k in kinds], trial.without[name])
        for (name, title), (kind, kinds) in product(COLLECTIONS.items(), KINDS.items())
    ]


def _sets(hearing: Hearing) -> list[JudgedSet]:
    return judged_sets(hearing)


def _curve(job: tuple[JudgedPopulation, str, int]) -> JudgingCurve:
    return curve(*job)


def curve_rows(trial: JudgingTrial) -> list[tuple[str, ...]]:
    """A row for each set of queries and choice: the mean MAP over the seeds after each number of judgments."""
    return [
        (name, choice, *(f"{x:.4f}" for x in trial.values(name, choice).mean(axis=0)))
        for name, choice in product(trial.populations, CHOICES)
    ]


def needed_rows(trial: JudgingTrial) -> list[tuple[str, ...]]:
    """A row for each number of random judgments that gain something: how many the other choices need for that MAP."""
    rows = []
    for name in trial.populations:
        means = trial.values(name, "random").mean(axis=0)
        for n, value in zip(NUMBERS, means.tolist(), strict=True):
            if value > means[0] + 1e-6:
                others = [trial.needed(name, choice, value) for choice in ("next", "top")]
                rows.append((name, str(n), f"{value:.4f}", *("never" if m is None else str(m) for m in others)))
    return rows


def verdict_rows(trial: JudgingTrial) -> list[tuple[str, ...]]:
    """A row for each set of queries: what all judgments gain, and the worst difference to the beginning."""
    rows = []
    for name in trial.populations:
        gains = {choice: trial.values(name, choice) - trial.values(name, choice)[:, :1] for choice in CHOICES}
        cells = [f"{gains[choice].mean(axis=0)[-1]:+.4f}" for choice in CHOICES]
        worst = [f"{gains[choice].min():+.4f}" for choice in CHOICES]
        rows.append((name, *cells, *worst))
    return rows


def outcome(trial: JudgingTrial) -> str:
    """Whether the goals are reached, in words, for each set of queries."""
    parts = [f"{name}: {_share_needed(trial, name)}." for name in trial.populations]
    worst = min((trial.values(n, "next") - trial.values(n, "next")[:, :1]).min() for n in trial.populations)
    met = "reached" if worst >= LEAST else "not reached"
    return " ".join(
        [*parts, f"The worst change by `next` in any draw is {worst:+.4f} (goal: at least {LEAST}; {met})."]
    )


def _share_needed(trial: JudgingTrial, name: str) -> str:
    """The largest share of the judgments of random choice that ``next`` needs for the same MAP."""
    rows = [row for row in needed_rows(trial) if row[0] == name]
    if not rows:
        return "random choice gains nothing, so there is nothing to compare"
    if any(row[3] == "never" for row in rows):
        return "`next` never reaches the best MAP of random choice (goal: half of its judgments; not reached)"
    shares = [int(row[3]) / int(row[1]) for row in rows]
    met = (
        "reached" if max(shares) <= SHARE else f"reached for {sum(s <= SHARE for s in shares)} of {len(shares)} numbers"
    )
    return (
        f"for the MAP of random choice `next` needs {min(shares):.0%} to {max(shares):.0%} of its judgments "
        f"(goal: at most {SHARE:.0%}; {met})"
    )


def draw(trial: JudgingTrial, path: Path) -> None:
    """The change of MAP on unseen queries by the number of judgments, a panel for each set of queries."""
    from matplotlib.figure import Figure

    names, colours = trial.populations, dict(zip(CHOICES, (BLUE, RED, GREY), strict=True))
    figure = Figure(figsize=(9.0, 3.2 * -(-len(names) // 2)), layout="constrained")
    axes = figure.subplots(-(-len(names) // 2), 2, squeeze=False, sharey=True).ravel()
    x = np.arange(len(NUMBERS))
    for axis, name in zip(axes, names, strict=False):
        for choice in CHOICES:
            values = trial.values(name, choice) - trial.values(name, choice)[:, :1]
            axis.plot(x, values.mean(axis=0), color=colours[choice], marker="o", markersize=3, label=choice)
            axis.fill_between(x, values.min(axis=0), values.max(axis=0), color=colours[choice], alpha=0.12, linewidth=0)
        axis.set_title(name, fontsize=11, loc="left", fontweight="bold")
        axis.axhline(0, color="black", linewidth=0.6)
        axis.set_xticks(x, list(map(str, NUMBERS)))
        axis.set_xlabel("judgments")
        axis.set_ylabel("change of mean AP, unseen queries")
        axis.spines[["top", "right"]].set_visible(False)
    for axis in axes[len(names) :]:
        axis.set_visible(False)
    axes[0].legend(frameon=False, fontsize="small")
    save_figure(figure, path)


def sections(trial: JudgingTrial, folder: Path) -> list[Section]:
    """The report, its picture written into ``folder``."""
    draw(trial, folder / "judging.png")
    text = (
        f"Mean AP on the half of the queries that was not judged, the mean of {len(SEEDS)} draws. The judge is "
        "simulated from transcripts. Weights before the first judgment are learned without the collection. "
    )
    return [
        Section(
            "What judgments are worth", text + outcome(trial), ("queries", "choice", *map(str, NUMBERS)),
            curve_rows(trial),
        ),
        Section("The same as a picture", "The change by judgments; shaded: all draws.", picture="judging.png"),
        Section(
            "Judgments for the same MAP", "How many each choice needs to reach the MAP of random choice.",
            ("queries", "random", "MAP", "next", "top"), needed_rows(trial),
        ),
        Section(
            "Gain and risk", f"What {NUMBERS[-1]} judgments change, and the worst change at any number in any draw.",
            ("queries", *(f"{c}, gain" for c in CHOICES), *(f"{c}, worst" for c in CHOICES)), verdict_rows(trial),
        ),
    ]  # fmt: skip


def experiment(output: Path, workers: int) -> Results:
    """Index, simulate and compare; the report goes into ``output``."""
    output.mkdir(parents=True, exist_ok=True)
    report = sections(run(workers, output / "speech"), output)
    return Results([replace(report[0], text=""), *report[2:]], [write(report, output)], report[0].text)


def make(folder: Path, work: Path, workers: int) -> None:
    """Run everything; write the page that the documentation includes into ``folder``."""
    write_page(sections(run(workers, work), folder), folder, "judging", level=3)
