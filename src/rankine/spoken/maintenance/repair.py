"""Repairing an archive from what it holds itself.

Parts of the index that are damaged or missing are left out, and what they held is indexed again from the lattices of
the folder ``recognised``. Both are one change of the index. A store that is damaged or missing is replaced by one in
which all recordings are closed. What was damaged and does not come back is kept in a folder ``damaged-…`` of the
archive. A repair that is stopped begins again when it is called again.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError, in_one_line
from ...system.console import counted
from ...system.paths import entries, folder_inside, inside
from ...system.temporary import temporary_folder
from ..corrections.changes import settle
from ..corrections.hearings import settle_hearings
from ..hearings.hearings import FOLDER as HEARINGS
from ..hearings.hearings import RECORD, hearing_folders, read_weight
from ..index import schema
from ..index.about import read_about
from ..index.changes import Progress, WorkingIndex, update
from ..index.reader import PartReader
from ..index.settings import Settings
from ..index.storage import Manifest, PartFile, Writer, writing
from ..metadata.rights import CLOSED, RIGHTS
from ..recognise.journal import JOURNAL, TABLE, RecordingJournal, locked
from ..recordings.bin import Bin
from ..recordings.rebuild import BATCH, missing_lattices, own_corpus, recognised
from ..recordings.recordings import FOLDER
from ..store.store import FILE, DamagedStore, Store, refresh

ASIDE = "damaged-"


class Repairs(NamedTuple):
    """What a repair did, in sentences; lost recordings; what is still wrong; the folder of what was damaged."""

    done: list[str]
    lost: list[str]
    left: list[str]
    aside: str


def repair(
    folder: str | os.PathLike,
    workers: int = 1,
    report: Callable[[int, int], None] = lambda done, total: None,
    progress: Progress = lambda done, total: None,
) -> Repairs:
    """Repair the archive in a folder; a manifest or a file of its own that is damaged is an InputError.

    Args:
        folder: the archive.
        workers: processes.
        report: is called with the bytes of the index that were checked and their total.
        progress: is called with the number of utterances indexed and the total.
    """
    repairs = _Repair(Path(folder)).work(workers, report, progress)
    _repair_hearings(Path(folder), lambda place: _Repair(place).work(workers, report, progress), repairs)
    if names := [*settle(Path(folder)), *settle_hearings(Path(folder))]:
        repairs.done.append(f"corrections applied again: {counted(len(names), 'recording')}")
    return repairs


def _repair_hearings(archive: Path, repair: Callable[[Path], Repairs], repairs: Repairs) -> None:
    """Repair all further hearings, each an archive of its own, and add what was done to the repairs."""
    try:
        folders = hearing_folders(archive)
    except InputError as error:
        repairs.left.append(in_one_line(error))
        return
    for name, folder in folders.items():
        again = f"add it again with `rankine spoken add {archive} RECORDINGS --hearing {name}`"
        try:
            try:
                read_weight(folder)
            except InputError as error:
                inside(folder, RECORD).unlink()
                repairs.done.append(f"{in_one_line(error)}; removed: `rankine spoken hearings {archive} --learn`")
            one = repair(folder)
            repairs.done.extend(f"{HEARINGS}/{name}: {line}" for line in one.done)
            repairs.left.extend(f"{HEARINGS}/{name}: {line}" for line in one.left)
            if one.lost:
                repairs.left.append(f"{HEARINGS}/{name}: {len(one.lost)} recordings lost: {again}")
        except (InputError, OSError) as error:
            repairs.left.append(f"{in_one_line(error)}; remove the folder of this hearing and {again}")


class _Repair:
    """One repair."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.done: list[str] = []
        self.left: list[str] = []
        self._aside: Path | None = None

    def work(self, workers: int, report: Callable[[int, int], None], progress: Progress) -> Repairs:
        """Do all of it, in an order in which each step finds in order what it needs."""
        self._check_manifest()
        self._store()
        self._table()
        self._lattices()
        with writing(self.folder) as writer:
            writer.manifest.check_files(self.folder)
            lost = self._index(writer, workers, report, progress)
        return Repairs(self.done, lost, self.left, "" if self._aside is None else self._aside.name)

    def _check_manifest(self) -> None:
        """Raise InputError if the manifest cannot be read: it holds the settings that the index was made with."""
        try:
            Manifest.read(self.folder)
        except InputError as error:
            lattices = self.folder / FOLDER
            if not lattices.is_dir() or "this version reads" in str(error):
                raise  # there is nothing to repair it from, or it is of another format and not damaged
            raise InputError(
                f"{error}. This cannot be repaired: unpack a packed copy, or make a new archive with "
                f"`rankine spoken index NEW {lattices} --about {lattices / TABLE}`"
            ) from None

    def _keep(self, path: Path) -> None:
        """Copy a damaged file into the folder of this repair."""
        if self._aside is None:
            day, taken = f"{ASIDE}{datetime.now(UTC):%Y-%m-%d}", {entry.name for entry in entries(self.folder)}
            names = (day if n == 1 else f"{day}-{n}" for n in range(1, 10**6))
            self._aside = folder_inside(self.folder, next(name for name in names if name not in taken))
            self._aside.mkdir()
        shutil.copyfile(path, self._aside / path.name)

    # -- the store

    def _store(self) -> None:
        """Replace a store that is damaged or missing."""
        try:
            Store(self.folder).check()
            return
        except DamagedStore as error:
            what = in_one_line(error)
        for end in ("", "-journal", "-wal", "-shm"):
            if (path := inside(self.folder, f"{FILE}{end}")).exists():
                self._keep(path)
        n = self._replace_store()
        kept = f" The damaged one is kept in {self._aside.name}." if self._aside else ""
        self.done.append(
            f"{what}. A new {FILE} has nothing of what people typed in (titles, rights, judgments).{kept} Nobody knows "
            f"which recordings were closed, so all {n:,} are closed now; `rankine spoken about {self.folder} --undo 1` "
            "opens them"
        )

    def _replace_store(self) -> int:
        """Make a store that closes every recording which the archive has or may get back; how many these are."""
        names = _names(self.folder)
        with temporary_folder(".store-", self.folder) as temporary:
            with Store(temporary).writing("closed, because the store was damaged or missing") as batch:
                numbers = [batch.recording(name) for name in names]
                rows = ({"recording": number, "field": RIGHTS, "value": CLOSED} for number in numbers)
                batch.add("about", rows)
                refresh(batch.db, numbers)
            for end in ("-journal", "-wal", "-shm"):  # of the damaged file, and not of the new one
                inside(self.folder, f"{FILE}{end}").unlink(missing_ok=True)
            os.replace(Path(temporary, FILE), inside(self.folder, FILE))
        return len(names)

    # -- lattices

    def _table(self) -> None:
        """Write the table of recordings again if it is missing or cannot be read."""
        lattices = folder_inside(self.folder, FOLDER)
        try:
            if not recognised(self.folder):
                return
            with locked(lattices):
                try:
                    read_about(inside(lattices, TABLE))
                except (InputError, OSError):
                    RecordingJournal(lattices).write_table()
                    self.done.append(f"{FOLDER}/{TABLE} was missing or damaged and is made again from the journal")
        except InputError as error:
            self.left.append(in_one_line(error))

    def _lattices(self) -> None:
        """Say which lattices are missing: only recognising again brings them back."""
        with suppress(InputError):  # the journal is damaged, and has been named
            missing = missing_lattices(self.folder)
            if missing:
                n, some = counted(len(missing), "lattice"), f"{FOLDER}/{missing[0]}"
                self.left.append(f"{n} such as {some} not there: add the recordings again")

    # -- the index

    def _index(self, writer: Writer, workers: int, report: Callable[[int, int], None], progress: Progress) -> list[str]:
        """Replace damaged parts, all at once, by what the archive's own lattices give; the recordings that are lost."""
        sound = self._sound_parts(writer.manifest, report)
        kept = {entry.file for entry in sound}
        damaged = [entry for entry in writer.manifest.parts if entry.file not in kept]
        if not damaged:
            return []
        names = self._names_in_damaged(damaged)
        held = _HeldWriter(writer.folder, replace(writer.manifest, parts=sound))
        index = WorkingIndex(held)
        if corpus := own_corpus(self.folder, names):
            changes = update(index, corpus, workers, False, BATCH, progress)
            self.left += changes.errors
            if n := changes.added + changes.updated:
                self.done.append(f"{counted(n, 'recording')} indexed again from the lattices in {FOLDER}")
        writer.commit(held.manifest.parts)
        return sorted(name for name in names or () if name not in index.numbers)

    def _sound_parts(self, manifest: Manifest, report: Callable[[int, int], None]) -> tuple[PartFile, ...]:
        """The parts of the index in which nothing is wrong."""
        settings, before = Settings.of(manifest.settings), 0
        sound: list[PartFile] = []
        for entry in manifest.parts:
            error = _damage(self.folder, entry, settings, lambda done, b=before: report(b + done, manifest.size))  # type: ignore[misc]
            before += entry.size
            if error is None:
                sound.append(entry)
            else:
                what = "missing" if isinstance(error, OSError) else "damaged"
                self.done.append(f"{entry.file} is {what} and was left out of the index")
        return _with_last_versions(self.folder, sound, settings)

    def _names_in_damaged(self, damaged: Sequence[PartFile]) -> set[str] | None:
        """The recordings of damaged parts; None if those of a part cannot be read.

        A part of which not all lattices are in the archive is kept aside.
        """
        own, names, unnamed = self._own(), set[str](), 0
        for entry in damaged:
            mine = _names_in(self.folder, entry)
            names.update(mine)
            unnamed += not mine
            path = inside(self.folder, entry.file)
            if path.exists() and not (mine and own.issuperset(mine)):
                self._keep(path)
        if unnamed:
            self.done.append(
                f"the names of recordings in {counted(unnamed, 'damaged part')} cannot be read: if some were indexed "
                "from lattices elsewhere, index these again"
            )
        return None if unnamed else names

    def _own(self) -> set[str]:
        """The recordings whose lattices are in the archive."""
        with suppress(InputError):
            missing = set(missing_lattices(self.folder))
            return {name for name, files in recognised(self.folder).items() if missing.isdisjoint(files)}
        return set()


