"""The k best places are those of scoring every place, whatever the weights."""

import numpy as np
import pytest

import rankine as rk
from rankine.normalise import Normaliser
from rankine.spoken.archive.archive import Archive
from rankine.spoken.archive.matching import mask
from rankine.spoken.archive.ranking import (
    contributions,
    find_candidates,
    largest,
    place_table,
    ranked_places,
    unit_candidates,
    weak_rankers,
)
from rankine.spoken.archive.segments import documents_of
from rankine.spoken.index.scores import ranker_names
from rankine.spoken.index.settings import Settings
from rankine.spoken.learn.weights import Weights, shipped

from ... import reference_spoken as ref
from ..cases import SMALL, lattice, sausages
from ..index.test_evidence import KINDS, random_query, small_archive


def random_weights(rng, names):
    """Few or many weights, of one sign or both; papers' rankers only, evidence only, or both."""
    some = rng.random(len(names)) < rng.choice([0.05, 0.3, 1.0])
    which = rng.random()
    if which < 0.6:
        papers = np.array([name.split("-")[1] in ("pspl", "cn") for name in names])
        some &= papers if which < 0.3 else ~papers
    values = rng.normal(size=len(names)) if rng.random() < 0.7 else rng.random(len(names))
    if rng.random() < 0.2:
        values = np.round(values)  # ties
    return {n: float(v) for n, v, keep in zip(names, values, some, strict=True) if keep and v != 0}


def everything(archive, query, weights, documents=None):
    """All places with a column that has a weight and is above 0, and their scores, by scoring every place."""
    index = archive.index
    places = np.arange(index.places_before[-1])
    X = place_table(index, query, places)
    scores = {}
    keep = mask(index, query, places)
    if documents is not None:
        keep &= documents[documents_of(index, places)]
    for place, row in enumerate(X):
        parts = {n: x for n, x in zip(weak_rankers(index.kinds), row, strict=True) if weights.get(n, 0.0) != 0}
        if keep[place] and any(x > 0 for x in parts.values()):
            scores[place] = round(sum(weights[n] * x for n, x in parts.items()), 10)
    return scores


def in_order(archive, scores, k):
    names = [
        archive.index.name_of(d)
        for d in documents_of(archive.index, np.arange(archive.index.places_before[-1])).tolist()
    ]
    return sorted(scores, key=lambda place: (-scores[place], names[place], place))[:k]


@pytest.mark.parametrize("kinds", KINDS, ids=lambda kinds: list(kinds)[-1])
def test_the_best_places_are_those_of_scoring_all(kinds, tmp_path, monkeypatch):
    monkeypatch.setattr("rankine.spoken.archive.ranking._FIRST", 1)
    rng = np.random.default_rng(10 + len(kinds))
    for trial in range(12):
        archive = small_archive(tmp_path / str(trial), rng, kinds, n=9)
        names = weak_rankers(archive.kinds)
        for _ in range(60):
            query = archive.parse(random_query(rng))
            by_name = random_weights(rng, names)
            weights = Weights.of(by_name, names)
            documents = rng.random(len(archive)) < 0.7 if rng.random() < 0.3 else None
            k = int(rng.integers(1, 6))
            ranking = ranked_places(archive.index, query, weights, k, documents)
            want = everything(archive, query, by_name, documents)
            assert [round(s, 10) for _, s in ranking] == pytest.approx(
                [want[p] for p in in_order(archive, want, k)], abs=2e-10
            )
            assert all(want[p] == pytest.approx(s, abs=1e-9) for p, s in ranking)
            whole = ranked_places(archive.index, query, weights, None, documents)
            assert ranking == whole[:k]
            assert len(whole) == len(want)
            for (_, score), parts in zip(
                ranking, contributions(archive.index, query, weights, [p for p, _ in ranking]), strict=True
            ):
                assert sum(parts.values()) == pytest.approx(score, abs=1e-9)


def test_scores_do_not_depend_on_filters_or_k(tmp_path):
    rng = np.random.default_rng(0)
    archive = small_archive(tmp_path / "a", rng, KINDS[2], n=12)
    weights = shipped(archive.kinds)
    query = archive.parse("can not")
    whole = dict(ranked_places(archive.index, query, weights))
    assert len(whole) > 3
    for _ in range(20):
        documents = rng.random(len(archive)) < 0.5
        some = dict(ranked_places(archive.index, query, weights, int(rng.integers(1, 9)), documents))
        assert some.items() <= whole.items()


def test_equal_places_come_by_name_and_time(tmp_path):
    names = [f"d{i:03d}" for i in range(120)]
    results = []
    for order, place in ((names, "a"), (names[::-1], "b")):
        archive = Archive.create(tmp_path / place, SMALL)
        archive.add_lattices([(n, lattice(3)) for n in order])
        text = " ".join(lattice(3).units)
        for candidates in (None, 10):
            hits = archive.search(text, k=3, candidates=candidates)
            results.append([(h.document, h.score) for h in hits])
    assert [d for d, _ in results[0]] == names[:3]
    assert all(r == results[0] for r in results)


def test_the_largest():
    rng = np.random.default_rng(0)
    for _ in range(300):
        scores = rng.integers(0, 5, int(rng.integers(0, 12))) / 2
        names = rng.permutation(len(scores))
        k = int(rng.integers(1, 15))
        want = sorted(range(len(scores)), key=lambda i: (-scores[i], names[i]))[:k]
        assert largest(scores, k, names.__getitem__).tolist() == want


