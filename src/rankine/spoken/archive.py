"""A spoken archive: a folder of recordings or lattices that is indexed, searched and taught (long: the whole front)."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import InputError
from ..system.files import locked
from ..system.paths import folder_inside, inside
from .hearings.hearings import (
    FurtherHearing,
    HeardIndex,
    HearingWeight,
    counting,
    hearing_of,
    hearings_of,
    remove_hearing,
    write_weight,
)
from .index.reader import Index
from .index.settings import Settings, units_of
from .index.storage import MANIFEST, create, writing
from .judgments.places import JudgedNames
from .learn.judgments import Judged, Judgments
from .learn.table import AUTO, NEIGHBOURS
from .learn.weights import Weights, shipped
from .metadata.rights import not_open
from .query.terms import SpokenQuery
from .recognise.journal import DAYS
from .recordings.own_files import DICTIONARY, copy_file, own_files
from .recordings.roots import RecordingRoots, roots_of
from .search.filters import DocumentFilter
from .search.grouping import DEFAULT as COMBINATION
from .search.grouping import RecordingGroups
from .search.hits import Hit
from .search.ranking import CANDIDATES, find_candidates, parse_query, place_table, weak_rankers
from .search.results import FIRST_PAGE, PageRequest, ResultPage, result_page
from .search.search import search
from .teaching.weight_history import KeptWeights, Shelf

if TYPE_CHECKING:  # where it is used it is imported there: a search must begin soon
    from ..data.ranking_data import RankingData
    from .collections.collections import Collections
    from .collections.notes import Notes
    from .corrections.corrections import Corrections
    from .index.about import About
    from .index.changes import Changes, Progress
    from .judgments.placement import Disagreement, OrphanedJudgment, PlacedJudgments
    from .judgments.queries import JudgedQuery, NextPlace
    from .lattice.formats import File
    from .lattice.scoring import Scoring
    from .learn.agreement import Agreement
    from .learn.judgment_rows import Judgment
    from .learn.learning import CrossValidation, LearningProgress
    from .learn.verdict import LearningVerdict
    from .maintenance.packing import PackedArchive
    from .maintenance.repair import Repairs
    from .metadata.metadata import Metadata
    from .recognise.journal import RecordingJournal
    from .recordings.bin import Deleted
    from .recordings.recordings import AddedRecordings, Recognisers, Sources, StageProgress
    from .recordings.relocation import Relocated


class SearchedArchive:
    """An archive that is read; it keeps the state it was opened in until :meth:`refresh`."""

    def __init__(self, folder: str | os.PathLike) -> None:
        self.folder = Path(folder)
        self.refresh()

    def refresh(self) -> None:
        """Read what has been committed since the archive was opened."""
        self.index = Index.open(self.folder)
        not_open(self.index)  # noted from now on, whatever their names become
        for kept in ("weights", "counting_hearings"):
            self.__dict__.pop(kept, None)

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

    @property
    def about(self) -> Metadata:
        """What is said about recordings: titles, dates, speakers and other fields."""
        from .metadata.metadata import Metadata

        return Metadata(self.index)

    @property
    def corrections(self) -> Corrections:
        """What people wrote where a recogniser misheard."""
        from .corrections.corrections import Corrections

        return Corrections(self)

    @property
    def notes(self) -> Notes:
        """Notes and tags that people put on places and recordings."""
        from .collections.notes import Notes

        return Notes(self)

    @property
    def collections(self) -> Collections:
        """Named collections of places."""
        from .collections.collections import Collections

        return Collections(self)

    @cached_property
    def weights(self) -> Weights | None:
        """The learned weights that search uses, None where it uses the shipped ones."""
        weights = Shelf(self.folder).current()
        if weights is not None:
            weights.check(self.ranker_names)
        return weights

    @property
    def weights_in_use(self) -> Weights:
        """The weights that search uses: the learned ones, or else the shipped ones."""
        return self.weights or shipped(self.kinds)

    @property
    def hearings(self) -> list[FurtherHearing]:
        """The further hearings, by other recognisers than the first, with their weights."""
        return hearings_of(self.folder)

    @cached_property
    def counting_hearings(self) -> list[HeardIndex]:
        """The further hearings that search uses: those with a weight."""
        return counting(self.index)

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
        closed: bool = False,
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
            closed: also what recordings hold that are closed or given on request, for their keeper
                (:mod:`.metadata.rights`).
        """
        if weights is None:
            used = self.weights_in_use
        else:
            used = Weights.of(weights, self.ranker_names)
        grouping = None if per_recording is None else RecordingGroups(per_recording, combination)
        documents = DocumentFilter.of(speaker, since, until, closed)
        return search(self.index, used, text, k, documents, candidates, grouping, explain, self.counting_hearings)

    def result_page(self, text: str, documents: DocumentFilter, page: PageRequest = FIRST_PAGE) -> ResultPage:
        """A page of the results of a query: recordings with their best places."""
        return result_page(self.index, self.weights_in_use, text, documents, page, self.counting_hearings)

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
        from .teaching.training_data import query_features

        return query_features(self.index, queries, qrels or {}, candidates, report)