def _with_last_versions(folder: Path, parts: Sequence[PartFile], settings: Settings) -> tuple[PartFile, ...]:
    """Parts in which those recordings count again whose later versions were in other parts, which are left out."""
    readers = [PartReader(entry.open(folder), settings.decoded(), entry.hidden) for entry in parts]
    there = {name for reader in readers for name in reader.counting_names}
    out = []
    for entry, reader in zip(parts, readers, strict=True):
        hidden = tuple(d for d in reader.hidden if reader.names[d] in there)
        there |= {reader.names[d] for d in reader.hidden}
        out.append(entry._replace(hidden=hidden))
    return tuple(out)


class _HeldWriter(Writer):
    """A writer that keeps its commits to itself."""

    def commit(self, parts: Iterable[PartFile]) -> None:
        """Take these parts for those of the archive."""
        self.manifest = replace(self.manifest, parts=tuple(parts))


def _names(folder: Path) -> list[str]:
    """The names of recordings in the index, in the journal and in the bin, as far as they can be read."""
    names: dict[str, None] = {}
    for entry in Manifest.read(folder).parts:
        names |= dict.fromkeys(_names_in(folder, entry))
    with suppress(InputError, OSError):
        names |= dict.fromkeys(deleted.name for deleted in Bin(folder).recordings(()))
    lattices = folder_inside(folder, FOLDER)
    with suppress(InputError, OSError):
        if inside(lattices, JOURNAL).exists():
            lines = RecordingJournal(lattices).lines
            names |= dict.fromkeys(line.get("was", n) for n, line in lines.items() if "same_as" not in line)
    return list(names)


def _names_in(folder: Path, entry: PartFile) -> list[str]:
    """The recordings of a part, which may be damaged; none if they cannot be read."""
    with suppress(InputError, OSError):
        part = entry.opened_anew(folder)
        part.sound[:] = True  # checksums may be wrong somewhere: what is read is not trusted, but it is all there is
        return schema.RECORDING_NAME.read(part).all()
    return []


def _damage(folder: Path, entry: PartFile, settings: Settings, report: Callable[[int], None]) -> Exception | None:
    """What is wrong with a part; None if nothing is."""
    try:
        part = entry.open(folder)
        part.check(report)
        PartReader(part, settings.decoded()).check(settings)
    except (InputError, OSError) as error:
        return error
    return None
