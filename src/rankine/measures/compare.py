"""Paired comparison of systems: is the difference real, and how large is it?"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError, nearest
from ..system.figures import BLUE, GREY, RED, check_picture, save_figure
from ..system.progress import bar
from .evaluation import Report, evaluate
from .resampling import mean_intervals, randomisation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_PANELS = 24


@dataclass(frozen=True)
class Pair:
    """System ``a`` against system ``b`` on one measure; differences are a − b, p-values two-sided.

    ``low`` and ``high`` bound the mean difference (bootstrap, BCa); ``effect`` is the mean difference in standard
    deviations of the differences; ``*_holm`` are corrected for all pairs compared on this measure.
    """

    measure: str
    a: str
    b: str
    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    effect: float
    wins: int
    ties: int
    losses: int
    wilcoxon: float
    t: float
    randomisation: float
    wilcoxon_holm: float
    t_holm: float
    randomisation_holm: float


@dataclass(frozen=True)
class Comparison:
    """The reports of several systems on the same queries and the paired tests between them."""

    reports: dict[str, Report]
    pairs: tuple[Pair, ...]
    confidence: float

    @property
    def note(self) -> str:
        """The gain of nDCG and DCG in the table, and grades that do not count; empty where there is neither."""
        return next(iter(self.reports.values())).note

    def __str__(self) -> str:
        head = (
            "measure",
            "a",
            "b",
            "a − b",
            f"{self.confidence:.0%} interval",
            "effect",
            "w/t/l",
            "wilcoxon",
            "t",
            "random.",
        )
        rows = [
            (
                p.measure, p.a, p.b, f"{p.difference:+.4f}", f"[{p.low:+.4f}, {p.high:+.4f}]", f"{p.effect:+.2f}",
                f"{p.wins}/{p.ties}/{p.losses}",
                f"{p.wilcoxon_holm:.3g}", f"{p.t_holm:.3g}", f"{p.randomisation_holm:.3g}",
            )
            for p in self.pairs
        ]  # fmt: skip
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        table = ["  ".join(f"{c:<{w}}" for c, w in zip(r, widths, strict=True)).rstrip() for r in (head, *rows)]
        return "\n".join([*table, "p-values are Holm-corrected.", *([self.note] if self.note else [])])

    def to_json(self) -> str:
        """Means and pairs as JSON; an infinite effect (every query differs by the same) is null.

        >>> comparison = compare([1, 0, 1, 0], {"x": [2, 1, 2, 1], "y": [1, 2, 1, 2]}, [1, 1, 2, 2], "AP")
        >>> json.loads(comparison.to_json())["mean"]
        {'x': {'AP': 1.0}, 'y': {'AP': 0.5}}
        """
        means = {name: report.mean for name, report in self.reports.items()}
        pairs = [{k: None if v in (np.inf, -np.inf) else v for k, v in asdict(p).items()} for p in self.pairs]
        content = {"confidence": self.confidence, "mean": means, "pairs": pairs}
        return json.dumps(content, ensure_ascii=False)

    def to_csv(self) -> str:
        """One row per pair and measure.

        >>> compare([1, 0, 1, 0], {"x": [2, 1, 2, 1], "y": [1, 2, 1, 2]}, [1, 1, 2, 2], "AP").to_csv().split(",")[:3]
        ['measure', 'a', 'b']
        """
        out = io.StringIO()
        writer = csv.DictWriter(out, list(Pair.__dataclass_fields__), lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(p) for p in self.pairs)
        return out.getvalue().rstrip("\n")

    def plot(self, path: str | os.PathLike | None = None) -> Figure:
        """Draw the per-query differences of each pair as sorted bars, to a file (.png, .svg, .pdf) if asked.

        >>> comparison = compare([1, 0, 1, 0], {"x": [2, 1, 2, 1], "y": [1, 2, 1, 2]}, [1, 1, 2, 2], "AP")
        >>> comparison.plot()  # doctest: +ELLIPSIS
        <...Figure size ...>
        """
        return _draw_differences(self, path)


def compare(
    y: Any,
    systems: Mapping[str, Any],
    qid: Any,
    measures: Any,
    baseline: str | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    **options: Any,
) -> Comparison:
    """Compare systems on the same judged queries.

    Args:
        y: grades.
        systems: the scores of each system by its name.
        qid: query ids.
        measures: a name or several.
        baseline: compare every system with this one; by default every pair is compared.
        confidence: confidence level of the bootstrap interval of the mean difference.
        seed: random seed of the bootstrap and the randomisation test.
        options: ``ties``, ``empty``, ``doc_ids``, ``threads`` of :func:`evaluate`.

    >>> y, qid = [1, 0, 0, 1, 1, 0], [1, 1, 2, 2, 3, 3]
    >>> comparison = compare(y, {"good": [2, 1, 1, 2, 2, 1], "bad": [1, 2, 1, 2, 1, 2]}, qid, "AP")
    >>> comparison.pairs[0].difference
    0.3333333333333333
    """
    if not isinstance(systems, Mapping):
        raise InputError("systems must map each system's name to its scores")
    if options.get("empty") == "skip":
        raise InputError("empty='skip' would compare over different queries: use 'zero' or 'one'")
    reports = {name: evaluate(measures, y, scores, qid, **options) for name, scores in systems.items()}
    return compare_reports(reports, baseline, confidence, seed)


def compare_reports(
    reports: dict[str, Report], baseline: str | None = None, confidence: float = 0.95, seed: int = 0
) -> Comparison:
    """Compare systems that have been evaluated already, on the same measures and queries.

    >>> systems = {"a": [2, 1, 2, 1], "b": [1, 2, 1, 2]}
    >>> reports = {n: evaluate("AP", [1, 0, 1, 0], s, [1, 1, 2, 2]) for n, s in systems.items()}
    >>> compare_reports(reports).pairs[0].wins
    2
    """
    names = list(reports)
    if len(names) < 2:
        raise InputError(f"expected at least two systems to compare, got {len(names)}")
    if baseline is not None and baseline not in reports:
        there, stem = ", ".join(names), baseline.split("/")[-1].split(".")[0]
        hint = f" Did you mean {stem!r}?" if stem in reports else nearest(baseline, names)
        raise InputError(f"there is no system {baseline!r} to be the baseline, only {there}.{hint}")
    if not 0 < confidence < 1:
        raise InputError(f"confidence must lie between 0 and 1, got {confidence}")
    first = reports[names[0]]
    for name, report in reports.items():
        if any(np.isnan(column).any() for column in report.per_query.values()):
            raise InputError(f"{name!r} leaves queries out: evaluate it with empty='zero' or 'one'")
        if list(report.query_ids) != list(first.query_ids) or report.measures != first.measures:
            raise InputError(
                f"{name!r} was evaluated on other queries or measures than {names[0]!r}: "
                "evaluate_run(complete=True) counts missing queries as empty"
            )
    if len(first.query_ids) < 2:
        raise InputError(f"a comparison needs at least two queries, there is {len(first.query_ids)}")
    against = [(n, baseline) for n in names if n != baseline] if baseline else list(combinations(names, 2))
    pairs: list[Pair] = []
    tests = _tests(reports, list(first.mean), against, confidence, seed)
    for measure in first.mean:
        pairs += _with_holm([test for test in tests if test["measure"] == measure])
    return Comparison(dict(reports), tuple(pairs), confidence)


def _tests(
    reports: Mapping[str, Report], measures: list[str], against: list[tuple[str, str]], confidence: float, seed: int
) -> list[dict[str, Any]]:
    """What a :class:`Pair` holds before the correction, for each measure and each two systems."""
    of = [(measure, a, b) for measure in measures for a, b in against]
    rows = np.stack([_differences(reports[a].per_query[m], reports[b].per_query[m]) for m, a, b in of])
    with bar("comparing", 3 * len(rows)) as update:
        intervals = mean_intervals(rows, confidence, seed, update)
        randomised = randomisation(rows, seed, update=lambda done: update(len(rows) + done))
        out = []
        for i, ((measure, a, b), d) in enumerate(zip(of, rows, strict=True)):
            means = {f"mean_{x}": float(reports[s].per_query[measure].mean()) for x, s in (("a", a), ("b", b))}
            out.append({
                "measure": measure, "a": a, "b": b, **means, "difference": float(d.mean()),
                "low": intervals[i][0], "high": intervals[i][1], "effect": _effect(d),
                "wins": int((d > 0).sum()), "ties": int((d == 0).sum()), "losses": int((d < 0).sum()),
                "wilcoxon": wilcoxon(d), "t": _paired_t(d), "randomisation": float(randomised[i]),
            })  # fmt: skip
            update(2 * len(rows) + i + 1)
    return out


def _differences(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The differences query by query; what rounding may have done is none."""
    d = x - y
    d[np.abs(d) < 1e-12] = 0.0
    if np.ptp(d) < 1e-12:
        d[:] = d[0]
    return d


