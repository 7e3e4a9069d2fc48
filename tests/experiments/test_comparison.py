"""Published experiments on a small set of our own, and on the real ones where they are at hand."""

import os

import numpy as np
import pytest

import rankine as rk
from rankine.experiments import letor_rankers as comparison
from rankine.experiments.collections import letor_folds as folds
from rankine.rankers.analysis import contributions, drop_one, most_different
from rankine.rankers.rankboost_kernels import place
from rankine.sample import judged_set

from ..cli.test_cli import rankine

RANKERS = ["single feature", "RankSVM", "AdaRank"]


@pytest.fixture
def sets(tmp_path, monkeypatch):
    place = tmp_path / "letor" / "mq2008"
    place.mkdir(parents=True)
    for i in range(1, 6):
        made = judged_set(n_queries=6, seed=i)
        data = rk.RankingData(made.X, np.minimum(made.y, 2), made.qid + 10 * i, made.doc_ids)
        rk.save_letor(rk.Normaliser("query-minmax").fit(data).apply(data), place / f"S{i}.txt.xz")
    monkeypatch.setenv("RANKINE_DATA", str(tmp_path))
    return tmp_path


def test_folds_go_round(sets):
    for i, fold in enumerate(folds("mq2008")):
        assert {q // 10 for q in fold.train.query_ids} == {(i + j) % 5 + 1 for j in range(3)}
        assert {q // 10 for q in fold.valid.query_ids} == {(i + 3) % 5 + 1}
        assert {q // 10 for q in fold.test.query_ids} == {(i + 4) % 5 + 1}


def test_the_comparison_does_not_depend_on_the_workers(sets):
    alone, together = (comparison.run("mq2008", RANKERS, workers=n) for n in (1, 2))
    assert [(o.ranker, o.fold, o.setting, o.valid) for o in alone] == [
        (o.ranker, o.fold, o.setting, o.valid) for o in together
    ]
    assert all(np.array_equal(a.scores, b.scores) for a, b in zip(alone, together, strict=True))
    for number in range(5):
        of_fold = [o for o in alone if o.fold == number]
        chosen = next(o for o in of_fold if o.ranker == "chosen")
        best = max((o for o in of_fold if o.ranker != "chosen"), key=lambda o: o.valid)
        assert np.array_equal(chosen.scores, best.scores)
    fold = list(folds("mq2008"))[2]
    mine = next(o for o in alone if o.ranker == "RankSVM" and o.fold == 2)
    values = rk.evaluate("AP", fold.test.y, mine.scores, fold.test.qid, ties="stable").per_query["AP"]
    assert np.array_equal(mine.letor["MAP"], values)
    assert comparison.mean_over_folds(comparison.pooled(alone, "RankSVM", "MAP")) == pytest.approx(
        np.mean([o.letor["MAP"].mean() for o in alone if o.ranker == "RankSVM"])
    )


def test_a_model_that_scores_nothing_does_not_validate_well(sets):
    """Ties are averaged over on validation, whatever the order of the file."""
    fold = next(iter(folds("mq2008")))
    order = np.concatenate([lo + np.argsort(-fold.valid.y[lo:hi], kind="stable")
                            for lo, hi in zip(fold.valid.ptr[:-1], fold.valid.ptr[1:], strict=True)])  # fmt: skip
    perfect = fold.valid.take(order)
    assert comparison.validation(perfect, np.zeros(perfect.n_documents), "MAP") < 0.8
    assert rk.evaluate("AP", perfect.y, np.zeros(len(perfect.y)), perfect.qid, ties="stable").mean["AP"] == 1


def test_contributions_of_the_report_belong_to_the_scores(sets):
    outcomes = comparison.run("mq2008", ["uniform fusion", "RankSVM"], numbers=(0,))
    test = next(iter(folds("mq2008"))).test
    for o in outcomes:
        X = (test if o.normaliser is None else o.normaliser.apply(test)).X
        np.testing.assert_allclose(X @ o.coef, o.scores, atol=1e-5)


def test_the_command_writes_a_report(sets):
    arguments = [x for r in RANKERS for x in ("-r", r)]
    done = rankine(sets, "experiment", "letor", "--data", "mq2008", *arguments, "-o", "out", "--workers", "1",
                   env=os.environ | {"RANKINE_DATA": str(sets)})  # fmt: skip
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert [r[0] for r in rows[1:5]] == [*RANKERS, "chosen"]
    text = (sets / "out" / "report.md").read_text()
    for heading in ("# Rankers on MQ2008", "## Against RankSVM", "## What was chosen", "## What a feature is worth",
                    "RankSVM differ most", "SVM-rank (published run)"):  # fmt: skip
        assert heading in text
    page = (sets / "out" / "report.html").read_text()
    assert page.count("data:image/png;base64,") == 2
    assert "nan" not in text
    assert (sets / "out" / "map.png").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--folds", "0-3"], "--folds must be"),
        (["--folds", "x"], "--folds must be"),
        (["--choose", "MAPP"], "cannot choose by 'MAPP'. Did you mean 'MAP'"),
        (["-r", "RankSVM", "-r", "AdaBoost"], "unknown ranker 'AdaBoost'"),
        (["-r", "RankSVM"], "at least two"),
        (["--baseline", "nobody"], "not among the rankers"),
        (["--data", "mq2009"], "unknown set"),
        (["-o", "letor/mq2008/S1.txt.xz"], "a folder is needed"),
    ],
)
def test_bad_arguments(sets, arguments, message):
    done = rankine(sets, "experiment", "letor", *arguments, "--workers", "1", code=1,
                   env=os.environ | {"RANKINE_DATA": str(sets)})  # fmt: skip
    assert message in done.stderr


def test_dropping_features():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    data = rk.RankingData(X, np.clip(np.round(2 * X[:, 1]), 0, 3), np.repeat(np.arange(20), 10), None, ["a", "b", "c"])
    found = drop_one(rk.RegressionRanker(), data, data)
    assert found[0].feature == "b"
    part = data.select(["a", "c"])
    want = rk.RegressionRanker().fit(part).score(part)
    assert found[0].without == pytest.approx(want)
    with pytest.raises(rk.InputError, match="linear ranker"):
        drop_one(rk.RankBoost(), data, data)
    with pytest.raises(rk.InputError, match="only one feature"):
        drop_one(rk.RegressionRanker(), data.select(["a"]), data)
    assert len(most_different(np.zeros(3), np.zeros(3), 2)) == 0
    assert contributions(np.zeros(2), np.ones(2), ["x", "y"]) == "x +0.00, y +0.00"


def test_bins_by_search():
    rng = np.random.default_rng(1)
    for n in (0, 1, 2, 5, 254, 255):
        cuts = np.unique(np.round(rng.standard_normal(n), 3))
        column = np.concatenate([rng.standard_normal(500), cuts, [-9.0, 9.0]])
        bins = np.empty((1, len(column)), np.uint8)
        place(column, cuts, bins, 0)
        assert np.array_equal(bins[0], np.searchsorted(cuts, column, side="left"))


def test_details_of_a_comparison(tmp_path):
    (tmp_path / "q.txt").write_text("q1 0 a 2\nq1 0 b 0\nq2 0 a 1\nq2 0 c 0\n")
    (tmp_path / "one.run").write_text("q1 Q0 a 1 2 x\nq1 Q0 b 2 1 x\nq2 Q0 z 1 2 x\nq2 Q0 a 2 1 x\n")
    (tmp_path / "two.run").write_text("q1 Q0 b 1 2 x\nq1 Q0 a 2 1 x\nq2 Q0 z 1 2 x\nq2 Q0 a 2 1 x\n")
    out = rankine(tmp_path, "compare", "q.txt", "one.run", "two.run", "-m", "RR", "--details", "3").stdout
    assert out.splitlines()[-1] == "q1\t1.0000\t0.5000\ta (2), b (0)\tb (0), a (2)"
    data = judged_set(n_queries=3)
    rk.save_letor(data, tmp_path / "d.txt")
    (tmp_path / "s.txt").write_text("\n".join(map(str, data.y)))
    (tmp_path / "t.txt").write_text("\n".join(map(str, -data.y)))
    out = rankine(tmp_path, "compare", "d.txt", "s.txt", "t.txt", "-m", "AP", "--details", "1").stdout
    assert "(0)" in out.splitlines()[-1]
    rk.LinearRanker(loss="ranksvm-l2", normalise="zscore").fit(data).save(tmp_path / "m.json")
    rk.SingleFeature().fit(data).save(tmp_path / "n.json")
    out = rankine(tmp_path, "compare", "d.txt", "m.json", "n.json", "-m", "AP", "--details", "1").stdout
    assert "bm25_body +" in out.splitlines()[-1]
    for bad, message in ((("--details", "-1"), "at least 0"), (("--details", "1", "-o", "json"), "leave out -o")):
        assert message in rankine(tmp_path, "compare", "d.txt", "s.txt", "t.txt", *bad, code=1).stderr


def test_ranksvm_on_ohsumed_is_as_good_as_others(real_data):
    outcomes = comparison.run("ohsumed", ["RankSVM"])
    found = comparison.mean_over_folds(comparison.pooled(outcomes, "RankSVM", "MAP"))
    assert found >= comparison.PUBLISHED["ohsumed"]["SVM-rank"]["MAP"] - 0.008


def test_the_variants_of_large_margin(real_data, tmp_path, monkeypatch):
    """On one small fold: every system gives numbers, and the report has its tables and picture."""
    from rankine.experiments import large_margin as e
    from rankine.experiments.collections import LetorFold

    fold = next(iter(folds("ohsumed-letor2")))
    small = LetorFold(*(part.subset(np.arange(6)) for part in fold))
    monkeypatch.setattr(e, "letor_folds", lambda name: iter([small]))
    monkeypatch.setattr(e, "C_GRID", (1e-3, 1e-1))
    monkeypatch.setattr(e, "DEPTH", 3)
    monkeypatch.setattr(e, "_MEASURES", ["nDCG@1", "nDCG@2", "nDCG@3"])
    outcome = e.run_fold("ohsumed-letor2", 0)
    assert {"regression", "RankBoost", "RankSVM", "tight, each k", "SVM-NDCG@10, A learned"} <= set(outcome.measured)
    assert all(t.shape == (6, 3) and np.isfinite(t).all() for t in outcome.measured.values())
    assert list(outcome.norms) == [1e-3, 1e-1]
    monkeypatch.setattr(e, "rows", lambda outcomes: [("x",)])
    parts = e.sections("ohsumed-letor2", [outcome], tmp_path)
    assert (tmp_path / parts[1].picture).exists()
