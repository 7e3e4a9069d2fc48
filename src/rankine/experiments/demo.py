"""The demo: from a judged set to a verdict, on data that the project made."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import numpy as np
import typer

from ..console import print_comparison, print_table
from ..data import RankingData
from ..io import TrecTable, save_letor, save_qrels, save_run
from ..measures import compare_reports, evaluate_run
from ..normalise import Normaliser
from .synthetic import bundled_sample

_MEASURES = ["nDCG@10", "AP(rel=2)", "ERR@20"]


def systems(data: RankingData) -> dict[str, np.ndarray]:
    """Three ways to score the sample: one feature, another, and a blend of four by hand."""
    z = Normaliser("query-zscore").fit(data).apply(data)
    names = list(z.feature_names or ())

    def column(name: str) -> np.ndarray:
        return z.X[:, names.index(name)].astype(np.float64)

    blend = column("bm25_title") + column("bm25_body") + 0.5 * column("clicks") + 0.3 * column("pagerank")
    return {"clicks": column("clicks"), "bm25": column("bm25_body"), "blend": blend}


def run_demo(folder: Path) -> None:
    """Write the sample as files, evaluate and compare three systems on it, draw the difference."""
    folder.mkdir(parents=True, exist_ok=True)
    data = bundled_sample()
    save_letor(data, folder / "search.txt")
    qrels = TrecTable.from_columns(data.qid, data.doc_ids, data.y)
    save_qrels(qrels, folder / "qrels.txt")
    reports = {}
    for name, scores in systems(data).items():
        run = TrecTable.from_columns(data.qid, data.doc_ids, scores, tag=name)
        save_run(run, folder / f"{name}.run")
        reports[name] = evaluate_run(_MEASURES, qrels, folder / f"{name}.run")
    typer.echo(f"A judged search set that Rankine made itself: {data}\n")
    comparison = compare_reports(reports, baseline="bm25")
    print_comparison(comparison)
    comparison.plot(folder / "differences.png")
    next_steps = [
        (f"rankine describe {folder}/search.txt", "the data set at a glance"),
        (f"rankine evaluate {folder}/qrels.txt {folder}/*.run -m nDCG@10 -q", "every query"),
        (f"rankine compare {folder}/qrels.txt {folder}/*.run --plot all.png", "every pair of systems"),
        ("rankine measures", "all the measures there are"),
    ]
    if shutil.which("rankine") is None:
        activate = os.path.relpath(Path(sys.executable).with_name("activate"))
        next_steps.insert(0, (f". {activate}", "puts rankine on your path"))
    typer.echo(f"\nThe picture of the per-query differences: {folder}/differences.png\n")
    print_table("What to try next", ["command", "what it shows"], next_steps)
