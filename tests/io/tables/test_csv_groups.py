"""CSV without query ids: the sizes of queries and weights beside it, or given."""

import numpy as np
import pandas as pd
import pytest

import rankine as rk
from rankine.errors import InputNote

pytestmark = pytest.mark.filterwarnings("ignore::rankine.errors.InputNote")
PLAIN = "2,0.5,1\n0,1.5,2\n1,2.5,3\n"
NAMED = "label,a,b\n" + PLAIN


def write(folder, name, text, sizes=None, weights=None):
    (folder / name).write_text(text)
    if sizes is not None:
        (folder / f"{name}.query").write_text("".join(f"{n}\n" for n in sizes))
    if weights is not None:
        (folder / f"{name}.weight").write_text("".join(f"{n}\n" for n in weights))
    return folder / name


@pytest.mark.parametrize("text", [PLAIN, NAMED])
def test_sizes_beside_the_file_and_given(tmp_path, text):
    path = write(tmp_path, "x.csv", text, [2, 1])
    with pytest.warns(InputNote, match=r"queries from .*x\.csv\.query, 2 features from column"):
        data = rk.load_csv(path)
    assert data.ptr.tolist() == [0, 2, 3]
    assert data.qid.tolist() == [1, 1, 2]
    assert data.y.tolist() == [2, 0, 1]
    assert data.X.tolist() == [[0.5, 1], [1.5, 2], [2.5, 3]]
    for groups in ([1, 2], np.array([1, 2]), write(tmp_path, "sizes", "1\n2\n")):
        with pytest.warns(InputNote):
            assert rk.load_csv(path, groups=groups).ptr.tolist() == [0, 1, 3]


def test_a_column_of_query_ids_goes_before_a_file(tmp_path):
    path = write(tmp_path, "x.csv", "label,qid,a\n2,7,0.5\n0,7,1.5\n", [1, 1])
    assert rk.load_csv(path).query_ids.tolist() == [7]
    with pytest.raises(rk.InputError, match="column 'qid' is there, and qid is given apart from it"):
        rk.load_csv(path, groups=[1, 1])
    with pytest.raises(rk.InputError, match=r"either qid \(--query\) tells the queries or groups"):
        rk.load_csv(path, groups=[1, 1], qid="qid")


def test_several_files(tmp_path):
    files = [write(tmp_path, "a.csv", NAMED, [2, 1]), write(tmp_path, "b.csv", NAMED, [1, 2])]
    with pytest.warns(InputNote):
        data = rk.load_csv(files)
    assert np.diff(data.ptr).tolist() == [2, 1, 1, 2]
    assert data.qid.tolist() == [1, 1, 2, 3, 4, 4]
    with pytest.warns(InputNote):
        assert np.diff(rk.load_csv(files, groups=[3, 3]).ptr).tolist() == [3, 3]
    other = write(tmp_path, "c.csv", "label,qid,a,b\n1,7,1,2\n")
    with (
        pytest.raises(rk.InputError, match=r"c\.csv: its rows have query ids, unlike those of .*a\.csv"),
        pytest.warns(),
    ):
        rk.load_csv([files[0], other])


def test_sizes_that_do_not_add_up_tell_both_numbers(tmp_path):
    path = write(tmp_path, "x.csv", NAMED, [2, 2])
    with (
        pytest.raises(rk.InputError, match=r"x\.csv\.query: the sizes of 2 queries add up to 4, .* has 3 rows"),
        pytest.warns(InputNote),
    ):
        rk.load_csv(path)
    with pytest.raises(rk.InputError, match="groups: the sizes of 1 queries add up to 9"), pytest.warns(InputNote):
        rk.load_csv(path, groups=[9])
    with pytest.raises(rk.InputError, match="no qid column"):
        rk.load_csv(write(tmp_path, "alone.csv", NAMED))


def test_weights_beside_the_file(tmp_path):
    path = write(tmp_path, "x.csv", "label,qid,a\n2,7,0.5\n0,8,1.5\n1,7,2\n", weights=[1, 2, 3])
    with pytest.warns(InputNote, match="weights of documents"):
        data = rk.load_csv(path)
    assert data.doc_weight.tolist() == [1, 3, 2]
    assert rk.load_csv(path, weights="none").doc_weight is None
    assert rk.load_csv(path, weights=write(tmp_path, "w", "5\n6\n")).query_weight.tolist() == [5, 6]


def test_agrees_with_lightgbm(tmp_path):
    """A CSV file without a header, its first column the label, with sizes of queries beside it: LightGBM's habit."""
    lightgbm = pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    X, y = rng.random((30, 3)).round(3), rng.integers(0, 3, 30)
    pd.DataFrame(np.column_stack([y, X])).astype({0: int}).to_csv(tmp_path / "x.csv", index=False, header=False)
    (tmp_path / "x.csv.query").write_text("10\n20\n")
    theirs = lightgbm.Dataset(str(tmp_path / "x.csv"), params={"verbosity": -1}).construct()
    with pytest.warns(InputNote, match="grades from column 1"):
        data = rk.load_csv(tmp_path / "x.csv")
    assert data.y.tolist() == theirs.get_label().tolist()
    assert np.diff(data.ptr).tolist() == theirs.get_group().tolist()
    assert data.X.tolist() == X.astype(np.float32).tolist()


def test_files_that_differ(tmp_path):
    first = write(tmp_path, "a.csv", "label,qid,a,b\n1,7,2,3\n0,8,1,1\n")
    ids = write(tmp_path, "ids.csv", "label,qid,a,b\n0,8,3,4\n1,q,2,3\n")
    assert rk.load_csv([first, ids]).qid.tolist() == ["7", "8", "8", "q"]
    for text, message in (
        ("label,qid,a,c\n1,2,2,3\n", r"b\.csv: feature 2 is called 'c', in .*a\.csv 'b'"),
        ("label,qid,a,b,c\n1,2,2,3,4\n", r"b\.csv: 3 features, .*a\.csv has 2; 'c' is not in .*a\.csv"),
        ("label,qid,a\n1,2,2\n", r"b\.csv: 1 features, .*a\.csv has 2; only .*a\.csv has 'b'"),
    ):
        with pytest.raises(rk.InputError, match=message):
            rk.load_csv([first, write(tmp_path, "b.csv", text)])
