"""CSV and TSV in: what is found out, what is told, what is refused, and agreement with other readers."""

import bz2
import csv
import gzip
import io
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankine as rk
from rankine.errors import InputNote
from rankine.io.tables import csv as delimited
from rankine.io.tables.csv_layout import CsvOptions, layout_of
from rankine.io.tables.decoding import TextBlock
from rankine.system.limits import FEATURES, SIZE

HEADER = "label,qid,f1,f2\n"
ROWS = "2,7,0.5,2\n0,7,1.5,3\n1,8,-1e-3,4\n"


def read(content, **options):
    """The data, and what was told."""
    content = content.encode() if isinstance(content, str) else content
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        data = rk.load_csv(io.BytesIO(content), **options)
    assert all(note.category is InputNote for note in notes)
    return data, [str(note.message) for note in notes]


def refusal(content, **options):
    with pytest.raises(rk.InputError) as caught:
        read(content, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def same(a, b):
    assert a.X.tobytes() == b.X.tobytes()
    assert a.y.tobytes() == b.y.tobytes()
    assert a.qid.tolist() == b.qid.tolist()
    assert (a.doc_ids is None) == (b.doc_ids is None)
    assert a.doc_ids is None or a.doc_ids.tolist() == b.doc_ids.tolist()
    assert a.feature_names == b.feature_names


def test_a_file_as_rankine_writes_it_is_read_without_a_word():
    data, notes = read(HEADER + ROWS)
    assert notes == []
    assert data.X.tolist() == np.array([[0.5, 2], [1.5, 3], [-1e-3, 4]], np.float32).tolist()
    assert data.y.tolist() == [2, 0, 1]
    assert data.qid.tolist() == [7, 7, 8]
    assert data.feature_names == ("f1", "f2")
    assert data.doc_ids is None
    assert read(HEADER + ROWS, dtype="float64")[0].X.dtype == np.float64


@pytest.mark.parametrize(("sign", "name"), [(";", "semicolon"), ("\t", "tab"), ("|", "bar"), (",", "comma")])
def test_delimiters(sign, name, tmp_path):
    text = (HEADER + ROWS).replace(",", sign)
    data, notes = read(text)
    same(data, read(HEADER + ROWS)[0])
    assert len(notes) == (sign != ",")
    assert not notes or f"read as {name}-separated, with a header, grades from column 'label'" in notes[0]
    for given_sign in (sign, name):
        data, notes = read(text, delimiter=given_sign)
        assert notes == []
    path = tmp_path / "x.tsv"
    path.write_text(text)
    if sign == "\t":
        same(rk.load_csv(path), data)  # a warning would be an error here


def test_the_sign_that_leaves_fields_clean_is_the_delimiter():
    assert "decimal point" in refusal("label;qid;a\n1;7;0,5\n0;7;1,5\n")
    assert "decimal point" in refusal("1,0;7;1,5;2,5\n0,0;7;1,5;2,5\n", label=1, qid=2)
    data, _ = read('label,qid,doc_id,a\n1,7,"x;y;z;u;v",2\n0,7,"x;y;z;u;v",3\n')
    assert data.doc_ids.tolist() == ["x;y;z;u;v"] * 2


@pytest.mark.parametrize(
    ("encoding", "told"),
    [("utf-8", None), ("utf-8-sig", None), ("utf-16", "utf-16"), ("utf-16-le", "utf-16-le"), ("utf-16-be", "utf-16-be"),
     ("utf-32", "utf-32"), ("cp1252", "cp1252")],
)  # fmt: skip
def test_encodings(encoding, told):
    text = "label,qid,doc_id,f1\n" + "".join(f"1,q{i // 9},dé{i},0.5\n" for i in range(500))
    for size in (delimited.BLOCK, 64):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(delimited, "BLOCK", size)
            data, notes = read(text.encode(encoding))
            assert data.feature_names == ("f1",)
            assert data.doc_ids.tolist() == [f"dé{i}" for i in range(500)]
            assert [told in note for note in notes] == ([] if told is None else [True])
            assert read(text.encode(encoding), encoding=encoding)[1] == []


def test_the_first_line_beyond_ascii_decides_the_encoding(monkeypatch):
    good, bad = "1,é,1,2\n".encode(), "1,é,1,2\n".encode("cp1252")
    head = HEADER.encode() + 50 * b"1,7,1,2\n"
    for size in (delimited.BLOCK, 16):
        monkeypatch.setattr(delimited, "BLOCK", size)
        assert read(head + bad + bad)[0].qid.tolist()[-1] == "é"
        assert "line 53: not valid UTF-8, unlike line 52: the file mixes encodings" in refusal(head + good + bad)
        assert "In UTF-8: line 52; in another: line 53. Bring them to one encoding by hand" in refusal(
            head + good + bad
        )
        assert "line 53: UTF-8, unlike line 52: the file mixes encodings" in refusal(head + bad + good)
        assert read(head + good + bad, encoding="cp1252")[0].qid.tolist()[-2:] == ["Ã©", "é"]
        assert "line 52: not valid utf-8" in refusal(head + bad, encoding="utf8")
        assert "line 52: not valid ascii" in refusal(head + bad, encoding="ascii")
        assert "line 52: the byte 0x81 is neither UTF-8 nor cp1252" in refusal(head + b"1,\x81,1,2\n")
    for name in ("nosuch", "rot13", "hex"):
        assert f"no text encoding '{name}'" in refusal(head, encoding=name)
    assert "not valid utf-16" in refusal((HEADER + ROWS).encode("utf-16") + b"x")


def test_without_a_header():
    data, notes = read(ROWS)
    assert data.feature_names is None
    assert data.y.tolist() == [2, 0, 1]
    assert notes == [
        "<stream>: read as comma-separated, without a header, grades from column 1, queries from column 2, 2 features "
        "from column 3 to 4"
    ]
    data, notes = read("2,q1,d1,0.5\n0,q1,d2,1\n1,q2,d3,2\n")
    assert (data.doc_ids.tolist(), data.qid.tolist()) == (["d1", "d2", "d3"], ["q1", "q1", "q2"])
    assert "documents from column 3, 1 feature from column 4" in notes[0]
    assert read("0.5,2,7\n1.5,0,7\n", label=2, qid=3)[0].X.ravel().tolist() == [0.5, 1.5]
    for text in (
        "0.3,1,5\n0.5,1,6\n",
        "-1,1,5\n",
        "1,0.5,0.7\n0,0.6,0.9\n",
        "1,7,5\n0,8,6\n1,7,4\n",
        "1,2,3\n2,3,4\n5,6,7\n",
    ):
        assert "say which: label=N, qid=M (--label N --query M)" in refusal(text)


@pytest.mark.parametrize(
    ("text", "has_header"),
    [
        ("a,b,c\n1,2,3\n", True),
        ("a,b,1\n1,2,3\n", True),
        ("0,1,2,3,4\n1,2,3,4,5\n", True),  # a frame without names
        ("1,2,3,4,5\n1,2,3,4,5\n", True),
        ("1,2,3\n1,2,3\n", False),
        ("1,q,3\n0,q,4\n", False),
        ("3,2,1\n1,2,3\n", False),
        ("label,q,1\n", True),
        ("a,b,c,d\n", True),
        ("1,q,3\n", False),
        (",a,b\n0,1,2\n", True),
        (",1,2\n0,1,2\n", False),
    ],
)
def test_whether_there_is_a_header(text, has_header):
    columns = CsvOptions(label=1, qid=2)
    assert (layout_of(text.encode(), "x", columns).header is not None) == has_header
    for header in (True, False):
        assert (layout_of(text.encode(), "x", columns._replace(header=header)).header is not None) == header


def test_an_index_that_pandas_wrote_is_no_feature():
    frame = pd.DataFrame({"label": [1, 0], "qid": [7, 7], "x": [0.5, 1.5]})
    data, notes = read(frame.to_csv())
    assert data.feature_names == ("x",)
    assert "without column 1, which has no name" in notes[0]
    assert read(frame.to_csv(), features="1,x")[0].n_features == 2


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, ": the file is empty"),
        ("\n\r\n\n", {}, ": the file is empty"),
        (HEADER, {}, ": there is only a header"),
        (HEADER + ROWS + "1,8,2\n", {}, ", line 5: 3 fields with a comma between, the first line has 4"),
        (HEADER + ROWS + "1,8,2,3,4\n", {}, ", line 5: 5 fields"),
        (HEADER + ROWS + "\n\n1,8,2,\n", {}, ", line 7: column 'f2': the value is missing"),
        (HEADER + ROWS + "1,8,2,NaN\n", {}, ", line 5: column 'f2': the value is missing ('NaN')"),
        (HEADER + ROWS + ",8,2,3\n", {}, ", line 5: column 'label': the value is missing"),
        (HEADER + ROWS + "1, ,2,3\n", {}, ", line 5: column 'qid': the query id is missing"),
        (HEADER + ROWS + "1,8,2,-inf\n", {}, ", line 5: column 'f2': '-inf' is not a finite number"),
        (HEADER + ROWS + "1,8,2,1e39\n", {}, ", line 5: column 'f2': '1e39' does not fit float32"),
        (HEADER + ROWS + "1,8,2,1e309\n", {"dtype": "float64"}, ", line 5: column 'f2': '1e309' does not fit float64"),
        (HEADER + ROWS + "1e309,8,2,1\n", {}, ", line 5: column 'label': '1e309' does not fit float64"),
        (HEADER + ROWS + "good,8,2,3\n", {}, ", line 5: column 'label': expected a number, got 'good'"),
        (HEADER + ROWS + "1,8,0x1,3\n", {}, ", line 5: column 'f1': expected a number, got '0x1'; '!f1' in features="),
        (HEADER + ROWS + "1,8,1_0,3\n", {}, ", line 5: column 'f1': expected a number"),
        (ROWS + "1,8,x,3\n", {}, ", line 4: column 3: expected a number, got 'x'; '!3' in features="),
        (HEADER + "grade,query,x,y\n" + ROWS, {}, ", line 2: there is no number in 'grade,query,x,y': a second header"),
        (HEADER + ROWS + HEADER + ROWS, {}, ", line 5: the header stands here again"),
        (HEADER + ROWS + '1,"8\n9",2,3\n', {}, ", line 5: a quoted field does not end on its line"),
        (HEADER + ROWS + '1,"8,2,3\n', {}, ", line 5: a quoted field does not end on its line"),
        (HEADER + ROWS + '1,"8,2,3\n\n', {}, ", line 5: a quoted field does not end on its line"),
        ('label,"qid\nx",a\n1,2,3\n', {}, ", line 1: a quoted field does not end on its line"),
        (HEADER + "1,8,2\r,3\n", {}, ", line 2: a carriage return inside the line"),
        ((HEADER + ROWS).replace("\n", "\r"), {}, ", line 1: a carriage return inside the line"),
        (HEADER + ROWS + "1,8,2\0,3\n", {}, ", line 5: a NUL byte"),
        ("label,qid,a,a\n" + ROWS, {}, ", line 1: there are two columns 'a'"),
        ("2 qid:1 1:0.5\n", {}, ", line 1: there is no comma, semicolon, tab or bar in '2 qid:1 1:0.5'. This"),
        ("a\n1\n", {}, ", line 1: there is no comma, semicolon, tab or bar in 'a'. Say which"),
        ("label,title,qid,a\n1,abc,7,2\n", {}, ", line 2: column 'title': expected a number, got 'abc'; '!title' in"),
        (HEADER + ROWS, {"label": "nope"}, ", line 1: there is no column 'nope'"),
        (HEADER + ROWS, {"delimiter": "ab"}, "the delimiter must be one sign"),
        (HEADER + ROWS, {"delimiter": "."}, "the delimiter must be one sign"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_with_its_place(text, options, message, monkeypatch):
    for size in (delimited.BLOCK, 12):
        monkeypatch.setattr(delimited, "BLOCK", size)
        where = "" if message.startswith("the ") else "<stream>"
        assert refusal(text, **options).startswith(where + message)


def test_quotes_blanks_and_empty_lines():
    text = 'label,qid,doc_id,"a, b","say ""x"""\r\n\r\n1, q1 ,"d,1", 2 ,+.5\r\n\r\n"0",q1,"d""2",1.,3e0\r\n'
    data, notes = read(text)
    assert data.feature_names == ("a, b", 'say "x"')
    assert data.qid.tolist() == ["q1", "q1"]
    assert data.doc_ids.tolist() == ["d,1", 'd"2']
    assert data.X.tolist() == [[2, 0.5], [1, 3]]
    assert len(notes) == 1
    # quotes inside a field are signs like any other; the column is not used
    data, _ = read('label,qid,size,a\n1,7,5" wide,2\n0,7,"6"" wide",3\n', features="a")
    assert data.X.ravel().tolist() == [2, 3]


def test_query_ids_are_numbers_only_if_all_are(monkeypatch):
    monkeypatch.setattr(delimited, "BLOCK", 16)
    assert read(HEADER + ROWS)[0].qid.dtype == np.int64
    assert read(HEADER + ROWS + "1,007,1,2\n")[0].qid.tolist() == ["7", "7", "8", "007"]
    assert read(HEADER + ROWS + f"1,{2**63},1,2\n")[0].qid.tolist() == ["7", "7", "8", str(2**63)]
    assert read(HEADER + ROWS + "1,7,9,9\n")[0].order.tolist() == [0, 1, 3, 2]


@pytest.mark.filterwarnings("ignore::rankine.errors.InputNote")
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_compressed_files_and_several(pack, tmp_path):
    for number in (1, 2):
        (tmp_path / f"part-{number}.csv.z").write_bytes(pack((HEADER + ROWS).encode()))
    data = rk.load_csv(tmp_path / "part-1.csv.z")
    same(data, read(HEADER + ROWS)[0])
    assert rk.load_csv(str(tmp_path / "part-*")).n_documents == 6


def test_limits(monkeypatch):
    monkeypatch.setenv(FEATURES, "1")
    assert "2 features: the most is 1" in refusal(HEADER + ROWS)
    monkeypatch.delenv(FEATURES)
    monkeypatch.setenv(SIZE, "1K")
    assert "the most that is read" in refusal(HEADER + 100 * ROWS)


def tables():
    """Rows of a table as text: grades, queries, documents, numbers."""
    word = st.text(st.sampled_from('abcé ,;"\t|7'), max_size=5).map(lambda w: f"x{w}x")
    number = st.floats(width=32, allow_nan=False, allow_infinity=False).map(repr)
    row = st.tuples(st.integers(0, 4).map(str), word, word, number, number)
    return st.lists(row, min_size=1, max_size=12)


@settings(max_examples=60)
@given(tables(), st.sampled_from(",;\t|"), st.sampled_from([1, 40, 1 << 20]), st.sampled_from(["\n", "\r\n"]))
def test_agrees_with_the_csv_module(rows, sign, size, newline):
    out = io.StringIO()
    csv.writer(out, delimiter=sign, lineterminator=newline).writerows([["label", "qid", "docid", "a", "b"], *rows])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "BLOCK", size)
        data, _ = read(out.getvalue(), delimiter=sign)
    back = np.argsort(data.order)
    assert [str(q) for q in data.qid[back]] == [row[1] for row in rows]
    assert data.doc_ids[back].tolist() == [row[2] for row in rows]
    assert data.X[back].tolist() == [[float(row[3]), float(row[4])] for row in rows]
    assert data.y[back].tolist() == [float(row[0]) for row in rows]