# -- Judging


class KeptJudgment(NamedTuple):
    """A judgment that is on disk: its number, by which it can be undone, and why it is orphaned (empty: it is not).

    ``repeated``: the judge had said the same before, and nothing was stored.
    """

    number: int
    repeated: bool = False
    orphaned: str = ""


class JudgedArchive(SearchedArchive):
    """An archive whose hits are judged."""

    @property
    def weights_id(self) -> str:
        """The identity of the weights that search uses, learned or shipped."""
        return (self.weights or shipped(self.kinds)).id

    def judge(
        self,
        query: str,
        place: Hit | str,
        grade: float | None,
        by: str = "",
        *,
        rank: int | None = None,
        weights: str | None = None,
    ) -> KeptJudgment:
        """Judge a place for a query; it is on disk when the call returns.

        A judgment that repeats the judge's last one of this place is not stored again. One of a place that is not in
        the archive any more is kept as orphaned.

        Args:
            query: its text.
            place: a hit, or the name of a place as hits have it (``segment``), or of a recording.
            grade: 1 relevant, 0 not, 2 and 3 for more than relevant; None: unsure, which counts as unjudged.
            by: the name of the judge.
            rank: the rank that the place was shown at; by default the hit's.
            weights: the id of the weights of the ranking that was shown; by default of those in use.
        """
        from .judgments.placement import check_judged, judged_times

        name = place.segment if isinstance(place, Hit) else place
        orphaned = check_judged(self.index, name)
        times = judged_times(self.index, name) or (None, None)
        shown = {
            "rank": place.rank if rank is None and isinstance(place, Hit) else rank,
            "weights": self.weights_id if weights is None else weights, "start": times[0], "end": times[1],
        }  # fmt: skip
        stored = self.judgments.judge(" ".join(query.split()), name, grade, by, **shown)
        return KeptJudgment(stored.number, stored.repeated, orphaned)

    def undo_judgment(self, number: int, by: str = "") -> None:
        """Take a judgment back, by its number; what the judge said before counts again. ``by`` is the judge."""
        self.judgments.undo(number, by)

    def judgment_history(self, query: str | None = None) -> list[Judgment]:
        """All judgments and undos in order, of one query by its text or of all."""
        return self.judgments.history(query)

    def placed_judgments(self) -> PlacedJudgments:
        """The judgments that count, at their places in the archive as it is now, and those whose places are gone."""
        from .judgments.placement import PlacedJudgments

        return PlacedJudgments(self.index, self.judgments)

    def agreement(self) -> list[Agreement]:
        """Cohen's kappa of each pair of judges who have judged a place in common."""
        return self.placed_judgments().agreement()

    def disagreements(self) -> list[Disagreement]:
        """The places to which judges gave different grades."""
        return self.placed_judgments().disagreements()

    @property
    def orphaned_judgments(self) -> list[OrphanedJudgment]:
        """Judgments whose places are not in the archive, and why; they are kept."""
        return self.placed_judgments().orphans

    def adopt_judgments(self, orphans: Collection[OrphanedJudgment] | str, to: str, by: str = "") -> list[Judgment]:
        """Let judgments of other places stand for orphaned ones; one change, which can be undone.

        Args:
            orphans: some of :attr:`orphaned_judgments`, or all of a recording or place by its name.
            to: the recording that has the places now, or a place.
            by: who does it; the judges stay the same.
        """
        from .judgments.placement import adopt, orphans_of

        some = orphans_of(self.orphaned_judgments, orphans) if isinstance(orphans, str) else orphans
        if isinstance(orphans, str) and not some:
            raise InputError(f"no orphaned judgment is of {orphans!r}", str(self.folder))
        return adopt(self.index, self.judgments, some, to, by)

    def judged_queries(self) -> list[JudgedQuery]:
        """All queries with their numbers of judgments, and their AP and nDCG@10 by the weights in use."""
        from .judgments.queries import judged_queries

        judged, weights = self.placed_judgments().judged(), self.weights or shipped(self.kinds)
        return judged_queries(self.index, judged, weights, self.counting_hearings)

    def judge_next(
        self, query: str | None = None, n: int = 10, report: Callable[[int], None] = lambda done: None
    ) -> list[NextPlace]:
        """The places to judge next: those of which rankers disagree most, of one query or of all that were asked.

        ``report`` gets the number of queries done.
        """
        from .judgments.queries import next_places

        if n < 1:
            raise InputError(f"n must be at least 1, got {n}")
        placed = self.placed_judgments()
        if query is not None:
            self.parse(query)
        texts = list(placed.queries.values()) if query is None else [" ".join(query.split())]
        return next_places(
            self.index, placed, texts, n, self.weights or shipped(self.kinds), self.counting_hearings, report
        )


