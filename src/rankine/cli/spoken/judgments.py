"""``rankine spoken judgments``: what was judged, by whom; import and export; agreement; orphaned judgments."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...system.console import counted, print_table, say
from .common import Folder

if TYPE_CHECKING:
    from ...spoken import Archive
    from ...spoken.learn.judgment_rows import Judgment
    from ...spoken.learn.judgments import Judged

_TABLES = ".csv, .tsv, .json or .jsonl"


def judgments(
    archive: Folder,
    queries: Annotated[str | None, typer.Option(help="Import queries: name, tab, query on each line.")] = None,
    qrels: Annotated[str | None, typer.Option(help="Import TREC qrels of these queries.")] = None,
    table: Annotated[str | None, typer.Option("--import", help=f"Import a table of judgments: {_TABLES}.")] = None,
    export: Annotated[
        str | None,
        typer.Option(help=f"Write all judgments as a table ({_TABLES}); else EXPORT.tsv (queries) and EXPORT.qrels."),
    ] = None,
    name: Annotated[str, typer.Option("--judge", help="Name of the judge for what is imported, undone, adopted.")] = "",
    measures: Annotated[bool, typer.Option("--measures", help="Also AP and nDCG@10 of each query now.")] = False,
    history: Annotated[bool, typer.Option("--history", help="List every judgment and undo, in order.")] = False,
    query: Annotated[str | None, typer.Option(help="With --history: only of this query.")] = None,
    undo: Annotated[
        int | None, typer.Option(help="Take back one's own judgment or import, by its number in the history.")
    ] = None,
    agreement: Annotated[
        bool, typer.Option("--agreement", help="How far judges agree (Cohen's kappa), and where they do not.")
    ] = False,
    orphans: Annotated[bool, typer.Option("--orphans", help="List judgments whose places are gone.")] = False,
    adopt: Annotated[
        tuple[str, str] | None,
        typer.Option(help="Let orphaned judgments of the recording or place OLD count for NEW.", metavar="OLD NEW"),
    ] = None,
) -> None:
    """Count, list, import or export an archive's queries and judgments; nothing that was judged is ever overwritten.

    Qrels name places, as `RECORDING@START-END` in seconds, or recordings: that means the best place of each. Of each
    judge the last judgment of a place counts; where judges disagree, learning uses the one that was given last.

    `rankine spoken judgments archive/ --queries q.tsv --qrels q.qrels`

    `rankine spoken judgments archive/ --export mine.csv`

    `rankine spoken judgments archive/ --agreement`

    `rankine spoken judgments archive/ --adopt tape-7 tape-7-restored`
    """
    from ...spoken import Archive

    opened = Archive(archive)
    _import(opened, queries, qrels, table, name)
    if undo is not None:
        opened.undo_judgment(undo, name)
        say(f"undone: {undo}")
    if adopt is not None:
        new = opened.adopt_judgments(adopt[0], adopt[1], name)
        how = f"--undo {new[0].number}" + (f" --judge {shlex.quote(name)}" if name else "")
        say(f"{counted(len(new), 'judgment')} of {adopt[0]} adopted; {how} takes it back")
    if export is not None:
        _export(opened, export)
    if history or query is not None:
        _print_history(archive, opened, query)
    elif agreement:
        _print_agreement(archive, opened)
    elif orphans:
        _print_orphans(archive, opened)
    else:
        _print_queries(archive, opened, measures)


def _import(archive: Archive, queries: str | None, qrels: str | None, table: str | None, name: str) -> None:
    """Store what files hold; each all or none."""
    from ...spoken.judgments.files import import_judgments
    from ...spoken.judgments.places import JudgedNames
    from ...spoken.learn.judgments import Judged, read_qrels, read_queries

    book = archive.judgments
    imported = Judged({} if queries is None else read_queries(queries), {} if qrels is None else read_qrels(qrels))
    Judged({**book.all().queries, **imported.queries}, imported.qrels).check(JudgedNames(archive.index), qrels)
    if imported.queries or imported.qrels:
        book.add_judged(imported, name)
    if table is not None:
        done = import_judgments(archive.index, book, table, name)
        there = f"; {done.there} were there already" if done.there else ""
        say(f"{table}: {counted(done.stored, 'judgment')} imported{there}")


def _export(archive: Archive, export: str) -> None:
    from ...spoken.judgments.files import is_table_of_judgments, write_judgments, write_qrels

    if is_table_of_judgments(export):
        n = write_judgments(export, archive.placed_judgments())
        say(f"{export}: {counted(n, 'judgment')}")
    else:
        write_qrels(export, archive.judgments.all())


def _print_queries(title: str, archive: Archive, measures: bool) -> None:
    judged: Judged = archive.judgments.all()
    columns = ["query", "text", "judged", "relevant"]
    rows: list[tuple[Any, ...]] = [
        (q, t, len(judged.qrels[q]), sum(g > 0 for g in judged.qrels[q].values())) for q, t in judged.queries.items()
    ]
    note = ""
    if measures:
        columns += ["AP", "nDCG@10"]
        cells = {row.name: (_number(row.ap), _number(row.ndcg)) for row in archive.judged_queries()}
        rows = [(*row, *cells[row[0]]) for row in rows]
        note = "by the weights in use; places that nobody judged count as not relevant; gain of nDCG: 2^grade − 1"
    print_table(title, columns, rows, note)
    gone = archive.orphaned_judgments
    if gone:
        say(f"{counted(len(gone), 'judgment')} of places that are gone: --orphans lists them")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _print_history(title: str, archive: Archive, query: str | None) -> None:
    texts = archive.judgments.queries()
    rows = [(*_line(row, texts), _state(row)) for row in archive.judgment_history(query)]
    columns = ["number", "time", "judge", "query", "place", "grade", "rank", "weights", ""]
    print_table(
        f"{title}: what was judged",
        columns,
        rows,
        "--undo NUMBER --judge NAME takes back one of NAME's" if rows else "",
    )


def _line(row: Judgment, texts: dict[str, str]) -> tuple[Any, ...]:
    grade = "unsure" if row.grade is None else f"{row.grade:g}"
    rank = "" if row.rank is None else row.rank
    return row.number, row.time, row.judge, texts[row.query], row.document, grade, rank, row.weights


def _state(row: Judgment) -> str:
    if row.undoes is not None:
        return f"undo of {row.undoes}" + ("" if row.counts else ", undone")
    return "" if row.counts else "undone"


def _print_agreement(title: str, archive: Archive) -> None:
    placed = archive.placed_judgments()
    pairs = [
        (p.a or "(no name)", p.b or "(no name)", p.both, p.equal, _number(p.kappa), _number(p.kappa_relevant))
        for p in placed.agreement()
    ]
    columns = ["judge", "judge", "both judged", "same grade", "kappa", "kappa, relevant or not"]
    note = "Cohen's kappa: 1 where two always agree, 0 where they do as by chance; - where it is not defined"
    print_table(f"{title}: agreement", columns, pairs, note if pairs else "no two judges have judged the same place")
    rows = [
        (
            d.query,
            d.document,
            ", ".join(f"{judge or '(no name)'} {g:g}" for judge, g in d.grades.items()),
            f"{d.grade:g}",
        )
        for d in placed.disagreements()
    ]
    if rows:
        print_table("Disagreements", ["query", "place", "grades", "learning uses"], rows, "the last one counts")


def _print_orphans(title: str, archive: Archive) -> None:
    gone = archive.orphaned_judgments
    texts = {orphan.judgment.query: orphan.text for orphan in gone}
    rows = [(*_line(orphan.judgment, texts)[:6], orphan.reason) for orphan in gone]
    columns = ["number", "time", "judge", "query", "place", "grade", "why"]
    note = "they count again when their places return; --adopt OLD NEW lets them count for another recording or place"
    print_table(f"{title}: orphaned judgments", columns, rows, note if rows else "none")
