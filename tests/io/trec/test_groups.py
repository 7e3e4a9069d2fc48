"""Judgments in groups: columns, comments, errors that name the line, mutated input."""

import gzip
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankine as rk
from rankine.io import JudgmentGroups, load_groups

FOUR = b"# who judged\nq1 ann d1 2\n\nq1 bob  d1\t0\nq2 ann d2#3 -1\n"
FIVE = b"q1 ann part1 d1 2.5\nq1 ann part2 d1 1\n"
WORDS = st.text("abc#-1", min_size=1, max_size=3).filter(lambda w: not w.startswith("#"))
ROWS = st.dictionaries(st.tuples(WORDS, WORDS, WORDS), st.integers(-5, 9), min_size=1, max_size=12)


def test_four_and_five_columns():
    table = load_groups(io.BytesIO(FOUR))
    assert (table.query_ids, table.group_ids, table.document_ids) == (["q1", "q2"], ["ann", "bob"], ["d1", "d2#3"])
    assert table.value.tolist() == [2, 0, -1]
    assert table.subgroup.tolist() == [0, 0, 0]
    five = load_groups(io.BytesIO(gzip.compress(FIVE)))
    assert (five.subgroup.tolist(), five.value.tolist()) == ([0, 1], [2.5, 1.0])
    assert repr(five) == "JudgmentGroups(1 queries, 2 rows)"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"q1 a d1\n", "line 1: expected 4 fields 'query group document grade' or 5 fields .*, got 3"),
        (b"q1 a d1 1\nq1 a s d1 1\n", "line 2: expected 4 fields .* as above, got 5"),
        (b"q1 a d1 x\n", "line 1: expected a finite number in field 4, got 'x'"),
        (b"q1 a d1 1_0\n", "line 1: expected a finite number"),
        (b"q1 a d1 1\nq1 a d2 nan\n", "line 2: expected a finite number in field 4"),
        (b"q1 a d1 1\n# c\nq1 a d1 0\n", "line 3: document 'd1' stands twice"),
        (b"# nothing\n", "there is no data line"),
        (b"q1 a d\xff 1\n", "line 1: .*UTF-8"),
    ],
)
def test_bad_lines_are_named(tmp_path, content, message):
    (tmp_path / "groups.txt").write_bytes(content)
    with pytest.raises(rk.InputError, match=f"groups.txt(, |: ){message}"):
        load_groups(tmp_path / "groups.txt")


def test_bad_columns():
    with pytest.raises(rk.InputError, match="one length"):
        JudgmentGroups.from_columns(["q"], ["g", "h"], ["d"], [1])
    with pytest.raises(rk.InputError, match="row 0: expected a finite number"):
        JudgmentGroups.from_columns(["q"], ["g"], ["d"], [float("nan")])
    assert len(JudgmentGroups.from_dict({})) == 0


@given(ROWS)
def test_a_written_file_is_read_to_equal_rows(rows):
    text = "".join(f"{q} {g} {d} {v}\n" for (q, g, d), v in rows.items())
    table = load_groups(io.BytesIO(text.encode()))
    names = zip(table.query, table.group, table.document, table.value, strict=True)
    assert {(table.query_ids[q], table.group_ids[g], table.document_ids[d]): v for q, g, d, v in names} == rows


@settings(max_examples=200)
@given(st.integers(0, len(FOUR) - 1), st.binary(max_size=3))
def test_mutated_input_is_read_or_refused(place, piece):
    try:
        load_groups(io.BytesIO(FOUR[:place] + piece + FOUR[place + 1 :]))
    except rk.InputError as error:
        assert "\n" not in str(error)