def _effect(d: np.ndarray) -> float:
    """The mean difference in standard deviations; infinite where all of several differences are equal and not 0."""
    if np.ptp(d) > 0:
        return float(d.mean() / d.std(ddof=1))
    return float(np.copysign(np.inf, d[0])) if d[0] else 0.0


def wilcoxon(d: np.ndarray) -> float:
    """Wilcoxon's signed-rank test, zero differences split as Pratt (1959) does; 1 where all are zero."""
    from scipy import stats

    if not d.any():
        return 1.0
    return float(
        stats.wilcoxon(d, zero_method="pratt", method="approx" if len(d) > 50 or (d == 0).any() else "auto").pvalue
    )


def _paired_t(d: np.ndarray) -> float:
    from scipy import stats

    if np.ptp(d) == 0:
        return 0.0 if d.any() else 1.0
    return float(stats.ttest_1samp(d, 0.0).pvalue)


def mean_interval(d: np.ndarray, confidence: float, seed: int) -> tuple[float, float]:
    """Bootstrap interval (BCa) of the mean difference; the mean itself where there is nothing to resample."""
    return mean_intervals(d[None], confidence, seed)[0]


def _with_holm(raw: list[dict[str, Any]]) -> list[Pair]:
    tests = ("wilcoxon", "t", "randomisation")
    adjusted: dict[str, Any] = {t: holm([r[t] for r in raw]) for t in tests}
    return [Pair(**r, **{f"{t}_holm": adjusted[t][i] for t in tests}) for i, r in enumerate(raw)]


