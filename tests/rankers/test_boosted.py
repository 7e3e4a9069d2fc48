"""Gradient boosting on ranking losses: they fall, training stops early, models are saved."""

import lightgbm
import numpy as np
import pytest

import rankine as rk
from rankine.adapters import lightgbm as lgb_adapter
from rankine.adapters.boosting import Objective
from rankine.errors import InputError
from rankine.losses import get
from rankine.rankers.training import NothingLearnedWarning
from rankine.sample import judged_set


@pytest.fixture(scope="module")
def data():
    return judged_set(n_queries=30)


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
@pytest.mark.parametrize("name", ["svm-ndcg@10:tight", "svm-map", "ranksvm:norm", "consistent-ndcg@10", "listnet"])
def test_boosting_lowers_its_loss(data, library, name):
    loss = get(name)

    def value(trees):
        model = rk.BoostedRanker(
            name, library, n_trees=trees, n_leaves=7, learning_rate=0.3, feature_share=1.0, document_share=1.0
        ).fit(data)
        return loss.value_and_grad(model.predict(data), data.y, data.ptr)[0].mean()

    start = loss.value_and_grad(np.zeros(data.n_documents), data.y, data.ptr)[0].mean()
    few, many = value(3), value(40)
    assert many < few < start


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_early_stopping_saving_and_loading(data, library, tmp_path):
    train, valid = next(data.folds(3, seed=0))
    model = rk.BoostedRanker(library=library, n_trees=60, patience=5, n_leaves=7).fit(train, valid=valid)
    assert model.n_trees_ == int(np.argmax(model.history_)) + 1
    assert len(model.history_) <= 60
    measured = rk.evaluate("nDCG@10", valid.y, model.predict(valid), valid.qid).mean["nDCG@10"]
    assert measured == pytest.approx(max(model.history_))
    assert model.score(valid) == pytest.approx(measured)
    model.save(tmp_path / "model.json")
    again = rk.load(tmp_path / "model.json")
    assert again.predict(valid).tolist() == model.predict(valid).tolist()
    assert again.n_trees_ == model.n_trees_
    other = rk.BoostedRanker(library=library, n_trees=60, patience=5, n_leaves=7).fit(train, valid=valid)
    assert other.predict(valid).tolist() == model.predict(valid).tolist()


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_monotone_and_categorical_features(data, library):
    model = rk.BoostedRanker(library=library, n_trees=30, monotone={"bm25_body": 1, 2: -1}).fit(data)
    for column, values, sign in ((1, np.linspace(0, 30, 50), 1), (2, np.linspace(0, 15, 50), -1)):
        rows = np.repeat(data.X[:1], 50, axis=0)
        rows[:, column] = values
        given = rk.RankingData(rows, np.zeros(50), np.zeros(50), feature_names=data.feature_names)
        assert (sign * np.diff(model.predict(given)) >= -1e-9).all()
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 4, data.n_documents)
    y = (kind == 2).astype(float) + (kind == 0)
    X = np.column_stack([kind, rng.normal(size=data.n_documents)]).astype(np.float32)
    judged = rk.RankingData(X, y, data.qid, feature_names=["kind", "noise"])
    model = rk.BoostedRanker(
        "ranksvm:norm", library, n_trees=10, categorical=["kind"], learning_rate=0.1, feature_share=1.0
    ).fit(judged)
    assert model.score(judged) > 0.99