CELLS = ["1", "-2.5", "+.5", "1.", "1e3", "1E-3", " 7", "7\t", "00", "-0", "1e400", "nan", "NA", "", "inf", "x", "0x1",
         "1_0", "+-1", "-+1", "++1", "--1", "1e", "e1", ".", "1.5.2", "1 2", "١", "1e-400", "3.4028236e38", '"4"', '"5',
         '5"', '"6"7', '""', "1,2", "9" * 40, "0." + "1" * 60, "1.00000005960464477540", "Infinity", "True", "\r",
         "-"]  # fmt: skip


@settings(max_examples=300)
@given(
    st.lists(st.tuples(*[st.sampled_from(CELLS)] * 4), min_size=1, max_size=3), st.sampled_from(["float32", "float64"])
)
def test_both_ways_of_reading_a_block_agree(rows, dtype):
    """Whatever pyarrow accepts, the slow reader reads alike."""
    text = "".join(",".join(row) + "\n" for row in rows)
    layout = layout_of(HEADER.encode(), "x", CsvOptions(doc_id=4, features=[3]))
    reader = delimited.BlockReader("x", layout._replace(header=None), np.dtype(dtype))
    block = TextBlock(text.encode(), 2, 0)
    fast = reader.fast(block)
    if fast is None:
        return
    slow = reader.slow(block)
    assert fast.X.tobytes() == slow.X.tobytes()
    assert fast.y.tobytes() == slow.y.tobytes()
    assert [fast.queries[i] for i in fast.query] == [slow.queries[i] for i in slow.query]
    assert fast.documents == slow.documents


