"""Maps over processes: the same results with any number of workers, and an error of ours when a worker dies."""

import os

import pytest

from rankine.errors import InputError
from rankine.parallel import finished, paired_map, process_map

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


def test_a_worker_that_dies_is_an_error_of_ours():
    with pytest.raises(InputError, match="a worker process ended early"):
        list(finished(_die, [1, 2], 2))
    with pytest.raises(InputError, match="a worker process ended early"):
        list(process_map(_die, [1, 2], 2, patience=-1.0))
