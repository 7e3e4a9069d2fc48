"""The experiment that learns the shipped weights, on made sets of queries."""

import numpy as np
import pytest

import rankine as rk
from experiments.speech import search
from experiments.speech.noise import with_noise
from experiments.speech.search import SearchTrial, few_changes, recording_precisions, shipped_weights, weight_rows
from experiments.speech.search_speech import removed_words, sample_texts
from experiments.speech.search_tables import JudgedSet, joined_recordings, query_sets, word_pairs
from experiments.speech.search_weights import NAMES, ascent, average_precisions, keeps_promise, words_alone
from rankine.spoken.index.scores import ranker_names
from rankine.spoken.learn.learning import Examples

from ... import reference as ref

COLUMNS = [*ranker_names(["word", "syllable", "phone"]), *NAMES]


def judged_set(name, collection, seed, signal, queries=12, places=15):
    """Queries for which one column tells what is relevant, and words tell half of it."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(queries), places)
    y = (rng.random(len(qid)) < 0.3).astype(float)
    y[::places], y[1::places] = 1.0, 0.0
    X = np.zeros((len(qid), len(COLUMNS)))
    X[:, COLUMNS.index("heard-one-word")] = 0.5 * rng.random(len(qid)) + 0.2 * y
    X[:, COLUMNS.index(signal)] = 0.5 * rng.random(len(qid)) + 0.4 * y
    X[:, :18] = rng.random((len(qid), 18)) + 0.3 * y[:, None]
    ids = [f"u{i:03d}" for i in range(len(qid))]
    data = rk.RankingData(X, y, qid.astype(str), doc_ids=ids, feature_names=COLUMNS)
    relevant = np.add.reduceat(y > 0, data.ptr[:-1]).astype(int)
    examples = Examples(data, relevant, np.ones(queries, np.bool_))
    return JudgedSet(name, collection, examples, rng.integers(0, 6, len(qid)))


def test_average_precision_is_that_of_the_definition():
    rng = np.random.default_rng(0)
    for _ in range(1000):
        m = int(rng.integers(1, 8))
        scores, relevant = rng.integers(0, 3, (3, m)).astype(float), rng.random(m) < 0.5
        relevant[int(rng.integers(m))] = True
        values = average_precisions(scores, relevant, int(relevant.sum()))
        for row, value in zip(scores, values.tolist(), strict=True):
            ranked = [int(relevant[i]) for i in sorted(range(m), key=lambda i: (-row[i], i))]
            assert value == pytest.approx(ref.average_precision(ranked, ranked))


def test_ascent_finds_what_helps_and_keeps_the_promise():
    sets = [judged_set("a one", "a", 0, "heard-one-sound-all"), judged_set("b one", "b", 1, "heard-one-sound-all")]
    weights = ascent(sets)
    assert keeps_promise(weights)
    assert weights[NAMES.index("heard-one-sound-all")] > 0
    assert not keeps_promise(-words_alone())
    heavy = words_alone() + 3 * np.array([n == "heard-one-sound-all" for n in NAMES])
    assert keeps_promise(heavy)
    assert not keeps_promise(4 * heavy - 3.9 * words_alone())
    for s in sets:
        before, after = (s.precision(s.columns(NAMES) @ w).mean() for w in (words_alone(), weights))
        assert after > before


def test_weights_are_tested_without_their_collection(monkeypatch):
    made = (("sample own", "sample"), ("lj declared", "lj"), ("joined declared", "lj"))
    sets = [judged_set(*names, seed, "heard-one-part-all") for seed, names in enumerate(made)]
    trial = SearchTrial(sets)
    np.testing.assert_array_equal(trial.without["lj"], ascent(sets[:1]))
    np.testing.assert_array_equal(trial.without["sample"], ascent(sets[1:2]))
    np.testing.assert_array_equal(trial.shipped, ascent(sets[:2]))
    names = {"LJ": ("lj declared",), "sample": ("sample own",), "joined": ("joined declared",)}
    monkeypatch.setattr(search, "COLUMNS", names)
    table = {row[0]: row[1:] for row in search.main_table(trial)}
    want = sets[1].precision(sets[1].columns(NAMES) @ trial.without["lj"]).mean()
    assert table["shipped"][0] == f"{want:.4f}"
    assert table["demo's"][1] == "-"
    assert set(table) == set(search.SYSTEMS)
    weights = shipped_weights(trial)
    assert weights.by_name == dict(zip(NAMES, trial.shipped.tolist(), strict=True))
    assert weights.provenance["queries"] == 24
    assert len(weight_rows(trial.shipped)) == 10
    assert len(few_changes(sets[1], trial.without["lj"], draws=2)) == 2


def test_recordings():
    s = judged_set("joined declared", "lj", 0, "heard-one-part-all")
    best = recording_precisions(s, np.asarray(s.data.y), "best")
    np.testing.assert_allclose(best, 1.0)
    assert (recording_precisions(s, -np.asarray(s.data.y), "best") < 1).any()


def test_joined_recordings():
    names = [f"u{i:03d}" for i in range(385)]
    about = joined_recordings(names)
    assert list(about) == names
    lengths = np.unique([a.recording for a in about.values()], return_counts=True)[1]
    assert 1 <= lengths.min() < lengths.max() <= 60
    assert joined_recordings(names) == about


def test_noise_has_the_stated_level():
    samples = 3000 * np.sin(np.arange(160000) / 20)
    for decibels in (20, 10):
        noise = with_noise(samples, decibels, "u").astype(float) - samples
        assert 10 * np.log10(np.mean(samples**2) / np.mean(noise**2)) == pytest.approx(decibels, abs=0.1)
    assert (with_noise(samples, 10, "u") == with_noise(samples, 10, "u")).all()
    assert (with_noise(samples, 10, "u") != with_noise(samples, 10, "v")).any()


def test_words_that_are_taken_out():
    pytest.importorskip("pocketsphinx")
    texts = {"1": ["the", "house", "zyxxy"], "2": ["the", "house", "tree", "zyxxy"], "3": ["tree", "boat"]}
    assert removed_words(texts) == ("house",)  # of house and tree
    assert len(removed_words(sample_texts())) == 56


def test_pairs():
    texts = {"1": ["some", "words", "of", "many", "words"], "2": ["many", "words"]}
    assert sorted(word_pairs(texts, 10)) == [("many", "words"), ("some", "words")]
    assert len(word_pairs(texts, 1)) == 1
    assert ("of", "many") in word_pairs(texts, 10, english=False)


def test_queries_of_the_sample():
    from experiments.speech.search_speech import Hearing
    from rankine.spoken.lattice.scoring import Scoring

    sample = Hearing("sample", "sample", "en", "", Scoring(), sample_texts())
    sets = query_sets(sample)
    assert set(sets) == {"pairs", "apart", "either", "own"}
    assert len(sets["own"].queries) == 40
    taken = query_sets(Hearing("x", "sample", "en", "", Scoring(), sample_texts(), without=("storm", "harbour")))
    assert list(taken["words"].queries.values()) == ["storm", "harbour"]
    assert all({"storm", "harbour"} & set(q.split()) for q in taken["pairs"].queries.values())
