"""What AutoRanker says: one plain sentence for each thing that is unusual, none for usual data."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import rankine as rk
from rankine.rankers.auto import report_text as words
from rankine.rankers.auto.estimate import Estimate

from ...cases import linear_problem


def about(y=None, X=None, measure="AP"):
    X_, y_, qid = linear_problem(n=6)
    return words.about_data(rk.RankingData(X_ if X is None else X, y_ if y is None else y, qid), measure)


def test_usual_data_needs_no_words():
    assert about() == []


@pytest.mark.parametrize(
    ("measure", "taken"),
    [
        ("AP", "a document is relevant from grade 1 on"),
        ("P(rel=2)@5", "a document is relevant from grade 2 on"),
        ("nDCG@10", "a gain is 2^grade − 1"),
        ("ERR@5", "a gain is 2^grade − 1"),
        ("nDCG(dcg='log2')@10", "a gain is the grade itself"),
        ("Disagreement", "only their order counts"),
    ],
)
def test_how_grades_are_taken(measure, taken):
    _, y, _ = linear_problem(n=6)
    assert about(y + 0.5, measure=measure) == [
        f"Some grades are not whole numbers. They are taken as they are: {taken}."
    ]
    if "gain" not in taken:
        assert about(y - 1, measure=measure) == [f"Some grades are negative. They are taken as they are: {taken}."]


def test_large_grades_and_grades_of_which_none_is_relevant():
    _, y, _ = linear_problem(n=6)
    assert about(y * 10, measure="nDCG@10")[0].startswith("The largest grade is 30.")
    assert about(y * 10, measure="nDCG(dcg='log2')@10") == about(y * 10) == []
    assert about(np.minimum(y, 1), measure="AP(rel=2)") == [
        "No document is relevant, for no grade is 2 or more (the largest is 1): AP(rel=2) is 0 for every order."
    ]


@given(
    st.lists(st.integers(1, 3), min_size=1, max_size=4),
    st.lists(st.lists(st.sampled_from([0.0, -1.0, 2.0]), min_size=3, max_size=3), min_size=12, max_size=12),
)
def test_constant_features_of_sparse_and_dense_data(lengths, rows):
    X = np.array(rows)[: sum(lengths)]
    qid = np.repeat(np.arange(len(lengths)), lengths)
    slow = [all(len(set(X[qid == q, f])) == 1 for q in range(len(lengths))) for f in range(3)]
    all_stored = sp.csr_matrix((X.ravel(), np.tile(np.arange(3), len(X)), np.arange(0, X.size + 1, 3)), X.shape)
    for matrix in (X, sp.csr_matrix(X), all_stored):
        assert words._constant_features(rk.RankingData(matrix, np.zeros(len(X)), qid)).tolist() == slow


def outcome(**changes):
    """What the sentences are made from."""
    configuration = SimpleNamespace(name="linear", params={"C": 0.1}, members=(), candidate=None)
    contest = SimpleNamespace(entries=[], interrupted=False, out_of_time=False)
    parts = {
        "learned": True, "estimate": Estimate(0.5, 0.4, 0.6), "uncorrected": 0.52, "is_error": False,
        "configurations": [configuration] * 20, "best": configuration, "floor": None, "contest": contest,
        "judged": SimpleNamespace(n_queries=100), "chance": np.full(100, 0.3), "weights": None, "p_of_chance": 0.2,
    }  # fmt: skip
    return SimpleNamespace(**{**parts, **changes})


def lines(**changes):
    return words.report_lines(outcome(**changes), None, rk.RankingData(*linear_problem(n=2)), "AP")


def test_the_usual_report():
    assert lines() == [
        "Best at AP: linear, C 0.1.",
        "On new queries expect AP 0.5000, 90 % interval 0.4000 to 0.6000. That is corrected for the choice among 20 "
        "configurations; their best mean, 0.5200, is too good to be expected.",
    ]


def test_the_best_mean_is_called_too_good_only_where_it_is():
    assert lines(uncorrected=0.5)[1].endswith("the choice among 20 configurations.")
    assert lines(uncorrected=0.45, is_error=True)[1].endswith("0.4500, is too good to be expected.")
    assert lines(uncorrected=0.55, is_error=True)[1].endswith("the choice among 20 configurations.")
    assert lines(configurations=outcome().configurations[:1])[1].endswith("0.4000 to 0.6000.")


def test_nothing_learned_comes_first():
    first = lines(learned=False)[0]
    assert first == (
        "Nothing was learned: no candidate is shown to rank better than chance (AP 0.3000 in random order, 0.5200 at "
        "best; p = 0.2, 0.01 would be needed)."
    )
    assert "(AP 0.7000 in random order" in lines(learned=False, is_error=True)[0]


@pytest.mark.parametrize(("queries", "can"), [(10, False), (11, True)])
def test_so_few_queries_that_nothing_can_be_shown(queries, can):
    """20 · 2^−10 is more than 0.01, 20 · 2^−11 is less."""
    few = {"judged": SimpleNamespace(n_queries=queries), "chance": np.full(queries, 0.3)}
    text = lines(learned=False, **few)
    assert text[0].startswith("Nothing was learned") == can
    assert text[0].startswith(f"Nothing is shown to be learned: with {queries} queries the best of 20 ") == (not can)
    assert f"{queries} queries are few: most differences cannot be shown, and the interval is wide." in text


def test_one_judged_query():
    one = {"judged": SimpleNamespace(n_queries=1), "chance": np.full(1, 0.3), "estimate": Estimate(0.5, np.nan, np.nan)}
    text = lines(learned=False, **one)
    assert "with 1 query the best" in text[0]
    assert text[2] == "On the only query that was judged on AP is 0.5000: that says little about new ones."
    assert not any("nan" in line or "1 queries" in line for line in text)


def test_the_floor():
    floor = SimpleNamespace(name="uniform fusion", params={}, members=(), candidate=None)
    changes = {"configurations": [floor], "floor": 0, "means": np.array([0.4]), "in_units_of": lambda v: v}
    beaten = lines(**changes, over_floor=Estimate(0.1, 0.02, 0.2))
    assert beaten[-1] == "The simplest candidate, uniform fusion alone, reaches 0.4000: the best is better by 0.1000 " \
        "(0.0200 to 0.2000)."  # fmt: skip
    level = lines(**changes, over_floor=Estimate(0.1, -0.02, 0.2))
    assert level[-1].endswith("reaches 0.4000: the best is not shown to be better.")
    assert lines(**changes, over_floor=None)[-1] == "No candidate has a better mean than uniform fusion."


def test_features_by_name_or_number():
    X, y, qid = linear_problem(n=3)
    model = rk.SingleFeature(both_signs=True).fit(-X, y, qid)
    assert words.feature_name(model, rk.RankingData(X, y, qid)) == "minus feature 1"
    assert words.feature_name(model, rk.RankingData(X, y, qid, feature_names=list("abcdef"))) == "minus a"


def test_what_was_stopped():
    def entry(name, stopped):
        return SimpleNamespace(candidate=SimpleNamespace(name=name), stopped=stopped)

    entries = [entry("a", ""), entry("b", "failed: x"), entry("c", "not tried: needs the extra [boost]"),
               entry("d", "not finished: Ctrl-C")]  # fmt: skip

    def told(**state):
        contest = SimpleNamespace(entries=entries, complete=lambda e: e.candidate.name == "a", **state)
        return lines(contest=contest)[2:]

    rest = [
        "Not tried, because an extra is not installed: what needs [boost].",
        "Failed: b (see the leaderboard).",
    ]
    assert told(interrupted=True, out_of_time=False) == ["Stopped after 1 of 3 candidates.", *rest]
    assert told(interrupted=False, out_of_time=True) == ["The time was over after 1 of 3 candidates.", *rest]
    assert told(interrupted=False, out_of_time=False) == rest
