"""TREC judgments and runs: reading, writing, and every documented error."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankine as rk


def qrels(text):
    return rk.load_qrels(io.BytesIO(text if isinstance(text, bytes) else text.encode()))


def run(text):
    return rk.load_run(io.BytesIO(text if isinstance(text, bytes) else text.encode()))


def triples(table):
    q, d = np.array(table.query_ids, object), np.array(table.document_ids, object)
    return list(zip(q[table.query], d[table.document], table.value.tolist(), strict=True))


def test_reading():
    assert triples(qrels("q1 0 d1 2\r\n\n q1\t0  d2 -1\nq2 0 d1 0")) == [
        ("q1", "d1", 2),
        ("q1", "d2", -1),
        ("q2", "d1", 0),
    ]
    table = run("q1 Q0 d1 1 1.5e-3 tag more words\nq1 Q0 d2 2 -7 tag\n")
    assert triples(table) == [("q1", "d1", 1.5e-3), ("q1", "d2", -7.0)]
    assert table.tag == "tag"
    assert run("q Q0 d 1 0.1234567890123456789012345 t").value[0] == 0.1234567890123456789012345


def test_many_ids_are_kept_apart():
    rng = np.random.default_rng(0)
    rows = {(f"q{a}", f"doc-{b}") for a, b in rng.integers(0, 3000, (20_000, 2)).tolist()}
    text = "".join(f"{q} 0 {d} {len(d)}\n" for q, d in sorted(rows))
    assert triples(qrels(text)) == [(q, d, float(len(d))) for q, d in sorted(rows)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("\n \n", "no data line"),
        ("q 0 d 1\nq 0 d\n", "line 2: expected 4 fields 'query iteration document grade', got 3"),
        ("q 0 d x\n", "line 1: expected a number in field 4, got 'x'"),
        ("q 0 d 1x\n", "line 1: expected a number in field 4, got '1x'"),
        ("q 0 d nan\n", "line 1: expected a finite number in field 4, got 'nan'"),
        ("q 0 d inf\n", "line 1: expected a finite number"),
        ("q 0 d 1e999\n", "line 1: expected a finite number"),
        (f"q 0 d {'9' * 400}\n", "line 1: expected a finite number"),
        (f"q 0 d {'9' * 30}x\n", "line 1: expected a number"),
        ("q 0 d 1\nq 0 e 1\nq 0 d 2\n", "line 3: document 'd' stands twice for query 'q'"),
        (b"q 0 d 1\n\xff 0 e 1\n", "line 2: an id is not valid UTF-8"),
    ],
)
def test_errors_name_the_line(text, message):
    with pytest.raises(rk.InputError, match=r"<stream>") as caught:
        qrels(text)
    assert message in str(caught.value)


def test_columns_and_dicts():
    table = rk.TrecTable.from_columns([1, 1], ["a", "b"], [0.5, 1.5], tag="t")
    assert triples(table) == [("1", "a", 0.5), ("1", "b", 1.5)]
    for call, message in (
        (lambda: rk.TrecTable.from_columns([1], ["a", "b"], [1.0]), "one length"),
        (lambda: rk.TrecTable.from_columns([1], ["a"], [np.nan]), "row 0: expected a finite number"),
        (lambda: rk.TrecTable.from_columns([1, 1], ["a", "a"], [1.0, 2.0]), "row 1: document 'a' stands twice"),
        (lambda: rk.evaluate_run("AP", {"q": {"d": 1}}, {"r": {"d": 1.0}}), "no query in common"),
    ):
        with pytest.raises(rk.InputError, match=message):
            call()


name = st.text(st.characters(min_codepoint=33, max_codepoint=0x2FFF, exclude_categories=["Cs"]), min_size=1, max_size=5)


@settings(max_examples=100)
@given(
    st.dictionaries(
        name, st.dictionaries(name, st.floats(allow_nan=False, allow_infinity=False), min_size=1), min_size=1
    )
)
def test_round_trip(nested):
    table = rk.TrecTable.from_dict(nested)
    for save, load in ((rk.save_qrels, rk.load_qrels), (rk.save_run, rk.load_run)):
        out = io.BytesIO()
        save(table, out)
        out.seek(0)
        assert sorted(triples(load(out))) == sorted(triples(table))


def test_a_written_run_ranks_as_trec_eval_does():
    table = rk.TrecTable.from_dict({"q": {"a": 1.0, "b": 1.0, "c": 2.0}})
    out = io.BytesIO()
    rk.save_run(table, out, tag="x")
    assert [line.split()[2:4] for line in out.getvalue().decode().splitlines()] == [["c", "1"], ["b", "2"], ["a", "3"]]


def test_ids_that_trec_text_cannot_hold(tmp_path):
    with pytest.raises(rk.InputError, match=r"holds a blank .* TREC text cannot carry it; a file \.csv or \.json can"):
        rk.save_run(rk.TrecTable.from_dict({"q": {"a b": 1.0}}), tmp_path / "out")
    with pytest.raises(rk.InputError, match=r"TREC text cannot carry it$"):
        rk.save_run(rk.TrecTable.from_dict({"q": {" a": 1.0}}), tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_a_tampered_file_is_read_or_refused():
    accepted, refused = [], []

    @settings(max_examples=300)
    @given(st.data())
    def check(data):
        text = bytearray(b"q1 Q0 doc-1 1 0.5 tag\nq1 Q0 doc-2 2 0.25 tag\nq2 Q0 doc-1 1 1e-5 tag\n")
        for _ in range(data.draw(st.integers(1, 5))):
            at = data.draw(st.integers(0, len(text) - 1))
            text[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4)) or b" "
        try:
            table = run(bytes(text))
        except rk.InputError as error:
            assert str(error).startswith("<stream>")
            refused.append(bytes(text))
            return
        assert 0 < len(table) <= text.count(b"\n") + 1
        assert np.isfinite(table.value).all()
        accepted.append(bytes(text))

    check()
    assert len(set(accepted)) > 50
    assert len(set(refused)) > 50


def test_a_bom_is_skipped_and_a_tag_is_one_word():
    assert qrels(b"\xef\xbb\xbfq 0 d 1\n").query_ids == ["q"]
    with pytest.raises(rk.InputError, match="tag 'my tag'"):
        rk.save_run(rk.TrecTable.from_dict({"q": {"d": 1.0}}), io.BytesIO(), tag="my tag")
