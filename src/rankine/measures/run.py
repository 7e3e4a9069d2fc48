"""Evaluation of TREC runs against TREC judgments, with trec_eval's semantics."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import InputError, shorten
from ..io.said import said
from ..io.trec import TrecTable, load_qrels, load_run
from ..parallel import thread_count
from .evaluation import JudgedScores, Report, parse_all, report_of
from .ranking import check_ties

_HANDFUL = 10  # documents
_FEW = 0.05  # of the queries: names that agree by chance, not by intention


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
        qrels: a path, a :class:`~rankine.io.TrecTable`, or ``{query: {document: grade}}``.
        run: a path, a :class:`~rankine.io.TrecTable`, or ``{query: {document: score}}``.
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
    judgments, ranked = _table(qrels, load_qrels), _table(run, load_run)
    data = join(judgments, ranked, complete, judged_only)
    check_names(judgments, ranked, data)
    check_ties(ties, data.doc_ids)
    return report_of(parsed, data, ties, empty, thread_count(threads))


def _table(source: Any, load: Any) -> TrecTable:
    if isinstance(source, TrecTable):
        return source
    if isinstance(source, Mapping):
        return TrecTable.from_dict(source)
    if not isinstance(source, (str, os.PathLike)) and not hasattr(source, "read"):
        raise InputError(f"expected a path, a table or a dict of dicts, got {type(source).__name__}")
    return load(source)


def join(qrels: TrecTable, run: TrecTable, complete: bool = False, judged_only: bool = False) -> JudgedScores:
    """Bring judgments and run together: lists with grades, NaN where not judged, and the pool of judged grades.

    >>> join(TrecTable.from_dict({"q": {"d": 2}}), TrecTable.from_dict({"q": {"d": 0.5, "e": 0.4}})).grades
    array([ 2., nan])
    """
    judged = {name: i for i, name in enumerate(qrels.query_ids)}
    retrieved = {judged[name] for name in run.query_ids if name in judged}
    evaluated = [i for i in range(len(judged)) if complete or i in retrieved]
    if not evaluated:
        raise InputError("the run and the judgments have no query in common")
    number = np.full(len(judged), -1)
    number[evaluated] = np.arange(len(evaluated))
    query = np.array([judged.get(name, -1) for name in run.query_ids], np.int64)[run.query]
    grades = _grades(qrels, run, query)
    rows = np.flatnonzero((query >= 0) & ~(judged_only & np.isnan(grades)))
    rows = rows[np.argsort(number[query[rows]], kind="stable")]
    ptr = np.concatenate([[0], np.cumsum(np.bincount(number[query[rows]], minlength=len(evaluated)))])
    doc_ids = np.array(run.document_ids, object)[run.document[rows]]
    ids = np.array(qrels.query_ids, object)[evaluated]
    pool = _pool(qrels, number, len(evaluated))
    span = (0.0, float(qrels.value.max(initial=0)))  # of all judgments: the scale of ERR is not the run's
    return JudgedScores(run.value[rows], grades[rows], ptr, ids, doc_ids, span, pool)


def check_names(qrels: TrecTable, run: TrecTable, data: JudgedScores) -> None:
    """Raise if no document of a run is judged, which is so when two programs call documents differently.

    A handful of documents may be so by chance. A note is told if few of the queries have a judged document in the run.
    """
    common = set(qrels.query_ids) & set(run.query_ids)
    if not common:
        raise InputError("the run and the judgments have no query in common")
    rows = np.flatnonzero(~np.isnan(data.grades))
    names = f"the run has {_three(run.document_ids)}, the judgments have {_three(qrels.document_ids)}"
    if not len(rows) and (qrels.value >= 0).any():
        shared = len(set(qrels.document_ids) & set(run.document_ids))
        if shared and len(run) < _HANDFUL:
            return
        rest = f"; names that occur in both: {shared}, but for other queries" if shared else ""
        raise InputError(f"no document of the run is judged: {names}{rest}")
    queries = len(np.unique(np.searchsorted(data.ptr, rows, side="right")))
    if queries < _FEW * len(common):
        said(f"only {queries} of {len(common)} queries have a judged document in the run: {names}")


def _three(names: list[str]) -> str:
    return ", ".join(shorten(name) for name in names[:3])


def _grades(qrels: TrecTable, run: TrecTable, query: np.ndarray) -> np.ndarray:
    """The grade of each row of the run, NaN where there is none or a negative one."""
    n = len(qrels.document_ids)
    keys = qrels.query.astype(np.int64) * n + qrels.document
    order = np.argsort(keys)
    documents = {name: i for i, name in enumerate(qrels.document_ids)}
    document = np.array([documents.get(name, -1) for name in run.document_ids], np.int64)[run.document]
    pairs = query * n + document
    place = np.minimum(np.searchsorted(keys, pairs, sorter=order), len(keys) - 1)
    is_judged = (query >= 0) & (document >= 0) & (keys[order[place]] == pairs)
    grades = np.where(is_judged, qrels.value[order[place]], np.nan)
    return np.where(grades >= 0, grades, np.nan)


def _pool(qrels: TrecTable, number: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    judged = np.flatnonzero((number[qrels.query] >= 0) & (qrels.value >= 0))
    query = number[qrels.query[judged]]
    order = np.lexsort((-qrels.value[judged], query))
    return qrels.value[judged][order], np.concatenate([[0], np.cumsum(np.bincount(query, minlength=n))])
