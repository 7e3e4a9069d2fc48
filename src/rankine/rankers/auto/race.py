"""Candidates on folds: each is fitted on the other folds and judged on the queries of one.

A job is one candidate on one fold, with all values of the parameter that it sweeps. It gives the scores of the held-out
documents and the measure of each held-out query. Jobs run in processes of one thread each, so that results do not
depend on how many there are. A finished job is a small file in ``folder``, where a later run takes it from.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import numpy as np

from ...data.ranking_data import RankingData
from ...errors import InputError, in_one_line
from ...io import load_table, save_table
from ...system.files import fingerprint, write_file
from ...system.parallel import job_pool
from ...system.records import Finite, record
from ...system.signals import results_are_whole
from ...system.sources import read_whole
from ...system.temporary import temporary_folder
from ..baselines import performances
from ..table import row_of
from .jobs import plain

_LARGEST = float(np.finfo(np.float32).max)  # scores are kept in single precision


@dataclass(frozen=True)
class FoldJob:
    """A candidate on a fold: fit on the queries of the other folds, judge on those of this one."""

    ranker: str
    settings: dict[str, Any]
    sweep: tuple[str, tuple[Any, ...]] | None
    fold: int
    measure: str
    data: str  # fingerprint of the data, the folds and the weights

    @property
    def size(self) -> int:
        """The number of configurations."""
        return 1 if self.sweep is None else len(self.sweep[1])

    @property
    def key(self) -> str:
        """A name that changes with everything the result depends on."""
        content = [self.ranker, self.settings, self.sweep, self.fold, self.measure, self.data]
        return fingerprint(json.dumps(content, sort_keys=True, default=plain), size=12, algorithm="sha256")


class FoldResult(NamedTuple):
    """For each configuration a row: the measure of each held-out query, the scores of the held-out documents."""

    values: np.ndarray
    scores: np.ndarray
    seconds: float
    remark: str = ""


class FoldData(NamedTuple):
    """Data, the fold of each query (−1: only learned from), and the weights of queries."""

    data: RankingData
    folds: np.ndarray
    weights: np.ndarray | None

    def fingerprint(self) -> str:
        """A text that changes with the data, the folds, the weights and the version of Rankine."""
        from ...version import __version__

        X = self.data.X
        parts = (X.data, X.indices, X.indptr) if self.data.is_sparse else (X,)
        weights = np.empty(0) if self.weights is None else self.weights
        head = f"{__version__} {X.shape} {X.dtype} {self.data.is_sparse}"
        return fingerprint(head, *parts, self.data.y, self.data.ptr, self.folds, weights, size=12)

    def size(self, fold: int) -> tuple[int, int]:
        """How many queries and documents a fold has."""
        inside = self.folds == fold
        return int(inside.sum()), int(np.diff(self.data.ptr)[inside].sum())

    def held_out(self, fold: int) -> tuple[RankingData, RankingData, np.ndarray | None]:
        """What is learned from, what is judged on, and the weights of the queries that are learned from."""
        inside = self.folds != fold
        weights = None if self.weights is None else self.weights[inside]
        return self.data.subset(inside), self.data.subset(~inside), weights


def run_job(job: FoldJob, of: FoldData) -> FoldResult | str:
    """The result of a job; a text if it failed."""
    train, held_out, weights = of.held_out(job.fold)
    began = time.perf_counter()
    remarks: list[str] = []
    try:
        with warnings.catch_warnings(record=True) as raised, results_are_whole():
            warnings.simplefilter("always")
            models = fitted(job.ranker, job.settings, job.sweep, train, weights)
            scores = np.stack([model.predict(held_out) for model in models])
        remarks = sorted({type(w.message).__name__ for w in raised if issubclass(w.category, UserWarning)})
        values = np.stack([performances(held_out, s, job.measure, threads=1) for s in scores])
    except Exception as error:  # a candidate that fails is no reason to end the others
        return f"{type(error).__name__}: {in_one_line(error)}"
    small = np.clip(scores, -_LARGEST, _LARGEST).astype(np.float32)
    return FoldResult(values, small, time.perf_counter() - began, ", ".join(remarks))


def fitted(
    ranker: str, settings: dict[str, Any], sweep: tuple[str, tuple[Any, ...]] | None, data: RankingData, weights: Any
) -> list[Any]:
    """A fitted model for each value of the sweep; weights of queries where the ranker takes them."""
    from inspect import signature

    kind = row_of(ranker).load()
    options = (
        {} if weights is None or "query_weight" not in signature(kind.fit).parameters else {"query_weight": weights}
    )
    model = kind(**settings)
    return [model.fit(data, **options)] if sweep is None else model.sweep(*sweep, data, **options)


def to_bytes(result: FoldResult, key: str) -> bytes:
    """The result of the job with this key as the content of a file: a line of JSON, then the numbers."""
    numbers = result.values.astype("<f8").tobytes() + result.scores.astype("<f4").tobytes()
    head = {"seconds": result.seconds, "remark": result.remark, "check": fingerprint(key, numbers, size=12)}
    return b"\n".join([json.dumps(head).encode(), numbers])


def from_bytes(content: bytes, key: str, n: int, queries: int, documents: int) -> FoldResult | None:
    """The result of ``n`` configurations that :func:`to_bytes` wrote; None if it is damaged or another one."""
    head, _, numbers = content.partition(b"\n")
    at = 8 * n * queries
    if len(numbers) != at + 4 * n * documents:
        return None
    try:
        about = record(head, FoldHead, "the result of a fold", None)
    except InputError:
        return None
    values = np.frombuffer(numbers[:at], "<f8").reshape(n, queries)
    scores = np.frombuffer(numbers[at:], "<f4").reshape(n, documents)
    whole = about["check"] == fingerprint(key, numbers, size=12)
    return FoldResult(values, scores, about["seconds"], about["remark"]) if whole else None


class FoldHead(TypedDict):
    """The first line of the file of a result."""

    seconds: Finite
    remark: str
    check: str  # fingerprint of the key and the numbers


class Runner:
    """Runs jobs by ``work``, in this process or in others, and keeps what is finished in a folder."""

    def __init__(self, of: FoldData, pool: Any, work: Any, folder: Path | None, deadline: float) -> None:
        self.of, self.pool, self.work, self.folder, self.deadline = of, pool, work, folder, deadline

    def results(self, jobs: Sequence[FoldJob]) -> Any:
        """Each job with its result as soon as it is there, until the deadline."""
        waiting = []
        for job in jobs:
            result = None if self.folder is None else self._kept(job)
            if result is None:
                waiting.append(job)
            else:
                yield job, result
        for job, result in self.pool(self.work, waiting, lambda job, why: why, self.deadline):
            if self.folder is not None and not isinstance(result, str):
                write_file(self.folder / f"{job.key}.fold", to_bytes(result, job.key))
            yield job, result

    def _kept(self, job: FoldJob) -> FoldResult | None:
        assert self.folder is not None
        file = self.folder / f"{job.key}.fold"
        if not file.exists():
            return None
        try:
            return from_bytes(read_whole(file), job.key, job.size, *self.of.size(job.fold))
        except InputError:  # it is something else, and packed
            return None


_worker: dict[str, FoldData] = {}


def _open_data(file: str, folds: np.ndarray, weights: np.ndarray | None) -> None:
    """Called once in each process."""
    _worker["data"] = FoldData(load_table(file), folds, weights)


def _job_in_worker(job: FoldJob) -> FoldResult | str:
    return run_job(job, _worker["data"])


@contextmanager
def runner(of: FoldData, workers: int, folder: Path | None, deadline: float = np.inf) -> Any:
    """A :class:`Runner`, whose processes end with the block; with one worker the work is done in this process."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        if not folder.is_dir():
            raise InputError("expected a folder", str(folder))
    if workers <= 1:
        with job_pool(1) as pool:
            yield Runner(of, pool, partial(run_job, of=of), folder, deadline)
        return
    with temporary_folder("rankine-auto-") as temporary:
        file = str(Path(temporary, "data.arrow"))
        save_table(of.data, file)
        with job_pool(workers, _open_data, (file, of.folds, of.weights), imports_main=False) as pool:
            yield Runner(of, pool, _job_in_worker, folder, deadline)
