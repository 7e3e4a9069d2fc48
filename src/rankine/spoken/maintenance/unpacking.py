"""Unpacking an archive: a zip from someone else is looked through before it is believed.

Names must stay in the folder and be those of files of an archive; links, devices, doubled names and names that differ
only in case are refused, and so is what unpacks to more than the limits allow. Everything is written into a folder
beside the target, compared with its checksums and checked as an archive. Only then the folder gets its name.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from secrets import token_hex

from ...errors import InputError, shorten, writing_to
from ...system.files import check_folder_of, locked, write_file
from ...system.limits import Meter
from ...system.paths import entries, inside, is_inside
from ...system.records import record
from ...system.signals import check
from ...system.temporary import MARK, temporary_folder
from ..corrections.changes import settle
from ..corrections.hearings import settle_hearings
from ..hearings.hearings import FOLDER as HEARINGS
from ..hearings.hearings import NAME, RECORD, hearing_folders
from ..index.changes import Progress
from ..index.reader import Index
from ..index.storage import MANIFEST, Manifest
from ..recordings.rebuild import rebuild
from ..recordings.recordings import FOLDER
from ..store.manifest import FORMAT
from ..store.store import FILE
from .bagit import DATA, TAGS, read_tags
from .check import check_archive
from .packing import FORMAT_TAG, INDEX_TAG, TEXTS

_OWN = rf"{re.escape(MANIFEST)}|dictionary\.txt|units-\d+\.txt|{FOLDER}/(?!(.*/)?(\.|lock(/|$))).+"
_NAMES = re.compile(
    rf"{_OWN}|\d{{9,30}}\.part|{re.escape(FILE)}|{re.escape(TEXTS)}|"
    rf"weights/(current|[0-9a-f]{{4,64}})\.json|{HEARINGS}/{NAME}/({re.escape(RECORD)}|{_OWN})"
)
_BLOCK = 1 << 20
# what Python's reader of zip files raises at bytes that are none
_BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, RuntimeError, KeyError, OverflowError)


def unpack(
    source: str | os.PathLike,
    folder: str | os.PathLike,
    workers: int = 1,
    report: Callable[[int, int], None] = lambda done, total: None,
    progress: Progress = lambda done, total: None,
) -> int:
    """Unpack an archive into a folder that does not exist or is empty; the number of recordings.

    Args:
        source: a file that :meth:`Archive.pack` made.
        folder: the new archive.
        workers: processes, for an archive that was packed without its index.
        report: is called with the bytes unpacked and their total.
        progress: is called with the number of utterances indexed and the total, if the index is built anew.
    """
    path, target = Path(source), Path(folder)
    _check_target(target)
    with locked(f"{target}.unpacking", "another process is unpacking into this folder"):
        _remove_left_behind(target)
        with _opened(path) as archive, temporary_folder(f".{target.name}{MARK}", target.parent) as temporary:
            place = Path(temporary)
            with_index = _extract(archive, place, path, report)
            try:
                with writing_to(target):
                    recordings = _finish(place, with_index, workers, progress)
            except InputError as error:  # where it was unpacked to is gone when this is read
                raise InputError(str(error).replace(f"{place}{os.sep}", ""), str(path)) from None
            place.chmod(0o777 & ~_umask())
            if hasattr(os, "sync"):
                os.sync()
            _check_target(target)
            if target.exists():
                target.rmdir()  # it is empty
            os.rename(place, target)
    return recordings


def _check_target(target: Path) -> None:
    """Raise InputError unless there is nothing, or an empty folder."""
    check_folder_of(target)
    if target.is_symlink() or (target.exists() and (not target.is_dir() or any(target.iterdir()))):
        raise InputError("an archive is unpacked into a new or an empty folder, and this is neither", str(target))


def _remove_left_behind(target: Path) -> None:
    """Remove what a process that was killed has unpacked; whoever calls this holds the lock."""
    for entry in entries(target.parent):
        if entry.name.startswith(f".{target.name}{MARK}") and entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """A zip file; what Python says of a broken one becomes an InputError."""
    try:
        with open(path, "rb") as file, zipfile.ZipFile(file) as archive:
            yield archive
    except InputError:
        raise
    except (*_BROKEN, OSError) as error:
        if isinstance(error, OSError) and (error.filename is not None or error.errno != errno.EINVAL):
            raise  # a place in the file that cannot be is EINVAL
        said = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"not a packed archive, or damaged ({said})", str(path)) from None


def _extract(archive: zipfile.ZipFile, place: Path, path: Path, report: Callable[[int, int], None]) -> bool:
    """Write the files of an archive into a folder, their checksums right; whether the index is among them."""
    where, size = str(path), path.stat().st_size
    members = _members(archive, where)
    meter = Meter(where, whole=True)
    tags = {name: b"".join(_blocks(archive, info, meter, size)) for name, info in members.items() if _is_tag(name)}
    info, sums = read_tags(tags, where)
    _check_form(info, where)
    files = {name: info for name, info in members.items() if name.startswith(DATA)}
    odd = sorted(set(sums) ^ set(files))
    if odd:
        what = "is not there" if odd[0] in sums else "has no checksum"
        raise InputError(f"the packed archive is damaged: {shorten(odd[0], 80)} {what}", where)
    for name in files:
        if not _NAMES.fullmatch(name.removeprefix(DATA)):
            raise InputError(f"{shorten(name, 80)} is no file of an archive: nothing was unpacked", where)
    total, meter = sum(member.file_size for member in files.values()), Meter(where)
    for name, member in files.items():
        target, digest = place / name.removeprefix(DATA), hashlib.sha256()
        target.parent.mkdir(parents=True, exist_ok=True)
        with open(target, "xb") as file:
            for block in _blocks(archive, member, meter, size):  # an error here is one of the zip, not of the target
                digest.update(block)
                with writing_to(target):
                    file.write(block)
                    file.flush()
                report(meter.unpacked, total)
        if digest.hexdigest() != sums[name]:
            raise InputError(f"the packed archive is damaged: the checksum of {shorten(name, 80)} is wrong", where)
    return info[INDEX_TAG] != "no"


def _is_tag(name: str) -> bool:
    return (
        "/" not in name and name.endswith(".txt") and (name.startswith("bag") or name in ("manifest-sha256.txt", TAGS))
    )


def _check_form(info: dict[str, str], where: str) -> None:
    """Raise InputError unless the bag is an archive of a format that is read here."""
    if not re.fullmatch("[0-9]{1,9}", info.get(FORMAT_TAG, ""), re.ASCII) or INDEX_TAG not in info:
        raise InputError("not a packed archive: this bag holds something else", where)
    form = int(info[FORMAT_TAG])
    if form != FORMAT:
        agent = info.get("Bag-Software-Agent", "another Rankine")
        reads = f"reads up to {FORMAT}" if form > FORMAT else f"reads from {FORMAT} on"
        raise InputError(f"packed by {shorten(agent)}, format {form}; this version {reads}", where)


def _members(archive: zipfile.ZipFile, where: str) -> dict[str, zipfile.ZipInfo]:
    """The files of a zip by their names in its one folder; raise InputError at a name or a kind that is refused."""
    members: dict[str, zipfile.ZipInfo] = {}
    spellings: dict[str, str] = {}  # names of files and folders, as systems compare them that ignore case
    tops = set()
    for info in archive.infolist():
        name = info.filename.removesuffix("/")
        _check_member(info, name, where)
        top, _, below = name.partition("/")
        tops.add(top)
        parts = name.split("/")
        for depth in range(1, len(parts) + 1):
            above = "/".join(parts[:depth])
            if spellings.setdefault(unicodedata.normalize("NFC", above).casefold(), above) != above:
                raise InputError(f"two names differ only in case: {shorten(above, 80)}", where)
        if not info.is_dir():
            if below in members:
                raise InputError(f"the file {shorten(name, 80)} is there twice", where)
            members[below] = info
    if len(tops) != 1 or "" in members:
        raise InputError("not a packed archive: expected one folder with bagit.txt in it", where)
    for name in members:
        parts = name.split("/")
        if any("/".join(parts[:depth]) in members for depth in range(1, len(parts))):
            raise InputError(f"{shorten(name, 80)} stands below a file", where)
    return members


def _check_member(info: zipfile.ZipInfo, name: str, where: str) -> None:
    """Raise InputError unless this is a plain file or a folder that stays in its place."""
    if not is_inside(name) or info.orig_filename != info.filename:
        raise InputError(f"a name leads out of the folder: {shorten(info.orig_filename, 80)}", where)
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFDIR if info.is_dir() else stat.S_IFREG):
        raise InputError(f"expected a file, and this is a link or a device: {shorten(name, 80)}", where)
    if info.flag_bits & 1:
        raise InputError(f"{shorten(name, 80)} is encrypted: only plain zip files are read", where)
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise InputError(f"{shorten(name, 80)} is compressed in a way that is not read: expected deflate", where)


def _blocks(archive: zipfile.ZipFile, info: zipfile.ZipInfo, meter: Meter, packed: int) -> Iterator[bytes]:
    """The content of a file, as far as the limits allow."""
    with archive.open(info) as file:
        while block := file.read(_BLOCK):
            check()
            meter.add(len(block), packed)
            yield block


def _finish(place: Path, with_index: bool, workers: int, progress: Progress) -> int:
    """Check what was unpacked, build the index if it was left out, and give the archive an id of its own."""
    manifest = Manifest.read(place)
    write_file(place / MANIFEST, replace(manifest, id=token_hex(8)).to_bytes())  # roots of recordings are not inherited
    texts: dict[str, dict[str, str]] = {}
    if (kept := inside(place, TEXTS)).exists():
        texts = record(kept.read_bytes(), dict[str, dict[str, str]], "a file of texts", str(kept))
        kept.unlink()
    if not with_index:
        changes = rebuild(place, texts, workers, progress)
        for error in changes.errors:
            raise InputError(f"the index cannot be built: {error}")
    for hearing in hearing_folders(place).values():
        write_file(hearing / MANIFEST, replace(Manifest.read(hearing), id=token_hex(8)).to_bytes())
        for error in rebuild(hearing, {}, workers, progress).errors:
            raise InputError(f"the index of a hearing cannot be built: {error}")
    settle(place)
    settle_hearings(place)
    check_archive(place, lambda done: None)
    with suppress(FileNotFoundError):
        (place / "lock").unlink()
    return len(Index.open(place))
