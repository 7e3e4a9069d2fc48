"""Files beside sparse text: sizes of queries and weights; read as LightGBM, XGBoost and scikit-learn have them."""

import io
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import rankine as rk
from rankine.errors import InputNote

SIZES = [3, 1, 4]


@pytest.fixture
def matrix():
    rng = np.random.default_rng(3)
    X = np.round(rng.random((8, 6)) * 8) / 8 * (rng.random((8, 6)) < 0.6)
    X[0, 0] = 0.5
    return X, rng.integers(0, 4, 8)


def lines(X, y, first=1, qid=None):
    out = []
    for i, row in enumerate(X):
        cells = " ".join(f"{j + first}:{v:g}" for j, v in enumerate(row) if v)
        out.append(f"{y[i]} {'' if qid is None else f'qid:{qid[i]} '}{cells}\n")
    return "".join(out)


def quietly(*args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputNote)
        return rk.load_letor(*args, **options)


@pytest.mark.parametrize("ending", [".query", ".group"])
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_sizes_of_queries_are_found_and_told(tmp_path, matrix, ending, packed):
    import gzip

    X, y = matrix
    path = tmp_path / f"rank.train{packed}"
    path.write_bytes(gzip.compress(lines(X, y).encode()) if packed else lines(X, y).encode())
    beside = tmp_path / f"rank.train{ending}"
    beside.write_text("3\n1\n\n4\n")
    with pytest.warns(InputNote, match=f"rank.train{packed}: sizes of queries from .*rank.train{ending}"):
        data = rk.load_letor(path)
    assert np.diff(data.ptr).tolist() == SIZES
    assert data.query_ids.tolist() == [1, 2, 3]
    assert np.array_equal(data.dense().X, X[:, : data.n_features])


def test_sizes_by_a_file_or_by_numbers(tmp_path, matrix):
    X, y = matrix
    (tmp_path / "x.txt").write_text(lines(X, y))
    (tmp_path / "sizes").write_text("3\n1\n4\n")
    for groups in (tmp_path / "sizes", str(tmp_path / "sizes"), SIZES, np.array(SIZES)):
        assert np.diff(rk.load_letor(tmp_path / "x.txt", groups=groups).ptr).tolist() == SIZES
    assert np.diff(rk.load_letor(io.BytesIO(lines(X, y).encode()), groups=SIZES).ptr).tolist() == SIZES


def test_several_files_with_sizes_of_their_own(tmp_path, matrix):
    X, y = matrix
    for name, rows, sizes in (("a", slice(0, 4), [3, 1]), ("b", slice(4, 8), [4])):
        (tmp_path / f"{name}.txt").write_text(lines(X[rows], y[rows]))
        (tmp_path / f"{name}.txt.query").write_text("".join(f"{s}\n" for s in sizes))
    data = quietly(tmp_path)
    assert np.diff(data.ptr).tolist() == SIZES
    assert data.query_ids.tolist() == [1, 2, 3]
    assert data.y.tolist() == y.tolist()
    whole = rk.load_letor([tmp_path / "a.txt", tmp_path / "b.txt"], groups=SIZES)
    assert np.array_equal(whole.dense().X, data.dense().X)
    (tmp_path / "c.txt").write_text(lines(X, y, qid=[9] * 8))
    with pytest.raises(rk.InputError, match=r"c.txt: its lines have query ids, .*b.txt has no query ids"):
        quietly(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("3\n1\n", r"x.txt.query: the sizes of 2 queries add up to 4, but .*x.txt has 8 rows"),
        ("3\n1\n4\n9\n", r"the sizes of 4 queries add up to 17, but .*x.txt has 8 rows"),
        ("3\n1.5\n", r"x.txt.query, line 2: expected the size of a query, a whole number from 1 on, got 1.5"),
        ("8\n0\n", r"line 2: expected the size of a query, .* got 0"),
        ("nan\n", r"line 1: expected the size of a query, .* got nan"),
        ("8\n\nx\n", r"x.txt.query, line 3: expected the size of a query, one in each line, got 'x'"),
        ("", r"x.txt.query: there are no sizes of queries"),
    ],
)
def test_sizes_that_do_not_fit(tmp_path, matrix, content, message):
    (tmp_path / "x.txt").write_text(lines(*matrix))
    (tmp_path / "x.txt.query").write_text(content)
    with pytest.raises(rk.InputError, match=message):
        rk.load_letor(tmp_path / "x.txt")


def test_neither_query_ids_nor_sizes(tmp_path, matrix):
    X, y = matrix
    (tmp_path / "x.txt").write_text("# heading\n" + lines(X, y))
    with pytest.raises(rk.InputError) as caught:
        rk.load_letor(tmp_path / "x.txt")
    for text in ("x.txt, line 2: expected 'qid:' after the label, got '1:0.5'", "x.txt.query", ".group", "--groups"):
        assert text in str(caught.value)
    (tmp_path / "x.txt").write_text(lines(X, y, qid=[1] * 8))
    with pytest.raises(rk.InputError, match=r"its lines have query ids \(qid:\): groups \(--groups\) are for files"):
        rk.load_letor(tmp_path / "x.txt", groups=[8])
    with pytest.raises(rk.InputError, match=r"line 9: 'qid:2', but the first line has no query id"):
        rk.load_letor(io.BytesIO((lines(X, y) + "1 qid:2 1:1\n").encode()), groups=[9])


def test_lines_of_a_label_alone():
    data = rk.load_letor(io.BytesIO(b"1\n0\n"), groups=[2])
    assert (data.y.tolist(), data.dense().X.tolist()) == ([1, 0], [[0], [0]])


