"""Risk bounds against the truth: the empirical validation that Riezler & De Bona call for.

A population of 1,000 queries, each equally likely, so that the true risk of any model is known exactly. A sample is n
draws with replacement; a model is fitted to it, and every bound that applies is computed from the sample alone (norms
and list lengths are the population's, known beforehand). Files of one's own can be the population: their features are
then scaled within queries, and to norms of at most 1. A bound is violated where the true error lies above it; that
may happen in a share δ of the samples. For contrast, Hoeffding's bound as if the model had not seen the sample.

The bounds are so loose that even the one for contrast is never violated. So each is audited as well: looked at where it
has nothing to spare (:mod:`experiments.theory.audit`), and with mistakes made on purpose, which must be flagged.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from rankine.data.normalisers import Normaliser
from rankine.data.ranking_data import RankingData
from rankine.losses import get
from rankine.losses.constants import Constants
from rankine.measures import evaluate
from rankine.rankers import LinearRanker
from rankine.system.figures import GREY, check_picture, save_figure
from rankine.system.parallel import process_map
from rankine.system.progress import bar
from rankine.system.report import Section, write, write_page
from rankine.theory import bounds as b
from rankine.theory.guarantee import Average, applicable, class_of, prepare_for_bounds

from ..collections import named_sets, own_data
from ..table import Results
from .audit import SEEDS, Claim, as_printed, audit, claims, seeded

QUERIES, ITEMS, FEATURES, DELTA = 1000, 6, 50, 0.05
SIZES = (100, 316, 1_000, 3_162, 10_000, 31_623, 100_000)
LOSSES = ("position-sensitive:norm", "ranksvm:norm", "svm-ndcg", "svm-ndcg:tight", "softmax-ndcg", "sum-ndcg")
MADE = ""  # the name of the population that is made
_NAIVE = "Hoeffding on seen queries (not valid)"
_BATCH, _OUTPUTS = 10, 1000


@dataclass(frozen=True)
class SampleBounds:
    """One sample and model: what each bound is of, its value, and the truth; everything over its largest value."""

    loss: str
    n: int
    risk: float
    bounds: dict[str, float]
    truth: dict[str, float]


@lru_cache(maxsize=1)
def population(name: str = MADE, seed: int = 5) -> RankingData:
    """Queries whose documents have many features, five of which tell of relevance; norms 1. Or files of one's own."""
    if name != MADE:
        return _own_population(name)
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((QUERIES * ITEMS, FEATURES))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    hidden = X[:, :5] @ np.array([6.0, 5.0, 4.0, 3.0, 3.0]) + 0.8 * rng.standard_normal(len(X))
    return RankingData(X, np.digitize(hidden, [0.3, 1.5]), np.repeat(np.arange(QUERIES), ITEMS))


def _own_population(name: str) -> RankingData:
    """The queries of files, features scaled within queries and then to norms of at most 1."""
    judged = own_data(name).dense()
    X = np.asarray(Normaliser("query-minmax").fit(judged).apply(judged).X, np.float64)
    largest = float(np.linalg.norm(X, axis=1).max())
    return judged.with_features(X / (largest if largest > 0 else 1.0))


def _options(loss: str) -> dict[str, int] | None:
    """A query with more outputs counts its worst one; the made ones have fewer."""
    return {"limit": _OUTPUTS} if loss.startswith(("sum", "softmax")) else None


