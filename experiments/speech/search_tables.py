"""Judged queries of every hearing, and the columns of the places that have any evidence of them.

Queries are the declared ones of :mod:`.spoken` (sequences of one to three words in at least five transcripts, in the
small sample in at least two), 200 pairs of neighbouring words, the words that were taken out of the recogniser's
dictionary and pairs that hold one, names that it never knew, and those of the sample. A place is relevant if the words
stand in its transcript, one after the other. People also ask for words that do not follow each other: *apart* are 100
pairs of words of one transcript with at least two others between them, for which a place is relevant that has both;
*either* are 100 pairs of words of any transcripts, for which a place is relevant that has one of them. For what Whisper
and Vosk heard, *rare* are all content words and names that occur in 1 to 5 transcripts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from rankine.data.ranking_data import RankingData
from rankine.sample import spoken_sample
from rankine.spoken.archive import Archive
from rankine.spoken.index import schema
from rankine.spoken.index.about import About
from rankine.spoken.index.evidence import place_evidence
from rankine.spoken.index.reader import Index
from rankine.spoken.index.settings import LANGUAGES, Settings
from rankine.spoken.lattice.formats import Reading
from rankine.spoken.learn.judgments import Judged, read_qrels, read_queries
from rankine.spoken.learn.learning import Examples
from rankine.spoken.recordings.places import recordings_of
from rankine.spoken.search.ranking import parse_query, place_table, weak_rankers
from rankine.spoken.text import STOP_WORDS
from rankine.system.temporary import temporary_folder

from .search_speech import Hearing, write_dictionary
from .spoken import SpokenCollection, judged_queries

PAIRS, PAIR_SEED, LONGEST = 200, 2, 60
MOST_TEXTS, SHORTEST = 5, 4  # of a rare word: in so many transcripts it occurs, so many letters it has
APART, BETWEEN = 100, 2
NAMES = (
    "bodoni caslon coldbath compter compters didot elzevirs giltspur islington leew ludgate maintz marshalsea mentelin "
    "michaelmas pannartz rubeus schoeffer subiaco sweynheim udalric vindelin worde wynkyn"
).split()  # proper names in the LJ transcripts that are not in the recogniser's dictionary


@dataclass(frozen=True)
class JudgedSet:
    """Queries of a hearing: a row of all columns for each place with any evidence; ``recordings`` are theirs."""

    name: str
    collection: str
    examples: Examples
    recordings: np.ndarray

    @property
    def data(self) -> RankingData:
        """The rows."""
        return self.examples.data

    def columns(self, names: Sequence[str]) -> np.ndarray:
        """Some columns, in this order."""
        number = {name: i for i, name in enumerate(self.data.feature_names or ())}
        return np.asarray(self.data.X, np.float64)[:, [number[name] for name in names]]

    def precision(self, scores: np.ndarray) -> np.ndarray:
        """AP of each query as trec_eval computes it; queries without any place have 0."""
        values = self.examples.average_precision(self.data, scores)
        return np.concatenate([values, np.zeros(len(self.examples.lost))])


def word_pairs(texts: Mapping[str, list[str]], most: int, english: bool = True) -> list[tuple[str, ...]]:
    """Pairs of neighbouring words, drawn with a seed; English ones have more than three letters each."""
    pairs = sorted(
        {(a, b) for text in texts.values() for a, b in pairwise(text) if not english or min(len(a), len(b)) > 3}
    )
    picks = np.random.default_rng(PAIR_SEED).choice(len(pairs), min(most, len(pairs)), replace=False)
    return [pairs[i] for i in picks.tolist()]


def words_apart(texts: Mapping[str, list[str]], english: bool) -> dict[str, Judged]:
    """Queries of two words that do not follow each other: both in a place (``apart``), or one of them (``either``)."""
    rng, stop = np.random.default_rng(PAIR_SEED), STOP_WORDS["en" if english else "zh"]
    content = {
        u: [(i, w) for i, w in enumerate(text) if w not in stop and len(w) > (3 if english else 1)]
        for u, text in texts.items()
    }
    near = sorted({(a, b) for some in content.values() for i, a in some for j, b in some if j - i > BETWEEN and a != b})
    every = sorted({w for some in content.values() for _, w in some})
    apart = [near[i] for i in rng.choice(len(near), min(APART, len(near)), replace=False).tolist()]
    either = [(every[i], every[j]) for i, j in rng.choice(len(every), (APART, 2)).tolist() if i != j]
    return {"apart": _both_or_one(texts, apart, all), "either": _both_or_one(texts, either, any)}


def _both_or_one(
    texts: Mapping[str, list[str]], queries: list[tuple[str, str]], how: Callable[[Iterable[bool]], bool]
) -> Judged:
    """Queries by number; a place is relevant that has all, or any, of the words."""
    names = [f"{i:03d}" for i in range(len(queries))]
    qrels = [{u: 1.0 for u, text in texts.items() if how(w in text for w in q)} for q in queries]
    return Judged(dict(zip(names, map(" ".join, queries), strict=True)), dict(zip(names, qrels, strict=True)))


def rare_words(texts: Mapping[str, Sequence[str]]) -> Judged:
    """Every word of some length that is no stop word and occurs in few texts; those are relevant."""
    counts = Counter(w for text in texts.values() for w in set(text))
    words = sorted(
        w for w, n in counts.items()
        if n <= MOST_TEXTS and len(w) >= SHORTEST and w.isalpha() and w not in STOP_WORDS["en"]
    )  # fmt: skip
    return Judged({w: w for w in words}, {w: {u: 1.0 for u, t in texts.items() if w in t} for w in words})


def query_sets(hearing: Hearing) -> dict[str, Judged]:
    """The queries of a hearing, by what they are called.

    These are ``declared``, ``pairs``, ``apart``, ``either``, ``words``, ``names``, ``rare`` and ``own``.
    """
    c = SpokenCollection(hearing.name, hearing.language, hearing.source, Reading(), dict(hearing.texts))
    if hearing.without:
        words = set(hearing.without)
        pairs = [p for p in word_pairs(hearing.texts, 10**9) if words & set(p)][:PAIRS]
        return {"words": _judged(c, [(w,) for w in hearing.without]), "pairs": _judged(c, pairs)}
    english = hearing.language == "en"
    sets = {"pairs": _judged(c, word_pairs(hearing.texts, PAIRS, english)), **words_apart(hearing.texts, english)}
    if hearing.name == "sample":
        with spoken_sample() as place:
            sets["own"] = Judged(read_queries(place / "queries.tsv"), read_qrels(place / "qrels.txt"))
    else:
        sets["declared"] = judged_queries(c, 2) if hearing.collection == "sample" else judged_queries(c)
    if "whisper" in hearing.name or "vosk" in hearing.name:
        sets["rare"] = rare_words(hearing.texts)
    if hearing.name == "lj":
        sets["names"] = _judged(c, [(w,) for w in NAMES])
    return sets


def _judged(c: SpokenCollection, queries: list[tuple[str, ...]]) -> Judged:
    qrels = [{u: 1.0 for u, text in c.texts.items() if c.contains(text, q)} for q in queries]
    there = [(q, grades) for q, grades in zip(queries, qrels, strict=True) if grades]
    names = [f"{i:03d}" for i in range(len(there))]
    return Judged(
        {n: c.blank.join(q) for n, (q, _) in zip(names, there, strict=True)},
        {n: grades for n, (_, grades) in zip(names, there, strict=True)},
    )


def judged_sets(hearing: Hearing, joined: bool = False) -> list[JudgedSet]:
    """Index a hearing (``joined``: into recordings of 1 to 60 utterances), and compute the columns of its queries."""
    with temporary_folder("rankine-search-") as temporary:
        folder = Path(temporary)
        dictionary = write_dictionary(folder / "words.dict", hearing.without) if hearing.hidden else None
        settings = Settings(dict(LANGUAGES[hearing.language]))
        if hearing.prune is not None:
            settings = Settings(dict(LANGUAGES[hearing.language]), prune=hearing.prune)
        archive = Archive.create(folder / "archive", settings, dictionary)
        about = joined_recordings(sorted(hearing.texts)) if joined else None
        archive.lattices.index(hearing.source, about, scoring=hearing.scoring)
        name = "joined" if joined else hearing.name
        return [
            JudgedSet(f"{name} {kind}", hearing.collection, *set_rows(archive.index, judged))
            for kind, judged in query_sets(hearing).items()
        ]


def joined_recordings(utterances: list[str], seed: int = 0) -> dict[str, About]:
    """Utterances one after the other as recordings of 1 to 60, the lengths drawn with a seed."""
    rng, out, number = np.random.default_rng(seed), dict[str, About](), 0
    while len(out) < len(utterances):
        number += 1
        for i, utterance in enumerate(utterances[len(out) : len(out) + int(rng.integers(1, LONGEST + 1))]):
            out[utterance] = About(f"tape-{number:02d}", offset=100.0 * i)
    return out


def best_places(names: Sequence[str], places: np.ndarray, evidence: np.ndarray) -> np.ndarray:
    """Of the places of each name the one with the most evidence, of equal ones the first; rising.

    >>> best_places(["u", "u", "v"], np.array([3, 4, 5]), np.array([0.1, 0.2, 0.1])).tolist()
    [4, 5]
    """
    best: dict[str, int] = {}
    for i, name in enumerate(names):
        if name not in best or evidence[i] > evidence[best[name]]:
            best[name] = i
    return np.sort(places[list(best.values())])


def set_rows(index: Index, judged: Judged) -> tuple[Examples, np.ndarray]:
    """A row for each utterance with any evidence of a query: that of its place with the most evidence."""
    utterances = [name for part in index.parts for name in part.texts(schema.UTTERANCE_NAME).all()]
    X, y, qid, ids, recordings = [], list[float](), list[str](), list[str](), []
    for key, text in judged.queries.items():
        query = parse_query(index, text)
        places, columns = place_evidence(index, query)
        places = best_places([utterances[place] for place in places.tolist()], places, columns.sum(axis=1))
        names = [utterances[place] for place in places.tolist()]
        X.append(place_table(index, query, places))
        y += [judged.qrels[key].get(name, 0.0) for name in names]
        qid += [key] * len(places)
        ids += names
        recordings.append(recordings_of(index, places))
    data = RankingData(np.vstack(X), y, qid, doc_ids=ids, feature_names=weak_rankers(index.kinds))
    names = list(map(str, data.query_ids))
    relevant = np.array([sum(g > 0 for g in judged.qrels[q].values()) for q in names])
    lost = tuple(q for q in judged.queries if q not in set(names))
    in_vocabulary = np.ones(len(judged.queries), np.bool_)
    examples = Examples(data, relevant, in_vocabulary, judged.n_judgments, "", lost)
    return examples, np.concatenate(recordings)[data.order] if len(recordings) else np.zeros(0, np.int64)
