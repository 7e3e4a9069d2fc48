"""Recognition of recordings: audio files in, lattices out.

The public names stand in ``__init__.pyi``; each is loaded when first used.
"""

from ...lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
