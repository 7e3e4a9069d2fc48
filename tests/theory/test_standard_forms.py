"""Standard forms: found and verified, or refuted with a certificate."""

from fractions import Fraction
from itertools import pairwise, permutations, product

import numpy as np
import pytest

from rankine.losses import standard_form
from rankine.theory import standard_form_exists
from rankine.theory.exact_errors import checked_labels, errors, rankings

BINARY = {m: list(product((0, 1), repeat=m)) for m in (2, 3, 4)}


def holds(form, measure):
    """Check a certificate of "no" with nothing but the definition: σ optimal in each part, differences that cancel."""
    labels = list(form.labels)
    table = dict(zip(rankings(len(labels[0])), errors(measure, labels), strict=True))
    m = len(labels[0])
    charge = {}
    strict = False
    for order, i, j, weight in form.certificate:
        assert min(weight) >= 0
        assert order.index(i) < order.index(j)
        mine = sum(w * e for w, e in zip(weight, table[order], strict=True))
        others = [sum(w * e for w, e in zip(weight, row, strict=True)) for o, row in table.items()]
        assert mine == min(others)
        strict |= others.count(mine) == 1
        for to in permutations(range(m)):  # the mean over all renamings of the items
            for y, w in zip(labels, weight, strict=True):
                renamed = tuple(y[to.index(t)] for t in range(m))
                for item, sign in ((i, 1), (j, -1)):
                    key = (renamed, to[item])
                    charge[key] = charge.get(key, Fraction(0)) + sign * w
    assert strict
    assert set(charge.values()) == {0}


@pytest.mark.parametrize("measure", ["AP", "ERR", "RR"])
@pytest.mark.parametrize("m", [3, 4])
def test_no_standard_form_with_a_checked_certificate(measure, m):
    form = standard_form_exists(measure, BINARY[m])
    assert form.answer == "no"
    holds(form, measure)


@pytest.mark.parametrize("measure", ["DCG", "DCG@1", "DCG@2", "nDCG", "nDCG@2", "P@1", "P@2"])
@pytest.mark.parametrize("m", [3, 4])
def test_standard_forms_are_found_and_sort_optimally(measure, m):
    form = standard_form_exists(measure, BINARY[m])
    assert form.answer == "yes"
    rng = np.random.default_rng(0)
    table = errors(measure, list(form.labels))
    for _ in range(40):
        p = [Fraction(int(x)) for x in rng.integers(0, 5, len(form.labels))]
        mean = [sum(x * r[i] for x, r in zip(p, form.r, strict=True)) for i in range(m)]
        error = [sum(x * e for x, e in zip(p, row, strict=True)) for row in table]
        for order, e in zip(rankings(m), error, strict=True):
            if all(mean[a] >= mean[b] for a, b in pairwise(order)):
                assert e == min(error)


def test_the_form_found_is_the_known_one_up_to_scale_and_shift():
    for measure in ("DCG", "nDCG"):
        form = standard_form_exists(measure, BINARY[3])
        formulas = [standard_form(measure, list(map(int, y)), [0, 3]) for y in form.labels]
        spread = [float(max(r) - min(r)) for r in form.r]
        want = [float(r.max() - r.min()) for r in formulas]
        ratios = {round(a / b, 9) for a, b in zip(spread, want, strict=True) if b}
        assert len(ratios) == 1


def test_full_grades_permutations_and_graphs():
    graded = list(product((0, 1, 2), repeat=3))
    assert standard_form_exists("DCG", graded).answer == "yes"
    assert standard_form_exists("ERR", graded).answer == "no"
    assert standard_form_exists("zero-one", [tuple(r + 1 for r in p) for p in permutations(range(3))]).answer == "no"
    edges = []
    for i, j in permutations(range(3), 2):
        a = np.zeros((3, 3), int)
        a[i, j] = 1
        edges.append(a)
    assert standard_form_exists("WPD", edges).answer == "no"


def test_label_sets_without_symmetry():
    labels = [(1, 1, 0, 0), (0, 0, 1, 1), (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0)]
    assert standard_form_exists("AP", labels).answer == "no"
    assert standard_form_exists("DCG", [(1, 0, 0), (0, 1, 0), (1, 1, 0)]).answer == "yes"
    assert standard_form_exists("AP", [(1, 0, 0), (0, 1, 0)]).answer == "yes"  # with few supervisions even AP has one


def test_a_function_as_measure():
    def kendall(order, label):
        return Fraction(sum(label[b] > label[a] for t, a in enumerate(order) for b in order[t + 1 :]))

    assert standard_form_exists(kendall, BINARY[3]).answer == "yes"  # E[y] sorts pairs of binary labels


def test_the_expectations_of_theorem_3():
    """Erratum: the printed 1/24 and 1/12 are sums over the two supervisions; the expectations differ by half."""
    labels = [(1, 1, 0, 0), (0, 0, 1, 1)]
    for measure, want in (("ERR", Fraction(1, 48)), ("AP", -Fraction(1, 24))):
        table = dict(zip(rankings(4), errors(measure, checked_labels(labels)), strict=True))
        gap = sum(table[(0, 1, 2, 3)]) / 2 - sum(table[(0, 2, 1, 3)]) / 2
        assert gap == want
