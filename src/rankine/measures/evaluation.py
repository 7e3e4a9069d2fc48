"""Evaluation of score arrays, and the report that every evaluation returns."""

from __future__ import annotations

import csv
import io
import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..arrays import as_ids, as_numbers, check_finite
from ..data.ranking_data import Preferences, group_rows
from ..errors import LONG_QUERY, LONG_QUERY_REASON, InputError, warn_of_rows
from ..system.parallel import shared_map, thread_count
from .kernels import Lists
from .names import Measure, as_asked, parse, split_names
from .ranking import Scratch, check_ties, rank_rows, ranked_lists
from .table import TABLE, Ranked

EMPTY = ("zero", "one", "skip")
GAIN_NOTE = (
    "nDCG and DCG use the gain 2^g − 1 (as in the literature on learning to rank); trec_eval's linear gain is "
    "nDCG(dcg='log2'), also written ndcg_cut_10."
)
_DOCUMENTS_PER_TASK = 100_000
_LARGEST_GRADE = 1000
_SMALLEST_OF_GEOMETRIC = 0.00001  # trec_eval's MIN_GEO_MEAN
_local = threading.local()


@dataclass(frozen=True)
class Report:
    """The values of measures, their means and per query.

    ``mean`` maps each measure, as it was asked for, to its mean (of NumRet and the like to the sum, of GMAP to the
    geometric mean); ``per_query`` to one value per query in the order of ``query_ids``. Where queries without a
    relevant document were skipped their values are NaN and not averaged; a mean of no query is NaN. ``uncounted`` says
    which measures take fractional grades for not relevant.
    """

    mean: dict[str, float]
    per_query: dict[str, np.ndarray]
    query_ids: np.ndarray
    measures: tuple[Measure, ...]
    uncounted: str = ""

    @property
    def averaged(self) -> dict[str, int]:
        """The number of queries that each mean is over."""
        return {name: int(np.count_nonzero(~np.isnan(column))) for name, column in self.per_query.items()}

    @property
    def note(self) -> str:
        """The gain of nDCG and DCG, what is averaged over fewer queries, and grades that do not count; or empty."""
        gain = gain_note(dict(zip(self.mean, self.measures, strict=True)))
        return " ".join(filter(None, [gain, self._fewer(), self.uncounted]))

    def _fewer(self) -> str:
        """Which means are over fewer queries than there are."""
        n = len(self.query_ids)
        fewer = [f"{name} over {k}" for name, k in self.averaged.items() if k < n]
        return f"Of {n} queries some have no relevant document and are left out: {', '.join(fewer)}." if fewer else ""

    def __str__(self) -> str:
        width = max(map(len, self.mean))
        means = zip(self.mean.items(), self.measures, strict=True)
        lines = [f"{name:<{width}}  {written(value, measure)}" for (name, value), measure in means]
        counts = sorted(set(self.averaged.values()))
        several = "query" if counts == [1] else "queries"
        queries = f"mean over {' to '.join(map(str, counts[:: max(len(counts) - 1, 1)]))} {several}"
        return "\n".join([*lines, queries, *([self.note] if self.note else [])])

    def to_json(self, per_query: bool = False) -> str:
        """The report as JSON.

        >>> evaluate("AP", [1, 0], [2.0, 1.0], [7, 7]).to_json()
        '{"queries": 1, "mean": {"AP": 1.0}}'
        """
        counts = self.averaged
        same = len(set(counts.values())) == 1
        content: dict[str, Any] = {
            "queries": next(iter(counts.values())) if same else counts,
            "mean": _plain(self.mean),
        }
        if per_query:
            values = {m: [_number(v) for v in column.tolist()] for m, column in self.per_query.items()}
            content["per_query"] = {"query": [str(q) for q in self.query_ids], **values}
        return json.dumps(content, ensure_ascii=False)

    def to_csv(self, per_query: bool = False) -> str:
        """The report as CSV, one row per query if asked for, the mean in the row ``all``.

        >>> print(evaluate("AP", [1, 0], [2.0, 1.0], [7, 7]).to_csv())
        query,AP
        all,1.0
        """
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["query", *self.mean])
        if per_query:
            for i, query in enumerate(self.query_ids):
                writer.writerow([query, *(_number(column[i]) for column in self.per_query.values())])
        writer.writerow(["all", *(_number(v) for v in self.mean.values())])
        return out.getvalue().rstrip("\n")


