"""Measures as scorers of scikit-learn: larger is better, query ids are needed, any estimator with scores is judged."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rankine as rk

from ..cases import rounded_problem


@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "P(rel=2)@5", rk.parse("RR")])
def test_the_value_is_the_mean_over_queries(measure):
    X, y, qid = rounded_problem()
    model = rk.RegressionRanker().fit(X, y, qid=qid)
    want = rk.evaluate(measure, y, model.predict(X), qid).mean[str(measure)]
    assert rk.scorer(measure)(model, X, y, qid=qid) == want > 0


def test_errors_are_negated():
    X, y, qid = rounded_problem()
    model = rk.RegressionRanker().fit(X, y, qid=qid)
    want = rk.evaluate("Disagreement", y, model.predict(X), qid).mean["Disagreement"]
    assert rk.scorer("Disagreement")(model, X, y, qid=qid) == -want < 0


def test_query_ids_are_needed():
    X, y, qid = rounded_problem()
    model = rk.RegressionRanker().fit(X, y, qid=qid)
    with pytest.raises(rk.InputError, match=r"scorer\('AP'\) needs qid, the query id of each row"):
        rk.scorer("AP")(model, X, y)
    with pytest.raises(rk.InputError, match="unknown measure 'nDGC'"):
        rk.scorer("nDGC")


def test_it_is_shown_and_pickled():
    scorer = pickle.loads(pickle.dumps(rk.scorer("nDCG@10")))
    assert repr(scorer) == "scorer('nDCG@10')"


def test_query_ids_reach_the_normaliser_inside_a_pipeline_and_a_search():
    X, y, qid = rounded_problem()
    model = rk.LinearRanker("ranksvm-l2", normalise="query-zscore")
    plain = rk.scorer("AP")(model.fit(X, y, qid=qid), X, y, qid=qid)
    shuffled = np.random.default_rng(0).permutation(len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline("passthrough", model).fit(X, y, qid=qid)
        assert rk.scorer("AP")(pipeline, X[shuffled], y[shuffled], qid=qid[shuffled]) == pytest.approx(plain)
        search = GridSearchCV(pipeline, {"linearranker__C": [1.0]}, cv=rk.QueryKFold(3), scoring=rk.scorer("AP"))
        search.fit(X, y, qid=qid)
        assert rk.scorer("AP")(search, X, y, qid=qid) == search.score(X, y, qid=qid) == pytest.approx(plain, abs=0.02)
    pipeline = make_pipeline("passthrough", model).fit(X, y, linearranker__qid=qid)
    assert rk.scorer("AP")(pipeline, X, y, qid=qid) == pytest.approx(plain)


def test_estimators_of_others_are_measured_too():
    X, y, qid = rounded_problem()
    cv = rk.QueryKFold(3)
    want = []
    for train, test in cv.split(X, groups=qid):
        scores = make_pipeline(StandardScaler(), Ridge()).fit(X[train], y[train]).predict(X[test])
        want.append(rk.evaluate("nDCG@5", y[test], scores, qid[test]).mean["nDCG@5"])
    with sklearn.config_context(enable_metadata_routing=True):
        values = cross_val_score(
            make_pipeline(StandardScaler(), Ridge()), X, y, cv=cv, scoring=rk.scorer("nDCG@5"), params={"qid": qid}
        )
    assert values.tolist() == pytest.approx(want)


def test_ranks_are_turned_round():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(20, 5))
    ranks, X = (np.argsort(np.argsort(-x, axis=1), axis=1) + 1).ravel(), x.reshape(-1, 1)
    qid = np.repeat(np.arange(20), 5)
    model = rk.LinearRanker("consistent-rank").fit(X, ranks, qid=qid)
    pipeline = make_pipeline("passthrough", rk.LinearRanker("consistent-rank")).fit(X, ranks, linearranker__qid=qid)
    for fitted in (model, pipeline):
        assert rk.scorer("KendallTau")(fitted, X, ranks, qid=qid) == pytest.approx(1)
