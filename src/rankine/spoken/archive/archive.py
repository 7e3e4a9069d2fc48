"""An archive: a folder of recordings or lattices that is indexed, searched and taught."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InputError
from ..hearings.hearings import hearings_of
from ..index.reader import Index
from ..index.settings import Settings, units_of
from ..index.storage import MANIFEST, create, writing
from ..learn.weights import Weights
from ..query.terms import SpokenQuery
from ..recordings.own_files import DICTIONARY, copy_file, own_files
from ..search.filters import RecordingFilter
from ..search.grouping import DEFAULT as COMBINATION
from ..search.ranking import CANDIDATES, find_candidates, parse_query, place_table
from ..search.results import SearchOptions, SearchResults
from .open_archive import OpenArchive

if TYPE_CHECKING:  # where it is used it is imported there: a search must begin soon
    from ...data.ranking_data import RankingData
    from ..collections.collections import Collections
    from ..collections.notes import Notes
    from ..corrections.corrections import Corrections
    from ..maintenance.packing import PackedArchive
    from ..maintenance.repair import Repairs
    from ..metadata.metadata import Metadata
    from .hearings import Hearings
    from .judgments import Judgments
    from .lattices import Lattices
    from .recordings import Recordings
    from .weights import ArchiveWeights


class Archive:
    """An archive that is read; it keeps the state it was opened in until :meth:`refresh`.

    >>> import tempfile
    >>> from rankine.spoken.lattice.formats import one_best
    >>> folder = tempfile.TemporaryDirectory()
    >>> archive = Archive.create(folder.name + "/archive")
    >>> archive.lattices.add([("talk", one_best([("spoken", 0.0, 0.5, 0.9), ("words", 0.5, 1.0, 0.8)]))])
    >>> [(hit.recording, hit.start) for hit in archive.search("words")]
    [('talk', 0.5)]
    >>> folder.cleanup()
    """

    def __init__(self, folder: str | os.PathLike) -> None:
        self._opened = OpenArchive(folder)

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

    def refresh(self) -> None:
        """Read what has been committed since the archive was opened."""
        self._opened.refresh()

    # -- what it is

    def __len__(self) -> int:
        return len(self.index)

    @property
    def folder(self) -> Path:
        """The folder of the archive."""
        return self._opened.folder

    @property
    def index(self) -> Index:
        """The index, as it was when the archive was opened."""
        return self._opened.index

    @property
    def settings(self) -> Settings:
        """What was fixed when the archive was made."""
        return self.index.settings

    @property
    def kinds(self) -> list[str]:
        """Kinds of units, words first."""
        return self.index.kinds

    @property
    def ranker_names(self) -> list[str]:
        """The weak rankers, in the order of the features."""
        return self._opened.ranker_names

    # -- its parts

    @property
    def recordings(self) -> Recordings:
        """The recordings: heard, deleted, found again."""
        from .recordings import Recordings

        return Recordings(self._opened)

    @property
    def lattices(self) -> Lattices:
        """What recognisers have heard, brought into the index."""
        from .lattices import Lattices

        return Lattices(self._opened)

    @property
    def metadata(self) -> Metadata:
        """What is said about recordings: titles, dates, speakers and other fields."""
        from ..metadata.metadata import Metadata

        return Metadata(self.index)

    @property
    def judgments(self) -> Judgments:
        """Which places answer which queries, said by whom."""
        from .judgments import Judgments

        return Judgments(self._opened)

    @property
    def corrections(self) -> Corrections:
        """What people wrote where a recogniser misheard."""
        from ..corrections.corrections import Corrections

        return Corrections(self._opened)

    @property
    def notes(self) -> Notes:
        """Notes and tags that people put on places and recordings."""
        from ..collections.notes import Notes

        return Notes(self._opened)

    @property
    def collections(self) -> Collections:
        """Named collections of places."""
        from ..collections.collections import Collections

        return Collections(self._opened)

    @property
    def weights(self) -> ArchiveWeights:
        """The weights of the weak rankers: learned, kept, taken back."""
        from .weights import ArchiveWeights

        return ArchiveWeights(self._opened)

    @property
    def hearings(self) -> Hearings:
        """What other recognisers than the first have heard, and how much they count."""
        from .hearings import Hearings

        return Hearings(self._opened)

    # -- searching it

    def parse(self, text: str) -> SpokenQuery:
        """A query's words and units."""
        return parse_query(self.index, text)

    def candidates(self, query: SpokenQuery, most: int = CANDIDATES) -> np.ndarray:
        """Numbers of the best places by the shipped weights, at most so many, rising."""
        return find_candidates(self.index, query, most)

    def score(self, query: SpokenQuery, places: np.ndarray) -> np.ndarray:
        """All weak rankers' scores of these places (rising numbers), a row each."""
        return place_table(self.index, query, places)

    def search(
        self,
        text: str,
        k: int = 10,
        *,
        speaker: str | None = None,
        since: str | None = None,
        until: str | None = None,
        collection: str | None = None,
        recording: str | None = None,
        weights: Mapping[str, float] | None = None,
        candidates: int | None = None,
        per_recording: int | None = None,
        combination: str = COMBINATION,
        explain: bool = False,
        closed: bool = False,
        lazy: bool = False,
    ) -> SearchResults:
        """The k best places for a query, by the grammar of queries: a sequence of hits, with what is told about them.

        Args:
            text: the query.
            k: how many hits.
            speaker: only recordings of this speaker; the whole name or words of it.
            since: only recordings of this day, month or year (2026-11-16, 2026-11, 2026) or later.
            until: only recordings of this day, month or year or earlier.
            collection: only recordings of this collection; the whole name or words of it.
            recording: only the recording of this name.
            weights: of the weak rankers' scores as they are; by default the learned ones, or else the shipped ones.
            candidates: score only so many places (at least k), the best by the shipped weights, not all. Weights that
                are learned on normalised scores have as many as in learning.
            per_recording: group places by recordings: the k best recordings, each with at most so many places.
            combination: what makes the score of a recording of its places' (``search.grouping.COMBINATIONS``).
            explain: whether hits tell the parts of their scores in words.
            closed: also what recordings hold that are closed or given on request, for their keeper
                (:mod:`..metadata.rights`).
            lazy: whether hits, and what is wrong with the query, wait until they are asked for.
        """
        used = self._opened.weights_in_use if weights is None else Weights.of(weights, self.ranker_names)
        recordings = RecordingFilter.of(speaker, since, until, closed, collection, recording)
        options = SearchOptions(k, candidates, per_recording, combination, explain)
        results = SearchResults(self.index, used, text, recordings, self._opened.counting_hearings, options)
        if not lazy:
            _ = results.hits
        return results

    def features(
        self,
        queries: Mapping[str, str],
        qrels: Mapping[str, Mapping[str, float]] | None = None,
        candidates: int = CANDIDATES,
        report: Callable[[int], None] = lambda done: None,
    ) -> RankingData:
        """The weak rankers' scores of every query's candidates, as a data set; without judgments all grades are 0.

        ``report`` is called with the number of queries done.
        """
        from ..teaching.training_data import query_features

        return query_features(self.index, queries, qrels or {}, candidates, report)

    # -- care

    def copy_file(self, name: str, file: str | os.PathLike) -> None:
        """Copy a file into an archive whose settings call it ``name``, and which does not hold it."""
        with writing(self.folder) as writer:
            copy_file(writer, name, file)
        self.refresh()

    def merge(self, report: Callable[[int], None] = lambda done: None) -> None:
        """Merge all parts of the index into one file; ``report`` is called with the number of arrays written."""
        from ..recordings.changes import merge

        merge(self.folder, report)
        for hearing in hearings_of(self.folder):
            merge(hearing.folder, lambda done: None)
        self.refresh()

    def check(self, report: Callable[[int], None] = lambda done: None) -> None:
        """Read and check everything; an InputError names what is wrong; ``report`` gets the number of bytes read."""
        from ..maintenance.check import check_archive

        check_archive(self.folder, report)

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
        from ..maintenance.packing import pack
        from ..metadata.rights import check_all_open

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
        from ..maintenance.unpacking import unpack

        unpack(source, folder, **options)
        return cls(folder)

    @staticmethod
    def repair(folder: str | os.PathLike, **options: Any) -> Repairs:
        """Repair a damaged archive from what it holds itself; options are those of ``repairing.repair``."""
        from ..maintenance.repair import repair

        return repair(folder, **options)


# -- Opening the archive in a folder, or making one for a language


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
