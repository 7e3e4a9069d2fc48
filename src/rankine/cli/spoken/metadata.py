"""``rankine spoken about`` and ``rankine spoken list``."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from ...system.console import clock, counted, print_table, put, put_json, say
from .common import Folder, finish

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...spoken import Archive
    from ...spoken.metadata.metadata import CellChange


def table_of_turns(
    archive: Archive, source: str | None, target: str | None, by: str | None, dry_run: bool, encoding: str | None
) -> None:
    """Record the turns of a table (``source``), or write one (``target``)."""
    if source is not None:
        _record_table(archive, source, by, dry_run, encoding)
    elif target is not None:
        _export_table(archive, target)


def _record_table(archive: Archive, table: str, by: str | None, dry_run: bool, encoding: str | None) -> None:
    """Record the turns of a table."""
    from pathlib import Path

    from ...spoken.metadata.turns import read_turns, record_turns

    read = read_turns(table, archive.index.numbers, encoding)
    for note in read.notes:
        say(f"rankine: {note}")
    n = sum(map(len, read.turns.values()))
    total = f"{counted(n, 'turn')} of {counted(len(read.turns), 'recording')}"
    if dry_run:
        say(f"{total} would be recorded; nothing was changed")
    elif read.turns:
        record_turns(archive.folder, read.turns, f"turns of {Path(table).name}", by)
        say(f"{archive.folder}: {total} recorded; --undo {archive.metadata.history()[-1].id} takes it back")
    finish(read.errors, n, "rows")


def _export_table(archive: Archive, path: str) -> None:
    """Write the turns of all recordings."""
    from ...spoken.metadata.turns import write_turns

    turns = archive.recordings.turns()
    write_turns(path, turns)
    say(f"{path}: {counted(sum(map(len, turns.values())), 'turn')} of {counted(len(turns), 'recording')}")


# -- ``rankine spoken about`` and ``rankine spoken list``


_LAST = 0  # the number of the last change, for --undo without one
_SHOWN = 20  # changes of a dry run that are printed on a terminal


class AboutCommand(TyperCommand):
    """A command whose option ``--undo`` may stand without a number."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put a number behind ``--undo`` where there is none."""
        out: list[str] = []
        for i, arg in enumerate(args):
            out.append(arg)
            if arg == "--undo" and not (i + 1 < len(args) and args[i + 1].isdigit()):
                out.append(str(_LAST))
        return super().parse_args(ctx, out)


Recordings = Annotated[
    list[str] | None, typer.Argument(help="Recordings, by name or file name; without any: the fields of the archive.")
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="FIELD=VALUE", help="Set a field of the recordings; may be repeated."),
]
Clear = Annotated[
    list[str] | None,
    typer.Option(
        "--clear", metavar="FIELD",
        help="Empty a field of the recordings; with --import, where its cell is empty. May be repeated.",
    ),
]  # fmt: skip
Import = Annotated[
    str | None,
    typer.Option(
        "--import", metavar="FILE",
        help="Set what a CSV, TSV, JSON or JSON lines file says. An empty cell changes nothing.",
    ),
]  # fmt: skip
Export = Annotated[
    str | None,
    typer.Option("--export", metavar="FILE", help="Write all fields to a .csv, .tsv, .json or .jsonl file."),
]
ImportTurns = Annotated[
    str | None,
    typer.Option(
        "--import-turns", metavar="FILE",
        help="Record who speaks when: a table with the columns recording, start, end, speaker. Replaces earlier turns.",
    ),
]  # fmt: skip
ExportTurns = Annotated[
    str | None, typer.Option("--export-turns", metavar="FILE", help="Write who speaks when to a .csv or .tsv file.")
]
Undo = Annotated[
    int | None,
    typer.Option("--undo", metavar="[N]", help="Take back the change N; without a number the last one that counts."),
]
By = Annotated[str | None, typer.Option(help="Who makes the change; default: the name you are logged in with.")]