# -- Teaching


_LEARNING = "learning"  # the file beside which its lock stands
_BUSY = "another process is learning from this archive; wait until it is done, or stop it"
_WAIT = 600.0  # seconds: learned weights must not be lost because another process is indexing


class LearningResult(NamedTuple):
    """What :meth:`Archive.learn` learned: the weights, and how such weights do on queries they have not seen.

    ``ignored`` judgments are orphaned: their places are no longer in the archive; ``adopted``: search uses the weights;
    ``unchanged``: it ranks as before, by the same weights or by some that count all evidence alike. ``texts`` are those
    of the queries by name, ``before`` the weights that were in use.
    """

    weights: Weights
    trial: CrossValidation
    ignored: int = 0
    adopted: bool = False
    unchanged: bool = False
    texts: Mapping[str, str] = {}
    before: Weights | None = None

    @property
    def means(self) -> tuple[float, float]:
        """The mean AP of the better of the shipped weights and those in use, and of such as were learned."""
        mean = {name: float(x.mean()) for name, x in self.trial.precision.items()}
        return max(mean["shipped"], mean.get("in use", 0.0)), mean[self.weights.ranker]

    @property
    def verdict(self) -> LearningVerdict:
        """The measure before and after on queries that the learning did not see, and the weights in plain words."""
        from .learn.verdict import learning_verdict

        return learning_verdict(self.trial, self.before or self.weights, self.weights, self.texts)


