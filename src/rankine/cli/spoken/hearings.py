"""``rankine spoken hearings``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ...system.console import say
from .common import Folder

if TYPE_CHECKING:
    from ...spoken import Archive


def hearings(
    archive: Folder,
    learn: Annotated[bool, typer.Option("--learn", help="Learn the weights of all further hearings now.")] = False,
    given: Annotated[
        list[str] | None, typer.Option("--set", help="Give a further hearing a weight: NAME=0.3, or NAME=0 for none.")
    ] = None,
    remove: Annotated[
        list[str] | None, typer.Option(help="Remove a further hearing, with what its recogniser heard.")
    ] = None,
) -> None:
    """List the hearings of an archive: what each recogniser heard, how much it counts in search, and why.

    The score of a place is that of the archive's own hearing, and of each further one times its weight. A weight is
    learned from judged queries where there are at least ten, else from words that several hearings have. Without
    evidence that it helps, a further hearing has the weight 0 and costs nothing.

    `rankine spoken hearings archive/ --learn`

    `rankine spoken hearings archive/ --set whisper=0.3`
    """
    from ...spoken import Archive
    from ...spoken.hearings.hearings import hearing_of
    from ...system.console import print_table
    from ...system.progress import bar

    weights = dict(map(_read, given or ()))
    opened = Archive(archive)
    for name in (*weights, *(remove or ())):
        hearing_of(opened.folder, name)  # raises before anything is changed
    for name in remove or ():
        opened.remove_hearing(name)
        say(f"{archive}: the hearing {name} is removed")
    if learn:
        with bar("queries", None) as update:
            opened.learn_hearings(report=lambda name, done, total: update(done, total))
    for name, weight in weights.items():
        opened.weigh_hearing(name, weight)
    print_table(f"{archive}: hearings", ["hearing", "recordings", "weight", "why"], _rows(opened))


def _read(text: str) -> tuple[str, float]:
    """The name and the weight of ``NAME=0.3``."""
    from ...errors import InputError, shorten

    name, _, number = text.partition("=")
    try:
        return name, float(number)
    except ValueError:
        raise InputError(
            f"expected the name of a hearing and its weight, such as whisper=0.3, got {shorten(text)}"
        ) from None


def _rows(archive: Archive) -> list[tuple[str, str, str, str]]:
    """A row for each hearing: its name, how many of the archive's recordings it has, its weight, and why."""
    from ...spoken.hearings.recordings import held_samples

    held = held_samples(archive.folder)
    rows = [("the archive's own", f"{len(held):,}", "1", "it makes the places that hits are")]
    for hearing in archive.hearings:
        n = len(held & held_samples(hearing.folder))
        rows.append((hearing.name, f"{n:,}", f"{hearing.weight.weight:g}", str(hearing.weight)))
    return rows
