"""Readers and writers: LETOR text, CSV, TREC judgments and runs, Parquet and Arrow tables.

The public names stand in ``__init__.pyi``; each is loaded when first used. The table of formats is ``formats.py``.
"""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
