"""Files that the settings of an archive name: copied into its folder, for nothing outside it is read."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from ...errors import InputError
from ..index.settings import Settings
from ..index.storage import Writer
from ..lattice.units import TABLE, splitter

DICTIONARY = "dictionary.txt"


def own_files(settings: Settings, dictionary: str | os.PathLike | None) -> tuple[Settings, dict[str, bytes]]:
    """The settings of a new archive, which name its own files, and these files."""
    files: dict[str, bytes] = {}
    for number, (kind, how) in enumerate(settings.kinds.items()):
        if how not in TABLE:
            splitter(how)  # raises if it cannot be read
            files[_units_file(number)] = Path(how).read_bytes()
            settings = replace(settings, kinds={**settings.kinds, kind: _units_file(number)})
    if dictionary is not None:
        settings = replace(settings, dictionary=DICTIONARY)
        files[DICTIONARY] = Path(dictionary).read_bytes()
    return settings, files


def _units_file(number: int) -> str:
    return f"units-{number}.txt"


def copy_file(writer: Writer, name: str, file: str | os.PathLike) -> None:
    """Copy a file into an archive whose settings call it ``name``, and which does not hold it."""
    own, settings = _units_file(len(writer.manifest.files) + 1), dict(writer.manifest.settings)
    if settings.get("dictionary") == name:
        own = settings["dictionary"] = DICTIONARY
    settings["kinds"] = {kind: own if how == name else how for kind, how in settings["kinds"].items()}
    if settings == writer.manifest.settings or name in writer.manifest.files or name in TABLE:
        raise InputError(f"the archive does not need a file called {name!r}", str(writer.folder))
    writer.keep_file(own, Path(file).read_bytes(), settings)
