"""Parquet and Arrow: round trips, memory mapping, foreign tables, errors."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp

import rankine as rk
from rankine.io import table as table_module
from rankine.io.formats import TABLE


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
    frame = pd.DataFrame({"query_id": ["a", "a", "b"], "grade": [0, 1, 2], "bm25": [0.5, 1, 2], "rank": [1, 2, 3]})
    frame.to_parquet(tmp_path / "x.parquet")
    data = rk.load_table(tmp_path / "x.parquet")
    assert data.feature_names == ("bm25", "rank")
    selection = rk.load_table(tmp_path / "x.parquet", features=["rank"], label="bm25")
    assert selection.y.tolist() == [0.5, 1, 2]
    for options, message in (
        ({"label": "grades"}, "no column 'grades'. Did you mean 'grade'"),
        ({"features": ["query_id"]}, "holds .*string, not numbers"),
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
