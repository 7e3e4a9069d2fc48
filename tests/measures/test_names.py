"""Names of measures: round trips, aliases, errors."""

import pytest

import rankine as rk
from rankine.measures.names import expand, split_names
from rankine.measures.table import ALIASES, TABLE
from rankine.measures.trec_eval.names import NICKNAMES, TREC_NAMES

from .cases import NAMES, TREC


def test_names_round_trip():
    needs_cut = {name: 0.5 if name == "IPrec" else 5 for name, row in TABLE.items() if "cutoff" in row.parameters}
    own = [f"{n}@{needs_cut[ALIASES.get(n, n)]}" if ALIASES.get(n, n) in needs_cut else n for n in (*TABLE, *ALIASES)]
    trec = [m for name, row in TREC_NAMES.items() if not row.is_text for m in expand(name)]
    assert len(trec) >= 100
    for name in (*NAMES, *TREC, *own, *trec, "P(rel=2)@10", "RBP(p=0.8)", "IPrecMean(points=(0,0.5))", "SetF(x=2)"):
        measure = rk.parse(name)
        assert rk.parse(str(measure)) == measure
    assert str(rk.parse("nDCG(dcg='exp-log2')@10")) == "nDCG@10"
    assert str(rk.parse("P( rel = 2 ) @ 10")) == "P(rel=2)@10"


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("ndcg@10", "nDCG@10"),
        ("NDCG@10", "nDCG@10"),
        ("ndcg", "nDCG(dcg='log2')"),
        ("map@10", "AP@10"),
        ("Map", "AP"),
        ("mrr", "RR"),
        ("MRR@10", "RR@10"),
        ("recall@10", "R@10"),
        ("p@5", "P@5"),
        ("p_5", "P@5"),
        ("RPREC", "Rprec"),
        ("recip_rank@10", "RR@10"),
        ("success@5", "Success@5"),
        ("P.10", "P@10"),
        ("ndcg_cut.10", "nDCG(dcg='log2')@10"),
        ("NDCG_CUT_10", "nDCG(dcg='log2')@10"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("iprec_at_recall..1", "IPrec@0.1"),
        ("Rprec_mult_0.20", "Rprec(mult=0.2)"),
        ("utility.2,-1,0,0", "Utility(hit=2)"),
        ("11pt_avg.0.2,0.5,0.8", "IPrecMean(points=(0.2,0.5,0.8))"),
        ("rbp.p=0.8", "GradedRBP(p=0.8)"),
        ("rbp.p=0.8,2=1", "GradedRBP(p=0.8,gains=(2,1))"),
        ("G.1=3,2=9", "G(gains=(1,3,2,9))"),
    ],
)
def test_habits(name, same):
    assert rk.parse(name) == rk.parse(same)


def test_families_are_expanded():
    assert list(expand("P")) == [f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]
    assert list(expand("P.10,5")) == ["P_5", "P_10"]
    assert len(expand("all_trec")) == len(set(expand("all_trec"))) == 98
    assert set(NICKNAMES) >= {"official", "set", "all_trec"}
    report = rk.evaluate("success,AP", [1, 0], [1.0, 2.0])
    assert list(report.mean) == ["success_1", "success_5", "success_10", "AP"]
    for family in ("ndcg_cut", "map_cut", "P", "recall", "success", "P.5,10"):
        members = list(expand(family))
        with pytest.raises(rk.InputError, match=rf"stands for {len(members)}: {', '.join(members)}"):
            rk.parse(family)


def test_separators():
    assert split_names("nDCG@10,AP  P.5,10,11pt_avg utility.2,-1,0,0 P(rel=2, cutoff=3)") == [
        "nDCG@10", "AP", "P.5,10", "11pt_avg", "utility.2,-1,0,0", "P(rel=2, cutoff=3)",
    ]  # fmt: skip
    assert split_names(" , ") == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nDGC@10", "Did you mean 'nDCG@10'"),
        ("ndgc_cutt@10", "Did you mean 'ndcg_cut_10'"),
        ("Ndcg", "nDCG or ndcg"),
        ("relstring", "is text"),
        ("P@5,10", "whole number"),
        ("utility.1,2", "expected 4 numbers"),
        ("rbp.q=1", "expected p=NUMBER or GRADE=GAIN after the dot, got 'q=1'"),
        ("rbp_resid.1=2", "expected p=NUMBER after the dot"),
        ("G.3", "expected GRADE=GAIN after the dot, got '3'"),
        ("P.5,5", "given twice"),
        ("P.0", "at least 1"),
        ("P.1e999", "too large"),
        ("map.3", "takes no such parameters"),
        ("IPrec@2", "between 0 and 1"),
        ("IPrec", "needs a cutoff, IPrec@0.5"),
        ("IPrecMean(points=())", "tuple of numbers"),
        ("IPrecMean(points=(0,3))", "between 0 and 1"),
        ("nDCG@0", "cutoff must be at least 1, got 0"),
        ("nDCG@-3", "cutoff must be at least 1"),
        ("nDCG@ten", "must be a whole number, got 'ten'"),
        ("nDCG(dcg='log3')@10", "must be one of 'exp-log2', 'log2', 'letor'"),
        ("AP(relevance=2)", "no parameter 'relevance'"),
        ("AP(rel='x')", "must be float"),
        ("AP(2)", "arguments need names"),
        ("AP(rel=", "unknown measure"),
        ("AP(rel=1,rel=2)", "rel is given twice"),
        ("AP(rel=" + "-" * 3500 + "1)", "^measure 'AP.rel=-{33}…': expected Name.* .too many parts.$"),
        ("AP(rel=1" + "+1" * 50_000 + ")", "too many parts"),
        ("AP(rel=" + "lambda:" * 3000 + "1)", "too many parts"),
        ("x" * 100_000, "^unknown measure 'x{40}…'. `rankine measures` lists them all$"),
        ("AP@" + "9" * 100_000, "whole number, got '9{40}…'$"),
        ("P." + "9" * 100_000, "^measure 'P.9{38}…': a number after the dot is too large$"),
        ("AP(" + "x" * 9999 + "=1)", "no parameter 'x{40}…'"),
        ("RBP(p=1.5)", "between 0 and 1"),
        ("P", "stands for 9"),
        ("Success", "needs a cutoff"),
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


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("nDCG10", "nDCG@10"),
        ("ndcg10", "nDCG@10"),
        ("mrr_10", "RR@10"),
        ("MRR10", "RR@10"),
        ("ap_5", "AP@5"),
        ("ndcg_10", "nDCG@10"),
        ("nDCG_10", "nDCG@10"),
        ("map_3", "AP@3"),
        ("recip_rank_10", "RR@10"),
    ],
)
def test_a_cutoff_without_its_mark_is_hinted_at(text, hint):
    with pytest.raises(rk.InputError, match=f"unknown measure '{text}'. Did you mean '{hint}'"):
        rk.measures.parse(text)


def test_other_names_of_success():
    for text in ("hit@5", "Hit@5", "HitRate@5", "hitrate@5"):
        assert str(rk.measures.parse(text)) == "Success@5"


def test_several_cutoffs_of_one_name():
    report = rk.evaluate("nDCG@5,10,AP", [1, 0], [1, 2], [1, 1])
    assert list(report.mean) == ["nDCG@5", "nDCG@10", "AP"]
    assert list(rk.evaluate("P(rel=2)@5, 10", [1, 0], [1, 2], [1, 1]).mean) == ["P(rel=2)@5", "P(rel=2)@10"]
