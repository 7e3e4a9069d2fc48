"""Examples to learn from: features of an archive's judged queries, kept for the next time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...data.ranking_data import RankingData
from ...errors import InputError
from ...system.files import fingerprint, locked
from ...system.paths import folder_inside, inside, plain_files
from ...system.progress import bar
from ...version import __version__
from ..hearings.hearings import HeardIndex
from ..index.reader import Index
from ..judgments.places import JudgedNames, judged_places, relevant_places
from ..learn.judgments import Judged
from ..learn.learning import Examples
from ..learn.weights import shipped
from ..recordings.places import place_names
from ..search.query_scores import HeardQuery
from ..search.ranking import CANDIDATES, best_places, parse_query, weak_rankers
from .papers import recording_features

if TYPE_CHECKING:
    from ...data.ranking_data import RankingData

_CACHE = "cache"
_STORED = re.compile(r"[0-9a-f]{20}\.arrow")  # what was stored here, and nothing else that may lie in the folder


class FeatureCache:
    """Features of the last queries that were learned from, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of(cls, archive: Path) -> FeatureCache:
        """The features that are kept in an archive's folder."""
        return cls(folder_inside(archive, _CACHE))

    def _path(self, digest: str) -> Path:
        return inside(self.folder, f"{digest}.arrow")

    def read(self, digest: str) -> RankingData | None:
        """Features of an earlier time, None if there are none or they cannot be read."""
        from ...io import load_table

        path = self._path(digest)
        try:
            return load_table(path) if path.exists() else None
        except (InputError, OSError):
            return None

    def write(self, digest: str, data: RankingData) -> None:
        """Store features instead of all earlier ones; one process at a time."""
        from ...io import save_table

        self.folder.mkdir(exist_ok=True)
        with self._locked():
            save_table(data, self._path(digest))
            self._remove_others(self._path(digest))

    def clear(self) -> None:
        """Remove all features: they name recordings that may be gone."""
        if self.folder.exists():
            with self._locked():
                self._remove_others(None)

    def _locked(self) -> AbstractContextManager[None]:
        return locked(self.folder, "another process is storing features here; try again when it is done", wait=60.0)

    def _remove_others(self, kept: Path | None) -> None:
        for old in plain_files(self.folder):
            if _STORED.fullmatch(old.name) and old != kept:
                old.unlink(missing_ok=True)


def forget_features(folder: Path) -> None:
    """Remove the features that are kept in an archive's folder."""
    FeatureCache.of(folder).clear()


# -- Examples to learn from: features of an archive's judged queries, kept for the next time


def examples(
    index: Index,
    judged: Judged,
    candidates: int = CANDIDATES,
    keep: bool = True,
    recordings: bool = False,
    report: Callable[[str, int, int], None] = lambda stage, done, total: None,
    hearings: Sequence[HeardIndex] = (),
) -> Examples:
    """Features of all queries that have something relevant; ``keep`` stores them in the archive's folder.

    Rows are places, and features are sums over the own hearing and further ones; with ``recordings`` rows are
    recordings, and the features those of the papers. ``report`` is told of queries.
    """
    judged.check(JudgedNames(index))
    queries = {n: t for n, t in judged.queries.items() if any(g > 0 for g in judged.qrels.get(n, {}).values())}
    in_vocabulary = {name: _in_vocabulary(index, name, text) for name, text in queries.items()}
    counts = {name: _relevant(index, text, judged.qrels[name], recordings) for name, text in queries.items()}
    queries = {name: text for name, text in queries.items() if counts[name]}
    if not queries:
        raise InputError("no query has a recording that was judged relevant: there is nothing to learn from")
    digest = _digest(index, judged, queries, candidates, hearings)
    cache = FeatureCache.of(index.folder)
    data = None if recordings else cache.read(digest)
    if data is None or not _fits(data, index, queries, candidates):
        with bar("features", len(queries)) as update:

            def tell(done: int) -> None:
                update(done)
                report("features", done, len(queries))

            if recordings:
                data = recording_features(index, queries, judged.qrels, candidates, tell)
            else:
                data = query_features(index, queries, judged.qrels, candidates, tell, hearings)
        keep &= not recordings
        if keep:
            cache.write(digest, data)
    if all(len(np.unique(data.y[a:b])) == 1 for a, b in zip(data.ptr[:-1], data.ptr[1:], strict=True)):
        raise InputError("all candidates of every query have the same grade: there is nothing to learn from")
    names = list(map(str, data.query_ids))
    relevant = np.array([counts[q] for q in names])
    lost = tuple(q for q in queries if q not in set(names))
    n_judged = sum(bool(grades) for grades in judged.qrels.values())
    return Examples(
        data, relevant, np.array([in_vocabulary[q] for q in (*names, *lost)]), judged.n_judgments, digest, lost,
        n_judged, {"language": index.settings.language, "kinds": index.kinds}, queries,
    )  # fmt: skip


