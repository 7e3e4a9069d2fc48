"""Models as plain JSON with a schema version: readable, portable, never pickled."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..files import replacing
from .table import CLASSES

SCHEMA = 1


def write(path: str | os.PathLike, class_name: str, content: dict[str, Any]) -> None:
    """Write a model file, whole or not at all."""
    from ..version import __version__

    document = {"rankine": __version__, "schema": SCHEMA, "kind": class_name, **content}
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def load(path: str | os.PathLike) -> Any:
    """Read a model that ``save`` wrote.

    >>> import tempfile
    >>> from rankine import LinearRanker
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     LinearRanker().fit([[0.0], [1.0]], [0, 1], qid=[1, 1]).save(folder + "/model.json")
    ...     load(folder + "/model.json").coef_.round(3)
    array([0.369])
    """
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
    if content.get("kind") not in CLASSES:
        raise InputError(f"unknown kind of model {content.get('kind')!r}; there are: {', '.join(CLASSES)}", where)
    try:
        return CLASSES[content["kind"]].load().from_content(content)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"a damaged model file ({type(error).__name__}: {error})", where) from None
