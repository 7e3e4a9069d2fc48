"""A spoken archive: a folder that is indexed, searched and kept whole."""

from __future__ import annotations

import os
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...data import RankingData
from ...errors import InputError, nearest
from ..index.analyse import LANGUAGES, Settings, analyse, fingerprint, first_pronunciation
from ..index.build import TEXTS, Document
from ..index.changes import About, Changes, Progress, Source, State, update
from ..index.reader import View, names
from ..index.storage import MANIFEST, create, open_parts, writing
from ..lattice.formats import Piece, Reading, write_slf
from ..lattice.scoring import Scoring
from ..lattice.units import Split
from ..learn.judgments import Judgments
from ..learn.learning import Shelf, Weights
from .hits import Hit, make_hit
from .query import Query, parse

_DICTIONARY = "dictionary.txt"


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
        """See what has been committed since."""
        self.manifest, parts = open_parts(self.folder)
        self.settings = Settings(**self.manifest.settings)
        self._check_files()
        table = self.settings.decoded()
        self.views = [View(part, table) for part in parts]
        for kept in ("_number", "_texts", "_names", "weights"):
            self.__dict__.pop(kept, None)

    @classmethod
    def create(
        cls,
        folder: str | os.PathLike,
        settings: Settings | None = None,
        dictionary: str | os.PathLike | None = None,
    ) -> Archive:
        """Make an empty archive; a pronunciation dictionary is copied into it."""
        made = Settings() if settings is None else settings
        kept: dict[str, bytes] = {}
        if dictionary is not None:
            made = Settings(**{**asdict(made), "dictionary": _DICTIONARY})
            kept[_DICTIONARY] = Path(dictionary).read_bytes()
        made.check()
        create(Path(folder), asdict(made), kept)
        return cls(folder)

    @property
    def judgments(self) -> Judgments:
        """Queries and judgments that are kept with the archive."""
        return Judgments(self.folder)

    # -- what there is

    @property
    def kinds(self) -> list[str]:
        """Kinds of units, words first."""
        return list(self.settings.kinds)

    @property
    def ranker_names(self) -> list[str]:
        """The weak rankers, in the order of the features."""
        return names(self.kinds)

    @property
    def dictionary(self) -> str | None:
        """Where the archive's own pronunciation dictionary is, if it has one."""
        return None if self.settings.dictionary is None else str(self.folder / self.settings.dictionary)

    def __len__(self) -> int:
        return sum(v.n_documents for v in self.views)

    @property
    def documents(self) -> list[str]:
        """The names of all documents."""
        return list(self._names)

    @cached_property
    def _names(self) -> list[str]:
        return [name for view in self.views for name in view.texts("doc.name").all()]

    @cached_property
    def _number(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self._names)}

    @cached_property
    def _texts(self) -> dict[str, list[np.ndarray]]:
        """Columns of texts that can be filtered by."""
        return {t: [np.array(v.texts(f"doc.{t}").all(), object) for v in self.views] for t in TEXTS}

    @property
    def offsets(self) -> np.ndarray:
        """Documents before each part."""
        return np.cumsum([0, *(v.n_documents for v in self.views)])

    def place_of(self, document: int | str) -> tuple[View, int]:
        """The part that a document (by number or name) is in, and its number there."""
        if isinstance(document, str):
            if document not in self._number:
                raise InputError(
                    f"no document is called {document!r}.{nearest(document, self._number)}", str(self.folder)
                )
            document = self._number[document]
        v = int(np.searchsorted(self.offsets, document, side="right")) - 1
        return self.views[v], document - int(self.offsets[v])

    def name_of(self, number: int) -> str:
        """The name of a document."""
        view, own = self.place_of(number)
        return view.texts("doc.name")[own]

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
        """Index the utterances of a file or folder; what has not changed is passed over.

        Args:
            source: lattices, in any format that is read.
            about: utterance → document, texts, audio; by default each utterance is a document of its own name.
            scoring: how lattices are read and weighed; by default words in lower case.
            format: of the source, where ending and content do not tell.
            workers: processes.
            remove_missing: remove documents that the source does not have.
            batch: documents after which what is done so far is committed.
            progress: is told how many utterances are done, and of how many (None while they are looked through).
            listed: index only the utterances of ``about``, which then knows all of every document.
        """
        scoring = Scoring(Reading(lower=True)) if scoring is None else scoring
        self._splits()  # a package that is missing is said once, not for every utterance
        given = Source(source, format, scoring, {} if about is None else about, listed)
        with writing(self.folder) as writer:
            changes = update(State(writer), given, self.dictionary, workers, remove_missing, batch, progress)
        self.refresh()
        return changes

    def add_lattices(self, lattices: Iterable[tuple[str, Any]], scoring: Scoring | None = None) -> None:
        """Index (document name, lattice) pairs that are in memory; one of the same name is replaced."""
        scoring = Scoring() if scoring is None else scoring
        documents, lattices = [], list(lattices)
        doubled = [name for name, n in Counter(name for name, _ in lattices).items() if n > 1]
        if doubled:
            raise InputError(f"two documents are called {doubled[0]!r}")
        for name, lattice in lattices:
            piece = Piece(name, "slf", "memory", write_slf(lattice))
            utterance = analyse(self.settings, scoring, self.dictionary, piece)
            documents.append(Document(name, {}, [utterance], [""], [0.0], fingerprint(piece)))
        with writing(self.folder) as writer:
            State(writer).replace(documents, [])
        self.refresh()

    def delete(self, documents: Collection[str]) -> None:
        """Remove documents, from the disk too; an unknown name is an error and nothing is removed."""
        with writing(self.folder) as writer:
            state = State(writer)
            for name in documents:
                if name not in state.prints:
                    raise InputError(f"no document is called {name!r}.{nearest(name, state.prints)}", str(self.folder))
            state.replace([], list(documents))
        self.refresh()

    def merge(self, report: Callable[[int], None] = lambda done: None) -> None:
        """Make one part of all; ``report`` is told how many arrays are written."""
        with writing(self.folder) as writer:
            State(writer).merge(whole=True, report=report)
        self.refresh()

    def check(self, report: Callable[[int], None] = lambda done: None) -> None:
        """Read every byte and compare checksums; an error names the first place that is wrong.

        ``report`` is told how many bytes have been read.
        """
        _, parts = open_parts(self.folder)
        before = 0
        for part in parts:
            part.check(lambda done, before=before: report(before + done))  # type: ignore[misc]
            before += part.end
        self._check_files()
        Judgments(self.folder).check()
        Shelf(self.folder).check()
        doubled = len(self.documents) - len(set(self.documents))
        if doubled:
            raise InputError(f"the archive is damaged: {doubled} documents are in it twice", str(self.folder))

    def _check_files(self) -> None:
        for name, crc in (self.manifest.files or {}).items():
            path = self.folder / name
            if not path.exists() or zlib.crc32(path.read_bytes()) != crc:
                raise InputError("the archive is damaged: this file is missing or its checksum is wrong", str(path))

    # -- searching it

    def parse(self, text: str) -> Query:
        """A query's words and units."""
        return parse(text, self._splits(), self.knows)

    def _splits(self) -> dict[str, Split | None]:
        """What makes units of words, for every kind."""
        return {k: first_pronunciation(how, self.dictionary) for k, how in self.settings.kinds.items()}

    def knows(self, word: str) -> bool:
        """Whether a word occurs."""
        return any(v.texts(f"{self.kinds[0]}.unit").find(word) >= 0 for v in self.views)

    def candidates(self, query: Query, most: int = 1000, allowed: np.ndarray | None = None) -> np.ndarray:
        """Numbers of the documents with the largest unigram scores of words and syllables or characters, rising."""
        scores = np.zeros(len(self))
        offsets = self.offsets
        for kind in self.kinds:
            if self.settings.kinds[kind] != "phones":
                units = query.units(kind)
                for v, view in enumerate(self.views):
                    scores[offsets[v] : offsets[v + 1]] += view.unigrams(kind, units)
        if allowed is not None:
            scores[~allowed] = 0.0
        if query.phrases:
            there = np.flatnonzero(scores > 0)
            scores[np.setdiff1d(there, self._with_phrases(query, there))] = 0.0
        found = np.flatnonzero(scores > 0)
        if len(found) <= most:
            return found
        least = np.partition(scores[found], len(found) - most)[len(found) - most]
        sure, edge = found[scores[found] > least], found[scores[found] == least]
        if len(sure) + len(edge) > most:  # equal ones by name, so that the order of indexing does not matter
            edge = np.array(sorted(edge.tolist(), key=self._names.__getitem__)[: most - len(sure)], np.int64)
        return np.sort(np.concatenate([sure, edge]))

    def score(self, query: Query, docs: np.ndarray) -> np.ndarray:
        """All weak rankers' scores of these documents (rising numbers), a row each."""
        units = {kind: query.units(kind) for kind in self.kinds}
        offsets = self.offsets
        blocks = []
        for v, view in enumerate(self.views):
            mine = docs[(docs >= offsets[v]) & (docs < offsets[v + 1])] - offsets[v]
            blocks.append(view.scores(units, mine))
        return np.vstack(blocks) if blocks else np.zeros((0, len(self.ranker_names)))

    def search(
        self,
        text: str,
        k: int = 10,
        *,
        speaker: str | None = None,
        since: str | None = None,
        until: str | None = None,
        weights: Mapping[str, float] | None = None,
        candidates: int = 1000,
    ) -> list[Hit]:
        """The k best documents for a query; words in quotation marks must follow each other.

        Args:
            text: the query.
            k: how many hits.
            speaker: only documents of this speaker.
            since: only documents whose date is this or later (as text, so write dates as 2026-11-16).
            until: only documents whose date begins with this or is earlier.
            weights: of the weak rankers' scores as they are; by default what was learned, or else all alike.
            candidates: how many documents are scored exactly. Where learned weights normalise scores within a query's
                candidates, these are as many as in learning, and so are the hits at the most.
        """
        if k < 1:
            raise InputError(f"k must be at least 1, got {k}")
        query = self.parse(text)
        if not any(self._occurs(query, kind) for kind in self.kinds):
            raise InputError(f"nothing in the query {text!r} occurs in this archive, in any kind of units")
        chosen = self._weights(weights)
        most = chosen.provenance.get("candidates", candidates) if chosen.normalise else max(candidates, k)
        docs = self.candidates(query, most, self._allowed(speaker, since, until))
        features = chosen.features(self.score(query, docs))
        w = np.array(chosen.values)
        scores = np.round(summed(features, w), 12)
        least = -np.inf if len(scores) <= k else np.partition(scores, len(scores) - k)[len(scores) - k]
        best = np.flatnonzero(scores >= least).tolist()
        order = sorted(best, key=lambda i: (-scores[i], self.name_of(int(docs[i]))))[:k]
        columns = self.ranker_names
        return [
            make_hit(
                self, query, int(docs[i]), rank, float(scores[i]),
                {n: float(x) for n, x in zip(columns, features[i] * w, strict=True) if x != 0},
            )
            for rank, i in enumerate(order, 1)
        ]  # fmt: skip

    def features(
        self,
        queries: Mapping[str, str],
        qrels: Mapping[str, Mapping[str, float]] | None = None,
        candidates: int = 1000,
        report: Callable[[int], None] = lambda done: None,
    ) -> RankingData:
        """The weak rankers' scores of every query's candidates, as a data set; without judgments all grades are 0.

        ``report`` is told how many queries are done.
        """
        X, y, qid, ids = [], [], [], []
        for done, (key, text) in enumerate(queries.items(), 1):
            query = self.parse(text)
            docs = self.candidates(query, candidates)
            judged = (qrels or {}).get(key, {})
            mine = [self.name_of(d) for d in docs.tolist()]
            X.append(self.score(query, docs))
            y += [judged.get(name, 0.0) for name in mine]
            qid += [key] * len(mine)
            ids += mine
            report(done)
        if not ids:
            raise InputError("no query has a candidate in this archive", str(self.folder))
        return RankingData(np.vstack(X), y, qid, doc_ids=ids, feature_names=self.ranker_names)

    def _occurs(self, query: Query, kind: str) -> bool:
        units = query.units(kind)
        return any(view.texts(f"{kind}.unit").find(u) >= 0 for view in self.views for u in units)

    def _allowed(self, speaker: str | None, since: str | None, until: str | None) -> np.ndarray | None:
        if speaker is None and since is None and until is None:
            return None
        mask = np.ones(len(self), np.bool_)
        if speaker is not None:
            spoken = np.concatenate(self._texts["speaker"]) if self.views else np.empty(0, object)
            mask &= spoken == speaker
            if not mask.any():
                raise InputError(f"no document is by the speaker {speaker!r}.{nearest(speaker, set(spoken.tolist()))}")
        dates = np.concatenate(self._texts["date"]).astype(str) if self.views else np.empty(0, str)
        if since is not None:
            mask &= dates >= since
        if until is not None:
            mask &= (dates <= until) | np.char.startswith(dates, until)
            mask &= dates != ""
        return mask

    def _with_phrases(self, query: Query, docs: np.ndarray) -> np.ndarray:
        """Only documents in which each quoted phrase may have been said: by words, or by smaller units if need be."""
        offsets = self.offsets
        for phrase in query.phrases:
            words = query.words[phrase[0] : phrase[1]]
            kind = self.kinds[0] if all(self.knows(w) for w in words) else self.kinds[1 if len(self.kinds) > 1 else 0]
            units = query.units(kind, phrase)
            chance = np.zeros(len(docs))
            for v, view in enumerate(self.views):
                mine = (docs >= offsets[v]) & (docs < offsets[v + 1])
                chance[mine] = view.chains(kind, units, docs[mine] - offsets[v]) if units else 0.0
            docs = docs[chance > 0]
        return docs

    # -- weights

    @cached_property
    def weights(self) -> Weights | None:
        """The learned weights that search uses, None where all weak rankers count alike."""
        found = Shelf(self.folder).current()
        if found is not None:
            self._fits(found)
        return found

    @property
    def weights_history(self) -> list[str]:
        """The ids of all weights that were ever used here, the oldest first."""
        return Shelf(self.folder).history

    def use_weights(self, weights: Weights | str | None) -> None:
        """Use learned weights, earlier ones by their id, or equal ones (None), from now on."""
        shelf = Shelf(self.folder)
        chosen = shelf.get(weights) if isinstance(weights, str) else weights
        if chosen is not None:
            self._fits(chosen)
        with writing(self.folder, wait=600.0):  # what was learned must not be lost because someone is indexing
            shelf.use(chosen)
        self.refresh()

    def _fits(self, weights: Weights) -> None:
        if list(weights.names) != self.ranker_names:
            kinds = list(dict.fromkeys(n.split("-")[0] for n in weights.names))
            raise InputError(
                f"the weights are for {', '.join(kinds)}; this archive has {', '.join(self.kinds)}", str(self.folder)
            )

    def _weights(self, weights: Mapping[str, float] | None) -> Weights:
        columns = self.ranker_names
        if weights is None:
            equal = tuple([1 / len(columns)] * len(columns))
            return self.weights or Weights(tuple(columns), equal, None, "uniform", {})
        for name in weights:
            if name not in columns:
                raise InputError(f"no weak ranker is called {name!r}.{nearest(name, columns)}")
        return Weights(tuple(columns), tuple(float(weights.get(n, 0.0)) for n in columns), None, "given", {})