def gain_note(measures: Mapping[str, Measure]) -> str:
    """The gain of nDCG and DCG, by name where measures have different ones; empty if no measure has a gain.

    >>> gain_note({"nDCG@10": parse("nDCG@10"), "ndcg": parse("ndcg"), "AP": parse("AP")})
    'nDCG@10: gain 2^g − 1. ndcg: gain g, as trec_eval.'
    """
    with_gain = {name: dict(m.params)["dcg"] == "log2" for name, m in measures.items() if TABLE[m.name].has_gain}
    linear, exponential = (
        [name for name, is_linear in with_gain.items() if is_linear is kind] for kind in (True, False)
    )
    if not linear:
        return GAIN_NOTE if exponential else ""
    return (f"{_list(exponential)}: gain 2^g − 1. " if exponential else "") + f"{_list(linear)}: gain g, as trec_eval."


def uncounted_note(measures: Mapping[str, Measure], grades: Any) -> str:
    """How many documents have grades between 0 and 1, which measures of relevant documents do not count; or empty.

    >>> uncounted_note({"AP": parse("AP"), "nDCG": parse("nDCG")}, np.array([0, 0.5, 0.335, 1]))
    '2 of 4 documents have grades between 0 and 1, which AP does not count as relevant; AP(rel=0.33) does.'
    """
    names = [name for name, m in measures.items() if dict(m.params).get("rel") == 1]
    if not names or isinstance(grades, Preferences):
        return ""
    between = grades[(grades > 0) & (grades < 1)]
    if not len(between):
        return ""
    measure, smallest = measures[names[0]], float(between.min())
    rel = np.floor(smallest * 100) / 100 or smallest
    example = Measure(measure.name, tuple(sorted((dict(measure.params) | {"rel": float(rel)}).items())))
    some = f"{len(between):,} of {len(grades):,} documents have grades between 0 and 1"
    verb = "does" if len(names) == 1 else "do"
    return f"{some}, which {_list(names)} {verb} not count as relevant; {example} does."


def _list(names: list[str]) -> str:
    return ", ".join(names if len(names) <= 4 else [*names[:3], "…"])


def written(value: float, measure: Measure) -> str:
    """A value for a table: a number of documents or queries as it is, - where there is no value.

    >>> written(0.25, parse("AP")), written(3.0, parse("NumRet")), written(np.nan, parse("AP"))
    ('0.2500', '3', '-')
    """
    if np.isnan(value):
        return "-"
    if TABLE[measure.name].summary == "sum":
        return f"{value:.0f}"
    return f"{value:.4f}" if abs(value) < 1e9 else f"{value:.5g}"


def _plain(values: dict[str, float]) -> dict[str, float | None]:
    return {k: _number(v) for k, v in values.items()}


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def parse_all(measures: Any) -> dict[str, Measure]:
    """The measures asked for, by the spelling they were asked in; families of trec_eval by the names of their members.

    >>> list(parse_all(["nDCG@10,AP", "success"]))
    ['nDCG@10', 'AP', 'success_1', 'success_5', 'success_10']
    """
    several = [measures] if isinstance(measures, (str, Measure)) or not np.iterable(measures) else list(measures)
    if not several:
        raise InputError("expected at least one measure, got none")
    parsed: dict[str, Measure] = {}
    for m in several:
        if isinstance(m, str) and split_names(m, blanks=False):
            for name in split_names(m, blanks=False):
                parsed |= as_asked(name)
        else:
            parsed[str(m)] = parse(m)
    return parsed


class JudgedScores(NamedTuple):
    """Scores and grades grouped by query; ``pool`` lists all judged grades where some were not retrieved.

    ``span`` is the smallest and the largest grade, 0 included. ``sampled`` marks documents of the pool that were left
    unjudged.
    """

    scores: np.ndarray
    grades: Any
    ptr: np.ndarray
    query_ids: np.ndarray
    doc_ids: np.ndarray | None
    span: tuple[float, float]
    pool: tuple[np.ndarray, np.ndarray] | None = None
    sampled: np.ndarray | None = None


