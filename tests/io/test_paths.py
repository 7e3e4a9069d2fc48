"""Several files: lists, folders and patterns, in the order of the numbers in their names."""

import io

import numpy as np
import pytest

import rankine as rk
from rankine.io.formats import DataReading, load_data, save_data
from rankine.io.paths import expand, named
from rankine.sample import judged_set


@pytest.fixture
def parts(tmp_path):
    """A data set, and its queries in three files whose order is that of numbers."""
    data = judged_set(n_queries=6)
    for number, queries in ((1, [0, 1]), (2, [2, 3]), (10, [4, 5])):
        for ending in (".txt", ".parquet"):
            (tmp_path / ending[1:]).mkdir(exist_ok=True)
            path = tmp_path / ending[1:] / f"part-{number}{ending}"
            (rk.save_letor if ending == ".txt" else rk.save_table)(data.subset(queries), path)
    return data, tmp_path


def same(a, b):
    assert np.array_equal(a.dense().X, b.dense().X)
    assert a.y.tolist() == b.y.tolist()
    assert a.qid.tolist() == b.qid.tolist()
    assert a.doc_ids.tolist() == b.doc_ids.tolist()


@pytest.mark.parametrize("ending", ["txt", "parquet"])
def test_pieces_are_the_whole(parts, ending):
    data, folder = parts
    files = [folder / ending / f"part-{n}.{ending}" for n in (1, 2, 10)]
    read = rk.load_letor if ending == "txt" else rk.load_table
    place = f"{folder}/{ending}/"
    for source in (files, tuple(map(str, files)), folder / ending, place, f"{place}part-*"):
        same(read(source), data)
        same(load_data(source), data)
    same(read(files[::-1]).subset([4, 5, 2, 3, 0, 1]), data)
    assert [p.rsplit("-", 1)[1] for p in expand(folder / ending)] == [f"{n}.{ending}" for n in (1, 2, 10)]


def test_the_name_of_the_first_argument_still_works(parts):
    data, folder = parts
    same(rk.load_letor(source=folder / "txt"), data)
    same(rk.load_table(path=folder / "parquet"), data)


def test_equal_query_ids_are_one_query():
    a, b = io.BytesIO(b"1 qid:7 1:1\n0 qid:8 1:2\n"), io.BytesIO(b"2 qid:7 1:3\n")
    with pytest.warns(rk.InputNote, match="^1 query id occurs in several files and is joined$"):
        data = rk.load_letor([a, b])
    assert data.qid.tolist() == [7, 7, 8]
    assert data.X.ravel().tolist() == [1, 3, 2]
    assert data.order.tolist() == [0, 2, 1]


@pytest.mark.parametrize("ending", ["txt", "csv", "parquet"])
def test_queries_of_several_files_are_counted(tmp_path, ending):
    data = judged_set(n_queries=4)
    data.feature_names = None
    for name, queries in (("a", [0, 1, 2]), ("b", [1, 2]), ("c", [2, 3])):
        save_data(data.subset(queries), f"{tmp_path}/{name}.{ending}")
    with pytest.warns(rk.InputNote) as notes:
        load_data(tmp_path)
    assert [str(n.message) for n in notes] == ["2 query ids occur in several files and are joined"]


def test_files_that_are_no_data_are_left_out(tmp_path):
    beside = ("a.txt.query", "a.txt.weight", "a.txt.position")
    for name in ("a.txt", *beside, ".hidden.txt", "_SUCCESS", "part-2", "part-10"):
        (tmp_path / name).write_text("1 qid:1 1:1\n")
    (tmp_path / "folder.txt").mkdir()
    assert [p[len(str(tmp_path)) + 1 :] for p in expand(tmp_path)] == ["a.txt", "part-2", "part-10"]
    assert expand(str(tmp_path / "a.txt*")) == [str(tmp_path / "a.txt")]


def test_what_is_no_name_stays():
    stream = io.BytesIO(b"")
    assert expand(["-", stream]) == ["-", stream]
    assert [named(s) for s in ("-", stream, "x")] == ["<stdin>", "<stream>", "x"]


def test_a_file_whose_name_looks_like_a_pattern(tmp_path):
    (tmp_path / "a[1].txt").write_text("1 qid:1 1:1\n")
    assert rk.load_letor(tmp_path / "a[1].txt").n_documents == 1


@pytest.mark.filterwarnings("ignore::rankine.errors.InputNote")
def test_errors(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "fold").mkdir()
    for name in ("train.txt", "test.txt", "vali.txt"):
        (tmp_path / "fold" / name).write_text("1 qid:1 1:1\n")
    for source, message in (
        ([], "expected at least one file, got none"),
        (str(tmp_path / "part-*.txt"), r"part-\*.txt: no file has a name of this pattern"),
        (tmp_path / "empty", "empty: there is no file of data in the folder"),
        (tmp_path / "fold", r"fold: holds test.txt and train.txt, which are not one data set: name the files"),
        (f"{tmp_path}/fold/*.txt", "name the files"),
        ([tmp_path / "fold" / "train.txt", f"{tmp_path}/fold/tr*.txt"], "train.txt: the same file is given twice"),
    ):
        with pytest.raises(rk.InputError, match=message):
            load_data(source)
    assert load_data([tmp_path / "fold" / "train.txt", tmp_path / "fold" / "vali.txt"]).n_documents == 2


def test_files_with_other_columns(tmp_path):
    data = judged_set(n_queries=1)
    names = [f"f{i}" for i in range(data.n_features)]
    for name, columns in (("a", names), ("b", ["other", *names[1:]]), ("c", names[:-1])):
        part = rk.RankingData(data.X[:, : len(columns)], data.y, data.qid, feature_names=columns)
        rk.save_table(part, tmp_path / f"{name}.parquet")
    with pytest.raises(rk.InputError, match=r"b.parquet: feature 1 is called 'other', in .*a.parquet 'f0'"):
        rk.load_table([tmp_path / "a.parquet", tmp_path / "b.parquet"])
    with pytest.raises(rk.InputError, match=rf"c.parquet: {len(names) - 1} features, .*a.parquet has {len(names)}"):
        load_data([tmp_path / "a.parquet", tmp_path / "c.parquet"], DataReading())


def test_a_folder_of_folders_names_them(tmp_path):
    (tmp_path / "Fold1").mkdir()
    (tmp_path / "Fold2").mkdir()
    with pytest.raises(rk.InputError, match="no file of data in the folder, only the folders Fold1, Fold2: name one"):
        expand(tmp_path)
