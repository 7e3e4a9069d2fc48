"""What trec_eval prints: its measures in its order, query by query and in summary, byte for byte.

Queries stand in the order of their names' bytes, and sums are taken in this order, for the last digit may depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import InputError, nearest
from ..io.notes import said
from ..io.trec.groups import JudgmentGroups
from ..io.trec.reader import TrecTable
from ..system.parallel import thread_count
from .evaluation import JudgedScores, report_of
from .groups import GROUPED, evaluate_groups
from .joining import check_names, join, shortened
from .names import Measure, expand, parse
from .ranking import Scratch, rank_rows
from .table import TABLE
from .trec_eval.names import NICKNAMES, TREC_NAMES, split_trec, trec_members

_ONLY_IN_SUMMARY = ("runid", "num_q", "gm_map", "gm_bpref")
_SINCE_10 = ("rbp", "rbp_resid", "unj")  # of all_trec
_SMALLEST = 0.00001  # of a geometric mean
_GROUPED_MEASURES = ("", "NumQ", *(name for name, row in TABLE.items() if row.supervision in GROUPED))


@dataclass(frozen=True)
class TrecOptions:
    """The options of trec_eval: -q, -n, -c, -J, -l, -N, -M; and its version, 9 or 10."""

    per_query: bool = False
    summary: bool = True
    complete: bool = False
    judged_only: bool = False
    level: int = 1
    documents: int = 0
    depth: int | None = None
    version: int = 10


def requested(names: Sequence[str], version: int = 10) -> dict[str, str | None]:
    """The measures of ``-m`` in trec_eval's order, each with the parameters after its dot.

    >>> requested(["recall.7", "map"]), list(requested([]))[:3]
    ({'map': None, 'recall': '7'}, ['runid', 'num_q', 'num_ret'])
    """
    asked: dict[str, str | None] = {}
    for name in names or ["official"]:
        if name in NICKNAMES:
            members = [m for m in NICKNAMES[name] if version >= 10 or m not in _SINCE_10]
            asked = dict.fromkeys(members) | asked
            continue
        split = split_trec(name)
        if split is None:
            hint = _with_dot(name) or nearest(name, [*NICKNAMES, *TREC_NAMES])
            raise InputError(f"trec_eval has no measure {name!r}.{hint} `rankine evaluate -m` takes all others")
        asked[split[0]] = split[1]
    return {name: asked[name] for name in TREC_NAMES if name in asked}


def _with_dot(name: str) -> str:
    """The hint for a cutoff after @, as in NDCG@10; empty if it is something else."""
    try:
        measure = parse(name)
    except InputError:
        return ""
    families = [t for t, row in TREC_NAMES.items() if row.measure == measure.name and "cutoff" in row.takes]
    return f" Did you mean '{families[0]}.{measure.cutoff}'?" if families and measure.cutoff else ""


def trec_lines(
    qrels: TrecTable | JudgmentGroups, run: TrecTable, names: Sequence[str], options: TrecOptions
) -> Iterator[str]:
    """The lines that trec_eval prints for a run and judgments."""
    asked = requested(names, options.version)
    if options.depth is not None:
        run = shortened(run, options.depth)
    if isinstance(qrels, JudgmentGroups):
        queries, columns = _grouped_columns(asked, qrels, run, options)
    else:
        qrels = _whole_grades(qrels)
        data = join(qrels, run, options.complete, options.judged_only)
        check_names(qrels, run, data)
        queries, columns = data.query_ids, _columns(asked, data, options)
    order = sorted(range(len(queries)), key=lambda i: str(queries[i]).encode())
    if options.per_query:
        retrieved = set(run.query_ids)
        for i in (i for i in order if options.version >= 10 or queries[i] in retrieved):
            for name, column in columns.items():
                if column.per_query:
                    yield f"{name:<22}\t{queries[i]}\t{column.written(column.values[i])}"
    if options.summary:
        for name, column in columns.items():
            if name == "runid":
                yield f"{name:<22}\tall\t{run.tag}"
            elif column.measure is not None:
                total = _summary(column.measure, [column.values[i] for i in order])
                yield f"{name:<22}\tall\t{column.written(total)}"


def _whole_grades(qrels: TrecTable) -> TrecTable:
    """Judgments with whole grades: trec_eval cuts what stands behind the point."""
    whole = np.trunc(qrels.value)
    if (whole == qrels.value).all():
        return qrels
    said("trec_eval knows whole grades only, what stands behind the point is cut: `rankine evaluate` keeps it")
    return replace(qrels, value=whole)


@dataclass(frozen=True)
class _Column:
    """The values of a printed name, one for each query."""

    values: Any
    measure: Measure | None = None
    is_count: bool = False
    per_query: bool = True

    def written(self, value: Any) -> str:
        if self.measure is None:
            return f"'{value}'"
        return f"{int(value)}" if self.is_count else f"{value:6.4f}"


def _measures(asked: dict[str, str | None], options: TrecOptions) -> dict[str, dict[str, Measure]]:
    """The measures of each name that is no text, by the names that are printed."""
    presets = {"rel": options.level, "documents": options.documents, "version": options.version}
    return {
        name: expand(name if following is None else f"{name}.{following}", **presets)
        for name, following in asked.items()
        if not TREC_NAMES[name].is_text
    }


def _columns(asked: dict[str, str | None], data: JudgedScores, options: TrecOptions) -> dict[str, _Column]:
    """All that is printed, in order; the numbers are evaluated together."""
    members = _measures(asked, options)
    parsed = {spelled: measure for family in members.values() for spelled, measure in family.items()}
    for name, measure in parsed.items():
        if TABLE[measure.name].supervision in GROUPED:
            raise InputError(f"{name} needs {TABLE[measure.name].supervision}: give the format of the judgments by -R")
    values = report_of(parsed, data, "trec", "zero", thread_count(None)).per_query if parsed else {}
    columns: dict[str, _Column] = {}
    for name, following in asked.items():
        if name == "relstring":
            ((spelled, params),) = trec_members(name, following).items()
            columns[spelled] = _Column(_relevance_strings(data, int(params.get("length", 10))))
        else:
            columns |= _number_columns(name, members.get(name, {}), values)
    return columns


def _grouped_columns(
    asked: dict[str, str | None], judgments: JudgmentGroups, run: TrecTable, options: TrecOptions
) -> tuple[np.ndarray, dict[str, _Column]]:
    """The same for judgments in groups."""
    members = _measures(asked, options)
    parsed = {spelled: measure for family in members.values() for spelled, measure in family.items()}
    plain = [n for n in asked if n == "relstring" or TREC_NAMES[n].measure not in _GROUPED_MEASURES]
    if plain:
        raise InputError(f"{plain[0]} needs plain judgments, -R qrels")
    report = evaluate_groups(parsed, judgments, run, "trec", options.complete, options.judged_only, "zero", None)
    columns: dict[str, _Column] = {}
    for name in asked:
        columns |= _number_columns(name, members.get(name, {}), report.per_query)
    return report.query_ids, columns


def _number_columns(name: str, family: dict[str, Measure], values: dict[str, np.ndarray]) -> dict[str, _Column]:
    if name == "runid":
        return {name: _Column(None, per_query=False)}
    count, single = TREC_NAMES[name].is_count, name not in _ONLY_IN_SUMMARY
    return {spelled: _Column(values[spelled], m, count, single) for spelled, m in family.items()}


def _relevance_strings(data: JudgedScores, length: int) -> list[str]:
    """The grades of the first documents: ``-`` is not in the pool, ``.`` in it and not judged, ``>`` above 9."""
    order, _, _ = rank_rows(data.scores, data.ptr, "trec", data.doc_ids, Scratch())
    out = []
    for lo, hi in zip(data.ptr[:-1].tolist(), data.ptr[1:].tolist(), strict=True):
        text = ""
        for row in order[lo : min(hi, lo + max(length, 0))].tolist():
            grade = data.grades[row]
            if np.isnan(grade):
                text += "." if data.sampled is not None and data.sampled[row] else "-"
            else:
                text += ">" if grade > 9 else str(int(grade))
        out.append(text)
    return out


def _summary(measure: Measure, values: list[float]) -> float:
    """The summary of the values of queries, added one after the other."""
    kind = TABLE[measure.name].summary
    terms = np.log(np.maximum(values, _SMALLEST)) if kind == "geometric" else np.array(values)
    total = float(np.cumsum(terms)[-1])
    if kind == "sum":
        return total
    return float(np.exp(total / len(values))) if kind == "geometric" else total / len(values)
