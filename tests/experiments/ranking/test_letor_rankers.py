"""The rankers of the LETOR experiment on a small set of our own, and on the real one where it is at hand."""

import numpy as np
import pytest

import rankine as rk
from experiments.collections import letor_folds
from experiments.ranking import letor_rankers

RANKERS = ["single feature", "RankSVM", "AdaRank"]


def test_the_comparison_does_not_depend_on_the_workers(sets):
    alone, together = (letor_rankers.run("mq2008", RANKERS, workers=n) for n in (1, 2))
    assert [(o.ranker, o.fold, o.setting, o.valid) for o in alone] == [
        (o.ranker, o.fold, o.setting, o.valid) for o in together
    ]
    assert all(np.array_equal(a.scores, b.scores) for a, b in zip(alone, together, strict=True))
    for number in range(5):
        of_fold = [o for o in alone if o.fold == number]
        winner = next(o for o in of_fold if o.ranker == "chosen")
        best = max((o for o in of_fold if o.ranker != "chosen"), key=lambda o: o.valid)
        assert np.array_equal(winner.scores, best.scores)
    fold = list(letor_folds("mq2008"))[2]
    mine = next(o for o in alone if o.ranker == "RankSVM" and o.fold == 2)
    values = rk.evaluate("AP", fold.test.y, mine.scores, fold.test.qid, ties="stable").per_query["AP"]
    assert np.array_equal(mine.letor["MAP"], values)
    assert letor_rankers.mean_over_folds(letor_rankers.pooled(alone, "RankSVM", "MAP")) == pytest.approx(
        np.mean([o.letor["MAP"].mean() for o in alone if o.ranker == "RankSVM"])
    )


def test_a_model_that_scores_nothing_does_not_validate_well(sets):
    """Ties are averaged over on validation, whatever the order of the file."""
    fold = next(iter(letor_folds("mq2008")))
    order = np.concatenate([lo + np.argsort(-fold.valid.y[lo:hi], kind="stable")
                            for lo, hi in zip(fold.valid.ptr[:-1], fold.valid.ptr[1:], strict=True)])  # fmt: skip
    perfect = fold.valid.take(order)
    assert letor_rankers.validation(perfect, np.zeros(perfect.n_documents), "MAP") < 0.8
    assert rk.evaluate("AP", perfect.y, np.zeros(len(perfect.y)), perfect.qid, ties="stable").mean["AP"] == 1


def test_contributions_of_the_report_belong_to_the_scores(sets):
    outcomes = letor_rankers.run("mq2008", ["uniform fusion", "RankSVM"], numbers=(0,))
    test = next(iter(letor_folds("mq2008"))).test
    for o in outcomes:
        X = (test if o.normaliser is None else o.normaliser.apply(test)).X
        np.testing.assert_allclose(X @ o.coef, o.scores, atol=1e-5)


def test_ranksvm_on_ohsumed_is_as_good_as_others(real_data):
    outcomes = letor_rankers.run("ohsumed", ["RankSVM"])
    value = letor_rankers.mean_over_folds(letor_rankers.pooled(outcomes, "RankSVM", "MAP"))
    assert value >= letor_rankers.PUBLISHED["ohsumed"]["SVM-rank"]["MAP"] - 0.008
