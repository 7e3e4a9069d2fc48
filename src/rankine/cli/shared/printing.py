"""Tables that several commands print: rows of the package's tables, comparisons of systems, hits of a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...system.console import clock, is_terminal, print_entries, print_table, put, put_csv, put_json
from .common import Output

if TYPE_CHECKING:
    from ...measures import Comparison
    from ...spoken.search.hits import Hit


def print_rows(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], output: Output, note: str = ""
) -> None:
    """Print rows as a table (with a note), as JSON objects or as CSV."""
    if output is Output.json:
        put_json([dict(zip(columns, row, strict=True)) for row in rows], indent=2)
    elif output is Output.csv:
        put_csv([columns, *rows])
    else:
        print_table(title, columns, rows, note)


def print_comparison(comparison: Comparison) -> None:
    """Print the means of the systems, then the tests between them."""
    from ...measures.evaluation import written

    first = next(iter(comparison.reports.values()))
    means = [(name, *map(written, r.mean.values(), r.measures)) for name, r in comparison.reports.items()]
    print_table(f"Means over {len(first.query_ids)} queries", ["system", *first.mean], means)
    measures = list(first.mean)
    rows: list[tuple[str, ...]] = [
        (
            p.measure,
            f"{p.a} − {p.b}",
            f"{p.difference:+.4f}",
            f"[{p.low:+.4f}, {p.high:+.4f}]",
            f"{p.effect:+.2f}",
            f"{p.wins}/{p.ties}/{p.losses}",
            f"{p.wilcoxon_holm:.2g}",
            f"{p.t_holm:.2g}",
            f"{p.randomisation_holm:.2g}",
        )
        for p in comparison.pairs
    ]
    interval = f"{comparison.confidence:.0%} interval"
    columns = ["measure", "systems", "mean", interval, "effect", "w/t/l", "Wilcoxon", "t", "random."]
    title = "Paired differences"
    if len(measures) == 1:
        title += f" in {measures[0]}"
        columns, rows = columns[1:], [row[1:] for row in rows]
    note = "p-values of three tests, Holm-corrected over the pairs of a measure; w/t/l: queries won, tied, lost. "
    print_table(title, columns, rows, note + comparison.note)


def print_hits(title: str, hits: Sequence[Hit]) -> None:
    """Print the hits of a search, best first; where they are grouped, a recording's number stands at its first.

    A terminal shows what is known of the recording and what was said around the place below each hit. What is piped is
    a table of which no column depends on the width.
    """
    ranks = [h.recording_rank or h.rank for h in hits]
    firsts = [before != rank for rank, before in zip(ranks, [None, *ranks], strict=False)]
    shown = [(rank if first else "", first, h) for rank, first, h in zip(ranks, firsts, hits, strict=True)]
    if hits and is_terminal():
        columns = ["", "hit", "at", "score", "certainty", "heard"]
        print_entries(title, columns, [
            ((rank, h.place, clock(h.start), _score(h.score), h.certainty, _heard(h)), _below(h, first))
            for rank, first, h in shown
        ])  # fmt: skip
    elif hits:
        titled = any(h.title for h in hits)
        rows = [
            (rank, h.place, *([h.title or h.recording] if titled else []), clock(h.start), _score(h.score), h.certainty,
             _heard(h), h.snippet)
            for rank, _, h in shown
        ]  # fmt: skip
        columns = ["", "hit", *(["title"] if titled else []), "at", "score", "certainty", "heard", "around it"]
        print_table(title, columns, rows)
    for h in hits:
        if h.explanation:
            put("\n  ".join([f"{h.place}: {h.score:.2f}", *h.explanation]))


def _below(hit: Hit, first: bool) -> list[str]:
    """Title and date of the recording where it stands first, and what its speaker said around the place."""
    head = " · ".join(text for text in (hit.title, hit.date) if text) if hit.title else ""
    speaker = ", ".join(text for text in (hit.speaker, "" if hit.title else hit.date) if text)
    said = f"{speaker}: {hit.snippet}" if speaker and hit.snippet else speaker or hit.snippet
    return [text for text in (head if first else "", said) if text]


def _score(score: float) -> str:
    """A score with three digits; one that is not 0 does not look so."""
    return "<0.001" if 0 < score < 0.0005 else f"{score:.3f}"


def _heard(hit: Hit) -> str:
    """The words with their posteriors, or how much of a word was heard in smaller units."""
    if hit.certainty == "sounds like" or not hit.matches:
        return hit.evidence
    words = " ".join(f"{m.unit}:{m.posterior:.2f}" for m in hit.matches)
    who = ", ".join(dict.fromkeys(span.who for span in hit.corrections if span.who))
    return words + (f" (corrected{f' by {who}' if who else ''})" if hit.corrections else "")
