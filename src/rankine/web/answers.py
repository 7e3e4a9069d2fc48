"""Answers of the API: JSON, and errors as plain sentences that hold no path of the machine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.responses import Response

from ..errors import InputError

_PATH = re.compile(r"(?<![\w.])(?:(?:/[^\s/:'\",;]+){2,}/?|[A-Za-z]:\\[^\s'\",;]+|~/[^\s'\",;]+)")


class ApiError(Exception):
    """What the API answers in place of a result: a status, a short code, and a plain sentence."""

    def __init__(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.headers = status, code, message, dict(headers or {})


def bad_input(error: InputError) -> ApiError:
    """The answer to input that cannot be accepted."""
    below = f"\n{error.below}" if error.below else ""
    return ApiError(400, "bad-input", without_paths(error.what + below))


def not_there() -> ApiError:
    """The answer for a recording that is not in the archive, or not for everybody."""
    return ApiError(404, "not-found", "there is no such recording in this archive")


def without_paths(text: str) -> str:
    """A text with ``…`` in place of paths of the machine.

    >>> without_paths("/home/ann/tapes/a.wav: cannot be read; 3/4 and and/or stay")
    '…: cannot be read; 3/4 and and/or stay'
    """
    return _PATH.sub("…", text)


def rounded(value: float | None, digits: int = 3) -> float | None:
    """A number with few digits; None where it is none."""
    return None if value is None or value != value else round(value, digits)


def json_answer(content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """An answer as JSON; numbers that are none are null."""
    data = msgspec.json.encode(content)
    return Response(data, status, {"Cache-Control": "no-store", **(headers or {})}, "application/json")


def error_answer(error: ApiError) -> Response:
    """An error as JSON."""
    content = {"error": {"code": error.code, "message": error.message}}
    return json_answer(content, error.status, error.headers)
