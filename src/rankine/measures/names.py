"""Measure names: ``Name(parameter=value, ...)@cutoff`` as in ir_measures, and trec_eval's names as aliases."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any

from ..errors import InputError, nearest
from .table import ALIASES, TABLE, TREC_NAMES


@dataclass(frozen=True)
class Measure:
    """A measure with its parameters; ``str`` gives the name that :func:`parse` reads back.

    ``params`` holds every parameter of the measure, defaults included, sorted by name.

    >>> parse("P(rel=2)@10")
    Measure('P(rel=2)@10')
    >>> parse("P(rel=1)@10") == parse("P@10")
    True
    """

    name: str
    params: tuple[tuple[str, Any], ...]

    @property
    def cutoff(self) -> int | None:
        """The number after ``@``, or None."""
        return dict(self.params).get("cutoff")

    @property
    def is_error(self) -> bool:
        """Whether smaller is better."""
        return TABLE[self.name].is_error

    @property
    def supervision(self) -> str:
        """The judgments it needs: ``grades`` or ``preferences``."""
        return TABLE[self.name].supervision

    def __str__(self) -> str:
        defaults = TABLE[self.name].parameters
        named = [f"{k}={_spelled(v)}" for k, v in self.params if k != "cutoff" and v != defaults[k].default]
        inside = f"({','.join(named)})" if named else ""
        return f"{self.name}{inside}{'' if self.cutoff is None else f'@{self.cutoff}'}"

    def __repr__(self) -> str:
        return f"Measure({str(self)!r})"


def _spelled(value: Any) -> str:
    return repr(int(value) if isinstance(value, float) and value == int(value) else value)


def parse(text: str | Measure) -> Measure:
    """Read a measure name; trec_eval's spellings (``map``, ``P_10``, ``ndcg_cut_10``) are understood too.

    >>> parse("ndcg_cut_10")
    Measure("nDCG(dcg='log2')@10")
    >>> parse("nDCG@10")
    Measure('nDCG@10')
    >>> parse("ndgc@10")
    Traceback (most recent call last):
    rankine.errors.InputError: unknown measure 'ndgc@10'. Did you mean 'nDCG'? `rankine measures` lists them all
    """
    if isinstance(text, Measure):
        return text
    if not isinstance(text, str):
        raise InputError(f"expected the name of a measure, got {text!r}")
    trec = re.fullmatch(r"([A-Za-z]+(?:_[A-Za-z]+)*?)(?:_(\d+))?", text.strip())
    if trec and trec[1] in TREC_NAMES:
        name, params = TREC_NAMES[trec[1]]
        return _make(name, params if trec[2] is None else params | {"cutoff": int(trec[2])}, text)
    form = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*(?:@\s*(\S+))?\s*", text)
    name = ALIASES.get(form[1], form[1]) if form else ""
    if form is None or name not in TABLE:
        names = [*TABLE, *ALIASES, *TREC_NAMES]
        word = re.split(r"[(@]", text)[0]
        raise InputError(f"unknown measure {text!r}.{nearest(word, names)} `rankine measures` lists them all")
    params = _arguments(form[2] or "", text)
    if form[3] is not None:
        if not re.fullmatch(r"[+-]?\d+", form[3]):
            raise InputError(f"measure {text!r}: the cutoff after @ must be a whole number, got {form[3]!r}")
        if "cutoff" in params:
            raise InputError(f"measure {text!r}: the cutoff is given twice")
        params["cutoff"] = int(form[3])
    return _make(name, params, text)


def _arguments(text: str, whole: str) -> dict[str, Any]:
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
            raise ValueError("one pair of parentheses")
        if call.args or any(k.arg is None for k in call.keywords):
            raise ValueError("arguments need names")
        return {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
    except (SyntaxError, ValueError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else error
        raise InputError(f"measure {whole!r}: expected Name(parameter=value,...)@cutoff ({reason})") from None


def _make(name: str, arguments: dict[str, Any], text: str) -> Measure:
    parameters = TABLE[name].parameters
    for key, value in arguments.items():
        if key not in parameters:
            takes = ", ".join(parameters) or "none"
            raise InputError(f"measure {text!r}: {name} has no parameter {key!r} (it takes: {takes})")
        parameters[key].check(value, f"measure {text!r}: {key}")
    for key, parameter in parameters.items():
        if parameter.required and key not in arguments:
            raise InputError(f"measure {text!r}: {name} needs {'a cutoff, ' if key == 'cutoff' else ''}{name}@10")
    values = {key: arguments.get(key, parameter.default) for key, parameter in parameters.items()}
    values = {k: float(v) if parameters[k].value_type is float and v is not None else v for k, v in values.items()}
    return Measure(name, tuple(sorted(values.items())))
