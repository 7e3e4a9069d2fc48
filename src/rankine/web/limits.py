"""Limits: how many things the server does at once, for how long, and how many requests may wait."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TypeVar

import anyio
from anyio import CapacityLimiter, to_thread

from .answers import ApiError

Result = TypeVar("Result")
SEARCHES = max(os.cpu_count() or 1, 2)  # at once: more would only wait for each other
WAITING = 200  # requests that wait for a thread of one kind
SECONDS = 30.0  # after which a request that is not answered is given up
ABANDONED = 4  # threads for each one of a gate that may go on with work that was given up
STREAMS, STREAMS_OF_ONE = 100, 24  # at once: of all, and of one session


class Gate:
    """Threads for one kind of work: so many at once, others wait, and too many are refused.

    A thread cannot be stopped. One whose work was given up is counted until it ends; where there are many of them, no
    further work is begun.
    """

    def __init__(self, name: str, threads: int, waiting: int = WAITING, seconds: float = SECONDS) -> None:
        self.name, self.threads, self.waiting, self.seconds = name, threads, waiting, seconds
        self.inside = self.abandoned = 0
        self._lock = threading.Lock()
        self._limiter: CapacityLimiter | None = None

    async def run(self, work: Callable[[], Result]) -> Result:
        """Do work in a thread; an ApiError where too many wait, or it takes too long."""
        if self.inside >= self.threads + self.waiting:
            raise self._full()
        if self._limiter is None:  # it belongs to the loop that runs
            self._limiter = CapacityLimiter(self.threads)
        self.inside += 1
        try:
            with anyio.fail_after(self.seconds):
                async with self._limiter:
                    return await self._in_thread(work)
        except TimeoutError:
            raise ApiError(503, "too-slow", f"not done after {self.seconds:g} seconds") from None
        finally:
            self.inside -= 1

    async def _in_thread(self, work: Callable[[], Result]) -> Result:
        if self.abandoned >= ABANDONED * self.threads:
            raise self._full()
        working = given_up = False

        def counted() -> Result:
            nonlocal working
            with self._lock:
                working = True
                self.abandoned += given_up  # before it began
            try:
                return work()
            finally:
                with self._lock:
                    working = False
                    self.abandoned -= given_up

        try:
            return await to_thread.run_sync(counted, abandon_on_cancel=True, limiter=CapacityLimiter(1))
        except anyio.get_cancelled_exc_class():
            with self._lock:
                given_up = True
                self.abandoned += working
            raise

    def _full(self) -> ApiError:
        return ApiError(503, "too-many", f"too many {self.name} at once: try again", {"Retry-After": "1"})


class StreamCount:
    """How many streams are open, of all sessions and of each."""

    def __init__(self, most: int = STREAMS, most_of_one: int = STREAMS_OF_ONE) -> None:
        self.most, self.most_of_one = most, most_of_one
        self.open: dict[str, int] = {}

    def enter(self, user: str) -> None:
        """Count a stream of a user, until :meth:`leave`; an ApiError where there are too many."""
        mine = self.open.get(user, 0)
        if sum(self.open.values()) >= self.most or mine >= self.most_of_one:
            raise ApiError(503, "too-many", "too many recordings are being sent at once", {"Retry-After": "2"})
        self.open[user] = mine + 1

    def leave(self, user: str) -> None:
        """A stream of a user has ended."""
        self.open[user] -= 1
        if not self.open[user]:
            del self.open[user]
