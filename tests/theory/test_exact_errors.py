"""Errors of rankings in rational numbers are those of the measures."""

from itertools import product

import pytest

import rankine as rk
from rankine.theory import consistency as lab
from rankine.theory.exact_errors import checked_labels, errors, rankings

BINARY = {m: list(product((0, 1), repeat=m)) for m in (2, 3, 4)}


@pytest.mark.parametrize("measure", ["DCG", "DCG@2", "nDCG", "nDCG@1", "AP", "RR", "P@2", "ERR", "nDCG(dcg='log2')@2"])
def test_exact_errors_are_those_of_the_measures(measure):
    labels = list(product((0, 1, 2), repeat=3))
    table = errors(measure, checked_labels(labels))
    for k, y in enumerate(labels):
        for order, row in zip(rankings(3), table, strict=True):
            scores = [-order.index(i) for i in range(3)]
            asked = measure if measure != "ERR" else "ERR(gmax=2)"
            value = next(iter(rk.evaluate(asked, list(y), scores, [0] * 3).mean.values()))
            assert 1 - float(row[k]) == pytest.approx(value, abs=1e-12)


def test_weighted_disagreement_and_zero_one_are_errors_not_accuracies():
    """Errata: the cost a_ij falls due when the preferred i ends up below j; 0/1 is 1 where the rankings differ."""
    a = [[0, 3, 0], [0, 0, 2], [0, 0, 0]]
    row = dict(zip(rankings(3), errors("WPD", checked_labels([a])), strict=True))
    assert row[(0, 1, 2)] == [0]
    assert row[(1, 0, 2)] == [3]
    assert row[(2, 1, 0)] == [5]
    row = dict(zip(rankings(3), errors("zero-one", checked_labels([(2, 1, 3)])), strict=True))
    assert row[(1, 0, 2)] == [0]
    assert sum(e[0] for e in row.values()) == 5


def test_relevance_levels_are_honoured():
    both = [lab.bayes_optimal(f"P(rel={rel})@1", [(2, 1)], [1]).error for rel in (1, 2)]
    assert both == [0, 0]
    assert len(lab.bayes_optimal("P(rel=1)@1", [(2, 1)], [1]).rankings) == 2
    assert len(lab.bayes_optimal("P(rel=2)@1", [(2, 1)], [1]).rankings) == 1
