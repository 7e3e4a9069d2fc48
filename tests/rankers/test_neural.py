"""Networks trained by ranking losses: optimum, early stopping, seeds."""

from itertools import pairwise

import numpy as np
import pytest
import torch

import rankine as rk
from rankine.adapters.torch import loss as torch_loss
from rankine.errors import InputError

from ..cases import normalised_sample


@pytest.fixture(scope="module")
def data():
    return normalised_sample(20)


def test_the_linear_network_reaches_the_linear_optimum(data):
    C = 0.01
    linear = rk.LinearRanker("ranksvm-l2", C=C, tol=1e-9).fit(data)
    network = rk.NeuralRanker(
        "ranksvm-l2", hidden=(), optimiser="lbfgs", epochs=20, normalise=None, weight_decay=1 / (C * data.n_queries)
    ).fit(data)
    weights = network.layers_[0][0][0]
    assert weights == pytest.approx(linear.coef_, abs=1e-4 * np.abs(linear.coef_).max())


def test_networks_learn_stop_and_are_reproducible(data, tmp_path):
    train, valid = next(data.folds(3, seed=0))
    model = rk.NeuralRanker(hidden=(16,), epochs=12, patience=3, threads=1).fit(train, valid=valid)
    again = rk.NeuralRanker(hidden=(16,), epochs=12, patience=3, threads=1).fit(train, valid=valid)
    assert again.predict(valid).tolist() == model.predict(valid).tolist()
    best = max(v for _, v in model.history_)
    assert model.score(valid) == pytest.approx(best)
    assert model.history_[-1][0] < model.history_[0][0]
    model.save(tmp_path / "model.json")
    assert rk.load(tmp_path / "model.json").predict(valid) == pytest.approx(model.predict(valid), abs=1e-12)
    other = rk.NeuralRanker(hidden=(16,), epochs=3, seed=1, threads=1).fit(train)
    assert other.predict(valid).tolist() != model.predict(valid).tolist()


def test_the_global_generator_is_left_alone(data):
    torch.manual_seed(5)
    first = torch.rand(1)
    torch.manual_seed(5)
    rk.NeuralRanker(hidden=(4,), epochs=1).fit(data)
    assert torch.rand(1) == first


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: rk.NeuralRanker(hidden=(0,)).fit(d), "each hidden layer"),
        (lambda d: rk.NeuralRanker(optimiser="x").fit(d), "adamw or lbfgs"),
        (lambda d: rk.NeuralRanker(dropout=1.0).fit(d), "dropout within"),
        (lambda d: rk.NeuralRanker(epochs=1).fit(d, valid=d.select([0])), "features"),
        (lambda d: torch_loss("svm-map", reduction="x"), "mean, sum or none"),
        (lambda d: torch_loss("svm-map")(torch.zeros(3), torch.zeros(3)), "flat batch with query ids"),
        (lambda d: torch_loss("svm-map")(torch.zeros(3), torch.zeros(2), torch.zeros(3)), "do not go together"),
        (lambda d: torch_loss("svm-map")(torch.zeros(2, 3), torch.zeros(3, 2)), "must have one shape"),
        (lambda d: torch_loss("svm-map")(torch.tensor([float("nan")]), [1], [1]), "scores"),
    ],
)
def test_bad_input(data, call, message):
    with pytest.raises(InputError, match=message):
        call(data)


def test_lbfgs_needs_a_function_that_stands_still(data):
    small = data.take(np.arange(int(data.ptr[5])))
    model = rk.NeuralRanker("listnet", hidden=(4,), optimiser="lbfgs", epochs=3, dropout=0.5, threads=1).fit(small)
    losses = [v for v, _ in model.history_]
    assert all(b <= a + 1e-9 for a, b in pairwise(losses))


def test_epochs_are_those_that_queries_set_aside_call_for():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    data = rk.RankingData(X, np.searchsorted([0.5, 1.5], X[:, 0] + rng.normal(size=200)), np.repeat(np.arange(20), 10))
    model = rk.NeuralRanker(hidden=(4,), patience=5, threads=1).fit(data)
    assert 1 <= model.n_epochs_ <= 100
    again = rk.NeuralRanker(hidden=(4,), epochs=model.n_epochs_, threads=1).fit(data)
    assert np.array_equal(again.predict(data), model.predict(data))
    assert rk.NeuralRanker(hidden=(4,), threads=1).fit(data.subset([0, 1])).n_epochs_ == 20
