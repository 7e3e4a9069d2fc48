"""Parquet and Arrow: round trips, memory mapping, foreign tables, errors."""

import io
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp

import rankine as rk
from rankine.io.formats import TABLE
from rankine.io.tables import parquet as table_module
from rankine.system.limits import SIZE


def example(dtype="float32", sparse=False, strings=False):
    rng = np.random.default_rng(0)
    X = (rng.standard_normal((40, 5)) * (rng.random((40, 5)) < 0.4)).astype(dtype)
    qid = np.sort(rng.integers(0, 6, 40))
    return rk.RankingData(
        sp.csr_array(X) if sparse else X,
        rng.integers(0, 4, 40) + 0.5,
        np.array([f"q{i}" for i in qid], object) if strings else qid,
        [f"dé{i}" for i in range(40)] if strings else None,
        list("abcde") if strings else None,
    )


@pytest.mark.parametrize("suffix", [*TABLE["arrow"].endings, *TABLE["parquet"].endings])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("strings", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_round_trip_is_bit_identical(tmp_path, suffix, sparse, strings, dtype):
    data = example(dtype, sparse, strings)
    path = tmp_path / f"set{suffix}"
    rk.save_table(data, path)
    again = rk.load_table(path)
    assert again.is_sparse == sparse
    assert again.X.dtype == dtype
    assert again.dense().X.tobytes() == data.dense().X.tobytes()
    assert again.y.tobytes() == data.y.tobytes()
    assert again.qid.tolist() == data.qid.tolist()
    assert again.feature_names == data.feature_names
    assert (again.doc_ids is None) == (data.doc_ids is None)
    assert data.doc_ids is None or again.doc_ids.tolist() == data.doc_ids.tolist()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_numbering_and_weights_survive(tmp_path, suffix):
    data = rk.load_letor(io.BytesIO(b"1 qid:7 1:1\n0 qid:8 2:3\n2 qid:7 1:4\n"), first_index=0)
    path = tmp_path / f"x{suffix}"
    for weights in ({}, {"query_weight": [1.0, 2.5]}, {"doc_weight": [1.0, 0.0, 2.0]}):
        rk.save_table(data.with_weights(**weights), path)
        again = rk.load_table(path)
        assert again.numbering == data.numbering
        for name in ("query_weight", "doc_weight"):
            value = getattr(again, name)
            assert (None if value is None else value.tolist()) == weights.get(name)


def test_arrow_features_are_a_view_of_the_file(tmp_path, monkeypatch):
    path = tmp_path / "set.arrow"
    rk.save_table(example(), path)
    before = pa.total_allocated_bytes()
    data = rk.load_table(path)
    assert pa.total_allocated_bytes() - before < data.X.nbytes  # nothing of the size of X was allocated
    assert not data.X.flags.owndata
    assert not data.X.flags.writeable


def test_letor_to_arrow_to_letor(tmp_path, real_data):
    data = rk.load_letor(real_data / "letor" / "mq2008" / "S1.txt.xz")
    rk.save_table(data, tmp_path / "a.arrow")
    rk.save_letor(rk.load_table(tmp_path / "a.arrow"), tmp_path / "b.txt.zst")
    again = rk.load_letor(tmp_path / "b.txt.zst")
    assert again.X.tobytes() == data.X.tobytes()
    assert again.doc_ids.tolist() == data.doc_ids.tolist()


def test_foreign_tables(tmp_path):
    frame = pd.DataFrame({"query_id": ["a", "a", "b"], "grade": [0, 1, 2], "bm25": [0.5, 1, 2], "age": [1, 2, 3]})
    frame.to_parquet(tmp_path / "x.parquet")
    data = rk.load_table(tmp_path / "x.parquet")
    assert data.feature_names == ("bm25", "age")
    selection = rk.load_table(tmp_path / "x.parquet", features=["age"], label="bm25")
    assert selection.y.tolist() == [0.5, 1, 2]
    for options, message in (
        ({"label": "grades"}, "no column 'grades'. Did you mean 'grade'"),
        ({"features": ["query_id"]}, "'query_id' is the qid and cannot be a feature"),
        ({"features": []}, "no feature columns"),
    ):
        with pytest.raises(rk.InputError, match=message):
            rk.load_table(tmp_path / "x.parquet", **options)
    with pytest.raises(rk.InputError, match="no label column"):
        rk.from_table(frame.drop(columns="grade"))
    with pytest.raises(rk.InputError, match="'bm25' has 1 missing values"):
        rk.from_table(pa.table({"qid": [1, 1], "label": [0, 1], "bm25": pa.array([1.0, None])}))
    with pytest.raises(rk.InputError, match="expected a finite number"):
        rk.from_table(pa.table({"qid": [1], "label": [1], "bm25": [float("nan")]}))


def test_bad_files(tmp_path):
    for suffix in (".arrow", ".parquet"):
        path = tmp_path / f"x{suffix}"
        rk.save_table(example(), path)
        whole = path.read_bytes()
        for content in (b"not a table at all", whole[: len(whole) // 2], b""):
            path.write_bytes(content)
            with pytest.raises(rk.InputError, match=r"not a readable"):
                rk.load_table(path)
    with pytest.raises(rk.InputError, match=r"ending in one of \.arrow"):
        rk.load_table(tmp_path / "x.csv")
    with pytest.raises(rk.InputError, match="holds grades"):
        rk.save_table(rk.RankingData([[1.0], [2.0]], rk.Preferences([0], [1]), [1, 1]), tmp_path / "y.arrow")
    newer = table_module._to_arrow(example()).replace_schema_metadata({"rankine": '{"format": 99}'})
    with pytest.raises(rk.InputError, match="format 99 by a newer Rankine"):
        rk.from_table(newer)


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "x.arrow"
    rk.save_table(example(), path)
    before = path.read_bytes()

    def fail(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pa.ipc, "new_file", fail)
    with pytest.raises(OSError, match="No space left"):
        rk.save_table(example("float64"), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", [".arrow", ".parquet"])
def test_a_damaged_table_is_read_or_refused(tmp_path, suffix):
    """In processes of their own: a damaged file must not take the interpreter down."""
    import subprocess
    import sys

    rk.save_table(example(strings=True), tmp_path / f"good{suffix}")
    code = f"""
import sys, numpy as np, rankine as rk
good = open({str(tmp_path / f"good{suffix}")!r}, "rb").read()
rng = np.random.default_rng(0)
for trial in range(150):
    bad = bytearray(good)
    for at in rng.integers(0, len(bad), 1 + trial % 3):
        bad[at] = rng.integers(256)
    path = {str(tmp_path)!r} + f"/bad{{trial}}{suffix}"
    open(path, "wb").write(bad)
    try:
        data = rk.load_table(path)
        data.doc_ids, data.X.sum()
    except rk.InputError as error:
        assert "bad" in str(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr[-500:]


def own_table(**changes):
    """A table in Rankine's own layout, with other columns or metadata."""
    columns = {
        "label": pa.array([1.0, 0.0]), "qid": pa.array([1, 1]),
        "features": pa.FixedSizeListArray.from_arrays(pa.array([1.0, 2.0, 3.0, 4.0]), 2),
    }  # fmt: skip
    layout = {"format": 1, "n_features": 2, "feature_names": None} | changes.pop("layout", {})
    columns = {name: column for name, column in (columns | changes).items() if column is not None}
    text = layout.pop("text", json.dumps(layout))
    return pa.table(columns).replace_schema_metadata({"rankine": text})


def sparse_columns(indices=(0, 1, 1), ends=(0, 2, 3), values=(1.0, 2.0, 3.0), value_ends=(0, 2, 3)):
    def lists(content, kind, stops):
        return pa.LargeListArray.from_arrays(pa.array(stops, pa.int64()), pa.array(content, kind))

    columns = {"indices": lists(indices, pa.int32(), ends), "values": lists(values, pa.float64(), value_ends)}
    return {"features": None, **columns}


@pytest.mark.parametrize("ending", ["arrow", "parquet"])
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"layout": {"text": "[" * 100_000}}, "too deep"),
        ({"layout": {"text": "{"}}, "or damaged"),
        ({"layout": {"text": "null"}}, "not a table of Rankine's own layout"),
        ({"layout": {"format": "1"}}, "own layout"),
        ({"layout": {"n_features": 3}}, "expected 3 floats in each row"),
        ({"layout": {"n_features": 2**62}}, "own layout"),
        ({"layout": {"n_features": -2}}, "own layout"),
        ({"layout": {"feature_names": ["a"]}}, "1 names for 2 features"),
        ({"layout": {"feature_names": [1, 2]}}, "own layout"),
        ({"layout": {"numbering": [2, False]}}, "own layout"),
        ({"layout": {"numbering": [0]}}, "own layout"),
        ({"doc_weight": pa.array([1.0, float("nan")])}, "doc_weight"),
        ({"doc_weight": pa.array([-1.0, 1.0])}, "doc_weight must hold 2 numbers ≥ 0"),
        ({"query_weight": pa.array(["a", "b"])}, "not numbers"),
        ({"label": None}, "without a label column"),
        ({"qid": None}, "without a qid column"),
        ({"features": None}, "without a indices column"),
        ({"label": pa.array(["x", "y"])}, "not numbers"),
        ({"label": pa.array([1.0, None])}, "missing values"),
        ({"label": pa.array([1.0, float("nan")])}, "expected a finite number"),
        ({"qid": pa.array([1.5, 2.0])}, "column 'qid' must be whole numbers or strings"),
        ({"qid": pa.array([b"a", b"b"])}, "column 'qid' must be whole numbers or strings"),
        ({"features": pa.array([[1.0, 2.0], [3.0, 4.0]])}, "expected 2 floats in each row"),
        ({"features": pa.FixedSizeListArray.from_arrays(pa.array(["a", "b", "c", "d"]), 2)}, "expected 2 floats"),
        ({"features": pa.FixedSizeListArray.from_arrays(pa.array([1.0, None, 3.0, 4.0]), 2)}, "missing values"),
        (sparse_columns(indices=(0, 7, 1)), "an index is not between 0 and 1"),
        (sparse_columns(indices=(-1, 0, 1)), "an index is not between 0 and 1"),
        (sparse_columns(indices=(1, 0, 1)), "do not increase"),
        (sparse_columns(indices=(1, 1, 1)), "do not increase"),
        (sparse_columns(value_ends=(0, 1, 3)), "different lengths"),
        (sparse_columns() | {"values": pa.array([[1.0], [2.0]])}, "expected lists of float"),
    ],
)
def test_a_table_of_ours_is_not_believed(changes, message, ending, tmp_path):
    from pyarrow import feather, parquet

    table, path = own_table(**changes), tmp_path / f"x.{ending}"
    feather.write_feather(table, path, "uncompressed") if ending == "arrow" else parquet.write_table(table, path)
    with pytest.raises(rk.InputError, match=message) as caught:
        rk.load_table(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_a_small_parquet_file_does_not_become_a_large_table(tmp_path, monkeypatch):
    from pyarrow import parquet

    rows = 3_000_000
    columns = {"label": np.zeros(rows), "qid": np.zeros(rows, np.int64)} | {f"f{i}": np.zeros(rows) for i in range(5)}
    parquet.write_table(pa.table(columns), tmp_path / "zeros.parquet")
    assert (tmp_path / "zeros.parquet").stat().st_size < 100_000
    with pytest.raises(rk.InputError, match="over 200 times as much"):
        rk.load_table(tmp_path / "zeros.parquet")
    monkeypatch.setenv(SIZE, "1GB")
    assert rk.load_table(tmp_path / "zeros.parquet").n_documents == rows


def test_a_table_with_a_column_twice_is_refused_and_every_error_names_the_file(tmp_path):
    path = tmp_path / "set.arrow"
    twice = pa.Table.from_arrays([pa.array([1, 1])] * 4, ["qid", "label", "a", "a"])
    empty = pa.table(
        {"qid": pa.array([], pa.int64()), "label": pa.array([], pa.int64()), "a": pa.array([], pa.int64())}
    )
    for table, says in ((twice, "two columns 'a'"), (empty, "at least one row")):
        with pa.ipc.new_file(path, table.schema) as file:
            file.write_table(table)
        with pytest.raises(rk.InputError, match=f"set.arrow: .*{says}"):
            rk.io.load_table(path)


def test_no_byte_of_the_end_of_a_parquet_file_ends_the_process(tmp_path):
    path = tmp_path / "set.parquet"
    rk.io.save_table(example(strings=True), path)
    good, read = path.read_bytes(), 0
    for at in range(len(good) - min(len(good), 3000), len(good)):
        for change in (1, 7):
            path.write_bytes(good[:at] + bytes([(good[at] + change) % 256]) + good[at + 1 :])
            try:
                read += len(rk.io.load_table(path).y) > 0
            except rk.InputError as error:
                assert str(path) in str(error)
    assert read
