"""A spoken archive: a folder of recordings or lattices that is indexed, searched and taught."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...system.paths import folder_inside
from ..index.settings import Settings
from ..index.storage import create, writing
from ..recognise.journal import DAYS
from .feature_cache import forget_features
from .own_files import copy_file, own_files
from .roots import RecordingRoots, roots_of
from .taught import TaughtArchive

if TYPE_CHECKING:  # where it is used it is imported there: a search must begin soon
    from ..index.about import About
    from ..index.changes import Changes, Progress
    from ..lattice.formats import File
    from ..lattice.scoring import Scoring
    from ..recognise.journal import RecordingJournal
    from .bin import Deleted
    from .packing import PackedArchive
    from .recordings import AddedRecordings, Recognisers, Sources, StageProgress
    from .relocation import Relocated
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
        prints: Mapping[str, str] | None = None,
        files: Sequence[File] | None = None,
    ) -> Changes:
        """Index the utterances of a file or folder of lattices that are new or have changed.

        Args:
            source: lattices, in any format that is read. A recording of the archive is not replaced: that is an error
                in :attr:`Changes.errors`, and the rest goes on.
            about: utterance → document, texts, audio; by default each utterance is a document of its own name. Texts
                that it does not give stay as they are (:attr:`about`).
            scoring: how lattices are read and weighed; by default words in lower case.
            format: of the source, where ending and content do not tell.
            workers: processes.
            remove_missing: remove documents that the source does not have.
            batch: documents after which what is done so far is committed.
            progress: is called with the number of utterances done and the total (None while they are looked through).
            listed: index only the utterances of ``about``, which then has all utterances of every document. A document
                that has another name than before is renamed.
            prints: fingerprints of the content of utterances, where they are known; others are read.
            files: that hold the utterances, one each; by default all below the source.
        """
        from .contents import add_source
        from .metadata import record_closed, record_texts, texts_of_table, with_own_texts
        from .turns import SpeakerTurn, record_turns

        table, texts = with_own_texts(self.index, about), texts_of_table(about)
        record_closed(self.index, texts)
        changes = add_source(
            self.index, source, table, scoring, format, workers, remove_missing, batch, progress, listed, prints, files
        )
        self.refresh()
        record_texts(self.index, texts)
        if changes.turns:
            record_turns(self.folder, {name: [SpeakerTurn(*t) for t in some] for name, some in changes.turns.items()})
        self.corrections.settle()  # also of documents that return, with what was said about them
        return changes

    def add_recordings(
        self,
        sources: Sources,
        recognisers: Recognisers | None = None,
        about: Mapping[str, About] | str | os.PathLike | None = None,
        *,
        longest: float = 30.0,
        workers: int = 1,
        keep_duplicates: bool = False,
        language: str | None = None,
        every: float = 30.0,
        progress: StageProgress = lambda stage, done, total: None,
        announce: Callable[[str], None] = lambda why: None,
    ) -> AddedRecordings:
        """Recognise recordings that are new or have changed, and index them; lattices stay in the archive's folder.

        A recording is known by its content: one that was renamed, moved or tagged anew keeps what was said about it,
        and is not heard again. A recording that was deleted is left out when its folder is added again; give the file
        itself to add it. What is finished can be searched while the rest is recognised.

        Args:
            sources: an audio file or a folder of them, or several.
            recognisers: names in their table, commands such as ``"program {audio} {output}"``, or objects
                (:class:`Recogniser`); or objects by the names of their hearings. The first is the archive's own:
                another one than before hears everything again. Others are further hearings (:meth:`add_hearings`).
                None: the best one that is here for the language; recordings that were heard by any stay as they are.
            about: title, date and speaker of recordings by name, or the path of a table of them, whose ``utterance`` is
                the recording. Recordings that it leaves out keep the texts that they have.
            longest: recordings above so many seconds are cut at pauses.
            workers: processes.
            keep_duplicates: whether a copy of a recording is taken in too.
            language: what is spoken in new recordings, for their metadata. None: a model of several languages tells it.
            every: seconds after which recordings that are finished are indexed.
            progress: is called with the stage, ``"recognising"`` (seconds of audio) or ``"indexing"`` (utterances), the
                amount done and the total.
            announce: is called before anything is heard, if no recogniser is given: which one hears, and why.
        """
        from . import recordings
        from .hearing_recordings import held_samples

        folder = folder_inside(self.folder, recordings.FOLDER)
        spoken = recordings.said_language(language, self.settings.language)
        named = {} if recognisers is None else recordings.as_recognisers(recognisers, spoken)
        recogniser, further = next(iter(named.values()), None), dict(list(named.items())[1:])
        places, roots = recordings.as_sources(sources), RecordingRoots(self.folder, self.index.manifest)
        with suppress(OSError):  # full paths are stored then, and `play` asks for the folder
            roots.add_named(roots_of(places), cache(partial(recordings.stored_audio, self.index)))
        options = recordings.RecognitionOptions(
            recogniser, longest, workers, keep_duplicates, every, roots.named, spoken, self.index.numbers, announce
        )
        indexing = recordings.Indexing(self, about, workers, partial(progress, "indexing"), language)
        recognised, took = recordings.recognise_recordings(
            folder, places, options, partial(progress, "recognising"), indexing.commit
        )
        self._add_silent_places(indexing.commit)
        added = recordings.AddedRecordings(recognised, took, indexing.changes)
        if not further or not held_samples(self.folder):
            return added
        heard = self.add_hearings(places, further, longest=longest, workers=workers, every=every, progress=progress)
        return added._replace(heard=heard)

    def add_hearings(
        self,
        sources: Sources,
        recognisers: Recognisers,
        *,
        longest: float = 30.0,
        workers: int = 1,
        every: float = 30.0,
        progress: StageProgress = lambda stage, done, total: None,
    ) -> dict[str, AddedRecordings]:
        """Let further recognisers hear recordings that are in the archive; then learn how much each of them counts.

        A further hearing counts only if it helps (:meth:`learn_hearings`); a weight that was given stays. What a
        recogniser has heard is not heard again. Arguments are those of :meth:`add_recordings`. Returns what each
        recogniser did, by the name of its hearing.
        """
        from . import hearing_recordings, hearings, recordings

        named = recordings.as_recognisers(recognisers, recordings.said_language(None, self.settings.language))
        if not hearing_recordings.held_samples(self.folder):
            raise InputError(
                "further recognisers hear what the archive holds, and it holds no recording", str(self.folder)
            )
        places, heard = recordings.as_sources(sources), {}
        roots = RecordingRoots(self.folder, self.index.manifest)
        for name, recogniser in named.items():
            options = recordings.RecognitionOptions(recogniser, longest, workers, every=every, roots=roots.named)
            hearing = Archive(hearings.make_hearing(self.index, name))
            heard[name] = hearing_recordings.add_hearing(self.folder, hearing, name, places, options, progress)
        self.refresh()
        indexing = recordings.Indexing(self, None, workers, partial(progress, "indexing"))
        self._add_silent_places(indexing.commit)
        self.corrections.settle()
        self.learn_hearings(given=False, report=lambda name, *done: progress(f"learning, {name}", *done))
        return heard

    def _add_silent_places(self, commit: Callable[[RecordingJournal], None]) -> None:
        """Give places to segments in which only further recognisers heard something."""
        from .silent_places import add_silent_places

        roots = RecordingRoots(self.folder, self.index.manifest).named
        add_silent_places(self.index, [hearing.folder for hearing in self.hearings], roots, commit)

    def remove_silent(self, names: Collection[str]) -> None:
        """Remove recordings in which nothing is understood any more; they stay in the journal."""
        self.remove_for_good([name for name in names if name in self.index.numbers])

    def add_roots(self, places: Sequence[str | os.PathLike]) -> None:
        """Let recordings of this archive be opened from these folders and files, on this machine from now on."""
        from .recordings import stored_audio

        roots = RecordingRoots(self.folder, self.index.manifest)
        roots.add_named(places, cache(partial(stored_audio, self.index)), new=False)

    def relocate(
        self, folder: str | os.PathLike, report: Callable[[int, int], None] = lambda done, total: None
    ) -> Relocated:
        """Look for the archive's recordings below a folder, where they were moved to, and note their places.

        ``report`` is called with the number of files looked for, and their total.
        """
        from .relocation import relocate

        out = relocate(self.folder, folder, report)
        self.refresh()
        return out

    def add_lattices(self, lattices: Iterable[tuple[str, Any]], scoring: Scoring | None = None) -> None:
        """Index (document name, lattice) pairs that are in memory; one of the same name is replaced.

        The name of a recording that the archive has recognised is an InputError.
        """
        from .contents import add_lattices

        add_lattices(self.index, lattices, scoring)
        self.corrections.settle()

    def delete(self, documents: Collection[str]) -> None:
        """Put documents into the bin: they are not in the archive, and come back with :meth:`undelete`.

        An unknown name is an InputError, and nothing is deleted. Judgments and what was said about a document are kept
        apart until it returns. Audio files stay; they are left out when their folder is added again.
        """
        from . import recordings

        with recordings.journal_of(folder_inside(self.folder, recordings.FOLDER)) as journal:
            self._remove(documents, journal.forget, keep=True)
            journal.write_table()

    def undelete(self, documents: Collection[str]) -> None:
        """Bring documents back from the bin; a name that is not in it is an InputError."""
        from . import recordings
        from .contents import restore

        with recordings.journal_of(folder_inside(self.folder, recordings.FOLDER)) as journal:
            restore(self.folder, documents, journal.restore, journal.places)
            journal.write_table()
        self.corrections.settle()

    @property
    def deleted(self) -> list[Deleted]:
        """The documents in the bin, and when they were deleted; the last first."""
        from .bin import Bin

        return Bin(self.folder).documents(self.index.numbers)

    def purge(self, days: float = DAYS) -> list[str]:
        """Remove what was deleted so many days ago from the disk; the names."""
        from . import recordings
        from .contents import purge
        from .hearing_recordings import forget_missing

        with recordings.journal_of(folder_inside(self.folder, recordings.FOLDER)) as journal:
            names = purge(self.folder, days)
            journal.purge(days)
        for hearing in self.hearings:
            forget_missing(self.folder, Archive(hearing.folder))
        self.refresh()
        return names

    def remove_for_good(self, names: Collection[str]) -> None:
        """Remove documents from the index, and not into the bin."""
        if names:
            self._remove(names)

    def _remove(
        self,
        documents: Collection[str],
        after: Callable[[Collection[str]], object] = lambda names: None,
        keep: bool = False,
    ) -> None:
        """Remove documents from the index, into the bin (``keep``); ``after`` is called with their names then."""
        from .contents import remove

        remove(self.folder, documents, after, keep)
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
        for hearing in self.hearings:
            merge(hearing.folder, lambda done: None)
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
        for hearing in self.hearings:
            further = upgrade_archive(hearing.folder, lambda done, total: None)
            upgrade = upgrade._replace(parts=upgrade.parts + further.parts)
        self.refresh()
        return upgrade

    def pack(
        self,
        target: str | os.PathLike,
        *,
        index: bool = True,
        closed: bool = False,
        open_only: bool = False,
        replace: bool = False,
        report: Callable[[int, int], None] = lambda done, total: None,
    ) -> PackedArchive:
        """Write the whole archive into a zip, as it is now; recordings themselves are left out.

        An archive with recordings that are not open is packed only if ``closed`` or ``open_only`` says how.

        Args:
            target: the zip file; it is written whole or not at all.
            index: whether the index is packed too. Without it the file is smaller, and unpacking builds the index.
            closed: whether recordings that are closed or on request may be packed.
            open_only: whether they are left out, with their lattices, their metadata, and queries judged at them.
            replace: whether a file that is there already is replaced.
            report: is called with the bytes done and their total.
        """
        from .packing import pack
        from .rights import check_all_open

        if closed and open_only:
            raise InputError("closed and open_only cannot be used together")
        if not closed and not open_only:
            check_all_open(self.index)
        if not replace and Path(target).exists():
            raise InputError("there is a file already; replace=True replaces it", str(target))
        return pack(self.folder, target, index, open_only, report)

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
