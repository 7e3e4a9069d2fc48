r"""Evidence of a query at places.

A *place* is a segment: an utterance, or a stretch of a long one. Places are numbered through all parts in order. The
probability that a gram :math:`g` (a word, or units in a row) is said at place :math:`x` at least once is taken to be

.. math:: p(g, x) = 1 - e^{-3 c(g, x)}

where :math:`c` is its expected count (:mod:`.grams`); where no counts are stored, :math:`\sum_k \prod_j P(u_j, k + j)`
in the confusion network or by position-specific posteriors, whichever is larger. With
:math:`\mathrm{df}(g) = \sum_x p(g, x)` and :math:`N` places, :math:`\mathrm{idf}(g) = \log \frac{N + 1/2}{df + 1/2}`,
at least 0.05. Features lie in [0, 1], so they do not grow with the length of a place, and nothing depends on how
places are grouped into recordings.

Features of a term, whose alternatives are :math:`a` (*part* and *sound* are roles of the smaller units):

``word``          :math:`1 - \prod_a (1 - p(a, x))`; several words by how often they follow each other, also from one
                  segment of a recording into the next (:mod:`.runs`), which counts for that in which they begin
``sound-all``     :math:`\rho \max_a \max(p(a, x), \min_g p(g, x))` over the n-grams of the units of :math:`a`
``sound-share``   :math:`\rho \max_a \max(p(a, x), \sum_g idf(g) p(g, x) / \sum_g idf(g))`; sounds that are large
                  (syllables) count one by one here, for a word has few of them

:math:`\rho = \min(1, \mathrm{df}(word) / \mathrm{df}(sounds))^2` for a word that is heard in the archive, else 1, where
df(sounds) is :math:`\sum_x \max_a \min_g p(g, x)`: sounds that occur far more often than the word occur by chance
(*can* in *American*).

Features of two terms that are neighbours, by the first alternative of each: ``word-pair`` (both words follow each
other), ``sound-pair`` (:math:`\min_g p` over all n-grams of their units one after the other) and ``sound-join`` (the
share, weighted by idf, of the n-grams that begin in one and end in the other).

A column of the table is a class of terms, whether a query has one term or several, and a feature; its value is the sum
over terms of that class of share × feature. The share of a term is idf over the sum of all, that of a stop word counts
a tenth; the share of a pair is the smaller one of its terms, times the number of terms over the number of pairs: a pair
with a stop word counts little.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from .kernels import evidence as kn
from .occurrences import Occurrences, df_of_any, grams_of, joining_grams, occurrences
from .reader import Index

CLASSES = ("heard", "listed", "unknown")
LEAST_IDF, STOP_SHARE = 0.05, 0.1
HEARD = 0.1  # the least df of a term that counts as heard: below it nothing tells how often its sounds occur by chance
_MOST_KEPT = 1 << 24  # numbers
_SAID = ""  # in place of a kind: the words of a term, which may begin in one segment and end in another
_TERM, _PAIR = ("all", "share"), ("pair", "join")


class Words(Protocol):
    """Words that follow each other, and their units by kind."""

    @property
    def words(self) -> tuple[str, ...]:
        """The words."""

    def units(self, kind: str) -> list[str]:
        """The units of all words."""


class ScoredTerm(Protocol):
    """A term of a query: alternatives of which any will do; ``stop`` where all of them are stop words."""

    @property
    def text(self) -> str:
        """As it is shown."""

    @property
    def alternatives(self) -> Sequence[Words]:
        """What the term may be."""

    @property
    def stop(self) -> bool:
        """Whether all alternatives are stop words."""


class ScoredQuery(Protocol):
    """The terms of a query, and the numbers of those that stand next to each other."""

    @property
    def terms(self) -> Sequence[ScoredTerm]:
        """What is scored, each once."""

    @property
    def neighbours(self) -> Sequence[tuple[int, int]]:
        """Pairs of terms that stand next to each other."""


class UnitRole(NamedTuple):
    """A kind of units smaller than words: its role, its name, and how many in a row are evidence."""

    name: str
    kind: str
    order: int

    @property
    def share_order(self) -> int:
        """How many in a row are evidence of a share."""
        return 1 if self.name == "sound" and self.order == 2 else self.order


def roles(kinds: Sequence[str]) -> dict[str, str]:
    """The roles of the kinds of units: the last is the sound, the one after words the part where it is another.

    >>> roles(["word", "syllable", "phone"])
    {'part': 'syllable', 'sound': 'phone'}
    """
    _, *others = kinds
    out = {"part": others[0]} if len(others) > 1 else {}
    return out | ({"sound": others[-1]} if others else {})


def evidence_names(kinds: Sequence[str]) -> list[str]:
    """The columns of evidence, in order; roles that no kind of units has are left out.

    >>> [name for name in evidence_names(["word", "character"]) if name.startswith("listed")]
    ['listed-one-word', 'listed-one-sound-all', 'listed-one-sound-share', 'listed-several-word', \
'listed-several-sound-all', 'listed-several-sound-share', 'listed-several-word-pair', 'listed-several-sound-pair', \
'listed-several-sound-join']
    """
    of_terms = ["word", *(f"{role}-{f}" for role in roles(kinds) for f in _TERM)]
    of_pairs = ["word-pair", *(f"{role}-{f}" for role in roles(kinds) for f in _PAIR)]
    return [
        f"{name}-{size}-{feature}"
        for name in CLASSES
        for size, features in (("one", of_terms), ("several", of_terms + of_pairs))
        for feature in features
    ]


class Evidence(NamedTuple):
    """The places with any evidence of a query, by rising number, and a row of all columns for each."""

    places: np.ndarray
    X: np.ndarray


class TermPart(NamedTuple):
    """What a term, or two neighbours, give to the score of a place: features, and weight × share × feature."""

    text: str
    name: str
    share: float
    features: dict[str, float]
    products: dict[str, float]


def place_evidence(index: Index, query: ScoredQuery) -> Evidence:
    """All columns of all places where any is above 0."""
    evidence = QueryEvidence(index, query)
    places = np.sort(evidence.order)
    X = evidence.table(places)
    there = X.max(axis=1, initial=0.0) > 0
    return Evidence(places[there], X[there])


def place_scores(index: Index, query: ScoredQuery, weights: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """Places, by rising number, and the weighted sums of their columns; what has no weight is not computed.

    Places where no column with a weight is above 0 are left out.
    """
    return QueryEvidence(index, query, weights).scores(weights)


class _Item(NamedTuple):
    """A term or a pair with its features over all rows."""

    text: str
    prefix: str
    share: float
    features: dict[str, np.ndarray]

    def columns(self) -> Iterator[tuple[str, np.ndarray]]:
        for feature, values in self.features.items():
            yield self.prefix + feature, values


class QueryEvidence:
    """The evidence of a query: the places with any are rows, and features of terms are computed over them.

    Args:
        index: of the archive.
        query: its terms and neighbours.
        weights: by column; only columns with a weight are looked up. None: all of them.
    """

    def __init__(self, index: Index, query: ScoredQuery, weights: Mapping[str, float] | None = None) -> None:
        self.index, self.query = index, query
        self.names = evidence_names(index.kinds)
        wanted = {name for name in self.names if weights is None or weights.get(name, 0.0) != 0}
        self.word = index.kinds[0]
        self.roles = [UnitRole(r, kind, index.settings.gram_order(kind)) for r, kind in roles(index.kinds).items()]
        self.n_places, self.n_counting = int(index.places_before[-1]), index.n_stretches
        self.size = "one" if len(query.terms) == 1 and not query.neighbours else "several"
        self.lists: dict[tuple[str, tuple[str, ...]], Occurrences] = {}
        self.classes, self.shares = self._weigh_terms()
        pairs = [max((self.classes[a], self.classes[b]), key=CLASSES.index) for a, b in query.neighbours]
        self.term_features = [self._wanted(c, ("word", *self._smaller(_TERM)), wanted) for c in self.classes]
        self.pair_features = [self._wanted(c, ("word-pair", *self._smaller(_PAIR)), wanted) for c in pairs]
        self.pair_classes = pairs
        self._gather()
        self.rows, self.row_of, self.order = self._number()
        self.n_rows = len(self.order)
        self._kept: list[_Item] | None = None

    def scores(self, weights: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
        """The places where a column with a weight is above 0, rising, and the weighted sums of their columns."""
        scores, there = np.zeros(self.n_rows), np.zeros(self.n_rows, np.bool_)
        for item in self._items():
            for column, values in item.columns():
                if weight := weights.get(column, 0.0):
                    scores += (weight * item.share) * values
                    there |= values > 0
        places = np.flatnonzero(self.row_of)
        rows = self.row_of[places] - 1
        there = there[rows]
        return places[there], scores[rows[there]]

    def table(self, places: np.ndarray) -> np.ndarray:
        """All columns of some places, a row each."""
        rows = self.row_of[places] - 1
        there = rows >= 0
        X = np.zeros((len(places), len(self.names)))
        number = {name: i for i, name in enumerate(self.names)}
        for item in self._items():
            for column, values in item.columns():
                X[there, number[column]] += item.share * values[rows[there]]
        return X

    def parts(self, place: int, weights: Mapping[str, float]) -> list[TermPart]:
        """What each term, and each pair of neighbours, gives to the score of a place."""
        row = int(self.row_of[place]) - 1
        out = []
        for item in self._items():
            features = {c.removeprefix(item.prefix): float(v[row]) if row >= 0 else 0.0 for c, v in item.columns()}
            products = {f: weights.get(item.prefix + f, 0.0) * item.share * x for f, x in features.items()}
            out.append(TermPart(item.text, item.prefix.split("-")[0], item.share, features, products))
        return out

    def _smaller(self, features: Sequence[str]) -> list[str]:
        return [f"{role.name}-{feature}" for role in self.roles for feature in features]

    def _wanted(self, name: str, features: Sequence[str], wanted: Container[str]) -> list[str]:
        return [f for f in features if f"{name}-{self.size}-{f}" in wanted]

    def occurrences(self, kind: str, units: Sequence[str]) -> Occurrences:
        """Where units are said in a row; kept for the next call."""
        key = (kind, tuple(units))
        if key not in self.lists:
            across = kind == _SAID
            self.lists[key] = occurrences(self.index, self.word if across else kind, units, across)
        return self.lists[key]

    def idf(self, df: float) -> float:
        """How rare a gram is."""
        return max(float(np.log((self.n_counting + 0.5) / (df + 0.5))), LEAST_IDF)

    def _weigh_terms(self) -> tuple[list[str], list[float]]:
        """The class and the share of each term."""
        classes, rarity = [], []
        listed = self.index.listed
        for term in self.query.terms:
            df = df_of_any([self.occurrences(_SAID, a.words) for a in term.alternatives])
            if df >= HEARD:
                classes.append("heard")
            else:
                in_dictionary = any(all(map(listed, a.words)) for a in term.alternatives)
                classes.append("listed" if in_dictionary else "unknown")
            rarity.append(self.idf(df) * (STOP_SHARE if term.stop else 1.0))
        return classes, [x / sum(rarity) for x in rarity]

    def _gather(self) -> None:
        """Look up all grams whose evidence is wanted."""
        for term, features in zip(self.query.terms, self.term_features, strict=True):
            for role in self.roles:
                if any(f.startswith(role.name) for f in features):
                    for words in term.alternatives:
                        units = words.units(role.kind)
                        for gram in [*grams_of(units, role.order), *grams_of(units, role.share_order)]:
                            self.occurrences(role.kind, gram)
        for pair, features in zip(self.query.neighbours, self.pair_features, strict=True):
            for feature in features:
                for key in self._pair_grams(pair, feature):
                    self.occurrences(*key)

    def _pair_grams(self, pair: tuple[int, int], feature: str) -> list[tuple[str, tuple[str, ...]]]:
        """The grams that a feature of neighbouring terms is made of."""
        left, right = (self.query.terms[i].alternatives[0] for i in pair)
        if feature == "word-pair":
            return [(self.word, (*left.words, *right.words))]
        role = next(r for r in self.roles if feature.startswith(r.name))
        a, b = left.units(role.kind), right.units(role.kind)
        if not a or not b:
            return []
        grams = joining_grams(a, b, role.order) if feature.endswith("join") else grams_of([*a, *b], role.order)
        return [(role.kind, gram) for gram in grams]

    def _number(self) -> tuple[dict[tuple[str, tuple[str, ...]], np.ndarray], np.ndarray, np.ndarray]:
        """For every gram the rows of its places, for every place its row + 1 or 0, and the place of each row."""
        row_of = np.zeros(self.n_places, np.int32)  # the system gives zeros when they are touched
        order = np.empty(min(self.n_places, sum(len(o.places) for o in self.lists.values())), np.int64)
        n, rows = 0, {}
        for key, occurrence in self.lists.items():
            rows[key] = np.empty(len(occurrence.places), np.int32)
            n = kn.number_rows(occurrence.places, row_of, order, n, rows[key])
        return rows, row_of, order[:n]

    def _items(self) -> Iterable[_Item]:
        """The terms, then the pairs, with the features that are wanted; kept for the next time unless they are many."""
        if self._kept is None:
            if self.n_rows * sum(map(len, (*self.term_features, *self.pair_features))) > _MOST_KEPT:
                return self._made_items()
            self._kept = list(self._made_items())
        return self._kept

    def _made_items(self) -> Iterator[_Item]:
        for i, term in enumerate(self.query.terms):
            if self.term_features[i]:
                features = self._term(term, self.classes[i], self.term_features[i])
                yield _Item(term.text, f"{self.classes[i]}-{self.size}-", self.shares[i], features)
        alike = len(self.query.terms) / max(len(self.query.neighbours), 1)  # 1 over the share where all are alike
        for i, pair in enumerate(self.query.neighbours):
            if self.pair_features[i]:
                share = alike * min(self.shares[t] for t in pair)
                text = " ".join(self.query.terms[t].text for t in pair)
                features = {f: self._pair(pair, f) for f in self.pair_features[i]}
                yield _Item(text, f"{self.pair_classes[i]}-{self.size}-", share, features)

    def _term(self, term: ScoredTerm, name: str, wanted: Sequence[str]) -> dict[str, np.ndarray]:
        """The features of a term."""
        missing, best = np.ones(self.n_rows), np.zeros(self.n_rows)
        for words in term.alternatives:
            key = (_SAID, words.words)
            kn.add_word(self.rows[key], self.lists[key].p, missing, best)
        features = {"word": 1.0 - missing}
        for role in self.roles:
            if not any(f.startswith(role.name) for f in wanted):
                continue
            whole, share = self._grams(self._term_grams(term, role.kind, role.order))
            if role.share_order != role.order:
                _, share = self._grams(self._term_grams(term, role.kind, role.share_order))
            chance, df = float(whole.sum()), float(features["word"].sum())
            rho = min(1.0, df / chance) ** 2 if name == "heard" and chance > 0 else 1.0
            features[f"{role.name}-all"] = rho * np.maximum(best, whole)
            features[f"{role.name}-share"] = rho * np.maximum(best, share)
        return {f: features[f] for f in wanted}

    def _term_grams(self, term: ScoredTerm, kind: str, order: int) -> list[list[tuple[str, tuple[str, ...]]]]:
        """The grams of each alternative."""
        return [[(kind, g) for g in grams_of(a.units(kind), order)] for a in term.alternatives]

    def _pair(self, pair: tuple[int, int], feature: str) -> np.ndarray:
        """A feature of two neighbouring terms."""
        whole, share = self._grams([self._pair_grams(pair, feature)])
        return share if feature.endswith("join") else whole

    def _grams(self, alternatives: Sequence[Sequence[tuple[str, tuple[str, ...]]]]) -> tuple[np.ndarray, np.ndarray]:
        """The least p of all grams, and their share weighted by idf; of several alternatives the largest."""
        whole, share = np.zeros(self.n_rows), np.zeros(self.n_rows)
        least, total, heard = np.zeros(self.n_rows), np.zeros(self.n_rows), np.zeros(self.n_rows, np.int32)
        for keys in alternatives:
            weights = [self.idf(self.lists[key].df) for key in keys]
            for number, (key, weight) in enumerate(zip(keys, weights, strict=True)):
                kn.add_gram(self.rows[key], self.lists[key].p, number, weight, heard, least, total)
            for key in keys:
                kn.take_grams(self.rows[key], len(keys), sum(weights), heard, least, total, whole, share)
        return whole, share
