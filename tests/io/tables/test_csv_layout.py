"""What is told of the columns of a file, and what they may lack."""

import re

import numpy as np
import pytest

import rankine as rk
from rankine.errors import InputNote

from .test_csv import HEADER, ROWS, read, refusal


@pytest.mark.parametrize(
    ("header", "odd"),
    [
        ("label,qid,bm25,score", "'score'"),
        ("label,qid,Unnamed: 0,rank", "'Unnamed: 0' and 'rank'"),
        ("label,qid,a,b", ""),
    ],
)
def test_other_names_than_rankine_writes_are_told(header, odd):
    _, notes = read(f"{header}\n{ROWS}")
    assert len(notes) == 1
    assert "grades from column 'label', queries from column 'qid', 2 features from column" in notes[0]
    assert ("features include" in notes[0]) == bool(odd)
    assert odd in notes[0]


def test_a_table_in_memory_tells_of_odd_features():
    with pytest.warns(InputNote, match="the table: features include 'score'"):
        rk.from_table({"label": [1, 0], "qid": [1, 1], "score": [1.0, 2.0]})


def test_tables_without_grades_where_none_are_needed(tmp_path):
    for text, options in (
        ("qid,a\n7,1\n7,2\n", {}),
        ("qid,a\n7,1\n7, 2 \n", {}),
        ("7,1\n7,2\n", {"qid": 1, "header": False}),
    ):
        assert re.search("no label column|cannot be label and qid", refusal(text, **options))
        data, notes = read(text, ungraded=True, **options)
        assert (data.y.tolist(), data.qid.tolist(), data.X.ravel().tolist()) == ([0, 0], [7, 7], [1, 2])
        assert "without grades (all are 0)" in notes[0]
    assert read(HEADER + ROWS, ungraded=True)[0].y.tolist() == [2, 0, 1]
    for table in ({"qid": [7, 7], "a": [1.0, 2.0]}, np.array([[7, 1.0], [7, 2.0]])):
        with pytest.warns(InputNote, match="the table: without grades"):
            assert rk.from_table(table, qid=1, ungraded=True).y.tolist() == [0, 0]
        with pytest.raises(rk.InputError, match="there is no label column"):
            rk.from_table(table, qid=1)


def test_true_and_false_are_numbers():
    data, _ = read("label,qid,fresh\nTrue,7,False\nfalse,7,TRUE\n")
    assert (data.y.tolist(), data.X.ravel().tolist()) == ([1, 0], [0, 1])
    assert read("1,7,True\n0,7,False\n")[0].X.ravel().tolist() == [1, 0]  # no document ids
    assert "expected a number, got 'yes'" in refusal("label,qid,fresh\n1,7,yes\n0,7,1\n")


def test_hints():
    assert "the value is missing; fill it first, for instance df.fillna(0)" in refusal("label,qid,a\n1,7,\n")
    for text, point in (("27,000", False), ("1,234,567", False), ("0,125", True), ("27,0", True)):
        says = refusal(f'label,qid,a\n1,7,"{text}"\n')
        assert ("write a decimal point" in says) == point
        assert ("write numbers without a comma" in says) != point
    assert "there is no column 'target'. There are: 'label', 'qid', 'age'" in refusal(
        "label,qid,age\n1,7,2\n", label="target"
    )
    assert "Did you mean 'label'?" in refusal("label,qid,age\n1,7,2\n", label="lable")
