"""The table of estimators: every row is an estimator of scikit-learn, is public, and can be tuned as it says."""

import subprocess
import sys
import warnings
from inspect import signature

import pytest
from sklearn.utils.estimator_checks import check_estimator

import rankine as rk
from rankine import rankers
from rankine.rankers.table import CLASSES, FUSED, TABLE, row_of
from rankine.sample import judged_set

SMALL = {  # so that a fit to a few rows takes no time
    "auto": [{"candidates": ["single feature", "uniform fusion"], "folds": 2, "workers": 1}],
    "linear": [{"tol": 1e-6}],
    "kernel": [{"loss": "svm-map", "C": 1.0}],
    "boosted": [
        {"loss": "squared", "library": library, "n_trees": 5, "min_documents": 1, "threads": 1}
        for library in ("lightgbm", "xgboost")
    ],
    "neural": [{"loss": "squared", "hidden": (8,), "epochs": 3, "normalise": None, "dropout": 0.0, "threads": 1}],
}
CASES = [(name, parameters) for name in TABLE for parameters in SMALL.get(name, [{}])]


@pytest.mark.filterwarnings("ignore::rankine.solvers.certificate.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::rankine.rankers.linear.NothingLearnedWarning")
@pytest.mark.filterwarnings("ignore::rankine.rankers.adarank.NoWeakRankerWarning")
@pytest.mark.parametrize(("name", "parameters"), CASES, ids=lambda case: str(case)[:40])
def test_scikit_learns_checks(name, parameters):
    with warnings.catch_warnings():
        if TABLE[name].extra or name == "kernel":  # other libraries warn of rows as few as these
            warnings.simplefilter("ignore")
        check_estimator(TABLE[name].make(**parameters), on_skip=None)


def test_every_row_is_public():
    assert set(CLASSES) == {row.class_name for row in (*TABLE.values(), FUSED)}
    for name, row in CLASSES.items():
        assert row.load().__name__ == name
        assert getattr(rankers, name) is row.load()
        assert row is FUSED or getattr(rk, name) is row.load()  # a fusion is made by AutoRanker alone
        assert name in rankers.__all__
        assert name in dir(rankers)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = rankers.nothing


def test_rows_say_what_they_are():
    assert len({row.explanation for row in TABLE.values()}) == len(TABLE)
    for row in TABLE.values():
        assert set(row.grid) <= set(signature(row.load()).parameters)
        assert all(len(values) > 0 for values in row.grid.values())
        if "loss" in row.grid:
            assert row.grid["loss"] == [signature(row.load()).parameters["loss"].default]


@pytest.mark.parametrize("name", ["regression", "adarank", "rankboost", "single", "uniform"])
def test_the_grid_of_a_row_can_be_tuned(name):
    data, row = judged_set(n_queries=8), TABLE[name]
    tuning = rk.tune(row.make(measure="AP"), data, row.grid, measure="AP", folds=2, workers=1)
    combinations = 1
    for values in row.grid.values():
        combinations *= len(values)
    assert len(tuning.trials) == combinations
    assert 0 < tuning.best.mean <= 1


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TABLE)
def test_every_row_is_saved_under_its_name(name, tmp_path):
    data = judged_set(n_queries=6)
    model = TABLE[name].make(**SMALL.get(name, [{}])[0]).fit(data)
    model.save(tmp_path / "m.json")
    assert f'"kind": "{TABLE[name].class_name}"' in (tmp_path / "m.json").read_text()
    again = rk.load(tmp_path / "m.json")
    assert type(again) is TABLE[name].load()
    assert again.predict(data).tolist() == model.predict(data).tolist()


def test_unknown_rankers():
    with pytest.raises(rk.InputError, match=r"unknown ranker 'adarnk'\. Did you mean 'adarank'\? There are: auto, "):
        row_of("adarnk")


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
        ".[boost]", ".[boost]", ".[torch]", ".[torch]", ".[export]",
    ], done.stderr  # fmt: skip
