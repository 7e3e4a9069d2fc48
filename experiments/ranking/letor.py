"""``rankine experiment letor``: all rankers on a LETOR set, and the report with its tables, tests and pictures."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from rankine.data.alignment import concatenate
from rankine.data.ranking_data import RankingData
from rankine.errors import InputError
from rankine.explain.differences import contributions, drop_one, most_different
from rankine.measures import Comparison, Report, compare_reports, evaluate
from rankine.measures.compare import mean_interval
from rankine.rankers import LinearRanker
from rankine.system.figures import BLUE, GREY, check_picture, save_figure
from rankine.system.files import write_file
from rankine.system.parallel import thread_count
from rankine.system.progress import bar
from rankine.system.report import Section, markdown, write

from ..collections import letor_folds, letor_set, named_sets
from ..table import Results
from .letor_rankers import LETOR, PUBLISHED, RANKERS, TEXTBOOK, RankerOnFold, mean_over_folds, pooled, run

DIRECT = ("SVM-MAP", "SVM-NDCG@10", "AdaRank", "consistent NDCG", "chosen")
SHORT = ("N@1", "N@3", "N@5", "N@10", "MeanNDCG", "MAP")


def names_of(outcomes: list[RankerOnFold]) -> list[str]:
    """The rankers in the order in which they ran, ``chosen`` last."""
    return list(dict.fromkeys(o.ranker for o in outcomes))


def main_table(collection: str, outcomes: list[RankerOnFold]) -> tuple[list[str], list[list[str]]]:
    """Means over the test folds by the LETOR tool's definitions, with others' runs below."""
    rows = []
    for name in names_of(outcomes):
        cells = [f"{mean_over_folds(pooled(outcomes, name, m)):.4f}" for m in SHORT]
        bounds = [mean_interval(np.concatenate(pooled(outcomes, name, m)), 0.95, 0) for m in ("N@10", "MAP")]
        seconds = sum(o.seconds for o in outcomes if o.ranker == name) / len({o.fold for o in outcomes})
        rows.append([name, *cells, *(f"[{low:.3f}, {high:.3f}]" for low, high in bounds), f"{seconds:.2f}"])
    for name, figures in PUBLISHED.get(collection, {}).items():
        cells = [f"{figures[m]:.4f}" if m in figures else "" for m in SHORT]
        rows.append([f"{name} (published run)", *cells, "", "", ""])
    return ["ranker", *SHORT, "N@10, 95 % interval", "MAP, 95 % interval", "seconds a fold"], rows


def comparison_of(collection: str, outcomes: list[RankerOnFold], baseline: str) -> Comparison:
    """Paired tests of MAP and N@10 over all test queries, every ranker against the baseline."""
    numbers = sorted({o.fold for o in outcomes})
    tests = [fold.test for i, fold in enumerate(letor_folds(collection)) if i in numbers]
    data = concatenate(tests) if len(tests) > 1 else tests[0]
    reports: dict[str, Report] = {}
    for name in names_of(outcomes):
        mine = sorted((o for o in outcomes if o.ranker == name), key=lambda o: o.fold)
        scores = np.concatenate([o.scores for o in mine])
        reports[name] = evaluate(["AP", LETOR["N@10"]], data.y, scores, data.qid, ties="stable")
    return compare_reports(reports, baseline)


def significance_table(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """Differences from the baseline with intervals and Holm-corrected p-values."""
    rows = [
        [
            p.a,
            "MAP" if p.measure == "AP" else "N@10",
            f"{p.difference:+.4f}",
            f"[{p.low:+.4f}, {p.high:+.4f}]",
            f"{p.wins}/{p.ties}/{p.losses}",
            f"{p.wilcoxon_holm:.3f}",
            f"{p.randomisation_holm:.3f}",
        ]
        for p in comparison.pairs
    ]
    return ["ranker", "measure", "difference", "95 % interval", "w/t/l", "Wilcoxon", "randomisation"], rows


def differing_queries(
    collection: str, outcomes: list[RankerOnFold], a: str, b: str, n: int = 5, depth: int = 3
) -> tuple[list[str], list[list[str]]]:
    """The test queries where two rankers differ most in AP: their best documents, grades, and terms of scores."""
    rows: list[tuple[float, list[str]]] = []
    for i, fold in enumerate(letor_folds(collection)):
        pair = [next((o for o in outcomes if o.ranker == r and o.fold == i), None) for r in (a, b)]
        if pair[0] is None or pair[1] is None:
            continue
        first, second = pair[0], pair[1]
        x, y = first.letor["MAP"], second.letor["MAP"]
        for q in most_different(x, y, n):
            tops = [_top(fold.test, int(q), o, depth) for o in (first, second)]
            row = [str(fold.test.query_ids[q]), f"{x[q]:.3f}", f"{y[q]:.3f}", *tops]
            rows.append((abs(float(x[q] - y[q])), row))
    rows.sort(key=lambda r: -r[0])
    return ["query", f"AP, {a}", f"AP, {b}", f"top of {a}", f"top of {b}"], [r for _, r in rows[:n]]


def _top(test: RankingData, q: int, outcome: RankerOnFold, depth: int) -> str:
    """The best documents of a query with grade and, for a linear ranker, the largest terms of their scores."""
    lo, hi = test.ptr[q], test.ptr[q + 1]
    best = lo + np.argsort(-outcome.scores[lo:hi], kind="stable")[:depth]
    X = (test if outcome.normaliser is None else outcome.normaliser.apply(test)).dense().X
    lines = []
    for row in best:
        document = "" if test.doc_ids is None else str(test.doc_ids[row]) or f"row {row}"
        why = ""
        if outcome.coef is not None:
            names = [f"f{f + 1}" for f in range(test.n_features)]
            why = f" [{contributions(outcome.coef, np.asarray(X[row], np.float64), names, 2)}]"
        lines.append(f"{document} grade {test.y[row]:g}{why}".strip())
    return "; ".join(lines)


def sections(collection: str, outcomes: list[RankerOnFold], baseline: str, choose: str, folder: Path) -> list[Section]:
    """All sections of the report; draws the pictures into ``folder``."""
    means = _means(outcomes)
    comparison = comparison_of(collection, outcomes, baseline)
    draw_bars(means, _intervals(outcomes), "MAP on test queries", folder / "map.png")
    comparison.plot(folder / "differences.png")
    best = max((n for n in means if n not in (baseline, "chosen")), key=lambda n: means[n])
    return [
        Section(
            f"Rankers on {letor_set(collection).title}",
            f"{len({o.fold for o in outcomes})} folds; every setting chosen per fold on validation by {choose}, ties "
            "averaged over; test queries measured once, by the LETOR tool's definitions (ties in file order). The row "
            "“chosen” takes in each fold the ranker that validates best.",
            *main_table(collection, outcomes),
        ),
        Section("MAP with its interval", "Bootstrap intervals over all test queries.", picture="map.png"),
        _every_cutoff(outcomes),
        _textbook(outcomes),
        Section(
            f"Against {baseline}",
            "Paired over all test queries; p-values Holm-corrected over the rankers.",
            *significance_table(comparison),
        ),
        Section("Query by query", "", picture="differences.png"),
        _settings(outcomes),
        Section(
            f"Where {best} and {baseline} differ most",
            "Their first documents with grades, and for linear rankers the largest terms of the score.",
            *differing_queries(collection, outcomes, best, baseline),
        ),
        _features(collection),
    ]


def _means(outcomes: list[RankerOnFold]) -> dict[str, float]:
    """MAP of every ranker."""
    return {n: mean_over_folds(pooled(outcomes, n, "MAP")) for n in names_of(outcomes)}


def _intervals(outcomes: list[RankerOnFold]) -> dict[str, tuple[float, float]]:
    """The 95 % interval of every ranker's MAP."""
    return {n: mean_interval(np.concatenate(pooled(outcomes, n, "MAP")), 0.95, 0) for n in names_of(outcomes)}