def test_candidates(several):
    query = several.parse("w0 w7")
    X = several.score(query, np.arange(several.index.places_before[-1]))
    names = several.ranker_names
    unigrams = X[:, [i for i, n in enumerate(names) if n.endswith(("cn-1", "pspl-1"))]].sum(axis=1)
    assert unit_candidates(several.index, query).tolist() == np.flatnonzero(unigrams > 0).tolist()
    assert unigrams[unit_candidates(several.index, query, 5)].min() >= np.sort(unigrams)[-5] - 1e-12
    weights = shipped(several.kinds)
    best = ranked_places(several.index, query, weights)
    for most in (1, 5, 1000):
        assert find_candidates(several.index, query, most).tolist() == sorted(p for p, _ in best[:most])
        assert several.candidates(query, most).tolist() == sorted(p for p, _ in best[:most])


def test_a_lossy_search_is_the_best_of_its_candidates(several):
    rng = np.random.default_rng(1)
    for text in ("w0 w1", "w2", "w1 w3 w4"):
        query = several.parse(text)
        by_name = random_weights(rng, several.ranker_names) | {"word-cn-1": 1.0}
        want = everything(several, query, by_name)
        for candidates in (1, 4, 10):
            ranking = ranked_places(
                several.index, query, Weights.of(by_name, several.ranker_names), 3, None, candidates
            )
            some = set(find_candidates(several.index, query, max(candidates, 3)).tolist())
            order = in_order(several, {p: s for p, s in want.items() if p in some}, 3)
            assert [p for p, _ in ranking] == order


def test_weights_on_normalised_scores_rank_the_candidates(taught):
    archive, judged = taught
    rng = np.random.default_rng(1)
    papers = ranker_names(archive.kinds)
    for names, chooser in ((papers, unit_candidates), (archive.ranker_names, find_candidates)):
        for normalise in ("query-minmax", "query-zscore"):
            values = rng.normal(size=len(names))  # of either sign
            archive.use_weights(Weights(tuple(names), tuple(values.tolist()), normalise, "test", {"candidates": 9}))
            for text in judged.queries.values():
                query = archive.parse(text)
                places = chooser(archive.index, query, 9)
                X = place_table(archive.index, query, places, names)
                data = rk.RankingData(X, np.zeros(len(X)), np.zeros(len(X)))
                X = Normaliser(normalise).fit(data).apply(data).X
                scores = dict(zip(places.tolist(), (X @ values).tolist(), strict=True))
                ranking = ranked_places(archive.index, query, archive.weights, 7)
                assert [s for _, s in ranking] == pytest.approx(sorted(scores.values(), reverse=True)[:7], abs=1e-9)
                assert all(scores[p] == pytest.approx(s, abs=1e-9) for p, s in ranking)
                documents = rng.random(len(archive)) < 0.5
                some = dict(ranked_places(archive.index, query, archive.weights, 7, documents))
                assert all(scores[p] == pytest.approx(s, abs=1e-9) for p, s in some.items())
                for h in archive.search(text, k=3):
                    assert h.score == pytest.approx(sum(h.contributions.values()), abs=1e-9)
    archive.use_weights(None)
    assert archive.weights is None


def test_a_reader_keeps_its_state_while_a_writer_merges(tmp_path):
    rng = np.random.default_rng(5)
    archive = small_archive(tmp_path / "a", rng, KINDS[2])
    queries = [archive.parse(random_query(rng)) for _ in range(10)]
    weights = Weights.of(random_weights(rng, archive.ranker_names) | {"heard-one-word": 1.0}, archive.ranker_names)
    before = [ranked_places(archive.index, q, weights, 4) for q in queries]
    other = Archive(tmp_path / "a")
    other.merge()
    other.delete([archive.documents[0]])
    assert [ranked_places(archive.index, q, weights, 4) for q in queries] == before


def named(archive, ranking):
    names = [
        archive.index.name_of(d)
        for d in documents_of(archive.index, np.array([p for p, _ in ranking], np.int64)).tolist()
    ]
    return sorted((n, round(s, 11)) for n, (_, s) in zip(names, ranking, strict=True))


def test_merging_changes_no_score(tmp_path):
    rng = np.random.default_rng(6)
    for trial in range(10):
        archive = small_archive(tmp_path / str(trial), rng, KINDS[2])
        texts = [random_query(rng) for _ in range(10)]
        weights = Weights.of(random_weights(rng, archive.ranker_names) | {"heard-one-word": 1.0}, archive.ranker_names)
        before = [named(archive, ranked_places(archive.index, archive.parse(t), weights)) for t in texts]
        archive.merge()
        assert len(archive.index.parts) == 1
        assert [named(archive, ranked_places(archive.index, archive.parse(t), weights)) for t in texts] == before


def test_phrases_are_looked_for_before_the_cut(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    lines = [f"d{i} [ b 1 ] [ x 1 ] [ a 1 ] [ x 1 ] [ a 1 ]" for i in range(9)]
    archive.add(sausages(tmp_path / "s.sausage", *lines, "zz [ x 1 ] [ a 0.5 ] [ b 0.5 ]"))
    assert [h.document for h in archive.search('"a b"', candidates=3)] == ["zz"]
    assert archive.features({"q": '"a b"'}).doc_ids.tolist() == ["zz"]


def test_nothing(tmp_path):
    archive = Archive.create(tmp_path / "a", Settings(dict(KINDS[2])))
    for names in (ranker_names(archive.kinds), weak_rankers(archive.kinds)):
        weights = Weights.of(dict.fromkeys(names, 1.0), weak_rankers(archive.kinds))
        assert ranked_places(archive.index, archive.parse("can"), weights, 3) == []
    assert ref.evidence(ref.Counts(archive), archive.parse("can")) == []