def summed(features: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weighted sums whose last digits do not depend on the place of a row."""
    out = np.zeros(len(features))
    for column, weight in zip(features.T, weights.tolist(), strict=True):
        out += column * weight
    return out


def create_or_open(
    folder: str | os.PathLike,
    language: str,
    dictionary: str | os.PathLike | None = None,
    prune: float | None = None,
    skip: float | None = None,
) -> Archive:
    """The archive in a folder, or a new one for a language where there is none; what is fixed must be the same."""
    if language not in LANGUAGES:
        raise InputError(
            f"language must be one of {', '.join(LANGUAGES)}, got {language!r}.{nearest(language, LANGUAGES)}"
        )
    given: dict[str, Any] = {k: v for k, v in {"prune": prune, "skip": skip}.items() if v is not None}
    if not (Path(folder) / MANIFEST).exists():
        return Archive.create(folder, Settings(dict(LANGUAGES[language]), **given), dictionary)
    found = Archive(folder)
    for name, value in {**given, "kinds": LANGUAGES[language]}.items():
        if getattr(found.settings, name) != value:
            raise InputError(f"the archive has {name} {getattr(found.settings, name)}, not {value}", str(folder))
    if dictionary is not None and (found.manifest.files or {}).get(_DICTIONARY) != zlib.crc32(
        Path(dictionary).read_bytes()
    ):
        raise InputError("the archive was made with another pronunciation dictionary", str(folder))
    return found
