"""Evidence at places is that of the definitions."""

import numpy as np
import pytest

from rankine.spoken.archive import Archive
from rankine.spoken.index.evidence import QueryEvidence, evidence_names, place_evidence, place_scores, roles
from rankine.spoken.index.settings import Settings
from rankine.spoken.lattice.lattice import Lattice

from ... import reference_spoken as ref
from ..cases import recordings

KINDS = (
    {"word": "words"},
    {"word": "words", "character": "characters"},
    {"word": "words", "syllable": "syllables", "phone": "phones"},
)
WORDS = ("can", "american", "a", "its", "it's", "two", "to", "ban", "banana", "cannot", "not", "xqzt")


def small_lattice(rng, words=WORDS, longest=6):
    """A lattice of a few words, some of them unsure, some without a sound."""
    arcs, n = [], int(rng.integers(1, longest))
    for i in range(n):
        for word in rng.choice(words, int(rng.integers(1, 4)), replace=False):
            arcs.append((i, i + 1, str(word), float(rng.normal(0, 2)), float(i), i + 0.9))
        if rng.random() < 0.3:
            arcs.append((i, i + 1, None, float(rng.normal(0, 2)), float(i), i + 0.9))
    return Lattice.from_arcs(arcs, 0, n)


def small_archive(place, rng, kinds, n=6, words=WORDS):
    archive = Archive.create(place, Settings(dict(kinds)))
    for part in range(int(rng.integers(1, 4))):
        archive.lattices.add([(f"d{part}{i}", small_lattice(rng, words)) for i in range(int(rng.integers(1, n)))])
    return archive


def random_query(rng, words=(*WORDS, "zebra", "nan", "5", "grfzt")):
    pieces = []
    for _ in range(int(rng.integers(1, 4))):
        word = str(rng.choice(words))
        kind = rng.random()
        if kind < 0.1:
            pieces.append(f'"{word} {rng.choice(words)}"')
        elif kind < 0.2:
            pieces.append(f"{word} OR {rng.choice(words)}")
        elif kind < 0.3 and len(word) > 1:
            pieces.append(f"{word[:2]}*")
        else:
            pieces.append(word)
    return " ".join(pieces)


def assert_evidence(archive, counts, text):
    query = archive.parse(text)
    names = evidence_names(archive.kinds)
    want = ref.evidence(counts, query)
    places, X = place_evidence(archive.index, query)
    assert places.tolist() == [x for x, row in enumerate(want) if row]
    for x, row in zip(places.tolist(), X, strict=True):
        assert dict(zip(names, row.tolist(), strict=True)) == pytest.approx(
            dict.fromkeys(names, 0.0) | want[x], abs=1e-11
        )
    return places, X


@pytest.mark.parametrize("kinds", KINDS, ids=lambda kinds: list(kinds)[-1])
def test_evidence_is_that_of_the_definitions(kinds, tmp_path):
    rng = np.random.default_rng(len(kinds))
    classes = set()
    for trial in range(25):
        archive = small_archive(tmp_path / str(trial), rng, kinds)
        if trial % 5 == 1:
            archive.merge()
        if trial % 5 == 2 and len(archive) > 1:
            archive.recordings.delete([archive.recordings.names[0]])
        counts = ref.Counts(archive)
        names = evidence_names(archive.kinds)
        for _ in range(12):
            text = random_query(rng)
            places, X = assert_evidence(archive, counts, text)
            assert (X >= 0).all()
            assert (X <= 1 + 1e-12).all()
            classes |= {n.split("-")[0] for n, x in zip(names, X.max(axis=0, initial=0), strict=True) if x > 0}
            weights = {n: float(rng.normal()) for n in names if rng.random() < 0.7}
            some, scores = place_scores(archive.index, archive.parse(text), weights)
            w = np.array([weights.get(n, 0.0) for n in names])
            keep = (X[:, w != 0] > 0).any(axis=1)
            assert some.tolist() == places[keep].tolist()
            np.testing.assert_allclose(scores, X[keep] @ w, atol=1e-12)
    assert classes == (
        {"heard", "listed", "unknown"}
        if len(kinds) == 3
        else {"heard", "listed"}
        if len(kinds) == 2
        else {"heard", "unknown"}
    )


@pytest.mark.parametrize("seed", range(100, 115))
def test_words_of_a_term_may_cross_segments(tmp_path, seed):
    archive = recordings(tmp_path, seed)
    rng, counts, crossing = np.random.default_rng(seed), ref.Counts(archive), 0
    for _ in range(12):
        a, b, c, d = (f"w{i}" for i in rng.integers(4, size=4))
        text = str(rng.choice([f'"{a} {b}" OR {c}', f'"{a} {b} {c}" OR "{c} {d}" {a}', f'{a} {b} OR "{a} {b}"']))
        assert_evidence(archive, counts, text)
        crossing += sum(counts.p_across("word", (a, b), x) > counts.p("word", (a, b), x) for x in range(len(counts)))
    assert crossing > 0 or len(counts) < 6


def test_names():
    assert len(evidence_names(["word", "syllable", "phone"])) == 45
    assert roles(["word"]) == {}
    assert roles(["word", "a", "b", "c"]) == {"part": "a", "sound": "c"}
    assert evidence_names(["word"])[:3] == ["heard-one-word", "heard-several-word", "heard-several-word-pair"]


def test_parts_of_a_score(tmp_path):
    rng = np.random.default_rng(0)
    archive = small_archive(tmp_path / "a", rng, KINDS[2])
    weights = {n: float(rng.normal()) for n in evidence_names(archive.kinds)}
    query = archive.parse("can not zebra")
    places, scores = place_scores(archive.index, query, weights)
    for place, score in zip(places.tolist(), scores.tolist(), strict=True):
        parts = QueryEvidence(archive.index, query).parts(place, weights)
        assert [p.text for p in parts] == ["can", "not", "zebra", "can not", "not zebra"]
        assert sum(p.share for p in parts[:3]) == pytest.approx(1)
        assert sum(sum(p.products.values()) for p in parts) == pytest.approx(score, abs=1e-12)
        assert all(0 <= x <= 1 for p in parts for x in p.features.values())


def test_an_empty_archive(tmp_path):
    archive = Archive.create(tmp_path / "a", Settings(dict(KINDS[2])))
    places, X = place_evidence(archive.index, archive.parse("can not"))
    assert (len(places), X.shape) == (0, (0, 45))
