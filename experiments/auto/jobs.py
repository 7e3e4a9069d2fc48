"""Jobs of the experiment on AutoRanker: each finished one is a small file, so that a killed run goes on."""

from __future__ import annotations

import inspect
import json
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from rankine import rankers
from rankine.system.files import fingerprint, write_file
from rankine.system.parallel import finished
from rankine.system.progress import bar
from rankine.system.records import record
from rankine.system.sources import read_whole

Result = TypeVar("Result")


def results(
    function: Callable[[Any], Any], jobs: Sequence[tuple], schema: type[Result], workers: int, folder: Path
) -> list[Result]:
    """The results of jobs, in order; what ``folder`` holds is not done again.

    A job is a tuple of plain values, a result is JSON. The name of its file changes with the job, with the module of
    the function and with the rankers: results of another version of them do not count.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sources = _sources(function)
    files = {job: folder / f"{fingerprint(sources, json.dumps(job), size=12)}.json" for job in jobs}
    waiting = [job for job in jobs if not files[job].exists()]
    with bar(folder.name, total=len(jobs)) as update:
        update(len(jobs) - len(waiting))
        for done, (job, result) in enumerate(finished(function, waiting, workers), 1):
            write_file(files[job], json.dumps(result).encode())
            update(len(jobs) - len(waiting) + done)
    what = "the result of a job (remove the file, and the job is done again)"
    return [record(read_whole(files[job]), schema, what, str(files[job])) for job in jobs]


@contextmanager
def one_thread() -> Iterator[None]:
    """Everything within the block has one thread, also inside libraries; no warnings are shown."""
    from threadpoolctl import threadpool_limits

    for library in ("lightgbm", "xgboost", "torch"):
        if find_spec(library):  # only threads of libraries that are loaded can be limited
            import_module(library)
    before = os.environ.get("RANKINE_THREADS")
    os.environ["RANKINE_THREADS"] = "1"
    try:
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        if before is None:
            del os.environ["RANKINE_THREADS"]
        else:
            os.environ["RANKINE_THREADS"] = before


@lru_cache(maxsize=8)
def _sources(function: Callable[[Any], Any]) -> str:
    """A text that changes with the rankers and with the module of a function."""
    places = sorted(Path(inspect.getfile(rankers)).parent.glob("*.py"))
    return fingerprint(*(place.read_bytes() for place in [*places, Path(inspect.getfile(function))]), size=12)
