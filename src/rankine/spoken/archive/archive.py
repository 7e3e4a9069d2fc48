"""A spoken archive: a folder of recordings or lattices that is indexed, searched and taught."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...places import folder_inside
from ..index.reader import Index
from ..index.settings import Settings
from ..index.storage import create, writing
from ..learn.judgments import Judged, Judgments
from ..learn.table import AUTO, NEIGHBOURS
from ..learn.weights import Weights, shipped
from ..recognise.table import DEFAULT, Recogniser
from .feature_cache import forget_features
from .filters import DocumentFilter
from .grouping import DEFAULT as COMBINATION
from .grouping import RecordingGroups
from .hits import Hit
from .judged_places import JudgedNames
from .own_files import copy_file, own_files
from .ranking import CANDIDATES, find_candidates, parse_query, place_table, weak_rankers
from .roots import RecordingRoots, roots_of
from .search import query_features, search
from .shelf import Shelf
from .terms import SpokenQuery

if TYPE_CHECKING:  # where it is used it is imported there: a search must begin soon
    from ...data import RankingData
    from ..index.about import About
    from ..index.changes import Changes, Progress
    from ..lattice.scoring import Scoring
    from ..learn.learning import CrossValidation
    from .recordings import AddedRecordings, Sources, StageProgress


class LearningResult(NamedTuple):
    """What :meth:`Archive.learn` learned: the weights, and how such weights do on queries they have not seen.

    ``ignored`` judgments are of documents that are no longer in the archive; ``adopted``: search uses the weights;
    ``unchanged``: it did before.
    """

    weights: Weights
    trial: CrossValidation
    ignored: int = 0
    adopted: bool = False
    unchanged: bool = False

    @property
    def means(self) -> tuple[float, float]:
        """The mean AP of the best weights that have seen no judgment (shipped, in use), and of such as were learned."""
        mean = {name: float(x.mean()) for name, x in self.trial.precision.items()}
        return max(mean["shipped"], mean.get("in use", 0.0)), mean[self.weights.ranker]


class Archive:
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

    def __init__(self, folder: str | os.PathLike) -> None:
        self.folder = Path(folder)
        self.refresh()

    def refresh(self) -> None:
        """Read what has been committed since the archive was opened."""
        self.index = Index.open(self.folder)
        self.__dict__.pop("weights", None)

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

    # -- what it holds

    def __len__(self) -> int:
        return len(self.index)

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
        return weak_rankers(self.kinds)

    @property
    def documents(self) -> list[str]:
        """The names of all documents."""
        return list(self.index.names)

    @property
    def dictionary(self) -> str | None:
        """The path of the archive's own pronunciation dictionary, if it has one."""
        return self.index.dictionary

    @property
    def judgments(self) -> Judgments:
        """Queries and judgments that are kept with the archive."""
        return Judgments(self.folder, self.index.numbers)

    # -- changing it

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
        weights: Mapping[str, float] | None = None,
        candidates: int | None = None,
        per_recording: int | None = None,
        combination: str = COMBINATION,
        explain: bool = False,
    ) -> list[Hit]:
        """The k best places for a query, by the grammar of queries.

        Args:
            text: the query.
            k: how many hits.
            speaker: only documents of this speaker; the whole name or words of it.
            since: only documents of this day, month or year (2026-11-16, 2026-11, 2026) or later.
            until: only documents of this day, month or year or earlier.
            weights: of the weak rankers' scores as they are; by default the learned ones, or else the shipped ones.
            candidates: score only so many places (at least k), the best by the shipped weights, not all. Weights that
                are learned on normalised scores have as many as in learning.
            per_recording: group places by recordings: the k best recordings, each with at most so many places.
            combination: what makes the score of a recording of its places' (``archive.grouping.COMBINATIONS``).
            explain: whether hits tell the parts of their scores in words.
        """
        if weights is None:
            used = self.weights or shipped(self.kinds)
        else:
            used = Weights.of(weights, self.ranker_names)
        grouping = None if per_recording is None else RecordingGroups(per_recording, combination)
        documents = DocumentFilter.of(speaker, since, until)
        return search(self.index, used, text, k, documents, candidates, grouping, explain)

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
        return query_features(self.index, queries, qrels or {}, candidates, report)

    # -- teaching it

    def learn(
        self,
        judged: Judged | None = None,
        ranker: str = NEIGHBOURS,
        *,
        normalise: str | None = AUTO,
        folds: int = 4,
        seed: int = 0,
        candidates: int = CANDIDATES,
        use: bool = True,
        keep: bool = False,
    ) -> LearningResult:
        """Learn weights of the weak rankers from judged queries, beginning at the shipped ones.

        Search uses them from then on if their mean AP on queries they have not seen is not lower than that of the
        shipped weights, and of those in use if they were not learned.

        Args:
            judged: queries and judgments; by default the archive's own, those of deleted documents left out.
            ranker: a name in ``learn.table.RANKERS``, or any loss.
            normalise: how scores are normalised within a query, for weights of the papers' weak rankers; None: not at
                all; by default what the ranker needs.
            folds: of queries, for the test.
            seed: of the folds.
            candidates: how many places of each query are considered.
            use: whether search uses the weights where they are not worse.
            keep: whether search uses them in any case.
        """
        from ..learn.learning import compared, learn
        from .examples import examples

        ignored = 0
        if judged is None:
            own = self.judgments.all()
            judged = own.within(JudgedNames(self.index))
            ignored = own.n_judgments - judged.n_judgments
        data = examples(self.index, judged, candidates)
        begin, current = shipped(self.kinds), self.weights
        weights, trial = learn(data, ranker, normalise, folds, seed, candidates, compared(current, begin), begin)
        result = LearningResult(weights, trial, ignored)
        if current is not None and current.id == weights.id:
            return result._replace(adopted=True, unchanged=True)
        if not use or not (keep or result.means[1] >= result.means[0]):
            return result
        self.use_weights(weights)
        return result._replace(adopted=True)

    @cached_property
    def weights(self) -> Weights | None:
        """The learned weights that search uses, None where it uses the shipped ones."""
        weights = Shelf(self.folder).current()
        if weights is not None:
            weights.check(self.ranker_names)
        return weights

    @property
    def weights_history(self) -> list[str]:
        """The ids of all weights that were ever used here, the oldest first."""
        return Shelf(self.folder).history

    def use_weights(self, weights: Weights | str | None) -> None:
        """Use learned weights, earlier ones by their id, or the shipped ones (None), from now on."""
        shelf = Shelf(self.folder)
        if isinstance(weights, str):
            weights = shelf.get(weights)
        if weights is not None:
            weights.check(self.ranker_names)
        with writing(self.folder, wait=600.0):  # learned weights must not be lost because another process is indexing
            shelf.use(weights)
        self.refresh()
