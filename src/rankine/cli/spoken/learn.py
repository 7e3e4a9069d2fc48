"""``rankine spoken learn`` and ``rankine spoken weights``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ...console import counted, say
from ...normalisers import TABLE
from ...spoken.learn.table import NEIGHBOURS, RANKERS
from .common import Folder

if TYPE_CHECKING:
    from ...spoken import Archive
    from ...spoken.archive.taught import LearningResult
    from ...spoken.learn.judgments import Judged
    from ...spoken.learn.weights import Weights

_TINY = 0.001
_RANKERS = "; ".join(f"{name}: {row.explanation}" for name, row in RANKERS.items())
_NORMALISERS = ", ".join(name for name, row in TABLE.items() if row.by_query)


def learn(
    archive: Folder,
    queries: Annotated[
        str | None, typer.Option(help="Queries (name, tab, query on each line) instead of the archive's own.")
    ] = None,
    qrels: Annotated[str | None, typer.Option(help="TREC qrels of these queries.")] = None,
    ranker: Annotated[str, typer.Option(help=f"{_RANKERS}; or any loss, `rankine losses` lists them.")] = NEIGHBOURS,
    normalise: Annotated[
        str,
        typer.Option(
            help=f"How scores are normalised within a query: {_NORMALISERS}, for weights of the papers' weak rankers; "
            "none; or auto, what the ranker needs."
        ),
    ] = "auto",
    folds: Annotated[int, typer.Option(help="Number of folds of queries for the test.")] = 4,
    seed: Annotated[int, typer.Option(help="Random seed of the folds.")] = 0,
    plot: Annotated[str | None, typer.Option(help="A picture of the weights: .png, .svg or .pdf.")] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Use the new weights even if they test worse.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only test; leave the archive as it is.")] = False,
) -> None:
    """Learn from judged queries which evidence to trust, beginning at the shipped weights.

    First the ranker is tested on queries that it has not seen, beside the shipped weights, which have seen none; then
    it learns from all of them. Search uses the new weights from then on if they did not do worse in the test. The same
    judgments give the same weights, whichever are in use.

    `rankine spoken learn archive/`

    `rankine spoken learn archive/ --queries q.tsv --qrels q.qrels --ranker svm-map --dry-run`
    """
    from ...figures import check_picture
    from ...spoken import Archive
    from ...spoken.learn.pictures import draw_weights

    judged = _judged(queries, qrels)
    if plot is not None:
        check_picture(plot)
    result = Archive(archive).learn(
        judged, ranker, normalise=None if normalise == "none" else normalise, folds=folds, seed=seed, use=not dry_run,
        keep=keep,
    )  # fmt: skip
    weights = result.weights
    if result.ignored:
        gone = counted(result.ignored, "judgment")
        say(f"rankine: left out: {gone} of documents that are no longer in the archive")
    _print_result(archive, result, dry_run)
    if plot is not None:
        draw_weights(weights.names, {f"{ranker}, all queries": weights.values}, plot)
    say(_outcome(archive, result, dry_run))


def _outcome(archive: str, result: LearningResult, dry_run: bool) -> str:
    """What was done with the weights, and why."""
    before, after = result.means
    means = f"mean AP {after:.4f} in the test, {before:.4f} by weights that have seen no judgment"
    if dry_run:
        return f"{means}; dry run: the archive is as it was"
    if result.unchanged:
        return f"{archive}: nothing changed: search uses the weights {result.weights.id} already: {means}"
    if result.adopted:
        return f"{archive}: search now uses the weights {result.weights.id}: {means}"
    return f"{archive}: the weights in use stay: {means}; --keep uses the new ones all the same"


def _judged(queries: str | None, qrels: str | None) -> Judged | None:
    """The queries and judgments of files; None: the archive's own."""
    from ...errors import InputError
    from ...spoken.learn.judgments import Judged, read_qrels, read_queries

    if (queries is None) != (qrels is None):
        raise InputError("--queries and --qrels belong together")
    return None if queries is None or qrels is None else Judged(read_queries(queries), read_qrels(qrels))


def _print_result(archive: str, result: LearningResult, dry_run: bool) -> None:
    """Print the test over folds, and the weights where they are used or only looked at."""
    from ...console import print_table

    weights, trial = result.weights, result.trial
    note = f"mean AP over {counted(len(trial.in_vocabulary), 'query')}, tested by weights learned on the other folds"
    print_table(f"{archive}: {weights.ranker}", list(trial.columns), trial.table(), note)
    if result.adopted or dry_run:
        print_table("Weights", *_weight_table(weights), f"those of at most {_TINY} are left out")


def _weight_table(weights: Weights) -> tuple[list[str], list[tuple[str, ...]]]:
    """The columns and rows of weights that are not tiny: those of evidence by feature and class of words."""
    from ...spoken.learn.classes import CLASS_HEADS, class_rows
    from ...spoken.learn.weights import is_evidence

    some = {name: w for name, w in weights.by_name.items() if abs(w) > _TINY}
    if all(map(is_evidence, weights.names)):
        return ["feature", *CLASS_HEADS], class_rows(some, "{:+.3f}", "")
    return ["weak ranker", "weight"], [(name, f"{w:+.4f}") for name, w in some.items()]


def weights(
    archive: Folder,
    use: Annotated[
        str | None, typer.Option(help="Use earlier weights by their id, `shipped` ones, or `uniform` ones (equal).")
    ] = None,
    load: Annotated[str | None, typer.Option("--import", help="Use the weights in a file of another archive.")] = None,
) -> None:
    """List the weights that come with Rankine, equal ones, and those that an archive has learned; choose among them.

    `rankine spoken weights archive/ --use shipped`

    `rankine spoken weights archive/ --import other/weights/1f2e3d4c5b6a.json`
    """
    from ...console import print_table
    from ...errors import InputError
    from ...spoken import Archive
    from ...spoken.index.scores import ranker_names
    from ...spoken.learn.weights import Weights

    if use is not None and load is not None:
        raise InputError("--use and --import exclude each other")
    opened = Archive(archive)
    if use is not None:
        named = {"shipped": None, "uniform": Weights.equal(ranker_names(opened.kinds))}
        if use not in (names := [*named, *opened.weights_history]):
            raise InputError(f"no weights are called {use!r}; there are: {', '.join(names)}")
        opened.use_weights(named.get(use, use))
    if load is not None:
        loaded = Weights.read(load)
        opened.use_weights(loaded)
        if note := loaded.origin_note(opened.settings.language, opened.kinds):
            say(f"rankine: {note}")
    columns = ["", "id", "ranker", "queries", "MAP in its test"]
    print_table(f"{archive}: weights, * is in use", columns, _history(opened))


def _history(archive: Archive) -> list[tuple[str, ...]]:
    """A row for the shipped weights, for equal ones, and for each that was ever learned and used."""
    from ...spoken.archive.shelf import Shelf

    current = archive.weights
    now = "shipped" if current is None else "uniform" if current.ranker == "uniform" else current.id
    rows = [("shipped", "", "", ""), ("uniform", "", "", "")]
    for name in archive.weights_history:
        w = Shelf(archive.folder).get(name)
        tested = w.provenance.get("MAP", {}).get(w.ranker, float("nan"))
        rows.append((name, w.ranker, str(w.provenance.get("queries", "")), f"{tested:.4f}"))
    return [("*" if row[0] == now else "", *row) for row in rows]
