"""Tables in memory: every library gives the same data, every kind of column is right or refused by name."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import rankine as rk

COLUMNS = {
    "qid": ["b", "a", "b", "a"],
    "label": [0, 2, 1, 0],
    "doc_id": ["d1", "d2", "d3", "d4"],
    "bm25": [0.5, 1.5, -2.0, 0.1],
    "age": [1, 2, 3, 4],
}


def duckdb_relation():
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.connect().from_arrow(pa.table(COLUMNS))
    return relation.project("*")


def structured():
    kinds = [("qid", "U1"), ("label", "i4"), ("doc_id", "S2"), ("bm25", ">f8"), ("age", "u1")]
    return np.array(list(zip(*COLUMNS.values(), strict=True)), dtype=kinds)


FRAMES = {
    "dict": lambda: dict(COLUMNS),
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "pandas with an index": lambda: pd.DataFrame(COLUMNS, index=[9, 8, 7, 6]),
    "pandas of arrow": lambda: pd.DataFrame(COLUMNS).convert_dtypes(dtype_backend="pyarrow"),
    "pandas with missing values allowed": lambda: pd.DataFrame(COLUMNS).convert_dtypes(),
    "pandas with categories": lambda: pd.DataFrame(COLUMNS).astype({"qid": "category", "age": "category"}),
    "pandas with a sparse column": lambda: pd.DataFrame(COLUMNS).astype({"age": pd.SparseDtype("int64", 0)}),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "polars with categories": lambda: pl.DataFrame(COLUMNS).with_columns(pl.col("qid").cast(pl.Categorical)),
    "arrow": lambda: pa.table(COLUMNS),
    "chunks": lambda: pa.concat_tables([pa.table(COLUMNS).slice(0, 1), pa.table(COLUMNS).slice(1)]),
    "record batch": lambda: pa.table(COLUMNS).to_batches()[0],
    "stream": lambda: pa.RecordBatchReader.from_batches(pa.table(COLUMNS).schema, pa.table(COLUMNS).to_batches()),
    "views": lambda: pa.table(COLUMNS).set_column(0, "qid", pa.array(COLUMNS["qid"], pa.string_view())),
    "duckdb": duckdb_relation,
    "structured": structured,
    "records": lambda: structured().view(np.recarray),
}


@pytest.mark.parametrize("library", FRAMES)
def test_every_library_gives_the_same_data(library):
    data = rk.from_table(FRAMES[library]())
    assert data.query_ids.tolist() == ["b", "a"]
    assert data.order.tolist() == [0, 2, 1, 3]
    assert data.y.tolist() == [0, 1, 2, 0]
    assert data.doc_ids.tolist() == ["d1", "d3", "d2", "d4"]
    assert data.feature_names == ("bm25", "age")
    assert data.X.tolist() == [[0.5, 1], [-2, 3], [1.5, 2], [0.1, 4]]
    one = rk.from_table(FRAMES[library](), label="age", features=["bm25"], doc_id=3)
    assert (one.y.tolist(), one.feature_names) == ([1, 3, 2, 4], ("bm25",))
    assert rk.from_table(FRAMES[library](), features="!age").feature_names == ("bm25",)


@pytest.mark.parametrize("kind", [np.array, sp.csr_matrix, sp.csr_array, sp.coo_array, sp.csc_matrix])
def test_matrices_have_numbers_for_columns(kind):
    rows = [[2, 7, 0.5, 0], [0, 8, 0, 1.5], [1, 7, 0, 3.0]]
    data = rk.from_table(kind(rows), label=1, qid=2)
    assert data.y.tolist() == [2, 1, 0]
    assert data.qid.tolist() == [7, 7, 8]
    assert data.dense().X.tolist() == [[0.5, 0], [0, 3], [0, 1.5]]
    assert data.is_sparse == (kind is not np.array)
    apart = rk.from_table(kind(rows), label=[2, 0, 1], qid=pd.Series(["a", "b", "a"]), doc_id=["x", "y", "z"])
    assert apart.n_features == 4
    assert apart.doc_ids.tolist() == ["x", "z", "y"]
    assert rk.from_table(kind(rows), label=[2, 0, 1], qid=[1, 1, 1], features="3-4").n_features == 2
    with pytest.raises(rk.InputError, match="no label column: columns have no names here"):
        rk.from_table(kind(rows))
    with pytest.raises(rk.InputError, match="no column 5: the numbers are 1 to 4"):
        rk.from_table(kind(rows), label=5, qid=2)


def test_grades_and_ids_beside_a_frame():
    frame = pd.DataFrame({"bm25": [0.5, 1.5], "age": [1, 2]})
    data = rk.from_table(frame, label=np.array([1, 0]), qid=pl.Series(["a", "a"]).to_numpy())
    assert data.feature_names == ("bm25", "age")
    with pytest.raises(rk.InputError, match="column 'label' is there, and label is given apart from it"):
        rk.from_table(frame.assign(label=0), label=[1, 0], qid=[1, 1])
    assert rk.from_table(frame.assign(label=0), label=[1, 0], qid=[1, 1], features="bm25").n_features == 1
    with pytest.raises(rk.InputError, match="X has 2 rows but y has 1"):
        rk.from_table(frame, label=[1], qid=[1, 1])


def test_a_field_of_several_numbers_is_several_columns():
    array = np.zeros(3, [("y", "f4"), ("qid", "i8"), ("f", "f4", (2,))])
    array["f"] = [[1, 2], [3, 4], [5, 6]]
    data = rk.from_table(array)
    assert data.feature_names == ("f1", "f2")
    assert data.X.dtype == np.float32
    assert data.X.tolist() == [[1, 2], [3, 4], [5, 6]]


def with_feature(values):
    return pa.table({"qid": [1] * len(values), "label": [0] * len(values), "x": values})


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pa.array([True, False]), [1, 0]),
        (pa.array([1, 2], pa.uint8()), [1, 2]),
        (pa.array([Decimal("1.10"), Decimal("-2.25")]), [1.1, -2.25]),
        (pa.array([Decimal("12345678901234567890.1234567890")]), [12345678901234567890.1234567890]),
        (pa.array([3, 4, 3]).dictionary_encode(), [3, 4, 3]),
        (pa.array([True, False]).dictionary_encode(), [1, 0]),
        (pa.array([0.5], pa.float16()), [0.5]),
        (pa.array([2**40]), [2**40]),
    ],
)
def test_numbers_of_every_kind(values, expected):
    assert rk.from_table(with_feature(values)).X.ravel().tolist() == expected


@given(st.decimals(allow_nan=False, allow_infinity=False, places=10, min_value=-(10**20), max_value=10**20))
def test_a_decimal_is_the_nearest_float(value):
    table = with_feature(pa.array([value], pa.decimal128(38, 10)))
    assert rk.from_table(table).X[0, 0] == float(value)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (pa.array(["a", "b"]), "column 'x' holds string, not numbers"),
        (pa.array(["a", "b"]).dictionary_encode(), "column 'x' holds categories of string, not numbers"),
        (pa.array([1, None]), "column 'x' has 1 missing values, the first in row 1"),
        (pa.array([3, None]).dictionary_encode(), "column 'x' has 1 missing values, the first in row 1"),
        (pa.array([None, None]), "column 'x' has no values"),
        (pa.array([1.0, float("nan")]), "column 'x', row 1: expected a finite number, got nan"),
        (pa.array([[1], [2]]), "column 'x' holds list"),
        (pa.array([{"a": 1}]), "column 'x' holds struct"),
        (pa.array([0], pa.timestamp("s")), "column 'x' holds timestamp"),
        (pa.array([b"a"]), "column 'x' holds binary"),
    ],
)
def test_columns_that_are_no_numbers_are_named(values, message):
    with pytest.raises(rk.InputError, match=message) as caught:
        rk.from_table(with_feature(values), where="x.parquet")
    assert str(caught.value).startswith("x.parquet")
    with pytest.raises(rk.InputError, match="column 'x'"):
        rk.from_table(with_feature(values), label="x", features="label")


def test_ids_of_every_kind():
    def qid_of(values):
        return rk.from_table(pa.table({"qid": values, "label": [0] * len(values), "x": [1] * len(values)})).qid.tolist()

    assert qid_of(pa.array([Decimal(7), Decimal(8)])) == [7, 8]  # sums of DuckDB
    assert qid_of(pa.array([7.0, 8.0])) == [7, 8]
    assert qid_of(pa.array(["a", "b"], pa.large_string()).dictionary_encode()) == ["a", "b"]
    for values, message in (
        (pa.array([Decimal("7.5")]), "column 'qid' holds decimals"),
        (pa.array([7.5]), "column 'qid' must be whole numbers or strings"),
        (pa.array([True]), "column 'qid' must be whole numbers or strings"),
        (pa.array(["a", None]), "column 'qid' has 1 missing values, the first in row 1"),
        (pa.array([0], pa.timestamp("s")), "column 'qid' must be whole numbers or strings"),
    ):
        with pytest.raises(rk.InputError, match=message):
            qid_of(values)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (lambda: pl.DataFrame(COLUMNS).lazy(), r"LazyFrame of polars is not computed yet: call collect\(\)"),
        (lambda: pd.DataFrame([[1, 2]], columns=["a", "a"]), "Duplicate column names"),
        (lambda: pd.DataFrame({"a": [1, "x"]}), "column a"),
        (lambda: 7, "expected a table or frame"),
        (lambda: np.zeros(3), "expected a structured array"),
        (lambda: np.zeros((2, 2, 2)), "expected a structured array"),
        (lambda: np.array([(1, "x")], [("a", [("b", "i4")]), ("c", "O")]), "column 'a' holds|no label column"),
        (lambda: np.ma.array([(1,)], mask=[(True,)], dtype=[("a", "i4")]), "column 'a' has masked values"),
    ],
)
def test_what_is_no_table(table, message):
    with pytest.raises(rk.InputError, match=message) as caught:
        rk.from_table(table())
    assert "\n" not in str(caught.value)


def test_a_table_of_ours_takes_features_and_no_other_column(tmp_path):
    rk.save_table(rk.RankingData([[1.0, 2.0, 3.0]], [1], [1], None, ["a", "b", "c"]), tmp_path / "x.arrow")
    assert rk.load_table(tmp_path / "x.arrow", features="b-c").X.tolist() == [[2, 3]]
    assert rk.load_table(tmp_path / "x.arrow", features=[3, "a"], label="label").feature_names == ("c", "a")
    with pytest.raises(rk.InputError, match="its label cannot be chosen"):
        rk.load_table(tmp_path / "x.arrow", label="a")
    with pytest.raises(rk.InputError, match="no column 'z'"):
        rk.load_table(tmp_path / "x.arrow", features="z")
