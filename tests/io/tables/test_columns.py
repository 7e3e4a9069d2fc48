"""Columns by name, number and pattern, and what is guessed from names."""

import pytest

import rankine as rk
from rankine.io.tables.columns import ColumnNames, choose
from rankine.system.limits import FEATURES

NAMES = ["label", "qid", "docno", "f1", "f2", "f3", "title", "a-b"]


def features(given, names=NAMES, **roles):
    columns = choose(ColumnNames(names, len(names)), roles.get("label"), roles.get("qid"), roles.get("doc_id"), given)
    return [names[i] for i in columns.features]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, ["f1", "f2", "f3", "title", "a-b"]),
        ("f*", ["f1", "f2", "f3"]),
        ("f1-f3", ["f1", "f2", "f3"]),
        ("f2-6", ["f2", "f3"]),
        ("4-5", ["f1", "f2"]),
        ("4", ["f1"]),
        (4, ["f1"]),
        ([5, "f1"], ["f2", "f1"]),
        ("a-b", ["a-b"]),
        ("f3,f1", ["f3", "f1"]),
        ("f3, f*", ["f3", "f1", "f2"]),
        ("!title", ["f1", "f2", "f3", "a-b"]),
        (["!title", "!a-b"], ["f1", "f2", "f3"]),
        ("f*,!f2", ["f1", "f3"]),
        ("*", ["f1", "f2", "f3", "title", "a-b"]),
        ("1-5", ["f1", "f2"]),
        ("f?", ["f1", "f2", "f3"]),
        ("f[12]", ["f1", "f2"]),
    ],
)
def test_features_by_name_number_and_pattern(given, expected):
    assert features(given) == expected


def test_a_name_goes_before_a_number_and_a_pattern():
    assert features("4", ["label", "qid", "4", "x"]) == ["4"]
    assert features(4, ["label", "qid", "4", "x"]) == ["x"]
    assert features(["f*"], ["label", "qid", "f*", "f1"]) == ["f*"]
    assert features(["a,b"], ["label", "qid", "a,b", "a"]) == ["a,b"]


def test_roles_by_name_whatever_the_case():
    columns = choose(ColumnNames(["Query-ID", "Grade", "DocNo", "x"], 4), None, None, None)
    assert columns == (1, 0, 2, [3])
    assert choose(ColumnNames(["x", "a", "b"], 3), "a", 3, None) == (1, 2, None, [0])
    assert choose(ColumnNames(None, 4), 1, "2", None) == (0, 1, None, [2, 3])


@pytest.mark.parametrize("other", ["grade", "Relevance-Label", "y", "rel", "target"])
def test_a_second_column_of_grades_is_no_feature_unless_it_is_said(other):
    names = ColumnNames(["label", "qid", other, "x"], 4)
    for given in ({}, {"label": "label"}, {"features": "*"}, {"features": [other]}):
        with pytest.raises(rk.InputError, match=f"column 'label' and column '{other}' may both hold the grades"):
            choose(names, given.get("label"), None, None, given.get("features"))
    assert choose(names, None, None, None, f"!{other}").features == [3]
    assert choose(names, "label", None, None, [other, "x"]).features == [2, 3]
    with pytest.raises(rk.InputError, match="may hold grades too"):
        choose(ColumnNames(["qid", "target", "x"], 3), None, None, None, apart=("label",))


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        (["qid", "x"], {}, r"no label column: none of label, .*say which it is \(label=, --label\)"),
        (["y", "x"], {}, r"no qid column: none of queryid, qid, .*\(qid=, --query\)"),
        (["grade", "y", "qid", "x"], {}, "'grade' and column 'y' may both hold the grades"),
        (["label", "qid", "x", "x"], {}, "two columns 'x'"),
        (["label", "qid"], {}, "no feature columns"),
        (["label", "qid", "x"], {"features": "z*"}, "no column has a name like 'z"),
        (["label", "qid", "x", "z"], {"features": "z-x"}, "'z-x' run backwards"),
        (["label", "qid", "x"], {"features": "9"}, "no column 9: the numbers are 1 to 3"),
        (["label", "qid", "x"], {"features": 0}, "no column 0: the numbers are 1 to 3"),
        (["label", "qid", "x"], {"features": "label"}, "'label' is the label and cannot be a feature"),
        (["label", "qid", "x"], {"label": "grade"}, "no column 'grade'. There are: 'label', 'qid', 'x'"),
        (["label", "qid", "x"], {"label": "lable"}, "no column 'lable'. Did you mean 'label'?"),
        (["label", "qid", "x"], {"label": True}, "no column True"),
        (["label", "qid", "x"], {"qid": "label"}, "'label' cannot be label and qid at once"),
        (None, {"label": "y"}, "no column 'y'. Columns have no names here, but the numbers 1 to 3"),
        (None, {"label": 1}, "no qid column: columns have no names here"),
    ],
)
def test_what_cannot_be_chosen(names, options, message):
    with pytest.raises(rk.InputError, match=message) as caught:
        choose(
            ColumnNames(names, 3 if names is None else len(names), "x.csv"),
            *(options.get(role) for role in ("label", "qid", "doc_id", "features")),
        )
    assert str(caught.value).startswith("x.csv: ")


def test_the_most_features(monkeypatch):
    monkeypatch.setenv(FEATURES, "2")
    assert len(features("f1,f2")) == 2
    with pytest.raises(rk.InputError, match=r"5 features: the most is 2 \(--max-features"):
        features(None)


def test_a_long_name_is_cut_in_messages():
    names = ["label", "qid", "x" * 10_000]
    with pytest.raises(rk.InputError, match=r"There are: 'label', 'qid', 'x+…'") as caught:
        choose(ColumnNames(names, 3), "none of these", None, None)
    assert len(str(caught.value)) < 200


def test_both_ends_of_a_range_are_names_or_numbers():
    names = ["label", "qid", "3", "4", "5", "6"]
    assert features("3-5", names) == ["3", "4", "5"]
    with pytest.raises(rk.InputError, match="both names or both numbers: 3 is the name of a column, and 2 is not"):
        features("2-3", names)
    assert features("3-4", ["label", "qid", "a", "b"]) == ["a", "b"]
