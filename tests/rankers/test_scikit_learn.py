"""Rankers as people use scikit-learn: pipelines, searches, frames, sparse matrices; and what is refused in words."""

import pickle
import runpy

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    cross_val_predict,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rankine as rk
from rankine.rankers.scikit.fit_arguments import OneQueryWarning
from rankine.rankers.table import TABLE

from ..folders import ROOT
from .cases import rounded_problem
from .test_table import SMALL

NAMES = ["a", "b", "c", "d", "e"]
pytestmark = [
    pytest.mark.filterwarnings("ignore::rankine.solvers.certificate.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::rankine.rankers.linear.NothingLearnedWarning"),
    pytest.mark.filterwarnings("ignore::rankine.rankers.adarank.NoWeakRankerWarning"),
]
every_ranker = pytest.mark.parametrize("name", TABLE)


def ranker(name):
    return TABLE[name].make(**SMALL.get(name, [{}])[0])


@pytest.fixture(scope="module")
def arrays():
    return rounded_problem(n=9)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def by_hand(name, arrays, measure, cv):
    """The measure in each fold of a scaler and a ranker, fitted without a pipeline."""
    X, y, qid = arrays
    for train, test in cv.split(X, y, qid):
        scaler = StandardScaler().fit(X[train])
        model = ranker(name).fit(scaler.transform(X[train]), y[train], qid=qid[train])
        scores = model.predict(scaler.transform(X[test]), qid=qid[test])
        yield rk.evaluate(measure, y[test], scores, qid[test]).mean[measure]


@every_ranker
@pytest.mark.parametrize("cv", [GroupKFold(3), rk.QueryKFold(3)], ids=lambda cv: type(cv).__name__)
def test_a_pipeline_in_a_grid_search(name, cv, arrays, routing):
    X, y, qid = arrays
    pipeline = make_pipeline(StandardScaler(), ranker(name))
    grid = {"standardscaler__with_std": [True, False]}
    search = GridSearchCV(pipeline, grid, cv=cv, scoring=rk.scorer("nDCG@10"), error_score="raise")
    search.fit(X, y, qid=qid, groups=qid)
    values = [search.cv_results_[f"split{i}_test_score"][0] for i in range(3)]
    assert values == pytest.approx(list(by_hand(name, arrays, "nDCG@10", cv)))
    best = search.best_estimator_
    assert search.score(X, y, qid=qid) == rk.evaluate("nDCG@10", y, best.predict(X, qid=qid), qid).mean["nDCG@10"]


@every_ranker
def test_the_score_of_a_pipeline_is_that_of_its_ranker(name, arrays, routing):
    X, y, qid = arrays
    pipeline = make_pipeline(StandardScaler(), ranker(name)).fit(X, y, qid=qid)
    want = pipeline[-1].score(pipeline[0].transform(X), y, qid=qid)
    assert pipeline.score(X, y, qid=qid) == want
    search = GridSearchCV(pipeline, {"standardscaler__with_std": [True]}, cv=rk.QueryKFold(3), error_score="raise")
    assert np.isfinite(search.fit(X, y, qid=qid).best_score_)


@every_ranker
def test_query_ids_reach_every_fold_of_cross_validation(name, arrays, routing):
    X, y, qid = arrays
    scoring = {"ndcg": rk.scorer("nDCG@5"), "ap": rk.scorer("AP")}
    cv, pipeline = rk.QueryKFold(3, seed=1), make_pipeline(StandardScaler(), ranker(name))
    values = cross_validate(pipeline, X, y, cv=cv, scoring=scoring, params={"qid": qid}, error_score="raise")
    assert values["test_ap"].tolist() == pytest.approx(list(by_hand(name, arrays, "AP", cv)))
    assert values["test_ndcg"].tolist() == pytest.approx(list(by_hand(name, arrays, "nDCG@5", cv)))


def test_randomised_search_and_processes(arrays, routing):
    X, y, qid = arrays
    model = rk.LinearRanker("svm-map", normalise="query-zscore")
    search = RandomizedSearchCV(
        model, {"C": [1e-3, 0.1, 10.0]}, n_iter=2, cv=rk.QueryKFold(3), scoring=rk.scorer("AP"), random_state=0,
        n_jobs=2, error_score="raise",
    )  # fmt: skip
    assert 0.3 < search.fit(X, y, qid=qid).best_score_ <= 1