def about(
    archive: Folder,
    recordings: Recordings = None,
    values: Set = None,
    clear: Clear = None,
    table: Import = None,
    export: Export = None,
    import_turns: ImportTurns = None,
    export_turns: ExportTurns = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what would change.")] = False,
    undo: Undo = None,
    history: Annotated[bool, typer.Option("--history", help="Print all changes: when, who, what.")] = False,
    by: By = None,
    encoding: Annotated[str | None, typer.Option(help="Encoding of the table; default: found out.")] = None,
) -> None:
    """Show or change what is said about recordings: title, date, speakers, collection, tags, language, rights, notes.

    Any other name is a field of your own. Several speakers or tags stand in one cell with `;` between them. Nothing is
    lost: every change can be taken back.

    `rankine spoken about archive/ tape-7`

    `rankine spoken about archive/ tape-7 --set "title=On printing" --set "speakers=Ann Lee; Bob" --set date=17.5.2023`

    `rankine spoken about archive/ --import tapes.csv --dry-run`: the column recording, name, file or identifier says
    which recording (`tape-7` or `tape-7.wav`); Dublin Core names such as dc:title and dcterms:created are understood.

    `rankine spoken about archive/ --export tapes.csv`, `--import-turns turns.csv`, `--history`, `--undo`

    Rights are `open`, `on request`, `closed` or `closed until 2030-01-01`; anything else closes. `licence` has licences
    such as CC-BY 4.0. This command and its exports are for the keeper: they show closed recordings too.
    """
    from ...spoken import Archive

    opened = Archive(archive)
    changing = bool(values) or (bool(clear) and table is None)
    asked = {
        "--set or --clear": changing, "--import": table is not None, "--export": export is not None,
        "--import-turns": import_turns is not None, "--export-turns": export_turns is not None,
        "--undo": undo is not None, "--history": history,
    }  # fmt: skip
    names = _names(opened, recordings or [], [name for name, is_asked in asked.items() if is_asked])
    if changing:
        _change(opened, names, values or [], clear or [], by, dry_run)
    elif table is not None:
        _import(opened, table, clear or [], by, dry_run, encoding)
    elif export is not None:
        say(f"{export}: {counted(opened.metadata.export(export), 'recording')}")
        _note_closed(opened, opened.recordings.names)
    elif import_turns is not None or export_turns is not None:
        table_of_turns(opened, import_turns, export_turns, by, dry_run, encoding)
    elif undo is not None:
        batch = opened.metadata.undo(None if undo == _LAST else undo, by)
        say(f"{archive}: undone: {batch.id}, {batch.what} ({counted(batch.rows, 'cell')})")
    elif history:
        _print_history(opened)
    elif names:
        _print_cells(opened, names)
    else:
        _print_fields(opened)


def _note_closed(archive: Archive, names: Sequence[str]) -> None:
    """Say how many of some recordings are not open."""
    from ...spoken.metadata.rights import not_open

    n = len(set(not_open(archive.index)) & set(names))
    if n:
        say(f"rankine: closed or on request: {n:,} of {counted(len(names), 'recording')}; this is for the keeper")


def _names(archive: Archive, given: Sequence[str], asked: list[str]) -> list[str]:
    """The names of the recordings that were given; options that do not fit them or each other are an InputError."""
    from ...errors import InputError
    from ...spoken.metadata.tables import RecordingFinder

    if len(asked) > 1:
        raise InputError(f"{asked[0]} and {asked[1]} cannot be used together")
    if given and asked and asked[0] != "--set or --clear":
        raise InputError(f"{asked[0]} is about the whole archive: leave out {given[0]!r}")
    finder = RecordingFinder(archive.index.numbers) if given else None
    return [finder.find(name, "recording") for name in given] if finder else []


def _import(
    archive: Archive, table: str, clear: list[str], by: str | None, dry_run: bool, encoding: str | None
) -> None:
    done = archive.metadata.import_table(table, clear, by, dry_run, encoding)
    for note in done.notes:
        say(f"rankine: {note}")
    for line in done.bad_cells:
        say(f"rankine: cell left out: {line}")
    if done.changes or dry_run or not (done.errors or done.bad_cells):
        _print_changes(archive, done.changes, dry_run)
    else:
        say("nothing was changed")
    finish(done.errors, done.rows, "rows")
    if done.bad_cells:
        raise typer.Exit(1)


def _change(
    archive: Archive, names: list[str], values: list[str], clear: list[str], by: str | None, dry_run: bool
) -> None:
    """Set and clear fields of recordings as one change."""
    from ...errors import InputError, shorten

    if not names:
        raise InputError("expected the recordings to change, behind the archive; got none")
    cells: dict[str, str] = {}
    for text in values:
        field, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"expected --set FIELD=VALUE, such as title=Lecture; got {shorten(text)}")
        if field.strip() in cells:
            raise InputError(f"--set gives {field.strip()} twice; several values stand in one, with ; between them")
        cells[field.strip()] = value
    for note in archive.metadata.new_fields(cells):
        say(f"rankine: {note}")
    changes = archive.metadata.change(names, cells, clear, by, dry_run)
    _print_changes(archive, changes, dry_run)


