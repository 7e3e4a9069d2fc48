"""``rankine experiment``: the papers' tables, run anew."""

from __future__ import annotations

from typing import Annotated

import typer

from ..console import print_table

NAME = "experiment"
app = typer.Typer(
    help="Run a published experiment on the data at hand. RANKINE_DATA names the folder that holds `letor/…`.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)


@app.callback()
def _group() -> None:
    pass


@app.command()
def consistent(
    collection: Annotated[
        list[str] | None,
        typer.Option("-d", "--data", help="mq2008, ohsumed or ohsumed-letor2; repeat it. By default all three."),
    ] = None,
) -> None:
    """Preorder against consistent pairwise losses: Tables 1 and 2 of Buffoni et al. (2011).

    `RANKINE_DATA=data rankine experiment consistent -d mq2008`
    """
    from ..experiments import consistent as e
    from ..experiments.collections import COLLECTIONS, folds
    from ..progress import bar

    names = collection or list(COLLECTIONS)
    for name in names:
        next(folds(name))  # an unknown name or missing data ends it here
    losses = [loss for table in e.TABLES.values() for loss in table]
    done = 0
    with bar("fitting", total=5 * len(losses) * len(names)) as update:
        results: dict[str, dict[str, dict[str, e.Cell]]] = {}

        def one_more() -> None:
            nonlocal done
            done += 1
            update(done)

        for name in names:
            results[name] = {loss: e.run(name, loss, one_more) for loss in losses}
    columns = ["data", "loss", "ERR", "DCG", "nDCG", "in the paper", *(f"{s} {m}" for s in ("MQ2007", "YLTRC") for m in
               ("ERR", "DCG", "NDCG"))]  # fmt: skip
    for name in names:
        for table in e.TABLES:
            rows = [(name, *row) for row in e.rows(results[name], table)]
            print_table(f"{COLLECTIONS[name].title}, as {table}", columns, rows)
    typer.echo(
        "Means over five test folds, nothing truncated, C chosen on validation by the measure of the column; ↓ is\n"
        "significantly worse than the best of its three rows (Wilcoxon, 5 %, all test queries). The paper's figures\n"
        "are for MQ2007 and YLTRC, which are not at hand here, so they cannot be compared with ours one by one; its\n"
        "DCG leaves the base of the logarithm open, ours has 2.",
        err=True,
    )


@app.command()
def letor(
    data: Annotated[str, typer.Option(help="mq2008, ohsumed or ohsumed-letor2.")] = "ohsumed",
    folds: Annotated[str, typer.Option(help="Which folds: 1-5, or a list such as 1,3.")] = "1-5",
    ranker: Annotated[
        list[str] | None, typer.Option("-r", "--ranker", help="Only these; repeat it. By default all.")
    ] = None,
    choose: Annotated[str, typer.Option(help="What decides on validation: MAP, N@10, MeanNDCG, P@5, …")] = "MAP",
    baseline: Annotated[str, typer.Option(help="The ranker that the others are tested against.")] = "RankSVM",
    output: Annotated[
        str, typer.Option("-o", "--output", help="Folder of the report and its pictures.")
    ] = "letor-report",
    workers: Annotated[int | None, typer.Option(help="Processes; by default one per core.")] = None,
) -> None:
    """All rankers on a LETOR set: train on three parts, choose on the fourth, test on the fifth.

    `RANKINE_DATA=data rankine experiment letor --data mq2008 -o report`
    """
    from pathlib import Path

    from ..errors import InputError
    from ..experiments import letor as letor_report
    from ..experiments import letor_rankers as e
    from ..parallel import thread_count
    from ..progress import bar
    from ..report import write

    numbers = _folds(folds)
    names = list(dict.fromkeys(ranker or e.RANKERS))
    if baseline not in names:
        raise InputError(f"the baseline {baseline!r} is not among the rankers: {', '.join(names)}")
    if len(names) < 2:
        raise InputError("expected at least two rankers to compare")
    folder = Path(output)
    if folder.exists() and not folder.is_dir():
        raise InputError("is a file, a folder is needed", output)
    with bar("rankers × folds", total=len(names) * len(numbers)) as update:
        outcomes = e.run(data, names, choose, numbers, thread_count(workers), update)
    folder.mkdir(parents=True, exist_ok=True)
    parts = letor_report.sections(data, outcomes, baseline, choose, folder)
    written = write(parts, folder)
    for part in (parts[0], parts[4]):
        print_table(part.title, part.columns, part.rows, part.text)
    typer.echo(f"the whole report: {', '.join(map(str, written))}", err=True)


def _folds(text: str) -> tuple[int, ...]:
    """Fold numbers from 0 of ``1-5`` or ``1,3``."""
    from ..errors import InputError

    try:
        low, _, high = text.partition("-")
        chosen = range(int(low), int(high) + 1) if high else [int(v) for v in text.split(",")]
    except ValueError:
        chosen = []
    if not chosen or not all(1 <= f <= 5 for f in chosen):
        raise InputError(f"--folds must be a range within 1-5 or a list of such numbers, got {text!r}")
    return tuple(sorted({f - 1 for f in chosen}))


@app.command()
def lattices() -> None:
    """Error rates of recogniser lattices: best path, confusion network, oracle; English words, Mandarin characters.

    `RANKINE_DATA=data rankine experiment lattices`
    """
    from ..experiments.lattices import run
    from ..progress import bar

    rows = []
    for name, unit in (("lj", "words"), ("aishell", "characters")):
        with bar(name, total=None) as update:
            found = run(name, update)
        rates = (f"{100 * r:.1f} %" for r in (found.best_path, found.network, found.oracle))
        rows.append((name, found.utterances, f"{found.units} {unit}", *rates))
    columns = ["set", "utterances", "reference", "best path", "confusion network", "oracle"]
    print_table("Error rates", columns, rows)


@app.command()
def spoken(
    data: Annotated[
        list[str] | None, typer.Option("-d", "--data", help="lj (English), aishell (Mandarin); by default both.")
    ] = None,
    output: Annotated[
        str, typer.Option("-o", "--output", help="Folder of the reports and their pictures.")
    ] = "spoken-report",
    workers: Annotated[int | None, typer.Option(help="Processes; by default one per core.")] = None,
) -> None:
    """Learned fusion of 18 weak rankers on real speech: Figures 1 to 3 and Table 2 of Meng, Lee & Lee.

    `RANKINE_DATA=data rankine experiment spoken -o report`
    """
    from pathlib import Path

    from .. import report
    from ..errors import InputError
    from ..experiments import spoken as e
    from ..parallel import thread_count
    from ..progress import bar

    names = list(dict.fromkeys(data or ["lj", "aishell"]))
    for name in names:
        if name not in ("lj", "aishell"):
            raise InputError(f"--data must be lj or aishell, got {name!r}")
        e.collection(name)
    total = sum(len(e.BEAMS) if name == "lj" else 1 for name in names)
    with bar("lattice sizes", total=total) as update:
        sizes = e.run(names, thread_count(workers), update)
    for name in names:
        folder = Path(output, name)
        folder.mkdir(parents=True, exist_ok=True)
        written = report.write(e.sections(name, sizes[name], folder), folder)
        typer.echo(f"the whole report: {', '.join(map(str, written))}", err=True)
    systems = list(sizes[names[0]][0].trial.precision)
    print_table("Mean AP over four folds of queries", ["data", "lattices", "edges", *systems], e.summary(sizes))


@app.command(name="large-margin")
def large_margin(
    data: Annotated[
        list[str] | None, typer.Option("-d", "--data", help="ohsumed-letor2, ohsumed, mq2008; by default all three.")
    ] = None,
    output: Annotated[
        str, typer.Option("-o", "--output", help="Folder of the reports and their pictures.")
    ] = "large-margin-report",
    workers: Annotated[int | None, typer.Option(help="Processes; by default one per core.")] = None,
) -> None:
    """SVM-NDCG convex, tight, slack-rescaled, with given and learned position weights: Chapelle, Le & Smola, Figure 2.

    `RANKINE_DATA=data rankine experiment large-margin -d ohsumed-letor2 -o report`
    """
    from pathlib import Path

    from .. import report
    from ..experiments import large_margin as e
    from ..experiments.collections import folds
    from ..parallel import thread_count
    from ..progress import bar

    names = list(dict.fromkeys(data or ["ohsumed-letor2", "ohsumed", "mq2008"]))
    for name in names:
        next(folds(name))  # an unknown name or missing data ends it here
    with bar("folds", total=5 * len(names)) as update:
        outcomes = e.run(names, thread_count(workers), update)
    for name in names:
        folder = Path(output, name)
        folder.mkdir(parents=True, exist_ok=True)
        parts = e.sections(name, outcomes[name], folder)
        written = report.write(parts, folder)
        print_table(parts[0].title, list(parts[0].columns), parts[0].rows)
        typer.echo(f"the whole report: {', '.join(map(str, written))}", err=True)


@app.command()
def bounds(
    output: Annotated[
        str, typer.Option("-o", "--output", help="Folder of the report and its pictures.")
    ] = "bounds-report",
    repetitions: Annotated[int, typer.Option(help="Samples drawn for each number of queries.")] = 200,
    workers: Annotated[int | None, typer.Option(help="Processes; by default one per core.")] = None,
) -> None:
    """Risk bounds against the truth, which Riezler & De Bona wished for: a population whose risk is known exactly.

    `rankine experiment bounds -o report`
    """
    from pathlib import Path

    from .. import report
    from ..experiments import bounds as e
    from ..parallel import thread_count
    from ..progress import bar

    with bar("samples", total=e.jobs(repetitions)) as update:
        outcomes = e.run(repetitions, thread_count(workers), update)
    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    parts = e.sections(outcomes, folder)
    for part in parts:
        if part.rows:
            print_table(part.title, list(part.columns), part.rows)
    typer.echo(f"the whole report: {', '.join(map(str, report.write(parts, folder)))}", err=True)


@app.command()
def vocabulary(
    output: Annotated[
        str, typer.Option("-o", "--output", help="Folder of the report; the lattices stay there too.")
    ] = "vocabulary-report",
    workers: Annotated[int | None, typer.Option(help="Processes; by default one per core.")] = None,
) -> None:
    """Search for words that were taken out of the recogniser's dictionary: by words, by subwords, by learned fusion.

    `RANKINE_DATA=data rankine experiment vocabulary -o report` recognises half an hour of speech, twice.
    """
    from pathlib import Path

    from .. import report
    from ..experiments import vocabulary as e
    from ..parallel import thread_count
    from ..progress import bar

    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    with bar("recognising", None, unit="seconds") as update:
        parts = e.sections(e.run(folder, thread_count(workers), lambda done, total: update(round(done), round(total))))
    print_table(parts[0].title, list(parts[0].columns), parts[0].rows)
    typer.echo(f"the whole report: {', '.join(map(str, report.write(parts, folder)))}", err=True)


@app.command()
def scorers(
    data: Annotated[
        list[str] | None,
        typer.Option("-d", "--data", help="mq2008, ohsumed or ohsumed-letor2; default: the first two."),
    ] = None,
    output: Annotated[str, typer.Option("-o", "--output", help="Folder of the reports.")] = "scorers-report",
    workers: Annotated[int | None, typer.Option(help="Processes; by default one per core.")] = None,
) -> None:
    """Linear, boosted and neural scorers on our losses beside lambdarank, rank:ndcg and YetiRank.

    `RANKINE_DATA=data rankine experiment scorers -d mq2008 -o report` (needs catboost too)
    """
    from pathlib import Path

    from .. import report
    from ..errors import needs
    from ..experiments import scorers as e
    from ..experiments.collections import folds
    from ..parallel import thread_count
    from ..progress import bar

    for package, extra in (("lightgbm", "boost"), ("xgboost", "boost"), ("torch", "torch"), ("catboost", "bench")):
        needs(package, extra)
    names = list(dict.fromkeys(data or ["mq2008", "ohsumed"]))
    for name in names:
        next(folds(name))  # an unknown name or missing data ends it here
    with bar("fits", total=5 * len(names) * len(e.systems())) as update:
        found = e.run(names, thread_count(workers), update)
    for name in names:
        folder = Path(output, name)
        folder.mkdir(parents=True, exist_ok=True)
        parts = e.sections(name, found[name])
        print_table(parts[0].title, list(parts[0].columns), parts[0].rows)
        typer.echo(f"the whole report: {', '.join(map(str, report.write(parts, folder)))}", err=True)