def test_weights(tmp_path, matrix):
    X, y = matrix
    (tmp_path / "x.txt").write_text(lines(X, y, qid=[7, 8, 7, 7, 9, 9, 9, 8]))
    weights = [1.0, 2.0, 1.5, 0.0, 3.0, 1.0, 1.0, 4.0]
    (tmp_path / "x.txt.weight").write_text("".join(f"{w}\n" for w in weights))
    with pytest.warns(InputNote, match=r"x.txt: weights of documents from .*x.txt.weight"):
        data = rk.load_letor(tmp_path / "x.txt")
    assert data.doc_weight[np.argsort(data.order)].tolist() == weights
    assert data.query_weight is None
    assert data.subset([2, 0]).doc_weight.tolist() == [3, 1, 1, 1, 1.5, 0]
    (tmp_path / "x.txt.weight").write_text("1\n2\n0.5\n")
    with pytest.warns(InputNote, match=r"x.txt: weights of queries from"):
        data = rk.load_letor(tmp_path / "x.txt")
    assert data.query_weight.tolist() == [1, 2, 0.5]
    assert data.subset([2, 0]).query_weight.tolist() == [0.5, 1]
    assert rk.load_letor(tmp_path / "x.txt", weights="none").query_weight is None
    assert rk.load_letor(tmp_path / "x.txt", weights=tmp_path / "x.txt.weight").query_weight.tolist() == [1, 2, 0.5]
    for content, message in (
        ("1\n2\n", r"x.txt.weight: 2 weights, but .*x.txt has 8 rows in 3 queries"),
        ("1\n-2\n1\n", "weights must be finite numbers ≥ 0"),
        ("0\n0\n0\n", "not all 0"),
        ("1\nx\n", "line 2: expected a weight, one in each line, got 'x'"),
    ):
        (tmp_path / "x.txt.weight").write_text(content)
        with pytest.raises(rk.InputError, match=message):
            rk.load_letor(tmp_path / "x.txt")


def test_weights_of_several_files(tmp_path, matrix):
    X, y = matrix
    for name, rows, weights in (("a", slice(0, 4), "1\n2\n"), ("b", slice(4, 8), "3\n")):
        (tmp_path / f"{name}.txt").write_text(lines(X[rows], y[rows]))
        (tmp_path / f"{name}.txt.query").write_text("3\n1\n" if name == "a" else "4\n")
        (tmp_path / f"{name}.txt.weight").write_text(weights)
    assert quietly(tmp_path).query_weight.tolist() == [1, 2, 3]
    (tmp_path / "b.txt.weight").unlink()
    with pytest.raises(rk.InputError, match=r"b.txt: has no file of weights beside it, but there is .*a.txt.weight"):
        quietly(tmp_path)


@pytest.mark.parametrize("zero_based", [True, False])
@pytest.mark.parametrize("with_query", [True, False])
def test_text_that_scikit_learn_writes(tmp_path, matrix, zero_based, with_query):
    from sklearn.datasets import dump_svmlight_file

    X, y = matrix
    X[-1, -1] = 1  # so that the width is in the text
    qid = np.repeat([4, 2, 9], SIZES)
    path = tmp_path / "x.svmlight"
    dump_svmlight_file(sp.csr_matrix(X), y, str(path), zero_based=zero_based, query_id=qid if with_query else None)
    data = quietly(path, "float64", groups=None if with_query else SIZES)
    assert np.array_equal(data.dense().X, X)
    assert data.y.tolist() == y.tolist()
    assert data.qid.tolist() == (qid if with_query else np.repeat([1, 2, 3], SIZES)).tolist()


@pytest.mark.filterwarnings("ignore")  # XGBoost warns that it will not read text for ever
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("with_query", [True, False])
def test_text_as_xgboost_reads_it(tmp_path, matrix, first, with_query):
    xgboost = pytest.importorskip("xgboost")
    X, y = matrix
    path = tmp_path / "x.txt"
    path.write_text(lines(X, y, first, np.repeat([4, 5, 9], SIZES) if with_query else None))
    if not with_query:
        (tmp_path / "x.txt.group").write_text("".join(f"{s}\n" for s in SIZES))
    theirs = xgboost.DMatrix(f"{path}?format=libsvm")
    data = quietly(path)
    table = theirs.get_data().toarray()  # column i is feature i
    assert np.array_equal(data.dense().X, table[:, first : first + data.n_features])
    assert data.y.tolist() == theirs.get_label().tolist()
    assert data.ptr.tolist() == [0, 3, 4, 8]
    if with_query:  # XGBoost 3 reads no files beside the text any more
        assert data.ptr.tolist() == theirs.get_uint_info("group_ptr").tolist()


def test_text_as_lightgbm_reads_it(tmp_path, matrix):
    lightgbm = pytest.importorskip("lightgbm")
    X, y = matrix
    path = tmp_path / "rank.train"
    path.write_text(lines(X, y, 0))
    (tmp_path / "rank.train.query").write_text("".join(f"{s}\n" for s in SIZES))
    (tmp_path / "rank.train.weight").write_text("".join(f"{w}\n" for w in range(1, 9)))
    theirs = lightgbm.Dataset(str(path), params={"verbose": -1, "min_data_in_bin": 1}).construct()
    data = quietly(path)
    assert data.y.tolist() == theirs.get_label().tolist()
    assert np.diff(data.ptr).tolist() == np.diff(np.append(0, np.cumsum(theirs.get_group()))).tolist() == SIZES
    assert data.doc_weight.tolist() == theirs.get_weight().tolist()
    assert data.n_features == theirs.num_feature()
