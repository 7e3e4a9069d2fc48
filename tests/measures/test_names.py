"""Names of measures: round trips, aliases, errors."""

import pytest

import rankine as rk
from rankine.measures.table import ALIASES, TABLE, TREC_NAMES

from .cases import NAMES, TREC


def test_names_round_trip():
    names = [*NAMES, *TREC, *TABLE, *ALIASES, *TREC_NAMES, "P(rel=2)@10", "RBP(p=0.8)", "nDCG(dcg='exp-log2')@10"]
    needs_cut = {"P", "Success", "success", "Precision"}
    for name in names:
        measure = rk.parse(
            f"{name}@5" if name in needs_cut - {"success"} else "success_5" if name == "success" else name
        )
        assert rk.parse(str(measure)) == measure
    assert str(rk.parse("nDCG(dcg='exp-log2')@10")) == "nDCG@10"
    assert str(rk.parse("P( rel = 2 ) @ 10")) == "P(rel=2)@10"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nDGC@10", "Did you mean 'nDCG'"),
        ("nDCG@0", "cutoff must be at least 1, got 0"),
        ("nDCG@-3", "cutoff must be at least 1"),
        ("nDCG@ten", "must be a whole number, got 'ten'"),
        ("nDCG(dcg='log3')@10", "must be one of 'exp-log2', 'log2', 'letor'"),
        ("AP(relevance=2)", "no parameter 'relevance'"),
        ("AP(rel='x')", "must be float"),
        ("AP(2)", "arguments need names"),
        ("AP(rel=", "unknown measure"),
        ("RBP(p=1.5)", "between 0 and 1"),
        ("P", "needs a cutoff"),
        ("", "unknown measure"),
    ],
)
def test_bad_names(name, message):
    with pytest.raises(rk.InputError, match=message):
        rk.parse(name)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rk.parse(5), "name of a measure"),
        (lambda: rk.parse("P(rel=2)(rel=3)@5"), "one pair of parentheses"),
        (lambda: rk.parse("P(rel=2)+f(rel=3)@5"), "one pair of parentheses"),
        (lambda: rk.parse("P(**{})@5"), "need names"),
        (lambda: rk.parse("P(cutoff=3)@5"), "given twice"),
        (lambda: rk.parse("P(rel=1e999)@5"), "rel must be"),
        (lambda: rk.parse("P@99999999999999999999999"), "cutoff must be"),
    ],
)
def test_odd_names_are_refused(call, message):
    with pytest.raises(rk.InputError, match=message):
        call()