def draw(loss_name: str, n: int, seed: int, name: str = MADE) -> SampleBounds:
    """Draw n queries, fit, bound, compare with the truth."""
    data, rng = population(name), np.random.default_rng([seed, n])
    count = rng.multinomial(n, np.full(data.n_queries, 1 / data.n_queries))
    met = np.flatnonzero(count)
    sample = data.subset(met)
    weight, options = count[met].astype(float), _options(loss_name)
    ranker = LinearRanker(loss_name, C=50.0 / n, loss_options=options, tol=1e-2, n_starts=1, threads=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ranker.fit(sample, query_weight=weight)
    loss, w = get(loss_name, **(options or {})), model.coef_
    values = loss.value_and_grad(sample.X @ w, sample.y, sample.ptr)[0]
    risk = float(values @ weight / n)
    B, delta = class_of(float(np.linalg.norm(w)), None, DELTA)
    s, published = _constants(loss_name, name)
    average = _average(sample, s.l2[met] * np.exp(s.log_times[met]), weight, n, B, rng)
    longest = int(np.diff(data.ptr).max())
    guarantees = applicable(loss, s, risk, n, longest, B, 1.0, delta, average, published)
    scores = data.X @ w
    errors = {of: _errors(of, loss_name, data, scores) for of in {x.of for x in guarantees}}
    truth = {x.result + ": " + x.of: float(errors[x.of].mean() / math.exp(x.log_largest)) for x in guarantees}
    out = {x.result + ": " + x.of: math.exp(x.log_total - x.log_largest) for x in guarantees}
    of = guarantees[-1].of
    seen = errors[of][met] @ weight / n / math.exp(guarantees[-1].log_largest)
    out[_NAIVE] = b.held_out(float(seen), n=n, delta=DELTA).total
    truth[_NAIVE] = float(errors[of].mean() / math.exp(guarantees[-1].log_largest))
    return SampleBounds(loss_name, n, risk, out, truth)


@lru_cache(maxsize=1)
def _constants(loss: str, name: str = MADE) -> tuple[Constants, bool]:
    """The population's constants, which are known beforehand, and whether a published bound applies to it."""
    prepared = prepare_for_bounds(get(loss, **(_options(loss) or {})), population(name))
    return prepared.constants(), prepared.theorem is not None


def _average(
    sample: RankingData, steep: np.ndarray, weight: np.ndarray, n: int, B: float, rng: np.random.Generator
) -> Average:
    """The Rademacher average of a sample in which queries come several times, each time with signs of its own."""
    lengths = np.diff(sample.ptr)
    copies, each = np.repeat(weight, lengths).astype(int), np.repeat(steep, lengths)
    norms = [np.linalg.norm(sample.X.T @ ((2.0 * rng.binomial(copies, 0.5) - copies) * each)) for _ in range(30)]
    values = np.array(norms) * math.sqrt(2) * B / n
    squares = (copies * each**2 * np.einsum("ij,ij->i", sample.X, sample.X)).sum()
    most = math.sqrt(2) * B / n * math.sqrt(float(squares))
    return Average(float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values))), most)


def _errors(of: str, loss: str, data: RankingData, scores: np.ndarray) -> np.ndarray:
    """What is bounded, of every query of the population."""
    if "misordered" not in of:
        return 1 - evaluate("nDCG", data.y, scores, data.qid, empty="one").per_query["nDCG"]
    lengths, out = np.diff(data.ptr), np.empty(data.n_queries)
    theorem = get(loss).theorem
    for m in np.unique(lengths).tolist():  # queries of one length at a time
        queries = np.flatnonzero(lengths == m)
        rows = data.ptr[queries][:, None] + np.arange(m)
        total, pairs = _misordered(data.y[rows], scores[rows], "position-weighted" in of)
        out[queries] = total / pairs if theorem is not None and theorem.norm else total
    return out


def _misordered(y: np.ndarray, s: np.ndarray, weighted: bool) -> tuple[np.ndarray, np.ndarray]:
    """The number, or position-weighted sum, of misordered pairs of each query, and its number of pairs, at least 1."""
    wrong = (y[:, :, None] > y[:, None, :]) & (s[:, :, None] < s[:, None, :])
    pairs = np.maximum((y[:, :, None] > y[:, None, :]).sum(axis=(1, 2)), 1)
    if weighted:
        levels = np.array([np.unique(-row, return_inverse=True)[1] + 1 for row in y])
        r = levels.max(axis=1)[:, None, None]
        wrong = wrong * np.abs(r / levels[:, :, None] - r / levels[:, None, :])
    return wrong.sum(axis=(1, 2)).astype(float), pairs


def _job(job: tuple[str, str, int, int, int]) -> list[SampleBounds]:
    name, loss, n, first, last = job
    return [draw(loss, n, seed, name) for seed in range(first, last)]