def _every_cutoff(outcomes: list[RankerOnFold]) -> Section:
    measures = [f"N@{k}" for k in range(1, 11)] + ["P@1", "P@3", "P@5", "P@10", "ERR"]
    rows = [[n, *(f"{mean_over_folds(pooled(outcomes, n, m)):.4f}" for m in measures)] for n in names_of(outcomes)]
    return Section("Every cutoff", "By the LETOR tool's definitions.", ["ranker", *measures], rows)


def _textbook(outcomes: list[RankerOnFold]) -> Section:
    rows = [
        [n, *(f"{mean_over_folds(pooled(outcomes, n, m, True)):.4f}" for m in TEXTBOOK)] for n in names_of(outcomes)
    ]
    text = "Ties averaged over, gain 2^g − 1, discount 1/log2(1 + rank)."
    return Section("Textbook definitions", text, ["ranker", *TEXTBOOK], rows)


def _settings(outcomes: list[RankerOnFold]) -> Section:
    """The setting of every ranker in every fold."""
    in_order = sorted(outcomes, key=lambda o: o.fold)
    columns = ["ranker", *(f"fold {i + 1}" for i in sorted({o.fold for o in outcomes}))]
    rows = [[n, *(o.setting for o in in_order if o.ranker == n)] for n in names_of(outcomes)]
    return Section("What was chosen", "", columns, rows)


