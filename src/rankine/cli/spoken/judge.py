"""``rankine spoken judge`` and ``rankine spoken judgments``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .common import Folder

if TYPE_CHECKING:
    from ...spoken import Archive
    from ...spoken.archive.hits import Hit

_HELP = "y relevant · n not · 0-9 a grade · u undo · Enter skip · s next query · q quit"


def judge(
    archive: Folder,
    query: Annotated[list[str] | None, typer.Argument(help="Queries; without any you are asked for them.")] = None,
    k: Annotated[int, typer.Option("-k", help="How many hits to judge.")] = 10,
    name: Annotated[str, typer.Option("--judge", help="Who judges; kept with each judgment.")] = "",
) -> None:
    """Judge hits of queries, one after the other; every answer is on disk before the next question.

    `rankine spoken judge archive/`

    `rankine spoken judge archive/ "printing press" --judge ann`
    """
    from ...errors import InputError
    from ...spoken import Archive

    found = Archive(archive)
    waiting = list(query or [])
    given = bool(waiting)
    told: list[tuple[int, str]] = []  # what was answered since the beginning, for undo
    typer.echo(_HELP, err=True)
    while waiting or not given:
        text = (
            waiting.pop(0) if waiting else typer.prompt("query (Enter ends)", default="", show_default=False, err=True)
        )
        if not text.strip():
            break
        try:
            hits = found.search(text, k)
        except InputError as error:
            typer.echo(f"rankine: {error}", err=True)
            continue
        if not _judge_hits(found, " ".join(text.split()), hits, name, told):
            break
    judged = found.judgments.all()
    typer.echo(f"{len(judged.queries)} queries, {judged.n_judgments} judgments", err=True)


def _judge_hits(archive: Archive, text: str, hits: list[Hit], name: str, told: list[tuple[int, str]]) -> bool:
    """Ask about each hit; False to end."""
    from ...console import clock

    book = archive.judgments
    key = book.query(text)
    before = book.all().qrels.get(key, {})
    i = 0
    while i < len(hits):
        h = hits[i]
        had = f" (now {before[h.document]:g})" if h.document in before else ""
        typer.echo(f"{h.rank}. {h.title or h.document} {clock(h.start)}–{clock(h.end)}: {h.snippet}{had}", err=True)
        answer = typer.prompt("?", default="", show_default=False, err=True).strip().lower()
        if answer in ("q", "s"):
            return answer == "s"
        if answer == "u":
            if not told:
                typer.echo("nothing to undo", err=True)
                continue
            number, what = told.pop()
            book.undo(number)
            typer.echo(f"undone: {what}", err=True)
            before = book.all().qrels.get(key, {})
            i = next((j for j in range(i) if what == f"{text}: {hits[j].document}"), i)
            continue
        if answer and answer not in ("y", "n", *"0123456789"):
            typer.echo(_HELP, err=True)
            continue
        if answer:
            grade = {"y": 1.0, "n": 0.0}.get(answer, float(answer) if answer.isdigit() else 0.0)
            told.append((book.add(key, h.document, grade, name), f"{text}: {h.document}"))
        i += 1
    return True


def judgments(
    archive: Folder,
    queries: Annotated[str | None, typer.Option(help="Take over queries: name, tab, query on each line.")] = None,
    qrels: Annotated[str | None, typer.Option(help="Take over TREC qrels of these queries.")] = None,
    export: Annotated[str | None, typer.Option(help="Write EXPORT.tsv (queries) and EXPORT.qrels (judgments).")] = None,
    name: Annotated[str, typer.Option("--judge", help="Who judged what is taken over.")] = "",
) -> None:
    """Import, export or count an archive's queries and judgments.

    `rankine spoken judgments archive/ --queries q.tsv --qrels q.qrels`

    `rankine spoken judgments archive/ --export mine`
    """
    from ...console import print_table
    from ...errors import InputError
    from ...files import replacing
    from ...spoken import Archive
    from ...spoken.learn.judgments import read_qrels, read_queries

    found = Archive(archive)
    book = found.judgments
    asked = {} if queries is None else read_queries(queries)
    graded = {} if qrels is None else read_qrels(qrels)
    documents = set(found.documents)
    known = {**book.all().queries, **asked}
    for key, grades in graded.items():
        if key not in known:
            raise InputError(f"judgments of the query {key!r}, which is not among the queries", qrels)
        for document in grades:
            if document not in documents:
                raise InputError(f"a judgment of {document!r}, which is not in the archive", qrels)
    if asked:
        book.add_queries(asked)
    if graded:
        book.add_all([(q, d, g) for q, grades in graded.items() for d, g in grades.items()], name)
    judged = book.all()
    if export is not None:
        blank = next((d for r in judged.qrels.values() for d in r if any(c.isspace() for c in d)), None)
        if blank is not None:
            raise InputError(f"TREC qrels cannot hold the name {blank!r}: it has blanks")
        with replacing(f"{export}.tsv") as temporary:
            temporary.write_text("".join(f"{q}\t{t}\n" for q, t in judged.queries.items()), encoding="utf-8")
        with replacing(f"{export}.qrels") as temporary:
            lines = [f"{q} 0 {d} {g:g}\n" for q, grades in judged.qrels.items() for d, g in grades.items()]
            temporary.write_text("".join(lines), encoding="utf-8")
    rows = [
        (q, t, len(judged.qrels[q]), sum(g > 0 for g in judged.qrels[q].values())) for q, t in judged.queries.items()
    ]
    print_table(archive, ["query", "text", "judged", "relevant"], rows)
