"""Rankine learns rankings by the measure they will be judged by.

``import rankine as rk``: load judged rankings (:func:`load_letor`, :func:`load_table`, :func:`load_qrels`), evaluate
(:func:`evaluate`, :func:`evaluate_run`) and compare (:func:`compare`). The public names stand in ``__init__.pyi``; each
is loaded when first used, so that the import itself is quick.
"""

from .lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
