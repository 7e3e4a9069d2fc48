"""``rankine spoken pack``, ``unpack`` and ``upgrade``."""

from __future__ import annotations

from typing import Annotated

import typer

from ...system.console import counted, say
from .common import Folder, Workers


def pack(
    archive: Folder,
    output: Annotated[str, typer.Argument(help="The file to write, a .zip.")],
    without_index: Annotated[
        bool, typer.Option("--without-index", help="Leave the index out; unpacking builds it from the lattices.")
    ] = False,
    closed: Annotated[
        bool, typer.Option("--closed", help="Pack recordings that are closed or on request too: for the keeper.")
    ] = False,
    open_only: Annotated[
        bool,
        typer.Option("--open-only", help="Leave out recordings that are closed or on request, and all about them."),
    ] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Replace the file if there is one.")] = False,
) -> None:
    """Write a whole archive into one file: index, lattices, what people typed in, weights. Recordings stay outside.

    It is the state of one moment, also while another process writes. The file is a zip in the layout of BagIt, with a
    checksum of every file. What is in the bin is left out. `rankine spoken pack archive/ archive.zip`

    With `--open-only` the file holds nothing of recordings that are not open: no lattice, no metadata, no judgment, and
    no query that was judged at one of them.
    """
    from pathlib import Path

    from ...errors import InputError
    from ...spoken import Archive
    from ...spoken.metadata.rights import check_all_open
    from ...system.limits import shown
    from ...system.progress import bar

    if closed and open_only:
        raise InputError("--closed and --open-only cannot be used together")
    if not replace and Path(output).exists():
        raise InputError("there is a file already; --replace replaces it", output)
    opened = Archive(archive)
    if not closed and not open_only:
        check_all_open(opened.index, "--closed", "--open-only")
    with bar("packing", None, unit="bytes") as update:
        packed = opened.pack(
            output, index=not without_index, closed=closed, open_only=open_only, replace=replace, report=update
        )
    documents = "without the index" if without_index else counted(packed.documents, "document")
    say(f"{output}: {documents}, {counted(packed.files, 'file')}, {shown(packed.size)} in {shown(packed.packed)}")


def unpack(
    source: Annotated[str, typer.Argument(help="A file that `rankine spoken pack` wrote.")],
    archive: Annotated[str, typer.Argument(help="The archive: a folder that does not exist or is empty.")],
    workers: Workers = None,
) -> None:
    """Make an archive of a packed one. Every checksum is compared before the folder appears.

    `rankine spoken unpack archive.zip archive/`
    """
    from ...spoken.maintenance.unpacking import unpack as make
    from ...system.parallel import thread_count
    from ...system.progress import bar

    with bar("unpacking", None) as update:
        n = make(source, archive, thread_count(workers), update, update)
    say(f"{archive}: {counted(n, 'document')}")


def upgrade(archive: Folder) -> None:
    """Bring an archive of an earlier release to the present format. Older releases cannot open it from then on.

    The first change of an archive does it too. This also stores what search otherwise derives each time.
    """
    from ...spoken import Archive
    from ...system.progress import bar

    opened = Archive(archive)
    with bar("upgrading", None, unit="bytes") as update:
        done = opened.upgrade(update)
    if done.before == done.after and not done.parts:
        say(f"{archive}: format {done.after}, nothing to upgrade")
    else:
        parts = f"; {counted(done.parts, 'part')} of the index written anew" if done.parts else ""
        say(f"{archive}: format {done.after}, was {done.before}{parts}")
