"""Rankers: where data, loss and solver meet. All are scikit-learn estimators, loaded when first used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .table import CLASSES

_MODULES = {name: row.module for name, row in CLASSES.items()} | {
    "Tuning": "selection",
    "load": "model_file",
    "tune": "selection",
}
__all__ = sorted(_MODULES)

if TYPE_CHECKING:  # for editors and type checkers, which cannot read the table
    from .adarank import AdaRank as AdaRank
    from .boosted import BoostedRanker as BoostedRanker
    from .fusion import SingleFeature as SingleFeature
    from .fusion import UniformFusion as UniformFusion
    from .kernel import KernelRanker as KernelRanker
    from .linear import LinearRanker as LinearRanker
    from .model_file import load as load
    from .neural import NeuralRanker as NeuralRanker
    from .rankboost import RankBoost as RankBoost
    from .regression import RegressionRanker as RegressionRanker
    from .selection import Tuning as Tuning
    from .selection import tune as tune


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'rankine.rankers' has no attribute {name!r}")
    value = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
