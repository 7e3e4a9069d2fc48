"""What AutoRanker says of itself against the truth: its estimate on small sets, and whether it learns from chance.

Sets are drawn from real ones by queries without replacement; the truth is the mean over the queries that were not
drawn. Or they are made from a seed, and the truth is the mean over 20,000 fresh queries. The truth of a drawn set is
itself the mean of few queries. For a fixed model the difference between the mean over n drawn and N − n other queries
has the variance σ²(1/n + 1/(N − n)), whether the N queries are taken as given or as a sample. So an interval for the
first is compared with the second after its halves were widened, in squares, by 1.645 standard errors of the second.

By chance a set has easier queries than the others. ``ease`` is by how much one fixed ranker is better on them: a ranker
fitted on the whole real set, or the signal itself. Its mean over draws is 0, so a mean difference less the mean ease is
the same but for its error, which is smaller.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple, TypedDict

import numpy as np
from sklearn.base import clone

from rankine.data.alignment import concatenate
from rankine.data.ranking_data import RankingData
from rankine.rankers import AutoRanker, LinearRanker
from rankine.rankers.auto.candidates import CANDIDATES
from rankine.rankers.auto.estimate import DEAR
from rankine.rankers.auto.fusion import FusedRanker
from rankine.rankers.baselines import performances
from rankine.rankers.folds import seeded
from rankine.system.records import Finite

from ..collections import letor_folds
from .jobs import one_thread

MEASURE = "nDCG@10"
CHANCE_MEASURES = ("nDCG@10", "AP", "RR", "P@5", "ERR@20")
REAL = {"mq2008": 100, "ohsumed": 50}  # queries that are drawn
SYNTHETIC = "synthetic"
NOISE = (0.0, 1.0, 4.0)  # standard deviations of the signal
FRESH, DOCUMENTS, FEATURES = 20_000, 12, 12
ENOUGH = 2_000  # fresh queries on which models of one set are compared with each other
CHANCE_CANDIDATES: Any = "auto"
_SHARES = (0.52, 0.75, 0.88, 0.96)  # of documents below each grade, about as in MSLR-WEB30K


class HonestyJob(NamedTuple):
    """A set: where it is from, and its number."""

    source: str
    number: int


class DrawnSet(NamedTuple):
    """A set, the other queries of its population, and the scores of a fixed ranker on both."""

    sample: RankingData
    rest: RankingData
    scores: np.ndarray
    scores_of_rest: np.ndarray

    def ease(self) -> float:
        """By how much the fixed ranker is better on the set than on the other queries."""
        inside = performances(self.sample, self.scores, MEASURE)
        return float(inside.mean() - performances(self.rest, self.scores_of_rest, MEASURE).mean())


class HonestyResult(TypedDict):
    """The estimate and its interval, the best mean of the leaderboard, and the truth with its standard error.

    ``gain`` is what the best gains by learning from all queries instead of four fifths.
    """

    estimate: Finite
    low: Finite
    high: Finite
    uncorrected: Finite
    truth: Finite
    error_of_truth: Finite
    gain: Finite
    ease: Finite
    choice: str
    seconds: Finite


class ChanceResult(TypedDict):
    """Whether something was learned where there is nothing to learn, and the sentences of the report."""

    learned: bool
    lines: list[str]
    seconds: Finite


def honesty_candidates() -> list[str]:
    """All candidates that are not dear, and the first by trees."""
    trees = [c.name for c in CANDIDATES if c.level >= DEAR and c.ranker == "boosted"]
    return [c.name for c in CANDIDATES if c.level < DEAR] + trees[:1]


def run_honesty(job: HonestyJob) -> HonestyResult:
    """Fit AutoRanker on a set, and measure what it is really worth."""
    of = drawn(job) if job.source in REAL else made(job)
    sample, rest = of.sample, of.rest
    with one_thread():
        began = time.process_time()
        auto = AutoRanker(MEASURE, honesty_candidates(), workers=1).fit(sample)
        seconds = time.process_time() - began
        gain = gain_of_all(auto.best_, sample, rest.subset(np.arange(min(rest.n_queries, ENOUGH))))
        truth = performances(rest, auto.predict(rest), MEASURE)
    best = next(row for row in auto.leaderboard_ if row.verdict == "best")
    return HonestyResult(
        estimate=auto.estimate_.mean, low=auto.estimate_.low, high=auto.estimate_.high, uncorrected=best.mean,
        truth=float(truth.mean()), error_of_truth=float(truth.std(ddof=1) / np.sqrt(len(truth))),
        gain=gain, ease=of.ease(), choice=best.name, seconds=seconds,
    )  # fmt: skip


def gain_of_all(best: Any, sample: RankingData, rest: RankingData) -> float:
    """The truth of a model less that of the same model fitted without one fold, mean over the folds."""
    folds = seeded(sample.n_queries, 5, 0)
    models = [best, *(refitted(best, sample.subset(folds != k)) for k in range(5))]
    truths = [float(performances(rest, model.predict(rest), MEASURE).mean()) for model in models]
    return truths[0] - float(np.mean(truths[1:]))


def refitted(model: Any, data: RankingData) -> Any:
    """A model with the same settings fitted on other data; of a fusion the members."""
    if isinstance(model, FusedRanker):
        members = [refitted(member, data) for member in model.members_]
        return FusedRanker.of(members, model.weights_, model.scales_, model.by_query)
    return clone(model).fit(data)


def drawn(job: HonestyJob) -> DrawnSet:
    """Queries of a real set drawn without replacement, and the others."""
    data = _whole(job.source)
    inside = np.zeros(data.n_queries, bool)
    inside[_rng(job).permutation(data.n_queries)[: min(REAL[job.source], data.n_queries // 2)]] = True
    sample, rest = data.subset(inside), data.subset(~inside)
    fixed = _fitted_on_all(job.source)
    return DrawnSet(sample, rest, fixed.predict(sample), fixed.predict(rest))


def made(job: HonestyJob) -> DrawnSet:
    """A set of 60 to 200 queries and fresh ones; grades follow a linear signal with products, under noise."""
    rng = _rng(job)
    noise, n = NOISE[job.number % len(NOISE)], int(rng.integers(60, 201))
    weights = rng.standard_normal(FEATURES) * (rng.random(FEATURES) < 0.5)
    X = rng.standard_normal(((n + FRESH) * DOCUMENTS, FEATURES)).astype(np.float32)
    signal = X @ weights + X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3]
    hidden = signal + noise * signal.std() * rng.standard_normal(len(X))
    y = np.searchsorted(np.quantile(hidden, _SHARES), hidden)
    at = n * DOCUMENTS
    query = np.repeat(np.arange(n + FRESH), DOCUMENTS)
    sample, rest = RankingData(X[:at], y[:at], query[:at]), RankingData(X[at:], y[at:], query[at:])
    return DrawnSet(sample, rest, signal[:at], signal[at:])


def run_chance(job: HonestyJob) -> ChanceResult:
    """Fit AutoRanker on a set whose grades are in random order within each query."""
    rng = _rng(job, 1)
    if job.source in REAL:
        whole = _whole(job.source)
        n = int(rng.integers(min(30, whole.n_queries), min(200, whole.n_queries) + 1))
        data = whole.subset(np.sort(rng.permutation(whole.n_queries)[:n]))
    else:
        data = made(job).sample
    y = np.concatenate([rng.permutation(query.y) for query in data])
    shuffled = RankingData.from_valid(data.X, y, data.qid)
    with one_thread():
        began = time.process_time()
        measure = CHANCE_MEASURES[job.number % len(CHANCE_MEASURES)]
        auto = AutoRanker(measure, CHANCE_CANDIDATES, workers=1).fit(shuffled)
        seconds = time.process_time() - began
    return ChanceResult(learned=bool(auto.learned_), lines=list(auto.report_.lines), seconds=seconds)


def shares(n: int) -> list[HonestyJob]:
    """So many sets: three tenths from each real set, the others made."""
    real = {source: round(0.3 * n) for source in REAL}
    counts = {**real, SYNTHETIC: n - sum(real.values())}
    return [HonestyJob(source, i) for source, count in counts.items() for i in range(count)]


def _rng(job: HonestyJob, stream: int = 0) -> np.random.Generator:
    return np.random.default_rng([job.number, [*REAL, SYNTHETIC].index(job.source), stream])


def _whole(source: str) -> RankingData:
    fold = next(letor_folds(source))
    return concatenate(list(fold))


def _fitted_on_all(source: str) -> LinearRanker:
    return LinearRanker("listnet", C=0.1, normalise="query-zscore").fit(_whole(source))
