"""Data sets with the same features: padding, numbering, several as one."""

import io
import warnings

import numpy as np
import pytest

import rankine as rk
from rankine.data.alignment import aligned
from rankine.data.ranking_data import Numbering
from rankine.errors import InputNote


def load(text, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputNote)
        return rk.load_letor(io.BytesIO(text), **options)


@pytest.mark.parametrize("sparse", [False, True])
def test_sparse_text_is_padded_and_nothing_else(sparse):
    text = load(b"1 qid:1 1:1 2:2\n", sparse=sparse)
    assert aligned(text, 4, 1).dense().X.tolist() == [[1, 2, 0, 0]]
    assert aligned(text, 2, 1) is text
    assert aligned(text, 4, None).dense().X.tolist() == [[1, 2, 0, 0]]
    table = rk.RankingData([[1.0, 2.0]], [1], [1])
    with pytest.raises(rk.InputError, match=r"^the model has 4 features, the data has 2$"):
        aligned(table, 4, 1)
    with pytest.raises(rk.InputError, match=r"^the validation data has 2 features, the training data 4$"):
        aligned(table, 4, 1, valid=True)


def test_more_features_than_the_model_name_the_option():
    for first, numbers in ((1, "1-2"), (0, "0-1")):
        with pytest.raises(rk.InputError, match=f"has 2 features, the data has 3; .*--features {numbers}"):
            aligned(load(f"1 qid:1 {first}:1 {first + 2}:2\n".encode()), 2, first)


@pytest.mark.parametrize("sparse", [False, True])
def test_data_without_a_feature_zero_is_shifted(sparse):
    assumed = load(b"1 qid:1 1:1 2:2\n", sparse=sparse)
    assert aligned(assumed, 4, 0).dense().X.tolist() == [[0, 1, 2, 0]]
    assert aligned(assumed, 3, 0).numbering == Numbering(0)
    with pytest.raises(rk.InputError, match="of the model are numbered from 1, those of the data from 0"):
        aligned(load(b"1 qid:1 0:1\n"), 4, 1)


@pytest.mark.parametrize("sparse", [False, True])
def test_data_stated_to_begin_at_one_is_aligned_by_position(sparse):
    text = b"1 qid:1 1:1 2:2\n"
    assert aligned(load(text, sparse=sparse, first_index=1), 2, 0).dense().X.tolist() == [[1, 2]]
    assert aligned(load(text, sparse=sparse, first_index=1), 3, 0).dense().X.tolist() == [[1, 2, 0]]
    with pytest.raises(
        rk.InputError, match=r"has 2 features, the data has 3 if .*numbered from 1: .*first-index 1"
    ) as e:
        aligned(load(text, sparse=sparse), 2, 0)
    assert "--features" not in str(e.value)
    with pytest.raises(rk.InputError, match=r"training data 2 if .*convert --first-index 1"):
        aligned(load(text, sparse=sparse), 2, 0, valid=True)


def test_several_sets_of_text_become_one_width():
    a, b, zero = (load(t) for t in (b"1 qid:1 1:1\n", b"0 qid:2 3:3\n", b"0 qid:3 0:9 1:8\n"))
    whole = rk.concatenate([a, b])
    assert whole.X.tolist() == [[1, 0, 0], [0, 0, 3]]
    assert whole.numbering == Numbering(1, assumed=True)
    assert rk.concatenate([a, zero]).X.tolist() == [[0, 1], [9, 8]]
    assert rk.concatenate([a, zero]).numbering == Numbering(0)
    with pytest.raises(rk.InputError, match="data set 0: features are numbered from 1, in data set 1 from 0"):
        rk.concatenate([load(b"1 qid:1 1:1\n", first_index=1), zero])
    table = rk.RankingData([[1.0, 2.0, 3.0]], [1], [9])
    assert rk.concatenate([a, table]).X.tolist() == [[1, 0, 0], [1, 2, 3]]
    assert rk.concatenate([a, table]).numbering is None
    with pytest.raises(rk.InputError, match="data set 1: 3 features, data set 0 has 4"):
        rk.concatenate([load(b"1 qid:1 4:1\n"), table])


def test_pieces_are_the_whole(tmp_path):
    rng = np.random.default_rng(5)
    lines = [f"{i % 3} qid:{i // 5} {i % 7}:{rng.integers(1, 9)} {7 + i % 4}:1\n" for i in range(40)]
    (tmp_path / "whole.txt").write_text("".join(lines))
    for k in range(4):
        (tmp_path / f"piece-{k}.txt").write_text("".join(lines[10 * k : 10 * k + 10]))
    whole = load((tmp_path / "whole.txt").read_bytes())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputNote)
        pieces = [rk.load_letor(tmp_path / f"piece-{k}.txt") for k in range(4)]
        joined = rk.load_letor(f"{tmp_path}/piece-*.txt")
    for data in (joined, rk.concatenate(pieces)):
        assert np.array_equal(data.dense().X, whole.dense().X)
        assert data.qid.tolist() == whole.qid.tolist()
        assert data.numbering.first == whole.numbering.first == 0


def test_weights_follow():
    a = rk.RankingData([[1.0], [2.0]], [0, 1], [5, 5]).with_weights(query_weight=[3.0])
    b = rk.RankingData([[1.0], [2.0]], [0, 1], [6, 5])
    assert rk.concatenate([a, b.subset([0])]).query_weight.tolist() == [3, 1]
    with pytest.raises(rk.InputError, match="data set 1: query 5 has another weight than in data set 0"):
        rk.concatenate([a, b])
    c = rk.RankingData([[1.0], [2.0]], [0, 1], [6, 5]).with_weights(doc_weight=[0.5, 0.25])
    assert rk.concatenate([a.with_weights(), c]).doc_weight.tolist() == [1, 1, 0.25, 0.5]
    assert rk.concatenate([a, b.with_weights([1.0, 3.0])]).query_weight.tolist() == [3, 1]
