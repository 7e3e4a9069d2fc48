"""Models as plain JSON with a schema version: readable, portable, never pickled."""

from __future__ import annotations

import json
import os
from inspect import signature
from typing import Any, Literal, TypedDict, get_args, get_type_hints

from ...errors import InputError, shorten
from ...losses import Loss
from ...system.files import write_file
from ...system.records import checked, parsed
from ...system.sources import read_whole
from ...version import __version__

SCHEMA = 1


class ModelHead(TypedDict):
    """What tells that a file is a model."""

    rankine: str
    schema: int


def write(path: str | os.PathLike, content: dict[str, Any]) -> None:
    """Write a model file, whole or not at all."""
    document = {"rankine": __version__, "schema": SCHEMA, **content}
    write_file(path, (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode())


def read(path: str | os.PathLike) -> dict[str, Any]:
    """The content of a model file of this schema."""
    where = str(path)
    content = parsed(read_whole(path), "a model file", where, infinite=True)
    head = checked(content, ModelHead, "a Rankine model file", where)
    if head["schema"] != SCHEMA:
        raise InputError(
            f"written with schema {head['schema']} by Rankine {shorten(head['rankine'])}; this one reads {SCHEMA}",
            where,
        )
    return content


def parameters_of(kind: type, content: dict[str, Any]) -> dict[str, Any]:
    """The parameters of an estimator, of the types that its constructor names; raise InputError if they are not."""
    hints = get_type_hints(kind.__init__)  # type: ignore[misc]
    names = [name for name in signature(kind).parameters if name in content]
    more = [name for name in content if name not in names]
    if more:
        raise InputError(f"{kind.__name__} has no parameter {shorten(more[0])}")
    schema: Any = TypedDict("schema", {name: _stored(hints[name]) for name in names})  # type: ignore[misc]
    return dict(checked(content, schema, f"the parameters of {kind.__name__}", None))


def _stored(hint: Any) -> Any:
    """What a file holds for a type of a parameter: a loss by its name, and a whole number may stand for yes or no."""
    if hint is bool:
        return bool | Literal[0, 1]
    options = get_args(hint)
    if any(isinstance(o, type) and issubclass(o, Loss) for o in options):
        return str
    return hint
