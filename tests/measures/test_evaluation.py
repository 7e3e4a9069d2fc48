"""Evaluation of arrays: printed output of the LETOR tool, empty queries, preferences, reports, bad input."""

import numpy as np
import pytest

import rankine as rk
from rankine.rankers.scikit.fit_arguments import OneQueryWarning

from .cases import NAMES

FOLDS = {1: "S5", 2: "S1", 3: "S2", 4: "S3", 5: "S4"}


@pytest.mark.parametrize("fold", FOLDS)
def test_letor_tool_printed_output(real_data, fold):
    folder = real_data / "letor" / "runs" / "ohsumed-adarank"
    lines = (folder / "MAP_OHSUMED_AdaRank").read_text().split("performance on testing set")[1].splitlines()
    ndcg, precision = [line.split()[1:] for line in lines if line.startswith(f"Fold{fold}")][:2]
    data = rk.load_letor(real_data / "letor" / "ohsumed" / f"{FOLDS[fold]}.txt.xz")
    scores = np.loadtxt(folder / f"fold{fold}.score")
    names = [*(f"nDCG(dcg='letor')@{k}" for k in range(1, 11)), "MeanNDCG", *(f"P@{k}" for k in range(1, 11)), "AP"]
    report = rk.evaluate(names, data.y, scores, data.qid, ties="stable")
    assert [f"{v:.4f}" for v in report.mean.values()] == [*ndcg, *precision]


def test_err_scale_is_that_of_the_whole_data_set():
    y, s, qid = [4, 1], [1.0, 1.0], [1, 2]
    assert rk.evaluate("ERR", y, s, qid).per_query["ERR"].tolist() == [15 / 16, 1 / 16]
    with pytest.raises(rk.InputError, match="above gmax"):
        rk.evaluate("ERR(gmax=3)", y, s, qid)


@pytest.mark.parametrize(("empty", "want"), [("zero", 0.5), ("one", 1.0), ("skip", 1.0)])
def test_queries_without_relevant_documents(empty, want):
    for name in ("AP", "nDCG", "RR", "P@1", "ERR", "Rprec", "Bpref", "R@1", "Success@1"):
        mean = rk.evaluate(name, [1, 0], [1.0, 1.0], [1, 2], empty=empty).mean[name]
        scale = 0.5 if name == "ERR" and empty == "skip" else 1
        assert mean == pytest.approx(want * scale if name != "ERR" else {"zero": 0.25, "one": 0.75, "skip": 0.5}[empty])


def test_preferences():
    graph = rk.Preferences([0, 1, 3], [1, 2, 4], weight=[2.0, 1.0, 4.0])
    qid = ["a", "a", "a", "b", "b"]
    report = rk.evaluate(["WPD", "WPD(norm=True)"], graph, [1.0, 2.0, 2.0, 0.0, 5.0], qid)
    assert report.per_query["WPD"].tolist() == [2.5, 4.0]
    assert report.per_query["WPD(norm=True)"].tolist() == [2.5 / 3, 1.0]
    rows = [4, 0, 2, 1, 3]  # other row order, same graph
    new = {old: i for i, old in enumerate(rows)}
    moved = rk.Preferences([new[0], new[1], new[3]], [new[1], new[2], new[4]], weight=[2.0, 1.0, 4.0])
    again = rk.evaluate("WPD", moved, np.array([1.0, 2, 2, 0, 5])[rows], np.array(qid)[rows])
    assert dict(zip(again.query_ids, again.per_query["WPD"], strict=True)) == {"a": 2.5, "b": 4.0}
    with pytest.raises(rk.InputError, match="needs preferences"):
        rk.evaluate("WPD", [1, 0], [1, 2])
    with pytest.raises(rk.InputError, match="needs grades"):
        rk.evaluate("AP", graph, [1.0] * 5, qid)


def test_permuting_rows_changes_nothing():
    rng = np.random.default_rng(5)
    y, s, qid = rng.integers(0, 5, 300), rng.integers(0, 9, 300).astype(float), rng.integers(0, 12, 300)
    a = rk.evaluate(NAMES, y, s, qid)
    p = rng.permutation(300)
    b = rk.evaluate(NAMES, y[p], s[p], qid[p])
    place = [list(b.query_ids).index(q) for q in a.query_ids]
    for name in NAMES:
        np.testing.assert_allclose(a.per_query[name], b.per_query[name][place], rtol=1e-12, atol=1e-14)


def test_report_forms():
    report = rk.evaluate(["AP", "nDCG@5"], [1, 0, 0], [1.0, 2.0, 3.0], ["a", "a", "b"], empty="skip")
    assert '"AP": [0.5, null]' in report.to_json(per_query=True)
    assert report.to_csv(per_query=True).splitlines()[2] == "b,,"
    assert "gain 2^g" in report.note
    assert "gain 2^g" in str(report)
    assert rk.evaluate("AP", [1], [1.0]).note == ""


