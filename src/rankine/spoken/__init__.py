"""Speech: lattices of recognisers, posteriors of the words in them, and archives that can be searched.

The public names stand in ``__init__.pyi``; each is loaded when first used.
"""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
