"""Judgments in groups: by several people, of several subtopics, or preferences.

trec_eval's ``qrels_jg`` (``query group document grade``) and ``prefs`` (``query group subgroup document level``), and
the qrels of TREC's diversity tasks (``topic subtopic document grade``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import as_numbers
from ...errors import InputError, shorten
from ...system.sources import Source, text_lines

_FIELDS = re.compile(r"[^\x00-\x20]+")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_FORMS = {4: "query group document grade", 5: "query group subgroup document level"}


@dataclass(frozen=True, repr=False, eq=False)
class JudgmentGroups:
    """Rows of (query, group, subgroup, document, grade); names are numbers into lists.

    A group holds the judgments of one person, or of one subtopic. Within a group a document of a higher grade is
    preferred; subgroups state some of the preferences each.
    """

    query: np.ndarray
    group: np.ndarray
    subgroup: np.ndarray
    document: np.ndarray
    value: np.ndarray
    query_ids: list[str]
    group_ids: list[str]
    document_ids: list[str]

    def __len__(self) -> int:
        return len(self.value)

    def __repr__(self) -> str:
        return f"JudgmentGroups({len(self.query_ids):,} queries, {len(self):,} rows)"

    @classmethod
    def from_columns(
        cls, queries: Any, groups: Any, documents: Any, values: Any, subgroups: Any = None, lines: Any = None
    ) -> JudgmentGroups:
        """Judgments from columns.

        >>> JudgmentGroups.from_columns(["q", "q"], ["1", "2"], ["d", "d"], [1, 0])
        JudgmentGroups(1 queries, 2 rows)
        """
        value = as_numbers(values, "values")
        query_ids, query = _numbered(queries)
        group_ids, group = _numbered(groups)
        _, subgroup = _numbered(["0"] * len(value) if subgroups is None else subgroups)
        document_ids, document = _numbered(documents)
        if not len(query) == len(group) == len(subgroup) == len(document) == len(value):
            raise InputError("queries, groups, documents and values must have one length")
        bad = np.flatnonzero(~np.isfinite(value))
        if len(bad):
            raise InputError(f"expected a finite number, got {value[bad[0]]}", f"row {bad[0]}")
        columns = np.column_stack([query, group, subgroup, document])
        _, first, inverse = np.unique(columns, axis=0, return_index=True, return_inverse=True)
        twice = np.flatnonzero(first[inverse.reshape(-1)] != np.arange(len(value)))
        if len(twice):
            row = int(twice[0])
            where = f"row {row}" if lines is None else lines(row)
            raise InputError(f"document {document_ids[document[row]]!r} stands twice in a group of a query", where)
        return cls(query, group, subgroup, document, value, query_ids, group_ids, document_ids)

    @classmethod
    def from_dict(cls, nested: Mapping[str, Mapping[str, Mapping[str, float]]]) -> JudgmentGroups:
        """Judgments from ``{query: {group: {document: grade}}}``.

        >>> JudgmentGroups.from_dict({"q": {"1": {"d": 1}, "2": {"d": 0, "e": 1}}})
        JudgmentGroups(1 queries, 3 rows)
        """
        rows = [
            (q, g, d, v)
            for q, groups in nested.items()
            for g, documents in groups.items()
            for d, v in documents.items()
        ]
        queries, groups_, documents_, values = zip(*rows, strict=True) if rows else ((), (), (), ())
        return cls.from_columns(queries, groups_, documents_, values)


def _numbered(names: Any) -> tuple[list[str], np.ndarray]:
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(str(n), len(numbers)) for n in names]
    return list(numbers), np.array(codes, np.int64)


def load_groups(source: Source) -> JudgmentGroups:
    """Read judgments in groups: lines of ``query group document grade``, or with a ``subgroup`` before the document.

    The first line decides on the number of fields. Lines that begin with ``#`` are comments.

    >>> import io
    >>> load_groups(io.BytesIO(b"q1 ann d1 2\\nq1 bob d1 0\\n")).group_ids
    ['ann', 'bob']
    """
    rows: list[list[str]] = []
    values: list[float] = []
    numbers: list[int] = []
    name = _name(source)
    for number, line in text_lines(source):
        fields = _FIELDS.findall(line)
        if not fields or fields[0].startswith("#"):
            continue
        where = f"{name}, line {number}"
        form = len(rows[0]) + 1 if rows else len(fields)
        if form not in _FORMS:
            wanted = " or ".join(f"{n} fields '{text}'" for n, text in _FORMS.items())
            raise InputError(f"expected {wanted}, got {len(fields)}", where)
        if len(fields) != form:
            raise InputError(f"expected {form} fields '{_FORMS[form]}' as above, got {len(fields)}", where)
        values.append(_finite(fields[-1], form, where))
        rows.append(fields[:-1])
        numbers.append(number)
    if not rows:
        raise InputError("there is no data line in the file", name)
    columns = list(zip(*rows, strict=True))
    return JudgmentGroups.from_columns(
        columns[0],
        columns[1],
        columns[-1],
        values,
        columns[2] if len(columns) == 4 else None,
        lambda row: f"{name}, line {numbers[row]}",
    )


def _name(source: Source) -> str:
    if hasattr(source, "read"):
        return str(getattr(source, "name", "<stream>"))
    return "<stdin>" if str(source) == "-" else str(source)


def _finite(text: str, form: int, where: str) -> float:
    value = float(text) if _NUMBER.fullmatch(text) else np.nan
    if not np.isfinite(value):
        raise InputError(f"expected a finite number in field {form}, got {shorten(text)}", where)
    return value