def test_query_weights(data):
    heavy = np.ones(data.n_queries)
    heavy[:15] = 0.0
    weighted = rk.BoostedRanker(n_trees=5, n_leaves=4).fit(data, query_weight=heavy)
    half = data.take(np.arange(data.ptr[15], data.n_documents))
    alone = Objective("svm-ndcg@10:tight", half.qid)(np.zeros(half.n_documents), half.y)[0]
    both = Objective("svm-ndcg@10:tight", data.qid, weight=heavy)(np.zeros(data.n_documents), data.y)[0]
    assert both[data.ptr[15] :] == pytest.approx(alone)
    assert (both[: data.ptr[15]] == 0).all()
    assert weighted.n_trees_ == 5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: rk.BoostedRanker(library="catboost").fit(d), "lightgbm or xgboost"),
        (lambda d: rk.BoostedRanker(n_trees="many").fit(d), "n_trees must be a whole number or 'auto'"),
        (lambda d: rk.BoostedRanker(feature_share=0).fit(d), "feature_share must be a number above 0"),
        (lambda d: rk.BoostedRanker(n_trees=0).fit(d), "n_trees must be a whole number"),
        (lambda d: rk.BoostedRanker(learning_rate=0).fit(d), "learning_rate must be a number above 0"),
        (lambda d: rk.BoostedRanker(monotone={"x": 1}).fit(d), "no feature is called 'x'"),
        (lambda d: rk.BoostedRanker(monotone={0: 2}).fit(d), "1 .*-1"),
        (lambda d: rk.BoostedRanker(categorical=[99]).fit(d), "numbered from 0 to 7"),
        (lambda d: rk.BoostedRanker("no-such-loss").fit(d), "unknown loss"),
        (lambda d: rk.BoostedRanker().fit(d, valid=d.select([0])), "features"),
        (lambda d: rk.BoostedRanker().fit(d, query_weight=[1]), "query_weight must hold 30"),
        (
            lambda d: rk.BoostedRanker(n_trees=1).fit(d).predict(d.select([0])),
            "trained on other features: the data has no 'bm25_body'",
        ),
        (
            lambda d: lgb_adapter.objective("svm-map", [1, 2])(np.zeros(3), lightgbm.Dataset([[1]], [1])),
            "2 query ids were given",
        ),
        (
            lambda d: lgb_adapter.metric("AP", [1, 2])(np.zeros(3), lightgbm.Dataset([[1]], [1])),
            "2 query ids were given",
        ),
        (lambda d: Objective("svm-ndcg", [1, 1])(np.zeros(2), [-1, 0]), "needs grades ≥ 0"),
        (lambda d: Objective("svm-ndcg", [1, 1])(np.zeros(2), [1, 0, 2]), "the labels are"),
    ],
)
def test_bad_input(data, call, message):
    with pytest.raises(InputError, match=message):
        call(data)


