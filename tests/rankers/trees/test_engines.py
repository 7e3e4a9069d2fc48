"""The engines boost the trees that can be computed by hand, on gradients that they are handed."""

import numpy as np
import pytest
import scipy.sparse as sp

import rankine as rk
from rankine.adapters.boosting import Metric
from rankine.rankers.trees.engines import ENGINES, Held, TreeSettings

SETTINGS = TreeSettings(
    trees=1,
    patience=5,
    leaves=2,
    rate=1.0,
    documents=1,
    feature_share=1.0,
    document_share=1.0,
    monotone=[],
    categorical=[],
    threads=1,
    seed=0,
    params={},
)
DATA = rk.RankingData(np.array([[0.0], [0.0], [1.0], [1.0]]), [0, 2, 4, 6], [1, 1, 1, 1])
EVERY = pytest.mark.parametrize("name", ENGINES)


def squared(scores, y):
    """Gradient and curvature of ½(score − y)²."""
    return scores - y, np.ones(len(y))


def trained(name, data=DATA, objective=squared, held=None, **changes):
    engine = ENGINES[name]()
    return (engine, *engine.train(data, objective, held, SETTINGS._replace(**changes)))


@EVERY
def test_one_split_gives_the_means(name):
    engine, booster, history = trained(name)
    assert engine.size(booster) == 1
    assert engine.predict(booster, DATA.X, 1) == pytest.approx([1, 1, 5, 5])
    assert engine.predict(booster, sp.csr_array(DATA.X), 1) == pytest.approx([1, 1, 5, 5])
    assert history == []


@EVERY
def test_trees_add_up(name):
    """With rate ½ each tree halves the distance from the means: half, three quarters, seven eighths."""
    engine, booster, _ = trained(name, trees=3, rate=0.5)
    assert engine.size(booster) == 3
    for trees, share in ((1, 1 / 2), (2, 3 / 4), (3, 7 / 8)):
        assert engine.predict(booster, DATA.X, trees) == pytest.approx(share * np.array([1, 1, 5, 5]))


@EVERY
def test_text_is_the_same_booster(name):
    engine, booster, _ = trained(name, trees=3, rate=0.5)
    again = engine.from_text(engine.to_text(booster), DATA.n_features)
    assert engine.size(again) == 3
    for trees in (1, 3):
        assert engine.predict(again, DATA.X, trees).tolist() == engine.predict(booster, DATA.X, trees).tolist()


@EVERY
def test_a_monotone_feature_is_not_used_the_other_way(name):
    engine, booster, _ = trained(name, monotone=[-1])
    assert np.ptp(engine.predict(booster, DATA.X, engine.size(booster))) == 0
    engine, booster, _ = trained(name, monotone=[1])
    assert engine.predict(booster, DATA.X, 1) == pytest.approx([1, 1, 5, 5])


@EVERY
@pytest.mark.parametrize(("measure", "history"), [("P(rel=4)@2", [1.0, 1.0, 1.0]), ("RR(rel=7)", [0.0, 0.0, 0.0])])
def test_training_stops_when_the_measure_no_longer_improves(name, measure, history):
    held = Held(DATA, Metric(measure, DATA.qid))
    *_, record = trained(name, held=held, trees=50, rate=0.5, patience=2)
    assert record == history  # the first tree, and two that are not better


@EVERY
def test_errors_of_the_library_are_ours(name):
    with pytest.raises(rk.InputError, match=r"^(LightGBM|XGBoost): .*[a-z]"):
        trained(name, params={"max_bin": -3})


@EVERY
def test_an_engine_without_its_package(name, monkeypatch):
    monkeypatch.setattr(ENGINES[name], "package", "no_such_package")
    with pytest.raises(rk.InputError, match=r'no_such_package: pip install -e "\.\[boost\]"'):
        ENGINES[name]()
