"""Judgments and runs brought together: lists with grades, and the pool of all judgments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import per_row
from ..errors import InputError, shorten
from ..io.notes import said
from ..io.trec.detection import are_grades, scores_among_grades
from ..io.trec.reader import TrecTable
from .evaluation import JudgedScores

HANDFUL = 10  # documents
_FEW = 0.05  # of the queries: names that agree by chance, not by intention


def join(qrels: TrecTable, run: TrecTable, complete: bool = False, judged_only: bool = False) -> JudgedScores:
    """Bring judgments and run together: lists with grades, NaN where not judged, and the pool of judged grades.

    >>> join(TrecTable.from_dict({"q": {"d": 2}}), TrecTable.from_dict({"q": {"d": 0.5, "e": 0.4}})).grades
    array([ 2., nan])
    """
    judged = {name: i for i, name in enumerate(qrels.query_ids)}
    retrieved = {judged[name] for name in run.query_ids if name in judged}
    evaluated = [i for i in range(len(judged)) if complete or i in retrieved]
    if not evaluated:
        raise apart("the run and the judgments have no query in common", run.query_ids, qrels.query_ids)
    number = np.full(len(judged), -1)
    number[evaluated] = np.arange(len(evaluated))
    query = np.array([judged.get(name, -1) for name in run.query_ids], np.int64)[run.query]
    grades = _grades(qrels, run, query)
    sampled = grades < 0
    grades[sampled] = np.nan
    rows = np.flatnonzero((query >= 0) & ~(judged_only & np.isnan(grades)))
    rows = rows[np.argsort(number[query[rows]], kind="stable")]
    ptr = np.concatenate([[0], np.cumsum(np.bincount(number[query[rows]], minlength=len(evaluated)))])
    doc_ids = np.array(run.document_ids, object)[run.document[rows]]
    ids = np.array(qrels.query_ids, object)[evaluated]
    pool = _pool(qrels, number, len(evaluated))
    span = (0.0, float(qrels.value.max(initial=0)))  # of all judgments: the scale of ERR is not the run's
    marks = sampled[rows] if sampled.any() else None
    return JudgedScores(run.value[rows], grades[rows], ptr, ids, doc_ids, span, pool, marks)


def check_sides(qrels: TrecTable, run: TrecTable) -> None:
    """Raise if judgments and run are exchanged; a note is told if only the judgments look like a run."""
    reason = scores_among_grades(qrels.query, qrels.value)
    if not reason:
        return
    text = f"the judgments look like a run ({reason}): judgments come first, then runs"
    if are_grades(run.query, run.value):
        raise InputError(f"{text}; the run holds whole numbers as judgments do")
    said(text)


def check_names(qrels: TrecTable, run: TrecTable, data: JudgedScores) -> None:
    """Raise if no document of a run is judged, which is so when two programs call documents differently.

    A handful of documents may be so by chance. A note is told if few of the queries have a judged document in the run.
    """
    common = set(qrels.query_ids) & set(run.query_ids)
    if not common:
        raise apart("the run and the judgments have no query in common", run.query_ids, qrels.query_ids)
    rows = np.flatnonzero(~np.isnan(data.grades))
    if not len(rows) and (qrels.value >= 0).any():
        shared = len(set(qrels.document_ids) & set(run.document_ids))
        if shared and len(run) < HANDFUL:
            return
        rest = f" (names that occur in both: {shared}, but for other queries)" if shared else ""
        raise apart(f"no document of the run is judged{rest}", run.document_ids, qrels.document_ids)
    queries = len(np.unique(np.searchsorted(data.ptr, rows, side="right")))
    if 0 < queries < _FEW * len(common):
        few = f"only {queries} of {len(common)} queries have a judged document in the run"
        said(str(apart(few, run.document_ids, qrels.document_ids)))


def apart(problem: str, run: list[str], judgments: list[str]) -> InputError:
    """The error that names of a run and of judgments do not agree, with three names of each.

    >>> apart("no query in common", ["q1"], ["1", "2", "3", "4"])
    InputError("no query in common: the run has 'q1', the judgments have '1', '2', '3'")
    """
    ours, theirs = (", ".join(shorten(name) for name in names[:3]) for names in (run, judgments))
    return InputError(f"{problem}: the run has {ours}, the judgments have {theirs}")


def shortened(run: TrecTable, depth: int) -> TrecTable:
    """A run with the first ``depth`` documents of each query, ranked as trec_eval ranks.

    >>> shortened(TrecTable.from_dict({"q": {"a": 1.0, "b": 3.0, "c": 2.0}}), 2).value
    array([3., 2.])
    """
    if depth < 1:
        raise InputError(f"the number of documents kept of a query must be at least 1, got {depth}")
    by_name = np.argsort(np.argsort(np.array(run.document_ids, object), kind="stable"), kind="stable")
    with np.errstate(over="ignore"):
        order = np.lexsort((-by_name[run.document], -run.value.astype(np.float32), run.query))
    query = run.query[order]
    starts = np.flatnonzero(np.diff(query, prepend=-1))
    ranks = np.arange(len(query)) - per_row(starts, np.append(starts, len(query)))
    rows = order[ranks < depth]
    return replace(run, query=run.query[rows], document=run.document[rows], value=run.value[rows])


def _grades(qrels: TrecTable, run: TrecTable, query: np.ndarray) -> np.ndarray:
    """The grade of each row of the run, NaN where there is none; a negative one is of the pool and not judged."""
    n = len(qrels.document_ids)
    keys = qrels.query.astype(np.int64) * n + qrels.document
    order = np.argsort(keys)
    documents = {name: i for i, name in enumerate(qrels.document_ids)}
    document = np.array([documents.get(name, -1) for name in run.document_ids], np.int64)[run.document]
    pairs = query * n + document
    place = np.minimum(np.searchsorted(keys, pairs, sorter=order), len(keys) - 1)
    is_judged = (query >= 0) & (document >= 0) & (keys[order[place]] == pairs)
    return np.where(is_judged, qrels.value[order[place]], np.nan)


def _pool(qrels: TrecTable, number: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    judged = np.flatnonzero((number[qrels.query] >= 0) & (qrels.value >= 0))
    query = number[qrels.query[judged]]
    order = np.lexsort((-qrels.value[judged], query))
    return qrels.value[judged][order], np.concatenate([[0], np.cumsum(np.bincount(query, minlength=n))])
