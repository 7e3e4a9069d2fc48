"""Upgrading an archive of an earlier format, at its first change or when asked for.

Format 1 is that of release 0.1: judgments are in ``judgments.sqlite``. Format 2 has them in the store. An archive of
format 1 is read as it is. Before its first change the store is made, and then the manifest is replaced by one that
says 2: whatever happens in between, the archive is in the old state or in the new one. A copy of what is replaced lies
in ``before-upgrade`` until then. Releases that read only format 1 refuse the archive from then on.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...system.files import locked, replacing, sealed, unsealed, write_file
from ...system.paths import folder_inside, inside
from ...version import __version__
from .databases import back_up

FORMAT = 2
MANIFEST, LEGACY = "manifest.json", "judgments.sqlite"
KEPT = "before-upgrade"
STORED = "store"  # in the manifest: whether the archive was written with a store
WHAT = "the manifest of a spoken archive"
BUSY = "another process is changing this archive; try again when it is done"
_WAIT = 60.0  # seconds


def is_earlier(folder: Path) -> bool:
    """Whether a folder holds an archive of an earlier format."""
    return inside(folder, MANIFEST).is_file() and _content(folder).get("format", FORMAT) < FORMAT


def has_store(folder: Path) -> bool:
    """Whether the manifest of an archive says that it has a store; older ones do not."""
    return inside(folder, MANIFEST).is_file() and _content(folder).get(STORED) is True


def upgrade(folder: Path, make_store: Callable[[], None]) -> bool:
    """Bring an archive to the present format; whether it was of an earlier one.

    ``make_store`` makes the store of what the earlier format keeps elsewhere, whole or not at all.
    """
    if not is_earlier(folder) and not (folder / KEPT).exists():
        return False
    with locked(folder, BUSY, wait=_WAIT):
        earlier = is_earlier(folder)
        if earlier:
            _keep(folder)
            make_store()
            content = _content(folder)
            content |= {"format": FORMAT, "version": __version__, "serial": content["serial"] + 1}
            text = json.dumps(content, indent=1, ensure_ascii=False)
            write_file(inside(folder, MANIFEST), sealed(text), durable=True)
        inside(folder, LEGACY).unlink(missing_ok=True)  # it is in the store now
        shutil.rmtree(folder_inside(folder, KEPT), ignore_errors=True)
    return earlier


def _content(folder: Path) -> dict[str, Any]:
    """What a manifest says, whatever its format."""
    content: dict[str, Any] = unsealed(inside(folder, MANIFEST), WHAT, FORMAT)
    return content if isinstance(content.get("format"), int) and isinstance(content.get("serial"), int) else {}


def _keep(folder: Path) -> None:
    """Copy what an upgrade replaces."""
    kept = folder_inside(folder, KEPT)
    kept.mkdir(exist_ok=True)
    write_file(inside(kept, MANIFEST), inside(folder, MANIFEST).read_bytes(), durable=True)
    judgments = inside(folder, LEGACY)
    if judgments.exists():
        with replacing(inside(kept, LEGACY), durable=True) as temporary:
            back_up(judgments, temporary)
