"""Ranges of bytes that a browser asks for while it plays a recording."""

from __future__ import annotations

import re

from ..answers import ApiError

_RANGE = re.compile(r"(\d{0,18})-(\d{0,18})", re.ASCII)


def read_range(header: str | None, size: int) -> tuple[int, int] | None:
    """First byte and the one behind the last; None: all of it. An ApiError where the range cannot be sent.

    >>> read_range("bytes=0-99", 1000), read_range("bytes=-100", 1000), read_range("bytes=990-", 1000)
    ((0, 100), (900, 1000), (990, 1000))
    """
    if header is None or not header.strip().lower().startswith("bytes="):
        return None  # a unit that is not known is passed over, as the standard says
    text = header.strip()[6:]
    if "," in text:
        raise _refused("expected one range of bytes, got several", size)
    match = _RANGE.fullmatch(text.strip())
    if match is None or match[0].strip() == "-":
        raise _refused("expected a range such as bytes=0-1023", size)
    first, last = match.groups()
    if not first:
        begin, end = max(size - int(last), 0), size
    else:
        begin, end = int(first), min(int(last) + 1, size) if last else size
    if begin >= end or (first and last and int(last) < int(first)):
        raise _refused(f"the range is not within the {size:,} bytes of this recording", size)
    return begin, end


def _refused(message: str, size: int) -> ApiError:
    return ApiError(416, "bad-range", message, {"Content-Range": f"bytes */{size}", "Accept-Ranges": "bytes"})
