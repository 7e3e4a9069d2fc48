"""A spoken archive: a folder of recordings or lattices that is indexed, searched and taught."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...places import folder_inside
from ..index.settings import Settings
from ..index.storage import create, writing
from ..recognise.table import DEFAULT, Recogniser
from .feature_cache import forget_features
from .own_files import copy_file, own_files
from .roots import RecordingRoots, roots_of
from .taught import TaughtArchive

if TYPE_CHECKING:  # where it is used it is imported there: a search must begin soon
    from ..index.about import About
    from ..index.changes import Changes, Progress
    from ..lattice.scoring import Scoring
    from .packing import PackedArchive
    from .recordings import AddedRecordings, Sources, StageProgress
    from .repairing import Repairs
    from .upgrade import Upgrade


class Archive(TaughtArchive):
    """An archive that is read; it keeps the state it was opened in until :meth:`refresh`.

    >>> import tempfile
    >>> from rankine.spoken.lattice.formats import one_best
    >>> folder = tempfile.TemporaryDirectory()
    >>> archive = Archive.create(folder.name + "/archive")
    >>> archive.add_lattices([("talk", one_best([("spoken", 0.0, 0.5, 0.9), ("words", 0.5, 1.0, 0.8)]))])
    >>> [(hit.document, hit.start) for hit in archive.search("words")]
    [('talk', 0.5)]
    >>> folder.cleanup()
    """

    @classmethod
    def create(
        cls, folder: str | os.PathLike, settings: Settings | None = None, dictionary: str | os.PathLike | None = None
    ) -> Archive:
        """Make an empty archive; a pronunciation dictionary and files of units are copied into it."""
        settings = Settings() if settings is None else settings
        settings.check()
        settings, files = own_files(settings, dictionary)
        create(Path(folder), asdict(settings), files)
        return cls(folder)

    def add(
        self,
        source: str | os.PathLike,
        about: Mapping[str, About] | None = None,
        scoring: Scoring | None = None,
        format: str | None = None,
        workers: int = 1,
        remove_missing: bool = False,
        batch: int = 2000,
        progress: Progress = lambda done, total: None,
        listed: bool = False,
    ) -> Changes:
        """Index the utterances of a file or folder of lattices that are new or have changed.

        Args:
            source: lattices, in any format that is read.
            about: utterance → document, texts, audio; by default each utterance is a document of its own name.
            scoring: how lattices are read and weighed; by default words in lower case.
            format: of the source, where ending and content do not tell.
            workers: processes.
            remove_missing: remove documents that the source does not have.
            batch: documents after which what is done so far is committed.
            progress: is called with the number of utterances done and the total (None while they are looked through).
            listed: index only the utterances of ``about``, which then has all utterances of every document.
        """
        from .contents import add_source

        changes = add_source(
            self.index, source, about, scoring, format, workers, remove_missing, batch, progress, listed
        )
        self.refresh()
        return changes

    def add_recordings(
        self,
        sources: Sources,
        recognisers: Sequence[str | Recogniser] = (DEFAULT,),
        about: Mapping[str, About] | str | os.PathLike | None = None,
        *,
        longest: float = 30.0,
        workers: int = 1,
        progress: StageProgress = lambda stage, done, total: None,
    ) -> AddedRecordings:
        """Recognise recordings that are new or have changed, and index them; lattices stay in the archive's folder.

        A recording that was deleted is left out when its folder is added again; give the file itself to add it.

        Args:
            sources: an audio file or a folder of them, or several.
            recognisers: one recogniser: a name in its table, or an object (:class:`Recogniser`).
            about: title, date and speaker of recordings by name, or the path of a table of them, whose ``utterance`` is
                the recording. Recordings that it leaves out keep the texts that they have.
            longest: recordings above so many seconds are cut at pauses.
            workers: processes.
            progress: is called with the stage, ``"recognising"`` (seconds of audio) or ``"indexing"`` (utterances), the
                amount done and the total.
        """
        from ..index.changes import Changes
        from . import recordings

        folder = folder_inside(self.folder, recordings.FOLDER)
        recogniser = recordings.one_recogniser(recognisers)
        places = recordings.as_sources(sources)
        with suppress(OSError):  # where settings cannot be written, `play` asks for the folder
            self.add_roots(roots_of(places))
        recognised, took = recordings.recognise_recordings(
            folder, places, recogniser, longest, workers, partial(progress, "recognising")
        )
        self.refresh()
        silent = [name for name in recognised.silent if name in self.index.numbers]
        if silent:
            self._remove(silent)
        changes = Changes(0, 0, 0, 0, [])
        table = recordings.recordings_table(folder, self.index, about)
        if table:
            indexing = partial(progress, "indexing")
            changes = self.add(folder, table, workers=workers, progress=indexing, listed=True)
        return recordings.AddedRecordings(recognised, took, changes)

    def add_roots(self, places: Sequence[str | os.PathLike]) -> None:
        """Let recordings of this archive be opened from these folders and files, on this machine from now on."""
        RecordingRoots(self.folder, self.index.manifest).add(places)

    def add_lattices(self, lattices: Iterable[tuple[str, Any]], scoring: Scoring | None = None) -> None:
        """Index (document name, lattice) pairs that are in memory; one of the same name is replaced."""
        from .contents import add_lattices

        add_lattices(self.index, lattices, scoring)
        self.refresh()

    def delete(self, documents: Collection[str]) -> None:
        """Remove documents, from the disk too, with the lattices that :meth:`add_recordings` made of them.

        An unknown name is an InputError, and nothing is removed. Audio files stay; they are left out when their folder
        is added again.
        """
        from . import recordings

        with recordings.forgetting(folder_inside(self.folder, recordings.FOLDER)) as forget:
            self._remove(documents, forget)

    def _remove(
        self, documents: Collection[str], before: Callable[[Collection[str]], None] = lambda names: None
    ) -> None:
        """Remove documents from the index; ``before`` is called with their names when only the commit is left."""
        from .contents import remove

        remove(self.folder, documents, before)
        forget_features(self.folder)
        self.refresh()

    def copy_file(self, name: str, file: str | os.PathLike) -> None:
        """Copy a file into an archive whose settings call it ``name``, and which does not hold it."""
        with writing(self.folder) as writer:
            copy_file(writer, name, file)
        self.refresh()

    def merge(self, report: Callable[[int], None] = lambda done: None) -> None:
        """Merge all parts of the index into one file; ``report`` is called with the number of arrays written."""
        from .contents import merge

        merge(self.folder, report)
        self.refresh()

    def check(self, report: Callable[[int], None] = lambda done: None) -> None:
        """Read and check everything; an InputError names what is wrong; ``report`` gets the number of bytes read."""
        from .checking import check_archive

        check_archive(self.folder, report)

    def upgrade(self, report: Callable[[int, int], None] = lambda done, total: None) -> Upgrade:
        """Bring an archive of an earlier release to the present format; ``report`` gets bytes of the index, and all.

        The first change of an archive does the same, but for what makes search faster: expected counts of n-grams.
        """
        from .upgrade import upgrade_archive

        upgrade = upgrade_archive(self.folder, report)
        self.refresh()
        return upgrade

    def pack(
        self,
        target: str | os.PathLike,
        *,
        index: bool = True,
        report: Callable[[int, int], None] = lambda done, total: None,
    ) -> PackedArchive:
        """Write the whole archive into a zip, as it is now; recordings themselves are left out.

        Args:
            target: the zip file; it is written whole or not at all.
            index: whether the index is packed too. Without it the file is smaller, and unpacking builds the index.
            report: is called with the bytes done and their total.
        """
        from .packing import pack

        return pack(self.folder, target, index, report)

    @classmethod
    def unpack(cls, source: str | os.PathLike, folder: str | os.PathLike, **options: Any) -> Archive:
        """The archive that :meth:`pack` wrote, in a new or empty folder; options are those of ``unpacking.unpack``."""
        from .unpacking import unpack

        unpack(source, folder, **options)
        return cls(folder)

    @staticmethod
    def repair(folder: str | os.PathLike, **options: Any) -> Repairs:
        """Repair a damaged archive from what it holds itself; options are those of ``repairing.repair``."""
        from .repairing import repair

        return repair(folder, **options)
