"""Options of ``train`` and ``tune`` as parameters of an estimator: an option that it has not is an error."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...errors import InputError, nearest


def given_options(ranker: str, parameters: Iterable[str], options: Mapping[str, tuple[str, Any]]) -> dict[str, Any]:
    """The values of the options that were given (None: it was not), by the parameter that each sets.

    >>> given_options("single", ["measure"], {"C": ("-C", 0.1)})
    Traceback (most recent call last):
    rankine.errors.InputError: -C sets the parameter C, which the ranker 'single' has not
    """
    there = set(parameters)
    out = {}
    for name, (option, value) in options.items():
        if value is None:
            continue
        if name not in there:
            hint = ": --ranker linear has it" if ranker == "auto" else ""
            raise InputError(f"{option} sets the parameter {name}, which the ranker {ranker!r} has not{hint}")
        out[name] = value
    return out


def settings(kind: Any, texts: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that ``--set name=value`` names; ``given`` are those that other options have set already."""
    grid = grid_of_settings(kind, texts, given)
    twice = [name for name, values in grid.items() if len(values) > 1]
    if twice:
        raise InputError(f"the parameter {twice[0]} is set twice")
    return {name: values[0] for name, values in grid.items()}


def grid_of_settings(kind: Any, texts: Sequence[str], given: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The values that ``--set name=value`` names for each parameter, of the types that the estimator has for them."""
    from inspect import signature

    from ...rankers.models.file import parameters_of

    there = list(signature(kind).parameters)
    out: dict[str, list[Any]] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--set must be name=value, got {text!r}")
        if name not in there:
            ours = getattr(kind, "habits", {}).get(name)
            hint = nearest(name, there) if ours is None else f" It is {ours} here."
            raise InputError(f"{kind.__name__} has no parameter {name!r}.{hint} There are: {', '.join(there)}")
        if name in given:
            raise InputError(f"the parameter {name} is set twice")
        if _is_list(value):
            raise InputError(f"--set {text}: expected one value, got several; `rankine tune` tries each, repeat --set")
        try:
            out.setdefault(name, []).append(parameters_of(kind, {name: value_of(value)})[name])
        except InputError as error:
            reason = str(error).partition(": ")[2].partition(" - at ")[0]
            raise InputError(f"--set {text}: {reason or error}") from None
    return out


def _is_list(text: str) -> bool:
    """Whether a text is several numbers with commas between them."""
    parts = text.split(",")
    return len(parts) > 1 and all(isinstance(value_of(part.strip()), (int, float)) for part in parts)


def value_of(text: str) -> Any:
    """The value that a text means: a number, true, false, none, a list or object as in JSON, or the text itself.

    >>> [value_of(text) for text in ("3", ".5", "true", "None", "[64, 32]", "rbf")]
    [3, 0.5, True, None, [64, 32], 'rbf']
    """
    words = {"none": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return json.loads(text, parse_constant=float)
    except (ValueError, RecursionError):
        pass
    try:
        number = float(text)
    except ValueError:
        return text
    return number if math.isfinite(number) else text
