"""What other libraries take and ours do not: names of parameters, files and tables as X, missing values."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Any

from ...errors import InputError

_VALID = "pass valid=, a RankingData of queries to judge on"
ELSEWHERE = {
    "eval_set": _VALID,
    "eval_group": _VALID,
    "eval_qid": _VALID,
    "early_stopping_rounds": "set patience=, a parameter of the ranker, and pass valid= to fit",
    "eval_metric": "set measure=, a parameter of the ranker",
    "eval_at": "set measure=, a parameter of the ranker",
}  # arguments of their fit


def other_names(names: Mapping[str, str]) -> Callable[[Callable], Any]:
    """A constructor that says what the parameters of other libraries are called here.

    >>> @other_names({"n_estimators": "n_trees"})
    ... def init(self, n_trees=1): ...
    >>> init("self", n_estimators=3)
    Traceback (most recent call last):
    rankine.errors.InputError: str has no parameter 'n_estimators': it is n_trees here
    """

    def explained(init: Callable) -> Callable:
        @wraps(init)
        def explaining(self: Any, *args: Any, **options: Any) -> None:
            for name in names.keys() & options.keys():
                raise InputError(f"{type(self).__name__} has no parameter {name!r}: it is {names[name]} here")
            init(self, *args, **options)

        return explaining

    return explained


def check_rows(X: Any, y: Any = 0) -> None:
    """Raise if X is the name of a file, or a table without grades (y is None), and say what reads it."""
    if isinstance(X, (str, os.PathLike)):
        raise InputError(
            f"X must be rows of features or a RankingData, got the text {str(X)!r:.60}: rk.load_csv reads a table, "
            "rk.load_letor sparse text"
        )
    if y is None and hasattr(X, "columns"):
        raise InputError(
            "X is a table and y is missing: pass rk.from_table(table), which takes grades and query ids from columns"
        )


def refuse_arguments(name: str, taken: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Raise on an argument of another library's ``fit`` that this one has not; ``name`` is the ranker's."""
    for argument in ELSEWHERE.keys() & options.keys():
        if argument not in taken and options[argument] is not None:
            stops = "valid" in taken
            hint = ELSEWHERE[argument] if stops else f"{name} does not stop early; BoostedRanker does, with valid="
            raise InputError(f"fit takes no {argument}: {hint}")


@contextmanager
def missing_values() -> Iterator[None]:
    """Where X is checked: missing values are refused in one line."""
    try:
        yield
    except ValueError as error:
        if str(error).startswith("Input X contains NaN"):
            raise InputError("X contains NaN, a missing value: fill it first, as with the feature's mean") from None
        raise
