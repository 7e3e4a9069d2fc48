"""The jobs of a tuning run.

One job is one warm-started path over C (or one fit, for a ranker without C) on one fold. Jobs run in processes of one
thread each, so results do not depend on how many there are; a finished job is a small file, so a run that was killed
goes on where it stopped.
"""

from __future__ import annotations

import itertools
import json
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypedDict

import numpy as np

from ...data.ranking_data import RankingData
from ...errors import InputError, in_one_line
from ...io import load_table, save_table
from ...losses import resolve
from ...losses.supervision import RANKS
from ...measures import evaluate
from ...system.files import fingerprint, write_file
from ...system.parallel import finished
from ...system.progress import bar
from ...system.records import Finite, record
from ...system.signals import results_are_whole
from ...system.sources import read_whole
from ...system.temporary import temporary_folder
from ...version import __version__
from ..oracle.starts import DEFAULT_COUNT

_LATER = ("start", "schedule")  # parameters that are part of a name only where they are set


@dataclass(frozen=True)
class TuningJob:
    """A path over C, or one fit, on one fold; ``data`` is the fingerprint of the data.

    ``stops``: the fit gets the validation data, and stops early by it.
    """

    kind: str
    params: dict[str, Any]
    path: Sequence[float] | None
    fold: int
    measure: str
    data: str
    stops: bool = False

    @property
    def key(self) -> str:
        """A name that changes with everything the result depends on."""
        params = {name: value for name, value in self.params.items() if name not in _LATER or value is not None}
        if params.get("n_starts", 0) is None:
            params["n_starts"] = DEFAULT_COUNT
        if self.path is not None:
            params["C"] = 1.0  # the path has values of its own
        content = [self.kind, params, self.path, self.fold, self.measure, self.data]
        if RANKS in supervision_of(self.params.get("loss")):
            content.append("measured on grades")
        if self.stops:
            content.append("stops early")
        return fingerprint(json.dumps(content, sort_keys=True, default=plain), size=12, algorithm="sha256")


def supervision_of(loss: Any) -> tuple[str, ...]:
    """What a loss, by name or as an object, learns from; nothing where a ranker has no loss."""
    return () if loss is None else resolve(loss).supervision


def stops_early(ranker: type) -> bool:
    """Whether a ranker takes validation data to stop by.

    >>> from rankine import AdaRank, LinearRanker
    >>> stops_early(AdaRank), stops_early(LinearRanker)
    (True, False)
    """
    return "valid" in signature(ranker.fit).parameters  # type: ignore[attr-defined]


def plain(value: Any) -> Any:
    """Arrays and NumPy's numbers as plain ones, anything else by its text; for JSON."""
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else repr(value)


class JobData(NamedTuple):
    """Training data with validation data, or to be split into folds."""

    train: RankingData
    valid: RankingData | None
    folds: int
    seed: int

    def fold(self, number: int) -> tuple[RankingData, RankingData]:
        """The data that a job fits to, and the data that it measures on."""
        if self.valid is not None:
            return self.train, self.valid
        return next(itertools.islice(self.train.folds(self.folds, self.seed), number, None))

    def fingerprint(self) -> str:
        """A text that changes with the data, with how they are split, and with the version of Rankine."""
        contents: list[Any] = []
        for data in (self.train, self.valid):
            if data is not None:
                X = (data.X.data, data.X.indices, data.X.indptr) if data.is_sparse else (data.X,)
                contents += [*X, data.y, data.ptr, f"{data.X.shape} {data.X.dtype} {data.is_sparse}"]
                contents += [weight for weight in (data.query_weight, data.doc_weight) if weight is not None]
        contents.append(f"{__version__} {self.valid is None} {self.folds} {self.seed}")
        return fingerprint(*contents, size=12, algorithm="sha256")


class JobResult(TypedDict):
    """The measure for each C, or for the one fit, and the seconds that each took.

    ``values`` has the measure of each held-out query for each. ``constant`` says which learned nothing: all documents
    of a query have the same score. ``unproved`` says whose solver ended before the gap that was asked for. Until 0.1
    they were not kept.
    """

    scores: list[Finite]
    seconds: list[Finite]
    values: NotRequired[list[list[Finite]]]
    constant: NotRequired[list[bool]]
    unproved: NotRequired[list[bool]]


