"""Text as files hold it: decoding, lines, columns, numbers, escapes, and the stems of file names."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from pathlib import Path

from ..errors import InputError, shorten
from ..system.sources import open_source, unpacked, unpacked_whole

HAN = "㐀-䶿一-鿿豈-﫿"  # ranges of Chinese characters, for a set in a regular expression
SPEAKER, SPEAKERS = "speaker", "speakers"  # the column of the index, and the field
TITLE = "title"
TEXTS = (TITLE, "date", SPEAKER)  # what the index holds of a recording besides its name
UTTERANCE, RECORDING, AUDIO, OFFSET = "utterance", "recording", "audio", "offset"
ABOUT_TEXTS = (
    *TEXTS,
    SPEAKERS,
    "collection",
    "tags",
    "language",
    "rights",
    "licence",
    "notes",
)  # what a table can say of it
ABOUT_COLUMNS = (UTTERANCE, RECORDING, *ABOUT_TEXTS, AUDIO, OFFSET)  # of a table of what is said about utterances
STOP_WORDS = {  # of each language: words that occur nearly everywhere
    "en": frozenset(
        "a about after all also an and any are as at be been before being between but by could did do does each for "
        "from had has have he her him his i if in into is it its may me might more most must my no not of on one only "
        "or other our out over own same shall she should so some such than that the their them then there these they "
        "this those through to under up upon us very was we were what when where which while who whom whose will with "
        "would you your".split()
    ),
    "zh": frozenset(
        "的 了 在 是 我 你 他 她 它 们 这 那 有 和 就 不 也 吗 呢 吧 啊 嗯 个 一 要 去 到 给 把 被 对".split()
    ),
}
RECOGNISED, RECORDINGS = "recognised.jsonl", "recordings.tsv"  # what recognition writes beside its lattices
BESIDE_LATTICES = frozenset([RECOGNISED, RECORDINGS, "lock"])
PACKED = (".gz", ".bz2", ".xz", ".zst")  # endings of compressed files
LONGEST_LINE = 64 << 20  # bytes
_CHUNK = 1 << 20  # characters that are cut into lines at once
_BLANKS = re.compile(r"[ \t\r\f\v]+")
_VARIANT = re.compile(r"^(.+)\(\d+\)$")
_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}


def read_bytes(path: str | os.PathLike) -> bytes:
    """The content of a file, decompressed."""
    with open_source(path) as opened:
        return unpacked_whole(opened)


def read_blocks(path: str | os.PathLike) -> Iterator[bytes]:
    """The content of a file, decompressed, a block at a time."""
    with open_source(path) as opened:
        yield from unpacked(opened)


def read_head(path: str | os.PathLike, size: int) -> bytes:
    """The first bytes of a file, decompressed, without a byte order mark of UTF-8."""
    head = b""
    with open_source(path) as opened:
        for block in unpacked(opened, size):
            head += block
            if len(head) >= size:
                break
    return head[:size].removeprefix(b"\xef\xbb\xbf")


def read_lines(path: str | os.PathLike) -> Iterator[tuple[int, bytes]]:
    """(number from 1, line with its end) of a file, streamed; more than ``LONGEST_LINE`` bytes are an error.

    A block of nothing but line ends is given as it is, at once.
    """
    parts: list[bytes] = []  # of a line that is longer than a block
    held = number = 0
    for block in read_blocks(path):
        if not held and block.count(b"\n") == len(block):
            yield number + 1, block
            number += len(block)
            continue
        lines = block.split(b"\n")
        last = lines.pop()
        if lines:
            lines[0] = b"".join([*parts, lines[0]])
            parts, held = [], 0
        for line in lines:
            number += 1
            yield number, line + b"\n"
        parts.append(last)
        held += len(last)
        if held > LONGEST_LINE:
            raise InputError(f"the line is longer than {LONGEST_LINE >> 20} MB", f"{path}, line {number + 1}")
    if held:
        yield number + 1, b"".join(parts)


def read_text(path: str | os.PathLike) -> str:
    """The text of a file in UTF-8, without a byte order mark."""
    return decoded(read_bytes(path).removeprefix(b"\xef\xbb\xbf"), str(path))


def decoded(data: bytes, where: str, first_line: int = 1) -> str:
    """Text of UTF-8; an error names the line.

    >>> decoded(b"a\\n\\xff", "x.txt")
    Traceback (most recent call last):
    rankine.errors.InputError: x.txt, line 2: b'\\xff' is not UTF-8
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + first_line
        raise InputError(f"{data[error.start : error.start + 4]!r} is not UTF-8", f"{where}, line {line}") from None


