"""AdaRank against evaluating the measure once for every feature."""

import rankine as rk
from rankine.rankers.baselines import feature_performances

from .problems import judged_search
from .timing import best_times, goal, heading


def main() -> None:
    heading("AdaRank: 10,000 queries × 100 documents × 136 features, 100 rounds")
    data = judged_search(10_000, 100, 136)
    calls = {
        "features": lambda: feature_performances(data, "AP"),
        "adarank": lambda: rk.AdaRank("AP", n_rounds=100).fit(data),
    }
    best = best_times(calls, rounds=2)
    print(f"  136 features {best['features']:.1f} s, AdaRank {best['adarank']:.1f} s, both on all cores")
    goal("AdaRank / evaluating each feature once", best["adarank"] / best["features"], 3.0, at_most=True)
    few = best_times({"rankboost": lambda: rk.RankBoost(n_rounds=20).fit(data)}, rounds=1)["rankboost"]
    print(f"  RankBoost, 20 rounds: {few:.1f} s")
