"""The experiment on hypotheses, on made sets of queries."""

import numpy as np
import pytest

from experiments.speech import hearings
from experiments.speech.hearings import (
    EQUAL,
    LEARNED,
    SELF,
    SHIPPED,
    SYSTEMS,
    WAYS,
    Heard,
    HearingTrial,
    calibration_error,
    calibration_rows,
    cost_rows,
    cross_validated,
    folder_rows,
    names,
    precision_rows,
    rare_words,
    summary_rows,
    sure_words,
)
from experiments.speech.noise import with_babble
from experiments.speech.search_weights import NAMES, ascent, words_alone
from rankine.spoken.lattice.formats.transcripts.transcript import TranscriptWord
from rankine.spoken.recognise.recognisers.hypotheses import WindowHypotheses, as_slf

from .test_search import judged_set


@pytest.fixture
def trial(monkeypatch):
    """Two conditions; samples have a column that tells what is relevant."""
    every = [
        Heard(c, way, judged_set(f"{c} {way}", "lj", i, f"heard-one-{'sound-all' if way == 'samples' else 'word'}"),
              judged_set("own", "lj", 9, "heard-one-sound-all"), 1000 * (j + 1), 0.001 * (j + 1),
              np.array([[0.9, 1.0], [0.9, 0.0]]))
        for i, c in enumerate(("clean", "white 5 dB")) for j, way in enumerate(WAYS)
    ]  # fmt: skip
    texts = {"u": list(every[0].queries)}
    monkeypatch.setattr(hearings, "chapter", lambda: texts)
    monkeypatch.setattr(hearings, "rare_words", lambda texts: rare_words({"u": ["abcd"]})._replace(
        queries={q: q for q in every[0].queries}))  # fmt: skip
    monkeypatch.setattr(hearings, "names", lambda: frozenset(list(every[0].queries)[:3]))
    return HearingTrial(every, words_alone())


def test_queries_are_rare_words_of_some_length():
    texts = {f"u{i}": ["the", "often", "abc"] for i in range(6)} | {"v": ["sweynheim", "with", "often", "2nd"]}
    judged = rare_words(texts)
    assert judged.queries == {"sweynheim": "sweynheim"}
    assert judged.qrels == {"sweynheim": {"v": 1.0}}
    assert "often" not in judged.queries  # in seven texts


def test_names_stand_with_a_capital_and_never_without(monkeypatch):
    texts = {"a": "The press of Aldus was praised. Printing is old.", "b": "Some say the Press; Printing by hand."}
    monkeypatch.setattr(hearings, "transcripts", lambda name: texts)
    monkeypatch.setattr(hearings, "chapter", lambda: texts)
    names.cache_clear()
    assert names() == {"aldus"}
    names.cache_clear()


def test_sure_words_are_those_with_a_high_posterior(tmp_path):
    words = [TranscriptWord(w, i, i + 0.5, 1.0) for i, w in enumerate(["Sure", "this"])]
    other = [words[0], TranscriptWord("that", 1.0, 1.5, 1.0)]
    (tmp_path / "u.slf.gz").write_bytes(as_slf([WindowHypotheses(0.0, 2.0, [(0.6, words), (0.4, other)])]))
    assert sure_words(tmp_path) == {"u": ["sure"]}


def test_babble_is_as_loud_as_it_should_be_and_none_of_the_speaker():
    rng = np.random.default_rng(0)
    samples, others = rng.normal(0, 3000, 20000).round(), [rng.normal(0, s, 9000) for s in (100, 2000, 50)]
    for decibels in (20, 0):
        noise = with_babble(samples, others, decibels, "u").astype(float) - samples
        measured = 20 * np.log10(np.sqrt(np.mean(samples**2) / np.mean(noise**2)))
        assert measured == pytest.approx(decibels, abs=0.1)
    assert (with_babble(samples, others, 10, "u") == with_babble(samples, others, 10, "u")).all()
    assert (with_babble(samples, others, 10, "u") != with_babble(samples, others, 10, "v")).any()


def test_learned_weights_are_tested_on_queries_they_have_not_seen():
    s = judged_set("x", "lj", 0, "heard-one-sound-all", queries=16)
    values = cross_validated(s, words_alone())
    data = s.data.select(NAMES)
    train, test = next(iter(data.folds(hearings.FOLDS, hearings.SEED)))
    number = {q: i for i, q in enumerate(data.query_ids)}
    rows = [number[q] for q in train.query_ids]
    part = hearings.JudgedSet("x", "lj", s.examples.subset(rows), s.recordings)
    want = s.examples.average_precision(test, np.asarray(test.X) @ ascent([part], words_alone()))
    np.testing.assert_array_equal(values[[number[q] for q in test.query_ids]], want)
    assert values.mean() > s.precision(s.columns(NAMES) @ words_alone()).mean()


def test_tables_tell_gains_over_the_best_text(trial):
    rows = precision_rows(trial, "clean")
    assert [row[:3] for row in rows] == [(way, *system) for way in WAYS for system in SYSTEMS]
    assert rows[0][4] == rows[0][6] == rows[0][8] == "+0.000"
    base = trial.precision("clean", "best text", "words", EQUAL)
    for row in rows:
        values = trial.precision("clean", *row[:3])
        assert row[3] == f"{values.mean():.3f}"
        assert row[4] == f"{(values - base).mean():+.3f}"
    summary = summary_rows(trial)
    assert [row[0] for row in summary] == ["clean", "white 5 dB"]
    learned = trial.precision("clean", "samples", "+ subwords", LEARNED) - base
    assert summary[0][5] == f"{learned.mean():+.3f}"
    assert summary[0][6] == f"{learned[:3].mean():+.3f}"
    for weights in (SHIPPED, SELF):
        assert trial.precision("clean", "samples", "+ subwords", weights).shape == base.shape
    assert [row[3] for row in cost_rows(trial)[:3]] == ["1.00", "2.00", "3.00"]


def test_calibration(trial):
    assert calibration_rows(trial)[0] == ("clean", "best text", "2", "0.500", "0.900", "0.400")


def test_calibration_error_is_the_distance_in_bins():
    rows = np.array([[0.95, 1.0], [0.95, 1.0], [0.05, 0.0], [0.55, 1.0]])
    assert calibration_error(rows) == pytest.approx((0.05 * 2 + 0.05 + 0.45) / 4)
    assert calibration_error(np.zeros((0, 2))) == 0
    exact = np.array([[1.0, 1.0], [0.5, 1.0], [0.5, 0.0]])
    assert calibration_error(exact) == 0


def test_words_of_lattices_are_compared_as_they_are_said(tmp_path):
    words = [TranscriptWord("in", 0.0, 0.5, 1.0), TranscriptWord("1450", 0.5, 1.0, 1.0)]
    other = [TranscriptWord("in", 0.0, 0.5, 1.0), TranscriptWord("gold", 0.5, 1.0, 1.0)]
    content = as_slf([WindowHypotheses(0.0, 1.0, [(0.75, words), (0.25, other)])])
    (tmp_path / "u.slf.gz").write_bytes(content)
    rows = folder_rows(tmp_path, {"u": "In fourteen sixty."})
    np.testing.assert_allclose(rows, [[1.0, 1.0], [0.75, 1.0], [0.75, 0.0]], atol=1e-6)
