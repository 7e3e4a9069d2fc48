"""What AutoRanker says: about the data, about what was chosen, and about what was not shown."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ...data.ranking_data import RankingData
from ...measures import parse
from ...measures.table import TABLE as MEASURES
from ..training import NothingLearnedWarning, nothing_to_learn, relevant_from
from .outcome import CHANCE, Outcome

ONE_QUERY = (
    "There is one query: nothing can be held out to judge on, so there is no estimate. A linear ranker was fitted."
)
NULL_MODEL = "It learned nothing: it scores all documents alike."
FEW = 30  # queries


def about_data(data: RankingData, measure: str) -> list[str]:
    """Sentences on data that is unusual: grades, list lengths, features."""
    lines = []
    levels = np.unique(data.y)
    if (levels != np.round(levels)).any():
        lines.append(f"Some grades are not whole numbers. They are taken as they are: {_taken(measure)}.")
    if levels.min() < 0:
        lines.append(f"Some grades are negative. They are taken as they are: {_taken(measure)}.")
    if levels.max() > 10 and _is_exponential(measure):
        lines.append(
            f"The largest grade is {levels.max():g}. With a gain of 2^grade − 1 it outweighs all others; "
            "nDCG(dcg='log2') counts grades themselves."
        )
    lengths = np.diff(data.ptr)
    problem = nothing_to_learn(data.y, data.ptr, measure)
    if problem:
        lines.append(f"{problem[0].upper()}{problem[1:]}.")
    if lengths.max() > 1 and (lengths == 1).any():
        lines.append(f"{int((lengths == 1).sum())} queries have one document, and nothing to rank.")
    cutoff = parse(measure).cutoff
    if cutoff is not None and cutoff > lengths.max():
        lines.append(f"No query has {cutoff} documents: {measure} looks at whole lists.")
    if data.n_features == 1:
        lines.append("There is one feature: all that can be learned is how to use it.")
    constant = _constant_features(data)
    if constant.all():
        lines.append("Every feature is constant within every query: no ranking can be learned from them.")
    elif constant.any():
        lines.append(f"{int(constant.sum())} of {data.n_features} features are constant within every query.")
    return lines


def _is_exponential(measure: str) -> bool:
    """Whether a gain is 2^grade − 1."""
    return parse(measure).is_exponential


def _taken(measure: str) -> str:
    """What a measure makes of a grade."""
    if MEASURES[parse(measure).name].graded:
        return "a gain is 2^grade − 1" if _is_exponential(measure) else "a gain is the grade itself"
    relevant = relevant_from(measure)
    return "only their order counts" if relevant is None else f"a document is relevant from grade {relevant:g} on"


def _constant_features(data: RankingData) -> np.ndarray:
    """Which features are constant within every query."""
    if data.is_sparse:
        return _constant_columns(data)
    out = np.ones(data.n_features, bool)
    for f in range(data.n_features):
        out[f] = _is_constant(data.X[:, f], data.ptr)
    return out


def _constant_columns(data: RankingData) -> np.ndarray:
    """The same for a sparse matrix: within a query no value of a column is stored, or all are and they are equal."""
    out = np.ones(data.n_features, bool)
    X = data.X.tocoo()
    stored = X.data != 0
    row, column, value = X.row[stored], X.col[stored], X.data[stored]
    if not len(value):
        return out
    lengths = np.diff(data.ptr)
    query = np.repeat(np.arange(data.n_queries), lengths)[row]
    order = np.lexsort((query, column))
    query, column, value = query[order], column[order], value[order]
    first = np.flatnonzero((np.diff(column, prepend=-1) != 0) | (np.diff(query, prepend=-1) != 0))
    counts = np.diff(first, append=len(value))
    equal = np.maximum.reduceat(value, first) == np.minimum.reduceat(value, first)
    out[column[first[~equal | (counts != lengths[query[first]])]]] = False
    return out


def _is_constant(column: np.ndarray, ptr: np.ndarray) -> bool:
    return bool((np.maximum.reduceat(column, ptr[:-1]) == np.minimum.reduceat(column, ptr[:-1])).all())


def report_lines(outcome: Outcome, best: Any, data: RankingData, measure: str) -> list[str]:
    """The sentences of the report, the most important first."""
    lines = [] if outcome.learned else [_nothing_learned(outcome, measure)]
    lines.append(f"Best at {measure}: {described(outcome, best, data)}.")
    lines.append(_estimate(outcome, measure))
    if outcome.best.members and outcome.without_fusion is not None:
        lines.append(
            f"One candidate alone would be worth {outcome.without_fusion:.4f}: a row of the leaderboard above the "
            "fusion is the best of many."
        )
    lines += _floor_lines(outcome, data, measure)
    queries = outcome.judged.n_queries
    if 1 < queries < FEW:
        lines.append(f"{queries} queries are few: most differences cannot be shown, and the interval is wide.")
    lines += _stop_lines(outcome)
    return lines


def _estimate(outcome: Outcome, measure: str) -> str:
    """What to expect on new queries."""
    mean, low, high = outcome.estimate
    n = len(outcome.configurations)
    if not np.isfinite(low):
        return f"On the only query that was judged on {measure} is {mean:.4f}: that says little about new ones."
    text = f"On new queries expect {measure} {mean:.4f}, 90 % interval {low:.4f} to {high:.4f}."
    if n == 1:
        return text
    text += f" That is corrected for the choice among {n} configurations"
    better = outcome.uncorrected < mean if outcome.is_error else outcome.uncorrected > mean
    if not better:
        return text + "."
    return text + f"; their best mean, {outcome.uncorrected:.4f}, is too good to be expected."


def _nothing_learned(outcome: Outcome, measure: str) -> str:
    chance = float(np.average(outcome.chance, weights=outcome.weights))
    shown = 1 - chance if outcome.is_error else chance
    n, queries = len(outcome.configurations), outcome.judged.n_queries
    if n * 0.5**queries >= CHANCE:
        return (
            f"Nothing is shown to be learned: with {queries} quer{'y' if queries == 1 else 'ies'} the best of {n} "
            f"configurations can never be told from chance ({measure} {shown:.4f} in random order, "
            f"{outcome.uncorrected:.4f} at best)."
        )
    return (
        f"Nothing was learned: no candidate is shown to rank better than chance ({measure} {shown:.4f} in random "
        f"order, {outcome.uncorrected:.4f} at best; p = {outcome.p_of_chance:.2g}, {CHANCE:g} would be needed)."
    )


def described(outcome: Outcome, best: Any, data: RankingData) -> str:
    """The best model in words."""
    from .leaderboard import settings_text

    c = outcome.best
    if not c.members:
        settings = settings_text(c.params)
        feature = f" ({feature_name(best, data)})" if hasattr(best, "feature_") else ""
        return c.name + feature + ("" if settings == "-" else f", {settings}")
    parts = [
        f"{weight:.2f} × {member.name}" + (f" ({settings_text(member.params)})" if member.params else "")
        for member, weight in zip(c.members, c.weights, strict=True)
    ]
    return f"{c.name} of " + " + ".join(parts)


def feature_name(model: Any, data: RankingData) -> str:
    """The feature of a SingleFeature by its name, or by its number as in sparse text; its sign if it is −."""
    first = 1 if data.numbering is None else data.numbering.first
    name = f"feature {model.feature_ + first}" if data.feature_names is None else data.feature_names[model.feature_]
    return name if model.coef_[model.feature_] > 0 else f"minus {name}"


def _floor_lines(outcome: Outcome, data: RankingData, measure: str) -> list[str]:
    """The comparison with the simplest candidate."""
    if outcome.floor is None:
        return []
    floor = outcome.configurations[outcome.floor]
    name = floor.name
    if floor.candidate is not None and floor.candidate.ranker == "single":
        from ..baselines import SingleFeature

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NothingLearnedWarning)  # the report says it of the whole
            name = feature_name(SingleFeature(measure, both_signs=True).fit(data), data)
    mean = outcome.in_units_of(float(outcome.means[outcome.floor]))
    if outcome.over_floor is None:
        return [f"No candidate has a better mean than {name}."]
    gain, low, high = outcome.over_floor
    verdict = (
        f"the best is better by {gain:.4f} ({low:.4f} to {high:.4f})"
        if low > 0
        else "the best is not shown to be better"
    )
    return [f"The simplest candidate, {name} alone, reaches {mean:.4f}: {verdict}."]


def _stop_lines(outcome: Outcome) -> list[str]:
    contest = outcome.contest
    complete = sum(contest.complete(e) and not e.stopped for e in contest.entries)
    total = sum(not e.stopped.startswith("not tried: needs") for e in contest.entries)
    lines = []
    if contest.interrupted:
        lines.append(f"Stopped after {complete} of {total} candidates.")
    elif contest.out_of_time:
        lines.append(f"The time was over after {complete} of {total} candidates.")
    needing = "not tried: needs the extra "
    missing = sorted({e.stopped.removeprefix(needing) for e in contest.entries if e.stopped.startswith(needing)})
    if missing:
        lines.append(f"Not tried, because an extra is not installed: what needs {' or '.join(missing)}.")
    failed = [e.candidate.name for e in contest.entries if e.stopped.startswith("failed")]
    if failed:
        lines.append(f"Failed: {', '.join(failed)} (see the leaderboard).")
    return lines
