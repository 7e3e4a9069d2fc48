"""trec_eval's measures against pytrec_eval and against slow versions, on random runs; ties against all permutations."""

import math

import numpy as np
import pytest

import rankine as rk
from rankine.measures.table import TABLE

from ... import reference as ref
from ... import reference_trec as trec
from ..cases import is_judged, random_trec, small_case

# pytrec_eval holds trec_eval 9
PYTREC = {
    **{f"iprec_at_recall_{x / 10:.2f}": f"IPrec(version=9)@{x / 10}" for x in range(11)},
    **{f"Rprec_mult_{x / 5:.2f}": f"Rprec(mult={x / 5})" for x in range(1, 11)},
    **{f"relative_P_{k}": f"RelativeP@{k}" for k in (5, 10, 100)},
    "gm_map": "GMAP", "gm_bpref": "GMBpref", "11pt_avg": "IPrecMean(version=9)", "infAP": "infAP", "utility": "Utility",
    "ndcg_rel": "nDCGrel", "Rndcg": "RnDCG", "G": "G", "binG": "BinG", "set_P": "SetP", "set_recall": "SetR",
    "set_map": "SetAP", "set_F": "SetF", "set_relative_P": "SetRelativeP", "num_ret": "NumRet", "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet", "num_nonrel_judged_ret": "NumNonRelRet", "num_q": "NumQ",
}  # fmt: skip
SLOW = [
    ("IPrec@0", trec.iprec, {"recall": 0.0}),
    ("IPrec@0.5", trec.iprec, {"recall": 0.5}),
    ("IPrec(rel=2)@0.3", trec.iprec, {"recall": 0.3, "rel": 2}),
    ("IPrec(version=9)@1", trec.iprec, {"recall": 1.0, "version": 9}),
    ("IPrecMean", trec.iprec_mean, {}),
    ("IPrecMean(points=(0.2,0.5,0.8))", trec.iprec_mean, {"points": (0.2, 0.5, 0.8)}),
    ("infAP", trec.inferred_ap, {}),
    ("infAP(rel=2)", trec.inferred_ap, {"rel": 2}),
    ("G", trec.normalised_gain, {}),
    ("YAAP", trec.yaap, {}),
    ("RBPResidual(p=0.7)", trec.rbp_residual, {"p": 0.7}),
    ("Unjudged@5", trec.unjudged, {"cutoff": 5}),
    ("NumQ", trec.number, {"of": "queries"}),
    ("NumRet", trec.number, {"of": "retrieved"}),
    ("NumRel(rel=2)", trec.number, {"of": "relevant", "rel": 2}),
    ("NumRelRet(rel=2)", trec.number, {"of": "both", "rel": 2}),
    ("NumNonRelRet(rel=2)", trec.number, {"of": "others", "rel": 2}),
    ("Utility(hit=2,noise=-0.5,miss=-3,rest=0.25,documents=100,rel=2)", trec.utility,
     {"weights": (2, -0.5, -3, 0.25), "documents": 100, "rel": 2}),
]  # fmt: skip
# these have closed forms for ties
CLOSED = [
    ("BinG", trec.binary_g, {}),
    ("BinG(rel=2)", trec.binary_g, {"rel": 2}),
    ("nDCGrel", trec.ndcg_rel, {}),
    ("RnDCG", trec.r_ndcg, {}),
    ("RnDCG(rel=2)", trec.r_ndcg, {"rel": 2}),
    ("RelativeP@2", trec.relative_precision, {"cutoff": 2}),
    ("Rprec(mult=0.4)", trec.r_precision, {"mult": 0.4}),
    ("Rprec(mult=1.6,rel=2)", trec.r_precision, {"mult": 1.6, "rel": 2}),
    ("SetP", trec.set_precision, {}),
    ("SetR", trec.set_recall, {}),
    ("SetAP", trec.set_ap, {}),
    ("SetF", trec.set_f, {}),
    ("SetF(x=2,rel=2)", trec.set_f, {"x": 2, "rel": 2}),
    ("SetRelativeP", trec.set_relative_precision, {}),
    ("GradedRBP", trec.graded_rbp, {}),
    ("GradedRBP(p=0.4)", trec.graded_rbp, {"p": 0.4}),
]


def ranked_and_pool(judged, retrieved):
    """The grades in trec_eval's order: scores in single precision, then document id descending."""
    order = sorted(retrieved, key=lambda d: (np.float32(retrieved[d]), d), reverse=True)
    grades = [judged.get(d, trec.UNPOOLED) for d in order]
    ranked = [trec.UNJUDGED if g != trec.UNPOOLED and g < 0 else g for g in grades]
    return ranked, [g for g in judged.values() if g >= 0]


@pytest.mark.parametrize("level", [1, 2])
def test_equal_to_pytrec_eval_on_a_thousand_random_runs(level):
    import pytrec_eval

    rng = np.random.default_rng(level)
    checked = 0
    ours = {theirs: mine if level == 1 else levelled(mine) for theirs, mine in PYTREC.items()}
    for case in range(1000 if level == 1 else 200):
        qrels, run = random_trec(rng)
        if not is_judged(qrels, run):
            continue
        judged_only = case % 5 == 0
        evaluator = pytrec_eval.RelevanceEvaluator(
            qrels, set(PYTREC), relevance_level=level, judged_docs_only_flag=judged_only
        )
        want = evaluator.evaluate(run)
        report = rk.evaluate_run(list(ours.values()), qrels, run, judged_only=judged_only)
        for theirs, mine in ours.items():
            for i, q in enumerate(report.query_ids):
                value, target = report.per_query[mine][i], want[q][theirs]
                if theirs.startswith("gm_"):
                    value = math.log(max(value, 0.00001))
                # trec_eval divides 0 by 0 where -J leaves no document
                target = 0.0 if math.isnan(target) else target
                assert abs(value - target) <= 1e-12, (mine, qrels, run)
                checked += 1
    assert checked > 10_000


