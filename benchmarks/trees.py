"""Boosting with a structural objective against LightGBM's own lambdarank: seconds per tree, and the objective's."""

import time

import lightgbm
import numpy as np

from rankine.adapters.boosting import Objective

from .problems import judged_search
from .timing import goal, heading

TREES = 10


def timed(loss: str, data):
    """An objective, and a list that holds how long it took. (LightGBM copies objects, not functions.)"""
    objective, seconds = Objective(loss, data.qid), [0.0]

    def call(predictions, dataset):
        start = time.perf_counter()
        found = objective(predictions, data.y)
        seconds[0] += time.perf_counter() - start
        return found

    return call, seconds


def main() -> None:
    heading("Boosting: 8,000 queries × 100 documents × 136 features, 31 leaves")
    data = judged_search(8_000, 100, 136)
    common = {"num_leaves": 31, "verbose": -1, "min_data_in_leaf": 20, "force_row_wise": True}
    train = lightgbm.Dataset(data.X, data.y, group=np.diff(data.ptr), params={"verbose": -1}).construct()

    def seconds(objective) -> float:
        start = time.perf_counter()
        lightgbm.train({**common, "objective": objective}, train, TREES)
        return (time.perf_counter() - start) / TREES

    seconds("lambdarank")  # warm
    best: dict[str, float] = {}
    shares: dict[str, float] = {}
    for _ in range(2):
        best["lambdarank"] = min(best.get("lambdarank", np.inf), seconds("lambdarank"))
        for loss in ("svm-ndcg@10", "svm-ndcg@10:tight", "svm-map", "listnet"):
            objective, spent = timed(loss, data)
            took = seconds(objective)
            if took < best.get(loss, np.inf):
                best[loss], shares[loss] = took, spent[0] / TREES
    print(f"  lambdarank {best['lambdarank']:.3f} s per tree")
    for loss, share in shares.items():
        print(f"  {loss}: {best[loss]:.3f} s per tree, of which the objective {share:.3f} s")
    for loss in ("svm-ndcg@10", "svm-ndcg@10:tight"):
        goal(f"{loss} / lambdarank, time per tree", best[loss] / best["lambdarank"], 1.3, at_most=True)