def lines_with_places(text: str, where: str, first_line: int = 1) -> Iterator[tuple[str, str]]:
    """(place for errors, line) of a text, without empty lines and without blanks at the ends.

    >>> list(lines_with_places("a b\\n\\nc", "x.txt"))
    [('x.txt, line 1', 'a b'), ('x.txt, line 3', 'c')]
    """
    number, at = first_line, 0
    while at < len(text):
        cut = text.find("\n", at + _CHUNK) + 1 or len(text)
        lines = text[at:cut].split("\n")
        for i, line in enumerate(lines, number):
            if stripped := line.strip(" \t\r\f\v"):
                yield f"{where}, line {i}", stripped
        number, at = number + len(lines) - 1, cut


def columns(line: str) -> list[str]:
    """The columns of a line, divided by blanks of ASCII only: a word may hold others.

    >>> columns(" 0\\t1  a\u00a0b ")
    ['0', '1', 'a\\xa0b']
    """
    return [c for c in _BLANKS.split(line) if c]


def _value(text: str) -> float | None:
    """The number that text stands for; ``1_000`` and digits of other scripts, which Python would read, are none."""
    try:
        return float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        return None


def number(text: str, where: str) -> float:
    """A number that is not NaN."""
    value = _value(text)
    if value is None:
        raise InputError(f"expected a number, got {shorten(text)}", where)
    if math.isnan(value):
        raise InputError("expected a number, got NaN", where)
    return value


def whole_number(text: str, where: str, what: str = "a whole number", largest: int = 10**8) -> int:
    """A whole number from 0 to ``largest``: the number of a node, or a count.

    >>> whole_number("007", "x.txt")
    7
    """
    digits = text.lstrip("0") or text[:1]
    if not (text.isascii() and text.isdigit()) or len(digits) > 18 or int(digits) > largest:
        raise InputError(f"expected {what}, got {shorten(text)}", where)
    return int(digits)


def is_number(text: str) -> bool:
    """Whether text is read as a number.

    >>> is_number("1e3"), is_number("one"), is_number("1_000")
    (True, False, False)
    """
    return _value(text) is not None


def has_blanks(text: str) -> bool:
    """Whether text cannot stand in a column.

    >>> has_blanks("new york"), has_blanks("york")
    (True, False)
    """
    return any(c.isspace() for c in text)


def escaped(text: str) -> str:
    r"""Text as a cell of a table: tabs and line breaks as ``\t``, ``\n`` and ``\r``.

    >>> print(escaped("a\tb"))
    a\tb
    """
    return "".join(_ESCAPES.get(c, c) for c in text)


def without_variant(word: str) -> str:
    """The word of a pronunciation variant.

    >>> without_variant("to(2)"), without_variant("(2)")
    ('to', '(2)')
    """
    match = _VARIANT.match(word) if word.endswith(")") else None
    return word if match is None else match[1]


def ending(path: str | os.PathLike) -> str:
    """The ending of a file's name in lower case, without that of compressed files.

    >>> ending("x/LJ.001.SLF.gz")
    '.slf'
    """
    suffixes = Path(path).suffixes
    while suffixes and suffixes[-1].lower() in PACKED:
        suffixes.pop()
    return suffixes[-1].lower() if suffixes else ""


def stem(path: str | os.PathLike) -> str:
    """The name of a file without its endings.

    >>> stem("x/LJ.001.slf.gz")
    'LJ.001'
    """
    name = os.fsencode(Path(path).name).decode("utf-8", "replace")
    for suffix in (*PACKED, ending(path)):
        name = name[: -len(suffix)] if suffix and name.lower().endswith(suffix) else name
    return name