def _print_changes(archive: Archive, changes: list[CellChange], dry_run: bool) -> None:
    recordings = len({change.recording for change in changes})
    total = f"{counted(len(changes), 'cell')} of {counted(recordings, 'recording')}"
    if dry_run:
        rows = [tuple(_in_line(text) for text in change) for change in changes]
        print_table(f"{total} would change", ["recording", "field", "before", "after"], rows)
        say(f"{total} would change; nothing was changed")
    elif not changes:
        say("nothing to change: it is said already")
    else:
        say(f"{archive.folder}: {total} changed; --undo {archive.metadata.history()[-1].id} takes it back")


def _in_line(text: str) -> str:
    from ...spoken.text import escaped

    return escaped(text)


def _print_history(archive: Archive) -> None:
    rows = [
        (b.id, b.time, b.who, _in_line(b.what), b.rows, "undone" if b.undone else "")
        for b in archive.metadata.history()
    ]
    print_table(str(archive.folder), ["change", "time", "by", "what", "cells", ""], rows)


def _print_cells(archive: Archive, names: Sequence[str]) -> None:
    rows = [(name, field, _in_line(value)) for name in names for field, value in archive.metadata.get(name).items()]
    print_table(str(archive.folder), ["recording", "field", "value"], rows)
    for name in (name for name in names if not archive.metadata.get(name)):
        say(f"{name}: nothing is said about it")


def _print_fields(archive: Archive) -> None:
    """Print the fields, and how many recordings have a value in each."""
    from ...spoken.metadata.fields import TABLE, in_order

    texts = archive.index.recording_texts
    counts = {field: int((column != "").sum()) for field, column in texts.items()}
    fields = in_order({*TABLE, *(field for field, n in counts.items() if n)})
    rows = [
        (field, f"{counts.get(field, 0):,}", TABLE[field].explanation if field in TABLE else "a field of your own")
        for field in fields
    ]
    print_table(
        f"{archive.folder}: {counted(len(archive), 'recording')}", ["field", "recordings", "what it says"], rows
    )


class ListForm(StrEnum):
    """How a list is printed."""

    table = "table"
    tsv = "tsv"
    json = "json"


def list_recordings(
    archive: Folder,
    where: Annotated[str, typer.Option(help="Only these recordings: fields, as in a query.")] = "",
    sort: Annotated[
        str, typer.Option(help="Column to sort by: recording, title, date, length, or any field.")
    ] = "recording",
    reverse: Annotated[bool, typer.Option("--reverse", help="Sort from the last to the first.")] = False,
    fields: Annotated[
        str | None,
        typer.Option(
            help="Columns, with commas between them; default: recording,title,date,speakers,length,segments, and "
            "rights where a recording is not open."
        ),
    ] = None,
    form: Annotated[
        ListForm, typer.Option("--format", help="table, tsv or json (lengths in seconds).")
    ] = ListForm.table,
) -> None:
    """List the recordings of an archive, with title, date, speakers, length and number of segments.

    The list is for the keeper: closed recordings are in it. Where there are some, a column has the rights, and a line
    on the standard error says how many.

    `rankine spoken list archive/ --where 'speaker:ann date:2021..2023' --sort date`

    `rankine spoken list archive/ --where 'tag:history -collection:radio' --fields recording,title,tags --format tsv`

    `rankine spoken list archive/ --sort length --reverse`: the longest first
    """
    from ...spoken import Archive

    opened = Archive(archive)
    names = [name for name in (fields or "").split(",") if name.strip()]
    listing = opened.recordings.listing(closed=True)
    columns = listing.table(where, sort, reverse, names)
    rows = list(zip(*columns.values(), strict=True))
    _note_closed(opened, listing.table(where, fields=["recording"])["recording"])
    if form is ListForm.json:
        put_json([dict(zip(columns, row, strict=True)) for row in rows], indent=1)
    elif form is ListForm.tsv:
        put(_delimited([tuple(columns), *rows]), end="")
    else:
        shown = {name: _for_people(name, column) for name, column in columns.items()}
        print_table(
            f"{archive}: {counted(len(rows), 'recording')}", list(columns), list(zip(*shown.values(), strict=True))
        )


def _for_people(name: str, column: Sequence[Any]) -> list[Any]:
    if name == "length":
        return [clock(seconds) for seconds in column]
    return [_in_line(cell) if isinstance(cell, str) else cell for cell in column]


def _delimited(rows: Sequence[Sequence[Any]]) -> str:
    import csv
    import io

    text = io.StringIO(newline="")
    csv.writer(text, delimiter="\t", lineterminator="\n").writerows(rows)
    return text.getvalue()