@pytest.mark.parametrize(
    ("model", "resource"),
    [(rk.RankBoost(n_bins=8), "n_rounds"), (rk.LinearRanker("ranksvm-l2", normalise="query-zscore"), "max_iter")],
    ids=["RankBoost", "LinearRanker"],
)
def test_halving_over_a_parameter_works(model, resource, arrays, routing):
    X, y, qid = arrays
    grid = {"n_bins": [2, 4, 8]} if resource == "n_rounds" else {"C": [0.01, 0.1, 1.0]}
    search = HalvingGridSearchCV(
        model, grid, cv=rk.QueryKFold(3), scoring=rk.scorer("AP"), resource=resource, min_resources=5,
        max_resources=15, error_score="raise",
    )  # fmt: skip
    search.fit(X, y, qid=qid)
    assert search.n_resources_ == [5, 15]
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_halving_over_rows_is_refused(arrays, routing):
    X, y, qid = arrays
    search = HalvingGridSearchCV(rk.LinearRanker(), {"C": [0.1, 1.0]}, cv=rk.QueryKFold(3), scoring=rk.scorer("AP"))
    with pytest.raises(rk.InputError, match="resource='n_samples' draws rows, which cuts queries"):
        search.fit(X, y, qid=qid)


@every_ranker
def test_without_routing_folds_are_not_scored_as_one_query(name, arrays):
    X, y, qid = arrays
    search = GridSearchCV(
        make_pipeline(StandardScaler(), ranker(name)), {"standardscaler__with_std": [True]}, cv=rk.QueryKFold(3),
        error_score="raise",
    )  # fmt: skip
    ids = {f"{search.estimator.steps[-1][0]}__qid": qid}
    with pytest.raises(rk.InputError, match=r"score needs qid.*enable_metadata_routing=True"):
        search.fit(X, y, groups=qid, **ids)
    search.set_params(scoring=rk.scorer("AP"))
    with pytest.raises(rk.InputError, match=r"scorer\('AP'\) needs qid.*enable_metadata_routing=True"):
        search.fit(X, y, groups=qid, **ids)


def test_without_routing_the_default_search_warns_and_gives_no_number(arrays):
    X, y, qid = arrays
    search = GridSearchCV(rk.LinearRanker("svm-map"), {"C": [0.1]}, cv=GroupKFold(3))
    with pytest.warns(UserWarning, match="score needs qid"), pytest.warns(UserWarning, match="non-finite"):
        search.fit(X, y, qid=qid, groups=qid)
    assert np.isnan(search.cv_results_["mean_test_score"]).all()


def test_one_query_is_scored_with_its_id_or_by_a_model_of_one_query(arrays):
    X, y, qid = arrays
    model, one = rk.RegressionRanker().fit(X, y, qid=qid), qid == 0
    assert model.score(X[one], y[one], qid=qid[one]) == model.score(rk.RankingData(X[one], y[one], qid[one]))
    with pytest.raises(rk.InputError, match=r"score needs qid, the query id of each of the 8 rows.*9 queries"):
        model.score(X[one], y[one])
    model = rk.RegressionRanker().fit(X[one], y[one])
    assert model.score(X[one], y[one]) == model.score(X[one], y[one], qid=qid[one])


def test_models_of_a_path_need_query_ids_too(arrays):
    X, y, qid = arrays
    for model in rk.LinearRanker("ranksvm-l2").path([0.1, 1.0], X, y, qid=qid):
        with pytest.raises(rk.InputError, match="score needs qid"):
            model.score(X, y)


def test_a_query_normaliser_warns_of_rows_without_ids(arrays, tmp_path):
    X, y, qid = arrays
    model = rk.LinearRanker("ranksvm-l2", normalise="query-zscore").fit(X, y, qid=qid)
    one = qid == 0
    np.testing.assert_allclose(model.predict(X[one]), model.predict(X[one], qid=qid[one]))
    with pytest.warns(OneQueryWarning, match="all 9 rows were taken as one query.*query-zscore.*pass qid=") as caught:
        model.predict(X[:9])
    assert caught[0].filename == __file__
    with pytest.warns(OneQueryWarning):
        cross_val_predict(model, X, y, cv=GroupKFold(3), groups=qid, params={"qid": qid})
    model.save(tmp_path / "m.json")
    opened = rk.load(tmp_path / "m.json")
    np.testing.assert_allclose(opened.predict(X[one]), model.predict(X[one]))
    with pytest.warns(OneQueryWarning, match="all 9 rows were taken as one query.*query-zscore.*pass qid="):
        opened.predict(X[:9])


@every_ranker
def test_rows_without_query_ids_that_look_like_several(name):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1001, 3)), rng.integers(0, 3, 1001)
    with pytest.warns(OneQueryWarning, match="all 1001 rows were taken as one query.*pass qid=, one id per row"):
        ranker(name).fit(X, y)
    ranker(name).fit(X[:1000], y[:1000])
    ranker(name).fit(X, y, qid=np.zeros(1001, int))


def test_warnings_name_the_line_of_the_user():
    X, y = np.arange(1001.0)[:, None], np.arange(1001) % 3
    with pytest.warns(OneQueryWarning) as caught:
        model = rk.RegressionRanker().fit(X, y)
    assert caught[0].filename == __file__
    with pytest.warns(OneQueryWarning, match="all 1001 rows") as caught:
        model.score(X, y)
    assert caught[0].filename == __file__


