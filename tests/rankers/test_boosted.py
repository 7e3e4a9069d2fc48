"""Gradient boosting on our losses: what the libraries are handed, what they make of it, what is kept."""

import subprocess
import sys

import lightgbm
import numpy as np
import pytest
import xgboost

import rankine as rk
from rankine.adapters import lightgbm as lgb_adapter
from rankine.adapters import xgboost as xgb_adapter
from rankine.adapters.boosting import Objective
from rankine.errors import InputError
from rankine.losses import get, names
from rankine.sample import judged_set

LOSSES = [
    "svm-ndcg@10", "svm-map", "svm-p@3", "svm-rr", "svm-ndcg@5:tight", "svm-map:tight", "ranksvm", "ranksvm-l2:norm",
    "position-sensitive", "preorder", "consistent-ndcg@10", "listnet", "listmle", "squared", "squared-dcg", "duchi",
]  # fmt: skip


@pytest.fixture(scope="module")
def data():
    return judged_set(n_queries=30)


@pytest.mark.parametrize("name", LOSSES)
def test_what_libraries_are_handed_is_the_gradient(data, name):
    rng = np.random.default_rng(0)
    shuffled = rng.permutation(data.n_documents)
    scores = rng.normal(size=data.n_documents)
    values, grad = get(name).value_and_grad(scores, data.y, data.ptr)
    for objective in (lgb_adapter.objective(name, data.qid[shuffled]), xgb_adapter.objective(name, data.qid[shuffled])):

        class Rows:
            @staticmethod
            def get_label():
                return data.y[shuffled]

        got, curve = objective(scores[shuffled], Rows)
        # queries come in another order, so sums within a query are the same but for rounding
        assert got == pytest.approx(grad[shuffled], rel=1e-5, abs=1e-5 * max(np.abs(grad).max(), 1))
        assert (curve > 0).all()
        assert np.isfinite(curve).all()
    assert np.isfinite(values).all()


def test_groups_of_the_library_do_as_well_as_ids(data):
    sizes = np.diff(data.ptr)
    scores = np.random.default_rng(0).normal(size=data.n_documents)
    want = get("svm-map").value_and_grad(scores, data.y, data.ptr)[1]
    train = lightgbm.Dataset(data.X, data.y, group=sizes).construct()
    assert lgb_adapter.objective("svm-map")(scores, train)[0] == pytest.approx(want)
    name, value, higher = lgb_adapter.metric("nDCG@5")(scores, train)
    assert (name, higher) == ("nDCG@5", True)
    assert value == pytest.approx(rk.evaluate("nDCG@5", data.y, scores, data.qid).mean["nDCG@5"])
    matrix = xgboost.DMatrix(data.X, data.y, qid=np.repeat(np.arange(30), sizes))
    assert xgb_adapter.objective("svm-map")(scores, matrix)[0] == pytest.approx(want, abs=1e-6)
    assert xgb_adapter.metric("nDCG@5")(scores, matrix) == ("nDCG@5", pytest.approx(value))
    with pytest.raises(InputError, match="Give qid"):
        lgb_adapter.objective("svm-map")(scores, lightgbm.Dataset(data.X, data.y).construct())
    with pytest.raises(InputError, match="Give qid"):
        xgb_adapter.objective("svm-map")(scores, xgboost.DMatrix(data.X, data.y))


def test_curvature_is_exact_where_it_exists(data):
    scores = np.random.default_rng(1).normal(size=data.n_documents)
    for name in ("squared", "squared-dcg", "listnet"):
        prepared = get(name).prepare(data.y, data.ptr)
        grad = prepared(scores)[1]
        found = prepared.diagonal(scores, grad)
        for i in range(0, data.n_documents, 97):
            moved = scores.copy()
            moved[i] += 1e-5
            assert found[i] == pytest.approx((prepared(moved)[1][i] - grad[i]) / 1e-5, rel=1e-3, abs=1e-6)


