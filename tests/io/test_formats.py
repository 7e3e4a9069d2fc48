"""The table of formats: every row reads what it writes; endings and first lines tell the format."""

import io

import numpy as np
import pytest

import rankine as rk
from rankine.io.formats import JUDGED, TABLE, DataReading, format_of, holds_features, load_data, save_data
from rankine.sample import judged_set


@pytest.mark.filterwarnings("ignore::rankine.errors.InputNote")
@pytest.mark.parametrize("name", JUDGED)
def test_judged_data_survives(tmp_path, name):
    data = judged_set(n_queries=3)
    for ending in JUDGED[name].endings:
        path = str(tmp_path / f"set{ending}")
        save_data(data, path)
        again = load_data(path)
        assert np.array_equal(again.X, data.X)
        assert again.y.tolist() == data.y.tolist()
        assert holds_features(path)


@pytest.mark.parametrize("name", [n for n in TABLE if n not in JUDGED])
def test_judgments_and_runs_survive(tmp_path, name):
    table = rk.TrecTable.from_dict({"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}})
    TABLE[name].write(table, tmp_path / "file")
    again = TABLE[name].read(tmp_path / "file")
    assert again.value.tolist() == table.value.tolist()
    assert not holds_features(str(tmp_path / "file"))


def test_no_ending_belongs_to_two_formats():
    endings = [ending for row in TABLE.values() for ending in row.endings]
    assert len(set(endings)) == len(endings)


def test_the_last_ending_of_a_table_and_any_ending_of_text():
    assert format_of("a.txt.parquet") is TABLE["parquet"]
    assert format_of("a.parquet.txt") is TABLE["letor"]
    assert format_of("a.txt.gz") is TABLE["letor"]
    assert format_of("a.txt.bz2") is TABLE["letor"]
    assert format_of("a.parquet.gz") is None
    assert format_of(io.BytesIO()) is None


def test_the_first_line_tells_judged_data_from_qrels():
    assert holds_features(io.BytesIO(b"# heading\n\n2 qid:1 1:0.5\n"))
    assert not holds_features(io.BytesIO(b"q1 0 d1 2\n"))
    assert not holds_features(io.BytesIO(b""))


def test_a_target_without_a_known_ending_is_refused(tmp_path):
    message = r"ending in one of \.txt, .*\.ipc \(text may add \.gz, \.bz2, \.xz or \.zst\)"
    with pytest.raises(rk.InputError, match=message):
        save_data(judged_set(n_queries=1), str(tmp_path / "set.json"))
    assert not list(tmp_path.iterdir())


def test_an_option_that_a_format_does_not_take_is_refused(tmp_path):
    data = judged_set(n_queries=1)
    for ending, reading, message in (
        (".txt", DataReading(label="grade"), "LETOR text has no --label; it has --"),
        (".parquet", DataReading(dtype="float64"), "Parquet has no --dtype; it has --label, --query, --document"),
        (".arrow", DataReading(unordered=True), "Arrow has no --unordered"),
    ):
        save_data(data, str(tmp_path / f"set{ending}"))
        with pytest.raises(rk.InputError, match=message) as caught:
            load_data(tmp_path / f"set{ending}", reading)
        assert str(caught.value).startswith(str(tmp_path / f"set{ending}: "))
        assert load_data(tmp_path / f"set{ending}").n_queries == 1


def test_files_of_two_formats_are_no_data_set(tmp_path):
    for ending in (".txt", ".parquet"):
        save_data(judged_set(n_queries=1), str(tmp_path / f"set{ending}"))
    with pytest.raises(rk.InputError, match=r"set.txt: LETOR text, but .*set.parquet is Parquet: files that are read"):
        load_data(tmp_path)


@pytest.mark.filterwarnings("ignore::rankine.errors.InputNote")
def test_text_with_a_delimiter_is_csv_whatever_its_name(tmp_path):
    content = b"label\tqid\tx\n1\t7\t0.5\n"
    path = tmp_path / "train.txt"
    path.write_bytes(content)
    assert load_data(path, DataReading(delimiter="tab")).X.tolist() == [[0.5]]
    assert load_data(io.BytesIO(content), DataReading(header=True, delimiter="tab")).y.tolist() == [1]
    for text in ("label\tqid\tx\n", "label,qid,x\n", "2;7;0.5\n"):
        path.write_text(text)
        with pytest.raises(rk.InputError, match=r"is it CSV \(load_csv, --delimiter\)\?"):
            load_data(path)
    rk.save_letor(judged_set(n_queries=1), tmp_path / "letor.txt")
    with pytest.raises(rk.InputError, match="there is no comma"):
        load_data(tmp_path / "letor.txt", DataReading(header=False))