@settings(max_examples=200)
@given(st.data())
def test_mutated_text_is_read_alike_in_pieces_or_refused(data):
    text = bytearray((HEADER + ROWS + '1,"9",0.25,7\n').encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        piece = data.draw(
            st.sampled_from([b"", b'"', b"\n", b"\r", b",", b";", b"\0", b"\xe9", "é".encode(), b"1", b"x", b"\n\n"])
        )
        text[at : at + data.draw(st.integers(0, 2))] = piece
    results = []
    for size in (1 << 20, 1, 20):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(delimited, "BLOCK", size)
            try:
                results.append(read(bytes(text), label=1, qid=2, header=True, delimiter=","))
            except rk.InputError as error:
                results.append(str(error))
    first, *others = results
    for other in others:
        if isinstance(first, str) or isinstance(other, str):
            assert first == other
        else:
            same(first[0], other[0])
            assert first[1] == other[1]


@pytest.mark.filterwarnings("ignore::rankine.errors.InputNote")
@pytest.mark.parametrize("threads", [1, 2])
def test_agrees_with_pandas(tmp_path, threads, monkeypatch):
    monkeypatch.setattr(delimited, "BLOCK", 1000)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((500, 5)) * 10.0 ** rng.integers(-30, 30, (500, 5)), columns=list("abcde"))
    frame.insert(0, "label", rng.integers(0, 5, 500))
    frame.insert(1, "qid", np.sort(rng.integers(0, 9, 500)))
    frame.to_csv(tmp_path / "x.csv", index=False)
    again = pd.read_csv(tmp_path / "x.csv")
    data = rk.load_csv(tmp_path / "x.csv", dtype="float64", threads=threads)
    np.testing.assert_allclose(data.X, again[list("abcde")].to_numpy(), rtol=1e-14)
    assert data.X.tolist() == frame[list("abcde")].to_numpy().tolist()
    assert data.y.tolist() == again["label"].tolist()
    assert data.qid.tolist() == again["qid"].tolist()
    assert rk.load_csv(tmp_path / "x.csv").X.tolist() == data.X.astype(np.float32).tolist()


def test_agrees_with_lightgbm(tmp_path):
    """LightGBM takes the first column for the label, whatever it is called."""
    lightgbm = pytest.importorskip("lightgbm")
    rng = np.random.default_rng(1)
    X, y, qid = rng.random((60, 4)).round(3), rng.integers(0, 3, 60), np.sort(rng.integers(0, 5, 60))
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    frame.insert(0, "target", y)
    frame.insert(1, "query_id", qid)
    frame.to_csv(tmp_path / "x.csv", index=False)
    theirs = lightgbm.Dataset(
        str(tmp_path / "x.csv"),
        params={"header": True, "group_column": "name:query_id", "verbosity": -1, "max_bin": 255},
    ).construct()
    with pytest.warns(InputNote, match="queries from column 'query_id'"):
        data = rk.load_csv(tmp_path / "x.csv", label=1)
    assert data.y.tolist() == theirs.get_label().tolist() == y.tolist()
    assert np.diff(data.ptr).tolist() == theirs.get_group().tolist()
    assert data.X.tolist() == X.astype(np.float32).tolist()
