"""Limits: how many at once, how many wait, how long."""

import threading

import anyio
import pytest

from rankine.web.answers import ApiError
from rankine.web.limits import ABANDONED, Gate, StreamCount


def test_no_more_at_once_than_there_are_threads():
    now, most, lock = 0, 0, threading.Lock()

    def work():
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        threading.Event().wait(0.01)
        with lock:
            now -= 1
        return 1

    async def main():
        gate, done = Gate("searches", 3), []

        async def one():
            done.append(await gate.run(work))

        async with anyio.create_task_group() as group:
            for _ in range(20):
                group.start_soon(one)
        assert sum(done) == 20
        assert gate.inside == 0

    anyio.run(main)
    assert most <= 3


def test_too_many_are_refused_and_the_others_done():
    async def main():
        gate, refused, done = Gate("searches", 1, waiting=2), [], []
        release = threading.Event()

        async def one():
            try:
                done.append(await gate.run(lambda: release.wait(30)))
            except ApiError as error:
                refused.append((error.status, error.code, error.headers["Retry-After"]))
                release.set()

        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(one)
        assert refused == [(503, "too-many", "1")] * 2
        assert done == [True] * 3

    anyio.run(main)


def test_what_takes_too_long_is_given_up():
    release = threading.Event()

    async def main():
        gate = Gate("searches", 1, seconds=0.05)
        with pytest.raises(ApiError) as caught:
            await gate.run(lambda: release.wait(30))
        assert caught.value.code == "too-slow"
        release.set()

    anyio.run(main)


def test_errors_come_through():
    async def main():
        with pytest.raises(ZeroDivisionError):
            await Gate("searches", 1).run(lambda: 1 / 0)

    anyio.run(main)


def test_streams_are_counted():
    streams = StreamCount(most=3, most_of_one=2)
    for user in ("ann", "ann", "bob"):
        streams.enter(user)
    for user in ("ann", "eve"):
        with pytest.raises(ApiError):
            streams.enter(user)
    streams.leave("ann")
    streams.enter("eve")
    for user in ("ann", "bob", "eve"):
        streams.leave(user)
    assert streams.open == {}


def test_threads_that_were_given_up_are_counted_until_they_end():
    """They cannot be stopped: other work goes on beside them, until there are too many of them."""
    release, running = threading.Event(), []

    def stuck():
        running.append(1)
        release.wait(60)

    async def main():
        gate, codes = Gate("searches", 1), []
        for number in range(2 * ABANDONED):
            gate.seconds = 0.05 if number < ABANDONED else 30.0
            with pytest.raises(ApiError) as caught:
                await gate.run(stuck)
            codes.append(caught.value.code)
            while len(running) <= number < ABANDONED:  # a thread of a busy machine begins after it was given up
                await anyio.sleep(0.01)
            if number == 0:
                gate.seconds = 30.0
                assert await gate.run(lambda: "done") == "done"
        assert codes == ["too-slow"] * ABANDONED + ["too-many"] * ABANDONED
        assert len(running) == gate.abandoned == ABANDONED
        release.set()
        while gate.abandoned:
            await anyio.sleep(0.01)
        assert await gate.run(lambda: "done") == "done"
        assert (gate.inside, gate.abandoned) == (0, 0)

    anyio.run(main)


def test_work_that_is_given_up_is_counted_until_it_ends():
    """Whether the thread had begun or not, and however often; afterwards nothing is counted."""
    release = threading.Event()

    async def main():
        gate = Gate("searches", 2, seconds=30.0)
        for _ in range(3):
            with anyio.CancelScope() as scope:
                scope.cancel()  # before a thread begins
                await gate.run(lambda: release.wait(30))
        assert gate.abandoned <= 3
        gate.seconds = 0.05
        with pytest.raises(ApiError):
            await gate.run(lambda: release.wait(30))
        while not gate.abandoned:
            await anyio.sleep(0.01)
        assert gate.abandoned <= 4
        release.set()
        for _ in range(1000):
            if not gate.abandoned:
                break
            await anyio.sleep(0.01)
        assert (gate.abandoned, gate.inside) == (0, 0)

    anyio.run(main)
