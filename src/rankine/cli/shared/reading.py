"""How judged data is read: the options that every command has which reads some."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import typer

from ...io.formats import DataReading, on_command_line

_PANEL = "How data is read"
_HELP: dict[str, tuple[type, str]] = {
    "label": (str, "The column of grades, by name or number."),
    "qid": (str, "The column of query ids, by name or number."),
    "doc_id": (str, "The column of document ids, by name or number."),
    "features": (str, "The features to read: columns by name, number or pattern; of text, numbers such as 1-46."),
    "delimiter": (str, "What separates the columns of CSV; by default it is found out."),
    "encoding": (str, "The encoding of CSV; by default it is found out."),
    "header": (bool, "Whether the first line of CSV names the columns; by default it is found out."),
    "groups": (
        str,
        "A file with the sizes of queries, for text without qid; by default X.query or X.group beside X.",
    ),
    "weights": (
        str,
        "A file with a weight for each row or query, or none; by default X.weight beside X, if it is there.",
    ),
    "first_index": (int, "The number of the first feature in text, 0 or 1; by default 0 if a feature 0 occurs."),
    "unordered": (bool, "The features of a line of text may come in any order."),
}


def with_reading(command: Callable[..., None], omit: Sequence[str] = ()) -> Callable[..., None]:
    """A command that reads judged data, whose parameter ``reading`` becomes the options of reading.

    ``omit`` are options that the command does not get. A list option that is not given is None.
    """
    signature = inspect.signature(command, eval_str=True)
    names = {name: f"read_{name}" for name in _HELP if name not in omit}

    @wraps(command)
    def run(**settings: Any) -> None:
        options = {name: settings.pop(parameter) for name, parameter in names.items()}
        settings = {name: None if value == [] else value for name, value in settings.items()}
        command(**settings, reading=DataReading(**options))

    own = [p for p in signature.parameters.values() if p.name != "reading"]
    options = [_option(name, parameter) for name, parameter in names.items()]
    run.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in [*own, *options]}
    return run


def _option(name: str, parameter: str) -> inspect.Parameter:
    """An option of the command line as a parameter that typer understands."""
    kind, text = _HELP[name]
    default = False if name == "unordered" else None
    annotation: Any = bool if name == "unordered" else kind | None
    declared = typer.Option(default, *on_command_line(name).split(" "), help=text, rich_help_panel=_PANEL)
    return inspect.Parameter(parameter, inspect.Parameter.KEYWORD_ONLY, default=declared, annotation=annotation)
