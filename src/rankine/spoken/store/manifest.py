"""What the store needs of an archive's manifest: where it stands, its format, and whether there is a store."""

from __future__ import annotations

from pathlib import Path

from ...system.files import unsealed
from ...system.paths import inside

FORMAT = 2  # of archives that are read and written here
MANIFEST = "manifest.json"
STORED = "store"  # in the manifest: whether the archive was written with a store
WHAT = "the manifest of a spoken archive"


def has_store(folder: Path) -> bool:
    """Return whether the manifest of an archive says that it has a store."""
    path = inside(folder, MANIFEST)
    return path.is_file() and unsealed(path, WHAT, FORMAT).get(STORED) is True