def test_a_step_moves_by_at_most_one_margin(data):
    """−Σg/Σh over any set of documents of a query is at most 1/c."""
    rng = np.random.default_rng(2)
    for name in ("svm-ndcg@10", "svm-ndcg@10:tight", "svm-map", "ranksvm"):
        prepared = get(name).prepare(data.y, data.ptr)
        scores = rng.normal(size=data.n_documents)
        grad = prepared(scores)[1]
        curve = prepared.diagonal(scores, grad)
        stiff = prepared.stiffness(grad)
        for q in range(data.n_queries):
            rows = np.arange(data.ptr[q], data.ptr[q + 1])
            some = rows[rng.random(len(rows)) < 0.5]
            if len(some):
                assert abs(grad[some].sum()) / curve[some].sum() <= 1 / max(stiff[q], 1e-9) + 1e-9


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
@pytest.mark.parametrize("name", ["svm-ndcg@10:tight", "svm-map", "ranksvm:norm", "consistent-ndcg@10", "listnet"])
def test_boosting_lowers_its_loss(data, library, name):
    loss = get(name)

    def value(trees):
        model = rk.BoostedRanker(name, library, n_trees=trees, n_leaves=7, learning_rate=0.3).fit(data)
        return loss.value_and_grad(model.predict(data), data.y, data.ptr)[0].mean()

    start = loss.value_and_grad(np.zeros(data.n_documents), data.y, data.ptr)[0].mean()
    few, many = value(3), value(40)
    assert many < few < start


def test_the_squared_loss_is_the_librarys_own(data):
    X, y, qid = data.X, data.y, data.qid
    common = {"num_leaves": 15, "learning_rate": 0.1, "verbose": -1, "min_data_in_leaf": 5, "boost_from_average": False,
              "deterministic": True, "force_row_wise": True}  # fmt: skip
    own = lightgbm.train({**common, "objective": "regression"}, lightgbm.Dataset(X, y), 20)
    ours = lightgbm.train({**common, "objective": lgb_adapter.objective("squared", qid)}, lightgbm.Dataset(X, y), 20)
    assert ours.predict(X) == pytest.approx(own.predict(X), abs=1e-6)
    common = {"max_depth": 4, "learning_rate": 0.1, "reg_lambda": 0.0, "base_score": 0.0, "min_child_weight": 0.0}
    own = xgboost.train({**common, "objective": "reg:squarederror"}, xgboost.DMatrix(X, y), 20)
    ours = xgboost.train(common, xgboost.DMatrix(X, y), 20, obj=xgb_adapter.objective("squared", qid))
    assert ours.predict(xgboost.DMatrix(X)) == pytest.approx(own.predict(xgboost.DMatrix(X)), abs=1e-5)


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
    model = rk.BoostedRanker("ranksvm:norm", library, n_trees=10, categorical=["kind"]).fit(judged)
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
        (lambda d: rk.BoostedRanker(n_trees=0).fit(d), "n_trees must be a whole number"),
        (lambda d: rk.BoostedRanker(learning_rate=0).fit(d), "learning_rate must be a number above 0"),
        (lambda d: rk.BoostedRanker(monotone={"x": 1}).fit(d), "no feature is called 'x'"),
        (lambda d: rk.BoostedRanker(monotone={0: 2}).fit(d), "1 .*-1"),
        (lambda d: rk.BoostedRanker(categorical=[99]).fit(d), "numbered from 0 to 7"),
        (lambda d: rk.BoostedRanker("no-such-loss").fit(d), "unknown loss"),
        (lambda d: rk.BoostedRanker().fit(d, valid=d.select([0])), "features"),
        (lambda d: rk.BoostedRanker().fit(d, query_weight=[1]), "query_weight must hold 30"),
        (lambda d: rk.BoostedRanker(n_trees=1).fit(d).predict(d.select([0])), "has 8 features, the data has 1"),
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


