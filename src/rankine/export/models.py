"""Which models a target can hold."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..errors import InputError
from .table import TABLE, row_of

FORMS = {"linear": "linear", "trees": "boosted", "layers": "neural"}  # form of a model → what such models are called


def check_model(model: Any, target: str) -> Any:
    """The model that is written: the best one of an AutoRanker, else itself.

    Raise unless it is fitted and of a form that the target holds, and each row is normalised by itself.
    """
    if hasattr(model, "fit"):
        check_is_fitted(model)
    model = getattr(model, "best_", model)
    form, forms = getattr(model, "form", ""), row_of(target).forms
    if form not in forms:
        others = [name for name, row in TABLE.items() if form in row.forms]
        hint = f"; {FORMS[form]} models can be exported to {' and '.join(others)}" if others else ""
        if hasattr(model, "why_not_linear"):
            hint = f": {model.why_not_linear()}"
        elif "linear" in forms:
            hint += "; --deployable or --ranker linear trains a linear one"
        name = type(model).__name__
        raise InputError(f"Rankine exports only {_words(forms)} models to {target}, got {name}{hint}")
    if model.normaliser_ is not None and model.normaliser_.by_query:
        raise InputError(
            f"the model normalises features within a query ({model.normaliser_.kind}), but {target} sees one document "
            "at a time: train it with normalise='zscore', or without (--deployable)"
        )
    return model


def _words(forms: tuple[str, ...]) -> str:
    """Forms as a list of words.

    >>> _words(("linear", "trees", "layers"))
    'linear, boosted and neural'
    """
    *first, last = [FORMS[form] for form in forms]
    return f"{', '.join(first)} and {last}" if first else last