def long_lists(seed=0):
    """Lists of 150 documents, as OHSUMED's, of which features tell little."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((40 * 150, 10))
    y = np.digitize(X[:, 0] + 2 * rng.standard_normal(len(X)), [2.0, 3.5])
    return rk.RankingData(X, y, np.repeat(np.arange(40), 150))


@pytest.mark.parametrize("name", ["svm-ndcg@10", "svm-ndcg@10:tight", "svm-map", "svm-p@5", "svm-rr"])
def test_boosting_does_not_run_away_on_long_lists(name):
    """A tree moves all documents of a query at once: the loss must not rise much above that of no trees."""
    data, loss = long_lists(), get(name)
    start = loss.value_and_grad(np.zeros(data.n_documents), data.y, data.ptr)[0].mean()
    model = rk.BoostedRanker(name, n_trees=40, n_leaves=7).fit(data)
    for trees in (1, 5, 40):
        model.n_trees_ = trees
        assert loss.value_and_grad(model.predict(data), data.y, data.ptr)[0].mean() <= 1.1 * start
    if name in ("svm-ndcg@10:tight", "svm-map"):
        assert loss.value_and_grad(model.predict(data), data.y, data.ptr)[0].mean() < start


def test_sparse_rows_are_the_same_numbers(data):
    import scipy.sparse as sp

    X = np.where(np.median(data.X, axis=0) < data.X, data.X, 0)
    dense = rk.RankingData(X, data.y, data.qid)
    sparse = rk.RankingData(sp.csr_array(X), data.y, data.qid)
    for library in ("lightgbm", "xgboost"):
        one = rk.BoostedRanker(library=library, n_trees=10).fit(dense)
        two = rk.BoostedRanker(library=library, n_trees=10).fit(sparse)
        assert one.predict(sparse) == pytest.approx(one.predict(dense), abs=1e-6)
        assert two.predict(sparse) == pytest.approx(two.predict(dense), abs=1e-6)


def test_models_know_their_features(data, tmp_path):
    model = rk.BoostedRanker(n_trees=2, monotone={2: -1}).fit(data)
    turned = rk.RankingData(data.X[:, ::-1], data.y, data.qid, feature_names=data.feature_names[::-1])
    with pytest.raises(InputError, match="the data has them in another order"):
        model.predict(turned)
    with pytest.raises(InputError, match="the data has them in another order"):
        rk.BoostedRanker(n_trees=2).fit(data, valid=turned)
    with pytest.raises(InputError, match="the data has them in another order"):
        rk.LinearRanker().fit(data).predict(turned)
    model.save(tmp_path / "model.json")
    rk.load(tmp_path / "model.json").fit(data)  # the number in monotone has been through a file
    import pandas

    frame = pandas.DataFrame(data.X, columns=list(data.feature_names))
    rk.BoostedRanker(n_trees=2, monotone={"bm25_body": 1}).fit(frame, data.y, qid=data.qid)
    text = (tmp_path / "model.json").read_text()
    (tmp_path / "cut.json").write_text(text.replace("Tree=1", "Tree=9"))
    with pytest.raises(InputError, match="not a BoostedRanker, or damaged"):
        rk.load(tmp_path / "cut.json")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"params": {"eta": 1.0}}, "params must not contain 'eta': set learning_rate instead"),
        ({"params": {"objective": "regression"}}, "params must not contain 'objective': set loss instead"),
        ({"categorical": "bm25"}, "a list of features"),
        ({"monotone": [1] * 8}, "monotone must say"),
        ({"loss": None}, "loss must be a name or a loss"),
        ({"loss": get("svm-map"), "loss_options": {"A": "linear"}}, "given by name"),
        ({"loss": "svm-ndcg@10", "loss_options": {"A": "learn"}}, "LinearRanker only"),
        ({"learning_rate": "x"}, "learning_rate must be a number"),
        ({"library": "xgboost", "params": {"tree_method": "foo"}}, "XGBoost:"),
    ],
)
def test_bad_parameters(data, options, message):
    with pytest.raises(InputError, match=message):
        rk.BoostedRanker(**{"n_trees": 2, **options}).fit(data)


def test_bad_validation_data_and_weights(data):
    for valid in ((data.X, data.y, data.qid), rk.RankingData(data.X, rk.Preferences([0], [1]), data.qid)):
        with pytest.raises(InputError, match="valid must be"):
            rk.BoostedRanker(n_trees=2).fit(data, valid=valid)
    for weight in ([np.inf] * 30, [0.0] * 30):
        with pytest.raises(InputError, match="query_weight must hold"):
            rk.BoostedRanker(n_trees=2).fit(data, query_weight=weight)
    with pytest.raises(InputError, match="dart"):
        rk.BoostedRanker(n_trees=2, params={"boosting": "dart"}).fit(data, valid=data)


@pytest.mark.filterwarnings("ignore")
def test_few_rows_are_no_error():
    few = rk.BoostedRanker(n_trees=2).fit(np.eye(3), [0, 1, 2], qid=[1, 1, 1])
    assert few.predict(np.eye(3)).tolist() == [0.0, 0.0, 0.0]  # no leaf may hold fewer than 20 documents
    split = rk.BoostedRanker(n_trees=20, min_documents=1).fit(np.eye(3), [0, 1, 2], qid=[1, 1, 1])
    assert split.rank(np.eye(3)).tolist() == [2, 1, 0]


def test_the_number_of_trees_is_that_which_is_best_on_inner_folds(data):
    model = rk.BoostedRanker("ranksvm:norm", monotone={"bm25_body": 1}, threads=1).fit(data)
    assert len(model.history_) == 400
    assert model.n_trees_ == int(np.argmax(np.round(model.history_, 9))) + 1
    assert model.booster_.num_trees() == model.n_trees_ < 400
    alone = rk.BoostedRanker("ranksvm:norm", n_trees=model.n_trees_, monotone={"bm25_body": 1}, threads=1).fit(data)
    assert np.array_equal(alone.predict(data), model.predict(data))
    few = rk.BoostedRanker(min_documents=1, threads=1).fit(data.subset([0, 1]))  # too few queries for folds
    assert few.n_trees_ == 100
    weight = np.ones(data.n_queries)
    weight[:10] = 0.0
    assert rk.BoostedRanker("ranksvm:norm", threads=1).fit(data, query_weight=weight).n_trees_ > 0


def test_trees_that_do_not_split_are_said_to_learn_nothing(data):
    with pytest.warns(NothingLearnedWarning, match="lower it"):
        rk.BoostedRanker(n_trees=2, min_documents=10_000).fit(data)


def test_shares_are_the_library_s_own_where_params_has_them(data):
    one = rk.BoostedRanker(n_trees=5, feature_share=1.0, document_share=1.0).fit(data)
    two = rk.BoostedRanker(n_trees=5, params={"feature_fraction": 1.0, "bagging_fraction": 1.0}).fit(data)
    assert np.array_equal(one.predict(data), two.predict(data))
    assert not np.array_equal(rk.BoostedRanker(n_trees=5).fit(data).predict(data), one.predict(data))
