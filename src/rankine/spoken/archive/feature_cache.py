"""Features of judged queries, kept in an archive's folder for the next time."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import InputError
from ...system.files import locked
from ...system.paths import folder_inside, inside, plain_files

if TYPE_CHECKING:
    from ...data.ranking_data import RankingData

_CACHE = "cache"
_STORED = re.compile(r"[0-9a-f]{20}\.arrow")  # what was stored here, and nothing else that may lie in the folder


class FeatureCache:
    """Features of the last queries that were learned from, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of(cls, archive: Path) -> FeatureCache:
        """The features that are kept in an archive's folder."""
        return cls(folder_inside(archive, _CACHE))

    def _path(self, digest: str) -> Path:
        return inside(self.folder, f"{digest}.arrow")

    def read(self, digest: str) -> RankingData | None:
        """Features of an earlier time, None if there are none or they cannot be read."""
        from ...io import load_table

        path = self._path(digest)
        try:
            return load_table(path) if path.exists() else None
        except (InputError, OSError):
            return None

    def write(self, digest: str, data: RankingData) -> None:
        """Store features instead of all earlier ones; one process at a time."""
        from ...io import save_table

        self.folder.mkdir(exist_ok=True)
        with self._locked():
            save_table(data, self._path(digest))
            self._remove_others(self._path(digest))

    def clear(self) -> None:
        """Remove all features: they name documents that may be gone."""
        if self.folder.exists():
            with self._locked():
                self._remove_others(None)

    def _locked(self) -> AbstractContextManager[None]:
        return locked(self.folder, "another process is storing features here; try again when it is done", wait=60.0)

    def _remove_others(self, kept: Path | None) -> None:
        for old in plain_files(self.folder):
            if _STORED.fullmatch(old.name) and old != kept:
                old.unlink(missing_ok=True)


def forget_features(folder: Path) -> None:
    """Remove the features that are kept in an archive's folder."""
    FeatureCache.of(folder).clear()
