"""Which recogniser hears recordings when none is named: the one with the fewest word errors that is here."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from ....errors import InputError, install
from ..models import models
from ..models.table import DEFAULT, names_of
from ..models.table import TABLE as MODELS
from .table import TABLE, Recogniser, get

ORDER = ("whisper", "vosk", "pocketsphinx")  # by word errors, the fewest first: `python -m benchmarks recognisers`
_OWN_MODEL = {"pocketsphinx": ("en",)}  # languages of models that lie inside the package


class Choice(NamedTuple):
    """A recogniser, its name, why it was chosen, and the name of its model where it has one of the table."""

    recogniser: Recogniser
    name: str
    why: str
    model: str | None = None


def choose(language: str | None) -> Choice:
    """The best recogniser that is installed with a model of a language; InputError where there is none.

    None: nobody has said what is spoken. It is taken for English, unless the recogniser can tell it itself.
    """
    given, language = language is not None, language or "en"
    better = list[tuple[str, str]]()
    for name in ORDER:
        missing = _missing(name, language)
        if missing is None:
            model = _model(name, language)
            called = f"{name} ({model})" if model else name
            why = f"heard by {called}, the best recogniser that is here for {language!r}"
            advice = "".join(f"; {other} hears better: {how}" for other, how in better[:1])
            made: Any = get(name, **({"model": model} if model else {}))
            if not given and getattr(made, "detects", False):
                return Choice(made, name, f"{why}, which tells the language of each recording{advice}", model)
            spoken = made.in_language(language) if hasattr(made, "in_language") else made
            return Choice(spoken, name, why + advice, model)
        if missing:
            better.append((name, missing))
    ways = "; or ".join(f"{name}: {how}" for name, how in better)
    raise InputError(f"no recogniser here understands {language!r}: {ways or 'name a program of your own'}")


def choose_by_model(model: str) -> Choice:
    """The recogniser that a model is of: one of the table of models, or a folder; InputError where it is neither."""
    if model in MODELS:
        name = MODELS[model].recogniser
    else:
        marks = {name: row.mark for name, row in TABLE.items() if row.mark}
        fitting = [name for name, mark in marks.items() if Path(model, mark).is_file()]
        if len(fitting) != 1:
            files = ", ".join(f"{mark} ({name})" for name, mark in marks.items())
            raise InputError(
                f"expected the name of a model (`rankine spoken models list`), or a folder with one of these files in "
                f"it: {files}", model,
            )  # fmt: skip
        name = fitting[0]
    return Choice(get(name, model=model), name, f"heard by {name}, the recogniser that {model} is a model of", model)


def _missing(name: str, language: str) -> str | None:
    """What is to be done before a recogniser can hear a language; empty: nothing helps, None: it can."""
    row = TABLE[name]
    command = f"`{install(row.extra)}`"
    if name in _OWN_MODEL:
        return "" if language not in _OWN_MODEL[name] else None if row.is_installed else command
    if row.is_installed and _model(name, language) is not None:
        return None
    own = [model for model in names_of(name) if _knows(model, language)]
    if not own:
        return ""
    first = DEFAULT if DEFAULT in own else own[0]
    steps = [*([] if row.is_installed else [command]), f"`rankine spoken models add {first}`"]
    return " and ".join(steps)


def _model(name: str, language: str) -> str | None:
    """The largest model that is here and knows a language."""
    here = [model for model in names_of(name) if _knows(model, language) and models.is_here(model)]
    return max(here, key=lambda model: MODELS[model].size, default=None)


def _knows(model: str, language: str) -> bool:
    return MODELS[model].language in ("", language)
