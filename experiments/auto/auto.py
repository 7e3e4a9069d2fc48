"""AutoRanker measured: beside other libraries, against the truth, on random grades, against its floor, on the clock.

Declared before it was run. Every job is kept in the folder of the report, so a run that was stopped goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from rankine.errors import InputError, needs, unknown
from rankine.measures import parse
from rankine.measures.compare import Pair, compare_reports
from rankine.measures.evaluation import Report
from rankine.system.report import Section, write, write_page

from ..collections import LETOR_SETS, check_letor_sets
from ..table import Results
from .honesty import (
    CHANCE_MEASURES,
    NOISE,
    REAL,
    SYNTHETIC,
    ChanceResult,
    HonestyJob,
    HonestyResult,
    honesty_candidates,
    run_chance,
    run_honesty,
    shares,
)
from .jobs import results
from .peers import AUTO, LIGHTGBM, MEASURES, SAMPLE, SINGLE, TUNED, PeerJob, PeerResult, peers, run_peer
from .time import GOALS as SECONDS
from .time import TimeJob, TimeResult, run_time

FLOOR_MEASURES = ("nDCG@10", "AP", "RR", "P@5", "ERR@20")
GOALS = {("mq2008", "nDCG@10"): 0.510, ("mq2008", "AP"): 0.485, ("ohsumed", "nDCG@10"): 0.455, ("ohsumed", "AP"): 0.452}
BIAS, COVERAGE, CHANCE, FLOOR = 0.003, (0.85, 0.95), 0.02, -0.005  # goals
LEVEL = 0.05
UNLIMITED = 1e9  # seconds
_Z = 1.645  # 90 % of a normal distribution lie within so many standard deviations


def _on_folds(data: Sequence[str], system: str, measures: tuple[str, ...]) -> list[PeerJob]:
    return [PeerJob(name, fold, system, measures) for name in data for fold in range(5)]


def run_peers(data: Sequence[str], workers: int, folder: Path) -> dict[PeerJob, PeerResult]:
    """All systems on all test folds; AutoRanker first, for its time is the time of the tuned ones."""
    needs("lightgbm", "boost")
    needs("xgboost", "boost")
    jobs = [job for system in (AUTO, SINGLE) for m in MEASURES for job in _on_folds(data, system, (m,))]
    out = _done(jobs, workers, folder)
    rest = [s for s in peers() if s != SINGLE]
    fixed = [job for s in rest if not s.endswith(TUNED) for job in _on_folds(data, s, MEASURES)]
    out |= _done(fixed, workers, folder)
    tuned = []
    for job in [job for s in rest if s.endswith(TUNED) for job in _on_folds(data, s, MEASURES)]:
        seconds = max(out[PeerJob(job.collection, job.fold, AUTO, (m,))]["seconds"] for m in MEASURES)
        tuned.append(job._replace(seconds=round(seconds, 1)))
    return out | _done(tuned, workers, folder)


def _done(jobs: list[PeerJob], workers: int, folder: Path) -> dict[PeerJob, PeerResult]:
    return dict(zip(jobs, results(run_peer, jobs, PeerResult, workers, folder / "peers"), strict=True))


def _pooled(outcome: dict[PeerJob, PeerResult], name: str, system: str, measure: str) -> np.ndarray:
    """The measure of a system on the test queries of all folds."""
    parts = {
        job.fold: result["measured"][measure]
        for job, result in outcome.items()
        if (job.collection, job.system) == (name, system) and measure in job.measures
    }
    return np.concatenate([parts[fold] for fold in sorted(parts)])


def _spent(outcome: dict[PeerJob, PeerResult], name: str, system: str, measure: str) -> tuple[str, str]:
    """Processor seconds and settings tried, means over the folds; AutoRanker's and the feature's are not counted."""
    of = [
        result for job, result in outcome.items()
        if (job.collection, job.system) == (name, system) and measure in job.measures
    ]  # fmt: skip
    tried = "-" if system in (AUTO, SINGLE) else f"{np.mean([r['tried'] for r in of]):.1f}"
    return f"{np.mean([r['seconds'] for r in of]):.1f}", tried


def _report(values: np.ndarray, measure: str) -> Report:
    return Report({measure: float(values.mean())}, {measure: values}, np.arange(len(values)), (parse(measure),))


def verdict(pair: Pair) -> str:
    """What is shown of AutoRanker against a system, the pair's first."""
    p = max(pair.wilcoxon_holm, pair.randomisation_holm)
    if p < LEVEL:
        return "AutoRanker is better" if pair.difference < 0 else "AutoRanker is worse"
    where = "above" if pair.difference < 0 else "below" if pair.difference > 0 else "equal"
    return f"AutoRanker is {where}" + ("" if where == "equal" else ", not shown")


