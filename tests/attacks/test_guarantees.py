"""A short run of the attack on printed guarantees, and whether it would see a false one."""

from fractions import Fraction

import numpy as np
import pytest

from attacks.guarantees import Queries, Report, check_bounds, check_training, quantity, run


def test_fifty_printed_guarantees_are_true():
    report = run(50, seed=2)
    assert report.wrong == []
    assert report.printed >= 50
    assert report.kinds["train"] > 10


ONE_OF_EIGHT = Queries([np.array([[1.0]] + [[0.0]] * 7)], [np.array([1] + [0] * 7)])
SCORES = [[Fraction(9 - i) for i in range(8)]]


@pytest.mark.parametrize(
    ("words", "truth"),
    [
        ("1 − P@5", Fraction(4, 5)),
        ("1 − P@5 / best possible P@5", 0),
        ("expected 1 − AP (0 for queries whose ranking does not matter)", 0),
        ("the number of misordered pairs", 0),
        ("expected the share of misordered pairs (the 0–1 error)", 0),
    ],
)
def test_words_are_understood(words, truth):
    assert quantity(words)([Fraction(1)] + [Fraction(0)] * 4, SCORES[0][:5]) == truth


def test_ties_count_as_the_mean():
    assert quantity("1 − RR")([Fraction(1), Fraction(0)], [Fraction(0), Fraction(0)]) == Fraction(1, 4)


def test_unknown_words_are_errors():
    for words in ("1 − XYZ@3", "quality", "1 − P@5 / best possible P@3"):
        with pytest.raises(ValueError, match="nothing is called"):
            quantity(words)


def line(n, words, most):
    return f"guaranteed: over the {n} training queries that carry information the mean of {words} is at most {most}"


def small():
    return Queries([np.zeros((2, 1))], [np.array([1, 0])]), [[Fraction(0), Fraction(1)]]  # AP is ½


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (line(1, "1 − AP", "0.5000"), "can be no more than"),
        (line(1, "1 − AP", "0.4999"), "it is 0.5"),
        (line(2, "1 − AP", "0.4999"), "1 queries carry information"),
        (line(0, "1 − AP", "0.4999"), "1 queries carry information"),
        ("guaranteed: everything", "not understood"),
    ],
)
def test_false_lines_are_seen(text, wrong):
    queries, scores = small()
    report = Report()
    check_training(text, queries, [0], scores, report)
    assert wrong in report.wrong[0]


def test_a_false_bound_is_seen():
    queries, scores = small()
    head = "result\twhat is bounded\tmean loss\t= bound\tthe maximum\tbelow the maximum"
    for mean, bound, wrong in (("0.5", "0.4", "it is 0.5"), ("0.4", "0.6", "mean loss 0.4"), ("0.5", "2", "other way")):
        report = Report()
        rows = f"{head}\nx\texpected 1 − AP\t{mean}\t{bound}\t1\tyes"
        check_bounds(rows, "", queries, [0], scores, report, held_out=True)
        assert wrong in report.wrong[0]
    report = Report()
    said = "With probability 1: expected 1 − AP ≤ 0.6 (x)."
    check_bounds(head, said, queries, [0], scores, report, held_out=True)
    assert "δ is" in report.wrong[0]
