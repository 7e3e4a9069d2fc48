"""How long AutoRanker takes: on real sets, and on sets of the size of LightGBM's example for lambdarank."""

from __future__ import annotations

import time
import warnings
from typing import Any, NamedTuple, TypedDict

import numpy as np
import scipy.sparse as sp

from rankine.data.alignment import concatenate
from rankine.data.ranking_data import RankingData
from rankine.rankers import AutoRanker
from rankine.system.records import Finite

from ..collections import LETOR_SETS, letor_folds

GOALS = {"mq2008": 90.0, "ohsumed": np.inf, "3,000 × 300, dense": 20.0, "3,000 × 300, sparse": 20.0}  # seconds
CANDIDATES: Any = "auto"


class TimeJob(NamedTuple):
    """A set, and the number of processes."""

    name: str
    workers: int


class TimeResult(TypedDict):
    """The size of a set, seconds on the clock, and the estimate."""

    size: str
    seconds: Finite
    estimate: Finite


def timed_set(name: str) -> RankingData:
    """A set of the table of goals."""
    if name in LETOR_SETS:
        return concatenate(list(next(letor_folds(name))))
    return example(sparse=name.endswith("sparse"))


def example(sparse: bool, n_queries: int = 200, per_query: int = 15, n_features: int = 300) -> RankingData:
    """Judged documents with many features, a tenth of which are not 0 if ``sparse``; one in ten tells of the grade."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((n_queries * per_query, n_features)).astype(np.float32)
    if sparse:
        X *= rng.random(X.shape) < 0.1
    signal = X[:, ::10].sum(axis=1)
    hidden = signal / signal.std() + rng.standard_normal(len(X))
    y = np.searchsorted(np.quantile(hidden, (0.5, 0.75, 0.9, 0.97)), hidden)
    return RankingData(sp.csr_matrix(X) if sparse else X, y, np.repeat(np.arange(n_queries), per_query))


def run_time(job: TimeJob) -> TimeResult:
    """Fit AutoRanker once with the clock running."""
    data = timed_set(job.name)
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        auto = AutoRanker(candidates=CANDIDATES, workers=job.workers).fit(data)
    seconds = time.perf_counter() - began
    size = f"{data.n_queries:,} queries, {data.n_documents:,} documents, {data.n_features} features"
    return TimeResult(size=size, seconds=seconds, estimate=auto.estimate_.mean)
