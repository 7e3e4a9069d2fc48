"""Weights as a file, and how they see scores."""

import json

import numpy as np
import pytest

import rankine as rk
from rankine.data.normalisers import Normaliser
from rankine.spoken.learn.weights import NORMALISERS, Weights, normalised
from rankine.system.files import sealed

NAMES = ("word-cn-1", "word-cn-2")


def test_a_file_of_weights(tmp_path):
    weights = Weights(NAMES, (1.5, -2), "query-minmax", "svm-map", {"queries": 3})
    path = tmp_path / "w.json"
    path.write_bytes(weights.to_bytes())
    assert Weights.read(path) == weights
    assert Weights.read(path).id == weights.id != Weights(NAMES, (1.5, -2), None, "svm-map", {"queries": 3}).id
    path.write_bytes(weights.to_bytes().replace(b"1.5", b"2.5"))
    with pytest.raises(rk.InputError, match=r"w\.json: a file of learned weights is damaged: the checksum is wrong"):
        Weights.read(path)
    path.write_text("{}")
    with pytest.raises(rk.InputError, match="not a file of learned weights"):
        Weights.read(path)


def test_weights_without_learning():
    assert Weights.equal(NAMES).values == (0.5, 0.5)
    assert Weights.of({"word-cn-2": 3}, NAMES).values == (0.0, 3.0)
    with pytest.raises(rk.InputError, match=r"no weak ranker is called 'word-cn-3'\. Did you mean"):
        Weights.of({"word-cn-3": 1.0}, NAMES)


def test_weights_fit_the_kinds_of_units():
    Weights.equal(NAMES).check(list(NAMES))
    with pytest.raises(rk.InputError, match="the weights are for word; this archive has word, phone"):
        Weights.equal(NAMES).check([*NAMES, "phone-cn-1"])


def test_where_weights_come_from():
    def note(provenance):
        return Weights(NAMES, (1, 1), None, "x", provenance).origin_note("en", ["word", "phone"])

    assert note({}) == note({"language": "en"}) == note({"language": "en", "kinds": ["word", "phone"]}) == ""
    assert note({"language": "zh", "kinds": ["word"]}).startswith(
        "the weights were learned on an archive in zh; this one is in en"
    )
    assert note({"language": "en", "kinds": ["word"]}).startswith(
        "the weights were learned on word; this archive has word, phone"
    )


@pytest.mark.parametrize("kind", NORMALISERS)
def test_scores_are_normalised_as_for_learning(kind):
    X = np.array([[1.0, 5.0], [3.0, 5.0], [2.0, 8.0]])
    data = rk.RankingData(X, [0, 0, 0], [1, 1, 1])
    want = X if kind is None else Normaliser(kind).fit(data).apply(data).X
    np.testing.assert_array_equal(Weights(NAMES, (1, 1), kind, "x", {}).features(X), want)
    np.testing.assert_array_equal(normalised(data, kind), want)
    assert len(Weights(NAMES, (1, 1), kind, "x", {}).features(np.zeros((0, 2)))) == 0
    with pytest.raises(rk.InputError, match="normalise must be one of"):
        Weights(NAMES, (1, 1), "zscore", "x", {})


@pytest.mark.parametrize(
    ("member", "value", "says"),
    [
        ("names", [1, 2], "names"),
        ("names", ["word-cn-1"], "2 weights of 1 weak rankers"),
        ("values", [1.0, None], "values"),
        ("values", "x", "values"),
        ("provenance", [], "provenance"),
        ("provenance", {"candidates": "many"}, "candidates"),
        ("provenance", {"MAP": 1}, "MAP"),
        ("provenance", {"language": 3}, "language"),
        ("provenance", {"kinds": "word"}, "kinds"),
        ("normalise", 3, "normalise"),
        ("normalise", "minmax", "normalise must be one of"),
        ("version", None, "version"),
    ],
)
def test_weights_of_another_form_are_refused_although_their_checksum_is_right(tmp_path, member, value, says):
    content = json.loads(Weights(NAMES, (1.5, -2), None, "svm-map", {}).to_bytes().partition(b"\n")[2])
    path = tmp_path / "w.json"
    path.write_bytes(sealed(json.dumps({**content, member: value})))
    with pytest.raises(rk.InputError, match=says) as caught:
        Weights.read(path)
    assert str(caught.value).startswith(f"{path}: ")
    del content[member]
    path.write_bytes(sealed(json.dumps(content)))
    with pytest.raises(rk.InputError, match=f"missing required field `{member}`"):
        Weights.read(path)


def test_weights_that_would_make_sums_infinite_are_refused(tmp_path):
    path = tmp_path / "w.json"
    path.write_bytes(Weights(("a", "b"), (1e308, 1.0), None, "given", {}).to_bytes())
    with pytest.raises(rk.InputError, match=r"w\.json"):
        Weights.read(path)
