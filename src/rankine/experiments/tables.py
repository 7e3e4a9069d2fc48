"""The tables of the documentation page on rankers, from the LETOR sets."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..measures.compare import mean_interval
from ..parallel import thread_count
from ..plots import draw_bars
from .comparison import Outcome, mean_over_folds, pooled, run
from .report import Section, comparison_of, main_table, markdown, names_of, significance_table

DIRECT = ("SVM-MAP", "SVM-NDCG@10", "AdaRank", "consistent NDCG", "chosen")


def make(folder: Path) -> None:
    """Run everything; write ``rankers-<set>.md`` and ``rankers-<set>.png`` for OHSUMED and MQ2008."""
    for collection in ("ohsumed", "mq2008"):
        outcomes = run(collection, workers=thread_count())
        names = names_of(outcomes)
        means = {n: mean_over_folds(pooled(outcomes, n, "MAP")) for n in names}
        intervals = {n: mean_interval(np.concatenate(pooled(outcomes, n, "MAP")), 0.95, 0) for n in names}
        draw_bars(means, intervals, "MAP on test queries", folder / f"rankers-{collection}.png")
        parts = [Section("", "", *main_table(collection, outcomes)), *(_against(collection, outcomes, b) for b in
                 ("regression", "RankSVM"))]  # fmt: skip
        text = "\n".join(markdown(part) for part in parts)
        (folder / f"rankers-{collection}.md").write_text(text, encoding="utf-8")


def _against(collection: str, outcomes: list[Outcome], baseline: str) -> Section:
    """The rankers that optimise a measure directly, tested against a baseline."""
    mine = [o for o in outcomes if o.ranker in (*DIRECT, baseline)]
    columns, rows = significance_table(comparison_of(collection, mine, baseline))
    text = f"Against {baseline}, paired over all test queries, p-values Holm-corrected:"
    return Section("", text, columns, rows)
