"""``rankine spoken search``."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from ...console import put, put_json, say
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
    query: Annotated[str | None, typer.Argument(help="Words; those in quotation marks must follow each other.")] = None,
    k: Annotated[int, typer.Option("-k", help="How many hits.")] = 10,
    speaker: Annotated[str | None, typer.Option(help="Only documents of this speaker.")] = None,
    since: Annotated[str | None, typer.Option(help="Only documents of this date or later.")] = None,
    until: Annotated[str | None, typer.Option(help="Only documents of this date or earlier.")] = None,
    queries: Annotated[
        str | None, typer.Option(help="A file of queries instead: number, tab, query on each line.")
    ] = None,
    output: Annotated[Form, typer.Option("-o", "--output", help="table, json, or a TREC run.")] = Form.table,
) -> None:
    """Search an archive for what was said, also where the recogniser was unsure or did not know the word.

    `rankine spoken search archive/ "printing press"`

    For words that follow each other, quote them inside the quotes: `rankine spoken search archive/ '"printing press"'`

    `rankine spoken search archive/ --queries queries.tsv -k 1000 -o trec > run.txt`
    """
    from ...errors import InputError
    from ...spoken import Archive
    from ...spoken.learn.judgments import read_queries

    if (query is None) == (queries is None):
        raise InputError("give a query, or a file of queries with --queries")
    opened = Archive(archive)
    texts = {"1": query} if query is not None else read_queries(str(queries))
    answers: dict[str, list[Hit]] = {}
    for key, text in texts.items():
        try:
            answers[key] = opened.search(text, k, speaker=speaker, since=since, until=until)
        except InputError as error:
            if queries is None:
                raise
            say(f"rankine: query {key}: {error}")
            answers[key] = []
    if output is Form.json:
        _print_json(answers, several=queries is not None)
    elif output is Form.trec:
        _print_trec(answers)
    else:
        for key, hits in answers.items():
            print_hits(texts[key], hits)


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
