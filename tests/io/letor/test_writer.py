"""The LETOR writer: round trips, and what the text cannot hold."""

import io
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import rankine as rk
from rankine.data.ranking_data import Numbering

finite = {"allow_nan": False, "allow_infinity": False}
ids = st.text(st.characters(min_codepoint=33, max_codepoint=0x2FFF, exclude_categories=["Cs"]), min_size=1, max_size=6)


@settings(max_examples=150)
@given(st.data(), st.sampled_from([32, 64]), st.booleans(), st.booleans(), st.sampled_from([None, 0, 1]))
def test_round_trip_is_bit_identical(draw, width, sparse, named, first):
    n, d = draw.draw(st.integers(1, 6)), draw.draw(st.integers(1, 5))
    dtype = np.dtype(f"float{width}")
    cell = st.one_of(st.just(0.0), st.floats(width=width, **finite))
    X = np.array(draw.draw(st.lists(cell, min_size=n * d, max_size=n * d)), dtype).reshape(n, d)
    if sparse:
        X = X + dtype.type(0)  # a sparse matrix does not store −0
    y = draw.draw(st.lists(st.floats(**finite), min_size=n, max_size=n))
    qid = draw.draw(st.lists(st.integers(-3, 3) if not named else ids, min_size=n, max_size=n))
    doc_ids = draw.draw(st.none() | st.lists(ids, min_size=n, max_size=n))
    if named and all(q.lstrip("-").isdigit() for q in qid):
        qid = ["q" + q for q in qid]
    qid = np.array(qid, object) if named else np.array(qid)
    data = rk.RankingData(sp.csr_array(X) if sparse else X, y, qid, doc_ids)
    data.numbering = None if first is None else Numbering(first)
    out = io.BytesIO()
    rk.save_letor(data, out)
    out.seek(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rk.InputNote)
        again = rk.load_letor(out, dtype=dtype, sparse=sparse)
    assert again.numbering.first == (1 if first is None else first)
    assert again.X.dtype == dtype
    assert again.dense().X.tobytes() == data.dense().X.tobytes()
    assert again.y.tobytes() == data.y.tobytes()
    assert again.qid.tolist() == data.qid.tolist()
    assert (again.doc_ids is None) == (doc_ids is None)
    assert doc_ids is None or again.doc_ids.tolist() == data.doc_ids.tolist()


def test_what_letor_text_cannot_hold(tmp_path):
    X = [[1.0]]
    for data, message in (
        (rk.RankingData(X, [1], ["a b"]), "query id 'a b' is empty, holds a blank"),
        (rk.RankingData(X, [1], [""]), "query id '' is empty"),
        (rk.RankingData(X, [1], [1], ["a\tb"]), "document id"),
        (rk.RankingData([[1.0], [2.0]], rk.Preferences([0], [1]), [1, 1]), "holds grades"),
    ):
        with pytest.raises(rk.InputError, match=message):
            rk.save_letor(data, tmp_path / "out.txt")
    with pytest.raises(rk.InputError, match="there is no folder"):
        rk.save_letor(rk.RankingData(X, [1], [1]), tmp_path / "no" / "out.txt")
    assert not list(tmp_path.iterdir())