def _relevant(index: Index, text: str, grades: dict[str, float], recordings: bool) -> int:
    """How many places are relevant for a query; with ``recordings``, how many recordings."""
    if recordings:
        return sum(grade > 0 for grade in grades.values())
    return relevant_places(index, grades, best_places(index, parse_query(index, text)))


def _fits(data: RankingData, index: Index, queries: dict[str, str], candidates: int) -> bool:
    """Whether features that were kept can be those of these queries: a file may hold anything."""
    names = [str(q) for q in data.query_ids]
    return (
        list(data.feature_names or ()) == weak_rankers(index.kinds)
        and set(names) <= set(queries)
        and len(set(names)) == len(names)
        and bool((np.diff(data.ptr) <= candidates).all())
        and data.doc_ids is not None
        and set(map(str, data.doc_ids)) <= set(place_names(index, np.arange(index.places_before[-1])))
    )


def _in_vocabulary(index: Index, name: str, text: str) -> bool:
    """Whether all words of a query occur in the archive; raise InputError if it cannot be parsed."""
    try:
        return all(word in index.vocabulary for word in parse_query(index, text).words)
    except InputError as error:
        raise InputError(f"query {name}: {error}") from None


def _digest(
    index: Index, judged: Judged, queries: dict[str, str], candidates: int, hearings: Sequence[HeardIndex]
) -> str:
    """A fingerprint of everything that the examples depend on."""
    parts = [p._asdict() for p in index.manifest.parts]
    columns, weights = weak_rankers(index.kinds), shipped(index.kinds).id  # which choose the candidates
    content = [__version__, parts, index.manifest.settings, candidates, columns, weights, list(queries.items())]
    judgments = [[q, list(judged.qrels[q].items())] for q in queries]  # in order: the last counts
    others = [[h.name, h.weight, [p._asdict() for p in h.index.manifest.parts]] for h in hearings]
    return fingerprint(json.dumps([content, judgments, *others]), size=10)


def query_features(
    index: Index,
    queries: Mapping[str, str],
    qrels: Mapping[str, Mapping[str, float]],
    candidates: int = CANDIDATES,
    report: Callable[[int], None] = lambda done: None,
    hearings: Sequence[HeardIndex] = (),
) -> RankingData:
    """All weak rankers of every query's candidates, a row for each place, with their grades.

    Further hearings that count are part of the features and choose among the candidates. A judgment of a whole
    recording counts for its best place by the shipped weights in the own hearing; ``report`` gets the queries done.
    """
    X, y, qid, ids = [], list[float](), list[str](), list[str]()
    for done, (key, text) in enumerate(queries.items(), 1):
        heard = HeardQuery(index, text, shipped(index.kinds), hearings)
        places = heard.best(candidates)
        grades = judged_places(index, qrels.get(key, {}), best_places(index, heard.query))
        X.append(heard.table(places))
        y += [grades.get(place, 0.0) for place in places.tolist()]
        qid += [key] * len(places)
        ids += place_names(index, places)
        report(done)
    if not ids:
        raise InputError("no query has a candidate in this archive", str(index.folder))
    return RankingData(np.vstack(X), y, qid, doc_ids=ids, feature_names=weak_rankers(index.kinds))