def holm(p_values: list[float]) -> list[float]:
    """Holm's step-down correction: the family-wise error stays below the level.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    n = len(p_values)
    order = np.argsort(p_values, kind="stable")
    scaled = np.array(p_values)[order] * np.arange(n, 0, -1)
    out = np.empty(n)
    out[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return out.tolist()


def _draw_differences(comparison: Comparison, path: str | os.PathLike | None = None) -> Figure:
    """Per-query differences of every pair, largest first: blue where the first system wins, red where it loses."""
    from matplotlib.figure import Figure

    if path is not None:
        check_picture(path)
    pairs = comparison.pairs[:_MOST_PANELS]
    columns = min(sum(p.measure == pairs[0].measure for p in pairs), 3)  # a row per measure where it fits
    rows = -(-len(pairs) // columns)
    figure = Figure(figsize=(5.2 * columns, 3.6 * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for axis, pair in zip(axes, pairs, strict=False):
        a, b = (comparison.reports[s].per_query[pair.measure] for s in (pair.a, pair.b))
        _draw_pair(axis, pair, np.sort(a - b)[::-1], comparison.confidence)
    for axis in axes[len(pairs) :]:
        axis.set_visible(False)
    if len(comparison.pairs) > len(pairs):
        figure.suptitle(f"the first {len(pairs)} of {len(comparison.pairs)} pairs")
    if path is not None:
        save_figure(figure, path)
    return figure


def _draw_pair(axis: Axes, pair: Pair, differences: np.ndarray, confidence: float) -> None:
    x = np.arange(1, len(differences) + 1)
    axis.bar(x, differences, width=1.0, color=np.where(differences >= 0, BLUE, RED), linewidth=0)
    axis.axhspan(pair.low, pair.high, color=GREY, alpha=0.25, linewidth=0)
    axis.axhline(pair.difference, color="black", linewidth=1)
    axis.axhline(0, color=GREY, linewidth=0.8)
    axis.set_title(f"{pair.a} − {pair.b}", fontsize=11, loc="left", fontweight="bold")
    axis.set_xlabel(
        f"{len(differences)} queries, sorted by difference: {pair.wins} won, {pair.ties} tied, {pair.losses} lost"
    )
    axis.set_ylabel(f"difference in {pair.measure}")
    axis.spines[["top", "right"]].set_visible(False)
    axis.margins(x=0.01)
    text = (
        f"mean {pair.difference:+.4f}\n{confidence:.0%} interval [{pair.low:+.4f}, {pair.high:+.4f}]\n"
        f"randomisation p = {pair.randomisation_holm:.2g}"
    )
    axis.text(0.98, 0.96, text, transform=axis.transAxes, ha="right", va="top", fontsize=9)


# -- How much two rankings of the same documents differ, without any judgments
#
# Rank-biased overlap (Webber, Moffat & Zobel 2010) is the expected agreement of the two tops seen by someone who looks
# one rank further with probability p. Here both rankings hold the same m documents, so that it needs no extrapolation
# beyond them: the overlap at depth m is 1, and stays so.
#
# .. math:: (1 - p) \sum_{d=1}^{m} p^{d-1} \frac{|A_{1..d} \cap B_{1..d}|}{d} + p^m


@dataclass(frozen=True)
class Drift:
    """The change between two models by query: rank-biased overlap, and the share of the top k that is new."""

    queries: np.ndarray
    overlap: np.ndarray
    turnover: np.ndarray
    moved: np.ndarray  # mean absolute change of rank
    first_changed: np.ndarray  # whether another document comes first
    p: float
    k: int


def rank_biased_overlap(a: Any, b: Any, p: float = 0.9) -> float:
    """The rank-biased overlap of two rankings of the same documents, best first.

    >>> rank_biased_overlap([1, 2, 3], [1, 2, 3]), round(rank_biased_overlap([1, 2], [2, 1], p=0.5), 3)
    (1.0, 0.5)
    """
    first, second = np.asarray(a).tolist(), np.asarray(b).tolist()
    if sorted(map(repr, first)) != sorted(map(repr, second)) or len(set(map(repr, first))) < len(first):
        raise InputError("rank-biased overlap here is of two rankings of the same documents, each once")
    if not 0 < p < 1:
        raise InputError(f"p must lie between 0 and 1, got {p!r}")
    place = {repr(x): r for r, x in enumerate(second)}
    ranks = np.array([place[repr(x)] for x in first], np.int64)
    return float(_overlap(ranks, p))


def _overlap(ranks: np.ndarray, p: float) -> float:
    """``ranks[r]`` is where the document at rank r of the first ranking stands in the second."""
    m = len(ranks)
    depth = np.maximum(ranks, np.arange(m))  # from this depth on a document is in both tops
    common = np.cumsum(np.bincount(depth, minlength=m))
    weights = (1 - p) * p ** np.arange(m)
    return float(weights @ (common / np.arange(1, m + 1)) + p**m)


def drift(scores_a: Any, scores_b: Any, qid: Any, ptr: np.ndarray, p: float = 0.9, k: int = 10) -> Drift:
    """The change from the ranking by some scores to the ranking by others; equal scores stay in input order."""
    if k < 1:
        raise InputError(f"k must be at least 1, got {k}")
    if not 0 < p < 1:
        raise InputError(f"p must lie between 0 and 1, got {p!r}")
    a, b = np.asarray(scores_a, float), np.asarray(scores_b, float)
    if not a.shape == b.shape == (int(ptr[-1]),) or not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise InputError(f"expected {ptr[-1]} finite scores of each model, got {a.shape} and {b.shape}")
    values = []
    for lo, hi in zip(ptr[:-1].tolist(), ptr[1:].tolist(), strict=True):
        first, second = (np.argsort(-s[lo:hi], kind="stable") for s in (a, b))
        place = np.empty(hi - lo, np.int64)
        place[second] = np.arange(hi - lo)
        ranks, cut = place[first], min(k, hi - lo)
        values.append((_overlap(ranks, p), float((ranks[:cut] >= cut).mean()),
                      float(np.abs(ranks - np.arange(hi - lo)).mean()), float(first[0] != second[0])))  # fmt: skip
    overlap, turnover, moved, top = np.array(values).T
    return Drift(np.asarray(qid)[ptr[:-1]], overlap, turnover, moved, top.astype(bool), p, k)
