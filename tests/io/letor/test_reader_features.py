"""Features of sparse text by their numbers."""

import io

import pytest

import rankine as rk
from rankine.data.ranking_data import Numbering
from rankine.io.letor.reader import feature_numbers

TEXT = b"1 qid:1 1:1 2:2 4:4\n0 qid:1 3:3\n"


def load(features, text=TEXT, **options):
    return rk.load_letor(io.BytesIO(text), features=features, **options)


def test_the_first_ones_keep_their_numbering():
    data = load("1-2")
    assert data.X.tolist() == [[1, 2], [0, 0]]
    assert data.numbering == Numbering(1, assumed=True)
    assert data.feature_names is None
    assert load("1-6").X.tolist() == [[1, 2, 0, 4, 0, 0], [0, 0, 3, 0, 0, 0]]


def test_others_get_their_numbers_as_names():
    for features in ("2,4", "4, 2", [4, 2], ["2", 4]):
        data = load(features, sparse=True)
        assert data.dense().X.tolist() == [[2, 4], [0, 0]]
        assert data.feature_names == ("2", "4")
        assert data.numbering is None
    assert load("3-4").feature_names == ("3", "4")


def test_feature_zero_says_how_features_are_numbered():
    assert load("0-1").X.tolist() == [[0, 1], [0, 0]]
    assert load("0-1").numbering == Numbering(0)
    with pytest.raises(rk.InputError, match="there is no feature 0: features are numbered from 1"):
        load("0-1", first_index=1)


@pytest.mark.parametrize("wrong", ["", "x", "1-", "-3", "3-1", "1..3", [], [1.5], "1-99999999999", "1-2000000"])
def test_bad_numbers(wrong):
    with pytest.raises(rk.InputError, match="features"):
        feature_numbers(wrong)
