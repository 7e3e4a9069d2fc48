"""A model and the features of new data: how they are numbered, and how many there are."""

import io
import json
import warnings

import numpy as np
import pytest

import rankine as rk
from rankine.rankers.table import TABLE

from ...cases import linear_problem


def as_text(X, y, qid, first):
    """Data from sparse text: its first feature has this number, or is not there at all."""
    lines = [
        f"{g:g} qid:{q} " + " ".join(f"{j + first}:{v!r}" for j, v in enumerate(row) if v)
        for row, g, q in zip(X.tolist(), y, qid, strict=True)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rk.InputNote)
        return rk.load_letor(io.BytesIO("\n".join(lines).encode()), dtype="float64")


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("name", [name for name in TABLE if name != "neural"])
def test_every_model_remembers_and_applies_the_numbering(tmp_path, name, first):
    X, y, qid = linear_problem(n=8, m=6)
    row = TABLE[name]
    options = {
        "auto": {"candidates": ["single feature", "linear ranksvm-l2"]}, "boosted": {"n_trees": 3, "min_documents": 1},
    }.get(name, {})  # fmt: skip
    train, test = as_text(X, y, qid, first), X.copy()
    test[:, [0, -1]] = 0  # the first and the last feature do not occur
    narrow = as_text(test, y, qid, first)
    assert narrow.n_features == X.shape[1] - (2 if first == 0 else 1)
    assert narrow.numbering.first == 1
    model = row.make(C=0.1, **options).fit(train)
    assert model.first_index_ == first
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rk.InputNote)
        scores = model.predict(narrow)
    assert np.array_equal(scores, model.predict(rk.RankingData(test, y, qid)))
    model.save(tmp_path / "m.json")
    again = rk.load(tmp_path / "m.json")
    assert again.first_index_ == first
    with pytest.warns(rk.InputNote, match="the others count as 0"):
        np.testing.assert_array_equal(again.predict(narrow), model.predict(rk.RankingData(test, y, qid)))
    content = json.loads((tmp_path / "m.json").read_text())
    del content["first_index"]  # as earlier versions wrote it
    (tmp_path / "old.json").write_text(json.dumps(content))
    old = rk.load(tmp_path / "old.json")
    assert old.first_index_ is None
    np.testing.assert_array_equal(old.predict(train), model.predict(train))
    content["first_index"] = 7
    (tmp_path / "bad.json").write_text(json.dumps(content))
    with pytest.raises(rk.InputError, match=r"bad.json"):
        rk.load(tmp_path / "bad.json")


def test_contradictions_and_other_numbers_of_features():
    X, y, qid = linear_problem(n=4, m=5)
    model = rk.SingleFeature().fit(as_text(X, y, qid, 1))
    with pytest.raises(rk.InputError, match="of the model are numbered from 1, those of the data from 0"):
        model.predict(as_text(X, y, qid, 0))
    with pytest.raises(rk.InputError, match=r"has 4 features, the data has 5; .*--features 1-4"):
        rk.SingleFeature().fit(as_text(X[:, :4], y, qid, 1)).predict(as_text(X[:, :5], y, qid, 1))
    with pytest.raises(rk.InputError, match=f"the model has {X.shape[1]} features, the data has 2"):
        model.predict(rk.RankingData(X[:, :2], y, qid))
    by_array = rk.SingleFeature().fit(X, y, qid=qid)
    assert by_array.first_index_ is None
    by_array.predict(as_text(X, y, qid, 0))


def test_validation_data_is_padded_and_compared():
    X, y, qid = linear_problem(n=8, m=6)
    train, narrow = as_text(X, y, qid, 1), as_text(X[:, :-1], y, qid, 1)
    with pytest.warns(rk.InputNote, match="the validation data has 5 features, the training data 6: the others count"):
        rk.AdaRank(n_rounds=2).fit(train, valid=narrow)
    with pytest.raises(rk.InputError, match="of the training data are numbered from 1, those of the validation data"):
        rk.AdaRank(n_rounds=2).fit(train, valid=as_text(X, y, qid, 0))
    rk.tune(rk.AdaRank(), train, {"n_rounds": [1]}, valid=narrow, workers=1)
    with pytest.raises(rk.InputError, match="of the training data are numbered from 1"):
        rk.tune(rk.AdaRank(), train, {"n_rounds": [1]}, valid=as_text(X, y, qid, 0), workers=1)


def test_names_of_engines_have_the_numbers_of_the_text():
    from rankine.export import search_engines

    X, y, qid = linear_problem(n=4, m=5)
    for first in (0, 1):
        model = rk.LinearRanker("ranksvm-l2", C=0.1).fit(as_text(X, y, qid, first))
        text = search_engines.to_solr(model, name="m").decode()
        assert f'"feature_{first}"' in text
        assert f'"feature_{first + X.shape[1]}"' not in text


def text_of(first, skip=0):
    """Judged text whose features are numbered from ``first``, without the first ones."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 5))
    y = (X @ [2.0, -1.0, 1.0, 0.5, -2.0] > 0).astype(int)
    lines = [
        f"{y[i]} qid:{i // 6} " + " ".join(f"{first + j}:{x}" for j, x in enumerate(row) if j >= skip)
        for i, row in enumerate(X.round(3).tolist())
    ]
    return "\n".join([*lines, ""]).encode()


def test_features_that_were_selected_by_number_must_be_read_again():
    model = rk.LinearRanker("ranksvm-l2", C=1.0).fit(rk.load_letor(io.BytesIO(text_of(1)), features="1,3"))
    for features in (None, "1-2"):
        with pytest.raises(rk.InputError, match=r"trained on features 1,3: read the same ones \(--features 1,3\)"):
            model.predict(rk.load_letor(io.BytesIO(text_of(1)), features=features))
    assert len(model.predict(rk.load_letor(io.BytesIO(text_of(1)), features="1,3"))) == 60


@pytest.mark.filterwarnings("ignore::rankine.errors.InputNote")
def test_numbering_goes_through_csv():
    out = io.BytesIO()
    data = rk.load_letor(io.BytesIO(text_of(0)), dtype="float64")
    rk.save_csv(data, out)
    assert out.getvalue().startswith(b"label,qid,f0,f1,f2,f3,f4\n")
    out.seek(0)
    model = rk.LinearRanker("ranksvm-l2", C=1.0).fit(rk.load_csv(out, dtype="float64"))
    without = rk.load_letor(io.BytesIO(text_of(0, skip=1)), dtype="float64")  # features 1 to 4 of 0 to 4
    X = data.X.copy()
    X[:, 0] = 0
    np.testing.assert_allclose(model.predict(without), X @ model.coef_, rtol=1e-12)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "b", "new"], "the data has others too, such as 'new': --features a,b"),
        (["b", "a"], "the data has them in another order: --features a,b"),
        (["a", "c"], "trained on other features: number 2 is 'b', here 'c'"),
        (["a"], "trained on other features: the data has no 'b'"),
    ],
)
def test_names_that_differ(names, message):
    model = rk.LinearRanker("ranksvm-l2", C=1.0).fit(
        rk.RankingData([[1.0, 0.0], [0.0, 1.0]], [1, 0], [1, 1], feature_names=["a", "b"])
    )
    with pytest.raises(rk.InputError, match=message):
        model.predict(rk.RankingData(np.ones((2, len(names))), [0, 1], [1, 1], feature_names=names))
