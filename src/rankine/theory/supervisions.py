"""Files with a distribution of supervisions, for ``rankine consistency --given``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..errors import InputError, shorten

_MEMBERS = ("grades", "ranks", "weights")


class Distribution(NamedTuple):
    """Supervisions (grades, ranks, or matrices of weights) and their probabilities, all numbers as texts."""

    labels: list[Any]
    probabilities: list[str]


def load_distribution(path: str) -> Distribution:
    """Read a distribution of supervisions.

    - Lines of a probability and the grades, or ranks, of all items: ``1/2 2 0 1``.
    - Blocks of a line with a probability and the m lines of an m × m matrix of weights: row i holds what it costs to
      rank item i below each other one. A blank line ends a block.
    - JSON: an array of objects with the members ``probability`` and one of ``grades``, ``ranks`` and ``weights``.
    """
    lines = list(_lines(path))
    if not any(words for _, words in lines):
        raise InputError("there is no supervision in the file", path)
    first = next(words for _, words in lines if words)
    if first[0].startswith("["):
        return _json(path)
    return _blocks(lines, path) if len(first) == 1 else _rows(lines, path)


def _lines(path: str) -> Iterator[tuple[int, list[str]]]:
    """The words of each line; none where it is blank. A line that is only a comment is left out."""
    from ..system.sources import text_lines

    before = 0
    for number, line in text_lines(path):
        text, mark, _ = line.partition("#")
        if number > before + 1:
            yield number - 1, []
        before = number
        if text.strip() or not mark:
            yield number, text.split()


def _rows(lines: list[tuple[int, list[str]]], path: str) -> Distribution:
    labels, probabilities = [], []
    for number, words in lines:
        if len(words) == 1:
            raise InputError("expected a probability and the grades of all items", f"{path}, line {number}")
        if words:
            _check(words, f"{path}, line {number}")
            probabilities.append(words[0])
            labels.append(words[1:])
    return Distribution(labels, probabilities)


def _blocks(lines: list[tuple[int, list[str]]], path: str) -> Distribution:
    labels: list[Any] = []
    probabilities: list[str] = []
    starts: list[int] = []
    ended = True  # a blank line ends a block
    for number, words in lines:
        _check(words, f"{path}, line {number}")
        if len(words) == 1:
            probabilities.append(words[0])
            labels.append([])
            starts.append(number)
            ended = False
        elif words and ended:
            raise InputError("expected a probability alone in the first line of a block", f"{path}, line {number}")
        elif words:
            labels[-1].append(words)
        elif labels and labels[-1]:
            ended = True
    for start, matrix in zip(starts, labels, strict=True):
        if len(matrix) < 2 or any(len(row) != len(matrix) for row in matrix):
            shape = ", ".join(str(len(row)) for row in matrix) or "none"
            raise InputError(
                "expected a probability and the grades of all items, or a probability alone and after it the lines of "
                f"an m × m matrix; numbers in these: {shape}", f"{path}, line {start}",
            )  # fmt: skip
    return Distribution(labels, probabilities)


def _check(words: list[str], where: str) -> None:
    from ..system.limits import check_decimal

    for word in words:
        check_decimal(word, where)


def _json(path: str) -> Distribution:
    from ..system.records import parsed
    from ..system.sources import read_whole

    content = parsed(read_whole(path), "a distribution of supervisions", path)
    labels, probabilities = [], []
    for number, entry in enumerate(content, 1):
        where = f"{path}, object {number}"
        members = [m for m in _MEMBERS if m in entry] if isinstance(entry, dict) else []
        if len(members) != 1 or "probability" not in entry:
            raise InputError(f"expected the members probability and one of {', '.join(_MEMBERS)}", where)
        probabilities.append(_text(entry["probability"], where))
        labels.append(_texts(entry[members[0]], where))
    return Distribution(labels, probabilities)


def _texts(values: Any, where: str) -> list[Any]:
    if not isinstance(values, list):
        raise InputError(f"expected an array of numbers, or of arrays of them; got {shorten(str(values))}", where)
    return [_texts(v, where) if isinstance(v, list) else _text(v, where) for v in values]


def _text(value: Any, where: str) -> str:
    """A number, or a text such as 1/4, as a text."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise InputError(f"expected a number, or a text such as '1/4'; got {shorten(str(value))}", where)
    text = value if isinstance(value, str) else repr(value)
    _check([text], where)
    return text
