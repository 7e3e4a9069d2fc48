"""Rankers: where data, loss and solver meet. All are scikit-learn estimators, loaded when first used."""

from importlib import import_module
from typing import Any

from .table import CLASSES

_MODULES = {name: row.module for name, row in CLASSES.items()} | {
    "QueryKFold": "folds",
    "Tuning": "auto.tuning",
    "load": "table",
    "scorer": "scikit.scorer",
    "tune": "auto.tuning",
}
__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'rankine.rankers' has no attribute {name!r}")
    value = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
