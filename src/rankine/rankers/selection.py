"""Model selection: every combination of a grid, on folds by query or on validation data.

One job is one warm-started path over C (or one fit, for a ranker without C) on one fold. Jobs run in processes of one
thread each, so results do not depend on how many there are; a finished job is a small file, so a run that was killed
goes on where it stopped.
"""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import json
import os
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from .. import __version__
from ..data import Preferences, RankingData
from ..errors import InputError, nearest
from ..files import replacing
from ..io import load_table, save_table
from ..measures import evaluate, parse
from ..parallel import begin_worker, thread_count
from ..progress import bar


@dataclass(frozen=True)
class Trial:
    """One combination: its parameters, the measure on each fold, and the seconds its fits took."""

    params: dict[str, Any]
    scores: tuple[float, ...]
    seconds: float

    @property
    def mean(self) -> float:
        """The mean over the folds."""
        return float(np.mean(self.scores))


@dataclass(frozen=True)
class Tuning:
    """What :func:`tune` found, best first."""

    measure: str
    trials: tuple[Trial, ...]
    ranker: Any = field(repr=False)

    @property
    def best(self) -> Trial:
        """The combination with the best mean; of equal ones the first of the grid."""
        return self.trials[0]

    def refit(self, data: RankingData) -> Any:
        """The best combination, fitted on all of ``data``."""
        return clone(self.ranker).set_params(**self.best.params).fit(data)

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Column names and rows, for people."""
        names = list(self.best.params)
        rows = [
            [*(_shown(t.params[n]) for n in names), f"{t.mean:.4f}", f"{np.std(t.scores):.4f}", f"{t.seconds:.2f}"]
            for t in self.trials
        ]
        return [*names, self.measure, "± over folds", "seconds"], rows

    def to_json(self) -> str:
        """All trials as JSON."""
        trials = [{"params": t.params, "scores": t.scores, "mean": t.mean, "seconds": t.seconds} for t in self.trials]
        content = {"measure": self.measure, "best": self.best.params, "trials": trials}
        return json.dumps(content, indent=1, default=_plain)

    def to_csv(self) -> str:
        """All trials as CSV."""
        out = io.StringIO()
        columns, rows = self.table()
        csv.writer(out).writerows([columns, *rows])
        return out.getvalue()

    def plot(self, path: str | os.PathLike | None = None) -> Any:
        """The measure against C (or another number), a curve for every combination of the other parameters."""
        from .pictures import draw_curves

        axis = self.axis
        if axis is None:
            raise InputError("no parameter of the grid is a row of numbers: there is no curve to draw")
        curves: dict[str, list[tuple[float, float]]] = {}
        for t in self.trials:
            label = ", ".join(_shown(v) for n, v in t.params.items() if n != axis) or "all"
            curves.setdefault(label, []).append((t.params[axis], t.mean))
        return draw_curves({k: sorted(v) for k, v in curves.items()}, axis, self.measure, path)

    @property
    def axis(self) -> str | None:
        """The parameter that a curve is drawn against: C, or the first that has several numbers."""
        for name in sorted(self.best.params, key=lambda n: n != "C"):
            values = {repr(t.params[name]): t.params[name] for t in self.trials}.values()
            if len(values) > 1 and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
                return name
        return None


def tune(
    ranker: Any,
    data: RankingData,
    grid: Mapping[str, Sequence[Any]],
    *,
    measure: str = "nDCG@10",
    valid: RankingData | None = None,
    folds: int = 5,
    seed: int = 0,
    workers: int | None = None,
    folder: str | os.PathLike | None = None,
) -> Tuning:
    """Try every combination of ``grid`` and rank them by ``measure``.

    Args:
        ranker: an estimator; its other parameters stay as they are.
        data: the training data.
        grid: values to try for each parameter. All values of ``C`` are one warm-started path.
        measure: what decides.
        valid: validation data; without it ``data`` is split into ``folds`` by query.
        folds: how many folds.
        seed: of the split.
        workers: processes, by default one per core; 1 works in this one.
        folder: where finished jobs are kept, and found again by a later call; the results go there too.

    >>> from rankine import LinearRanker
    >>> from rankine.sample import bundled_sample
    >>> grid = {"loss": ["svm-map", "ranksvm-l2"], "C": [0.001, 0.1]}
    >>> found = tune(LinearRanker(normalise="query-zscore"), bundled_sample(), grid, folds=3, workers=1)
    >>> len(found.trials), found.best.mean > 0.7
    (4, True)
    """
    measure = str(parse(measure))
    for part, what in ((data, "data"), (valid, "valid")):
        if not isinstance(part, RankingData) and not (part is None and what == "valid"):
            raise InputError(f"{what} must be a RankingData, got {type(part).__name__}")
        if part is not None and isinstance(part.y, Preferences):
            raise InputError(f"tune measures by grades; the {what} holds a preference graph")
    if workers is not None and workers < 1:
        raise InputError(f"workers must be at least 1, got {workers}")
    values = _checked_grid(ranker, grid)
    if valid is not None and valid.n_features != data.n_features:
        raise InputError(f"the validation data has {valid.n_features} features, the training data {data.n_features}")
    if valid is None and not 2 <= folds <= data.n_queries:
        raise InputError(f"expected between 2 and {data.n_queries} folds (the queries there are), got {folds}")
    n_folds = 1 if valid is not None else folds
    path = values.pop("C", None) if hasattr(ranker, "path") else None
    combinations = [dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values())]
    for combination in combinations:  # a setting that makes no sense ends it here, not in a process
        for C in path if path is not None else [None]:
            clone(ranker).set_params(**combination, **({} if C is None else {"C": C})).check_parameters()
    prints = _fingerprint(data, valid, folds, seed)
    jobs = [
        _Job(type(ranker).__name__, ranker.get_params() | combination, path, fold, measure, prints)
        for combination in combinations
        for fold in range(n_folds)
    ]
    kept = None if folder is None else Path(folder) / "jobs"
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
    results = _run(jobs, ranker, _Data(data, valid, folds, seed), thread_count(workers), kept)
    trials = []
    for n, combination in enumerate(combinations):
        mine = [results[job.key] for job in jobs[n * n_folds : (n + 1) * n_folds]]
        for i, C in enumerate(sorted(path) if path is not None else [None]):
            params = combination | ({} if C is None else {"C": C})
            ordered = {name: params[name] for name in grid if name in params}
            trials.append(Trial(ordered, tuple(m["scores"][i] for m in mine), sum(m["seconds"][i] for m in mine)))
    sign = 1 if parse(measure).is_error else -1
    found = Tuning(measure, tuple(sorted(trials, key=lambda t: sign * t.mean)), ranker)
    if folder is not None:
        _write(found, Path(folder))
    return found


@dataclass(frozen=True)
class _Job:
    """A path over C, or one fit, on one fold."""

    kind: str
    params: dict[str, Any]
    path: Sequence[float] | None
    fold: int
    measure: str
    data: str

    @property
    def key(self) -> str:
        """A name that changes with everything the result depends on."""
        content = [self.kind, self.params, self.path, self.fold, self.measure, self.data]
        text = json.dumps(content, sort_keys=True, default=_plain)
        return hashlib.sha256(text.encode()).hexdigest()[:24]


def _plain(value: Any) -> Any:
    """Arrays and NumPy's numbers as plain ones, anything else by its text."""
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else repr(value)