def _jobs(repetitions: int, name: str = MADE) -> list[tuple[str, str, int, int, int]]:
    starts = range(0, repetitions, _BATCH)
    return [(name, loss, n, a, min(a + _BATCH, repetitions)) for loss in LOSSES for n in SIZES for a in starts]


def jobs(repetitions: int) -> int:
    """How many batches of samples there are."""
    return len(_jobs(repetitions))


def run(repetitions: int, workers: int, report: Callable[[int], None], name: str = MADE) -> list[SampleBounds]:
    """All samples."""
    out: list[SampleBounds] = []
    for done, samples in enumerate(process_map(_job, _jobs(repetitions, name), workers, patience=0, chunk=1), 1):
        out += samples
        report(done)
    return out


def violations(samples: list[SampleBounds]) -> list[tuple[str, ...]]:
    """Loss, bound, and the share of samples in which the truth lies above it, for each n."""
    out: list[tuple[str, ...]] = []
    for loss in LOSSES:
        here = [s for s in samples if s.loss == loss]
        for name in here[0].bounds:
            shares = [np.mean([s.truth[name] > s.bounds[name] for s in here if s.n == n]) for n in SIZES]
            out.append((loss, name, *(f"{x:.3f}" for x in shares)))
    return out


def _curves(samples: list[SampleBounds], population_name: str) -> dict[str, dict[str, list[tuple[float, float]]]]:
    panels = {}
    for loss in LOSSES:
        here = [s for s in samples if s.loss == loss]
        names = list(here[0].bounds)
        theorem = get(loss).theorem
        over_pairs = theorem is not None and theorem.over == "pairs"
        largest = float(_constants(loss, population_name)[0].base.max()) if over_pairs else 1.0
        curves = {
            "true error": _points(here, lambda s: s.truth[_NAIVE]),
            "mean loss of the sample": _points(here, partial(_risk, largest=largest)),
        }
        for name in names:
            label = name.split(":")[0] + (" (0–1)" if "0–1" in name and len(names) > 4 else "")
            curves[label] = _points(here, partial(_bound, name=name))
        panels[loss] = curves
    return panels


def _risk(sample: SampleBounds, largest: float) -> float:
    return sample.risk / largest


def _bound(sample: SampleBounds, name: str) -> float:
    return sample.bounds[name]


def _points(samples: list[SampleBounds], value: Callable[[SampleBounds], float]) -> list[tuple[float, float]]:
    """The mean of a value over the samples of each size."""
    return [(n, float(np.mean([value(s) for s in samples if s.n == n]))) for n in SIZES]


def printed_claim() -> list[tuple[str, ...]]:
    """Theorem 3 as printed, for the plain 0–1 error, on a query that shows the erratum: it fails once n is large.

    Ten documents in their right order but for the last two, swapped by a score difference of 0.01; every query is this
    one, so that the mean loss of any sample is the expected one.
    """
    m = 10
    scores = np.array([100.0 * (m - i) for i in range(m)])
    scores[m - 1] = scores[m - 2] + 0.01
    value = float(get("position-sensitive").value_and_grad(scores, np.arange(m)[::-1], [0, m])[0][0])
    norm = 1001.0  # one feature, the score over this; w is this
    rows: list[tuple[str, ...]] = []
    for n in (10**6, 10**10, 10**14, 10**18):
        weighted = b.full_ranking(value, n=n, m=m, B=norm, M=1.0, delta=DELTA)
        plain = b.full_ranking(value, n=n, m=m, B=norm, M=1.0, delta=DELTA, error="plain")
        verdict = "violated" if weighted.total < 1 else "holds"
        rows.append((f"10^{round(math.log10(n))}", "1", f"{value:.3f}", f"{weighted.total:.4g}", verdict,
                     f"{plain.total:.4g}"))  # fmt: skip
    return rows