def levelled(name):
    """The name with rel=2, if the measure knows relevance."""
    measure = rk.parse(name)
    params = {k: v for k, v in measure.params if k != "cutoff"}
    if "rel" not in params:
        return name
    inside = ",".join(f"{k}={v!r}" for k, v in (params | {"rel": 2}).items())
    return f"{measure.name}({inside})" + ("" if measure.cutoff is None else f"@{measure.cutoff}")


def test_equal_to_slow_versions_on_a_thousand_random_runs():
    rng = np.random.default_rng(7)
    names = [name for name, _, _ in SLOW + CLOSED]
    checked = 0
    for case in range(1000):
        qrels, run = random_trec(rng)
        if not is_judged(qrels, run):
            continue
        report = rk.evaluate_run(names, qrels, run, complete=case % 3 == 0)
        for i, q in enumerate(report.query_ids):
            ranked, pool = ranked_and_pool(qrels[q], run.get(q, {}))
            for name, slow, params in SLOW + CLOSED:
                assert abs(report.per_query[name][i] - slow(ranked, pool, **params)) <= 1e-12, (name, qrels, run)
                checked += 1
    assert checked > 10_000


@pytest.mark.parametrize(("name", "slow", "params"), CLOSED, ids=[name for name, _, _ in CLOSED])
def test_ties_are_averaged_over_all_orders(name, slow, params):
    rng = np.random.default_rng(3)
    for _ in range(150):
        grades, scores = small_case(rng)
        value = rk.evaluate(name, grades, scores).mean[name]
        assert value == pytest.approx(ref.expected(slow, grades, scores, **params), abs=1e-12), (grades, scores)


@pytest.mark.parametrize("name", [n for n, row in TABLE.items() if row.needs_order])
def test_a_measure_without_a_closed_form_for_ties_says_so(name):
    full = f"{name}@0.5" if "cutoff" in TABLE[name].parameters else name
    with pytest.raises(rk.InputError, match=r"query b: .* needs an order .* ties='trec' or ties='stable'"):
        rk.evaluate(full, [1, 0, 1, 0], [2.0, 1.0, 1.0, 1.0], ["a", "a", "b", "b"])
    assert (
        rk.evaluate(full, [1, 0], [2.0, 1.0]).mean[full]
        == rk.evaluate(full, [1, 0], [1.0, 1.0], ties="stable").mean[full]
    )


def test_summaries():
    qrels = {"a": {"x": 1, "y": 1}, "b": {"x": 0, "y": 1}, "c": {"z": 1}}
    run = {"a": {"x": 2.0, "y": 1.0}, "b": {"x": 2.0, "y": 1.0}, "c": {"x": 1.0}}
    mean = rk.evaluate_run(["GMAP", "NumRet", "NumRel", "NumQ", "AP"], qrels, run).mean
    assert mean["GMAP"] == pytest.approx((1.0 * 0.5 * 0.00001) ** (1 / 3))
    assert (mean["NumRet"], mean["NumRel"], mean["NumQ"], mean["AP"]) == (5, 4, 3, 0.5)


def test_large_grades_do_not_overflow_a_linear_gain():
    names = [name for name, row in TABLE.items() if row.is_linear]
    assert set(names) == {"G", "nDCGrel", "RnDCG", "GradedRBP", "GainNDCG"}
    assert all(0 < v <= 1 for v in rk.evaluate(names, [5000, 0], [2.0, 1.0]).mean.values())


def test_gains_of_single_grades():
    """As if the grades had been replaced by the gains."""
    rng = np.random.default_rng(9)
    gains = {1.0: 3.0, 2.0: 0.5}
    slow = {"G": trec.normalised_gain, "ndcg_rel": trec.ndcg_rel, "Rndcg": trec.r_ndcg, "rbp": trec.graded_rbp}
    names = {name: f"{name}.1=3,2=0.5" for name in ("ndcg", *slow)}
    for _ in range(200):
        qrels, run = random_trec(rng)
        if not is_judged(qrels, run):
            continue
        report = rk.evaluate_run(list(names.values()), qrels, run)
        for i, q in enumerate(report.query_ids):
            ranked, pool = ranked_and_pool(qrels[q], run[q])
            if not any(g >= 1 for g in pool):
                continue
            ranked, pool = ([gains.get(g, g) for g in part] for part in (ranked, pool))
            for name, function in slow.items():
                params = {"rel": 0.5} if name == "Rndcg" else {}
                assert report.per_query[names[name]][i] == pytest.approx(function(ranked, pool, **params), abs=1e-12)
            ideal = trec.dcg_at(sorted(map(trec.gain_of, pool), reverse=True), len(pool))
            value = trec.dcg_at(list(map(trec.gain_of, ranked)), len(ranked)) / ideal
            assert report.per_query[names["ndcg"]][i] == pytest.approx(value, abs=1e-12)
    assert rk.parse("ndcg.1=3") == rk.parse("GainNDCG(gains=(1,3))")
    with pytest.raises(rk.InputError, match="pairs of a grade and its gain"):
        rk.evaluate("GainNDCG(gains=(1,3,2))", [1, 0], [1.0, 2.0])