def _checked_grid(ranker: Any, grid: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    known = ranker.get_params()
    if not grid:
        raise InputError("the grid is empty: give at least one parameter with its values")
    for name, values in grid.items():
        if name not in known:
            raise InputError(f"{type(ranker).__name__} has no parameter {name!r}.{nearest(name, known)}")
        if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray) or len(values) == 0:
            raise InputError(f"the grid needs a list of at least one value for {name!r}, got {values!r}")
    return {name: [v.item() if isinstance(v, np.generic) else v for v in values] for name, values in grid.items()}


def _fingerprint(data: RankingData, valid: RankingData | None, folds: int, seed: int) -> str:
    digest = hashlib.sha256()
    for part in (data, valid):
        if part is not None:
            X = (part.X.data, part.X.indices, part.X.indptr) if part.is_sparse else (part.X,)
            for array in (*X, part.y, part.ptr):
                digest.update(np.ascontiguousarray(array).view(np.uint8).data)
            digest.update(f"{part.X.shape} {part.X.dtype} {part.is_sparse}".encode())
    digest.update(f"{__version__} {valid is None} {folds} {seed}".encode())
    return digest.hexdigest()[:24]


class _Data(NamedTuple):
    """Training data with validation data, or to be split."""

    train: RankingData
    valid: RankingData | None
    folds: int
    seed: int

    def fold(self, number: int) -> tuple[RankingData, RankingData]:
        """What is fitted and what is measured."""
        if self.valid is not None:
            return self.train, self.valid
        return next(itertools.islice(self.train.folds(self.folds, self.seed), number, None))


