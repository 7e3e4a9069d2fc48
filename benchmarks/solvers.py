"""The solvers of the convex bound side by side, the tight bound, and kernels."""

import time
import warnings

import numpy as np

import rankine as rk

from .problems import judged_search
from .timing import goal, heading

SOLVERS = ("bundle", "cutting-plane", "subgradient", "conjugate")
GAPS = (1e-1, 1e-2, 1e-3)


def side_by_side(data: rk.RankingData, loss: str, C: float, options: dict) -> None:
    """Seconds until each gap was certified."""
    for solver in SOLVERS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = rk.LinearRanker(
                loss, C=C, solver=solver, loss_options=options, max_time=60, max_iter=20_000
            ).fit(data)  # fmt: skip
        reached = [next((s.seconds for s in model.history_ if s.gap <= gap), None) for gap in GAPS]
        cells = ", ".join(
            f"{g:g}: {'not in 60 s' if t is None else f'{t:.2f} s'}" for g, t in zip(GAPS, reached, strict=True)
        )
        print(f"  {loss}, C = {C:g}, {solver:<14} gap {cells}", flush=True)


def tight(data: rk.RankingData, loss: str, C: float, options: dict) -> None:
    seconds = []
    for name in (loss, f"{loss}:tight"):
        best = np.inf
        for _ in range(2):
            began = time.perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                rk.LinearRanker(name, C=C, loss_options=options, n_starts=1).fit(data)
            best = min(best, time.perf_counter() - began)
        seconds.append(best)
    goal(f"{loss}:tight from one start, over the convex fit", seconds[1] / seconds[0], 6, at_most=True)


def kernel() -> None:
    rng = np.random.default_rng(0)
    n, m = 1000, 20
    X = rng.standard_normal((n * m, 10))
    hidden = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * rng.standard_normal(n * m)
    y = np.digitize(hidden, np.quantile(hidden, [0.7, 0.9])).astype(float)
    qid = np.repeat(np.arange(n), m)
    rk.KernelRanker("svm-map", C=1.0).fit(X[: 10 * m], y[: 10 * m], qid=qid[: 10 * m])
    began = time.perf_counter()
    model = rk.KernelRanker("svm-map", C=1.0, tol=1e-2).fit(X, y, qid=qid)
    took = time.perf_counter() - began
    linear = rk.LinearRanker("svm-map", C=1.0).fit(X, y, qid=qid)
    scores = [m.score(X, y, qid=qid) for m in (model, linear)]
    print(f"  gap {model.gap_:.3g} after {model.n_iter_} passes; AP {scores[0]:.3f}, linear {scores[1]:.3f}")
    goal("RBF kernel, 1,000 queries × 20 documents to gap 1e-2, seconds", took, 120, at_most=True)


def main() -> None:
    heading("Large margin: solvers, the tight bound, kernels")
    data = judged_search(500, 50, 40, dtype="float64", noise=0.3)
    for loss, C, options in (("svm-map", 0.1, {}), ("svm-ndcg@10", 0.01, {"A": "partial-order"})):
        side_by_side(data, loss, C, options)
        tight(data, loss, C, options)
    heading("The size of the paper's §5.1: 50,000 documents of 1,500 queries × 400 features")
    rows = np.sort(np.random.default_rng(5).permutation(51_000)[:50_000])
    side_by_side(judged_search(1_500, 34, 400, noise=0.3, dtype="float64").take(rows), "svm-ndcg@10", 1e-5, {})
    kernel()
