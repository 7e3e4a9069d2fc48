"""Timing that stands a noisy machine: candidates take turns, and each one's best time counts."""

import platform
import time
from collections.abc import Callable


def best_times(candidates: dict[str, Callable[[], object]], rounds: int, repeat: int = 1) -> dict[str, float]:
    """The best time of each candidate over several rounds, in seconds; in each round all take ``repeat`` turns."""
    best = dict.fromkeys(candidates, float("inf"))
    for _ in range(rounds):
        for name, call in candidates.items():
            for _ in range(repeat):
                start = time.perf_counter()
                call()
                best[name] = min(best[name], time.perf_counter() - start)
    return best


def heading(title: str) -> None:
    print(f"\n{title}\n{'-' * len(title)}  ({platform.machine()}, Python {platform.python_version()})", flush=True)


def goal(name: str, ratio: float, target: float, at_most: bool = False, unit: str = "×") -> None:
    met = ratio <= target if at_most else ratio >= target
    bound = "at most" if at_most else "at least"
    verdict = "met" if met else "NOT MET"
    print(f"  {name:<58} {ratio:6.2f} {unit}   goal {bound} {target:g} {unit}   {verdict}", flush=True)