def test_a_missing_package_is_named():
    """Without the extras Rankine is imported and used; asking for one of them says what to install."""
    script = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in ('lightgbm', 'xgboost', 'torch', 'onnx', 'soundfile', 'soxr'):\n"
        "            raise ModuleNotFoundError(name, name=name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        "import rankine as rk, numpy as np\n"
        "X, y = np.eye(4), [1, 0, 1, 0]\n"
        "rk.LinearRanker().fit(X, y)\n"
        "def told(call):\n"
        "    try:\n"
        "        call()\n"
        "    except rk.InputError as error:\n"
        "        print(error)\n"
        "told(lambda: rk.BoostedRanker().fit(X, y))\n"
        "told(lambda: rk.BoostedRanker(library='xgboost').fit(X, y))\n"
        "told(lambda: rk.NeuralRanker().fit(X, y))\n"
        "told(lambda: rk.adapters.torch)\n"
        "told(lambda: rk.export.to_onnx(rk.LinearRanker().fit(X, y)))\n"
        "from rankine.spoken.recognise.run import recognise\n"
        "open('x.wav', 'w').close()\n"
        "told(lambda: recognise(['x.wav'], 'out'))\n"
    )
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=folder, check=False)
    lines = done.stdout.splitlines()
    assert [line.split('"')[1] for line in lines[:5]] == [
        "rankine[boost]", "rankine[boost]", "rankine[torch]", "rankine[torch]", "rankine[export]",
    ], done.stderr  # fmt: skip


def test_every_loss_has_a_curvature():
    y, ptr = np.array([2.0, 1.0, 0.0, 1.0, 1.0]), np.array([0, 3, 5])
    for name in names():
        loss = get(name.replace("@k", "@3"))
        if name.startswith("consistent-rank"):
            y_own: object = np.array([1.0, 2.0, 3.0, 1.0, 2.0])
        elif name.startswith("consistent-wpd"):
            y_own = rk.Preferences([0, 3], [1, 4])
        else:
            y_own = y
        prepared = loss.prepare(y_own, ptr)
        for scale in (0.0, 1.0, 1e3):
            scores = scale * np.array([0.3, -0.2, 0.1, 0.0, 0.5])
            curve = prepared.diagonal(scores, prepared(scores)[1])
            assert (curve > 0).all(), name
            assert np.isfinite(curve).all(), name


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


def test_a_metric_serves_several_data_sets(data):
    sizes = np.diff(data.ptr)
    scores = np.random.default_rng(0).normal(size=data.n_documents)
    whole = lightgbm.Dataset(data.X, data.y, group=sizes).construct()
    half = int(data.ptr[15])
    part = lightgbm.Dataset(data.X[:half], data.y[:half], group=sizes[:15]).construct()
    measured = lgb_adapter.metric("nDCG@5")
    first = measured(scores, whole)[1]
    assert measured(scores[:half], part)[1] == pytest.approx(
        rk.evaluate("nDCG@5", data.y[:half], scores[:half], data.qid[:half]).mean["nDCG@5"]
    )
    assert measured(scores, whole)[1] == first


def test_models_know_their_features(data, tmp_path):
    model = rk.BoostedRanker(n_trees=2, monotone={2: -1}).fit(data)
    turned = rk.RankingData(data.X[:, ::-1], data.y, data.qid, feature_names=data.feature_names[::-1])
    with pytest.raises(InputError, match="trained on other features: number 1 is"):
        model.predict(turned)
    with pytest.raises(InputError, match="trained on other features"):
        rk.BoostedRanker(n_trees=2).fit(data, valid=turned)
    with pytest.raises(InputError, match="trained on other features"):
        rk.LinearRanker().fit(data).predict(turned)
    model.save(tmp_path / "model.json")
    rk.load(tmp_path / "model.json").fit(data)  # the number in monotone has been through a file
    import pandas

    frame = pandas.DataFrame(data.X, columns=list(data.feature_names))
    rk.BoostedRanker(n_trees=2, monotone={"bm25_body": 1}).fit(frame, data.y, qid=data.qid)
    text = (tmp_path / "model.json").read_text()
    (tmp_path / "cut.json").write_text(text.replace("Tree=1", "Tree=9"))
    with pytest.raises(InputError, match="damaged model file"):
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
    model = rk.BoostedRanker(n_trees=2).fit(np.eye(3), [0, 1, 2], qid=[1, 1, 1])
    assert np.isfinite(model.predict(np.eye(3))).all()
