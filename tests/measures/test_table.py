"""Measures against brute force over all permutations, trec_eval, the LETOR tool and SciPy."""

import math

import numpy as np
import pytest
from scipy import stats

import rankine as rk
from rankine.measures.table import ALIASES, TABLE, TREC_NAMES

from .. import reference as ref

GMAX = 4.0
CASES = [
    ("nDCG", ref.ndcg, {}),
    ("nDCG@3", ref.ndcg, {"cutoff": 3}),
    ("nDCG(dcg='log2')@2", ref.ndcg, {"cutoff": 2, "dcg": "log2"}),
    ("nDCG(dcg='letor')@4", ref.ndcg, {"cutoff": 4, "dcg": "letor"}),
    ("DCG@3", ref.dcg, {"cutoff": 3}),
    ("MeanNDCG", ref.mean_ndcg, {}),
    ("AP", ref.average_precision, {}),
    ("AP(rel=2)@4", ref.average_precision, {"rel": 2, "cutoff": 4}),
    ("P@3", ref.precision, {"cutoff": 3}),
    ("P(rel=2)@10", ref.precision, {"cutoff": 10, "rel": 2}),
    ("R@2", ref.recall, {"cutoff": 2}),
    ("R", ref.recall, {}),
    ("RR", ref.reciprocal_rank, {}),
    ("RR@2", ref.reciprocal_rank, {"cutoff": 2}),
    ("Success@2", ref.success, {"cutoff": 2}),
    ("ERR(gmax=4)", ref.err, {"gmax": GMAX}),
    ("ERR(gmax=4)@2", ref.err, {"gmax": GMAX, "cutoff": 2}),
    ("RBP(p=0.8)", ref.rbp, {}),
    ("RBP(p=0.5,rel=2)@3", ref.rbp, {"p": 0.5, "rel": 2, "cutoff": 3}),
    ("Rprec", ref.r_precision, {}),
    ("Bpref", ref.bpref, {}),
    ("AUC", ref.auc, {}),
    ("Disagreement", ref.disagreement, {}),
    ("KendallTau", ref.kendall_a, {}),
]
NAMES = [name for name, _, _ in CASES]


def small_case(rng):
    """A query of up to six documents with many ties in grades and scores."""
    m = int(rng.integers(1, 7))
    grades = rng.integers(0, rng.integers(1, 5) + 1, m).tolist()
    scores = rng.integers(0, rng.integers(1, 7), m).astype(float).tolist()
    return grades, scores


@pytest.mark.parametrize("seed", range(6))
def test_expected_ties_are_the_mean_over_all_permutations(seed):
    rng = np.random.default_rng(seed)
    for _ in range(60):
        grades, scores = small_case(rng)
        found = rk.evaluate(NAMES, grades, scores, threads=1)
        for name, measure, params in CASES:
            want = ref.expected(measure, grades, scores, **params)
            assert math.isclose(found.mean[name], want, rel_tol=1e-12, abs_tol=1e-13), (name, grades, scores)


def test_stable_ties_keep_the_input_order():
    rng = np.random.default_rng(1)
    for _ in range(400):
        grades, scores = small_case(rng)
        found = rk.evaluate(NAMES, grades, scores, ties="stable", threads=1)
        for name, measure, params in CASES:
            want = ref.stable(measure, grades, scores, **params)
            assert math.isclose(found.mean[name], want, rel_tol=1e-12, abs_tol=1e-13), (name, grades, scores)


def test_many_queries_of_unequal_length_at_once_equal_one_at_a_time():
    rng = np.random.default_rng(2)
    lengths = np.concatenate([rng.integers(1, 300, 400), [5000]])
    n = lengths.sum()
    qid = np.repeat(np.arange(len(lengths)), lengths)
    y, s = rng.integers(0, 5, n), np.round(rng.standard_normal(n), 2)
    order = rng.permutation(n)
    shuffled = rk.evaluate(NAMES, y[order], s[order], qid[order], threads=2)
    first = {q: i for i, q in enumerate(shuffled.query_ids)}
    ERRS = [name for name in NAMES if "ERR" not in name]
    for q in range(len(lengths)):
        alone = rk.evaluate(ERRS, y[qid == q], s[qid == q], threads=1)
        for name in ERRS:
            assert math.isclose(shuffled.per_query[name][first[q]], alone.mean[name], rel_tol=1e-9, abs_tol=1e-12)


