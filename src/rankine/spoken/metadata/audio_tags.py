"""Tags of audio files as metadata: they fill fields that nothing was ever said about."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ...errors import InputError
from ...system.paths import inside
from ..index.reader import Index
from ..recognise.audio.tags import read_tags
from ..recognise.journal import JOURNAL, RecordingJournal, is_other
from ..store.store import Store
from .fields import read_value
from .metadata import CellChange, Metadata


def fill_from_tags(
    archive: Index | str | os.PathLike, paths: Mapping[str, str | os.PathLike], by: str | None = None
) -> list[CellChange]:
    """Fill empty fields of recordings from the tags of their audio files, as one change.

    A field is left alone if somebody has ever said something about it, also if that was cleared or undone. A tag that
    cannot be read, such as a date with two meanings, is left out.
    """
    index = archive if isinstance(archive, Index) else Index.open(Path(archive))
    tags = {name: read_tags(path) for name, path in paths.items() if name in index.numbers}
    if not any(tags.values()):
        return []
    said = _ever_said(index)
    own = {field: column.tolist() for field, column in index.own_texts.items()}
    table: dict[str, dict[str, str]] = {}
    for name, fields in tags.items():
        for field, text in fields.items():
            if (name, field) not in said and not (field in own and own[field][index.numbers[name]]):
                cell = _cell(field, text)
                if cell:
                    table.setdefault(name, {})[field] = cell
    return Metadata(index).write(table, "tags of audio files", by) if table else []


def file_prints(lattices: Path) -> dict[str, str]:
    """The fingerprints of audio files that the journal of a folder of lattices has, by that of their samples."""
    if not inside(lattices, JOURNAL).exists():
        return {}
    lines = RecordingJournal(lattices).lines.values()
    return {line["samples"]: line["file"] for line in lines if not is_other(line)}


def retagged(journal: RecordingJournal, before: Mapping[str, str]) -> dict[str, str]:
    """The audio files, by recording, that are other files than before with the same sound."""
    return {
        name: line["audio"] for name, line in journal.lines.items()
        if not is_other(line) and line.get("audio") and before.get(line["samples"], line["file"]) != line["file"]
    }  # fmt: skip


def _cell(field: str, text: str) -> str:
    try:
        return read_value(field, text)
    except InputError:
        return ""


def _ever_said(index: Index) -> set[tuple[str, str]]:
    """Recordings and fields that the store has a row of, whether it counts or not."""
    store = Store(index.folder)
    if not store.path.exists():
        return set()
    with store.reading(whole=False) as db:
        return set(
            db.execute(
                "SELECT DISTINCT name, field FROM about JOIN recording ON recording.id = recording "
                "WHERE name IS NOT NULL"
            )
        )
