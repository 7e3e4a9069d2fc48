"""A loss of Rankine as the objective of other libraries; each is imported only when it is used."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name in ("lightgbm", "xgboost", "torch"):
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module 'rankine.adapters' has no attribute {name!r}")
