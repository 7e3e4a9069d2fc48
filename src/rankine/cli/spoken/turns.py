"""Who speaks when, as tables: ``rankine spoken about --import-turns`` and ``--export-turns``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...system.console import counted, say
from .common import finish

if TYPE_CHECKING:
    from ...spoken import Archive


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
        say(f"{archive.folder}: {total} recorded; --undo {archive.about.history()[-1].id} takes it back")
    finish(read.errors, n, "rows")


def _export_table(archive: Archive, path: str) -> None:
    """Write the turns of all recordings."""
    from ...spoken.metadata.turns import all_turns, write_turns

    turns = all_turns(archive.index)
    write_turns(path, turns)
    say(f"{path}: {counted(sum(map(len, turns.values())), 'turn')} of {counted(len(turns), 'recording')}")
