"""The forms of judgments and runs: which columns a file has, seen from its ending and its first lines."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError
from ...system.sources import Block, line_blocks, open_source
from ..tables.columns import (
    DOCUMENT,
    GRADE,
    QUERY,
    RANK,
    SCORE,
    TAG,
    ColumnLayout,
    cells_of,
    delimiter_of,
    ending_of,
    form_of,
    has_names,
    is_number,
    plain_name,
    words_of,
)
from ..tables.records import column_names

QRELS = ColumnLayout("judgments", (QUERY, DOCUMENT, GRADE), ("query iteration document grade", "query document grade"))
THREE = "query document score"
RUN = ColumnLayout(
    "a run",
    (QUERY, DOCUMENT, SCORE, RANK, TAG),
    (
        "query Q0 document rank score tag",
        "query Q0 document rank score",
        "query document rank score tag",
        "query Q0 document score tag",
        THREE,
    ),
)


class TrecForm(NamedTuple):
    """The fields of a line of TREC text, and where the document and the number stand among them."""

    text: str

    @property
    def fields(self) -> int:
        """How many fields a line has, at least."""
        return len(self.text.split())

    @property
    def most(self) -> int:
        """How many it has at most; words after a tag are ignored, as trec_eval does."""
        return 1 << 62 if self.fields == 6 else self.fields

    @property
    def document(self) -> int:
        """The field of the document."""
        return self.text.split().index("document")

    @property
    def value(self) -> int:
        """The field of the grade or score."""
        return next(i for i, field in enumerate(self.text.split()) if field in ("grade", "score"))


class Beginning(NamedTuple):
    """The first lines of a file that are not blank, and the number of the first of them."""

    number: int
    lines: list[str]

    @property
    def is_json(self) -> bool:
        """Whether they begin as JSON does."""
        return self.lines[0].lstrip().startswith(("{", "["))


def beginning(block: Block) -> Beginning:
    """The first thousand lines of a file, or fewer."""
    text = block.data[: min(block.end, 1 << 20)].tobytes().decode("utf-8", "replace").split("\n")
    full = [i for i, line in enumerate(text) if words_of(line)][:1000]
    return Beginning(full[0] + 1, [text[i] for i in full]) if full else Beginning(1, [""])


def trec_form(start: Beginning, layout: ColumnLayout, ending: str | None, name: str) -> TrecForm | None:
    """The form of TREC text; None for another format: by the ending, else by the first line."""
    line = start.lines[0]
    separated = delimiter_of(line, ending) if ending in ("csv", "tsv") else None
    blanks_inside = ending == "tsv" and any(len(words_of(cell)) > 1 for cell in line.split("\t"))
    if ending == "json" or separated in (",", ";", "|") or blanks_inside:
        return None
    rows = [words_of(line) for line in start.lines]
    text = form_of(rows, layout)
    if text is None:
        if start.is_json or separated or _is_table(line, layout):
            return None
        count = len(rows[0])
        lengths = {len(form.split()): form for form in reversed(layout.forms)}
        text = lengths.get(min(count, max(lengths)) if layout is RUN else count) if count else layout.forms[0]
        if count == 5 and layout is RUN:
            forms = ", ".join(f"'{form}'" for form in layout.forms if len(form.split()) == 5)
            raise InputError(f"these 5 fields are none of {forms}", f"{name}, line {start.number}")
        if layout is QRELS and count > 5 and form_of(rows, RUN) is not None:
            where = f"{name}, line {start.number}"
            raise InputError(f"this is a run, '{RUN.forms[0]}'; judgments come first, then runs", where)
        if text is None:
            counts = sorted(lengths)
            counted = f"{', '.join(map(str, counts[:-1]))} or {counts[-1]}"
            where = f"{name}, line {start.number}"
            raise InputError(f"expected {counted} fields, as in '{layout.forms[0]}'; got {count}", where)
    return TrecForm(text)


def _is_table(line: str, layout: ColumnLayout) -> bool:
    """Whether a line holds names of columns, or cells with a delimiter."""
    delimiter = delimiter_of(line)
    cells = cells_of(line, delimiter)
    if delimiter not in (None, "\t") and cells and form_of([cells], layout) is not None:
        return True
    return has_names(cells, layout)


def holds_judgments(source: Any, given: Mapping[str, str | None] | None = None) -> bool:
    """Whether a file is a table of judgments rather than of judged data, which has features beside them.

    That is so for JSON, for a folder of BEIR's layout, and for CSV, TSV and Parquet without a further column. A table
    without names is one of judgments if it has three columns or four, no fractions, and zeros as TREC's second column.
    ``given`` are names of columns, as :func:`load_qrels` takes them.
    """
    ending = ending_of(source)
    if ending is None:
        return isinstance(source, (str, os.PathLike)) and (Path(source) / "qrels").is_dir()
    if ending == "json":
        return True
    if ending == "parquet":
        return _only_judgments(column_names(source), given or {})
    with open_source(source) as opened:
        first = next(line_blocks(opened), None)
    if first is None:
        return False
    lines = beginning(first).lines
    delimiter = delimiter_of(lines[0], ending)
    rows = [cells_of(line, delimiter) for line in lines]
    if has_names(rows[0], QRELS, given):
        return _only_judgments(rows[0], given or {})
    if form_of(rows[:1], QRELS) is None or any(len(row) != len(rows[0]) for row in rows):
        return False
    whole = all(cell.lstrip("-").isdigit() for row in rows for cell in row if is_number(cell))
    return whole and (len(rows[0]) == 3 or {row[1] for row in rows} <= {"0", "Q0"})


def _only_judgments(names: list[str], given: Mapping[str, str | None]) -> bool:
    """Whether these are the names of judgments, and no others but the iteration that TREC has between them."""
    usual = {name for role in QRELS.roles for name in role.names} | {"iteration", "iter", "q0", "subtopic"}
    others = [name for name in names if plain_name(name) not in usual and name not in given.values()]
    return has_names(names, QRELS, given) and not others


# -- What the numbers of judgments and runs look like: ranks where scores are expected, scores where grades are


_MOST = 0.9  # of the queries: too many to be scores, though not all are ranks
_FEW_LEVELS = 5  # different numbers that grades may well have


def are_ranks(query: np.ndarray, value: np.ndarray, name: str) -> bool:
    """Whether numbers are ranks: whole, at least 0, and growing from row to row in every query.

    Queries of one row do not count; it is an error if most queries look so and some do not.

    >>> are_ranks(np.array([0, 0, 1]), np.array([0.0, 2.0, 5.0]), "run.tsv")
    True
    """
    if len(value) == 0 or value.min() < 0 or not np.array_equal(value, np.floor(value)):
        return False
    order = np.argsort(query, kind="stable")
    of, numbers = query[order], value[order]
    within = of[1:] == of[:-1]
    longer = np.unique(of[1:][within])
    falling = np.unique(of[1:][within & (numbers[1:] <= numbers[:-1])])
    growing = len(longer) - len(falling)
    if growing and len(falling) and growing >= _MOST * len(longer):
        raise InputError(
            f"the third column grows as ranks do in {growing} of {len(longer)} queries: say what it is, "
            "query='1', document='2' and rank='3' or score='3' (--run-columns 1,2,rank=3 or 1,2,3)",
            name,
        )
    return bool(growing and not len(falling))


def are_against_ranks(rows: Sequence[Sequence[str]], form: Sequence[str]) -> bool:
    """Whether scores grow with the ranks in every query of these lines, where they should fall.

    >>> are_against_ranks([["q", str(rank), str(rank / 2)] for rank in range(9)], ["query", "rank", "score"])
    True
    """
    rank, score = form.index("rank"), form.index("score")
    queries: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        if len(row) < len(form) or not (is_number(row[rank]) and is_number(row[score])):
            return False
        queries.setdefault(row[form.index("query")], []).append((float(row[rank]), float(row[score])))
    steps = [(a, b) for pairs in map(sorted, queries.values()) for a, b in pairwise(pairs)]
    return len(steps) >= _FEW_LEVELS and all(a[0] < b[0] and a[1] < b[1] for a, b in steps)


def scores_among_grades(query: np.ndarray, grade: np.ndarray) -> str:
    """Why grades look like the scores or the ranks of a run; empty if they do not.

    >>> scores_among_grades(np.zeros(5, int), np.array([5.1, 4.2, 3.3, 2.4, 1.5]))
    'most grades are fractions, and no two are alike in a query'
    """
    fractions = np.count_nonzero(grade != np.floor(grade)) > len(grade) / 2
    beside = query[1:] == query[:-1]
    if not fractions and (beside & (grade[1:] == grade[:-1])).any():
        return ""
    if len(np.unique(grade)) < _FEW_LEVELS:
        return ""
    if fractions and _unlike(query, grade) >= _MOST:
        return "most grades are fractions, and no two are alike in a query"
    order = np.argsort(query, kind="stable")
    steps = np.diff(grade[order])[query[order][1:] == query[order][:-1]]
    if len(steps) and ((steps > 0).all() or (steps < 0).all()):
        return f"the grades {'grow' if steps[0] > 0 else 'fall'} from document to document in every query"
    return ""


def are_grades(query: np.ndarray, score: np.ndarray) -> bool:
    """Whether the scores of a run look like grades: whole numbers, few of them or most of them alike in a query.

    >>> are_grades(np.array([0, 0, 1]), np.array([1.0, 0.0, 1.0]))
    True
    """
    if score.max(initial=0) <= 0 or not np.array_equal(score, np.floor(score)):
        return False
    return len(np.unique(score)) <= _FEW_LEVELS or _unlike(query, score) < 0.5


def _unlike(query: np.ndarray, value: np.ndarray) -> float:
    """The share of documents, in queries with several, that have a value that no other of the query has."""
    order = np.lexsort((value, query))
    same = np.diff(query[order]) == 0
    several, alike = np.zeros(len(value), bool), np.zeros(len(value), bool)
    for mark, pairs in ((several, same), (alike, same & (np.diff(value[order]) == 0))):
        mark[1:] |= pairs
        mark[:-1] |= pairs
    return float((several & ~alike).sum() / max(int(several.sum()), 1))