def _features(collection: str) -> Section:
    """The features whose removal harms a linear ranker most."""
    fold = next(letor_folds(collection))
    ranker = LinearRanker(loss="ranksvm-l2", C=1e-4, normalise=letor_set(collection).normalise)
    return Section(
        "What a feature is worth",
        "nDCG@10 on the test queries of fold 1 when RankSVM (squared, C = 1e-4) is fitted without a feature: the "
        "ten whose loss harms most.",
        ["feature", "nDCG@10 without it", "change"],
        [
            [f"f{int(d.feature) + 1}", f"{d.without:.4f}", f"{d.change:+.4f}"]
            for d in drop_one(ranker, fold.train, fold.test)[:10]
        ],
    )


def experiment(
    data: list[str], folds: str, ranker: list[str] | None, choose: str, baseline: str, output: Path, workers: int
) -> Results:
    """Run the comparison; write the report into ``output``."""
    sets = named_sets(data)
    if len(sets) != 1:
        raise InputError(f"expected one set, got {len(sets)}: several files together are one, names are one each")
    numbers = fold_numbers(folds)
    names = ranker or list(RANKERS)
    if baseline not in names:
        raise InputError(f"the baseline {baseline!r} is not among the rankers: {', '.join(names)}")
    if len(names) < 2:
        raise InputError("expected at least two rankers to compare")
    with bar("rankers × folds", total=len(names) * len(numbers)) as update:
        outcomes = run(sets[0], names, choose, numbers, workers, update)
    output.mkdir(parents=True, exist_ok=True)
    report = sections(sets[0], outcomes, baseline, choose, output)
    return Results([report[0], report[4]], [write(report, output)])


def fold_numbers(text: str) -> tuple[int, ...]:
    """Fold numbers, counted from 0, of ``1-5`` or ``1,3``.

    >>> fold_numbers("2-4"), fold_numbers("5,1")
    ((1, 2, 3), (0, 4))
    """
    try:
        low, _, high = text.partition("-")
        numbers = range(int(low), int(high) + 1) if high else [int(v) for v in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or not all(1 <= f <= 5 for f in numbers):
        raise InputError(f"--folds must be a range within 1-5 or a list of such numbers, got {text!r}")
    return tuple(sorted({f - 1 for f in numbers}))


def make(folder: Path) -> None:
    """Run everything; write ``rankers-<set>.md`` and ``rankers-<set>.png`` for OHSUMED and MQ2008."""
    for collection in ("ohsumed", "mq2008"):
        outcomes = run(collection, workers=thread_count())
        draw_bars(_means(outcomes), _intervals(outcomes), "MAP on test queries", folder / f"rankers-{collection}.png")
        report = [
            Section("", "", *main_table(collection, outcomes)),
            *(_against(collection, outcomes, baseline) for baseline in ("regression", "RankSVM")),
        ]
        write_file(folder / f"rankers-{collection}.md", "\n".join(markdown(section) for section in report).encode())


def _against(collection: str, outcomes: list[RankerOnFold], baseline: str) -> Section:
    """The rankers that optimise a measure directly, tested against a baseline."""
    mine = [o for o in outcomes if o.ranker in (*DIRECT, baseline)]
    columns, rows = significance_table(comparison_of(collection, mine, baseline))
    text = f"Against {baseline}, paired over all test queries, p-values Holm-corrected:"
    return Section("", text, columns, rows)


def draw_bars(
    means: dict[str, float], intervals: dict[str, tuple[float, float]], label: str, path: str | os.PathLike
) -> None:
    """Means with their intervals, one line for each name, best at the top."""
    from matplotlib.figure import Figure

    check_picture(path)
    figure = Figure(figsize=(7.5, 0.34 * len(means) + 1), layout="constrained")
    axis = figure.subplots()
    names = sorted(means, key=lambda n: means[n])
    for i, name in enumerate(names):
        low, high = intervals[name]
        axis.plot([low, high], [i, i], color=GREY, linewidth=2)
        axis.plot([means[name]], [i], "o", color=BLUE)
    axis.set_yticks(range(len(names)), names)
    axis.set_xlabel(label)
    axis.grid(axis="x", color="#dddddd")
    axis.spines[["top", "right", "left"]].set_visible(False)
    save_figure(figure, path)
