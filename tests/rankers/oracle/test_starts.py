"""Where descents begin: the points by name, the recipe of Chapelle, Le & Smola, and what is refused."""

import numpy as np
import pytest

import rankine as rk
from rankine.rankers.baselines import regression_weights
from rankine.rankers.oracle import starts as module

from ...cases import normalised_sample

TIGHT = "svm-ndcg@5:tight"
W0 = np.linspace(-1, 1, 8)


@pytest.fixture(scope="module")
def data():
    return normalised_sample(20)


@pytest.fixture
def begun(monkeypatch):
    """The points from which descents began."""
    points = []

    def recorded(solve, starts, *args, **options):
        points.extend(starts)
        return best_of(solve, starts, *args, **options)

    best_of = module.best_of
    monkeypatch.setattr(module, "best_of", recorded)
    return points


def test_the_recipe_of_the_paper(data, begun):
    """§5.3: regression is the reference point of the regulariser, the start, and no other start is tried."""
    model = rk.LinearRanker(TIGHT, C=1.0, solver="subgradient", w0="regression", start="regression").fit(data)
    least_squares = np.linalg.lstsq(np.column_stack([data.X, np.ones(data.n_documents)]), data.y, rcond=None)[0][:-1]
    assert len(begun) == 1
    np.testing.assert_allclose(begun[0], least_squares, atol=1e-5)

    def objective(w):
        losses = rk.losses.get(TIGHT).value_and_grad(data.X @ w, data.y, data.ptr)[0]
        return 0.5 * ((w - begun[0]) ** 2).sum() + losses.sum()

    assert model.history_[0].objective == pytest.approx(objective(begun[0]))
    assert model.objective_ == pytest.approx(objective(model.coef_))
    assert model.objective_ < objective(begun[0])
    heights = [step.objective for step in model.history_]
    assert heights == sorted(heights, reverse=True)


@pytest.mark.parametrize(("w0", "length"), [(None, 0.0), (W0, np.linalg.norm(W0))])
def test_points_by_name(data, begun, w0, length):
    names = ["zero", "w0", "regression", "convex", "random", "random"]
    rk.LinearRanker(TIGHT, C=0.1, start=names, w0=w0, max_iter=3).fit(data)
    zero, origin, regression, convex, first, second = begun
    assert not zero.any()
    assert np.linalg.norm(origin) == pytest.approx(length)
    np.testing.assert_array_equal(regression, regression_weights(data))
    optimum = rk.LinearRanker("svm-ndcg@5", C=0.1, w0=w0, max_iter=3, solver="bundle")
    with pytest.warns(UserWarning, match=r"nothing was learned|stopped"):
        np.testing.assert_allclose(convex, optimum.fit(data).coef_)
    assert (first != second).any()
    for random in (first, second):
        assert np.linalg.norm(random) == pytest.approx(max(np.linalg.norm(convex), 1e-3))


def test_starts_along_a_path_and_random_ones(data, begun):
    rk.LinearRanker(TIGHT, start="regression", max_iter=2).path([0.1, 1.0, 10.0], data)
    assert len(begun) == 3  # where the last C ended is no start
    assert all((w == begun[0]).all() for w in begun)
    begun.clear()
    rk.LinearRanker(TIGHT, C=1.0, start="random", n_starts=3, seed=5, max_iter=2).fit(data)
    lengths = [np.linalg.norm(w) for w in begun]
    assert lengths == pytest.approx([np.linalg.norm(regression_weights(data))] * 3)
    begun.clear()
    rk.LinearRanker(TIGHT, C=1.0, max_iter=2).path([0.1, 1.0], data)
    assert [len(begun)] == [5]  # convex, regression; the same and where the first ended


def test_the_start_of_a_convex_loss_changes_the_way_and_not_the_end(data):
    models = [
        rk.LinearRanker("svm-map", C=1.0, solver="subgradient", start=start, tol=1e-4).fit(data)
        for start in ("zero", "regression", "random")
    ]
    heights = [m.objective_ for m in models]
    assert heights == pytest.approx([heights[0]] * 3, rel=2e-4)
    assert len({m.history_[0].objective for m in models}) == 3


def test_names_survive_saving(data, tmp_path):
    model = rk.LinearRanker(TIGHT, C=1.0, start=["regression", "zero"], w0="regression", max_iter=2).fit(data)
    model.save(tmp_path / "m.json")
    again = rk.load(tmp_path / "m.json")
    assert (again.start, again.w0, again.n_starts) == (["regression", "zero"], "regression", None)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"start": "regresion"}, r"start must be one of zero, .*; got 'regresion'. Did you mean 'regression'\?"),
        ({"start": []}, "start must be one of"),
        ({"start": [0.5, 1.0]}, "start must be one of"),
        ({"start": ["zero", "w0"], "n_starts": 1}, "start names 2 points, n_starts is 1"),
        ({"loss": "svm-map", "start": ["zero", "w0"]}, "svm-map is convex, its optimum is the same from every start"),
        ({"loss": "svm-map", "start": "convex"}, "svm-map is convex"),
        ({"loss": "svm-map", "solver": "cutting-plane", "start": "zero"}, "begins with no plane at all"),
        ({"loss": "svm-ndcg@5", "loss_options": {"A": "learn"}, "start": "zero"}, "nor w0 nor start"),
    ],
)
def test_starts_that_make_no_sense(data, options, text):
    with pytest.raises(rk.InputError, match=text):
        rk.LinearRanker(**({"loss": TIGHT, "C": 1.0} | options)).fit(data)


def test_a_regression_needs_grades():
    X = np.random.default_rng(0).normal(size=(6, 2))
    y = rk.Preferences([0, 3], [1, 4])
    with pytest.raises(rk.InputError, match="a regression needs grades"):
        rk.LinearRanker("consistent-wpd", C=1.0, w0="regression").fit(X, y, qid=[1, 1, 1, 2, 2, 2])
