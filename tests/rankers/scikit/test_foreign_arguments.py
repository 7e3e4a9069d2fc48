"""What other libraries take, and what is said of it here."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import rankine as rk

from ..cases import linear_problem

X, Y, QID = linear_problem(n=6, m=4)


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("n_estimators", "n_trees"),
        ("num_leaves", "n_leaves"),
        ("objective", "loss"),
        ("early_stopping_rounds", "patience"),
    ],
)
def test_parameters_of_boosting_libraries(name, ours):
    with pytest.raises(rk.InputError, match=f"^BoostedRanker has no parameter '{name}': it is {ours} here$"):
        rk.BoostedRanker(**{name: 5})
    assert clone(rk.BoostedRanker(n_trees=5)).get_params()["n_trees"] == 5
    with pytest.raises(TypeError, match="unexpected keyword"):
        rk.BoostedRanker(nothing=5)


@pytest.mark.parametrize(
    ("ranker", "options", "message"),
    [
        (rk.AdaRank(), {"eval_set": [(X, Y)]}, "fit takes no eval_set: pass valid=, a RankingData of queries"),
        (rk.AdaRank(), {"early_stopping_rounds": 5}, "fit takes no early_stopping_rounds: set patience="),
        (rk.LinearRanker(), {"eval_set": [(X, Y)]}, "fit takes no eval_set: LinearRanker does not stop early"),
    ],
)
def test_arguments_of_their_fit(ranker, options, message):
    with pytest.raises(rk.InputError, match=message):
        ranker.fit(X, Y, QID, **options)
    ranker.fit(X, Y, QID, **dict.fromkeys(options))


def test_files_and_tables():
    with pytest.raises(rk.InputError, match=r"got the text 'plain.csv': rk.load_csv reads a table"):
        rk.LinearRanker().fit("plain.csv")
    model = rk.LinearRanker().fit(X, Y, QID)
    with pytest.raises(rk.InputError, match=r"got the text 'plain.csv': rk.load_csv reads a table"):
        model.predict("plain.csv")
    table = pd.DataFrame({"label": Y, "qid": QID, "a": X[:, 0], "b": X[:, 1]})
    with pytest.raises(rk.InputError, match=r"y is missing: pass rk.from_table\(table\)"):
        rk.LinearRanker().fit(table)
    assert rk.LinearRanker().fit(rk.from_table(table)).coef_.shape == (2,)


def test_score_takes_sizes_of_queries():
    model = rk.LinearRanker().fit(X, Y, QID)
    assert model.score(X, Y, group=[4] * 6) == model.score(X, Y, QID)
    with pytest.raises(rk.InputError, match="group and qid both say"):
        model.score(X, Y, QID, group=[4] * 6)


@pytest.mark.parametrize("ranker", [rk.LinearRanker(), rk.BoostedRanker(n_trees=2, min_documents=1)])
def test_missing_values_are_refused_in_one_line(ranker):
    holes = np.where(np.arange(X.size).reshape(X.shape) == 3, np.nan, X)
    message = "^X contains NaN, a missing value: fill it first, as with the feature's mean$"
    with pytest.raises(rk.InputError, match=message):
        ranker.fit(holes, Y, QID)
    with pytest.raises(rk.InputError, match=message):
        ranker.fit(X, Y, QID).predict(holes)
