"""Opening the archive in a folder, or making one for a language."""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import Any

from ...errors import InputError
from ..index.settings import Settings, units_of
from ..index.storage import MANIFEST
from .archive import Archive
from .own_files import DICTIONARY


def create_or_open(
    folder: str | os.PathLike,
    language: str | None,
    dictionary: str | os.PathLike | None = None,
    prune: float | None = None,
    skip: float | None = None,
) -> Archive:
    """The archive in a folder, or a new one for a language; settings other than the archive's are an InputError.

    Without a language a new archive is for English.
    """
    if language is None and (Path(folder) / MANIFEST).exists():
        language = Archive(folder).settings.language
    language = language or "en"
    units = units_of(language)
    settings: dict[str, Any] = {k: v for k, v in {"prune": prune, "skip": skip}.items() if v is not None}
    if not (Path(folder) / MANIFEST).exists():
        return Archive.create(folder, Settings(units, **settings), dictionary)
    archive = Archive(folder)
    for name, value in settings.items():
        if getattr(archive.settings, name) != value:
            raise InputError(f"the archive has {name} {getattr(archive.settings, name)}, not {value}", str(folder))
    if not archive.settings.kinds.items() <= units.items():  # a language may have got more units since
        kinds = f"the units {', '.join(archive.settings.kinds.values())}"
        raise InputError(f"the archive has {kinds}, which are not those of the language {language!r}", str(folder))
    if dictionary is not None:
        crc = zlib.crc32(Path(dictionary).read_bytes())
        if archive.index.manifest.files.get(DICTIONARY) != crc:
            raise InputError("the archive was made with another pronunciation dictionary", str(folder))
    return archive
