"""Models as plain JSON with a schema version: readable, portable, never pickled."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..files import write_file
from ..version import __version__

SCHEMA = 1


def write(path: str | os.PathLike, class_name: str, content: dict[str, Any]) -> None:
    """Write a model file, whole or not at all."""
    document = {"rankine": __version__, "schema": SCHEMA, "kind": class_name, **content}
    write_file(path, (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode())


def read(path: str | os.PathLike) -> dict[str, Any]:
    """The content of a model file of this schema."""
    where = str(path)
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"not a model file, or cut short ({error})", where) from None
    if not isinstance(content, dict) or "rankine" not in content or "schema" not in content:
        raise InputError("not a Rankine model file", where)
    if content["schema"] != SCHEMA:
        raise InputError(
            f"written with schema {content['schema']!r} by Rankine {content['rankine']}; this one reads {SCHEMA}", where
        )
    return content
