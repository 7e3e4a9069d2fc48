"""AutoRanker on the clock: seconds against goals, for real sets where RANKINE_DATA names their folder."""

import os

import numpy as np

from experiments.auto.time import GOALS, TimeJob, run_time
from experiments.collections import LETOR_SETS
from rankine.system.parallel import thread_count

from .timing import goal, heading


def main() -> None:
    heading("AutoRanker: all candidates by nDCG@10")
    for name, most in GOALS.items():
        if name in LETOR_SETS and not os.environ.get("RANKINE_DATA"):
            print(f"  {name}: not run, RANKINE_DATA is not set")
            continue
        result = run_time(TimeJob(name, thread_count()))
        print(f"  {name} ({result['size']}): {result['seconds']:.1f} s on {thread_count()} cores")
        if np.isfinite(most):
            goal(f"{name}, seconds / {most:g}", result["seconds"] / most, 1.0, at_most=True)
