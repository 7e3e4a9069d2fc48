"""Files that are no judged data are named for what they are."""

import pytest

from ..running import rankine

TRAIN = ("--ranker", "single", "-o", "x.json")


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("q.txt", "1 0 d1 2\n", "q.txt: looks like TREC qrels"),
        ("a.run", "1 Q0 d1 1 0.5 A\n", "a.run: looks like a TREC run"),
        ("m.json", '{"rankine": 1}', "m.json: is a model, judged data is needed here"),
        ("t.train", "0\t0.637\t0.2\n1\t0.5\t3\n", "got '0.637'; a table with tabs is read by load_csv, on the "
         "command line with --delimiter tab"),
    ],
)  # fmt: skip
def test_the_file_is_named_for_what_it_is(tmp_path, name, text, says):
    (tmp_path / name).write_text(text)
    (tmp_path / "t.train.query").write_text("2\n")
    assert says in rankine(tmp_path, "train", name, *TRAIN, code=1).stderr
    if name == "t.train":
        rankine(tmp_path, "train", name, *TRAIN, "--delimiter", "tab")


def test_csv_of_any_encoding_is_described(tmp_path):
    (tmp_path / "u16.csv").write_text("label,qid,f1\n1,7,0.5\n0,7,2\n", encoding="utf-16")
    assert "f1" in rankine(tmp_path, "describe", "u16.csv").stdout