def evaluate(
    measures: Any,
    y: Any,
    scores: Any,
    qid: Any = None,
    ties: str = "expected",
    empty: str = "zero",
    doc_ids: Any = None,
    threads: int | None = None,
) -> Report:
    """Evaluate scores against grades, query by query.

    Args:
        measures: a name or several, see :func:`parse`; ``rankine measures`` lists them.
        y: grades, larger is better; or :class:`~rankine.Preferences` for the measure ``WPD``.
        scores: one score per document, larger is ranked higher.
        qid: query ids, in any order; without them all documents are one query, and ``OneQueryWarning`` says so of more
            than 1,000.
        ties: ``"expected"`` (the exact mean over all orders that agree with the scores), ``"trec"`` (as trec_eval:
            scores in single precision, then document id descending; needs ``doc_ids``) or ``"stable"`` (input order).
        empty: the value of a query without a relevant document: ``"zero"``, ``"one"``, or ``"skip"`` to leave it out.
        doc_ids: document ids, for ``ties="trec"``.
        threads: by default one per core.

    >>> report = evaluate(["nDCG@10", "AP"], y=[2, 0, 1], scores=[0.3, 0.9, 0.1], qid=["a", "a", "a"])
    >>> report.mean["AP"]
    0.5833333333333333
    """
    parsed = parse_all(measures)
    check_ties(ties, doc_ids)
    data = _grouped(y, scores, qid, doc_ids)
    if qid is None and len(data.scores) > LONG_QUERY:
        warn_of_rows(len(data.scores), LONG_QUERY_REASON, 3)
    return report_of(parsed, data, ties, empty, thread_count(threads))


def _grouped(y: Any, scores: Any, qid: Any, doc_ids: Any) -> JudgedScores:
    values = as_numbers(scores, "scores")
    check_finite(values, "scores")
    grades, span = y, (0.0, 0.0)
    if not isinstance(y, Preferences):
        grades = as_numbers(y, "y")
        span = float(grades.min(initial=0)), float(grades.max(initial=0))
        if not np.isfinite(span).all():
            check_finite(grades, "y")
    n = len(values)
    query = np.zeros(n, np.int64) if qid is None else as_ids(qid, "qid")
    documents = None if doc_ids is None else as_ids(doc_ids, "doc_ids")
    for name, column in (("y", grades), ("qid", query), ("doc_ids", documents)):
        if column is not None and not isinstance(column, Preferences) and len(column) != n:
            raise InputError(f"there are {n} scores but {name} has {len(column)} entries")
    if n == 0:
        raise InputError("expected at least one document, got none")
    groups = group_rows(query)
    if groups.order is not None:
        values = values[groups.order]
        grades = grades.take(groups.order, n) if isinstance(grades, Preferences) else grades[groups.order]
        documents = None if documents is None else documents[groups.order]
    if isinstance(grades, Preferences):
        grades.check(groups.ptr)
    return JudgedScores(values, grades, groups.ptr, groups.ids, documents, span)


def report_of(parsed: dict[str, Measure], data: JudgedScores, ties: str, empty: str, threads: int) -> Report:
    """Evaluate grouped data; :func:`evaluate` and :func:`evaluate_run` both end here."""
    if empty not in EMPTY:
        raise InputError(f"empty must be one of {', '.join(EMPTY)}; got {empty!r}")
    supervision = "preferences" if isinstance(data.grades, Preferences) else "grades"
    for name, measure in parsed.items():
        if TABLE[measure.name].supervision != supervision:
            raise InputError(f"{name} needs {TABLE[measure.name].supervision}, y holds {supervision}")
    if supervision == "preferences":
        columns = _preference_values(list(parsed.values()), data, ties)
    else:
        columns = _grade_values(parsed, data, ties, threads)
    fill = {"zero": 0.0, "one": 1.0, "skip": np.nan}[empty]
    per_query = {n: np.where(np.isnan(c), fill, c) for n, c in zip(parsed, columns, strict=True)}
    mean = {n: summary(parsed[n], c[~np.isnan(c)]) for n, c in per_query.items()}
    uncounted = uncounted_note(parsed, data.grades if data.pool is None else data.pool[0])
    return Report(mean, per_query, data.query_ids, tuple(parsed.values()), uncounted)


def summary(measure: Measure, values: np.ndarray) -> float:
    """One number for the values of several queries: their mean, geometric mean or sum; NaN of none."""
    kind = TABLE[measure.name].summary
    if len(values) == 0:
        return np.nan
    if kind == "geometric":
        return float(np.exp(np.log(np.maximum(values, _SMALLEST_OF_GEOMETRIC)).mean()))
    return float(values.sum() if kind == "sum" else values.mean())