class TaughtArchive(JudgedArchive):
    """An archive that learns from judged queries."""

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
        propose: bool = False,
        by: str = "",
        progress: LearningProgress | None = None,
    ) -> LearningResult:
        """Learn weights of the weak rankers from judged queries, beginning at the shipped ones.

        Search uses them from then on if their mean AP on queries they have not seen is not lower than that of the
        weights in use (``learn.learning.in_use_precision``) and of the shipped ones. Learnings exclude each other.

        Args:
            judged: queries and judgments; by default the archive's own, those of places that are gone left out.
            ranker: a name in ``learn.table.RANKERS``, or any loss.
            normalise: how scores are normalised within a query, for weights of the papers' weak rankers; None: not at
                all; by default what the ranker needs.
            folds: of queries, for the test.
            seed: of the folds.
            candidates: how many places of each query are considered.
            use: whether search uses the weights where they are not worse.
            keep: whether search uses them in any case.
            propose: only store the weights as a candidate, which :meth:`keep_weights` makes those in use.
            by: who learns; it is noted with the weights.
            progress: is called with the stage, how much of it is done, and the whole. If it returns False, learning
                ends with ``LearningStopped``; it may also raise. Nothing has changed then.
        """
        from .learn.learning import learn, learns_evidence, watched_by
        from .teaching.training_data import examples

        report = watched_by(progress)
        with self._learning():
            ignored = 0
            if judged is None:
                placed = self.placed_judgments()
                judged, ignored = placed.judged(), len(placed.deciding_orphans)
            hearings = self.counting_hearings if learns_evidence(ranker, normalise) else []
            data = examples(self.index, judged, candidates, report=report, hearings=hearings)
            begin, current = shipped(self.kinds), self.weights
            weights, trial = learn(data, ranker, normalise, folds, seed, candidates, begin, current, report)
            result = LearningResult(weights, trial, ignored, texts=judged.queries, before=current or begin)
            report("weights", 1, 1)  # the last moment to stop it
            if weights.same_values(current or begin) or not (keep or propose or not result.verdict.changes_nothing):
                return result._replace(adopted=True, unchanged=True)
            if propose:
                with writing(self.folder, wait=_WAIT):
                    Shelf(self.folder).propose(weights, by, verdict=result.verdict.summary())
                return result
            if not use or not (keep or result.means[1] >= result.means[0]):
                return result
            self.keep_weights(result, by=by)
        return result._replace(adopted=True)

    @contextmanager
    def _learning(self) -> Iterator[None]:
        """Hold the lock of learning; the operating system lets go of it when a process is killed."""
        with locked(inside(self.folder, _LEARNING), _BUSY):
            yield

    @property
    def weights_history(self) -> list[str]:
        """The ids of all weights that were ever used here, the oldest first."""
        return Shelf(self.folder).history

    @property
    def kept_weights(self) -> list[KeptWeights]:
        """All sets of weights that were used or proposed here, with names, dates and what they were learned from."""
        return Shelf(self.folder).all()

    def keep_weights(self, learned: LearningResult | str, name: str = "", by: str = "") -> None:
        """Use learned weights from now on: what :meth:`learn` returned, or a set that is kept, by its id or name.

        Args:
            learned: the result of learning, or an id or name of :attr:`kept_weights`.
            name: a name for the set of weights.
            by: who keeps it.
        """
        if isinstance(learned, str):
            self.use_weights(learned, name, by)
        else:
            self._use(learned.weights, by, name=name, verdict=learned.verdict.summary())

    def use_weights(self, weights: Weights | str | None, name: str = "", by: str = "") -> None:
        """Use learned weights, earlier ones by their id or name, or the shipped ones (None), from now on."""
        self._use(Shelf(self.folder).get(weights) if isinstance(weights, str) else weights, by, name=name)

    def go_back(self, by: str = "") -> Weights | None:
        """Use the weights that were in use before the present ones; returns them, None for the shipped ones."""
        weights = Shelf(self.folder).before()
        self._use(weights, by)
        return weights

    def _use(self, weights: Weights | None, by: str, **said: object) -> None:
        if weights is not None:
            weights.check(self.ranker_names)
        with writing(self.folder, wait=_WAIT):
            Shelf(self.folder).use(weights, by, **said)
        self.refresh()

    # -- further hearings

    def learn_hearings(
        self, given: bool = True, report: Callable[[str, int, int], None] = lambda name, done, total: None
    ) -> list[FurtherHearing]:
        """Learn how much each further hearing counts; search uses these weights from then on.

        A hearing counts only if it helps: on at least ten judged queries, or else on words that several hearings have
        (:mod:`.teaching.hearing_queries`). Without evidence its weight is 0.

        Args:
            given: whether weights that were given are learned anew too.
            report: is called with the name of a hearing, the number of its queries done, and of all.
        """
        from .teaching.hearing_weights import learn_weights

        judged = self.judgments.all().within(JudgedNames(self.index))
        weights = self.weights or shipped(self.kinds)
        learned = learn_weights(self.index, self.hearings, judged, weights, given, report)
        self.refresh()
        return learned

    def weigh_hearing(self, name: str, weight: float) -> None:
        """Give a further hearing a weight, 0 for none; learning after recordings are added leaves it as it is."""
        write_weight(hearing_of(self.folder, name), HearingWeight(weight, "given"))
        self.refresh()

    def remove_hearing(self, name: str) -> None:
        """Remove a further hearing, with the lattices of its recogniser."""
        remove_hearing(self.folder, name)
        self.refresh()


