"""Speech: lattices of recognisers, posteriors of the words in them, and archives that can be searched.

The public names stand in ``__init__.pyi``; each is loaded when first used.
"""

import warnings
from typing import Any

from ..lazy import attach

_get, __dir__, __all__ = attach(__name__, __file__)


def __getattr__(name: str) -> Any:
    if name == "Posteriors":  # its name until release 0.1
        warnings.warn("rankine.spoken.Posteriors is called UnitPosteriors now", DeprecationWarning, stacklevel=2)
        name = "UnitPosteriors"
    return _get(name)
