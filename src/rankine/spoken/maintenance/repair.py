"""Repairing an archive from what it holds itself.

Parts of the index that are damaged or missing are left out, and what they held is indexed again from the lattices of
the folder ``recognised``. Of a damaged store every row is saved that can still be read. What was damaged is kept in a
folder ``damaged-…`` of the archive until everything is back. A repair that is stopped goes on when it is called again.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, Protocol, TypedDict, TypeVar

from ...errors import InputError, in_one_line
from ...system.console import counted
from ...system.files import write_file
from ...system.paths import entries, folder_inside, inside, plain_files
from ...system.records import Count, record
from ...system.temporary import MARK, temporary_folder
from ..corrections.changes import settle
from ..corrections.hearings import settle_hearings
from ..hearings.hearings import FOLDER as HEARINGS
from ..hearings.hearings import RECORD, hearing_folders, read_weight
from ..index import schema
from ..index.about import read_about
from ..index.changes import Progress
from ..index.reader import Index, PartReader
from ..index.settings import Settings
from ..index.storage import MANIFEST, Manifest, Part, PartFile, Writer, writing
from ..metadata.rights import CLOSED, RIGHTS
from ..recognise.journal import JOURNAL, TABLE, RecordingJournal, locked
from ..recordings.bin import Bin
from ..recordings.rebuild import Texts, missing_lattices, rebuild, recognised
from ..recordings.recordings import FOLDER
from ..store.earlier import earlier_rows
from ..store.store import FILE, Batch, Store, refresh
from ..store.upgrading import LEGACY
from ..teaching.training_data import FeatureCache
from ..teaching.weight_history import WeightHistory
from .salvage import Salvage, salvage


def replace_store(folder: Path) -> int:
    """Make a store that closes every recording which the archive has or may get back; how many these are."""
    names = _names(folder)
    with temporary_folder(".store-", folder) as temporary:
        with Store(temporary).writing("closed, because the store was lost") as batch:
            _close(batch, names)
        os.replace(Path(temporary, FILE), inside(folder, FILE))
    return len(names)


def close_unknown(store: Store, folder: Path, unsure: Collection[str], lost: bool) -> tuple[int, int]:
    """Close recordings in a store that was saved from a damaged one; how many, and the number of the change.

    They are those of which it is not known what they are (``unsure``), and where rows of recordings may be ``lost``
    all of the archive in ``folder`` that the store does not know.
    """
    with store.reading() as db:
        there = {name for row in db.execute("SELECT name, was FROM recording") for name in row}
    names = [*unsure, *(name for name in _names(folder) if lost and name not in there)]
    if not names:
        return 0, 0
    with store.writing("closed, because the store was damaged") as batch:
        _close(batch, names)
    return len(names), batch.id


def _close(batch: Batch, names: Collection[str]) -> None:
    numbers = [batch.recording(name) for name in names]
    batch.add("about", ({"recording": number, "field": RIGHTS, "value": CLOSED} for number in numbers))
    refresh(batch.db, numbers)


def _names(folder: Path) -> list[str]:
    """The names of recordings in the index, in the journal and in the bin, as far as they can be read."""
    names: dict[str, None] = {}
    for entry in Manifest.read(folder).parts:
        with suppress(InputError, OSError):
            part = entry.open(folder)
            names |= dict.fromkeys(schema.DOCUMENT_NAME.read(part).all())
    with suppress(InputError, OSError):
        names |= dict.fromkeys(deleted.name for deleted in Bin(folder).documents(()))
    lattices = folder_inside(folder, FOLDER)
    with suppress(InputError, OSError):
        if inside(lattices, JOURNAL).exists():
            lines = RecordingJournal(lattices).lines
            names |= dict.fromkeys(line.get("was", n) for n, line in lines.items() if "same_as" not in line)
    return list(names)


# -- Repairing the further hearings of an archive: each is an archive of its own


class RepairReport(Protocol):
    """What a repair of one archive did, in sentences; what is lost; what is still wrong."""

    @property
    def done(self) -> list[str]:
        """What was repaired."""

    @property
    def lost(self) -> list[str]:
        """Documents that are lost."""

    @property
    def left(self) -> list[str]:
        """What is still wrong."""


Report = TypeVar("Report", bound=RepairReport)


def repair_hearings(archive: Path, repair: Callable[[Path], Report], report: Report) -> Report:
    """Repair all hearings, and add what was done to the report; a recording that a hearing has lost is left to say."""
    try:
        folders = hearing_folders(archive)
    except InputError as error:
        report.left.append(in_one_line(error))
        return report
    for name, folder in folders.items():
        again = f"add it again with `rankine spoken add {archive} RECORDINGS --hearing {name}`"
        try:
            try:
                read_weight(folder)
            except InputError as error:
                inside(folder, RECORD).unlink()
                report.done.append(f"{in_one_line(error)}; removed: `rankine spoken hearings {archive} --learn`")
            one = repair(folder)
            report.done.extend(f"{HEARINGS}/{name}: {line}" for line in one.done)
            report.left.extend(f"{HEARINGS}/{name}: {line}" for line in one.left)
            if one.lost:
                report.left.append(f"{HEARINGS}/{name}: {len(one.lost)} recordings lost: {again}")
        except (InputError, OSError) as error:
            report.left.append(f"{in_one_line(error)}; remove the folder of this hearing and {again}")
    return report


# -- Repairing an archive from what it holds itself


ASIDE = "damaged-"
_LIST = "documents.json"
_FOLDER = re.compile(rf"{ASIDE}\d{{4}}-\d\d-\d\d(-\d+)?")
_CACHED = ".arrow"


class Repairs(NamedTuple):
    """What a repair did, in sentences; documents that are lost; what is still wrong; the folder of what was damaged."""

    done: list[str]
    lost: list[str]
    left: list[str]
    aside: str


class _Lost(TypedDict):
    """Documents of damaged parts with their texts, and how many parts gave no names."""

    documents: dict[str, dict[str, str]]
    unnamed: Count


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
    done = _Repair(Path(folder)).work(workers, report, progress)
    done = repair_hearings(Path(folder), lambda place: _Repair(place).work(workers, report, progress), done)
    if names := [*settle(Path(folder)), *settle_hearings(Path(folder))]:
        done.done.append(f"corrections applied again: {counted(len(names), 'document')}")
    return done


class _Repair:
    """One repair."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.done: list[str] = []
        self.lost: list[str] = []
        self.left: list[str] = []
        self._aside: Path | None = None

    def work(self, workers: int, report: Callable[[int, int], None], progress: Progress) -> Repairs:
        """All of it, in an order in which each step finds in order what it needs."""
        self._check_manifest()
        self._databases()
        self._table()
        self._lattices()
        self._temporary_files()
        with writing(self.folder) as writer:
            writer.manifest.check_files(self.folder)
            self._drop_damaged(writer, report)
        self._rebuild(workers, progress)
        self._cache()
        self._weights()
        aside = next((entry.name for entry in self._asides()), "")
        return Repairs(self.done, self.lost, self.left, aside)

    def _check_manifest(self) -> None:
        """Raise InputError if the manifest cannot be read: it holds the settings that the index was made with."""
        try:
            Manifest.read(self.folder)
        except InputError as error:
            lattices = self.folder / FOLDER
            if not lattices.is_dir() or "this version reads up to" in str(error):
                raise  # there is nothing to repair it from, or it is of a newer release and not damaged
            raise InputError(
                f"{error}. This cannot be repaired: unpack a packed copy, or make a new archive with "
                f"`rankine spoken index NEW {lattices} --about {lattices / TABLE}`"
            ) from None

    # -- what is damaged is kept

    def _asides(self) -> list[os.DirEntry[str]]:
        return [e for e in entries(self.folder) if e.name.startswith(ASIDE) and e.is_dir(follow_symlinks=False)]

    def _keep(self, path: Path) -> Path:
        """Copy a damaged file into the folder of this repair."""
        if self._aside is None:
            day, taken = f"{ASIDE}{datetime.now(UTC):%Y-%m-%d}", {entry.name for entry in entries(self.folder)}
            names = (day if n == 1 else f"{day}-{n}" for n in range(1, 10**6))
            self._aside = folder_inside(self.folder, next(name for name in names if name not in taken))
            self._aside.mkdir()
        copy = self._aside / path.name
        shutil.copyfile(path, copy)
        return copy

    def _remove_incomplete(self) -> None:
        """Remove folders of repairs that were killed before they changed the index, or after all was back.

        Such a folder has copies of parts, and not the list that is written before parts are left out.
        """
        for entry in self._asides():
            if entry.path != str(self._aside) and _FOLDER.fullmatch(entry.name):
                names = [path.name for path in plain_files(entry.path)]
                if all(name == MANIFEST or name.endswith(".part") or MARK in name for name in names):
                    shutil.rmtree(entry.path)

    # -- the store

    def _databases(self) -> None:
        """Replace a store that is missing; save what can be read of a damaged one, and of judgments not in it yet."""
        if not Store(self.folder).exists and Manifest.read(self.folder).store:
            n = replace_store(self.folder)
            self.done.append(
                f"{FILE} was missing: titles, rights, judgments and all else that people typed in are lost. Nobody "
                f"knows which recordings were closed, so all {n:,} are closed now; "
                f"`rankine spoken about {self.folder} --undo 1` opens them"
            )
        checks = {FILE: Store(self.folder).check, LEGACY: lambda: earlier_rows(self.folder / LEGACY)}
        for name, check in checks.items():
            path = inside(self.folder, name)
            if not path.exists():
                continue
            try:
                check()
            except InputError as error:
                self._salvage(path, error)

    def _salvage(self, path: Path, error: InputError) -> None:
        copy = self._keep(path)
        for end in ("-journal", "-wal", "-shm"):  # of the damaged file, and not of the new one
            other = inside(self.folder, f"{path.name}{end}")
            if other.exists():
                self._keep(other)
                other.unlink()
        work = copy.with_name(f"read-{path.name}")
        work.mkdir()
        shutil.copyfile(copy, work / path.name)
        try:
            rows = salvage(work / path.name, path, self._close)
        finally:
            shutil.rmtree(work)
        self.done.append(
            f"{in_one_line(error)}. {counted(rows.saved, 'row')} could be read and are in a new {path.name}"
            + (f", {rows.refused} could not be used" if rows.refused else "")
            + f"; the old one is {copy.parent.name}/{path.name}"
        )

    def _close(self, store: Store, rows: Salvage) -> None:
        """Close recordings whose rights were lost with rows of the store."""
        closed, change = close_unknown(store, self.folder, rows.unsure, rows.lost)
        if closed:
            self.done.append(
                f"the rights of {counted(closed, 'recording')} are not known any more, so all of these are closed now; "
                f"`rankine spoken about {self.folder} --undo {change}` opens them"
            )

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

    def _temporary_files(self) -> None:
        """Remove files that processes which were killed have left."""
        lattices, stale = folder_inside(self.folder, FOLDER), list(_stale(self.folder))
        with ExitStack() as locks:
            locks.enter_context(writing(self.folder))
            if lattices.is_dir():
                locks.enter_context(locked(lattices))
            for path in stale:
                path.unlink(missing_ok=True)
        if stale:
            self.done.append(f"{counted(len(stale), 'temporary file')} of processes that were killed removed")

    # -- the index

    def _drop_damaged(self, writer: Writer, report: Callable[[int, int], None]) -> None:
        """Leave the parts out that are damaged; they, and what can be read of their documents, are kept aside."""
        self._remove_incomplete()
        settings = Settings.of(writer.manifest.settings)
        sound: list[PartFile] = []
        damaged: list[PartFile] = []
        before, total = 0, writer.manifest.size
        for entry in writer.manifest.parts:
            error = _damage(self.folder, entry, settings, lambda done, b=before: report(b + done, total))  # type: ignore[misc]
            (sound if error is None else damaged).append(entry)
            if error is not None:
                what = "missing" if isinstance(error, OSError) else "damaged"
                self.done.append(f"{entry.file} is {what} and was left out of the index")
            before += entry.size
        if not damaged:
            return
        content = _documents_of(self.folder, damaged, settings)
        self._keep(self.folder / MANIFEST)
        for entry in damaged:
            if inside(self.folder, entry.file).exists():
                self._keep(inside(self.folder, entry.file))
        if self._aside is not None:
            write_file(self._aside / _LIST, json.dumps(content).encode(), durable=True)
        writer.commit(_with_last_versions(self.folder, sound, settings))

    def _rebuild(self, workers: int, progress: Progress) -> None:
        """Index again what was in damaged parts, now or in a repair that was stopped."""
        lists = [Path(e.path) / _LIST for e in self._asides() if (Path(e.path) / _LIST).is_file()]
        contents = [record(path.read_bytes(), _Lost, "a list of documents", str(path)) for path in lists]
        texts: Texts = {name: given for content in contents for name, given in content["documents"].items()}
        if not contents:
            return
        changes = rebuild(self.folder, texts, workers, progress)
        self.left += changes.errors
        if changes.added + changes.updated:
            n = changes.added + changes.updated
            doubt = "; look at their titles, dates and speakers: these come from damaged files"
            look = doubt if any(texts.values()) else ""
            self.done.append(f"{counted(n, 'document')} indexed again from the lattices in {FOLDER}{look}")
        there = Index.open(self.folder).numbers
        self.lost = sorted(name for name in texts if name not in there)
        unnamed = sum(content["unnamed"] for content in contents)
        if unnamed:
            self.done.append(
                f"the names of documents in {counted(unnamed, 'damaged part')} cannot be read: if some were indexed "
                "from lattices elsewhere, index these again"
            )
        elif not self.lost and not self.left:
            for path in lists:
                path.unlink()
                if not any(inside(path.parent, name).exists() for name in (FILE, LEGACY)):
                    shutil.rmtree(path.parent)
                    self.done.append(f"{path.parent.name}, the damaged index, removed: all of it is back")

    # -- the rest

    def _cache(self) -> None:
        from ...io import load_table

        cache = FeatureCache.of(self.folder)
        for path in [p for p in plain_files(cache.folder) if p.suffix == _CACHED]:
            try:
                load_table(path)
            except (InputError, OSError):
                cache.clear()
                self.done.append("stored features were damaged and are removed; learning computes them again")
                return

    def _weights(self) -> None:
        try:
            WeightHistory(self.folder).check()
        except (InputError, OSError) as error:
            self.left.append(f"{in_one_line(error)}; learn again, or use others with `rankine spoken weights --use`")