# -- The front


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
        from .metadata.metadata import record_closed, record_texts, texts_of_table, with_own_texts
        from .metadata.turns import SpeakerTurn, record_turns
        from .recordings.changes import add_source

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
        from .hearings.recordings import held_samples
        from .recordings import recordings

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
        from .hearings import hearings
        from .hearings import recordings as hearing_recordings
        from .recordings import recordings

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
        from .hearings.silent_places import add_silent_places

        roots = RecordingRoots(self.folder, self.index.manifest).named
        add_silent_places(self.index, [hearing.folder for hearing in self.hearings], roots, commit)

    def remove_silent(self, names: Collection[str]) -> None:
        """Remove recordings in which nothing is understood any more; they stay in the journal."""
        self.remove_for_good([name for name in names if name in self.index.numbers])

    def add_roots(self, places: Sequence[str | os.PathLike]) -> None:
        """Let recordings of this archive be opened from these folders and files, on this machine from now on."""
        from .recordings.recordings import stored_audio

        roots = RecordingRoots(self.folder, self.index.manifest)
        roots.add_named(places, cache(partial(stored_audio, self.index)), new=False)

    def relocate(
        self, folder: str | os.PathLike, report: Callable[[int, int], None] = lambda done, total: None
    ) -> Relocated:
        """Look for the archive's recordings below a folder, where they were moved to, and note their places.

        ``report`` is called with the number of files looked for, and their total.
        """
        from .recordings.relocation import relocate

        out = relocate(self.folder, folder, report)
        self.refresh()
        return out

    def add_lattices(self, lattices: Iterable[tuple[str, Any]], scoring: Scoring | None = None) -> None:
        """Index (document name, lattice) pairs that are in memory; one of the same name is replaced.

        The name of a recording that the archive has recognised is an InputError.
        """
        from .recordings.changes import add_lattices

        add_lattices(self.index, lattices, scoring)
        self.corrections.settle()

    def delete(self, documents: Collection[str]) -> None:
        """Put documents into the bin: they are not in the archive, and come back with :meth:`undelete`.

        An unknown name is an InputError, and nothing is deleted. Judgments and what was said about a document are kept
        apart until it returns. Audio files stay; they are left out when their folder is added again.
        """
        from .recordings import recordings

        with recordings.journal_of(folder_inside(self.folder, recordings.FOLDER)) as journal:
            self._remove(documents, journal.forget, keep=True)
            journal.write_table()

    def undelete(self, documents: Collection[str]) -> None:
        """Bring documents back from the bin; a name that is not in it is an InputError."""
        from .recordings import recordings
        from .recordings.changes import restore

        with recordings.journal_of(folder_inside(self.folder, recordings.FOLDER)) as journal:
            restore(self.folder, documents, journal.restore, journal.places)
            journal.write_table()
        self.corrections.settle()

    @property
    def deleted(self) -> list[Deleted]:
        """The documents in the bin, and when they were deleted; the last first."""
        from .recordings.bin import Bin

        return Bin(self.folder).documents(self.index.numbers)

    def purge(self, days: float = DAYS) -> list[str]:
        """Remove what was deleted so many days ago from the disk; the names."""
        from .hearings.recordings import forget_missing
        from .recordings import recordings
        from .recordings.changes import purge

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
        from .recordings.changes import remove

        remove(self.folder, documents, after, keep)
        from .teaching.training_data import forget_features

        forget_features(self.folder)
        self.refresh()

    def copy_file(self, name: str, file: str | os.PathLike) -> None:
        """Copy a file into an archive whose settings call it ``name``, and which does not hold it."""
        with writing(self.folder) as writer:
            copy_file(writer, name, file)
        self.refresh()

    def merge(self, report: Callable[[int], None] = lambda done: None) -> None:
        """Merge all parts of the index into one file; ``report`` is called with the number of arrays written."""
        from .recordings.changes import merge

        merge(self.folder, report)
        for hearing in self.hearings:
            merge(hearing.folder, lambda done: None)
        self.refresh()

    def check(self, report: Callable[[int], None] = lambda done: None) -> None:
        """Read and check everything; an InputError names what is wrong; ``report`` gets the number of bytes read."""
        from .maintenance.check import check_archive

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
        from .maintenance.packing import pack
        from .metadata.rights import check_all_open

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
        from .maintenance.unpacking import unpack

        unpack(source, folder, **options)
        return cls(folder)

    @staticmethod
    def repair(folder: str | os.PathLike, **options: Any) -> Repairs:
        """Repair a damaged archive from what it holds itself; options are those of ``repairing.repair``."""
        from .maintenance.repair import repair

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
