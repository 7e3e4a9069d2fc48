"""Names of columns: the usual ones, those that are given, and what is wrong with them."""

import pytest

import rankine as rk
from rankine.io.formats import COMPRESSION
from rankine.io.tables.columns import PACKED, cells_of, choices, form_of, named_columns
from rankine.io.trec.detection import QRELS, RUN
from rankine.io.trec.preferences import LAYOUT

from ...reference_text import NAMES


def test_endings_of_compression_are_those_of_the_table():
    assert PACKED == COMPRESSION


@pytest.mark.parametrize("layout", [QRELS, RUN, LAYOUT], ids=lambda layout: layout.what)
def test_the_usual_names(layout):
    for role in layout.roles:
        assert list(role.names) == NAMES.get(role.title, list(role.names))
        for name in role.names:
            others = [r.names[0] for r in layout.roles if r is not role]
            assert named_columns([*others, name.upper()], layout, {}, "x").get(role.title) in (len(others), None)


@pytest.mark.parametrize(
    ("names", "given", "message"),
    [
        (["qid", "docno"], {}, "x: there is no column for the grade. There are: 'qid', 'docno'; name it: grade=…"),
        (["a", "b", "c"], {"query": "a"}, "there is no column for the document"),
        (["qid", "docno", "rel"], {"grade": "rle"}, "there is no column 'rle'. Did you mean 'rel'? There are: 'qid'"),
        (["qid", "qid", "docno", "rel"], {}, "there are two columns 'qid'"),
        (["qid", "docno", "rel"], {"grade": "qid"}, "one column is to hold two things"),
    ],
)
def test_errors_list_what_there_is(names, given, message):
    with pytest.raises(rk.InputError) as caught:
        named_columns(names, QRELS, given, "x")
    assert message in str(caught.value)


def test_names_that_are_given_go_first():
    names = ["qid", "a", "b", "label"]
    assert named_columns(names, QRELS, {"query": "b", "document": "a"}, "x") == {"query": 2, "document": 1, "grade": 3}
    numbers = {"query": "3", "document": "2", "grade": "label"}
    assert named_columns(names, QRELS, numbers, "x") == {"query": 2, "document": 1, "grade": 3}
    places = named_columns(["docid", "docno", "qid", "score"], RUN, {}, "x")
    assert places == {"query": 2, "document": 1, "score": 3}
    assert "the document is taken from 'docno', not from 'docid'" in choices(
        ["docid", "docno", "qid", "score"], RUN, {}, places
    )


def test_forms_without_names():
    assert form_of([["q", "d", "1"]], QRELS) == "query document grade"
    assert form_of([["q", "d", "x"]], QRELS) is None
    assert form_of([["q", "a", "b", "0.5"]], LAYOUT) == "query winner loser weight"
    assert cells_of('"a,b', ",") == []