def _check_order(parsed: dict[str, Measure], lists: Lists, query_ids: np.ndarray) -> None:
    """Raise if equal scores are left to average over and a measure has no closed form for that."""
    names = [name for name, measure in parsed.items() if TABLE[measure.name].needs_order]
    if names and lists.tied.any():
        query = query_ids[np.flatnonzero(lists.tied)[0]]
        hint = "ties='trec' or ties='stable' (--ties) gives one"
        raise InputError(f"{names[0]} needs an order of documents with equal scores: {hint}", f"query {query}")


def _check_not_negative(parsed: dict[str, Measure], data: JudgedScores) -> None:
    graded = [name for name, measure in parsed.items() if TABLE[measure.name].graded]
    if graded:
        row = int(np.flatnonzero(data.grades < 0)[0])
        query = data.query_ids[np.searchsorted(data.ptr, row, side="right") - 1]
        raise InputError(f"{graded[0]} needs grades ≥ 0, got {data.grades[row]:g}", f"query {query}, row {row}")


def _scratch() -> Scratch:
    """This thread's scratch arrays."""
    if not hasattr(_local, "scratch"):
        _local.scratch = Scratch()
    return _local.scratch


def _tasks(ptr: np.ndarray) -> Iterator[tuple[int, int]]:
    """Ranges of queries of about equal work."""
    cuts = np.searchsorted(ptr, np.arange(_DOCUMENTS_PER_TASK, ptr[-1], _DOCUMENTS_PER_TASK))
    edges = np.unique(np.concatenate([[0], cuts, [len(ptr) - 1]]))
    return zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)


def _grade_values(parsed: dict[str, Measure], data: JudgedScores, ties: str, threads: int) -> list[np.ndarray]:
    smallest, largest = data.span
    if smallest < 0:
        _check_not_negative(parsed, data)
    if largest > _LARGEST_GRADE and any(m.is_exponential for m in parsed.values()):
        raise InputError(f"grades above {_LARGEST_GRADE} overflow the gain 2^g − 1, got {largest:g}")
    calls = [(TABLE[m.name].function, dict(m.params)) for m in parsed.values()]

    def work(task: tuple[int, int]) -> list[np.ndarray]:
        first, last = task
        lo, hi = data.ptr[first], data.ptr[last]
        pool = None
        if data.pool is not None:
            ends = data.pool[1][first : last + 1]
            pool = data.pool[0][ends[0] : ends[-1]], ends - ends[0]
        ids = None if data.doc_ids is None else data.doc_ids[lo:hi]
        ptr = data.ptr[first : last + 1] - lo
        sampled = None if data.sampled is None else data.sampled[lo:hi]
        lists = ranked_lists(data.scores[lo:hi], data.grades[lo:hi], ptr, ties, ids, pool, _scratch(), sampled)
        _check_order(parsed, lists, data.query_ids[first:last])
        ranked = Ranked(lists, largest)
        return [function(ranked, **params) for function, params in calls]

    results = shared_map(work, list(_tasks(data.ptr)), threads)
    return [np.concatenate(column) for column in zip(*results, strict=True)]


def _preference_values(measures: list[Measure], data: JudgedScores, ties: str) -> list[np.ndarray]:
    order, tie_end, tied = rank_rows(data.scores, data.ptr, ties, data.doc_ids, Scratch())
    place = np.empty(len(order), np.int64)
    starts = np.arange(len(order))
    for q in np.flatnonzero(tied):
        i = data.ptr[q]
        while i < data.ptr[q + 1]:
            starts[i : tie_end[i]] = i
            i = tie_end[i]
    place[order] = starts
    graph = data.grades
    winner, loser = place[graph.winner_row], place[graph.loser_row]
    cost = graph.weight * (np.where(winner > loser, 1.0, 0.0) + np.where(winner == loser, 0.5, 0.0))
    query = np.searchsorted(data.ptr, graph.winner_row, side="right") - 1
    n = len(data.ptr) - 1
    lost = np.bincount(query, cost, minlength=n)
    total = np.bincount(query, graph.weight, minlength=n)
    return [TABLE[m.name].function(lost, total, **dict(m.params)) for m in measures]