def audited() -> list[tuple[str, ...]]:
    """Every family of bounds: what refutes it, and how many mistakes made on purpose are flagged."""
    rows: list[tuple[str, ...]] = []
    for claim in claims():
        wrong = [(seed.term, changed) for seed in SEEDS if (changed := seeded(claim, seed)) is not None]
        flagged = sum(bool(audit(changed, [term])) for term, changed in wrong)
        rows.append((claim.name, _flaws(claim), str(len(wrong)), str(flagged)))
    return [*rows, (as_printed().name, _flaws(as_printed()), "", "")]


def _flaws(claim: Claim) -> str:
    return "; ".join(f"{flaw.term}: {flaw.witness}" for flaw in audit(claim)) or "nothing"


def audit_section() -> Section:
    """The table of the audit."""
    text = "Mistakes: " + "; ".join(seed.name for seed in SEEDS) + "."
    columns = ("bound", "refuted by", "mistakes made on purpose", "of them flagged")
    return Section("Could we tell a wrong bound?", text, columns, audited())


def sections(samples: list[SampleBounds], folder: Path, name: str = MADE) -> list[Section]:
    """The report, its picture written into ``folder``."""
    draw_bounds(_curves(samples, name), "what holds anyway", folder / "bounds.png")
    repetitions = len(samples) // len(LOSSES) // len(SIZES)
    mean = [
        (loss, *(f"{v:.4f}" for _, v in _points([s for s in samples if s.loss == loss], lambda s: s.risk)))
        for loss in LOSSES
    ]
    columns = tuple(f"n = {n:,}" for n in SIZES)
    data = population(name)
    lengths = np.diff(data.ptr)
    of = f"{ITEMS}" if name == MADE else f"{lengths.min()} to {lengths.max()}"
    text = (
        f"{data.n_queries:,} queries of {of} documents, {data.n_features} features, all equally likely; {repetitions} "
        f"samples for each n; δ = {DELTA}. Share of samples in which the true error lies above the bound:"
    )
    return [
        Section("Risk bounds against the truth", text, ("loss", "bound", *columns), violations(samples)),
        Section("Errors and bounds as a share of the largest possible error, means over samples", "",
                picture="bounds.png"),
        Section("Mean loss over the sample (the empirical risk)", "", ("loss", *columns), mean),
        Section("Theorem 3 as printed, on the query of the erratum", "", ("n", "true 0–1 error", "mean loss",
                "bound as printed", "as printed, it", "with the factor r − 1"), printed_claim()),
        audit_section(),
    ]  # fmt: skip


def experiment(data: list[str], output: Path, repetitions: int, workers: int) -> Results:
    """Draw all samples; write the report into ``output``."""
    name = named_sets(data, ())[0] if data else MADE
    population(name)  # raises InputError before the long computation starts
    with bar("samples", total=jobs(repetitions)) as update:
        samples = run(repetitions, workers, update, name)
    output.mkdir(parents=True, exist_ok=True)
    report = sections(samples, output, name)
    return Results([replace(section, text="") for section in report if section.rows], [write(report, output)])


def make(folder: Path, workers: int, repetitions: int = 200) -> None:
    """Run everything; write the page that the documentation includes, with its picture, into ``folder``."""
    write_page(sections(run(repetitions, workers, lambda done: None), folder), folder, "bounds", level=3)


def draw_bounds(panels: dict[str, dict[str, list[tuple[float, float]]]], largest: str, path: str | os.PathLike) -> None:
    """Risks and bounds against the number of queries, both axes logarithmic, one panel for each loss."""
    from matplotlib.figure import Figure

    check_picture(path)
    figure = Figure(figsize=(11, 3.4 * ((len(panels) + 1) // 2)), layout="constrained")
    axes = figure.subplots((len(panels) + 1) // 2, 2, squeeze=False).ravel()
    for axis, (title, curves) in zip(axes, panels.items(), strict=False):
        for i, (name, points) in enumerate(curves.items()):
            axis.loglog(*zip(*points, strict=True), marker="osD^vXP*"[i % 8], markersize=4, label=name)
        axis.axhline(1, color=GREY, linewidth=1, linestyle="--", label=largest)
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("queries")
        axis.spines[["top", "right"]].set_visible(False)
        axis.legend(frameon=False, fontsize="x-small")
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    save_figure(figure, path)
