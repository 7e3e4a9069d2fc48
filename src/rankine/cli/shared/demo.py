"""The steps of the demo: both halves of Rankine on data that the project made. Everything is computed when it runs."""

from __future__ import annotations

import shutil
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...data.ranking_data import RankingData
from ...errors import InputError
from ...io import TrecTable, save_letor, save_qrels, save_run
from ...measures import Comparison, compare_reports, evaluate_run
from ...rankers import LinearRanker, RegressionRanker
from ...sample import bundled_sample, spoken_sample
from ...system.files import write_file
from ...system.progress import bar, stages
from ...system.report import Section

if TYPE_CHECKING:
    from ...spoken.archive import Archive
    from ...spoken.learn.judgments import Judged
    from ...spoken.learn.learning import CrossValidation
    from ...system.report import Section

MEASURES = ["nDCG@10", "AP(rel=2)", "ERR@20"]
QUERY = "railway"
_MARK = ".rankine-demo"


def prepare_folder(folder: Path) -> None:
    """Make the folder; raise InputError if it holds files that no earlier demo has written."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()) and not (folder / _MARK).exists():
        raise InputError("the folder is not empty and no earlier demo made it: name another", str(folder))
    write_file(folder / _MARK, b"made by `rankine demo`, which writes it anew\n")


def write_search_set(folder: Path) -> RankingData:
    """Write the judged search set into the folder, as LETOR text and as TREC qrels."""
    data = bundled_sample()
    save_letor(data, folder / "search.txt")
    save_qrels(TrecTable.from_columns(data.qid, data.doc_ids, data.y), folder / "qrels.txt")
    return data


def systems(data: RankingData) -> dict[str, np.ndarray]:
    """The scores of one feature and of two rankers; models have not seen the queries they score (three folds)."""
    names = list(data.feature_names or ())
    number = {q: i for i, q in enumerate(data.query_ids)}
    scores = {"bm25": data.X[:, names.index("bm25_body")].astype(np.float64)}
    rankers = {
        "regression": lambda: RegressionRanker(normalise="query-zscore"),
        "SVM-NDCG": lambda: LinearRanker("svm-ndcg@10", C=0.1, normalise="query-zscore",
                                         loss_options={"A": "partial-order"}),
    }  # fmt: skip
    with bar("learning", 3 * len(rankers)) as update:
        done = 0
        for name, ranker in rankers.items():
            scores[name] = np.empty(data.n_documents)
            for train, test in data.folds(3, seed=0):
                predicted = ranker().fit(train).predict(test)
                for q, (a, b) in zip(test.query_ids, zip(test.ptr[:-1], test.ptr[1:], strict=True), strict=True):
                    i = number[q]
                    scores[name][data.ptr[i] : data.ptr[i + 1]] = predicted[a:b]
                update(done := done + 1)
    return scores


def compare_systems(data: RankingData, folder: Path) -> Comparison:
    """Write a TREC run for every system and compare them; draws the differences."""
    reports = {}
    for name, scores in systems(data).items():
        run = TrecTable.from_columns(data.qid, data.doc_ids, scores, tag=name)
        save_run(run, folder / f"{name}.run")
        reports[name] = evaluate_run(MEASURES, folder / "qrels.txt", folder / f"{name}.run")
    comparison = compare_reports(reports, baseline="bm25")
    comparison.plot(folder / "differences.png")
    return comparison


def search_sections(data: RankingData, comparison: Comparison) -> list[Section]:
    """The sections of the report on the judged search set."""
    reports = comparison.reports
    rows = [(n, *(f"{value:.4f}" for value in r.mean.values())) for n, r in reports.items()]
    columns = ("system", *next(iter(reports.values())).mean)
    text = f"{data.n_queries} queries, {data.n_documents} documents; each query scored by models that never saw it."
    return [
        Section("A judged search set, learned and compared", text, columns, rows),
        Section("How much the systems differ, query by query", "", picture="differences.png"),
    ]


def hears_speech() -> bool:
    """Whether a recogniser of English and the pronunciations of its words are here, which the spoken half needs."""
    from ...spoken.lattice.units.english import cmu_file
    from ...spoken.recognise.recognisers.choice import choose

    try:
        choose("en")
        cmu_file()
    except InputError:
        return False
    return True


def add_recordings(folder: Path) -> tuple[Archive, Judged, str]:
    """Add the spoken sample to ``folder/archive``; the archive, the sample's judged queries, and who heard it.

    PocketSphinx heard it long ago: its lattices are part of the sample. A better recogniser that is here hears it now.
    """
    from ...spoken.archive import Archive
    from ...spoken.index.about import read_about
    from ...spoken.learn.judgments import Judged, read_qrels, read_queries
    from ...spoken.recognise.recognisers.choice import choose
    from ...system.parallel import thread_count

    shutil.rmtree(folder / "archive", ignore_errors=True)
    archive, choice = Archive.create(folder / "archive"), choose("en")
    with spoken_sample() as sample, stages({"recognising": "seconds"}, {"indexing": "recognising"}) as progress:
        about = {u: a._replace(audio=str(sample / a.audio)) for u, a in read_about(sample / "recordings.tsv").items()}
        if choice.name == "pocketsphinx":
            archive.lattices.index(sample / "lattices", about, progress=partial(progress, "indexing"))
            archive.recordings.add_roots([sample / "audio"])
        else:
            archive.recordings.add(
                sample / "audio", [choice.recogniser], about, workers=thread_count(None), every=600.0,
                progress=progress,
            )  # fmt: skip
        return archive, Judged(read_queries(sample / "queries.tsv"), read_qrels(sample / "qrels.txt")), choice.name


def learn_weights(archive: Archive, judged: Judged, folder: Path) -> CrossValidation:
    """Store the judgments in the archive, learn its weights from them and use them; draws means and weights."""
    from ...spoken.learn.pictures import draw_groups, draw_weights

    archive.judgments.add_judged(judged, "sample")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        weights, trial, *_ = archive.weights.learn(judged)
    means = {n: [float(x.mean())] for n, x in trial.precision.items()}
    draw_groups(["all queries"], means, "mean AP", folder / "learned.png")
    draw_weights(list(weights.names), {"SVM-MAP": np.array(weights.values)}, folder / "weights.png")
    return trial


def spoken_sections(archive: Archive, judged: Judged, trial: CrossValidation) -> list[Section]:
    """The sections of the report on the spoken archive."""
    text = f"{len(archive)} recordings, {len(judged.queries)} judged queries."
    return [
        Section("A spoken archive, searched and improved by learning", text, trial.columns, trial.table()),
        Section("Mean AP before and after", "", picture="learned.png"),
        Section("What the weak rankers are worth", "", picture="weights.png"),
    ]
