"""Grades that nothing can be learned from are named before training, whatever the ranker."""

import numpy as np
import pytest

import rankine as rk
from rankine.rankers.table import TABLE
from rankine.rankers.training import NothingLearnedWarning, nothing_to_learn, relevant_from

from .cases import linear_problem

SETTINGS = {
    "linear": {"C": 0.1}, "kernel": {"C": 0.1}, "boosted": {"n_trees": 2}, "neural": {"epochs": 1},
    "adarank": {"n_rounds": 2}, "rankboost": {"n_rounds": 2},
}  # fmt: skip


@pytest.mark.parametrize(
    ("grades", "ptr", "measure", "reason"),
    [
        ([0.0, 0.0, 0.0], [0, 3], "nDCG@10", "in every query all grades are equal"),
        ([1.0, 1.0, 2.0], [0, 2, 3], "nDCG@10", "in every query all grades are equal"),
        ([0.0, 1.0, 2.0], [0, 1, 2, 3], "nDCG@10", "every query has one document"),
        ([0.3, 0.9], [0, 2], "AP", "no grade is 1 or more (the largest is 0.9): AP is 0 for every order"),
        ([0.0, 1.0], [0, 2], "P(rel=2)@5", "no grade is 2 or more (the largest is 1): P(rel=2)@5 is 0"),
        ([1.0, 2.0, 0.0, 0.5], [0, 2, 4], "RR", "in no query are there both relevant documents (grade 1 or more)"),
        ([0.3, 0.9], [0, 2], "nDCG@10", ""),
        ([0.0, 1.0], [0, 2], "AP", ""),
        ([1.0, 1.0, 0.0, 1.0], [0, 2, 4], "AP", ""),
        ([2.0, 1.0], [0, 2], "KendallTau", ""),
    ],
)
def test_what_is_said(grades, ptr, measure, reason):
    problem = nothing_to_learn(np.array(grades), np.array(ptr), measure)
    assert reason in problem
    assert bool(problem) == bool(reason)


def test_the_least_grade_of_a_relevant_document():
    assert [relevant_from(m) for m in ("AP", "P(rel=3)@5", "nDCG@10", "KendallTau")] == [1, 3, None, None]


@pytest.mark.filterwarnings("ignore:no feature has", "ignore:stopped by")
@pytest.mark.parametrize("name", [name for name in TABLE if name not in ("auto", "neural", "boosted")])
def test_every_ranker_warns_before_it_learns(name):
    X, _, qid = linear_problem(n=4)
    estimator = TABLE[name].make(**SETTINGS.get(name, {}))
    with pytest.warns(NothingLearnedWarning, match="nothing can be learned: in every query all grades"):
        estimator.fit(X, np.ones(len(qid)), qid=qid)


def test_the_measure_of_the_loss_decides():
    X, y, qid = linear_problem(n=4)
    low = np.where(y > 0, 0.9, 0.3)
    with pytest.warns(NothingLearnedWarning, match=r"nothing can be learned: .* AP is 0 for every order") as said:
        rk.LinearRanker("svm-map", C=0.1).fit(X, low, qid=qid)
    assert [w.filename for w in said] == [__file__]
    rk.LinearRanker("ranksvm-l2", C=0.1).fit(X, low, qid=qid)