PEER_COLUMNS = (
    "system", "mean", "AutoRanker − it, 95 % interval", "p (Wilcoxon, Holm)", "p (randomisation, Holm)",
    "processor seconds a fold", "settings tried", "verdict",
)  # fmt: skip


def peer_section(outcome: dict[PeerJob, PeerResult], name: str, measure: str, systems: Sequence[str]) -> Section:
    """AutoRanker against each of the systems, on one set and by one measure."""
    values = {s: _pooled(outcome, name, s, measure) for s in (AUTO, *systems)}
    pairs = compare_reports({s: _report(v, measure) for s, v in values.items()}, baseline=AUTO).pairs
    rows = [(AUTO, f"{values[AUTO].mean():.4f}", "-", "-", "-", *_spent(outcome, name, AUTO, measure), "-")]
    for pair in pairs:
        rows.append((
            pair.a, f"{pair.mean_a:.4f}", f"{-pair.difference:+.4f} [{-pair.high:+.4f}, {-pair.low:+.4f}]",
            f"{pair.wilcoxon_holm:.2g}", f"{pair.randomisation_holm:.2g}",
            *_spent(outcome, name, pair.a, measure), verdict(pair),
        ))  # fmt: skip
    return Section(f"{LETOR_SETS[name].title}, {measure}", _peer_words(pairs, name, measure), PEER_COLUMNS, rows)


def _peer_words(pairs: Sequence[Pair], name: str, measure: str) -> str:
    """The verdict on a set in a few sentences."""
    mean, n = pairs[0].mean_b, pairs[0].wins + pairs[0].ties + pairs[0].losses
    kinds: dict[str, list[str]] = {}
    for pair in pairs:
        kinds.setdefault(verdict(pair), []).append(pair.a)
    text = f"{n} test queries. " + " ".join(f"{kind}: {'; '.join(names)}." for kind, names in kinds.items())
    goal = GOALS.get((name, measure))
    if goal is not None:
        text += f" Goal at least {goal:.3f}: {'reached' if mean >= goal else 'not reached'} ({mean:.4f})."
    return text


def mean_section(outcome: dict[PeerJob, PeerResult], data: Sequence[str]) -> Section:
    """The mean over the sets, and by how much AutoRanker is above."""
    means = {
        s: [float(np.mean([_pooled(outcome, name, s, m).mean() for name in data])) for m in MEASURES]
        for s in (AUTO, *peers())
    }
    gains = {s: [a - v for a, v in zip(means[AUTO], of, strict=True)] for s, of in means.items()}
    rows = [
        (s, *(f"{v:.4f}" for v in of), *("-" if s == AUTO else f"{gain:+.4f}" for gain in gains[s]))
        for s, of in means.items()
    ]
    columns = ("system", *MEASURES, *(f"AutoRanker − it, {m}" for m in MEASURES))
    below = [s for s in means if min(gains[s]) < 0]
    text = f"AutoRanker is below {'; '.join(below)} in a measure." if below else "AutoRanker is above all in both."
    titles = ", ".join(LETOR_SETS[name].title for name in data)
    return Section(
        "Beside other libraries: mean over the sets", f"{titles}; five test folds each. {text}", columns, rows
    )


def peers_part(data: Sequence[str], sets: int, workers: int, folder: Path) -> list[Section]:
    """AutoRanker beside the other libraries."""
    outcome = run_peers(data, workers, folder)
    by_set = [peer_section(outcome, name, m, peers()) for name in data for m in MEASURES]
    return [mean_section(outcome, data), *by_set]


def grid_part(data: Sequence[str], sets: int, workers: int, folder: Path) -> list[Section]:
    """AutoRanker beside LightGBM that is tuned over its whole grid, however long that takes."""
    needs("lightgbm", "boost")
    outcome = _done([job for m in MEASURES for job in _on_folds(data, AUTO, (m,))], workers, folder)
    whole = [job._replace(seconds=UNLIMITED) for job in _on_folds(data, LIGHTGBM + TUNED, MEASURES)]
    outcome |= _done(whole, workers, folder)
    return [peer_section(outcome, name, m, [LIGHTGBM + TUNED]) for name in data for m in MEASURES]


