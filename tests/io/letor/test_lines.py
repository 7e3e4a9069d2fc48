"""Variants of sparse text: features from 0, in any order, without query ids; against a slow reader, and peers."""

import io
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankine as rk
from rankine.data.ranking_data import Numbering
from rankine.errors import InputNote
from rankine.system import sources

from ... import reference as ref


def load(text, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputNote)
        return rk.load_letor(io.BytesIO(text.encode()), **options)


def written(rng, first, unordered, grouped, n=20, width=12):
    lines = []
    for i in range(n):
        columns = np.flatnonzero(rng.random(rng.integers(1, width)) < rng.choice([0.1, 0.5, 1.0])) + first
        if unordered:
            rng.shuffle(columns)
        cells = " ".join(f"{c}:{rng.integers(-50, 50) / 8}" for c in columns)
        query = "" if grouped else f"qid:{i // 4} "
        lines.append(f"{rng.integers(0, 3)} {query}{cells}{rng.choice(['', ' # d', '  '])}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("unordered", [False, True])
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("threads", [1, 2])
def test_blocks_of_any_size_give_the_reference(monkeypatch, first, unordered, grouped, threads):
    rng = np.random.default_rng(first + 2 * unordered + 4 * grouped)
    seen_late = 0
    for case in range(25):
        text = written(rng, first, unordered, grouped)
        sizes = [4] * 5 if grouped else None
        want = ref.letor_table(text, unordered=unordered, sizes=sizes)
        monkeypatch.setattr(sources.line_pieces, "__defaults__", (int(rng.integers(1, 300)),))
        options = {"sparse": [True, False, None][case % 3], "threads": threads, "unordered": unordered}
        data = load(text, dtype="float64", groups=sizes, **options)
        assert data.dense().X.tolist() == want[0]
        assert data.y.tolist() == want[1]
        assert [str(q) for q in data.qid] == want[2]
        seen_late += data.numbering.first == 0 and " 0:" not in text.split("\n")[0]
        given = load(text, dtype="float64", groups=sizes, first_index=0, **options)
        assert given.numbering == Numbering(0)
        assert given.dense().X.tolist() == ref.letor_table(text, 0, unordered, sizes)[0]
    assert first == 1 or seen_late > 3  # a feature 0 that occurs only after other lines


cell = st.tuples(st.integers(0, 6), st.sampled_from(["1", "-2.5", "0", "1e2"]))
increasing = st.lists(cell, max_size=5, unique_by=lambda c: c[0]).map(sorted)
lines = st.lists(st.one_of(increasing, increasing, st.lists(cell, max_size=5)), min_size=1, max_size=6)


def test_what_is_accepted_is_what_the_reference_accepts():
    counts = {True: 0, False: 0}

    @settings(max_examples=500)
    @given(lines, st.sampled_from([None, 0, 1]), st.booleans(), st.booleans(), st.booleans())
    def check(rows, first_index, unordered, grouped, sparse):
        query = "" if grouped else "qid:7 "
        text = "".join(f"1 {query}{' '.join(f'{i}:{v}' for i, v in row)}\n" for row in rows)
        sizes = [len(rows)] if grouped else None
        want = ref.letor_table(text, first_index, unordered, sizes)
        counts[want is None] += 1
        options = {"first_index": first_index, "unordered": unordered, "groups": sizes, "sparse": sparse}
        if want is None:
            with pytest.raises(rk.InputError, match=r"^<stream>, line \d+: feature index "):
                load(text, **options)
            return
        data = load(text, **options)
        assert data.dense().X.tolist() == want[0]
        assert data.numbering.first == (0 if first_index == 0 or " 0:" in text else 1)

    check()
    assert min(counts.values()) > 100


def test_features_from_zero_are_told_and_may_be_stated():
    text = b"1 qid:1 1:5\n0 qid:1 0:7\n"
    with pytest.warns(InputNote, match="^<stream>: features are numbered from 0$"):
        data = rk.load_letor(io.BytesIO(text))
    assert data.X.tolist() == [[0, 5], [7, 0]]
    assert data.numbering == Numbering(0)
    assert rk.load_letor(io.BytesIO(text), first_index=0).X.tolist() == data.X.tolist()
    with pytest.raises(rk.InputError, match=r"line 2: feature index 0, but indices start at 1 .*--first-index"):
        rk.load_letor(io.BytesIO(text), first_index=1)
    assert load("1 qid:1 1:5\n").numbering == Numbering(1, assumed=True)
    assert load("1 qid:1 1:5\n", first_index=1).numbering == Numbering(1)
    assert load("1 qid:1 1:5\n", first_index=0).X.tolist() == [[0, 5]]
    for wrong in (2, -1, "0"):
        with pytest.raises(rk.InputError, match="must be 0 or 1"):
            load("1 qid:1 1:5\n", first_index=wrong)


def test_a_number_of_features_holds_after_a_late_feature_zero(monkeypatch):
    monkeypatch.setattr(sources.line_pieces, "__defaults__", (12,))
    with pytest.raises(rk.InputError, match="features up to number 3, but n_features is 3"):
        load("1 qid:1 3:5\n0 qid:1 0:7\n", n_features=3)
    assert load("1 qid:1 3:5\n0 qid:1 0:7\n", n_features=4).X.tolist() == [[0, 0, 0, 5], [7, 0, 0, 0]]


def test_what_is_written_is_numbered_as_it_was_read():
    for text in ("1 qid:1 1:5 3:2\n0 qid:1 0:7\n", "1 qid:1 1:5 3:2\n"):
        for sparse in (False, True):
            data = load(text, sparse=sparse)
            out = io.BytesIO()
            rk.save_letor(data, out)
            again = load(out.getvalue().decode(), sparse=sparse)
            assert again.dense().X.tolist() == data.dense().X.tolist()
            assert again.numbering == data.numbering


def test_duplicates_are_told_whatever_the_order():
    for unordered in (False, True):
        with pytest.raises(rk.InputError, match="line 1: feature index 3 occurs twice"):
            load("1 qid:1 3:0 3:1\n", unordered=unordered)
    with pytest.raises(rk.InputError, match="line 2: feature index 3 occurs twice"):
        load("1 qid:1 1:1\n1 qid:1 3:0 1:4 3:1\n", unordered=True)
    with pytest.raises(rk.InputError, match="line 1: feature 2: expected a number, got 'x'"):
        load("1 qid:1 3:0 2:x\n", unordered=True)


def test_the_placeholder_of_istella_is_no_value():
    text = b"1 qid:1 1:0.5 2:1.79769313486231E308 3:2\n0 qid:1 1:1.79769313486231E308 3:1\n"
    for options in ({}, {"dtype": "float64"}, {"sparse": True}):
        with pytest.warns(InputNote, match="2 values 1.79769313486231E308 stand for no value, and count as 0"):
            data = rk.load_letor(io.BytesIO(text), **options)
        assert data.dense().X.tolist() == [[0.5, 0, 2], [0, 0, 1]]
    assert load("1 qid:1 1:1.79769313486231e+308\n", dtype="float64").X[0, 0] == 1.79769313486231e308
    with pytest.raises(rk.InputError, match="does not fit float32"):
        load("1 qid:1 1:-1.79769313486231E308\n")


def test_sets_as_they_are_distributed(tmp_path):
    """MSLR: 136 features and a blank at the end of the line; Yahoo: sparse, of 700; Istella: 220, without a value."""
    rng = np.random.default_rng(1)
    fold = tmp_path / "Fold1"
    fold.mkdir()

    def text_of(cells):
        return "".join(f"{i % 5} qid:{i // 3 + 1} {' '.join(f'{j}:{v}' for j, v in cells(i))} \n" for i in range(9))

    mslr = text_of(lambda i: [(j, f"{rng.random():.6f}") for j in range(1, 137)])
    yahoo = text_of(lambda i: [(j, f"{rng.random():.5f}") for j in sorted(rng.choice(699, 20, False) + 1)])
    istella = text_of(lambda i: [(j, "1.79769313486231E308" if j == 5 else j * i) for j in range(1, 221)])
    for name, text, width in (("train", mslr, 136), ("vali", yahoo, None), ("test", istella, 220)):
        (fold / f"{name}.txt").write_text(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputNote)
            data = rk.load_letor(fold / f"{name}.txt", dtype="float64")
        want = ref.letor_table(text.replace("1.79769313486231E308", "0"))
        assert data.dense().X.tolist() == want[0]
        assert data.n_features == (width or len(want[0][0]))
        assert np.diff(data.ptr).tolist() == [3, 3, 3]
    with pytest.raises(rk.InputError, match=r"Fold1: holds test.txt and train.txt, which are not one data set"):
        rk.load_letor(fold)


@pytest.mark.parametrize("zero_based", [True, False])
def test_the_numbering_that_scikit_learn_states_is_taken(zero_based):
    from sklearn.datasets import dump_svmlight_file

    out = io.BytesIO()
    X = np.array([[0, 1.5], [0, 2.5]])  # no feature 0 occurs
    dump_svmlight_file(X, [1, 0], out, zero_based=zero_based, query_id=[1, 1], comment="two rows")
    data = rk.load_letor(io.BytesIO(out.getvalue()))
    np.testing.assert_array_equal(data.X, X)
    assert data.numbering == (0 if zero_based else 1, False)
    other = b"# Column indices are zero-based-ish\n1 qid:1 1:2\n"
    assert rk.load_letor(io.BytesIO(other)).n_features == 1