def test_scores_that_differ_in_their_last_bits_are_told_apart():
    rng = np.random.default_rng(3)
    for m in (2, 3, 17, 100, 500):
        bits = np.float64(1.5).view(np.int64) + rng.permutation(m)
        s = bits.view(np.float64) * rng.choice([-1, 1])
        y = np.arange(m)
        found = rk.evaluate(["KendallTau", "Disagreement"], y, s, ties="stable")
        want = stats.kendalltau(y, s).statistic
        assert math.isclose(found.mean["KendallTau"], want, abs_tol=1e-12)


def test_kendall_b_and_auc_equal_scipy():
    rng = np.random.default_rng(4)
    for _ in range(300):
        m = int(rng.integers(2, 30))
        y, s = rng.integers(0, 4, m), rng.integers(0, 5, m).astype(float)
        tau = stats.kendalltau(y, s).statistic
        found = rk.evaluate(["KendallTau(variant='b')", "AUC"], y, s)
        if np.ptp(y) and np.ptp(s):
            assert math.isclose(found.mean["KendallTau(variant='b')"], tau, abs_tol=1e-12)
        rel, non = s[y >= 1], s[y < 1]
        if len(rel) and len(non):
            u = stats.mannwhitneyu(rel, non).statistic / (len(rel) * len(non))
            assert math.isclose(found.mean["AUC"], u, abs_tol=1e-12)


def test_err_of_a_large_tie_group_keeps_its_digits():
    y = np.tile([0, 1, 2, 3, 4], 40)
    tied = rk.evaluate("ERR(gmax=4)", y, np.zeros(200)).mean["ERR(gmax=4)"]
    rng = np.random.default_rng(0)
    sampled = rk.evaluate("ERR(gmax=4)", np.tile(y, 4000), rng.random(800_000), np.repeat(np.arange(4000), 200))
    spread = sampled.per_query["ERR(gmax=4)"].std() / np.sqrt(4000)
    assert 0 < tied < 1
    assert abs(tied - sampled.mean["ERR(gmax=4)"]) < 5 * spread


TREC = [
    *("map", "ndcg", "recip_rank", "Rprec", "bpref"),
    *(f"{m}_{k}" for m in ("ndcg_cut", "map_cut", "P", "recall", "success") for k in (1, 5, 10, 100)),
]


LEVEL_2 = {
    "AP(rel=2)": "map",
    "RR(rel=2)": "recip_rank",
    "Rprec(rel=2)": "Rprec",
    "Bpref(rel=2)": "bpref",
    "P(rel=2)@5": "P_5",
    "R(rel=2)@5": "recall_5",
    "Success(rel=2)@5": "success_5",
}


def random_trec(rng):
    """Judgments and a run with many ties, missing queries and unjudged documents."""
    docs = [f"d{i}" for i in rng.permutation(1000)[: rng.integers(1, 40)]]
    kind = rng.integers(4)
    qrels, run = {}, {}

    def score():
        choices = (rng.integers(0, 4), rng.standard_normal(), 1 + rng.integers(0, 3) * 1e-9)
        return float(choices[kind] if kind < 3 else np.round(rng.random(), 2) * 10.0 ** rng.integers(-5, 30))

    for q in range(int(rng.integers(1, 6))):
        if rng.random() < 0.9:
            low = rng.choice([-1, 0, 0])
            qrels[f"q{q}"] = {d: int(rng.integers(low, 4)) for d in docs if rng.random() < 0.6}
            qrels[f"q{q}"][docs[0]] = int(rng.integers(0, 3))  # trec_eval hangs where all grades are negative
        if rng.random() < 0.9:
            run[f"q{q}"] = {d: score() for d in docs if rng.random() < 0.7} or {docs[-1]: 1.0}
    return qrels, run


@pytest.mark.parametrize("level", [1, 2])
def test_trec_ties_equal_trec_eval_on_a_thousand_random_runs(level):
    import pytrec_eval

    rng = np.random.default_rng(level)
    checked = 0
    for case in range(1000 if level == 1 else 200):
        qrels, run = random_trec(rng)
        if not set(qrels) & set(run):
            continue
        judged_only = case % 5 == 0
        names, ours = (TREC, TREC) if level == 1 else (list(LEVEL_2.values()), list(LEVEL_2))
        evaluator = pytrec_eval.RelevanceEvaluator(
            qrels, set(names), relevance_level=level, judged_docs_only_flag=judged_only
        )
        want = evaluator.evaluate(run)
        got = rk.evaluate_run(ours, qrels, run, judged_only=judged_only)
        assert set(got.query_ids) == set(want)
        for mine, theirs in zip(ours, names, strict=True):
            for i, q in enumerate(got.query_ids):
                assert abs(got.per_query[mine][i] - want[q][theirs]) <= 1e-12, (mine, qrels, run)
                checked += 1
    assert checked > 1000


