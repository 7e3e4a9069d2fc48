"""Find and listen: ``rankine spoken search``, ``serve`` and ``play``."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from ...spoken.query.grammar import EXAMPLES
from ...system.console import put, put_json, say
from ..shared.printing import print_hits
from .common import Closed, Folder

if TYPE_CHECKING:
    from ...spoken.search.hits import Hit

_PLAYERS = (
    ("paplay",),
    ("aplay", "-q"),
    ("afplay",),
    ("play", "-q"),
    ("ffplay", "-nodisp", "-autoexit", "-v", "error"),
)


class Form(StrEnum):
    """How hits are printed."""

    table = "table"
    json = "json"
    trec = "trec"


PerRecording = Annotated[
    int | None, typer.Option(help="Group hits by recordings: the best ones, with at most so many places each.")
]
Speaker = Annotated[str | None, typer.Option(help="Only recordings of this speaker: the whole name or words of it.")]
Since = Annotated[
    str | None, typer.Option(help="Only recordings of this day, month or year (2026-11-16, 2026-11, 2026) or later.")
]
Until = Annotated[str | None, typer.Option(help="Only recordings of this day, month or year or earlier.")]
Queries = Annotated[str | None, typer.Option(help="A file of queries instead: number, tab, query on each line.")]
Candidates = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Score only so many places, but at least as many as there are hits; it is said how many of the exact "
        "hits are among them. In Python it is faster.",
    ),
]
Output = Annotated[
    Form,
    typer.Option("-o", "--output", help="table, json, or a TREC run of places (with --per-recording of recordings)."),
]


class QueryCommand(TyperCommand):
    """A command whose last argument is a query, which may begin with a minus: ``-press`` is no option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put queries that begin with a minus behind all options."""
        if "--" not in args:
            queries = [a for a in args if _EXCLUSION.match(a) and not _OPTION.fullmatch(a)]
            if queries:
                args = [*(a for a in args if a not in queries), "--", *queries]
        return super().parse_args(ctx, args)


_EXCLUSION = re.compile(r'-[^\W\d_]{2}|-["“„«]|-\S+[\s:]|-[^\x00-\x7f]')
_OPTION = re.compile("-k ?-?[0-9]+|-o ?(table|json|trec)")


def search(
    archive: Folder,
    query: Annotated[str | None, typer.Argument(help="Words, phrases and fields; see the examples above.")] = None,
    k: Annotated[int, typer.Option("-k", help="How many hits; with --per-recording, how many recordings.")] = 10,
    per_recording: PerRecording = None,
    explain: Annotated[bool, typer.Option("--explain", help="Print what each word gives to a hit's score.")] = False,
    speaker: Speaker = None,
    since: Since = None,
    until: Until = None,
    queries: Queries = None,
    candidates: Candidates = None,
    closed: Closed = False,
    output: Output = Form.table,
) -> None:
    """Search an archive for what was said, also where the recogniser was unsure or did not know the word.

    `rankine spoken search archive/ "printing press"`

    `rankine spoken search archive/ --queries queries.tsv -k 1000 -o trec > run.txt`

    What a query can say (put it in single quotes, so that the shell leaves it alone; all else is words):
    """
    from ...errors import InputError
    from ...spoken import Archive
    from ...spoken.learn.judgments import read_queries

    if (query is None) == (queries is None):
        raise InputError("give a query, or a file of queries with --queries")
    opened = Archive(archive)
    texts = {"1": query} if query is not None else read_queries(str(queries))
    options: dict[str, Any] = {
        "k": k, "speaker": speaker, "since": since, "until": until, "candidates": candidates,
        "per_recording": per_recording, "explain": explain, "closed": closed,
    }  # fmt: skip
    answers: dict[str, list[Hit]] = {}
    for key, text in texts.items():
        try:
            results = opened.search(text, **options)
            for remark in results.remarks:
                say(remark if queries is None else f"query {key}: {remark}")
            answers[key] = results.hits
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
    """Print a TREC run of places, or of recordings where hits are grouped by them; of equal names the best."""
    from ...errors import InputError

    lines = []
    for key, hits in answers.items():
        scores: dict[str, float] = {}
        for h in hits:
            name = h.segment if h.recording_score is None else h.recording
            if any(c.isspace() for c in name):
                raise InputError(f"a TREC run cannot hold the name {h.recording!r}: it has blanks")
            scores.setdefault(name, h.score if h.recording_score is None else h.recording_score)
        for rank, (name, score) in enumerate(scores.items(), 1):
            lines.append(f"{key} Q0 {name} {rank} {score:.9g} rankine\n")
    put("".join(lines), end="")


# -- ``rankine spoken serve``


def serve(
    archive: Folder,
    port: Annotated[int, typer.Option(help="The port; the next free one if it is taken, 0 for any.")] = 8517,
    host: Annotated[
        str, typer.Option(help="The address to listen on; other machines reach any but 127.0.0.1, such as 0.0.0.0.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    read_only: Annotated[bool, typer.Option("--read-only", help="Only search and listen: nothing is changed.")] = False,
    certificate: Annotated[
        str | None, typer.Option(help="A file with a certificate (PEM), for HTTPS; needs --key.")
    ] = None,
    key: Annotated[str | None, typer.Option(help="The file of the certificate's private key.")] = None,
    token_for: Annotated[
        list[str] | None, typer.Option(help="Print a token for a colleague of this name too; may be repeated.")
    ] = None,
) -> None:
    """Open an archive in the browser: search, listen, and see why.

    Prints an address with a token, which lets its reader in; opens it in the browser; ends with Ctrl-C. Recordings that
    are closed are not shown. The page follows what other commands add to the archive.

    `rankine spoken serve archive/`

    `rankine spoken serve archive/ --host 0.0.0.0 --certificate cert.pem --key key.pem --token-for ann`
    """
    from ...errors import needs

    for package in ("starlette", "uvicorn"):
        needs(package, "web")
    from ...web.server import ServeOptions
    from ...web.server import serve as serve_archive

    options = ServeOptions(host, port, browser, read_only, certificate, key, tuple(token_for or ()))
    serve_archive(archive, options)


# -- ``rankine spoken play``


def play(
    archive: Folder,
    hit: Annotated[
        str, typer.Argument(help="RECORDING@START or RECORDING@START-END, in seconds, as `search` prints it.")
    ],
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="Write the snippet there (wav) instead of playing it.")
    ] = None,
    pad: Annotated[float, typer.Option(help="Seconds before and after.")] = 0.5,
    recordings: Annotated[
        str | None,
        typer.Option(help="Folder of the recordings, if they have been moved or the archive is not from here."),
    ] = None,
    closed: Closed = False,
) -> None:
    """Listen to a hit, or write it to a file.

    Recordings are opened only from folders that were given for this archive on this machine: by `rankine spoken add`,
    or here with `--recordings`, which is remembered.

    `rankine spoken search archive/ "printing press"` prints hits such as `lecture-3@741.2-742.9`:
    `rankine spoken play archive/ lecture-3@741.2-742.9`
    """
    import shutil

    from ...spoken import Archive
    from ...spoken.recognise.audio.audio import snippet

    opened = Archive(archive)
    opened.recordings.check_readable(hit, closed, "--closed")
    place = opened.recordings.locate(hit, recordings, closed)
    if recordings is not None:
        opened.recordings.add_roots([recordings])
    if output is not None:
        length = snippet(place.audio, place.start, place.end, pad, output)
        say(f"{output}: {length:.1f} seconds of {place.audio}")
        return
    player = next((p for p in _PLAYERS if shutil.which(p[0])), None)
    if player is None:
        target = _new_name(f"{Path(place.recording).name}-{place.start:.1f}")  # in the current folder
        snippet(place.audio, place.start, place.end, pad, target)
        names = ", ".join(p[0] for p in _PLAYERS)
        say(f"no player was found ({names}); the snippet is in {target}")
        return
    _play(player, lambda path: snippet(place.audio, place.start, place.end, pad, path))


def _new_name(stem: str) -> str:
    """The name of a wav file that is not there yet."""
    plain = "".join(c if c.isprintable() and c not in '\\/:*?"<>|' else "_" for c in stem)[-100:].lstrip(".-") or "hit"
    number = 1
    while Path(name := f"{plain}.wav" if number == 1 else f"{plain}-{number}.wav").is_symlink() or Path(name).exists():
        number += 1
    return name


def _play(player: tuple[str, ...], write: Callable[[str], Any]) -> None:
    """Play a temporary wav file."""
    import os
    import subprocess
    import tempfile

    handle, name = tempfile.mkstemp(suffix=".wav")
    os.close(handle)
    try:
        write(name)
        if subprocess.run([*player, name], check=False).returncode:
            say(f"{player[0]} could not play it; write it to a file with -o")
            raise typer.Exit(1)
    finally:
        os.unlink(name)
