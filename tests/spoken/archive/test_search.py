"""Search: candidates, phrases, filters, and the first k of all candidates."""

from dataclasses import replace

import numpy as np
import pytest

import rankine as rk
from rankine.normalise import Normaliser
from rankine.spoken.archive.archive import Archive
from rankine.spoken.learn.weights import Weights

from ..cases import SMALL, filled, lattice, sausages


def test_candidates_are_the_documents_with_a_score(several):
    query = several.parse("w0 w7")
    features = several.score(query, np.arange(len(several)))
    unigrams = [i for i, n in enumerate(several.ranker_names) if n.endswith("cn-1")]
    want = np.flatnonzero(features[:, unigrams].sum(axis=1) > 0)
    assert several.candidates(query).tolist() == want.tolist()
    few = several.candidates(query, most=5)
    assert len(few) == 5
    assert features[few][:, unigrams].sum(axis=1).min() >= np.sort(features[:, unigrams].sum(axis=1))[-5] - 1e-12
    data = several.features({"a": "w0", "b": "w1 w2"}, {"a": {"d03": 2.0}})
    assert data.feature_names == tuple(several.ranker_names)
    assert data.y.sum() == 2


def test_phrases_are_looked_for_before_the_cut(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    lines = [f"d{i} [ b 1 ] [ x 1 ] [ a 1 ] [ x 1 ] [ a 1 ]" for i in range(9)]
    archive.add(sausages(tmp_path / "s.sausage", *lines, "zz [ x 1 ] [ a 0.5 ] [ b 0.5 ]"))
    assert [h.document for h in archive.search('"a b"', candidates=3)] == ["zz"]
    assert archive.features({"q": '"a b"'}).doc_ids.tolist() == ["zz"]


def test_equal_documents_come_by_name(tmp_path):
    names = [f"d{i:03d}" for i in range(120)]
    results = []
    for order, place in ((names, "a"), (names[::-1], "b")):
        archive = Archive.create(tmp_path / place, SMALL)
        archive.add_lattices([(n, lattice(3)) for n in order])
        text = " ".join(lattice(3).units)
        results.append([(h.document, h.score) for h in archive.search(text, k=3)])
        results.append([(h.document, h.score) for h in archive.search(text, k=3, candidates=10)])
    assert [d for d, _ in results[0]] == names[:3]
    assert all(r == results[0] for r in results)


def test_a_word_in_near_empty_slots_is_found(tmp_path):
    archive = Archive.create(tmp_path / "a", replace(SMALL, skip=0.2))
    archive.add(sausages(tmp_path / "s.sausage", "u [ rare 0.1 ] [ usual 1 ]"))
    assert archive.search("rare")


def test_top_k_is_that_of_scoring_all_candidates(taught, tmp_path):
    archive, judged = taught
    rng = np.random.default_rng(1)
    for normalise in ("query-minmax", "query-zscore", None):
        values = tuple(rng.normal(size=len(archive.ranker_names)).tolist())  # of either sign
        archive.use_weights(Weights(tuple(archive.ranker_names), values, normalise, "test", {}))
        for text in judged.queries.values():
            query = archive.parse(text)
            docs = archive.candidates(query)
            X = archive.score(query, docs)
            if normalise is not None:
                data = rk.RankingData(X, np.zeros(len(X)), np.zeros(len(X)))
                X = Normaliser(normalise).fit(data).apply(data).X
            scores = {archive.index.name_of(d): s for d, s in zip(docs.tolist(), X @ np.array(values), strict=True)}
            want = sorted(scores, key=lambda n: (-round(scores[n], 10), n))[:7]
            hits = archive.search(text, k=7)
            assert [round(scores[h.document], 10) for h in hits] == [round(scores[n], 10) for n in want]
            for h in hits:
                assert h.score == pytest.approx(sum(h.contributions.values()), abs=1e-9)
    archive.use_weights(None)
    assert archive.weights is None


def test_filters(several):
    both = several.search("w0", k=50)
    ann = several.search("w0", k=50, speaker="ann")
    assert {h.document for h in ann} == {h.document for h in both if h.speaker == "ann"} != set()
    late = several.search("w0", k=50, since="2026-03", until="2026-04")
    assert {h.date[:7] for h in late} == {"2026-03", "2026-04"}
    with pytest.raises(rk.InputError, match=r"no recording is by the speaker 'anna'\. Did you mean 'ann'"):
        several.search("w0", speaker="anna")


def test_weights_of_the_caller(several):
    query = several.parse("w0")
    want = several.score(query, several.candidates(query))[:, 0].max() * 2
    assert several.search("w0", k=1, weights={"word-pspl-1": 2.0})[0].score == pytest.approx(want)
    with pytest.raises(rk.InputError, match="no weak ranker is called 'word-cn-9'"):
        several.search("w0", weights={"word-cn-9": 1})


def test_what_cannot_be_searched(tmp_path):
    archive = filled(tmp_path / "a", ["d"])
    with pytest.raises(rk.InputError, match="nothing in the query 'zzz' occurs in this archive"):
        archive.search("zzz")
    with pytest.raises(rk.InputError, match="k must be at least 1, got 0"):
        archive.search("w0", k=0)
    with pytest.raises(rk.InputError, match="no query has a candidate"):
        archive.features({"1": "zzz"})
