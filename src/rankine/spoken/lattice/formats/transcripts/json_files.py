"""What readers of recognisers' JSON share: one value or several, keys at the beginning of a file, numbers, errors."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from .....errors import InputError, shorten
from .transcript import (
    Alternative,
    SegmentReader,
    TranscriptSegment,
    TranscriptWord,
    segment_of_text,
    segment_of_words,
    text_of,
    weights,
)

_BLANKS = re.compile(r"[\s,\x1e]*")  # between values; a record separator is one of JSON text sequences
_WRONG = (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OverflowError)


def looks_like_json(head: bytes) -> bool:
    """Whether a file begins like JSON."""
    return b"\0" not in head and head.lstrip()[:1] in (b"{", b"[")


def has_keys(head: bytes, *keys: str) -> bool:
    """Whether a file begins like JSON, and each of these keys stands in its beginning.

    >>> has_keys(b'{"a": [], "b": {}}', "a", "b"), has_keys(b'{"a": "b"}', "b")
    (True, False)
    """
    return looks_like_json(head) and all(re.search(rb'"%s"\s*:' % key.encode(), head) for key in keys)


def has_list(head: bytes, key: str) -> bool:
    """Whether a file begins like JSON, and this key has a list as its value there."""
    return looks_like_json(head) and re.search(rb'"%s"\s*:\s*\[' % key.encode(), head) is not None


def has_object(head: bytes, key: str) -> bool:
    """Whether a file begins like JSON, and this key has an object as its value there."""
    return looks_like_json(head) and re.search(rb'"%s"\s*:\s*\{' % key.encode(), head) is not None


def long_text(*before: str) -> Callable[[bytes], bool]:
    """Whether ``text`` fills the beginning of a file, and only these keys stand before it.

    >>> long_text("task")(b'{"task": "t", "text": "a very long'), long_text("task")(b'{"id": 1, "text": "a very long')
    (True, False)
    """
    key = rb'"(?:%s)"' % "|".join(before).encode()
    pattern = re.compile(
        rb'\s*\{\s*(?:%s\s*:\s*(?:"[^"\\]*"|[\d.]+|null)\s*,\s*)*"text"\s*:\s*"(?:[^"\\]|\\.)*\\?$' % key,
        re.DOTALL,
    )
    return lambda head: pattern.match(head) is not None


def json_reader(title: str) -> Callable[[Callable[[list[Any]], list[TranscriptSegment]]], SegmentReader]:
    """A reader of files of one or several JSON values, of a function that makes segments of the values.

    What the function cannot use is an InputError that names the file. Members that it does not look at may hold
    anything that JSON can say, NaN included, which some recognisers write.
    """

    def decorate(read: Callable[[list[Any]], list[TranscriptSegment]]) -> SegmentReader:
        def reader(data: bytes, where: str) -> list[TranscriptSegment]:
            try:
                return read(list(_values(text_of(data, where))))
            except InputError:
                raise
            except _WRONG as error:
                reason = shorten(str(error), 200)[1:-1]
                raise InputError(f"not the JSON of {title} ({type(error).__name__}: {reason})", where) from None

        reader.__doc__, reader.__name__ = read.__doc__, read.__name__
        return reader

    return decorate


def _values(text: str) -> Iterator[Any]:
    """The JSON values of a text, one after the other; the members of a list are values."""
    decoder, at = json.JSONDecoder(), 0
    while (at := _end_of_blanks(text, at)) < len(text):
        value, at = decoder.raw_decode(text, at)
        yield from value if isinstance(value, list) else [value]


def _end_of_blanks(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return at if match is None else match.end()


def listed(value: Any) -> list[Any]:
    """A list; None is an empty one."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise TypeError(f"expected a list, got {type(value).__name__}")
    return value


def text_in(value: Any) -> str:
    """A text; a number is its digits, as speakers may be called, and None is no text."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise TypeError(f"expected a text, got {type(value).__name__}")
    return str(value)


def number_in(value: Any) -> float:
    """A number, or a text that is one."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise TypeError(f"expected a number, got {type(value).__name__}")
    return float(value)


def confidence_in(entry: Any, *keys: str) -> float:
    """The confidence of a word, by the first of these keys that it has; 1 if none."""
    return next((number_in(entry[key]) for key in keys if entry.get(key) is not None), 1.0)


def hypotheses(
    options: list[tuple[float | None, list[TranscriptWord], str]], start: float, end: float, speaker: str = ""
) -> TranscriptSegment:
    """A segment of (confidence, words with times, text), best first; text is used where words are missing."""
    segments = [
        segment_of_words(words, speaker) if words else segment_of_text(text, start, end, speaker)
        for _, words, text in options
    ]
    first = segments[0]
    if len(options) == 1:
        return first
    shares = weights([confidence for confidence, _, _ in options])
    others = [Alternative(w, s.words) for w, s in zip(shares[1:], segments[1:], strict=True) if s.words]
    return first._replace(alternatives=tuple(others))