def test_a_report_says_over_how_many_queries_each_mean_is():
    report = rk.evaluate(
        ["AP", "AUC", "NumRet"], [1, 0, 0, 1], [1.0, 2.0, 3.0, 1.0], ["a", "a", "b", "c"], empty="skip"
    )
    assert report.averaged == {"AP": 2, "AUC": 1, "NumRet": 3}
    assert '"queries": {"AP": 2, "AUC": 1, "NumRet": 3}' in report.to_json()
    assert "mean over 1 to 3 queries" in str(report)
    assert "Of 3 queries some have no relevant document and are left out: AP over 2, AUC over 1." in report.note
    nothing = rk.evaluate("AP", [0, 0], [1.0, 2.0], empty="skip")
    assert (nothing.averaged, np.isnan(nothing.mean["AP"])) == ({"AP": 0}, True)
    assert "nan" not in str(nothing) + nothing.to_json(True).lower() + nothing.to_csv(True)
    assert rk.evaluate("P.1", [1], [1.0]).mean == {"P.1": 1.0}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], [1], [1.0]), "at least one measure"),
        (("AP", [1, 0], [1.0]), "1 scores but y has 2"),
        (("AP", [1], [1.0], [1, 2]), "qid has 2"),
        (("AP", [], []), "at least one document"),
        (("AP", ["x"], [1.0]), "y must hold numbers"),
        (("AP", [[1]], [1.0]), "y must have one dimension"),
        (("AP", [1], [1.0], [1.5]), "qid must be whole numbers or strings"),
    ],
)
def test_bad_arrays(arguments, message):
    with pytest.raises(rk.InputError, match=message):
        rk.evaluate(*arguments)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rk.evaluate("nDCG", [1100, 0], [2.0, 1.0]), "overflow the gain"),
        (lambda: rk.evaluate("ERR", [2000, 0], [2.0, 1.0]), "overflow the gain"),
        (lambda: rk.evaluate("AP", [1], np.ma.array([1.0], mask=[True])), "masked"),
        (lambda: rk.evaluate("AP", [1], [1j]), "numbers only"),
        (lambda: rk.evaluate("AP", [1], np.array(["2020-01-01"], "datetime64[D]")), "numbers only"),
        (lambda: rk.evaluate(None, [1], [1.0]), "name of a measure"),
        (lambda: rk.evaluate("AP", [1, 0], [1.0, 2.0], np.array([1e30, 2e30])), "64-bit"),
        (lambda: rk.evaluate("AP", [1, 0], [1.0, 2.0], np.array([2**64 - 1, 1], np.uint64)), "64-bit"),
        (lambda: rk.evaluate("AP", [1, 0], [1.0, 2.0], [10**30, 10**31]), "64-bit"),
        (lambda: rk.evaluate("AP", [1], [1.0], [b"\xff"]), "64-bit whole numbers or strings"),
        (lambda: rk.evaluate("WPD", rk.Preferences([-1], [0]), [1.0, 2, 3], [1, 2, 1]), "but there are 3"),
    ],
)
def test_odd_input_is_refused(call, message):
    with pytest.raises(rk.InputError, match=message):
        call()


def test_grades_between_0_and_1_that_do_not_count_are_told():
    y, scores, qid = [0, 0.339, 0.67, 1], [4, 3, 2, 1], [1, 1, 1, 1]
    told = "2 of 4 documents have grades between 0 and 1, which {} not count as relevant; {} does."
    assert rk.evaluate("AP", y, scores, qid).note == told.format("AP does", "AP(rel=0.33)")
    assert told.format("P@2, RR do", "P(rel=0.33)@2") in str(rk.evaluate(["nDCG", "P@2", "RR"], y, scores, qid))
    assert "between" not in rk.evaluate(["nDCG", "AP(rel=0.33)", "P(rel=2)@2"], y, scores, qid).note
    assert rk.evaluate("AP", [0, 1, 2, 1.5], scores, qid).note == ""
    assert "AP(rel=0.001) does" in rk.evaluate("AP", [0, 1, 2, 0.001], scores, qid).note
    run = {"q": {"a": 1.0, "z": 2.0}}
    assert rk.evaluate_run("AP", {"q": {"a": 0.5, "b": 0.5, "c": 1}}, run).note.startswith("2 of 3 documents")
    comparison = rk.compare(y * 2, {"a": scores * 2, "b": y * 2}, [1] * 4 + [2] * 4, "AP")
    assert told.format("AP does", "AP(rel=0.33)").replace("2 of 4", "4 of 8") in str(comparison)


def test_one_query_is_not_several():
    assert "mean over 1 query\n" in str(rk.evaluate("AP", [1, 0], [1, 2], [1, 1])) + "\n"
    assert "mean over 2 queries\n" in str(rk.evaluate("AP", [1, 0], [1, 2], [1, 2])) + "\n"


def test_many_rows_without_query_ids_are_told():
    y = np.arange(1001) % 3
    with pytest.warns(OneQueryWarning, match="all 1001 rows were taken as one query.*pass qid=") as caught:
        rk.evaluate("AP", y, y)
    assert caught[0].filename == __file__
    rk.evaluate("AP", y[:1000], y[:1000])
    rk.evaluate("AP", y, y, np.zeros(1001))
