"""Rankers: where data, loss and solver meet. All are scikit-learn estimators."""

from typing import Any

from .adarank import AdaRank
from .boosted import BoostedRanker
from .fusion import SingleFeature, UniformFusion
from .kernel import KernelRanker
from .linear import LinearRanker
from .model_file import load
from .neural import NeuralRanker
from .rankboost import RankBoost
from .regression import RegressionRanker
from .selection import Tuning, tune

# the kinds of model that files can hold
KINDS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        LinearRanker,
        KernelRanker,
        RegressionRanker,
        AdaRank,
        RankBoost,
        SingleFeature,
        UniformFusion,
        BoostedRanker,
        NeuralRanker,
    )
}

__all__ = [
    "AdaRank",
    "BoostedRanker",
    "KernelRanker",
    "LinearRanker",
    "NeuralRanker",
    "RankBoost",
    "RegressionRanker",
    "SingleFeature",
    "Tuning",
    "UniformFusion",
    "load",
    "tune",
]
