"""The report of the comparison of rankers: Markdown and HTML with the same content, and pictures."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..data import RankingData, concatenate
from ..files import replacing
from ..measures import Comparison, Report, compare_reports, evaluate
from ..measures.compare import mean_interval
from ..plots import draw_bars
from ..rankers import LinearRanker
from ..rankers.analysis import contributions, drop_one, most_different
from .comparison import LETOR, PUBLISHED, TEXTBOOK, Outcome, mean_over_folds, pooled
from .letor import COLLECTIONS, folds

SHORT = ("N@1", "N@3", "N@5", "N@10", "MeanNDCG", "MAP")


@dataclass(frozen=True)
class Section:
    """A heading with a paragraph, a table or a picture."""

    title: str
    text: str = ""
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    picture: str = ""


def names_of(outcomes: list[Outcome]) -> list[str]:
    """The rankers in the order in which they ran, ``chosen`` last."""
    return list(dict.fromkeys(o.ranker for o in outcomes))


def main_table(collection: str, outcomes: list[Outcome]) -> tuple[list[str], list[list[str]]]:
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


def comparison_of(collection: str, outcomes: list[Outcome], baseline: str) -> Comparison:
    """Paired tests of MAP and N@10 over all test queries, every ranker against the baseline."""
    numbers = sorted({o.fold for o in outcomes})
    tests = [fold.test for i, fold in enumerate(folds(collection)) if i in numbers]
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
    collection: str, outcomes: list[Outcome], a: str, b: str, n: int = 5, depth: int = 3
) -> tuple[list[str], list[list[str]]]:
    """The test queries where two rankers differ most in AP: their best documents, grades, and why they are there."""
    rows: list[tuple[float, list[str]]] = []
    for i, fold in enumerate(folds(collection)):
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


def _top(test: RankingData, q: int, outcome: Outcome, depth: int) -> str:
    """The best documents of a query with grade and, for a linear ranker, the largest parts of their scores."""
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


def sections(collection: str, outcomes: list[Outcome], baseline: str, choose: str, folder: Path) -> list[Section]:
    """Everything the report says; draws the pictures into ``folder``."""
    title = COLLECTIONS[collection].title
    names = names_of(outcomes)
    comparison = comparison_of(collection, outcomes, baseline)
    means = {n: mean_over_folds(pooled(outcomes, n, "MAP")) for n in names}
    intervals = {n: mean_interval(np.concatenate(pooled(outcomes, n, "MAP")), 0.95, 0) for n in names}
    draw_bars(means, intervals, "MAP on test queries", folder / "map.png")
    comparison.plot(folder / "differences.png")
    best = max((n for n in names if n not in (baseline, "chosen")), key=lambda n: means[n])
    every = [f"N@{k}" for k in range(1, 11)] + ["P@1", "P@3", "P@5", "P@10", "ERR"]
    fold = next(iter(folds(collection)))
    dropped = drop_one(
        LinearRanker(loss="ranksvm-l2", C=1e-4, normalise=COLLECTIONS[collection].normalise), fold.train, fold.test
    )
    return [
        Section(
            f"Rankers on {title}",
            f"{len({o.fold for o in outcomes})} folds; every setting chosen per fold on validation by {choose}, ties "
            "averaged over; test queries measured once, by the LETOR tool's definitions (ties in file order). The row "
            "“chosen” takes in each fold the ranker that validates best.",
            *main_table(collection, outcomes),
        ),
        Section("MAP with its interval", "Bootstrap intervals over all test queries.", picture="map.png"),
        Section(
            "Every cutoff",
            "By the LETOR tool's definitions.",
            ["ranker", *every],
            [[n, *(f"{mean_over_folds(pooled(outcomes, n, m)):.4f}" for m in every)] for n in names],
        ),
        Section(
            "Textbook definitions",
            "Ties averaged over, gain 2^g − 1, discount 1/log2(1 + rank).",
            ["ranker", *TEXTBOOK],
            [[n, *(f"{mean_over_folds(pooled(outcomes, n, m, True)):.4f}" for m in TEXTBOOK)] for n in names],
        ),
        Section(
            f"Against {baseline}",
            "Paired over all test queries; p-values Holm-corrected over the rankers.",
            *significance_table(comparison),
        ),
        Section("Query by query", "", picture="differences.png"),
        Section(
            "What was chosen",
            "",
            ["ranker", *(f"fold {i + 1}" for i in sorted({o.fold for o in outcomes}))],
            [[n, *(o.setting for o in sorted(outcomes, key=lambda o: o.fold) if o.ranker == n)] for n in names],
        ),
        Section(
            f"Where {best} and {baseline} differ most",
            "Their first documents with grades, and for linear rankers the largest parts of the score.",
            *differing_queries(collection, outcomes, best, baseline),
        ),
        Section(
            "What a feature is worth",
            "nDCG@10 on the test queries of fold 1 when RankSVM (squared, C = 1e-4) is fitted without a feature: the "
            "ten whose loss harms most.",
            ["feature", "nDCG@10 without it", "change"],
            [[f"f{int(d.feature) + 1}", f"{d.without:.4f}", f"{d.change:+.4f}"] for d in dropped[:10]],
        ),
    ]


def write(parts: list[Section], folder: Path) -> list[Path]:
    """report.md and report.html in ``folder``; the HTML holds its pictures."""
    written = []
    for name, text in (("report.md", _markdown(parts)), ("report.html", _html(parts, folder))):
        with replacing(folder / name) as temporary:
            temporary.write_text(text, encoding="utf-8")
        written.append(folder / name)
    return written


def write_page(parts: list[Section], folder: Path, name: str, level: int) -> None:
    """``name.md`` in ``folder``, to be included by the documentation, whose pictures stand below ``_static``."""
    text = []
    for i, part in enumerate(parts):
        shown = part if not part.picture else replace(part, picture=f"_static/{folder.name}/{part.picture}")
        text.append(f"{'#' * (level + (i > 0))} {part.title}\n\n{markdown(shown)}")
    (folder / f"{name}.md").write_text("\n".join(text), encoding="utf-8")


def _markdown(parts: list[Section]) -> str:
    return "\n".join(f"{'#' if i == 0 else '##'} {part.title}\n\n{markdown(part)}" for i, part in enumerate(parts))


def markdown(part: Section) -> str:
    """The content of a section without its heading."""
    out = [f"{part.text}\n"] if part.text else []
    if part.rows:
        rows = [part.columns, ["---"] * len(part.columns), *part.rows]
        out += ["| " + " | ".join(str(c).replace("|", "\\|") for c in row) + " |" for row in rows]
        out.append("")
    if part.picture:
        out.append(f"![{part.title}]({part.picture})\n")
    return "\n".join(out)


_STYLE = (
    "body{font:15px/1.45 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse;font-size:13px;margin:1rem 0}"
    "th,td{padding:.25rem .6rem;border-bottom:1px solid #ddd;text-align:right;vertical-align:top}"
    "th:first-child,td:first-child{text-align:left}td.words{text-align:left}img{max-width:100%}"
)


def _html(parts: list[Section], folder: Path) -> str:
    body: list[str] = []
    for i, part in enumerate(parts):
        body.append(f"<h{1 if i == 0 else 2}>{html.escape(part.title)}</h{1 if i == 0 else 2}>")
        if part.text:
            body.append(f"<p>{html.escape(part.text)}</p>")
        if part.rows:
            head = "".join(f"<th>{html.escape(c)}</th>" for c in part.columns)
            rows = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in part.rows)
            body.append(f"<table><tr>{head}</tr>{rows}</table>")
        if part.picture:
            data = base64.b64encode((folder / part.picture).read_bytes()).decode()
            body.append(f'<img alt="{html.escape(part.title)}" src="data:image/png;base64,{data}">')
    title = html.escape(parts[0].title)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
        + "\n".join(body)
        + "</html>\n"
    )


def _cell(value: Any) -> str:
    text = str(value)
    words = ' class="words"' if len(text) > 24 else ""
    return f"<td{words}>{html.escape(text)}</td>"
