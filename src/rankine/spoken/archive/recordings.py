"""The recordings of an archive: heard and indexed, deleted and brought back, found again where they were moved to."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from functools import cache, partial
from pathlib import PurePath
from typing import TYPE_CHECKING

from ...system.paths import folder_inside
from ..corrections.corrections import Corrections
from ..hearings.hearings import hearings_of
from ..hearings.recordings import forget_missing, held_samples
from ..index.about import About
from ..metadata.rights import check_readable
from ..metadata.tables import stem_of
from ..metadata.turns import SpeakerTurn, all_turns, turns_of
from ..recognise.journal import DAYS
from ..recordings.bin import Bin, Deleted
from ..recordings.changes import purge, restore
from ..recordings.places import audio_of, read_place_name
from ..recordings.recordings import (
    FOLDER,
    AddedRecordings,
    Indexing,
    Recognisers,
    RecognitionOptions,
    Sources,
    StageProgress,
    as_recognisers,
    as_sources,
    journal_of,
    recognise_recordings,
    said_language,
    stored_audio,
)
from ..recordings.relocation import Relocated, relocate
from ..recordings.roots import RecordingRoots, roots_of
from ..search.hits import RecordedPlace, locate
from ..search.recordings_list import RecordingsList
from ..transcripts.subtitles import subtitles
from .hearings import Hearings, add_places_of_silence
from .lattices import Lattices
from .open_archive import OpenArchive

if TYPE_CHECKING:
    from ..recognise.journal import RecordingJournal
    from ..recordings.recordings import NoJournal


class Recordings:
    """The recordings of an archive: ``archive.recordings``."""

    def __init__(self, opened: OpenArchive) -> None:
        self.opened = opened

    @property
    def names(self) -> list[str]:
        """The names of all recordings."""
        return list(self.opened.index.names)

    def add(
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
                another one than before hears everything again. Others are further hearings (``archive.hearings.add``).
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
        opened = self.opened
        spoken = said_language(language, opened.index.settings.language)
        named = {} if recognisers is None else as_recognisers(recognisers, spoken)
        recogniser, further = next(iter(named.values()), None), dict(list(named.items())[1:])
        places, roots = as_sources(sources), self._roots()
        with suppress(OSError):  # full paths are stored then, and `play` asks for the folder
            roots.add_named(roots_of(places), cache(partial(stored_audio, opened.index)))
        options = RecognitionOptions(
            recogniser, longest, workers, keep_duplicates, every, roots.named, spoken, opened.index.numbers, announce
        )
        indexing = Indexing(Lattices(opened), about, workers, partial(progress, "indexing"), language)
        recognised, took = recognise_recordings(
            folder_inside(opened.folder, FOLDER), places, options, partial(progress, "recognising"), indexing.commit
        )
        add_places_of_silence(opened, indexing)
        added = AddedRecordings(recognised, took, indexing.changes)
        if not further or not held_samples(opened.folder):
            return added
        heard = Hearings(opened).add(places, further, longest=longest, workers=workers, every=every, progress=progress)
        return added._replace(heard=heard)

    # -- finding and reading them

    def listing(self, closed: bool = False) -> RecordingsList:
        """Return the list of recordings that are not closed, or (``closed``) of all, to be filtered and sorted."""
        return RecordingsList(self.opened.index, closed)

    def named(self, name: str) -> str:
        """Return the recording of this name, or whose audio file has it; an unknown name is an InputError."""
        index, stem = self.opened.index, stem_of(name)
        if name not in index.numbers and stem in index.numbers:
            audio = audio_of(index, stem)
            if not audio or PurePath(audio).name == PurePath(name).name:
                return stem
        index.number_of(name)
        return name

    def of_place(self, place: str) -> str:
        """Return the recording of a place such as ``RECORDING@START-END``."""
        return read_place_name(place, self.opened.index.numbers, self.opened.index.utterances_of).recording

    def check_readable(self, place: str, closed: bool = False, way: str = "closed=True") -> None:
        """Raise InputError if a place is of a recording that is not open, unless its keeper asks (``closed``).

        ``way`` is how the keeper asks, for the error.
        """
        check_readable(self.opened.index, self.of_place(place), closed, way)

    def locate(self, place: str, folder: str | None = None, closed: bool = False) -> RecordedPlace:
        """Return the audio file and the seconds of a place; the file may be in ``folder``, where it was moved to."""
        return locate(self.opened.index, place, folder, closed)

    def subtitles(self, name: str, form: str = "vtt", closed: bool = False, as_heard: bool = False) -> str:
        """Return a recording's likeliest words as WebVTT or SRT; ``as_heard`` leaves out corrections."""
        return subtitles(self.opened.index, name, form, closed, as_heard)

    def turns(self, name: str | None = None) -> dict[str, list[SpeakerTurn]]:
        """Return who speaks when, in one recording or in all that have turns."""
        if name is None:
            return all_turns(self.opened.index)
        return {name: turns_of(self.opened.index, name)}

    # -- where their audio files are

    def add_roots(self, places: Sequence[str | os.PathLike]) -> None:
        """Let recordings of this archive be opened from these folders and files, on this machine from now on."""
        self._roots().add_named(places, cache(partial(stored_audio, self.opened.index)), new=False)

    def _roots(self) -> RecordingRoots:
        return RecordingRoots(self.opened.folder, self.opened.index.manifest)

    def relocate(
        self, folder: str | os.PathLike, report: Callable[[int, int], None] = lambda done, total: None
    ) -> Relocated:
        """Look for the archive's recordings below a folder, where they were moved to, and note their places.

        ``report`` is called with the number of files looked for, and their total.
        """
        out = relocate(self.opened.folder, folder, report)
        self.opened.refresh()
        return out

    # -- the bin

    def delete(self, names: Collection[str]) -> None:
        """Put recordings into the bin: they are not in the archive, and come back with :meth:`undelete`.

        An unknown name is an InputError, and nothing is deleted. Judgments and what was said about a recording are
        kept apart until it returns. Audio files stay; they are left out when their folder is added again.
        """
        with self._journal() as journal:
            Lattices(self.opened).remove(names, journal.forget, keep=True)
            journal.write_table()

    def undelete(self, names: Collection[str]) -> None:
        """Bring recordings back from the bin; a name that is not in it is an InputError."""
        with self._journal() as journal:
            restore(self.opened.folder, names, journal.restore, journal.places)
            journal.write_table()
        Corrections(self.opened).settle()

    @property
    def deleted(self) -> list[Deleted]:
        """The recordings in the bin, and when they were deleted; the last first."""
        return Bin(self.opened.folder).recordings(self.opened.index.numbers)

    def purge(self, days: float = DAYS) -> list[str]:
        """Remove what was deleted so many days ago from the disk; return the names."""
        opened = self.opened
        with self._journal() as journal:
            names = purge(opened.folder, days)
            journal.purge(days)
        for hearing in hearings_of(opened.folder):
            forget_missing(opened.folder, Lattices(OpenArchive(hearing.folder)))
        opened.refresh()
        return names

    def _journal(self) -> AbstractContextManager[RecordingJournal | NoJournal]:
        return journal_of(folder_inside(self.opened.folder, FOLDER))
