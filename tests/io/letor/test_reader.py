"""The LETOR reader: exact numbers, every documented error, blocks of any size, tampered sources."""

import bz2
import gzip
import io
import lzma
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankine as rk
from rankine.errors import InputNote
from rankine.io.number_kernels import exact_float
from rankine.system import sources
from rankine.system.limits import FEATURES

from ... import reference as ref


def load(text, **options):
    return rk.load_letor(io.BytesIO(text if isinstance(text, bytes) else text.encode()), **options)


def test_numbers_of_many_digits():
    long = "0." + "1234567890" * 6
    half = f"{1 + 2.0**-24:.60f}"[:-1] + "1"  # just above the midpoint of two float32
    for dtype in (np.float32, np.float64):
        X = load(f"1 qid:1 1:{long} 2:{half} 3:-{'9' * 30}\n", dtype=dtype).X[0]
        assert X.tolist() == [exact_float(t, np.dtype(dtype)) for t in (long, half, "-" + "9" * 30)]
    assert load(f"{'0' * 30}2.0000000000000000000000 qid:1 1:1\n").y[0] == 2
    assert np.float32(float(half)) != exact_float(half, np.dtype(np.float32))  # rounding twice would be wrong


EXAMPLE = """# a heading
2 qid:10 1:0.5 3:1e-3 #docid = GX1 inc = 1 prob = 0.2

0 qid:10\t2:-.25   4:7 # GX2
1.5 qid:x#1 1:+3. # a remark of several words
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n"])
@pytest.mark.parametrize("sparse", [False, True, None])
def test_the_format(newline, last, sparse):
    data = load(EXAMPLE.rstrip("\n").replace("\n", newline) + last, sparse=sparse)
    assert data.is_sparse == bool(sparse)
    want = np.array([[0.5, 0, 1e-3, 0], [0, -0.25, 0, 7], [3, 0, 0, 0]], np.float32)
    assert np.array_equal(data.dense().X, want)
    assert data.y.tolist() == [2, 0, 1.5]
    assert data.qid.tolist() == ["10", "10", "x#1"]
    assert data.doc_ids.tolist() == ["GX1", "GX2", ""]


@pytest.mark.parametrize("suffix", [".txt", ".gz", ".bz2", ".xz", ".zst"])
def test_compression_and_sources(tmp_path, suffix):
    path = tmp_path / f"data{suffix}"
    data = load(EXAMPLE)
    rk.save_letor(data, path)
    for source in (path, str(path), open(path, "rb")):
        again = rk.load_letor(source)
        assert np.array_equal(again.X, data.X)
        if hasattr(source, "close"):
            source.close()
    assert (suffix == ".txt") == path.read_bytes().startswith(b"2 qid:10")
    assert list(tmp_path.iterdir()) == [path]


def reference_rows(text):
    lines = [line for line in text.splitlines() if line.split("#")[0].strip()]
    return [ref.letor_line(line) for line in lines]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("threads", [1, 2])
def test_blocks_of_any_size_give_the_reference(monkeypatch, dtype, threads):
    rng = np.random.default_rng(2)
    for case in range(60):
        lines = []
        for _ in range(rng.integers(1, 30)):
            columns = np.flatnonzero(rng.random(rng.integers(1, 40)) < rng.choice([0.1, 0.5, 1.0])) + 1
            cells = " ".join(f"{c}:{float(rng.standard_normal() * 10.0 ** rng.integers(-8, 8))!r}" for c in columns)
            comment = rng.choice(["", " # d1", "#docid = d2 x = 3", " # two words", "#"])
            lines.append(f"{rng.integers(0, 4)} qid:{rng.integers(0, 4)} {cells}{comment}")
        text = "\n".join(lines)
        size = int(rng.integers(1, 400))
        monkeypatch.setattr(sources.line_pieces, "__defaults__", (size,))
        data = load(text, dtype=dtype, sparse=[True, False, None][case % 3], threads=threads)
        rows = reference_rows(text)
        X = data.dense().X
        for i, original in enumerate(data.order):
            label, query, cells, doc = rows[original]
            row = np.zeros(X.shape[1], dtype)
            row[[c - 1 for c in cells]] = list(cells.values())
            assert np.array_equal(X[i], row)
            assert (data.y[i], str(data.qid[i])) == (label, query)
            assert data.doc_ids is None or data.doc_ids[i] == doc
        assert X.shape[1] == max(max(r[2], default=1) for r in rows)


@pytest.mark.parametrize("kind", ["file in pieces", "file", "stream"])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_file_and_a_stream_read_alike(tmp_path, monkeypatch, kind, threads):
    text = "".join(f"{i % 3} qid:{i // 4} 1:{i}.5 {i % 5 + 2}:0.25 # d{i}\n" for i in range(500)).encode()
    path = tmp_path / "x.txt"
    path.write_bytes(text)
    monkeypatch.setattr(sources.line_pieces, "__defaults__", (997,))
    monkeypatch.setattr(sources, "_PIECES_FROM", 0 if kind == "file in pieces" else 1 << 20)
    data = rk.load_letor(io.BytesIO(text) if kind == "stream" else path, threads=threads)
    assert data.X[:, 0].tolist() == [i + 0.5 for i in range(500)]
    assert data.doc_ids.tolist() == [f"d{i}" for i in range(500)]


def test_a_ten_megabyte_line():
    n = 950_000
    cells = " ".join(f"{i}:1.5" for i in range(1, n + 1))
    data = load(f"0 qid:1 1:2\n1 qid:1 {cells}\n0 qid:1 1:3\n", sparse=True)
    assert len(cells) > 10_000_000
    assert data.X.shape == (3, n)
    assert data.X.sum() == 1.5 * n + 5
    junk = load(f"0 qid:1 1:2 #{'x' * 10_000_000} y\n")
    assert junk.doc_ids is None
    with pytest.raises(rk.InputError, match=r"line 1: expected a label \(a number\) first, got 'xxxxxxx.*…'"):
        load("x" * 10_000_000)


def test_density_decides():
    thin = "\n".join(f"0 qid:1 {i}:1" for i in range(1, 60))
    assert load(thin).is_sparse
    assert not load(thin, sparse=False).is_sparse
    thick = "\n".join("0 qid:1 " + " ".join(f"{j}:1" for j in range(1, 60)) for _ in range(5))
    assert not load(thick).is_sparse
    assert load("0 qid:1 1:1\n", n_features=50).X.shape == (1, 50)


def test_query_ids_are_numbers_only_where_the_text_says_so():
    assert load("0 qid:7 1:1\n0 qid:-3 1:1").qid.dtype == np.int64
    assert load("0 qid:007 1:1").qid.tolist() == ["007"]
    assert load("0 qid:99999999999999999999 1:1").qid.tolist() == ["99999999999999999999"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x qid:1 1:1", "expected a label (a number) first, got 'x'"),
        ("1x qid:1 1:1", "expected a label (a number) first, got '1x'"),
        ("nan qid:1 1:1", "label 'nan' is not a finite number"),
        ("-inf qid:1 1:1", "label '-inf' is not a finite number"),
        ("1e999 qid:1 1:1", "label '1e999' is not a finite number"),
        ("1 1:1", "expected 'qid:' after the label, got '1:1'"),
        ("1", "expected 'qid:' after the label, got the end of the line"),
        ("1 qid: 1:1", "there is no query id after 'qid:'"),
        ("1 qid:1 2", "expected index:value, got '2'"),
        ("1 qid:1 a:2", "expected index:value, got 'a:2'"),
        ("1 qid:1 -1:2", "expected index:value, got '-1:2'"),
        ("1 qid:1 31:1 12:1", "feature index 12 after 31, indices must increase (unordered, --unordered)"),
        ("1 qid:1 3:1 3:1", "feature index 3 occurs twice"),
        ("1 qid:1 9999999999:1", "is too large"),
        ("1 qid:1 1:", "feature 1: expected a number, got the end of the line"),
        ("1 qid:1 1:x", "feature 1: expected a number, got 'x'"),
        ("1 qid:1 2:1.5.2", "feature 2: expected a number, got '1.5.2'"),
        ("1 qid:1 2:1e", "feature 2: expected a number, got '1e'"),
        ("1 qid:1 2:--1", "feature 2: expected a number, got '--1'"),
        ("1 qid:1 2:NaN", "feature 2: 'NaN' is not a finite number; a missing value is left out, and counts as 0"),
        ("1 qid:1 2:-Infinity", "feature 2: '-Infinity' is not a finite number"),
        ("1 qid:1 2:1e39", "feature 2: '1e39' does not fit float32"),
        ("1 qid:1 2:1" + "0" * 50, "does not fit float32"),
        ("\x00\x01\x02", "expected a label"),
    ],
)
@pytest.mark.parametrize("sparse", [True, False, None])
def test_errors_name_the_line(line, message, sparse):
    with pytest.raises(rk.InputError) as caught:
        load(f"# heading\n0 qid:1 1:1\n{line}\n1 qid:1 1:1\n", sparse=sparse)
    assert str(caught.value).startswith("<stream>, line 3: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_errors_of_whole_files(tmp_path):
    for text, message in (
        (b"", "the file is empty"),
        (b"\n# only\n\n", "no data line"),
        (b"1 qid:\xff 1:1\n", "line 1: an id is not valid UTF-8"),
    ):
        with pytest.raises(rk.InputError, match=message):
            load(text)
    with pytest.raises(rk.InputError, match="line 2: an id is not valid UTF-8"):
        load(b"1 qid:1 1:1 # good\n1 qid:1 1:1 # \xfe\n")
    with pytest.raises(rk.InputError, match="feature index 3, but n_features is 2"):
        load("1 qid:1 1:1\n1 qid:1 3:1\n", n_features=2)
    whole = EXAMPLE.encode() * 500
    from backports import zstd

    for compress in (gzip.compress, bz2.compress, lzma.compress, zstd.compress):
        packed = compress(whole)
        for cut in (len(packed) // 2, len(packed) - 3):
            with pytest.raises(rk.InputError, match="truncated or damaged"):
                load(packed[:cut])
        damaged = bytearray(packed)
        damaged[len(packed) // 2] ^= 0x55
        with pytest.raises(rk.InputError):
            load(bytes(damaged))
        assert load(packed).n_documents == 1500
    with pytest.raises(FileNotFoundError, match="absent"):
        rk.load_letor(tmp_path / "absent")
    with pytest.raises(TypeError, match="mode 'rb'"):
        rk.load_letor(io.StringIO("1 qid:1"))
    with pytest.raises(ValueError, match="float32 or float64"):
        load("1 qid:1 1:1", dtype="int32")
    with pytest.raises(ValueError, match="n_features must be at least 1"):
        load("1 qid:1 1:1", n_features=0)


@pytest.mark.parametrize("where", [2, 700, 1999])
@pytest.mark.parametrize("pieces_from", [0, 1 << 20])
def test_line_numbers_hold_across_blocks(tmp_path, monkeypatch, where, pieces_from):
    lines = [f"0 qid:{i} 1:1" for i in range(2000)]
    lines[where] = "0 qid:1 1:oops"
    path = tmp_path / "x.txt"
    path.write_text("\n".join(lines))
    monkeypatch.setattr(sources.line_pieces, "__defaults__", (512,))
    monkeypatch.setattr(sources, "_PIECES_FROM", pieces_from)
    for threads in (1, 2):
        with pytest.raises(rk.InputError, match=f"x.txt, line {where + 1}: "):
            rk.load_letor(path, threads=threads)


def tampered(draw):
    """The example three times, with one to six bytes changed, cut, inserted or doubled."""
    text = bytearray(EXAMPLE.encode() * 3)
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(text) - 1))
        change = draw(st.sampled_from(["byte", "cut", "insert", "double"]))
        if change == "byte":
            text[at] = draw(st.integers(0, 255))
        elif change == "cut":
            del text[at : at + draw(st.integers(1, 30))]
        elif change == "insert":
            text[at:at] = draw(
                st.sampled_from([b" 5:", b"\n", b":", b"nan", b"\0", b"#", b"qid:", b"1e400", b"9" * 40, b"-"])
            )
        else:
            text[at:at] = text[at : at + 40]
        if not text:
            text = bytearray(b" ")
    return bytes(text)


def test_a_tampered_file_is_read_or_refused():
    accepted, refused = [], []

    @settings(max_examples=600)
    @given(st.data())
    def check(data):
        text = tampered(data.draw)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", InputNote)  # features from 0
                loaded = load(text, sparse=data.draw(st.sampled_from([True, False, None])))
        except rk.InputError as error:
            assert str(error).startswith("<stream>")
            refused.append(text)
            return
        X = loaded.X.data if loaded.is_sparse else loaded.X
        assert np.isfinite(X).all()
        assert np.isfinite(loaded.y).all()
        assert loaded.n_documents <= text.count(b"\n") + 1
        accepted.append(text)

    check()
    assert len(set(accepted)) > 100
    assert len(set(refused)) > 100


@pytest.mark.parametrize(
    ("folder", "queries", "documents", "features", "grades"),
    [
        ("mq2008", 784, 15_211, 46, [12_279, 2_001, 931]),
        ("ohsumed", 106, 16_140, 45, [11_303, 2_585, 2_252]),
        ("ohsumed-letor2", 106, 16_140, 25, [11_303, 2_585, 2_252]),
    ],
)
def test_real_sets(real_data, folder, queries, documents, features, grades):
    parts = [rk.load_letor(real_data / "letor" / folder / f"S{i}.txt.xz") for i in range(1, 6)]
    data = rk.concatenate(parts)
    assert (data.n_queries, data.n_documents, data.n_features) == (queries, documents, features)
    assert np.bincount(data.y.astype(int)).tolist() == grades
    text = lzma.open(real_data / "letor" / folder / "S2.txt.xz", "rt").read().splitlines()
    for i in range(0, len(text), 97):
        label, query, cells, doc = ref.letor_line(text[i])
        assert parts[1].X[i].tolist() == np.array([cells[j] for j in range(1, features + 1)], np.float32).tolist()
        assert (parts[1].y[i], str(parts[1].qid[i]), parts[1].doc_ids[i]) == (label, query, doc)


def test_a_wide_row_late_in_a_dense_file(monkeypatch):
    monkeypatch.setenv(FEATURES, "2147483647")
    narrow = "".join(f"{i % 3} qid:{i // 10} 1:0.5 2:{i}.25 3:-0\n" for i in range(60_000))
    for index in (5000, 3_000_000, 2_147_483_647):
        data = load(narrow + f"1 qid:x {index}:1\n")
        assert data.is_sparse
        assert data.X.shape == (60_001, index)
        assert data.X[[60_000], [index - 1]] == 1
        assert np.array_equal(data.X[:, :3].toarray()[:60_000, 1], np.arange(60_000) + 0.25)
    with pytest.raises(rk.InputError, match="use sparse=True"):
        load(narrow + "1 qid:x 2147483647:1\n", sparse=False)
    wide = load(narrow + "1 qid:x 40:1\n", sparse=False)
    assert wide.X.shape == (60_001, 40)
    assert wide.X[-1, 39] == 1
    assert wide.X[59_999, 1] == 59_999.25


def test_the_callers_file_object_stays_open_and_a_bom_is_skipped():
    stream = io.BytesIO(b"\xef\xbb\xbf1 qid:1 1:1\n")
    assert rk.load_letor(stream).y.tolist() == [1]
    stream.seek(0)
    assert rk.load_letor(stream).y.tolist() == [1]
