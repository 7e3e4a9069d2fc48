"""The front of the spoken side: an archive, and its parts, each of which has few methods.

The public names stand in ``__init__.pyi``; each is loaded when first used.
"""

from ...lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
