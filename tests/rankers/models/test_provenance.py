"""Where a model comes from is kept in its file."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

import rankine as rk
from rankine.rankers.models import provenance
from rankine.rankers.models.provenance import data_fingerprint, made_by, provenance_of, trained_on

from ..cases import problem


def test_a_saved_model_says_where_it_comes_from(tmp_path):
    data = rk.RankingData(*problem(0, 6))
    with made_by("rankine train data.txt -o model.json"):
        model = rk.LinearRanker("svm-map", seed=7).fit(data)
    model.save(tmp_path / "m.json")
    stored = json.loads((tmp_path / "m.json").read_text())["provenance"]
    assert stored["rankine"] == rk.__version__
    assert stored["seed"] == 7
    assert stored["command"] == "rankine train data.txt -o model.json"
    about = {"queries": 6, "documents": data.n_documents, "features": data.n_features}
    assert stored["data"] == about | {"fingerprint": data_fingerprint(data)}


def test_the_data_of_a_model_is_known_again():
    data, other = rk.RankingData(*problem(0, 6)), rk.RankingData(*problem(1, 6))
    model = rk.LinearRanker("svm-map").fit(data)
    assert trained_on(model, rk.RankingData(*problem(0, 6)))
    assert not trained_on(model, other)
    del model.provenance_  # as of a file that has none
    assert not trained_on(model, data)


def test_it_is_kept_when_a_model_is_loaded_and_saved_again(tmp_path):
    model = rk.RankBoost(n_rounds=3).fit(*problem(0, 6))
    assert model.provenance_["command"] is None
    assert model.provenance_["seed"] is None
    model.save(tmp_path / "m.json")
    with made_by("another command"):
        rk.load(tmp_path / "m.json").save(tmp_path / "n.json")
    assert (tmp_path / "n.json").read_text() == (tmp_path / "m.json").read_text()


def test_models_without_it_load_and_stay_without(tmp_path):
    rk.LinearRanker("svm-map").fit(*problem(0, 4)).save(tmp_path / "m.json")
    content = json.loads((tmp_path / "m.json").read_text())
    del content["provenance"]
    (tmp_path / "m.json").write_text(json.dumps(content))
    model = rk.load(tmp_path / "m.json")
    assert not hasattr(model, "provenance_")
    model.save(tmp_path / "m.json")
    assert "provenance" not in json.loads((tmp_path / "m.json").read_text())


@pytest.mark.parametrize("bad", [{}, {"rankine": 1}, "text", {"rankine": "1", "data": {}, "seed": 0, "command": None}])
def test_a_damaged_one_is_refused(bad, tmp_path):
    rk.LinearRanker("svm-map").fit(*problem(0, 4)).save(tmp_path / "m.json")
    content = json.loads((tmp_path / "m.json").read_text())
    (tmp_path / "m.json").write_text(json.dumps(content | {"provenance": bad}))
    with pytest.raises(rk.InputError, match="not a LinearRanker, or damaged"):
        rk.load(tmp_path / "m.json")


def test_every_model_of_a_path_a_fusion_and_an_auto_ranker_has_it():
    data = rk.RankingData(*problem(0, 8))
    expected = data_fingerprint(data)
    models = rk.LinearRanker("ranksvm-l2").path([0.1, 1.0], data)
    auto = rk.AutoRanker(candidates=["single feature", "uniform fusion"], folds=2, workers=1).fit(data)
    for model in (*models, auto, auto.best_):
        assert model.provenance_["data"]["fingerprint"] == expected
    assert auto.provenance_["seed"] == 0


def test_the_fingerprint_changes_with_the_data():
    X, y, qid = problem(0, 6)
    moved, graded = X.copy(), y.copy()
    moved[5, 2] = np.nextafter(moved[5, 2], 9)
    graded[5] += 1
    others = [
        rk.RankingData(X, y, qid), rk.RankingData(moved, y, qid), rk.RankingData(X, graded, qid),
        rk.RankingData(X, y, np.where(qid == 1, 0, qid)), rk.RankingData(sp.csr_array(X), y, qid),
        rk.RankingData(X, rk.Preferences([0], [1]), qid), rk.RankingData(X, rk.Preferences([1], [0]), qid),
    ]  # fmt: skip
    assert len({data_fingerprint(data) for data in others}) == len(others)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_of_large_data_rows_at_even_distances_are_hashed(form, monkeypatch):
    X, y, qid = problem(0, 40)
    data = rk.RankingData(form(X), y, qid)
    row = (data.X[:1].data.nbytes + data.X[:1].indices.nbytes) if data.is_sparse else data.X[:1].nbytes
    whole = data_fingerprint(data)
    monkeypatch.setattr(provenance, "MOST", 10 * row)
    part = data_fingerprint(data)
    assert part != whole
    last = X.copy()
    last[-1, 0] += 1
    assert data_fingerprint(rk.RankingData(form(last), y, qid)) != part
    between = X.copy()
    between[1, 0] += 1  # not one of ten rows from the first to the last
    assert data_fingerprint(rk.RankingData(form(between), y, qid)) == part


def test_a_command_that_is_no_text_can_be_stored():
    with made_by("rankine train \udcff.txt"):
        command = provenance_of(rk.RankingData([[1.0]], [0], [1]), np.int64(3))["command"]
    assert command == "rankine train \\udcff.txt"
    assert provenance_of(rk.RankingData([[1.0]], [0], [1]), np.int64(3))["seed"] == 3