def test_trec_eval_printed_output(real_data):
    folder = real_data / "trec_eval"
    printed = {}
    for line in (folder / "out.test.aq").read_text().splitlines():
        name, query, value = line.split()
        printed[name, query] = value
    more = ["P_15", "P_1000", "recall_200", "map_cut_30", "ndcg_cut_500"]
    names = [*sorted({n for n, _ in printed} & set(TREC)), *more]
    report = rk.evaluate_run(names, folder / "qrels.test", folder / "results.test")
    assert len(names) > 20
    for name in names:
        assert f"{report.mean[name]:.4f}" == printed[name, "all"], name
        for query, value in zip(report.query_ids, report.per_query[name], strict=True):
            assert f"{value:.4f}" == printed[name, query], (name, query)


def test_trec_eval_default_output(real_data):
    folder = real_data / "trec_eval"
    report = rk.evaluate_run(["map", "P_5", "Rprec", "bpref"], folder / "qrels.test", folder / "results.test")
    printed = dict(line.split()[::2] for line in (folder / "out.test").read_text().splitlines())
    for name, value in report.mean.items():
        assert f"{value:.4f}" == printed[name]


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


def test_complete_counts_missing_queries_as_empty():
    qrels = {"a": {"x": 1}, "b": {"x": 1}}
    assert rk.evaluate_run("RR", qrels, {"a": {"x": 1.0}}, complete=True).per_query["RR"].tolist() == [1.0, 0.0]
    assert rk.evaluate_run("RR", qrels, {"a": {"x": 1.0}}).per_query["RR"].tolist() == [1.0]


