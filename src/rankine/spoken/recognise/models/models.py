"""Models of recognisers on this machine: the folder in which they are kept, and comparing their files.

The folder is the one that the environment variable ``RANKINE_MODELS`` names, else ``models`` in the user's data folder.
Each model has a folder in it, with a record of the size and the SHA-256 of every file. Before a model is loaded its
files are compared with the record: by size and time of change where all bytes were compared before, else byte by byte.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypedDict

from ....errors import InputError
from ....system.files import locked, sealed, stamp, unsealed, write_file
from ....system.paths import inside
from ....system.records import Count
from .table import TABLE, names_of, row_of

RECORD, STAMPS = "rankine.json", "checked.json"


class FileRecord(TypedDict):
    """The size and the SHA-256 of a file."""

    size: Count
    sha256: str


class ModelRecord(TypedDict):
    """What stands in the record of a model's folder."""

    model: str
    source: str
    licence: str
    files: dict[str, FileRecord]


class _Stamps(TypedDict):
    files: dict[str, str]


def models_folder() -> Path:
    """The folder of models; it may not exist."""
    own = os.environ.get("RANKINE_MODELS")
    if own:
        return Path(own)
    from platformdirs import user_data_path

    return user_data_path("rankine", appauthor=False) / "models"


def folder_of(name: str) -> Path:
    """The folder of a model; it may not exist."""
    row_of(name)  # names of the table are names of folders
    return models_folder() / name


def is_here(name: str) -> bool:
    """Whether a model was added on this machine."""
    return (folder_of(name) / RECORD).is_file()


def check_name_or_folder(model: str, recogniser: str) -> None:
    """Raise InputError unless this is the name of a model of a recogniser, or a folder."""
    names = names_of(recogniser)
    if model not in names and (model in TABLE or not Path(model).is_dir()):
        of = f", a model of {TABLE[model].recogniser}" if model in TABLE else ""
        raise InputError(f"expected the folder of a model, or one of {', '.join(names)}; got {model!r}{of}")


def find(model: str) -> Path:
    """The folder of a model that is about to be loaded, given by name or as a folder.

    The files of a model that has a name are compared with its record.
    """
    if model not in TABLE:
        return Path(model)
    compare(model, every_byte=False)
    return folder_of(model)


def identity(model: str) -> str:
    """What distinguishes a model from others: the SHA-256 of its files, or the stamp of a folder that has no name."""
    if model not in TABLE:
        return repr(stamp(model))
    files = _record(model)["files"]
    return hashlib.sha256("".join(f"{n} {f['sha256']}\n" for n, f in sorted(files.items())).encode()).hexdigest()


def compare(name: str, every_byte: bool = True) -> ModelRecord:
    """Compare the files of a model with its record, and return that; raise InputError where one is missing or differs.

    Without ``every_byte`` files are not read whose sizes and times are those of the last comparison of every byte.
    """
    folder, content = folder_of(name), _record(name)
    now = {file: _stamp(folder, file, name) for file in content["files"]}
    if not every_byte and _last_stamps(folder) == now:
        return content
    for file, expected in content["files"].items():
        if (folder / file).stat().st_size != expected["size"] or sha256_of(folder / file) != expected["sha256"]:
            raise _damaged(folder / file, "is not what was added", name)
    with suppress(OSError):  # a folder that cannot be written to is compared each time
        write_file(folder / STAMPS, sealed_record({"files": now}))
    return content


def _record(name: str) -> ModelRecord:
    path = folder_of(name) / RECORD
    if not path.is_file():
        raise InputError(
            f"the model {name} is not on this machine: `rankine spoken models add {name}` fetches it "
            f"({row_of(name).size / 1e6:.0f} MB)", str(path.parent),
        )  # fmt: skip
    content: ModelRecord = unsealed(path, "the record of a model", schema=ModelRecord)
    for file in content["files"]:
        inside(path.parent, file)
    return content


def _stamp(folder: Path, file: str, name: str) -> str:
    """The size and the time of change of a file, in nanoseconds."""
    try:
        state = (folder / file).stat()
    except FileNotFoundError:
        raise _damaged(folder / file, "is missing", name) from None
    return f"{state.st_size} {state.st_mtime_ns}"


def _last_stamps(folder: Path) -> dict[str, str] | None:
    try:
        return dict(unsealed(folder / STAMPS, "stamps of a model", schema=_Stamps)["files"])
    except (InputError, OSError):
        return None


def _damaged(path: Path, what: str, name: str) -> InputError:
    return InputError(f"this file of the model {what}: `rankine spoken models add {name}` fetches it again", str(path))


def sealed_record(content: Mapping[str, object]) -> bytes:
    """A record with its checksum."""
    return sealed(json.dumps(content))


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def remove(name: str) -> None:
    """Remove a model from this machine."""
    folder = folder_of(name)
    if not folder.is_dir():
        raise InputError(f"the model {name} is not on this machine", str(folder))
    with locked(folder.parent, "another process is changing the models"):
        (folder / RECORD).unlink(missing_ok=True)  # without it the rest is no model
        shutil.rmtree(folder)
