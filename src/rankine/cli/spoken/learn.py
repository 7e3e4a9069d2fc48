"""``rankine spoken learn`` and ``rankine spoken weights``."""

from __future__ import annotations

from typing import Annotated

import typer

from .common import Folder


def learn(
    archive: Folder,
    queries: Annotated[
        str | None, typer.Option(help="Queries (name, tab, query on each line) instead of the archive's own.")
    ] = None,
    qrels: Annotated[str | None, typer.Option(help="TREC qrels of these queries.")] = None,
    ranker: Annotated[
        str, typer.Option(help="svm-map (as in the paper), adarank, or any loss that `rankine train` knows.")
    ] = "svm-map",
    normalise: Annotated[
        str, typer.Option(help="Weak rankers' scores within a query: query-minmax, query-zscore, or none.")
    ] = "query-minmax",
    folds: Annotated[int, typer.Option(help="Folds of queries for the test.")] = 4,
    seed: Annotated[int, typer.Option(help="Of the folds.")] = 0,
    plot: Annotated[str | None, typer.Option(help="A picture of the weights: .png, .svg or .pdf.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how well it would do.")] = False,
) -> None:
    """Learn from judged queries which weak rankers to trust; search uses the weights from then on.

    First the ranker is tested on queries that it has not seen, beside equal weights and the best single weak ranker;
    then it learns from all of them.

    `rankine spoken learn archive/`

    `rankine spoken learn archive/ --queries q.tsv --qrels q.qrels --ranker adarank --dry-run`
    """
    from ...console import print_table
    from ...errors import InputError
    from ...figures import check_picture
    from ...spoken import Archive
    from ...spoken.learn.judgments import Judged, read_qrels, read_queries
    from ...spoken.learn.learning import COLUMNS
    from ...spoken.learn.learning import learn as run
    from ...spoken.learn.pictures import draw_weights

    if (queries is None) != (qrels is None):
        raise InputError("--queries and --qrels belong together")
    if plot is not None:
        check_picture(plot)
    found = Archive(archive)
    if queries is None:
        judged = found.judgments.all()
        there = set(found.documents)
        gone = sum(d not in there for r in judged.qrels.values() for d in r)
        if gone:
            typer.echo(
                f"rankine: {gone} judgments of documents that are no longer in the archive do not count", err=True
            )
            kept = {q: {d: g for d, g in r.items() if d in there} for q, r in judged.qrels.items()}
            judged = Judged(judged.queries, kept)
    else:
        judged = Judged(read_queries(queries), read_qrels(str(qrels)))
    weights, trial = run(found, judged, ranker, None if normalise == "none" else normalise, folds, seed)
    note = f"mean AP over {len(trial.known)} queries, each tested by what the other folds taught"
    print_table(f"{archive}: {ranker}", list(COLUMNS), trial.table(), note)
    print_table(
        "Weights",
        ["weak ranker", "weight"],
        [(n, f"{w:+.4f}") for n, w in zip(weights.names, weights.values, strict=True)],
    )
    if plot is not None:
        draw_weights(weights.names, {f"{ranker}, all queries": weights.values}, plot)
    if dry_run:
        typer.echo("dry run: the archive is as it was", err=True)
        return
    found.use_weights(weights)
    typer.echo(f"{archive}: search now uses the weights {weights.id}", err=True)


def weights(
    archive: Folder,
    use: Annotated[str | None, typer.Option(help="Go back to earlier weights by their id, or to `uniform`.")] = None,
    load: Annotated[str | None, typer.Option("--import", help="Use the weights in a file of another archive.")] = None,
) -> None:
    """The weights that an archive has learned; go back to earlier ones.

    `rankine spoken weights archive/ --use uniform`
    """
    from ...console import print_table
    from ...errors import InputError
    from ...spoken import Archive
    from ...spoken.learn.learning import Shelf, Weights

    found = Archive(archive)
    if use is not None and load is not None:
        raise InputError("--use and --import exclude each other")
    if use is not None:
        found.use_weights(None if use == "uniform" else use)
    if load is not None:
        found.use_weights(Weights.read(load))
    shelf, now = Shelf(found.folder), found.weights
    rows = [("*" if now is None else "", "uniform", "", "", "")]
    for name in shelf.history:
        w = shelf.get(name)
        tested = w.provenance.get("MAP", {}).get(w.ranker, float("nan"))
        rows.append(
            (
                "*" if now is not None and now.id == name else "",
                name,
                w.ranker,
                str(w.provenance.get("queries", "")),
                f"{tested:.4f}",
            )
        )
    print_table(f"{archive}: weights, * is in use", ["", "id", "ranker", "queries", "MAP in its test"], rows)