def test_judged_at_k():
    qrels = {"q": {"a": 0, "b": 2}}
    run = {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    report = rk.evaluate_run(["Judged@2", "Judged@10", "Judged"], qrels, run)
    assert report.mean == {"Judged@2": 0.5, "Judged@10": 2 / 3, "Judged": 2 / 3}


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
    found = rk.evaluate(["WPD", "WPD(norm=True)"], graph, [1.0, 2.0, 2.0, 0.0, 5.0], qid)
    assert found.per_query["WPD"].tolist() == [2.5, 4.0]
    assert found.per_query["WPD(norm=True)"].tolist() == [2.5 / 3, 1.0]
    rows = [4, 0, 2, 1, 3]  # other row order, same graph
    new = {old: i for i, old in enumerate(rows)}
    moved = rk.Preferences([new[0], new[1], new[3]], [new[1], new[2], new[4]], weight=[2.0, 1.0, 4.0])
    again = rk.evaluate("WPD", moved, np.array([1.0, 2, 2, 0, 5])[rows], np.array(qid)[rows])
    assert dict(zip(again.query_ids, again.per_query["WPD"], strict=True)) == {"a": 2.5, "b": 4.0}
    with pytest.raises(rk.InputError, match="needs preferences"):
        rk.evaluate("WPD", [1, 0], [1, 2])
    with pytest.raises(rk.InputError, match="needs grades"):
        rk.evaluate("AP", graph, [1.0] * 5, qid)


def every_measure():
    for name, row in TABLE.items():
        if row.supervision == "grades":
            yield f"{name}@3" if "cutoff" in row.parameters else name


@pytest.mark.parametrize("name", list(every_measure()))
@pytest.mark.parametrize("ties", ["expected", "stable", "trec"])
def test_degenerate_cases(name, ties):
    cases = [([1], [0.5]), ([0], [0.5]), ([2, 2, 2], [1, 1, 1]), ([0, 0], [1, 2]), ([0, 3], [1e308, -1e308])]
    for y, s in cases:
        ids = [f"d{i}" for i in range(len(y))]
        value = rk.evaluate(name, y, s, ties=ties, doc_ids=ids).mean[name]
        assert np.isfinite(value)
        assert value <= 1 or name == "DCG@3"
    for bad in (np.nan, np.inf):
        with pytest.raises(rk.InputError, match=r"scores, row 1: expected a finite number"):
            rk.evaluate(name, [0, 1], [0.0, bad])
        with pytest.raises(rk.InputError, match=r"y, row 0: expected a finite number"):
            rk.evaluate(name, [bad, 1], [0.0, 1.0])
    if TABLE[name.split("@")[0]].graded:
        with pytest.raises(rk.InputError, match=r"query 0, row 0: .* needs grades ≥ 0, got -1"):
            rk.evaluate(name, [-1, 1], [0.0, 1.0])
    else:
        assert np.isfinite(rk.evaluate(name, [-1, 1], [0.0, 1.0]).mean[name])


def test_permuting_rows_changes_nothing():
    rng = np.random.default_rng(5)
    y, s, qid = rng.integers(0, 5, 300), rng.integers(0, 9, 300).astype(float), rng.integers(0, 12, 300)
    a = rk.evaluate(NAMES, y, s, qid)
    p = rng.permutation(300)
    b = rk.evaluate(NAMES, y[p], s[p], qid[p])
    place = [list(b.query_ids).index(q) for q in a.query_ids]
    for name in NAMES:
        np.testing.assert_allclose(a.per_query[name], b.per_query[name][place], rtol=1e-12, atol=1e-14)


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


def test_trec_ties_need_document_ids():
    with pytest.raises(rk.InputError, match="pass doc_ids"):
        rk.evaluate("AP", [1, 0], [1.0, 1.0], ties="trec")
    with pytest.raises(rk.InputError, match="ties must be one of"):
        rk.evaluate("AP", [1, 0], [1.0, 1.0], ties="random")


def test_trec_rounds_scores_to_single_precision():
    y, s, ids = [1, 0], [1.0 + 1e-9, 1.0], ["a", "b"]
    assert rk.evaluate("RR", y, s, ties="stable").mean["RR"] == 1.0
    assert rk.evaluate("RR", y, s, ties="trec", doc_ids=ids).mean["RR"] == 0.5  # b before a


def test_report_forms():
    report = rk.evaluate(["AP", "nDCG@5"], [1, 0, 0], [1.0, 2.0, 3.0], ["a", "a", "b"], empty="skip")
    assert '"AP": [0.5, null]' in report.to_json(per_query=True)
    assert report.to_csv(per_query=True).splitlines()[2] == "b,,"
    assert "gain 2^g" in report.note
    assert "gain 2^g" in str(report)
    assert rk.evaluate("AP", [1], [1.0]).note == ""


def test_trec_ties_compare_numeric_document_ids_as_strings():
    for ids in ([9, 10], ["9", "10"]):
        assert rk.evaluate("AP", [1, 0], [1.0, 1.0], ties="trec", doc_ids=ids).mean["AP"] == 1.0


def test_err_scale_does_not_depend_on_the_run():
    qrels, run = {"a": {"x": 1}, "b": {"y": 3}}, {"a": {"x": 1.0}}
    for complete in (False, True):
        assert rk.evaluate_run("ERR", qrels, run, complete=complete).per_query["ERR"][0] == 1 / 8


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rk.evaluate("nDCG", [1100, 0], [2.0, 1.0]), "overflow the gain"),
        (lambda: rk.evaluate("ERR", [2000, 0], [2.0, 1.0]), "overflow the gain"),
        (lambda: rk.evaluate("AP", [1], np.ma.array([1.0], mask=[True])), "masked"),
        (lambda: rk.evaluate("AP", [1], [1j]), "numbers only"),
        (lambda: rk.evaluate("AP", [1], np.array(["2020-01-01"], "datetime64[D]")), "numbers only"),
        (lambda: rk.evaluate(None, [1], [1.0]), "name of a measure"),
        (lambda: rk.parse(5), "name of a measure"),
        (lambda: rk.parse("P(rel=2)(rel=3)@5"), "one pair of parentheses"),
        (lambda: rk.parse("P(rel=2)+f(rel=3)@5"), "one pair of parentheses"),
        (lambda: rk.parse("P(**{})@5"), "need names"),
        (lambda: rk.parse("P(cutoff=3)@5"), "given twice"),
        (lambda: rk.parse("P(rel=1e999)@5"), "rel must be"),
        (lambda: rk.parse("P@99999999999999999999999"), "cutoff must be"),
        (lambda: rk.evaluate("AP", [1, 0], [1.0, 2.0], np.array([1e30, 2e30])), "64-bit"),
        (lambda: rk.evaluate("AP", [1, 0], [1.0, 2.0], np.array([2**64 - 1, 1], np.uint64)), "64-bit"),
        (lambda: rk.evaluate("AP", [1, 0], [1.0, 2.0], [10**30, 10**31]), "64-bit"),
        (lambda: rk.evaluate("AP", [1], [1.0], [b"\xff"]), "64-bit whole numbers or strings"),
        (lambda: rk.evaluate("WPD", rk.Preferences([-1], [0]), [1.0, 2, 3], [1, 2, 1]), "but there are 3"),
        (lambda: rk.evaluate_run("AP", {"q": {"d": 1}}, [1]), "dict of dicts"),
        (lambda: rk.evaluate_run("AP", {"q": {"d": 1}}, {"q": 1}), "expected {query"),
        (lambda: rk.evaluate_run("AP", {"q": {"d": 1}}, {"q": {"d": "x"}}), "numbers only"),
    ],
)
def test_odd_input_is_refused(call, message):
    with pytest.raises(rk.InputError, match=message):
        call()
