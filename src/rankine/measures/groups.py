"""Evaluation of runs against judgments in groups: of several people, of preferences, of subtopics."""

from __future__ import annotations

import numpy as np

from ..errors import InputError, naming
from ..io.trec.groups import JudgmentGroups
from ..io.trec.reader import TrecTable
from ..system.parallel import thread_count
from .evaluation import Report, report_of, summary
from .joining import HANDFUL, apart, join
from .names import Measure
from .table import TABLE
from .trec_eval.diversity import subtopic_list
from .trec_eval.preferences import Group, PreferenceCounts

GROUPED = ("preferences in groups", "judgment groups", "subtopics")


def evaluate_groups(
    parsed: dict[str, Measure],
    judgments: JudgmentGroups,
    run: TrecTable,
    ties: str,
    complete: bool,
    judged_only: bool,
    empty: str,
    threads: int | None,
) -> Report:
    """Evaluate a run against judgments in groups; :func:`evaluate_run` ends here if a measure needs them."""
    if ties == "expected":
        raise InputError("measures of judgments in groups need an order of equal scores: use ties='trec' or 'stable'")
    retrieved = set(run.query_ids)
    names = [q for q in judgments.query_ids if complete or q in retrieved]
    if not names:
        raise apart("the run and the judgments have no query in common", run.query_ids, judgments.query_ids)
    if len(run) >= HANDFUL and not set(judgments.document_ids) & set(run.document_ids):
        raise apart("no document of the run is judged", run.document_ids, judgments.document_ids)
    values = {name: np.ones(len(names)) for name, m in parsed.items() if m.name == "NumQ"}
    people = {name: m for name, m in parsed.items() if TABLE[m.name].supervision == "judgment groups"}
    if people:
        values |= _over_people(people, judgments, run, names, ties, judged_only, threads)
    # trec_eval ranks equal scores by document id: descending, but ascending for preferences
    for kind, ascending in (("subtopics", False), ("preferences in groups", True)):
        measures = {name: m for name, m in parsed.items() if TABLE[m.name].supervision == kind}
        if measures:
            values |= _by_query(measures, judgments, names, _ranks(run, ties, ascending), judged_only)
    fill = {"zero": 0.0, "one": 1.0, "skip": np.nan}[empty]
    per_query = {name: np.where(np.isnan(values[name]), fill, values[name]) for name in parsed}
    mean = {name: summary(parsed[name], column[~np.isnan(column)]) for name, column in per_query.items()}
    return Report(mean, per_query, np.array(names, object), tuple(parsed.values()))


def _over_people(
    parsed: dict[str, Measure],
    judgments: JudgmentGroups,
    run: TrecTable,
    names: list[str],
    ties: str,
    judged_only: bool,
    threads: int | None,
) -> dict[str, np.ndarray]:
    """Measures of single judgments, averaged over the groups of each query: every group is taken for a query."""
    pairs, pair = np.unique(judgments.query * len(judgments.group_ids) + judgments.group, return_inverse=True)
    query_of_pair = pairs // len(judgments.group_ids)
    pair_ids = [str(i) for i in range(len(pairs))]
    qrels = TrecTable(
        pair.astype(np.int32), judgments.document.astype(np.int32), judgments.value, pair_ids, judgments.document_ids
    )
    number = {name: i for i, name in enumerate(run.query_ids)}
    rows, copies = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for i, q in enumerate(query_of_pair.tolist()):
        mine = np.flatnonzero(run.query == number.get(judgments.query_ids[q], -1))
        rows.append(mine)
        copies.append(np.full(len(mine), i))
    taken = np.concatenate(rows)
    lists = TrecTable(
        np.concatenate(copies).astype(np.int32), run.document[taken], run.value[taken], pair_ids, run.document_ids
    )
    single = {name: Measure(m.name.removeprefix("Group"), m.params) for name, m in parsed.items()}
    report = report_of(single, join(qrels, lists, True, judged_only), ties, "zero", thread_count(threads))
    place = {name: i for i, name in enumerate(judgments.query_ids)}
    query = query_of_pair[np.array([int(p) for p in report.query_ids])]
    size = np.bincount(query, minlength=len(place))
    evaluated = [place[name] for name in names]
    return {
        name: (np.bincount(query, column, minlength=len(place)) / np.maximum(size, 1))[evaluated]
        for name, column in report.per_query.items()
    }


def _ranks(run: TrecTable, ties: str, ascending: bool) -> dict[str, dict[str, int]]:
    """The rank of each document in the list of each query, of equal scores by document id."""
    by_name = np.argsort(np.argsort(np.array(run.document_ids, object), kind="stable"), kind="stable")
    with np.errstate(over="ignore"):
        score = run.value.astype(np.float32) if ties == "trec" else run.value
    second = by_name[run.document] * (1 if ascending else -1) if ties == "trec" else np.arange(len(run))
    order = np.lexsort((second, -score, run.query))
    ranks: dict[str, dict[str, int]] = {name: {} for name in run.query_ids}
    for q, d in zip(run.query[order].tolist(), run.document[order].tolist(), strict=True):
        ranks[run.query_ids[q]][run.document_ids[d]] = len(ranks[run.query_ids[q]])
    return ranks


def _by_query(
    parsed: dict[str, Measure],
    judgments: JudgmentGroups,
    names: list[str],
    ranks: dict[str, dict[str, int]],
    judged_only: bool,
) -> dict[str, np.ndarray]:
    """The values of measures, query by query; ``judged_only`` leaves out documents that no group of a query judges."""
    order = np.argsort(judgments.query, kind="stable")
    ends = np.searchsorted(judgments.query[order], np.arange(len(judgments.query_ids) + 1))
    place = {name: i for i, name in enumerate(judgments.query_ids)}
    columns = []
    for name in names:
        rows = order[ends[place[name]] : ends[place[name] + 1]]
        rank = ranks.get(name, {})
        if judged_only:
            documents = {judgments.document_ids[d] for d in judgments.document[rows].tolist()}
            rank = {d: r for d, r in rank.items() if d in documents}
        with naming(f"query {name}"):
            columns.append(_query_values(parsed, judgments, rows, rank))
    return dict(zip(parsed, np.array(columns, float).T, strict=True))


def _query_values(
    parsed: dict[str, Measure],
    judgments: JudgmentGroups,
    rows: np.ndarray,
    rank: dict[str, int],
) -> list[float]:
    """The values of a query for measures of preferences, or of subtopics."""
    counts = None
    out = []
    for measure in parsed.values():
        row, params = TABLE[measure.name], dict(measure.params)
        if row.supervision == "subtopics":
            out.append(float(row.function(subtopic_list(judgments, rows, rank), **params)))
        else:
            counts = counts or _preference_counts(judgments, rows, rank)
            out.append(float(row.function(counts, **params)))
    return out


def _preference_counts(judgments: JudgmentGroups, rows: np.ndarray, rank: dict[str, int]) -> PreferenceCounts:
    codes = np.unique(judgments.document[rows])
    names = [judgments.document_ids[c] for c in codes]
    order = sorted(range(len(codes)), key=lambda i: (names[i] not in rank, rank.get(names[i], 0), names[i].encode()))
    place = np.empty(len(codes), np.int64)
    place[order] = np.arange(len(codes))
    places = place[np.searchsorted(codes, judgments.document[rows])]
    groups = []
    for g in dict.fromkeys(judgments.group[rows].tolist()):
        mine = judgments.group[rows] == g
        groups.append(Group(places[mine], judgments.value[rows][mine], judgments.subgroup[rows][mine]))
    return PreferenceCounts(tuple(groups), len(codes), sum(n in rank for n in names))
