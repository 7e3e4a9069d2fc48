"""Maps over processes: the same results with any number of workers, and an error of ours when a worker dies."""

import multiprocessing
import os
import signal

import pytest

from rankine.errors import InputError
from rankine.system.parallel import finished, paired_map, process_map

_started: list[int] = []


def _square(x):
    return x * x


def _die(x):
    os._exit(3)


def _start(value):
    _started.append(value)


def _with_start(x):
    return x + _started[-1]


@pytest.mark.parametrize("workers", [1, 2])
def test_results(workers):
    items = list(range(11))
    squares = [x * x for x in items]
    assert list(process_map(_square, items, workers, patience=-1.0, chunk=2)) == squares
    assert list(paired_map(_square, items, workers, patience=-1.0)) == list(zip(items, squares, strict=True))
    assert sorted(finished(_square, items, workers)) == list(zip(items, squares, strict=True))
    assert dict(finished(_with_start, items, workers, _start, (100,))) == {x: x + 100 for x in items}


def _die_at_three(x):
    if x == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return x * x


def _die_once(path):
    if not os.path.exists(path):
        open(path, "x").close()
        os._exit(3)
    return "done"


def _fail(x):
    raise Peculiar(x, "two arguments")


class Peculiar(Exception):
    def __init__(self, x, y):
        super().__init__(f"{x} {y}")


def _no_start():
    os._exit(3)


def test_a_worker_that_dies_is_an_error_of_ours():
    with pytest.raises(InputError, match=r"the worker process of '1' ended early \(exit code 3\)"):
        list(finished(_die, [1, 1], 2))
    with pytest.raises(InputError, match=r"the worker process of '1' ended early \(exit code 3\)"):
        list(process_map(_die, [1, 1], 2, patience=-1.0, chunk=1))
    with pytest.raises(InputError, match="before it began: try workers=1"):
        list(finished(_square, [1, 2], 2, _no_start))


def test_only_the_item_of_a_dead_worker_is_lost():
    items = list(range(12))
    with pytest.warns(UserWarning, match=r"killed \(signal 9\), perhaps for want of memory: its last 4 tasks"):
        results = list(process_map(_die_at_three, items, 2, patience=-1.0, chunk=4, lost=lambda item, why: (item, why)))
    lost = (3, "the worker process was killed (signal 9), perhaps for want of memory")
    assert results == [lost if x == 3 else x * x for x in items]
    assert dict(finished(_die_at_three, items, 2, lost=lambda item, why: (item, why))) == dict(
        zip(items, results, strict=True)
    )


def test_a_worker_that_dies_by_chance_costs_nothing(tmp_path):
    with pytest.warns(UserWarning, match="are done again"):
        results = list(process_map(_die_once, [str(tmp_path / "a")] * 2, 2, patience=-1.0, chunk=2))
    assert results == ["done", "done"]


def _children() -> set[int | None]:
    """The live child processes: other tests may have left some, such as joblib's."""
    return {child.pid for child in multiprocessing.active_children()}


def test_errors_of_workers_arrive():
    before = _children()
    with pytest.raises(RuntimeError, match=r"Peculiar: \d two arguments"):
        list(finished(_fail, [1, 2], 2))
    assert _children() <= before


def test_processes_end_with_the_map():
    before = _children()
    results = process_map(_square, range(100), 2, patience=-1.0)
    next(results)
    assert _children() - before
    results.close()
    assert _children() <= before


def _threads_of_linear_algebra(_):
    return os.environ.get("OMP_NUM_THREADS"), os.environ.get("OPENBLAS_NUM_THREADS")


def test_processes_do_linear_algebra_in_one_thread(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    assert dict(finished(_threads_of_linear_algebra, [1, 2], 2)) == {1: ("1", "3"), 2: ("1", "3")}
    assert "OMP_NUM_THREADS" not in os.environ
