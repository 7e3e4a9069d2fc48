"""The demo: both halves of Rankine on data that the project made. Everything shown is computed here and now."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import warnings
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
import typer

from ..console import print_comparison, print_hits, print_table
from ..data import RankingData
from ..errors import InputError
from ..io import TrecTable, save_letor, save_qrels, save_run
from ..measures import compare_reports, evaluate_run
from ..progress import bar
from ..rankers import LinearRanker, RegressionRanker
from ..report import Section, write
from ..sample import bundled_sample

_MEASURES = ["nDCG@10", "AP(rel=2)", "ERR@20"]
_ASKED = "railway"
_MARK = ".rankine-demo"


def systems(data: RankingData) -> dict[str, np.ndarray]:
    """One feature as it is, and two rankers; each query is scored by models that have not seen it (three folds)."""
    names = list(data.feature_names or ())
    number = {q: i for i, q in enumerate(data.query_ids)}
    found = {"bm25": data.X[:, names.index("bm25_body")].astype(np.float64)}
    makers = {
        "regression": lambda: RegressionRanker(normalise="query-zscore"),
        "SVM-NDCG": lambda: LinearRanker("svm-ndcg@10", C=0.1, normalise="query-zscore",
                                         loss_options={"A": "partial-order"}),
    }  # fmt: skip
    with bar("learning", 3 * len(makers)) as update:
        done = 0
        for name, make in makers.items():
            scores = np.empty(data.n_documents)
            for train, test in data.folds(3, seed=0):
                predicted = make().fit(train).predict(test)
                for q, (a, b) in zip(test.query_ids, zip(test.ptr[:-1], test.ptr[1:], strict=True), strict=True):
                    i = number[q]
                    scores[data.ptr[i] : data.ptr[i + 1]] = predicted[a:b]
                update(done := done + 1)
            found[name] = scores
    return found


def run_demo(folder: Path) -> None:
    """Both halves, a report with their pictures, and what to try next."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()) and not (folder / _MARK).exists():
        raise InputError("the folder is not empty and no earlier demo made it: name another", str(folder))
    (folder / _MARK).write_text("made by `rankine demo`, which writes it anew\n", encoding="utf-8")
    parts = _search_half(folder)
    spoken, hit = _spoken_half(folder)
    parts += spoken
    write(parts, folder)
    typer.echo(f"\nEverything with its pictures: {folder}/report.html\n")
    at = shlex.quote(str(folder))
    steps = [
        (f"rankine train {at}/search.txt --loss svm-map -o model.json", "learn a ranking by average precision"),
        (f"rankine compare {at}/qrels.txt {at}/*.run --details 3", "where systems differ, and why"),
        (f"rankine spoken search {at}/archive hospital", "find what was said"),
        (f"rankine spoken play {at}/archive {hit} -o hit.wav", f"hear the first hit for {_ASKED}"),
        ("rankine spoken add my-archive/ recordings/", "the same with recordings of your own"),
        ("rankine --help", "everything else"),
    ]
    if shutil.which("rankine") is None:
        activate = os.path.relpath(Path(sys.executable).with_name("activate"))
        steps.insert(0, (f". {activate}", "puts rankine on your path"))
    typer.echo("What to try next\n")
    for command, what in steps:
        typer.echo(f"  {command}\n      {what}")


def _search_half(folder: Path) -> list[Section]:
    data = bundled_sample()
    save_letor(data, folder / "search.txt")
    qrels = TrecTable.from_columns(data.qid, data.doc_ids, data.y)
    save_qrels(qrels, folder / "qrels.txt")
    typer.echo(f"1. A judged search set that Rankine made itself: {data}\n")
    reports = {}
    for name, scores in systems(data).items():
        run = TrecTable.from_columns(data.qid, data.doc_ids, scores, tag=name)
        save_run(run, folder / f"{name}.run")
        reports[name] = evaluate_run(_MEASURES, qrels, folder / f"{name}.run")
    comparison = compare_reports(reports, baseline="bm25")
    print_comparison(comparison)
    comparison.plot(folder / "differences.png")
    rows = [(n, *(f"{r.mean[m]:.4f}" for m in r.mean)) for n, r in reports.items()]
    columns = ("system", *next(iter(reports.values())).mean)
    text = f"{data.n_queries} queries, {data.n_documents} documents; each query scored by models that never saw it."
    return [
        Section("A judged search set, learned and compared", text, columns, rows),
        Section("How much the systems differ, query by query", "", picture="differences.png"),
    ]


def _spoken_half(folder: Path) -> tuple[list[Section], str]:
    from ..spoken.archive.archive import Archive
    from ..spoken.index.about import read_about
    from ..spoken.lattice.pictures import draw_groups, draw_weights
    from ..spoken.learn.judgments import Judged, read_qrels, read_queries
    from ..spoken.learn.learning import COLUMNS, learn

    place = folder / "archive"
    shutil.rmtree(place, ignore_errors=True)
    with as_file(files("rankine").joinpath("sample", "spoken")) as sample, bar("indexing", None) as update:
        about = {u: a._replace(audio=str(sample / a.audio)) for u, a in read_about(sample / "recordings.tsv").items()}
        archive = Archive.create(place)
        archive.add(sample / "lattices", about, progress=update)
        judged = Judged(read_queries(sample / "queries.tsv"), read_qrels(sample / "qrels.txt"))
    typer.echo(f"\n2. A spoken archive: {len(archive)} noisy recordings, as PocketSphinx understood them.\n")
    print_hits(f"{_ASKED}, before learning", archive.search(_ASKED, 5))
    archive.judgments.add_queries(judged.queries)
    archive.judgments.add_all([(q, d, g) for q, grades in judged.qrels.items() for d, g in grades.items()], "sample")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        weights, trial = learn(archive, judged, "svm-map")
    archive.use_weights(weights)
    print_table("Mean AP over four folds of queries: learned weights are tested on queries they have not seen",
                COLUMNS, trial.table())  # fmt: skip
    print_hits(f"{_ASKED}, after learning", archive.search(_ASKED, 5))
    means = {n: [float(x.mean())] for n, x in trial.precision.items()}
    draw_groups(["all queries"], means, "mean AP", folder / "learned.png")
    draw_weights(list(archive.ranker_names), {"SVM-MAP": np.array(weights.values)}, folder / "weights.png")
    text = f"{len(archive)} recordings, {len(judged.queries)} judged queries."
    parts = [
        Section("A spoken archive, searched and improved by learning", text, COLUMNS, trial.table()),
        Section("Mean AP before and after", "", picture="learned.png"),
        Section("What the weak rankers are worth", "", picture="weights.png"),
    ]
    return parts, archive.search(_ASKED, 1)[0].place
