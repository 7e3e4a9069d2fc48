"""Rankers: where data, loss and solver meet. All are scikit-learn estimators."""

from .linear import LinearRanker
from .model_file import load
from .regression import RegressionRanker

__all__ = ["LinearRanker", "RegressionRanker", "load"]
