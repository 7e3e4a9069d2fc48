"""Evaluation of TREC runs against TREC judgments, with trec_eval's semantics."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ..errors import InputError
from ..io.trec.groups import JudgmentGroups, load_groups
from ..io.trec.reader import TrecTable, load_qrels, load_run
from ..system.parallel import thread_count
from .evaluation import Report, parse_all, report_of
from .groups import GROUPED, evaluate_groups
from .joining import check_names, check_sides, join
from .names import Measure
from .ranking import check_ties
from .table import TABLE


def evaluate_run(
    measures: Any,
    qrels: Any,
    run: Any,
    ties: str = "trec",
    complete: bool = False,
    judged_only: bool = False,
    empty: str = "zero",
    threads: int | None = None,
) -> Report:
    """Evaluate a run against judgments as trec_eval does.

    Documents without a judgment (or with a negative one, trec_eval's mark for "not judged") count as not relevant;
    queries without judgments are left out, and so are judged queries that the run lacks.

    Args:
        measures: a name or several, see :func:`parse`; trec_eval's names are understood.
        qrels: a path, a :class:`~rankine.io.TrecTable`, a frame, or ``{query: {document: grade}}``; for measures of
            judgments in groups a path, :class:`~rankine.io.JudgmentGroups`, or ``{query: {group: {document: grade}}}``.
        run: a path, a :class:`~rankine.io.TrecTable`, a frame, or ``{query: {document: score}}``.
        ties: ``"trec"`` (scores in single precision, ties by document id descending), ``"expected"`` or ``"stable"``.
        complete: count judged queries that the run lacks as empty lists (trec_eval's ``-c``).
        judged_only: remove documents without a judgment from the lists first (trec_eval's ``-J``).
        empty: the value of a query without a relevant document, see :func:`evaluate`.
        threads: by default one per core.

    >>> qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1}}
    >>> run = {"q1": {"d1": 0.2, "d2": 0.9}}
    >>> evaluate_run("AP", qrels, run).mean["AP"]
    0.5
    >>> evaluate_run("AP", qrels, run, complete=True).mean["AP"]
    0.25
    """
    parsed = parse_all(measures)
    if are_grouped(parsed):
        groups = _groups(qrels)
        return evaluate_groups(parsed, groups, _table(run, load_run), ties, complete, judged_only, empty, threads)
    if isinstance(qrels, JudgmentGroups):
        raise InputError(f"{next(iter(parsed))} needs plain judgments, the judgments given are in groups")
    judgments, ranked = _table(qrels, load_qrels), _table(run, load_run)
    check_sides(judgments, ranked)
    data = join(judgments, ranked, complete, judged_only)
    check_names(judgments, ranked, data)
    check_ties(ties, data.doc_ids)
    return report_of(parsed, data, ties, empty, thread_count(threads))


def are_grouped(parsed: dict[str, Measure]) -> bool:
    """Whether measures need judgments in groups; it is an error if only some do."""
    kinds = {name: TABLE[m.name].supervision for name, m in parsed.items() if m.name != "NumQ"}
    grouped = [name for name, kind in kinds.items() if kind in GROUPED]
    plain = [name for name in kinds if name not in grouped]
    if grouped and plain:
        raise InputError(f"{grouped[0]} needs {kinds[grouped[0]]}, {plain[0]} plain judgments: ask for them apart")
    return bool(grouped)


def _groups(source: Any) -> JudgmentGroups:
    if isinstance(source, JudgmentGroups):
        return source
    if isinstance(source, Mapping):
        return JudgmentGroups.from_dict(source)
    if not isinstance(source, (str, os.PathLike)) and not hasattr(source, "read"):
        raise InputError(f"expected a path, JudgmentGroups or a dict of dicts of dicts, got {type(source).__name__}")
    return load_groups(source)


def _table(source: Any, load: Any) -> TrecTable:
    if isinstance(source, TrecTable):
        return source
    if isinstance(source, Mapping):
        return TrecTable.from_dict(source)
    readable = isinstance(source, (str, os.PathLike)) or hasattr(source, "read")
    if not readable and not hasattr(source, "__arrow_c_stream__"):
        raise InputError(f"expected a path, a table, a frame or a dict of dicts, got {type(source).__name__}")
    return load(source)
