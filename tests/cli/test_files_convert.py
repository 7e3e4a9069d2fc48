"""``rankine convert``: every format of judged data to every other."""

from itertools import product

import pandas as pd
import pytest

import rankine as rk
from rankine.io.formats import JUDGED, DataReading, load_data

from .running import rankine


@pytest.mark.parametrize(("source", "target"), list(product(JUDGED, JUDGED)))
def test_every_format_to_every_other(folder, source, target):
    first, second = (f"{role}{JUDGED[name].endings[0]}" for role, name in (("a", source), ("b", target)))
    rankine(folder, "convert", "data.txt", first)
    done = rankine(folder, "convert", first, second)
    want, data = rk.load_letor(folder / "data.txt"), load_data(folder / second)
    exact = JUDGED[target].text and "dtype" in JUDGED[source].options
    read = load_data(folder / first, DataReading(dtype="float64" if exact else None))
    assert done.stderr == f"{read} -> {second}\n"
    assert data.X.tobytes() == want.X.tobytes()
    assert data.y.tolist() == want.y.tolist()
    assert data.qid.tolist() == want.qid.tolist()
    assert data.doc_ids.tolist() == want.doc_ids.tolist()


def test_compressed_text_and_standard_streams(folder):
    rankine(folder, "convert", "data.txt", "data.parquet")
    rankine(folder, "convert", "data.parquet", "again.txt.xz")
    assert rk.load_letor(folder / "again.txt.xz").X.tobytes() == rk.load_letor(folder / "data.txt").X.tobytes()
    with open(folder / "data.txt", "rb") as stdin:
        assert rankine(folder, "convert", "-", "-", stdin=stdin).stdout == (folder / "data.txt").read_text()


def test_a_target_without_a_known_ending_is_refused(folder):
    done = rankine(folder, "convert", "data.txt", "x.json", code=1)
    for row in JUDGED.values():
        assert all(ending in done.stderr for ending in row.endings)


@pytest.mark.parametrize("target", ["x.txt.lz4", "x.txt.bak", "x.zip", "x.parquet.bz2"])
def test_an_unknown_ending_of_compression_is_refused(folder, target):
    done = rankine(folder, "convert", "data.txt", target, code=1)
    assert "expected a file name ending in one of" in done.stderr
    assert not (folder / target).exists()


def test_bz2_is_written_and_read(folder):
    rankine(folder, "convert", "data.txt", "x.txt.bz2")
    assert (folder / "x.txt.bz2").read_bytes().startswith(b"BZh")
    assert rankine(folder, "convert", "x.txt.bz2", "-").stdout == (folder / "data.txt").read_text()


def test_csv_as_people_have_it(folder):
    """Other names, another delimiter, a column of text: one line says what was found out."""
    data = rk.load_letor(folder / "data.txt")
    names = [f"x{i}" for i in range(data.n_features)]
    lines = [";".join(["target", "title", "topic", *names])]
    for i in range(data.n_documents):
        lines.append(";".join(map(str, [data.y[i], "a title", data.qid[i], *data.X[i].tolist()])))
    (folder / "mine.csv").write_text("\n".join(lines) + "\n", encoding="utf-16")
    columns = ("--label", "target", "--query", "3", "--features", "!title")
    done = rankine(folder, "convert", "mine.csv", "mine.arrow", *columns)
    note, result = done.stderr.splitlines()
    assert note == "mine.csv: read as semicolon-separated, utf-16, with a header"
    assert result.endswith("-> mine.arrow")
    again = rk.load_table(folder / "mine.arrow")
    assert again.feature_names == tuple(names)
    assert again.X.tobytes() == data.X.tobytes()
    assert again.y.tolist() == data.y.tolist()
    done = rankine(folder, "convert", "mine.csv", "x.arrow", code=1)
    assert "line 1: there is no label column" in done.stderr
    assert "(label=, --label)" in done.stderr
    assert not (folder / "x.arrow").exists()
    with open(folder / "mine.csv", "rb") as stdin:
        rankine(folder, "convert", "-", "y.arrow", *columns, "--delimiter", ";", stdin=stdin)
    assert rk.load_table(folder / "y.arrow").X.tobytes() == data.X.tobytes()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_without_grades_can_be_ranked(folder, ending):
    frame = pd.DataFrame({"label": [2, 0, 1, 0], "qid": [1, 1, 2, 2], "bm25": [3.0, 1, 2, 0], "age": [0.5, 1, 2, 3]})
    new = frame.drop(columns="label")
    if ending == "csv":
        frame.to_csv(folder / "t.csv", index=False)
        new.to_csv(folder / "n.csv", index=False)
    else:
        frame.to_parquet(folder / "t.parquet", index=False)
        new.to_parquet(folder / "n.parquet", index=False)
    rankine(folder, "train", f"t.{ending}", "--ranker", "single", "-o", "g.json")
    want = rankine(folder, "rank", "g.json", f"t.{ending}", "--scores").stdout
    done = rankine(folder, "rank", "g.json", f"n.{ending}", "--scores")
    assert done.stdout == want
    assert "without grades (all are 0)" in done.stderr
    done = rankine(folder, "evaluate", f"n.{ending}", "g.json", code=1)
    assert "there is no label column" in done.stderr