def honesty_row(name: str, of: Sequence[HonestyResult]) -> tuple[str, ...]:
    """Biases with their standard errors, and coverage."""

    def mean(values: list[float]) -> str:
        error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
        return f"{np.mean(values):+.4f} ± {error:.4f}"

    plain, widened = coverage(of)
    off = [r["estimate"] - r["truth"] for r in of]
    return (
        name, str(len(of)), mean(off), mean([d - r["ease"] for d, r in zip(off, of, strict=True)]),
        mean([r["uncorrected"] - r["truth"] - r["ease"] for r in of]), mean([r["gain"] for r in of]),
        f"{plain:.1%}", f"{widened:.1%}", f"{np.mean([r['high'] - r['low'] for r in of]):.3f}",
    )  # fmt: skip


HONESTY_COLUMNS = (
    "sets", "number", "estimate − truth", "the same, ease of the set allowed for",
    "best mean − truth, ease allowed for", "gained by training on all instead of 4/5",
    "truth within the 90 % interval", "the same, error of the truth allowed for", "width of the interval",
)  # fmt: skip


def coverage(of: Sequence[HonestyResult]) -> tuple[float, float]:
    """How often the interval holds the truth: as it is, and widened by the standard error of the truth.

    >>> one = {"estimate": 0.5, "low": 0.4, "high": 0.6, "truth": 0.61, "error_of_truth": 0.05}
    >>> coverage([one])
    (0.0, 1.0)
    """
    plain, widened = [], []
    for r in of:
        off, extra = r["truth"] - r["estimate"], _Z * r["error_of_truth"]
        half = r["high"] - r["estimate"] if off > 0 else r["estimate"] - r["low"]
        plain.append(abs(off) <= half)
        widened.append(abs(off) <= np.hypot(half, extra))
    return float(np.mean(plain)), float(np.mean(widened))


def honesty_part(data: Sequence[str], sets: int, workers: int, folder: Path) -> list[Section]:
    """The estimate against the truth."""
    jobs = shares(sets)
    outcome = results(run_honesty, jobs, HonestyResult, workers, folder / "honesty")
    rows = []
    for source in (*REAL, SYNTHETIC):
        of = [r for job, r in zip(jobs, outcome, strict=True) if job.source == source]
        title = f"{REAL[source]} queries of {LETOR_SETS[source].title}" if source in REAL else "synthetic"
        rows += [honesty_row(title, of)] if of else []
        if source == SYNTHETIC:
            rows += _by_noise([(job, r) for job, r in zip(jobs, outcome, strict=True) if job.source == source])
    rows.append(honesty_row("all", outcome))
    text = (
        f"nDCG@10. Candidates: {', '.join(honesty_candidates())}, and the fusions of them. The truth is the mean over "
        "the queries that were not drawn, or over 20,000 fresh ones. It has an error of its own, which the last but "
        "one column allows for. The ease of a set is by how much a fixed ranker is better on it than on the queries of "
        f"the truth: 0 on the mean. Means with their standard errors. {_honesty_words(outcome)}"
    )
    choices = [r["choice"] for r in outcome]
    kinds = sorted(set(choices), key=lambda c: -choices.count(c))
    return [
        Section("The estimate against the truth", text, HONESTY_COLUMNS, rows),
        Section("What was best", "", ("candidate", "sets"), [(c, str(choices.count(c))) for c in kinds]),
    ]


def _by_noise(of: list[tuple[HonestyJob, HonestyResult]]) -> list[tuple[str, ...]]:
    out = []
    for i, noise in enumerate(NOISE):
        part = [r for job, r in of if job.number % len(NOISE) == i]
        out += [honesty_row(f"synthetic, noise {noise:g} × signal", part)] if part else []
    return out


def _honesty_words(of: Sequence[HonestyResult]) -> str:
    bias = float(np.mean([r["estimate"] - r["truth"] - r["ease"] for r in of]))
    covered = coverage(of)[1]
    low, high = COVERAGE
    return (
        f"Goals: estimate − truth at most {BIAS:+.3f}: {_held(bias <= BIAS)} ({bias:+.4f}); coverage between {low:.0%} "
        f"and {high:.0%}: {_held(low <= covered <= high)} ({covered:.1%})."
    )


def _held(goal: bool) -> str:
    return "held" if goal else "NOT HELD"


