"""Rows without query ids: when they look like several queries."""

import warnings

import numpy as np
import pytest

import rankine as rk
from rankine.rankers.scikit.fit_arguments import OneQueryWarning, query_ids, warn_of_one_query, with_habits
from rankine.rankers.table import TABLE

from ..cases import linear_problem


def warns(n_rows, y):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_one_query(n_rows, y, stacklevel=1)
    assert all(w.category is OneQueryWarning for w in caught)
    return [str(w.message) for w in caught]


def test_long_queries_are_doubted():
    assert warns(1000, np.arange(1000) % 5) == []
    assert len(warns(1001, np.arange(1001) % 5)) == 1


def test_many_grades_are_doubted_unless_they_are_ranks():
    assert warns(500, np.arange(500) % 100) == []
    assert "y has 101 different values" in warns(500, np.arange(500) % 101)[0]
    assert warns(500, np.random.default_rng(0).permutation(500) + 1) == []
    assert len(warns(500, np.random.default_rng(0).permutation(500))) == 1
    assert len(warns(500, np.random.default_rng(0).normal(size=500))) == 1
    assert warns(500, rk.Preferences([0], [1], [1.0])) == []


def test_many_grades_are_doubted_in_fit_and_in_score():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), rng.uniform(0, 3, 300)
    with pytest.warns(OneQueryWarning, match="y has 300 different values"):
        model = rk.RegressionRanker().fit(X, y)
    with pytest.warns(OneQueryWarning, match="y has 300 different values"):
        model.score(X, y)


def test_ids_are_checked():
    assert query_ids(None, 3).tolist() == [0, 0, 0]
    with pytest.raises(rk.InputError, match="qid must have one dimension"):
        query_ids([[1, 2]], 2)


def test_arguments_that_fit_does_take_are_passed_on():
    def fit(self, X, y=None, qid=None, groups=None):
        return groups

    assert with_habits(fit)(None, [[1]], groups=["a"], group=None, sample_weight=None) == ["a"]
    with pytest.raises(rk.InputError, match="fit takes no sample_weight: "):
        with_habits(fit)(None, [[1]], sample_weight=[1])


@pytest.mark.parametrize("name", [name for name in TABLE if name not in ("auto", "neural", "boosted")])
def test_sizes_of_queries_are_taken_in_place_of_ids(name):
    X, y, qid = linear_problem(n=6)
    sizes = np.bincount(qid)
    by_id, by_size = TABLE[name].make(C=0.1), TABLE[name].make(C=0.1)
    scores = by_id.fit(X, y, qid=qid).predict(X)
    assert np.array_equal(by_size.fit(X, y, group=sizes.tolist()).predict(X), scores)
    for bad, message in (
        ({"group": [*sizes, 3]}, f"the sizes in group add up to {len(y) + 3}, but there are {len(y)} rows"),
        ({"group": sizes, "qid": qid}, "group and qid both say which rows are a query"),
        ({"group": [0.5, len(y) - 0.5]}, "group must hold whole numbers"),
        ({"groups": sizes}, "fit takes no groups: pass qid=.* or group="),
    ):
        with pytest.raises(rk.InputError, match=message):
            by_size.fit(X, y, **bad)
    with pytest.raises(rk.InputError, match="group and qid both"):
        by_size.fit(rk.RankingData(X, y, qid), group=sizes)


def test_weights_that_data_brings_along_are_used():
    X, y, qid = linear_problem(n=6)
    data = rk.RankingData(X, y, qid)
    weights, rows = np.array([1.0, 3.0, 0.5, 2.0, 1.0, 4.0]), np.arange(1.0, len(y) + 1)
    ranker = rk.LinearRanker("ranksvm-l2", C=0.1)
    want = ranker.fit(data, query_weight=weights).coef_
    weighted = data.with_weights(weights)
    for fit in (ranker.fit(weighted), ranker.fit(X=weighted), ranker.fit(weighted, query_weight=None)):
        assert np.array_equal(fit.coef_, want)
    assert np.array_equal(ranker.fit(weighted, query_weight=np.ones(6)).coef_, ranker.fit(data).coef_)
    assert not np.array_equal(ranker.fit(data).coef_, want)
    assert np.array_equal(ranker.path([0.1], weighted)[0].coef_, want)
    assert np.array_equal(ranker.path([0.1], data, query_weight=weights)[0].coef_, want)
    by_row = ranker.fit(data, doc_weight=rows).coef_
    assert np.array_equal(ranker.fit(data.with_weights(doc_weight=rows)).coef_, by_row)
    normal = rk.LinearRanker("ranksvm-l2", C=0.1, normalise="query-zscore")
    assert np.array_equal(normal.fit(weighted).coef_, normal.fit(data, query_weight=weights).coef_)


@pytest.mark.parametrize("name", [name for name in TABLE if name not in ("neural", "boosted")])
def test_weights_are_used_or_refused(name):
    """No ranker leaves weights that the data brings along aside without a word."""
    from inspect import signature

    X, y, qid = linear_problem(n=6)
    data, ranker = rk.RankingData(X, y, qid), TABLE[name].make(C=0.1)
    for weight, n, of in (("query_weight", 6, "queries"), ("doc_weight", len(y), "documents")):
        if weight not in signature(ranker.fit).parameters:
            with pytest.raises(rk.InputError, match=f"weights of {of}, which {type(ranker).__name__} does not take"):
                ranker.fit(data.with_weights(**{weight: np.ones(n)}))


def test_tuning_in_processes_uses_the_weights():
    X, y, qid = linear_problem(n=10)
    data = rk.RankingData(X, y, qid)
    weighted = data.with_weights(np.array([50.0, *[0.02] * 9]))
    options = {"grid": {"C": [0.1, 10.0]}, "folds": 2}
    ranker = rk.LinearRanker("ranksvm-l2")
    values = {w: [t.mean for t in rk.tune(ranker, weighted, workers=w, **options).trials] for w in (1, 2)}
    assert values[1] == values[2]
    assert values[1] != [t.mean for t in rk.tune(ranker, data, workers=1, **options).trials]