def _stale(folder: Path) -> Iterator[Path]:
    """Temporary files below a folder, without those of folders that are links, and of hearings: these have locks."""
    for above, folders, names in os.walk(folder):
        if Path(above) == folder:
            folders[:] = [name for name in folders if name != HEARINGS]
        yield from (Path(above, name) for name in sorted(names) if name.startswith(".") and MARK in name)


def _damage(folder: Path, entry: PartFile, settings: Settings, report: Callable[[int], None]) -> Exception | None:
    """What is wrong with a part; None if nothing is."""
    try:
        part = entry.open(folder)
        part.check(report)
        PartReader(part, settings.decoded()).check(settings)
    except (InputError, OSError) as error:
        return error
    return None


def _with_last_versions(folder: Path, parts: list[PartFile], settings: Settings) -> list[PartFile]:
    """Parts in which those documents count again whose later versions were in other parts, which are left out."""
    readers = [PartReader(entry.open(folder), settings.decoded(), entry.hidden) for entry in parts]
    there = {name for reader in readers for name in reader.counting_names}
    out = []
    for entry, reader in zip(parts, readers, strict=True):
        hidden = tuple(d for d in reader.hidden if reader.names[d] in there)
        there |= {reader.names[d] for d in reader.hidden}
        out.append(entry._replace(hidden=hidden))
    return out


def _documents_of(folder: Path, damaged: list[PartFile], settings: Settings) -> _Lost:
    """The documents of damaged parts with their texts, as far as they can be read."""
    out: _Lost = {"documents": {}, "unnamed": 0}
    for entry in damaged:
        try:
            part = entry.opened_anew(folder)
            part.sound[:] = True  # checksums are wrong somewhere: what is read is not trusted, but it is all there is
            names = schema.DOCUMENT_NAME.read(part).all()
        except (InputError, OSError):
            out["unnamed"] += 1
            continue
        columns = {text: _texts(part, column) for text, column in schema.DOCUMENT_TEXTS.items()}
        for i, name in enumerate(names):
            out["documents"][name] = {t: column[i] for t, column in columns.items() if len(column) > i and column[i]}
    return out


def _texts(part: Part, column: schema.TextColumn) -> list[str]:
    try:
        return column.read(part).all()
    except InputError:
        return []
