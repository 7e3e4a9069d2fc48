"""Lists of recordings: names, fields, lengths and numbers of segments, chosen by fields and sorted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import unknown
from ..index import schema
from ..index.reader import Index
from .fields import TABLE, field_name, in_order
from .filters import read_filter
from .rights import OPEN, RIGHTS, access

COLUMNS = ("recording", "title", "date", "speakers", "length", "segments")
_OF_INDEX: dict[str, Callable[[Index], list[Any]]] = {
    "recording": lambda index: list(index.names),
    "length": lambda index: _by_document(index, lambda part: part.numbers(schema.LENGTH).astype(np.float64)),
    "segments": lambda index: [int(n) for part in index.parts for n in np.diff(part.first_utterance)[part.counting]],
}


def list_recordings(
    index: Index, where: str = "", sort: str = "recording", reverse: bool = False, fields: Sequence[str] = ()
) -> dict[str, list[Any]]:
    """Columns of the recordings that pass the fields of a query; those without a value to sort by come last.

    Args:
        index: of the archive.
        where: fields as in a query, such as ``speaker:ann date:2021..2023``; by default all recordings.
        sort: a column.
        reverse: whether to sort from the last to the first.
        fields: the columns; by default ``COLUMNS``, and rights if a recording is not open. A length is in seconds.
    """
    rights = _values(index, RIGHTS)
    key = _values(index, _column_name(index, sort))
    mask = read_filter(index, where).mask(index)
    rows = list(range(len(index))) if mask is None else np.flatnonzero(mask).tolist()
    order = [row for row in rows if key[row] not in ("", None)]
    order.sort(key=lambda row: _sort_key(key[row]), reverse=reverse)
    order += [row for row in rows if key[row] in ("", None)]
    if not fields and any(access(rights[row]) != OPEN for row in rows):
        fields = (COLUMNS[0], RIGHTS, *COLUMNS[1:])
    names = [_column_name(index, name) for name in (fields or COLUMNS)]
    columns = {name: _values(index, name) for name in names}
    return {name: [column[row] for row in order] for name, column in columns.items()}


def _sort_key(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value


def _values(index: Index, name: str) -> list[Any]:
    if name in _OF_INDEX:
        return _OF_INDEX[name](index)
    column = index.document_texts.get(name)
    return [""] * len(index) if column is None else column.tolist()


def _by_document(index: Index, values: Callable[[Any], np.ndarray]) -> list[float | None]:
    """Sums of what the segments of each document have; None for 0."""
    sums: list[float | None] = []
    for part in index.parts:
        before = np.concatenate([[0.0], np.cumsum(np.nan_to_num(values(part)))])
        sums += [n or None for n in np.round(np.diff(before[part.first_utterance])[part.counting], 2).tolist()]
    return sums


def _column_name(index: Index, name: str) -> str:
    """The name of a column: of the list, of the table of fields, or of a field that some recording has."""
    field = field_name(name)
    if field in _OF_INDEX or field in TABLE:
        return field
    own = [f for f, column in index.document_texts.items() if column.any()]
    if field not in own:
        raise unknown("field", name, [*_OF_INDEX, *in_order({*TABLE, *own})])
    return field