@every_ranker
def test_weights_of_rows_are_refused_with_the_reason(name, arrays):
    X, y, qid = arrays
    weights = np.ones(len(y))
    with pytest.raises(rk.InputError, match="fit takes no sample_weight: the loss of a ranking"):
        ranker(name).fit(X, y, qid=qid, sample_weight=weights)
    model = ranker(name).fit(X, y, qid=qid, sample_weight=None)
    with pytest.raises(rk.InputError, match="score takes no sample_weight: it is a mean over queries"):
        model.score(X, y, qid=qid, sample_weight=weights)


def test_weights_that_there_are_are_named(arrays, routing):
    X, y, qid = arrays
    with pytest.raises(rk.InputError, match="LinearRanker takes query_weight and doc_weight"):
        rk.LinearRanker().fit(X, y, qid=qid, sample_weight=np.ones(len(y)))
    pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), rk.RegressionRanker())
    with pytest.raises(rk.InputError, match=r"fit takes no sample_weight.*RegressionRanker takes doc_weight"):
        pipeline.fit(X, y, qid=qid, sample_weight=np.ones(len(y)))
    with pytest.raises(rk.InputError, match="score takes no sample_weight"):
        pipeline.fit(X, y, qid=qid).score(X, y, qid=qid, sample_weight=np.ones(len(y)))
    search = GridSearchCV(rk.AdaRank(), {"n_rounds": [3]}, cv=rk.QueryKFold(3))
    with pytest.raises(ValueError, match="fit takes no sample_weight"):
        search.fit(X, y, qid=qid, sample_weight=np.ones(len(y)))


@every_ranker
def test_labels_of_groups_are_refused_with_what_to_pass(name, arrays):
    X, y, qid = arrays
    if name != "auto":  # it takes groups of queries
        with pytest.raises(rk.InputError, match="fit takes no groups: pass qid="):
            ranker(name).fit(X, y, groups=qid)
    with pytest.raises(TypeError, match="nonsense"):
        ranker(name).fit(X, y, qid=qid, nonsense=1)


@every_ranker
def test_copies_are_unfitted_and_pickles_are_fitted(name, arrays):
    X, y, qid = arrays
    model = ranker(name).fit(X, y, qid=qid)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not [attribute for attribute in vars(copy) if attribute.endswith("_")]
    opened = pickle.loads(pickle.dumps(model))
    assert opened.predict(X, qid=qid).tolist() == model.predict(X, qid=qid).tolist()
    with pytest.raises(rk.InputError, match="score needs qid"):
        opened.score(X, y)


@every_ranker
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_give_the_names_of_the_features(name, frame, arrays):
    X, y, qid = arrays
    X = frame(dict(zip(NAMES, X.T, strict=True)))
    series = pd.Series if frame is pd.DataFrame else pl.Series
    model = ranker(name).fit(X, series(y), qid=series(qid))
    assert model.feature_names_in_.tolist() == NAMES
    want = ranker(name).fit(*arrays[:2], qid=qid).predict(arrays[0], qid=qid)
    np.testing.assert_allclose(model.predict(X, qid=series(qid)), want)
    assert np.isfinite(model.score(X, series(y), qid=series(qid)))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X[NAMES[::-1]], qid=qid)


@every_ranker
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_transformers_may_give_frames(name, library, arrays, routing):
    X, y, qid = arrays
    frame = pd.DataFrame(X, columns=NAMES)
    pipeline = make_pipeline(StandardScaler(), ranker(name)).set_output(transform=library).fit(frame, y, qid=qid)
    assert pipeline[-1].feature_names_in_.tolist() == NAMES
    scaled = pipeline[0].transform(frame)
    assert type(scaled).__module__.startswith(library)
    want = ranker(name).fit(scaled, y, qid=qid).predict(scaled, qid=qid)
    assert pipeline.predict(frame, qid=qid).tolist() == want.tolist()


@every_ranker
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_matrix, sp.coo_array])
def test_sparse_features(name, kind, arrays):
    X, y, qid = arrays
    model = ranker(name)
    if not model.__sklearn_tags__().input_tags.sparse:
        model.set_params(normalise=None)
    X = np.where(np.abs(X) < 0.7, 0.0, X)
    want = clone(model).fit(X, y, qid=qid)
    model.fit(kind(X), y, qid=qid)
    np.testing.assert_allclose(model.predict(kind(X), qid=qid), model.predict(X, qid=qid), rtol=1e-5, atol=1e-6)
    assert model.score(kind(X), y, qid=qid) == pytest.approx(want.score(X, y, qid=qid), abs=0.02)


def test_the_example_runs(capsys):
    with sklearn.config_context():  # the example switches routing on for good
        runpy.run_path(str(ROOT / "examples" / "scikit_learn.py"), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    values = {line.rsplit(None, 1)[0]: float(line.rsplit(None, 1)[1]) for line in lines}
    assert values["nDCG@10 of the search, out of fold"] > values["nDCG@10 of the best feature, out of fold"]