def _run(jobs: list[_Job], ranker: Any, data: _Data, workers: int, kept: Path | None) -> dict[str, Any]:
    """The results of all jobs: those that are kept, then the others."""
    results: dict[str, Any] = {}
    for job in jobs:
        file = None if kept is None else kept / f"{job.key}.json"
        if file is not None and file.exists():
            results[job.key] = json.loads(file.read_text())
    waiting = [job for job in jobs if job.key not in results]
    with bar("tuning", total=len(jobs)) as update:
        update(len(results))
        for key, found in _finished(waiting, ranker, data, workers):
            results[key] = found
            if kept is not None:
                with replacing(kept / f"{key}.json") as temporary:
                    temporary.write_text(json.dumps(found))
            update(len(results))
    return results


def _finished(jobs: list[_Job], ranker: Any, data: _Data, workers: int) -> Iterator[tuple[str, Any]]:
    if min(workers, len(jobs)) <= 1:
        for job in jobs:
            yield job.key, _fit(clone(ranker).set_params(**job.params), job, *data.fold(job.fold))
        return
    with tempfile.TemporaryDirectory(prefix="rankine-tune-") as temporary:
        places = []
        for name, part in (("train", data.train), ("valid", data.valid)):
            if part is not None:
                places.append(str(Path(temporary, f"{name}.arrow")))
                save_table(part, places[-1])
        settings = (type(ranker), places, data.folds, data.seed)
        context = get_context("spawn")  # threads and forked processes do not go together
        with ProcessPoolExecutor(min(workers, len(jobs)), context, _open_data, settings) as pool:
            futures = {pool.submit(_fit_in_worker, job): job.key for job in jobs}
            try:
                for future in as_completed(futures):
                    yield futures[future], future.result()
            except BrokenProcessPool:
                raise InputError(
                    "a worker process ended early; a script that tunes needs `if __name__ == '__main__':` around it, "
                    "or workers=1"
                ) from None
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise


_worker: dict[str, Any] = {}


def _open_data(kind: type, places: list[str], folds: int, seed: int) -> None:
    """Once per process: one thread, the data memory-mapped."""
    begin_worker()
    parts = [load_table(p) for p in places]
    _worker.update(kind=kind, data=_Data(parts[0], parts[1] if len(parts) > 1 else None, folds, seed))


def _fit_in_worker(job: _Job) -> Any:
    return _fit(_worker["kind"](**job.params), job, *_worker["data"].fold(job.fold))


def _fit(ranker: Any, job: _Job, train: RankingData, valid: RankingData) -> dict[str, list[float]]:
    """The measure on ``valid`` for every C, or for the one fit."""
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = [ranker.fit(train)] if job.path is None else ranker.path(sorted(job.path), train)
    seconds = (time.perf_counter() - began) / len(models)
    scores = []
    for model in models:
        scores.append(evaluate(job.measure, model.grades(valid.y), model.predict(valid), valid.qid).mean[job.measure])
    return {"scores": scores, "seconds": [seconds] * len(models)}


def _write(found: Tuning, folder: Path) -> None:
    for name, text in (("tune.json", found.to_json()), ("tune.csv", found.to_csv())):
        with replacing(folder / name) as temporary:
            temporary.write_text(text)
    if found.axis is not None:
        found.plot(folder / "tune.png")


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{k}={v}" for k, v in value.items()) or "-"
    return "-" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
