"""Evaluation of TREC runs against trec_eval, its printed output, and by hand."""

import warnings

import numpy as np
import pytest

import rankine as rk
from rankine.errors import InputNote

from .cases import TREC, random_trec

LEVEL_2 = {
    "AP(rel=2)": "map",
    "RR(rel=2)": "recip_rank",
    "Rprec(rel=2)": "Rprec",
    "Bpref(rel=2)": "bpref",
    "P(rel=2)@5": "P_5",
    "R(rel=2)@5": "recall_5",
    "Success(rel=2)@5": "success_5",
}


@pytest.mark.parametrize("level", [1, 2])
def test_trec_ties_equal_trec_eval_on_a_thousand_random_runs(level):
    import pytrec_eval

    rng = np.random.default_rng(level)
    checked = 0
    for case in range(1000 if level == 1 else 200):
        qrels, run = random_trec(rng)
        if not set(qrels) & set(run) or not set().union(*qrels.values()) & set().union(*run.values()):
            continue  # such a run is refused
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


def test_complete_counts_missing_queries_as_empty():
    qrels = {"a": {"x": 1}, "b": {"x": 1}}
    assert rk.evaluate_run("RR", qrels, {"a": {"x": 1.0}}, complete=True).per_query["RR"].tolist() == [1.0, 0.0]
    assert rk.evaluate_run("RR", qrels, {"a": {"x": 1.0}}).per_query["RR"].tolist() == [1.0]


def test_judged_at_k():
    qrels = {"q": {"a": 0, "b": 2}}
    run = {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    report = rk.evaluate_run(["Judged@2", "Judged@10", "Judged"], qrels, run)
    assert report.mean == {"Judged@2": 0.5, "Judged@10": 2 / 3, "Judged": 2 / 3}


def test_err_scale_does_not_depend_on_the_run():
    qrels, run = {"a": {"x": 1}, "b": {"y": 3}}, {"a": {"x": 1.0}}
    for complete in (False, True):
        assert rk.evaluate_run("ERR", qrels, run, complete=complete).per_query["ERR"][0] == 1 / 8


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rk.evaluate_run("AP", {"q": {"d": 1}}, [1]), "dict of dicts"),
        (lambda: rk.evaluate_run("AP", {"q": {"d": 1}}, {"q": 1}), "expected {query"),
        (lambda: rk.evaluate_run("AP", {"q": {"d": 1}}, {"q": {"d": "x"}}), "numbers only"),
    ],
)
def test_odd_runs_are_refused(call, message):
    with pytest.raises(rk.InputError, match=message):
        call()


def test_a_run_without_a_judged_document_is_refused_with_names_of_both_sides():
    qrels = {f"q{i}": {f"doc-{i}-{j}": j for j in range(3)} for i in range(30)}
    numbers = {f"q{i}": {str(j + 1): 1.0 - j for j in range(3)} for i in range(30)}
    sides = r"the run has '1', '2', '3', the judgments have 'doc-0-0', 'doc-0-1', 'doc-0-2'$"
    for options in ({}, {"complete": True}, {"judged_only": True}):
        with pytest.raises(rk.InputError, match=f"no document of the run is judged: {sides}"):
            rk.evaluate_run("AP", qrels, numbers, **options)
    other = {f"q{i}": qrels[f"q{(i + 1) % 30}"] for i in range(30)}
    shared = r"judged \(names that occur in both: 90, but for other queries\): the run has 'doc-1-0'"
    with pytest.raises(rk.InputError, match=shared):
        rk.evaluate_run("AP", qrels, other)
    for options in ({}, {"complete": True}):
        with pytest.raises(rk.InputError, match="no query in common: the run has 'x', the judgments have 'q0', 'q1'"):
            rk.evaluate_run("AP", qrels, {"x": {"doc-0-0": 1.0}}, **options)
    with pytest.raises(rk.InputError, match="is judged: the run has '1', '2', '3', the judgments have 'd'"):
        rk.evaluate_run("alpha_nDCG@5", {"q0": {"1": {"d": 1}}}, numbers)
    with pytest.warns(InputNote, match="only 1 of 30 queries have a judged document in the run: the run has '1', '2'"):
        rk.evaluate_run("AP", qrels, numbers | {"q7": {"1": 2.0, "doc-7-1": 1.0}})


def test_a_few_documents_that_nobody_judged_are_worth_nothing():
    qrels = {"a": {"x": 1}, "b": {"y": 0}}
    assert rk.evaluate_run("AP", qrels, {"a": {"y": 1.0}}).mean["AP"] == 0
    with pytest.raises(rk.InputError, match="no document of the run is judged"):
        rk.evaluate_run("AP", qrels, {"a": {"z": 1.0}})


def test_judgments_that_look_like_a_run():
    names = [f"d{i}" for i in range(6)]
    grades, scores = dict.fromkeys(names, 1) | {"d5": 0}, {d: 0.9 - i / 10 for i, d in enumerate(names)}
    ranks = {d: i for i, d in enumerate(names, 1)}
    for first, why in ((scores, "most grades are fractions"), (ranks, "the grades grow from document to document")):
        with pytest.raises(rk.InputError, match=f"look like a run .{why}.*judgments come first, then runs"):
            rk.evaluate_run("AP", {"q": first}, {"q": grades})
        with pytest.warns(InputNote, match=f"the judgments look like a run .{why}"):
            rk.evaluate_run("AP", {"q": first}, {"q": scores})
    thirds = {d: i % 4 / 3 for i, d in enumerate(names)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rk.evaluate_run("nDCG", {"q": grades}, {"q": scores})
        rk.evaluate_run("nDCG", {"q": grades}, {"q": grades})
        rk.evaluate_run("nDCG", {"q": thirds}, {"q": grades})
        rk.evaluate_run("nDCG", {q: {q: 0.1 * i} for i, q in enumerate(names)}, {q: {q: 1} for q in names})
