"""The further hearings of an archive that is packed: lattices of the recordings that are packed, and no index.

What is left out of the pack is left out of its hearings too: recordings are known by their sound. Unpacking builds the
index of a hearing.
"""

from __future__ import annotations

import json
from collections.abc import Container
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...system.paths import folder_inside, inside
from ..index.storage import MANIFEST, Manifest
from ..recognise.journal import JOURNAL, TABLE, RecordingJournal
from .hearings import FOLDER as HEARINGS
from .hearings import RECORD, FurtherHearing
from .recordings import FOLDER as LATTICES


class PackedHearing:
    """A hearing as it is packed: only recordings with these fingerprints of their samples."""

    def __init__(self, hearing: FurtherHearing, samples: Container[str]) -> None:
        self.folder, self.samples = hearing.folder, samples
        self.prefix = f"{HEARINGS}/{hearing.name}"
        self.lattices = folder_inside(hearing.folder, LATTICES)
        self.lines = self._lines()

    def _lines(self) -> dict[str, dict[str, Any]]:
        """The lines of the journal that are packed."""
        if not inside(self.lattices, JOURNAL).exists():
            return {}
        lines = RecordingJournal(self.lattices).lines
        return {n: line for n, line in lines.items() if line.get("segments") and line.get("samples") in self.samples}

    @property
    def changed(self) -> bool:
        """Whether a recording was recognised anew or forgotten since."""
        lines = self._lines()
        return any(lines.get(name) != line for name, line in self.lines.items())

    def staged(self, stage: Path) -> dict[str, Path]:
        """The files that are made in a folder, by their names in the pack."""
        manifest = Manifest.read(self.folder)
        content = {MANIFEST: replace(manifest, parts=()).to_bytes()}
        content |= {name: inside(self.folder, name).read_bytes() for name in manifest.files}
        if (record := inside(self.folder, RECORD)).exists():
            content[RECORD] = record.read_bytes()
        if self.lines:
            text = "".join(json.dumps(line) + "\n" for line in self.lines.values())
            content[f"{LATTICES}/{JOURNAL}"] = text.encode()
        files = {f"{self.prefix}/{name}": stage / self.prefix / name for name in content}
        for path, data in zip(files.values(), content.values(), strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        if self.lines:
            RecordingJournal(stage / self.prefix / LATTICES).write_table()
            files[f"{self.prefix}/{LATTICES}/{TABLE}"] = stage / self.prefix / LATTICES / TABLE
        return files

    def files(self) -> list[tuple[str, Path]]:
        """The lattices: names in the pack, and where they are."""
        names = sorted(segment["file"] for line in self.lines.values() for segment in line["segments"])
        return [(f"{self.prefix}/{LATTICES}/{name}", inside(self.lattices, name)) for name in names]
