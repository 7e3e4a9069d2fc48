"""``rankine spoken judge``."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...system.console import ask, counted, print_table, say
from ...system.signals import keeping
from .common import Folder

if TYPE_CHECKING:
    from ...spoken import Archive
    from ...spoken.learn.judgment_rows import Judgment
    from ...spoken.learn.judgments import Judged
    from ...spoken.search.hits import Hit

_HELP = "y relevant · n not · ? unsure · 0-9 a grade · u undo · Enter skip · s next query · q quit"
_GRADES: dict[str, float | None] = {"y": 1.0, "n": 0.0, "?": None, **{digit: float(digit) for digit in "0123456789"}}


def judge(
    archive: Folder,
    query: Annotated[list[str] | None, typer.Argument(help="Queries; without any you are asked for them.")] = None,
    k: Annotated[int, typer.Option("-k", help="How many hits to judge.")] = 10,
    name: Annotated[str, typer.Option("--judge", help="Name of the judge, kept with each judgment.")] = "",
    most: Annotated[
        bool, typer.Option("--next", help="Judge the places from which learning gets most: of which rankers disagree.")
    ] = False,
) -> None:
    """Judge hits of queries, one after the other; every answer is on disk before the next question.

    With each answer are kept the name of the judge, the time, the rank, and which weights ranked. `--next` asks about
    places of all queries that were judged here, or of those given; teaching takes fewer answers so.

    `rankine spoken judge archive/`

    `rankine spoken judge archive/ "printing press" --judge ann`

    `rankine spoken judge archive/ --next --judge ann`
    """
    from ...errors import InputError
    from ...spoken import Archive

    opened = Archive(archive)
    keeping("every answer")
    waiting = list(query or [])
    asking = not waiting and not most
    answers: list[tuple[int, str]] = []  # judgments since the beginning, for undo
    say(_HELP)
    if most:
        _judge_next(opened, waiting, k, name, answers)
    while (waiting or asking) and not most:
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


def _judge_next(archive: Archive, queries: list[str], n: int, name: str, answers: list[tuple[int, str]]) -> None:
    """Ask about the places of which rankers disagree most, query after query."""
    wanted: list[str | None] = [*queries] or [None]
    places = [place for query in wanted for place in archive.judgments.next(query, n)]
    places = sorted(places, key=lambda place: -place.disagreement)[:n]
    if not places:
        say("there is no place left to judge: ask for other queries")
    for text in dict.fromkeys(place.query for place in places):
        hits = [place.hit for place in places if place.query == text]
        if not _judge_hits(archive, text, hits, name, answers):
            return


def _judge_hits(archive: Archive, text: str, hits: Sequence[Hit], name: str, answers: list[tuple[int, str]]) -> bool:
    """Ask about each hit; returns False if the user wants to quit."""
    from ...system.console import clock

    book, text = archive.judgments, " ".join(text.split())
    key = book.add_query(text)
    say(f"{text}: {counted(len(hits), 'hit')}")
    before = book.grades(key, hits)
    i = 0
    while i < len(hits):
        h = hits[i]
        grade_now = f" (now {before[h.segment]:g})" if h.segment in before else ""
        title = f"{h.title or h.recording} {clock(h.start)}–{clock(h.end)}"
        say(f"{h.rank}. {title}, {h.certainty}: {h.snippet}{grade_now}")
        answer = ask("?:").strip().lower()
        if answer in ("q", "s"):
            return answer == "s"
        if answer == "u":
            if not answers:
                say("nothing to undo")
                continue
            number, what = answers.pop()
            book.undo(number, name)
            say(f"undone: {what}")
            before = book.grades(key, hits)
            i = next((j for j in range(i) if what == f"{text}: {hits[j].segment}"), i)
            continue
        if answer and answer not in _GRADES:
            say(_HELP)
            continue
        if answer:
            kept = archive.judgments.add(text, h, _GRADES[answer], name)
            if not kept.repeated:
                answers.append((kept.number, f"{text}: {h.segment}"))
        i += 1
    return True


# -- ``rankine spoken judgments``: what was judged, by whom; import and export; agreement; orphaned judgments


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
        opened.judgments.undo(undo, name)
        say(f"undone: {undo}")
    if adopt is not None:
        new = opened.judgments.adopt(adopt[0], adopt[1], name)
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
    from ...spoken.learn.judgments import Judged, read_qrels, read_queries

    book = archive.judgments
    imported = Judged({} if queries is None else read_queries(queries), {} if qrels is None else read_qrels(qrels))
    book.add_judged(imported, name, qrels)
    if table is not None:
        done = book.import_table(table, name)
        there = f"; {done.there} were there already" if done.there else ""
        say(f"{table}: {counted(done.stored, 'judgment')} imported{there}")


def _export(archive: Archive, export: str) -> None:
    from ...spoken.judgments.files import is_table_of_judgments

    n = archive.judgments.export(export)
    if is_table_of_judgments(export):
        say(f"{export}: {counted(n, 'judgment')}")


def _print_queries(title: str, archive: Archive, measures: bool) -> None:
    judged: Judged = archive.judgments.all()
    columns = ["query", "text", "judged", "relevant"]
    rows: list[tuple[Any, ...]] = [
        (q, t, len(judged.qrels[q]), sum(g > 0 for g in judged.qrels[q].values())) for q, t in judged.queries.items()
    ]
    note = ""
    if measures:
        columns += ["AP", "nDCG@10"]
        cells = {row.name: (_number(row.ap), _number(row.ndcg)) for row in archive.judgments.measures()}
        rows = [(*row, *cells[row[0]]) for row in rows]
        note = "by the weights in use; places that nobody judged count as not relevant; gain of nDCG: 2^grade − 1"
    print_table(title, columns, rows, note)
    gone = archive.judgments.orphans
    if gone:
        say(f"{counted(len(gone), 'judgment')} of places that are gone: --orphans lists them")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _print_history(title: str, archive: Archive, query: str | None) -> None:
    texts = archive.judgments.queries()
    rows = [(*_line(row, texts), _state(row)) for row in archive.judgments.history(query)]
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
    return row.number, row.time, row.judge, texts[row.query], row.target, grade, rank, row.weights


def _state(row: Judgment) -> str:
    if row.undoes is not None:
        return f"undo of {row.undoes}" + ("" if row.counts else ", undone")
    return "" if row.counts else "undone"


def _print_agreement(title: str, archive: Archive) -> None:
    placed = archive.judgments.placed()
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
            d.recording,
            ", ".join(f"{judge or '(no name)'} {g:g}" for judge, g in d.grades.items()),
            f"{d.grade:g}",
        )
        for d in placed.disagreements()
    ]
    if rows:
        print_table("Disagreements", ["query", "place", "grades", "learning uses"], rows, "the last one counts")


def _print_orphans(title: str, archive: Archive) -> None:
    gone = archive.judgments.orphans
    texts = {orphan.judgment.query: orphan.text for orphan in gone}
    rows = [(*_line(orphan.judgment, texts)[:6], orphan.reason) for orphan in gone]
    columns = ["number", "time", "judge", "query", "place", "grade", "why"]
    note = "they count again when their places return; --adopt OLD NEW lets them count for another recording or place"
    print_table(f"{title}: orphaned judgments", columns, rows, note if rows else "none")
