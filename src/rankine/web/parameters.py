"""Parameters of requests: read from the query of an address, checked, with plain sentences where they are wrong."""

from __future__ import annotations

import math
from collections.abc import Collection
from urllib.parse import parse_qsl, unquote_to_bytes

from ..errors import shorten
from .answers import ApiError

LONGEST_QUERY = 1000  # characters of the words that are searched for
LONGEST_TEXT = 4096  # characters of any other parameter
_MOST_PARAMETERS = 50


def bad_parameter(name: str, expected: str, text: str) -> ApiError:
    """The answer to a parameter that cannot be used."""
    return ApiError(400, "bad-parameter", f"{name}: expected {expected}, got {shorten(text)}")


def decoded(text: str) -> str:
    """A percent-encoded part of an address as text; an ApiError where it is no UTF-8, or too long."""
    try:
        plain = unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        raise ApiError(400, "bad-address", "the address is not written in UTF-8") from None
    if len(plain) > LONGEST_TEXT:
        raise ApiError(400, "bad-address", f"a part of the address has more than {LONGEST_TEXT} characters")
    return plain


def recording_name(text: str) -> str:
    """The name of a recording that a part of a path holds; a tilde stands before names such as ``..``.

    Browsers take ``.`` and ``..`` for steps between folders, also where they are percent-encoded.

    >>> recording_name("a%2Fb"), recording_name("~.."), recording_name("~~.."), recording_name("~a")
    ('a/b', '..', '~..', '~a')
    """
    plain = decoded(text)
    return plain[1:] if plain.startswith("~") and plain.lstrip("~") in (".", "..") else plain


class Parameters:
    """The parameters of a request, each given once at most."""

    def __init__(self, query: bytes) -> None:
        try:
            pairs = parse_qsl(
                query.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_PARAMETERS
            )
        except ValueError:
            raise ApiError(400, "bad-address", "the parameters of the address cannot be read") from None
        self.values = dict(pairs)
        if len(self.values) < len(pairs):
            raise ApiError(400, "bad-parameter", "a parameter is given twice")

    def text(self, name: str, default: str = "", longest: int = LONGEST_TEXT) -> str:
        """A text; an empty one is the default."""
        text = self.values.get(name, "")
        if len(text) > longest:
            raise ApiError(400, "too-long", f"{name}: expected at most {longest} characters, got {len(text)}")
        if "\0" in text:
            raise bad_parameter(name, "text", text)
        return text or default

    def optional(self, name: str) -> str | None:
        """A text; None where it is not given or blank."""
        return self.text(name).strip() or None

    def number(self, name: str, default: int, least: int, most: int) -> int:
        """A whole number between two others."""
        text = self.text(name)
        if not text:
            return default
        if not (text.isascii() and text.isdigit() and len(text) <= 12 and least <= int(text) <= most):
            raise bad_parameter(name, f"a whole number from {least} to {most}", text)
        return int(text)

    def seconds(self, name: str, default: float | None = None) -> float:
        """A time in seconds; one that has no default must be given."""
        text = self.text(name)
        if not text and default is not None:
            return default
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not 0 <= value < 1e7:
            raise bad_parameter(name, "a time in seconds, such as 12.5", text)
        return value

    def choice(self, name: str, choices: Collection[str]) -> str:
        """One of several words; the first is the default."""
        text = self.text(name, next(iter(choices)))
        if text not in choices:
            raise bad_parameter(name, f"one of {', '.join(choices)}", text)
        return text

    def choices(self, name: str, choices: Collection[str]) -> tuple[str, ...]:
        """Several of some words, with commas between them; by default all."""
        text = self.text(name)
        several = tuple(part.strip() for part in text.split(",")) if text else tuple(choices)
        if any(part not in choices for part in several):
            raise bad_parameter(name, f"some of {', '.join(choices)}, with commas between them", text)
        return several
