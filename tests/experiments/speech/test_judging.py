"""The experiment on what judgments are worth, on made queries whose truth is known."""

from itertools import pairwise

import numpy as np
import pytest

import rankine as rk
from experiments.speech import judging
from experiments.speech.judging import CHOICES, NUMBERS, JudgedPopulation, JudgingCurve, JudgingTrial, curve
from experiments.speech.search_tables import JudgedSet
from experiments.speech.search_weights import NAMES, words_alone
from rankine.spoken.learn.disagreement import DEPTH, committee, ranks_of
from rankine.spoken.learn.learning import Examples


def judged_set(name, seed, queries=40, places=30):
    """Queries of several words, of which pairs tell what is relevant in a half of them; in the others words do."""
    rng = np.random.default_rng(seed)
    X, y, qid = np.zeros((queries * places, len(NAMES))), np.zeros(queries * places), []
    for q in range(queries):
        rows = slice(q * places, (q + 1) * places)
        good = rng.random(places) < 0.1
        good[int(rng.integers(places))] = True
        y[rows], kind = good, "several" if q % 2 else "one"
        X[rows, NAMES.index(f"heard-{kind}-word")] = rng.random(places) + (0.0 if q % 2 else good)
        if q % 2:
            X[rows, NAMES.index("heard-several-word-pair")] = 0.2 * rng.random(places) + 0.7 * good
        qid += [f"{q:03d}"] * places
    ids = [f"u{i:05d}" for i in range(len(y))]
    data = rk.RankingData(X, y, qid, doc_ids=ids, feature_names=NAMES)
    relevant = np.add.reduceat(y > 0, data.ptr[:-1]).astype(int)
    return JudgedSet(name, "made", Examples(data, relevant, np.ones(queries, np.bool_)), np.zeros(len(y), np.int64))


@pytest.fixture(scope="module")
def population():
    return JudgedPopulation.of("made", [judged_set("a", 0), judged_set("b", 1)], words_alone())


def test_sets_are_joined(population):
    one = judged_set("b", 1)
    assert population.data.n_queries == 80
    whole = one.examples.average_precision(one.data, np.asarray(one.data.X) @ words_alone())
    np.testing.assert_allclose(population.precision(words_alone())[40:], whole)


def test_all_choices_are_of_places_that_rankers_have_first(population):
    queries = np.arange(10)
    rows = {choice: judging.places_to_judge(population, queries, choice, 0) for choice in CHOICES}
    assert sorted(rows["next"]) == sorted(rows["random"])
    assert set(rows["top"]) <= set(rows["next"])
    assert len(rows["top"]) == DEPTH * len(queries)
    for choice in CHOICES:
        assert len(set(rows[choice])) == len(rows[choice])
        assert judging.places_to_judge(population, queries, choice, 0) == rows[choice]
    assert judging.places_to_judge(population, queries, "random", 1) != rows["random"]
    spread = []
    for row in rows["next"]:
        q = int(np.searchsorted(population.data.ptr, row, side="right")) - 1
        a, b = population.data.ptr[q : q + 2]
        ranks = ranks_of(committee(NAMES, population.start) @ np.asarray(population.data.X[a:b]).T)
        assert (ranks[:, row - a] <= DEPTH).any()
        spread.append(round(float((1 / ranks[:, row - a]).std()), 9))
    assert spread == sorted(spread, reverse=True)
    assert spread[0] > 0


def test_judgments_are_learned_from(population):
    y = np.asarray(population.data.y)
    assert population.examples(dict.fromkeys(range(50), 0.0)) is None
    first = [int(np.flatnonzero(y[a:b])[0] + a) for a, b in pairwise(population.data.ptr)]
    grades = dict.fromkeys(first[:6], 1.0)
    examples = population.examples(grades)
    assert examples.data.n_queries == 6
    assert examples.data.y.sum() == 6
    assert np.array_equal(judging.learned(population, dict.fromkeys(first[:3], 1.0)), population.start)
    weights = judging.learned(population, dict.fromkeys(first, 1.0))
    assert population.precision(weights).mean() > population.precision(population.start).mean()


def test_the_test_queries_are_never_judged(population, monkeypatch):
    asked = []
    monkeypatch.setattr(judging, "NUMBERS", (0, 40))
    monkeypatch.setattr(
        judging, "learned", lambda some, grades: asked.append(set(grades)) or some.start,
    )  # fmt: skip
    one = curve(population, "next", 3)
    order = np.random.default_rng(3).permutation(population.data.n_queries)
    rows = np.concatenate([np.arange(*population.data.ptr[q : q + 2]) for q in order[40:]])
    assert not asked[1] & set(rows.tolist())
    assert len(asked[1]) == 40
    assert one.values[0] == pytest.approx(population.precision(population.start)[order[40:]].mean())


def made_trial(**means):
    rows = {c: np.interp(np.arange(len(NUMBERS)), *means[c]) for c in CHOICES}
    return JudgingTrial(tuple(
        JudgingCurve("made", c, seed, tuple(rows[c] + d)) for c in CHOICES for seed, d in ((0, -0.01), (1, 0.01))
    ))  # fmt: skip


def test_tables_and_words(tmp_path):
    last = len(NUMBERS) - 1
    trial = made_trial(next=([0, 2, last], [0.5, 0.7, 0.7]), random=([0, last], [0.5, 0.6]), top=([0, 1], [0.5, 0.5]))
    assert trial.needed("made", "next", 0.7) == NUMBERS[2]
    assert trial.needed("made", "top", 0.51) is None
    rows = judging.needed_rows(trial)
    assert [row[1] for row in rows] == list(map(str, NUMBERS[1:]))
    assert {row[4] for row in rows} == {"never"}
    assert rows[-1][3] == str(NUMBERS[1])
    said = judging.outcome(trial)
    assert "`next` needs 1% to 100% of its judgments (goal: at most 50%; reached for 7 of 8 numbers)" in said
    assert "+0.0000 (goal: at least -0.01; reached)" in said
    worse = made_trial(next=([0, last], [0.5, 0.4]), random=([0, last], [0.5, 0.6]), top=([0, 1], [0.5, 0.5]))
    assert "`next` never reaches the best MAP of random choice" in judging.outcome(worse)
    assert "-0.1000 (goal: at least -0.01; not reached)" in judging.outcome(worse)
    flat = made_trial(**dict.fromkeys(CHOICES, ([0, 1], [0.5, 0.5])))
    assert "made: random choice gains nothing" in judging.outcome(flat)
    report = judging.sections(trial, tmp_path)
    assert (tmp_path / "judging.png").stat().st_size > 10_000
    assert report[0].rows[0][:3] == ("made", "next", "0.5000")
