"""``rankine spoken judge`` and ``rankine spoken judgments``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ...console import ask, counted, say
from ...interrupt import keeping
from .common import Folder

if TYPE_CHECKING:
    from ...spoken import Archive
    from ...spoken.archive.hits import Hit
    from ...spoken.learn.judgments import Judged

_HELP = "y relevant · n not · 0-9 a grade · u undo · Enter skip · s next query · q quit"


def judge(
    archive: Folder,
    query: Annotated[list[str] | None, typer.Argument(help="Queries; without any you are asked for them.")] = None,
    k: Annotated[int, typer.Option("-k", help="How many hits to judge.")] = 10,
    name: Annotated[str, typer.Option("--judge", help="Name of the judge, kept with each judgment.")] = "",
) -> None:
    """Judge hits of queries, one after the other; every answer is on disk before the next question.

    `rankine spoken judge archive/`

    `rankine spoken judge archive/ "printing press" --judge ann`
    """
    from ...errors import InputError
    from ...spoken import Archive

    opened = Archive(archive)
    keeping("every answer")
    waiting = list(query or [])
    asking = not waiting
    answers: list[tuple[int, str]] = []  # judgments since the beginning, for undo
    say(_HELP)
    while waiting or asking:
        text = waiting.pop(0) if waiting else ask("query (Enter ends):")
        if not text.strip():
            break
        try:
            hits = opened.search(text, k)
        except InputError as error:
            say(f"rankine: {error}")
            continue
        if not _judge_hits(opened, " ".join(text.split()), hits, name, answers):
            break
    judged = opened.judgments.all()
    say(f"{counted(len(judged.queries), 'query')}, {counted(judged.n_judgments, 'judgment')}")


def _judge_hits(archive: Archive, text: str, hits: list[Hit], name: str, answers: list[tuple[int, str]]) -> bool:
    """Ask about each hit; returns False if the user wants to quit."""
    from ...console import clock

    book = archive.judgments
    key = book.query(text)
    say(f"{text}: {counted(len(hits), 'hit')}")
    before = _grades(archive, key, hits)
    i = 0
    while i < len(hits):
        h = hits[i]
        grade_now = f" (now {before[h.segment]:g})" if h.segment in before else ""
        title = f"{h.title or h.document} {clock(h.start)}–{clock(h.end)}"
        say(f"{h.rank}. {title}, {h.certainty}: {h.snippet}{grade_now}")
        answer = ask("?:").strip().lower()
        if answer in ("q", "s"):
            return answer == "s"
        if answer == "u":
            if not answers:
                say("nothing to undo")
                continue
            number, what = answers.pop()
            book.undo(number)
            say(f"undone: {what}")
            before = _grades(archive, key, hits)
            i = next((j for j in range(i) if what == f"{text}: {hits[j].segment}"), i)
            continue
        if answer and answer not in ("y", "n", *"0123456789"):
            say(_HELP)
            continue
        if answer:
            grade = {"y": 1.0, "n": 0.0}.get(answer, float(answer) if answer.isdigit() else 0.0)
            answers.append((book.add(key, h.segment, grade, name), f"{text}: {h.segment}"))
        i += 1
    return True


def _grades(archive: Archive, key: str, hits: list[Hit]) -> dict[str, float]:
    """The grades that a query's hits have now, by their segments; that of a whole recording is its best hit's."""
    from ...spoken.archive.judged_places import judged_places, named_place

    index = archive.index
    segments = {h.segment: named_place(index, h.segment) for h in hits}
    best: dict[int, int | None] = {}
    for h in hits:
        best.setdefault(index.number_of(h.document), segments[h.segment])
    grades = archive.judgments.all().qrels.get(key, {})
    by_place = judged_places(index, grades, best.get)
    return {
        name: grade for name, place in segments.items()
        if (grade := grades.get(name) if place is None else by_place.get(place)) is not None
    }  # fmt: skip


def judgments(
    archive: Folder,
    queries: Annotated[str | None, typer.Option(help="Import queries: name, tab, query on each line.")] = None,
    qrels: Annotated[str | None, typer.Option(help="Import TREC qrels of these queries.")] = None,
    export: Annotated[str | None, typer.Option(help="Write EXPORT.tsv (queries) and EXPORT.qrels (judgments).")] = None,
    name: Annotated[str, typer.Option("--judge", help="Name of the judge for imported judgments.")] = "",
) -> None:
    """Import, export or count an archive's queries and judgments.

    Qrels name places, as `RECORDING@START-END` in seconds, or recordings: that means the best place of each.

    `rankine spoken judgments archive/ --queries q.tsv --qrels q.qrels`

    `rankine spoken judgments archive/ --export mine`
    """
    from ...console import print_table
    from ...spoken import Archive
    from ...spoken.archive.judged_places import JudgedNames
    from ...spoken.learn.judgments import Judged, read_qrels, read_queries

    opened = Archive(archive)
    book = opened.judgments
    imported = Judged({} if queries is None else read_queries(queries), {} if qrels is None else read_qrels(qrels))
    Judged({**book.all().queries, **imported.queries}, imported.qrels).check(JudgedNames(opened.index), qrels)
    if imported.queries or imported.qrels:
        book.add_judged(imported, name)
    judged = book.all()
    if export is not None:
        _export(judged, export)
    rows = [
        (q, t, len(judged.qrels[q]), sum(g > 0 for g in judged.qrels[q].values())) for q, t in judged.queries.items()
    ]
    print_table(archive, ["query", "text", "judged", "relevant"], rows)


def _export(judged: Judged, name: str) -> None:
    """Write queries as ``name.tsv`` and judgments as ``name.qrels``."""
    from ...errors import InputError
    from ...files import write_file

    blank = next((d for r in judged.qrels.values() for d in r if any(c.isspace() for c in d)), None)
    if blank is not None:
        raise InputError(f"TREC qrels cannot hold the name {blank!r}: it has blanks")
    write_file(f"{name}.tsv", "".join(f"{q}\t{t}\n" for q, t in judged.queries.items()).encode())
    lines = [f"{q} 0 {d} {g:g}\n" for q, grades in judged.qrels.items() for d, g in grades.items()]
    write_file(f"{name}.qrels", "".join(lines).encode())
