"""``rankine spoken judge``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ...system.console import ask, counted, say
from ...system.signals import keeping
from .common import Folder

if TYPE_CHECKING:
    from ...spoken import Archive
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
    places = [place for query in wanted for place in archive.judge_next(query, n)]
    places = sorted(places, key=lambda place: -place.disagreement)[:n]
    if not places:
        say("there is no place left to judge: ask for other queries")
    for text in dict.fromkeys(place.query for place in places):
        hits = [place.hit for place in places if place.query == text]
        if not _judge_hits(archive, text, hits, name, answers):
            return


def _judge_hits(archive: Archive, text: str, hits: list[Hit], name: str, answers: list[tuple[int, str]]) -> bool:
    """Ask about each hit; returns False if the user wants to quit."""
    from ...system.console import clock

    book, text = archive.judgments, " ".join(text.split())
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
            book.undo(number, name)
            say(f"undone: {what}")
            before = _grades(archive, key, hits)
            i = next((j for j in range(i) if what == f"{text}: {hits[j].segment}"), i)
            continue
        if answer and answer not in _GRADES:
            say(_HELP)
            continue
        if answer:
            kept = archive.judge(text, h, _GRADES[answer], name)
            if not kept.repeated:
                answers.append((kept.number, f"{text}: {h.segment}"))
        i += 1
    return True


def _grades(archive: Archive, key: str, hits: list[Hit]) -> dict[str, float]:
    """The grades that a query's hits have now, by their segments; that of a whole recording is its best hit's."""
    from ...spoken.judgments.places import judged_places, named_place

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