def chance_part(data: Sequence[str], sets: int, workers: int, folder: Path) -> list[Section]:
    """How often something is learned from grades in random order; half as many sets."""
    jobs = shares(max(sets // 2, 1))
    outcome = results(run_chance, jobs, ChanceResult, workers, folder / "chance")
    rows = []
    for source in (*REAL, SYNTHETIC):
        of = [r["learned"] for job, r in zip(jobs, outcome, strict=True) if job.source == source]
        title = LETOR_SETS[source].title if source in REAL else "synthetic"
        rows += [(f"{title}, grades in random order", str(len(of)), str(sum(of)))] if of else []
    learned = sum(r["learned"] for r in outcome)
    rows.append(("all", str(len(outcome)), str(learned)))
    text = (
        "30 to 200 queries whose grades are shuffled within each query; all candidates; "
        f"{', '.join(CHANCE_MEASURES)} in turn. Goal: at most {CHANCE:.0%} are said to be learned: "
        f"{_held(learned <= CHANCE * len(outcome))}."
    )
    return [Section("Random grades", text, ("sets", "number", "said to be learned"), rows)]


def floors_part(data: Sequence[str], sets: int, workers: int, folder: Path) -> list[Section]:
    """AutoRanker against the best single feature, by several measures."""
    names = [*data, SAMPLE]
    jobs = [job for s in (AUTO, SINGLE) for m in FLOOR_MEASURES for job in _on_folds(names, s, (m,))]
    outcome = _done(jobs, workers, folder)
    rows, least = [], np.inf
    for name in names:
        for m in FLOOR_MEASURES:
            auto, single = (float(_pooled(outcome, name, s, m).mean()) for s in (AUTO, SINGLE))
            least = min(least, auto - single)
            title = LETOR_SETS[name].title if name in LETOR_SETS else "bundled sample"
            gain = auto - single
            rows.append((title, m, f"{single:.4f}", f"{auto:.4f}", f"{gain:+.4f}", _held(gain >= FLOOR)))
    text = (
        "Five test folds; both learn from the same four fifths, by the same measure. Goal: never below the feature by "
        f"more than {-FLOOR:g}; the least difference is {least:+.4f}."
    )
    columns = ("set", "measure", "best single feature", "AutoRanker", "difference", "goal")
    return [Section("Against the best single feature", text, columns, rows)]


def time_part(data: Sequence[str], sets: int, workers: int, folder: Path) -> list[Section]:
    """Seconds on the clock, with processes of its own."""
    jobs = [TimeJob(name, workers) for name in SECONDS]
    outcome = results(run_time, jobs, TimeResult, 1, folder / "time")
    rows = []
    for job, r in zip(jobs, outcome, strict=True):
        goal = SECONDS[job.name]
        said = "-" if np.isinf(goal) else f"at most {goal:g}: {_held(r['seconds'] <= goal)}"
        title = LETOR_SETS[job.name].title if job.name in LETOR_SETS else job.name
        rows.append((title, r["size"], f"{r['seconds']:.1f}", said))
    text = f"nDCG@10, {workers} processes."
    return [Section("Seconds on the clock", text, ("set", "size", "seconds", "goal"), rows)]


Part = Callable[[Sequence[str], int, int, Path], list[Section]]
PARTS: dict[str, Part] = {
    "peers": peers_part, "grid": grid_part, "honesty": honesty_part, "chance": chance_part, "floors": floors_part,
    "time": time_part,
}  # fmt: skip
ALL = [name for name in PARTS if name != "grid"]  # the grid takes longer than everything else


def experiment(part: str, data: list[str], sets: int, output: Path, workers: int) -> Results:
    """Run one part or all; write a report for each into a folder below ``output``."""
    if part != "all" and part not in PARTS:
        raise unknown("part", part, ["all", *PARTS])
    if sets < 1:
        raise InputError(f"--sets must be at least 1, got {sets}")
    check_letor_sets([*data, *REAL])
    tables, reports = [], []
    for name in ALL if part == "all" else [part]:
        sections = PARTS[name](data, sets, workers, output / "jobs")
        (output / name).mkdir(parents=True, exist_ok=True)
        reports.append(write(sections, output / name))
        tables += sections
    return Results(tables, reports)


def make(folder: Path, workers: int, output: Path = Path("auto-report")) -> None:
    """Run everything; write the pages that the documentation includes into ``folder``; jobs are kept in ``output``."""
    for name in ALL:
        write_page(PARTS[name](list(LETOR_SETS), 200, workers, output / "jobs"), folder, name, level=3)
