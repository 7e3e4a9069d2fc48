"""Tables of metadata: what is read of good and of bad files."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankine as rk
from rankine.spoken.metadata.tables import read_rows, write_rows

NAMES = {name: i for i, name in enumerate(("tape1", "tape2", "tape3", "a.b", "sub/tape9", "müller"))}


def read(path, content, **options):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_rows(path, NAMES, **options)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_delimiters_and_encodings(tmp_path, delimiter, encoding):
    rows = [["Recording", "Title", "Speaker"], ["tape1", "Über “Äpfel”", '"Ann; Bob"'], ["tape2.WAV", "b", ""]]
    text = "\r\n".join(delimiter.join(row) for row in rows)
    got = read(tmp_path / "t.csv", text.encode(encoding))
    assert got.cells["tape1"] == {"title": "Über “Äpfel”", "speakers": "Ann; Bob"}
    assert got.cells["tape2"] == {"title": "b", "speakers": ""}
    assert (got.errors, got.fields, got.rows) == ([], ["title", "speakers"], 2)
    assert bool(got.notes) == (encoding in ("cp1252", "utf-16"))


def test_two_encodings(tmp_path):
    content = "name,title\ntape1,é\n".encode() + "tape2,é\nx,ü\n".encode("cp1252") + "y,ü\n".encode()
    with pytest.raises(
        rk.InputError,
        match=r"t\.csv, line 3: not valid UTF-8, unlike line 2: the file mixes encodings. In UTF-8: lines 2, 5; in "
        r"another: lines 3, 4. Bring them to one encoding by hand$",
    ):
        read(tmp_path / "t.csv", content)
    assert read(tmp_path / "t.csv", content, encoding="cp1252").cells["tape2"] == {"title": "é"}


def test_json(tmp_path):
    want = {"tape1": {"title": "A", "tags": "x; y", "number": "7"}, "tape2": {"title": "", "tags": ""}}
    rows = [
        {"file": "tape1.wav", "title": "A", "tags": ["x", "y"], "number": 7},
        {"file": "tape2", "title": None, "tags": []},
    ]
    by_name = {row["file"]: {k: v for k, v in row.items() if k != "file"} for row in rows}
    assert read(tmp_path / "t.json", json.dumps(rows)).cells == want
    assert read(tmp_path / "t.json", json.dumps(by_name)).cells == want
    assert read(tmp_path / "t.jsonl", "\n".join(map(json.dumps, rows)) + "\n\n").cells == want
    assert read(tmp_path / "t.txt", "\n".join(map(json.dumps, rows))).cells == want


def test_columns(tmp_path):
    got = read(
        tmp_path / "t.csv", "utterance,recording,creator,contributor,audio,offset,\nu,tape1,Ann,Bob; Ann,x.wav,3,\n"
    )
    assert got.cells == {"tape1": {"speakers": "Ann; Bob"}}
    assert got.notes == [f"{tmp_path / 't.csv'}: passed over, because they cannot be set: utterance, audio, offset"]
    for head, message in (
        ("name,dc:title,title", r"the columns 'dc:title' and 'title' are both the field 'title'"),
        ("name,title,title", "line 1: two columns are called 'title'"),
        ("name", r"expected columns besides 'name', such as title, date"),
        ("name,?", "expected the name of a field"),
    ):
        with pytest.raises(rk.InputError, match=message):
            read(tmp_path / "t.csv", f"{head}\n{','.join('x' for _ in head.split(','))}\n")


@pytest.mark.parametrize(
    ("cell", "want"),
    [
        ("tape1", "tape1"), ("tape1.wav", "tape1"), ("tape1.FLAC", "tape1"), ("a.b", "a.b"), ("a.b.mp3", "a.b"),
        ("C:\\tapes\\tape2.wav", "tape2"), ("some/folder/tape3.ogg", "tape3"), ("sub/tape9.wav", "sub/tape9"),
        ("sub\\tape9.wav", "sub/tape9"), ("mu\u0308ller.wav", "müller"), (" tape1 ", "tape1"),
        ("tape4", None), ("tape1.2", None), ("", None), ("tape9", None), ("TAPE1", None),
    ],
)  # fmt: skip
def test_names_of_recordings(tmp_path, cell, want):
    got = read(tmp_path / "t.csv", f"name,title\n{cell},x\n")
    assert list(got.cells) == ([] if want is None else [want])
    assert len(got.errors) == (want is None)


def test_rows_that_cannot_be_used(tmp_path):
    path = tmp_path / "t.csv"
    lines = (
        "name,title,date", "tape1,A,2023", "tap3,x,", "tape2,B,5/11/2023", "tape3,C", ",D,", "tape1,A,", "tape1.wav,Z,",
        '"tape3","two\nlines",17 May 2023',
    )  # fmt: skip
    got = read(path, "\n".join(lines))
    assert got.cells == {"tape2": {"title": "B"}, "tape3": {"title": "two lines", "date": "2023-05-17"}}
    assert got.rows == 2
    assert got.bad_cells == [
        f"{path}, line 4: date: '5/11/2023' means 2023-05-11 or 2023-11-05: write the one that is meant"
    ]
    assert got.errors == [
        f"{path}, line 3: no recording is called 'tap3'. Did you mean 'tape3'?",
        f"{path}, line 5: expected 3 cells as in the head line, got 2",
        f"{path}, line 6: expected the name of a recording in the column 'name', got none",
        f"{path}, line 8: the title of 'tape1' is 'Z' here and 'A' in {path}, line 2; no row of it is used",
    ]


def test_rows_that_agree_are_one(tmp_path):
    got = read(tmp_path / "t.csv", "name,title,tags\ntape1,A,\ntape1,,x\ntape1,A,x\n")
    assert (got.cells, got.errors, got.rows) == ({"tape1": {"title": "A", "tags": "x"}}, [], 3)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", "tape1,A\ntape2,B\n", "line 1: expected a head line with a column that names the recording"),
        ("t.csv", "name,title\n", "expected rows below the head line, got none"),
        ("t.csv", "", "got none"), ("t.csv", "\n\n", "got none"),
        ("t.csv", ",".join(["name", *(f"f{i}" for i in range(10_000))]) + "\n", "10,001 columns; at most 500"),
        ("t.csv", 'name,title\ntape1,"A\n', "not a row of cells"),
        ("t.tsv", "\nrecording\ttitle\t=1+1\ntape1\tA\tx\n", r"t\.tsv, line 2: expected the name of .* '=1\+1'"),
        ("t.jsonl", '{"name": "tape1"}\n{"name": "tape2", "=1": 3}\n', r"t\.jsonl, line 2: expected the name of"),
        ("t.json", '[{"name": "tape1", "": "x"}]', r"t\.json, object 1: expected the name of a field"),
        ("t.csv", "name,title\ntape1,\x00\n", "NUL byte"),
        ("t.json", "[1]", r"object 1: expected an object of fields, got '1'"),
        ("t.json", '{"tape1": 3}', "'tape1': expected an object of fields"),
        ("t.json", "3", "expected a list of objects"), ("t.json", "{", r"t\.json, line 1: not JSON"),
        ("t.json", "[" * 100_000, "not JSON"), ("t.json", "[]", "got none"),
        ("t.json", '[{"name": "tape1", "title": {"a": 1}}]', "title: expected text, a number or a list of texts"),
        ("t.json", '[{"name": "tape1", "title": true}]', "title: expected text"),
        ("t.json", '[{"name": "tape1", "title": "a", "title": "b"}]', "two fields are called 'title'"),
        ("t.json", '[{"title": "a"}]', "expected a column that names the recording"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_used(tmp_path, name, content, message):
    with pytest.raises(rk.InputError, match=message):
        read(tmp_path / name, content)


def test_control_characters_and_formulas(tmp_path):
    got = read(tmp_path / "t.csv", "name,title\ntape1,a\x07\ntape2,=cmd|' /C calc'!A0\ntape3,+1 @x\n")
    assert got.cells == {"tape2": {"title": "=cmd|' /C calc'!A0"}, "tape3": {"title": "+1 @x"}}
    assert got.errors == [f"{tmp_path / 't.csv'}, line 2: title: the cell holds the control character U+0007"]


def test_contradicting_names_in_json(tmp_path):
    got = read(tmp_path / "t.json", '{"tape1": {"title": "a"}, "tape1.wav": {"title": "b"}, "tape2": {"title": "c"}}')
    assert got.cells == {"tape2": {"title": "c"}}
    assert "'tape1.wav': the title of 'tape1' is 'b' here and 'a' in" in got.errors[0]


@given(
    st.dictionaries(
        st.sampled_from(sorted(NAMES)),
        st.dictionaries(
            st.sampled_from(["title", "place", "number"]), st.text("a;,\t\"' =|é漢{[\\", min_size=1, max_size=12)
        ),
        min_size=1,
    ),
    st.sampled_from(["csv", "tsv", "json", "jsonl"]),
)
def test_what_is_written_is_read(tmp_path_factory, cells, ending):
    cells = {n: {f: " ".join(v.split()) for f, v in c.items() if v.strip()} for n, c in cells.items()}
    if not any(cells.values()):
        return
    path = tmp_path_factory.mktemp("written") / f"t.{ending}"
    write_rows(path, cells)
    got = read_rows(path, NAMES)
    assert {n: {f: v for f, v in c.items() if v} for n, c in got.cells.items()} == cells
    assert got.errors == []


def test_the_ending_of_what_is_written(tmp_path):
    with pytest.raises(rk.InputError, match=r"expected a file that ends in \.csv, \.tsv, \.json, .*; got 'x\.xlsx'"):
        write_rows(tmp_path / "x.xlsx", {})
    write_rows(tmp_path / "x.csv", {"tape1": {}})
    assert (tmp_path / "x.csv").read_text().splitlines()[
        0
    ] == "recording,title,date,speakers,collection,tags,language,rights,licence,notes"


def test_one_bad_cell_leaves_the_others(tmp_path):
    got = read(tmp_path / "t.csv", "name,title,date,rights\ntape1,A,5/11/1963,often\ntape2,B,c. 1962,\n")
    assert got.cells["tape1"] == {"title": "A", "rights": "often"}
    assert (got.errors, got.rows) == ([], 2)
    assert [cell.partition(": ")[2].split(":")[0] for cell in got.bad_cells] == ["date"]
    dates, rights = got.notes
    assert dates == f"{tmp_path / 't.csv'}: 1 date such as 'c. 1962' only shown: no filter of dates finds it"
    assert "the rights 'often' are not understood, so 1 recording such as 'tape1' is closed" in rights


def test_one_bad_object_leaves_the_others(tmp_path):
    lines = ['{"name": "tape1", "title": "A"}', '{"name": "tape2", ', "[1]", '{"name": "tape2", "title": {}}']
    got = read(tmp_path / "t.jsonl", "\n".join(lines))
    assert got.cells == {"tape1": {"title": "A"}}
    assert [error.removeprefix(f"{tmp_path / 't.jsonl'}, line ")[:13] for error in got.errors] == [
        "2: not JSON (", "3: expected a", "4: title: exp",
    ]  # fmt: skip
    got = read(tmp_path / "t.json", '[{"name": "tape1", "title": "A"}, 7]')
    assert got.errors == [f"{tmp_path / 't.json'}, object 2: expected an object of fields, got '7'"]
    with pytest.raises(rk.InputError, match=r"t\.jsonl, line 1: not JSON"):
        read(tmp_path / "t.jsonl", "{\n{")
