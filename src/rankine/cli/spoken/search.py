"""``rankine spoken search``."""

from __future__ import annotations

from enum import StrEnum
from inspect import cleandoc
from typing import TYPE_CHECKING, Annotated

import typer

from ...console import put, put_json, say
from ...spoken.archive.grammar import EXAMPLES
from ..tables import print_hits
from .common import Folder

if TYPE_CHECKING:
    from ...spoken.archive.hits import Hit


class Form(StrEnum):
    """How hits are printed."""

    table = "table"
    json = "json"
    trec = "trec"


def search(
    archive: Folder,
    query: Annotated[str | None, typer.Argument(help="Words, phrases and fields; see the examples above.")] = None,
    k: Annotated[int, typer.Option("-k", help="How many hits.")] = 10,
    speaker: Annotated[
        str | None, typer.Option(help="Only recordings of this speaker: the whole name or words of it.")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(help="Only recordings of this day, month or year (2026-11-16, 2026-11, 2026) or later."),
    ] = None,
    until: Annotated[str | None, typer.Option(help="Only recordings of this day, month or year or earlier.")] = None,
    queries: Annotated[
        str | None, typer.Option(help="A file of queries instead: number, tab, query on each line.")
    ] = None,
    candidates: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Score only so many places: faster with weights of the papers' rankers, but some may be missed.",
        ),
    ] = None,
    output: Annotated[Form, typer.Option("-o", "--output", help="table, json, or a TREC run.")] = Form.table,
) -> None:
    """Search an archive for what was said, also where the recogniser was unsure or did not know the word.

    `rankine spoken search archive/ "printing press"`

    `rankine spoken search archive/ --queries queries.tsv -k 1000 -o trec > run.txt`

    What a query can say (put it in single quotes, so that the shell leaves it alone; all else is words):
    """
    from ...errors import InputError
    from ...spoken import Archive
    from ...spoken.archive.filters import DocumentFilter
    from ...spoken.archive.search import search_notes
    from ...spoken.learn.judgments import read_queries

    if (query is None) == (queries is None):
        raise InputError("give a query, or a file of queries with --queries")
    opened = Archive(archive)
    texts = {"1": query} if query is not None else read_queries(str(queries))
    documents = DocumentFilter.of(speaker, since, until)
    answers: dict[str, list[Hit]] = {}
    for key, text in texts.items():
        try:
            answers[key] = opened.search(text, k, speaker=speaker, since=since, until=until, candidates=candidates)
            for note in search_notes(opened.index, text, documents):
                say(note if queries is None else f"query {key}: {note}")
        except InputError as error:
            if queries is None:
                raise
            say(f"rankine: query {key}: {error.message}")
            answers[key] = []
    if output is Form.json:
        _print_json(answers, several=queries is not None)
    elif output is Form.trec:
        _print_trec(answers)
    else:
        for key, hits in answers.items():
            print_hits(texts[key], hits)


search.__doc__ = (
    cleandoc(search.__doc__ or "") + "\n\n" + "\n\n".join(f"- `{example}`: {meaning}" for example, meaning in EXAMPLES)
)


def _print_json(answers: dict[str, list[Hit]], several: bool) -> None:
    """Print a list of hits, or (``several``) an object of such lists by query."""

    content = {key: [h.to_dict() for h in hits] for key, hits in answers.items()}
    put_json(content if several else content["1"], indent=1, allow_nan=False)


def _print_trec(answers: dict[str, list[Hit]]) -> None:
    """Print a TREC run."""
    from ...errors import InputError

    lines = []
    for key, hits in answers.items():
        for h in hits:
            if any(c.isspace() for c in h.document):
                raise InputError(f"a TREC run cannot hold the name {h.document!r}: it has blanks")
            lines.append(f"{key} Q0 {h.document} {h.rank} {h.score:.9g} rankine\n")
    put("".join(lines), end="")
