"""``rankine spoken note``, ``notes`` and ``collection``, and what they share with ``corrections``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ...system.console import clock, counted, print_table, say
from .common import Closed, Folder, finish

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ...spoken import Archive
    from ...spoken.collections.collections import Collections
    from ...spoken.collections.marks import PlaceMark
    from ...spoken.collections.notes import ImportedMarks
    from ...spoken.store.history import StoredChange

By = Annotated[str | None, typer.Option(help="Who makes the change; default: the name you are logged in with.")]
Import = Annotated[
    str | None, typer.Option("--import", metavar="FILE", help="Read a CSV, TSV, JSON or JSON lines file.")
]
Export = Annotated[
    str | None, typer.Option("--export", metavar="FILE", help="Write a .csv, .tsv, .json or .jsonl file.")
]
Undo = Annotated[
    int | None,
    typer.Option("--undo", metavar="[N]", help="Take back the change N; without a number the last one that counts."),
]
History = Annotated[bool, typer.Option("--history", help="Print all changes: when, who, what.")]
Encoding = Annotated[str | None, typer.Option(help="Encoding of the file that is read; default: found out.")]
Remove = Annotated[int | None, typer.Option(metavar="ID", help="Remove the one with this number.")]


def one_of(asked: Mapping[str, bool], argument: str | None, with_it: Sequence[str]) -> str | None:
    """The one option that is asked for, if any; an InputError if there are two, or one that forbids an argument."""
    from ...errors import InputError

    names = [name for name, is_asked in asked.items() if is_asked]
    if len(names) > 1:
        raise InputError(f"{names[0]} and {names[1]} cannot be used together")
    if argument is not None and names and names[0] not in with_it:
        raise InputError(f"{names[0]} is about the whole archive: leave out {argument!r}")
    return names[0] if names else None


def check_open(archive: Archive, places: Sequence[str], closed: bool) -> None:
    """Raise InputError if a place is of a recording that is not open, unless the keeper asks."""
    for place in places:
        archive.recordings.check_readable(place, closed, "--closed")


def undone_line(archive: str, change: StoredChange) -> str:
    """What was undone, in a sentence."""
    return f"{archive}: undone: {change.id}, {change.what} ({counted(change.rows, 'row')})"


def print_history(archive: str, changes: Sequence[StoredChange]) -> None:
    """Print changes, the oldest first."""
    rows = [(c.id, c.time, c.who, c.what, c.rows, "undone" if c.undone else "") for c in changes]
    print_table(archive, ["change", "time", "by", "what", "rows", ""], rows)


def _print_marks(title: str, key: str, marks: Sequence[PlaceMark]) -> None:
    rows = [
        (m.id, m.key, m.place + (" (not in the archive)" if m.gone else ""), clock(m.start) if m.start is not None
         else "", m.text, m.who, m.time, m.change)
        for m in marks
    ]  # fmt: skip
    print_table(title, ["id", key, "place", "at", "text", "by", "time", "change"], rows)


def _report(archive: str, read: ImportedMarks, noun: str) -> None:
    for line in read.notes:
        say(f"rankine: {line}")
    back = f"; --undo {read.added[0].change} takes it back" if read.added else ""
    say(f"{archive}: {counted(len(read.added), noun)} added, {read.before} there already{back}")
    finish(read.errors, len(read.added) + read.before, "rows")


def note(
    archive: Folder,
    place: Annotated[str, typer.Argument(help="A place, RECORDING@START-END in seconds, or a recording.")],
    text: Annotated[str, typer.Argument(help="What you remark.")],
    tag: Annotated[
        bool, typer.Option("--tag", help="The text is a tag: a word or a few, to find places again.")
    ] = False,
    by: By = None,
    closed: Closed = False,
) -> None:
    """Put a note or a tag on a place of a recording, or on the whole recording.

    `rankine spoken note archive/ tape-7@12.5-20 "she says this of her sister, too"`

    `rankine spoken note archive/ tape-7@12.5-20 childhood --tag`

    What a recording is about as a whole, for everybody, belongs into its fields: `rankine spoken about`.
    """
    from ...spoken import Archive

    opened = Archive(archive)
    check_open(opened, [place], closed)
    notes = opened.notes
    done = (notes.tag if tag else notes.add)(place, text, by, closed)
    say(f"{place}: {done.key} {done.id}; `rankine spoken notes {archive} --undo {done.change}` takes it back")


def notes(
    archive: Folder,
    recording: Annotated[str | None, typer.Argument(help="Only notes and tags of this recording.")] = None,
    tag: Annotated[str | None, typer.Option(help="Only places with this tag.")] = None,
    change: Annotated[
        tuple[int, str] | None, typer.Option(metavar="ID TEXT", help="Give a note or tag another text.")
    ] = None,
    remove: Remove = None,
    table: Import = None,
    export: Export = None,
    undo: Undo = None,
    history: History = False,
    by: By = None,
    closed: Closed = False,
    encoding: Encoding = None,
) -> None:
    """List notes and tags; change or remove them, write them to a file and read them.

    `rankine spoken notes archive/`, `rankine spoken notes archive/ tape-7`, `--tag childhood`

    `rankine spoken notes archive/ --change 3 "of both sisters"`, `--remove 3`, `--undo`

    `rankine spoken notes archive/ --export notes.csv`, `--import notes.csv`: the columns recording and text are needed;
    start, end and label (note or tag) may be there.
    """
    from ...spoken import Archive

    book = Archive(archive).notes
    asked = {
        "--tag": tag is not None, "--change": change is not None, "--remove": remove is not None,
        "--import": table is not None, "--export": export is not None, "--undo": undo is not None,
        "--history": history,
    }  # fmt: skip
    one_of(asked, recording, ("--tag",))
    if change is not None:
        book.change(*change, by=by, closed=closed)
        say(f"{archive}: note {change[0]} changed; --undo {book.history()[-1].id} takes it back")
    elif remove is not None:
        book.remove(remove, by, closed)
        say(f"{archive}: note {remove} removed; --undo {book.history()[-1].id} brings it back")
    elif table is not None:
        _report(archive, book.import_file(table, by, closed, encoding), "note")
    elif export is not None:
        say(f"{export}: {counted(book.export(export, closed), 'note')}")
    elif undo is not None:
        say(undone_line(archive, book.undo(undo or None, by)))
    elif history:
        print_history(archive, book.history())
    else:
        some = book.all(recording, None if tag is None else "tag", tag, closed)
        _print_marks(f"{archive}: {counted(len(some), 'note')}", "label", some)


Places = Annotated[
    list[str] | None, typer.Argument(help="Places to put into it: RECORDING@START-END in seconds, or recordings.")
]
ExportCollection = Annotated[
    str | None,
    typer.Option(
        "--export", metavar="FILE",
        help="Write the collection with time codes: .csv, .tsv, .json, .jsonl, .vtt (of one recording), or .m3u for "
        "players such as VLC.",
    ),
]  # fmt: skip


def collection(
    archive: Folder,
    name: Annotated[str | None, typer.Argument(help="The collection; without one all are listed.")] = None,
    places: Places = None,
    text: Annotated[str, typer.Option(help="A text for the places that are put in.")] = "",
    remove: Remove = None,
    table: Import = None,
    export: ExportCollection = None,
    undo: Undo = None,
    history: History = False,
    by: By = None,
    closed: Closed = False,
    encoding: Encoding = None,
) -> None:
    """Collect places of recordings under a name, list them, and export them with time codes.

    `rankine spoken collection archive/`: all collections

    `rankine spoken collection archive/ "for the talk" tape-7@12.5-20 tape-9@3-8.5 --text "on printing"`

    `rankine spoken collection archive/ "for the talk" --export talk.csv`, or `talk.m3u`, which VLC plays

    `rankine spoken collection archive/ --remove 3`, `--undo`, `--import talk.csv`
    """
    from ...spoken import Archive

    opened = Archive(archive)
    book = opened.collections
    actions: dict[str, tuple[bool, Callable[[], None]]] = {
        "--remove": (remove is not None, lambda: _remove(book, remove or 0, by, closed)),
        "--import": (
            table is not None,
            lambda: _report(archive, book.import_file(table or "", name, by, closed, encoding), "place"),
        ),
        "--export": (export is not None, lambda: _export(book, name, export or "", closed)),
        "--undo": (undo is not None, lambda: say(undone_line(archive, book.undo(undo or None, by)))),
        "--history": (history, lambda: print_history(archive, book.history())),
        "places to put in": (bool(places), lambda: _put_in(opened, name or "", places or [], text, by, closed)),
    }
    with_name = ("--import", "--export", "places to put in")
    asked = one_of({option: is_asked for option, (is_asked, _) in actions.items()}, name, with_name)
    if asked is not None:
        actions[asked][1]()
    elif name is not None:
        _print_marks(f"{archive}: {name}", "collection", book.get_all(name, closed))
    else:
        title = f"{archive}: {counted(len(book.names), 'collection')}"
        print_table(title, ["collection", "places"], list(book.names.items()))


def _put_in(archive: Archive, name: str, places: list[str], text: str, by: str | None, closed: bool) -> None:
    check_open(archive, places, closed)
    added = archive.collections.add(name, places, text, by, closed)
    back = f"; --undo {added[0].change} takes it back" if added else ""
    say(f"{name}: {counted(len(added), 'place')} put in, {archive.collections.names.get(name, 0)} in all{back}")


def _remove(book: Collections, number: int, by: str | None, closed: bool) -> None:
    book.remove(number, by, closed)
    say(f"place {number} removed; --undo {book.history()[-1].id} brings it back")


def _export(book: Collections, name: str | None, path: str, closed: bool) -> None:
    from ...errors import InputError

    if name is None:
        raise InputError("expected the collection to export, behind the archive; got none")
    say(f"{path}: {counted(book.export(name, path, closed), 'place')}")
