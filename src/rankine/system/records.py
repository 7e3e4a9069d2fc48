"""Records: the JSON that Rankine itself wrote, read back only if it has the form that it was written in.

A checksum shows that a file was not damaged. It does not show who wrote it. So every file of ours is checked against a
schema when it is read: the types, the ranges, the nesting. A schema is a ``TypedDict`` whose members may be
``Annotated`` with limits. Members that the schema does not name are ignored: a later release may have added them.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, ValidationError, convert

from ..errors import InputError, is_utf8
from .limits import max_size

Schema = TypeVar("Schema")

Finite = Annotated[float, Meta(ge=-sys.float_info.max, le=sys.float_info.max)]
Positive = Annotated[float, Meta(gt=0, le=sys.float_info.max)]
Count = Annotated[int, Meta(ge=0, le=2**53)]
DEEPEST = 64  # arrays and objects inside each other
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def record(data: bytes, schema: type[Schema], what: str, where: str | None) -> Schema:
    """The content of JSON of ours; raise InputError if it is not ``what``, which ``schema`` describes.

    >>> record(b'{"a": [1]}', dict[str, list[Count]], "a test", "x.json")
    {'a': [1]}
    >>> record(b'{"a": [-1]}', dict[str, list[Count]], "a test", "x.json")
    Traceback (most recent call last):
    rankine.errors.InputError: x.json: not a test: Expected `int` >= 0 - at `$[...][0]`
    """
    return checked(parsed(data, what, where), schema, what, where)


def large_record(data: bytes, schema: type[Schema], what: str, where: str) -> Schema:
    """The same as :func:`record`, several times faster for long arrays: values are compared while they are read.

    >>> large_record(b'{"a": [1], "b": 2}', dict[str, Any], "a test", "x.json")
    {'a': [1], 'b': 2}
    """
    try:
        return msgspec.json.decode(data, type=schema)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"not {what}: {error}", where) from None
    except RecursionError:
        raise InputError(f"not {what}: arrays or objects stand too deep inside each other", where) from None


def parsed(data: bytes, what: str, where: str | None, infinite: bool = False) -> Any:
    """The values of JSON text in UTF-8, not yet compared with a schema; the nesting and their number are limited.

    Numbers are finite unless ``infinite`` allows NaN and Infinity, which Python writes though JSON has them not.
    """
    most = max(max_size(whole=True) // 16, 1 << 20)
    if data.count(b",") + 4 * data.count(b"[") + 4 * data.count(b"{") > most:  # lists take more memory than numbers
        raise InputError(f"not {what}: it holds more than {most:,} values (--max-size)", where)
    try:
        text = data.decode()
        content = json.loads(text, parse_constant=None if infinite else _refuse)
    except RecursionError:
        raise InputError(f"not {what}: arrays or objects stand too deep inside each other", where) from None
    except ValueError as error:
        raise InputError(f"not {what}, or damaged ({error})", where) from None
    if _depth(content) > DEEPEST:
        raise InputError(f"not {what}: more than {DEEPEST} arrays or objects stand inside each other", where)
    if _SURROGATE.search(data) and not is_utf8(json.dumps(content, ensure_ascii=False)):
        raise InputError(f"not {what}: a text holds half of a character", where)
    return content


def checked(content: Any, schema: type[Schema], what: str, where: str | None) -> Schema:
    """Values compared with a schema: what they are said to be, or an InputError that names the member."""
    try:
        return convert(content, schema)
    except (ValidationError, OverflowError, UnicodeError) as error:  # OverflowError: a whole number beyond every float
        raise InputError(f"not {what}: {error}", where) from None
    except RecursionError:
        raise InputError(f"not {what}: arrays or objects stand too deep inside each other", where) from None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not a number of JSON")


def _depth(content: Any) -> int:
    """How many arrays and objects stand inside each other."""
    depth, level = 0, [content]
    while level := [c for c in level if isinstance(c, dict | list)]:
        depth += 1
        level = [v for c in level for v in (c.values() if isinstance(c, dict) else c) if isinstance(v, dict | list)]
    return depth
