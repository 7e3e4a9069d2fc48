"""``rankine spoken correct`` and ``rankine spoken corrections``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ...system.console import clock, counted, print_table, put, say
from .common import Closed, Folder, finish
from .marks import By, Encoding, Export, History, Import, Undo, check_open, one_of, print_history, undone_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...spoken import Archive
    from ...spoken.corrections.corrections import Corrections
    from ...spoken.corrections.rows import Correction


def correct(
    archive: Folder,
    place: Annotated[str, typer.Argument(help="The place: RECORDING@START-END, in seconds.")],
    written: Annotated[str, typer.Argument(help='The words that were said there; "" where nothing was.')],
    everywhere: Annotated[
        bool, typer.Option("--everywhere", help="Also wherever else the same words were heard; it is one change.")
    ] = False,
    by: By = None,
    closed: Closed = False,
) -> None:
    """Write what was said where the recogniser misheard; search finds it at once, with certainty.

    Nothing that was heard is lost: every correction can be taken back, and `rankine spoken subtitles --as-heard` shows
    what was heard. A correction stays with its recording when that is renamed, deleted and brought back, or recognised
    anew. Where it does not fit any more, `rankine spoken corrections --orphans` lists it.

    `rankine spoken search archive/ "stone craft"` prints places such as tape-7@12.5-13.1

    `rankine spoken correct archive/ tape-7@12.5-13.1 "Wollstonecraft"`

    `rankine spoken correct archive/ tape-7@15-15.6 ""`: nothing was said there
    """
    from ...spoken import Archive

    opened = Archive(archive)
    check_open(opened, [place], closed)
    correction = opened.corrections.add(place, written, by, closed)
    heard, said = correction.heard or "(nothing)", correction.written or "(nothing)"
    say(f"{place}: {heard} → {said}; `rankine spoken corrections {archive} --undo {correction.change}` takes it back")
    others = opened.corrections.elsewhere(correction.id, closed) if correction.heard else []
    if others and everywhere:
        accepted = opened.corrections.accept(correction.id, by=by, closed=closed)
        say(f"the same at {counted(len(accepted), 'other place')}; --undo {accepted[0].change} takes that back")
    elif others:
        say(
            f"the same was heard at {counted(len(others), 'other place')}, such as {others[0].name}; "
            f"`rankine spoken corrections {archive} --elsewhere {correction.id}` lists them"
        )


AsHeard = Annotated[bool, typer.Option("--as-heard", help="Print the words of the recording as they were heard.")]
Orphans = Annotated[bool, typer.Option("--orphans", help="List corrections that fit nowhere, and change nothing.")]
Adopt = Annotated[
    tuple[int, str] | None,
    typer.Option(metavar="ID PLACE", help="Let a correction count at RECORDING@START-END, and no more elsewhere."),
]
Dismiss = Annotated[int | None, typer.Option(metavar="ID", help="Let a correction not count any more.")]
Elsewhere = Annotated[int | None, typer.Option(metavar="ID", help="List other places where the same was heard.")]
Accept = Annotated[
    int | None, typer.Option(metavar="ID", help="Correct these too: those of --place, or all. It is one change.")
]
AcceptedPlaces = Annotated[list[str] | None, typer.Option(help="With --accept: one of the places; may be repeated.")]


def corrections(
    archive: Folder,
    recording: Annotated[str | None, typer.Argument(help="Only corrections of this recording.")] = None,
    as_heard: AsHeard = False,
    orphans: Orphans = False,
    adopt: Adopt = None,
    dismiss: Dismiss = None,
    elsewhere: Elsewhere = None,
    accept: Accept = None,
    place: AcceptedPlaces = None,
    table: Import = None,
    export: Export = None,
    undo: Undo = None,
    history: History = False,
    by: By = None,
    closed: Closed = False,
    encoding: Encoding = None,
) -> None:
    """List corrections; take them back, find the same elsewhere, write them to a file and read them.

    `rankine spoken corrections archive/`

    `rankine spoken corrections archive/ --elsewhere 12`, then `--accept 12`, or `--accept 12 --place tape-9@4.1-4.8`

    `rankine spoken corrections archive/ --undo`, `--undo 31`, `--history`

    `rankine spoken corrections archive/ --orphans`, then `--adopt 12 tape-7@12.9-13.4` or `--dismiss 12`

    `rankine spoken corrections archive/ --export mine.csv`, `--import mine.csv`: the columns recording, start, end and
    written are needed; heard, before and after tell where a row belongs if a recording was recognised by another.
    """
    from ...spoken import Archive

    opened = Archive(archive)
    book = opened.corrections
    actions: dict[str, tuple[bool, Callable[[], None]]] = {
        "--as-heard": (as_heard, lambda: _print_heard(opened, recording, closed)),
        "--orphans": (orphans, lambda: _print_list(opened, book.orphans(closed), orphans=True)),
        "--adopt": (adopt is not None, lambda: _adopt(book, *(adopt or (0, "")), by, closed)),
        "--dismiss": (dismiss is not None, lambda: _dismiss(book, dismiss or 0, by, closed)),
        "--elsewhere": (elsewhere is not None, lambda: _print_elsewhere(book, elsewhere or 0, closed)),
        "--accept": (accept is not None, lambda: _accept(book, accept or 0, place, by, closed)),
        "--import": (table is not None, lambda: _import(book, table or "", by, closed, encoding)),
        "--export": (export is not None, lambda: _export(book, export or "", closed)),
        "--undo": (undo is not None, lambda: say(undone_line(archive, book.undo(undo or None, by)))),
        "--history": (history, lambda: print_history(archive, book.history())),
    }
    asked = one_of({name: is_asked for name, (is_asked, _) in actions.items()}, recording, ("--as-heard",))
    if asked is None:
        _print_list(opened, book.all(recording, closed))
    else:
        actions[asked][1]()


def _adopt(book: Corrections, number: int, place: str, by: str | None, closed: bool) -> None:
    done = book.adopt(number, place, by=by, closed=closed)
    say(f"{place}: {done.heard or '(nothing)'} → {done.written}; --undo {done.change} takes it back")


def _dismiss(book: Corrections, number: int, by: str | None, closed: bool) -> None:
    book.dismiss(number, by, closed)
    say(f"correction {number} does not count any more; --undo {book.history()[-1].id} takes that back")


def _print_elsewhere(book: Corrections, number: int, closed: bool) -> None:
    heard = book.get(number, closed).heard
    rows = [(place.name, place.before, heard, place.after) for place in book.elsewhere(number, closed)]
    title = f"heard as before correction {number}: {counted(len(rows), 'other place')}"
    print_table(title, ["place", "before", "heard", "after"], rows)


def _accept(book: Corrections, number: int, places: list[str] | None, by: str | None, closed: bool) -> None:
    accepted = book.accept(number, places, by, closed)
    back = f"; --undo {accepted[0].change} takes it back" if accepted else ""
    say(f"corrected at {counted(len(accepted), 'other place')}{back}")


def _import(book: Corrections, table: str, by: str | None, closed: bool, encoding: str | None) -> None:
    read = book.import_file(table, by, closed, encoding)
    for note in read.notes:
        say(f"rankine: {note}")
    back = f"; --undo {read.added[0].change} takes it back" if read.added else ""
    say(f"{counted(len(read.added), 'correction')} added, {read.before} there already{back}")
    finish(read.errors, len(read.added) + read.before, "rows")


def _export(book: Corrections, path: str, closed: bool) -> None:
    say(f"{path}: {counted(book.export(path, closed), 'correction')}")


def _print_list(archive: Archive, some: Sequence[Correction], orphans: bool = False) -> None:
    rows = [
        (c.id, c.recording + (" (not in the archive)" if c.gone else ""), f"{c.start:.2f}–{c.end:.2f}",
         clock(c.start), c.heard, c.written, c.who, c.time, c.change)
        for c in some
    ]  # fmt: skip
    noun = "correction that fits nowhere" if orphans else "correction"
    columns = ["id", "recording", "seconds", "at", "heard", "written", "by", "time", "change"]
    print_table(f"{archive.folder}: {counted(len(rows), noun)}", columns, rows)


def _print_heard(archive: Archive, recording: str | None, closed: bool) -> None:
    from ...errors import InputError

    if recording is None:
        raise InputError("expected the recording whose words are shown as heard, behind the archive; got none")
    put(" ".join(word.text for word in archive.corrections.words(recording, as_heard=True, closed=closed)))