def _stored(file: Path, n: int) -> JobResult:
    """The result of a job that was done before, with ``n`` numbers."""
    what = "the result of a tuning job (remove the file, and the job is done again)"
    result = record(read_whole(file), JobResult, what, str(file))
    lists = [*result.values()]
    if {len(part) for part in lists} != {n}:  # type: ignore[arg-type]
        raise InputError(f"not {what}: expected {n} scores, got {len(result['scores'])}", str(file))
    return result


def run(jobs: list[TuningJob], ranker: type, data: JobData, workers: int, folder: Path | None) -> dict[str, Any]:
    """The results of all jobs by their keys; those that ``folder`` holds already are not done again.

    A job that failed has a text for a result, which says why; it is done again by the next run.
    """
    results: dict[str, Any] = {}
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for job in jobs:
            file = folder / f"{job.key}.json"
            if file.exists():
                results[job.key] = _stored(file, 1 if job.path is None else len(job.path))
    waiting = [job for job in jobs if job.key not in results]
    with bar("tuning", total=len(jobs)) as update:
        update(len(results))
        for job, result in _finished(waiting, ranker, data, workers):
            results[job.key] = result
            if folder is not None and not isinstance(result, str):
                write_file(folder / f"{job.key}.json", json.dumps(result).encode())
            update(len(results))
    return results


def _finished(jobs: list[TuningJob], ranker: type, data: JobData, workers: int) -> Iterator[tuple[TuningJob, Any]]:
    """Each job with its result, in this process or, the data memory-mapped, in others; a text if it failed."""
    if min(workers, len(jobs)) <= 1:
        for job in jobs:
            yield job, _attempt(ranker, job, data)
        return
    with temporary_folder("rankine-tune-") as temporary:
        files = []
        for name, part in (("train", data.train), ("valid", data.valid)):
            if part is not None:
                files.append(str(Path(temporary, f"{name}.arrow")))
                save_table(part, files[-1])
        arguments = (ranker, files, data.folds, data.seed)
        yield from finished(_fit_in_worker, jobs, workers, _open_data, arguments, lambda job, why: why)


_worker: dict[str, Any] = {}


def _open_data(ranker: type, files: list[str], folds: int, seed: int) -> None:
    """Called once in each process."""
    parts = [load_table(file) for file in files]
    _worker.update(ranker=ranker, data=JobData(parts[0], parts[1] if len(parts) > 1 else None, folds, seed))


def _fit_in_worker(job: TuningJob) -> Any:
    return _attempt(_worker["ranker"], job, _worker["data"])


def _attempt(ranker: type, job: TuningJob, data: JobData) -> JobResult | str:
    """The result of a job; a text if it failed: that is no reason to end the others."""
    try:
        return fit(ranker, job, data)
    except InputError as error:
        return in_one_line(error)
    except Exception as error:
        return f"{type(error).__name__}: {in_one_line(error)}"


def fit(ranker: type, job: TuningJob, data: JobData) -> JobResult:
    """The measure on held-out queries for every C, or for the one fit, and the seconds of each."""
    train, held_out = data.fold(job.fold)
    model = ranker(**job.params)
    began = time.perf_counter()
    with warnings.catch_warnings(), results_are_whole():
        warnings.simplefilter("ignore")
        options = {"valid": held_out} if job.stops else {}
        models = [model.fit(train, **options)] if job.path is None else model.path(sorted(job.path), train)
    seconds = (time.perf_counter() - began) / len(models)
    scores = [m.predict(held_out) for m in models]
    reports = [
        evaluate(job.measure, m.grades(held_out.y), s, held_out.qid) for m, s in zip(models, scores, strict=True)
    ]
    return {
        "scores": [report.mean[job.measure] for report in reports],
        "seconds": [seconds] * len(models),
        "values": [report.per_query[job.measure].tolist() for report in reports],
        "constant": [_is_constant(s, held_out.ptr) for s in scores],
        "unproved": [not getattr(m, "converged_", True) for m in models],
    }


def _is_constant(scores: np.ndarray, ptr: np.ndarray) -> bool:
    """Whether all documents of each query have the same score."""
    return bool((np.maximum.reduceat(scores, ptr[:-1]) == np.minimum.reduceat(scores, ptr[:-1])).all())
