"""The laboratory: Bayes-optimal rankings, minimisers, counter-examples, standard forms with their certificates."""

from fractions import Fraction
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from scipy.optimize import minimize

import rankine as rk
from rankine.errors import InputError
from rankine.losses import get, standard_form
from rankine.theory import consistency as lab
from rankine.theory import standard_form_exists
from rankine.theory.errors_of_rankings import checked_labels, errors, rankings
from rankine.theory.rationals import vertex
from tests.cli.test_cli import rankine

BINARY = {m: list(product((0, 1), repeat=m)) for m in (2, 3, 4)}


@pytest.mark.parametrize("measure", ["DCG", "DCG@2", "nDCG", "nDCG@1", "AP", "RR", "P@2", "ERR", "nDCG(dcg='log2')@2"])
def test_exact_errors_are_those_of_the_measures(measure):
    labels = list(product((0, 1, 2), repeat=3))
    table = errors(measure, checked_labels(labels))
    for k, y in enumerate(labels):
        for order, row in zip(rankings(3), table, strict=True):
            scores = [-order.index(i) for i in range(3)]
            asked = measure if measure != "ERR" else "ERR(gmax=2)"
            found = next(iter(rk.evaluate(asked, list(y), scores, [0] * 3).mean.values()))
            assert 1 - float(row[k]) == pytest.approx(found, abs=1e-12)


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


def test_bayes_optimal_rankings_by_hand():
    found = lab.bayes_optimal("AP", [(1, 0, 0), (0, 1, 0)], [Fraction(2, 3), Fraction(1, 3)])
    assert found.rankings == ((0, 1, 2),)
    assert found.error == 1 - (Fraction(2, 3) + Fraction(1, 3) / 2)


@pytest.mark.parametrize("loss", ["squared-dcg", "consistent-dcg", "preorder", "listnet", "ranksvm-l2", "svm-ndcg"])
def test_minimisers_cannot_be_improved(loss):
    """Against SciPy from several starts on the same expected loss."""
    rng = np.random.default_rng(0)
    labels = list(product((0, 1, 2), repeat=3))
    for _ in range(6):
        some = rng.choice(27, 3, replace=False)
        p = np.array([0.5, 0.3, 0.2])
        y = np.array([labels[k] for k in some], float).ravel()

        def expected(s, y=y, p=p):
            return float(get(loss).value_and_grad(np.tile(s, 3), y, [0, 3, 6, 9])[0] @ p)

        found = lab.minimiser(loss, [labels[k] for k in some], p)
        for start in (np.zeros(3), rng.normal(size=3)):
            other = minimize(expected, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
            assert expected(found) <= other.fun + 1e-5 * (1 + other.fun)


@pytest.mark.parametrize("loss", ["consistent-dcg", "squared-dcg"])
def test_consistent_losses_are_never_refuted(loss):
    assert lab.search(loss, "DCG", lab.every_label((0, 1, 2), 3), tries=60) is None
    assert lab.search(loss.replace("dcg", "ndcg"), "nDCG", lab.every_label((0, 1, 2), 3), tries=60) is None


@pytest.mark.parametrize("loss", ["preorder", "preorder:norm+dcg", "ranksvm-l2", "listnet"])
def test_others_are(loss):
    found = lab.search(loss, "DCG", lab.every_label((0, 1, 2), 3), tries=60)
    assert found is not None
    expected = dict(zip(rankings(3), errors("DCG", list(found.labels)), strict=True))

    def error(order):
        return sum(p * e for p, e in zip(found.probabilities, expected[order], strict=True))

    assert {o for o in rankings(3) if error(o) == min(map(error, rankings(3)))} == set(found.optimum.rankings)
    sorted_by_loss = tuple(np.argsort(-np.array(found.scores), kind="stable").tolist())
    assert found.regret > 0
    if len(found.order) == 3:
        assert error(sorted_by_loss) - found.optimum.error == found.regret


def test_the_order_preserving_loss_succeeds_where_the_preorder_loss_fails():
    bad = lab.search("preorder", "DCG", lab.every_label((0, 1, 2), 3), tries=60)
    used = [(y, p) for y, p in zip(bad.labels, bad.probabilities, strict=True) if p]
    good = lab.check("consistent-dcg", "DCG", [y for y, _ in used], [p for _, p in used])
    assert good.answer == "consistent here"
    assert good.regret == 0


# Standard forms -------------------------------------------------------------------------------------------------------


def holds(found, measure):
    """Check a certificate of "no" with nothing but the definition: σ optimal in each part, differences that cancel."""
    labels = list(found.labels)
    table = dict(zip(rankings(len(labels[0])), errors(measure, labels), strict=True))
    m = len(labels[0])
    charge = {}
    strict = False
    for order, i, j, weight in found.certificate:
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
    found = standard_form_exists(measure, BINARY[m])
    assert found.answer == "no"
    holds(found, measure)


@pytest.mark.parametrize("measure", ["DCG", "DCG@1", "DCG@2", "nDCG", "nDCG@2", "P@1", "P@2"])
@pytest.mark.parametrize("m", [3, 4])
def test_standard_forms_are_found_and_sort_optimally(measure, m):
    found = standard_form_exists(measure, BINARY[m])
    assert found.answer == "yes"
    rng = np.random.default_rng(0)
    table = errors(measure, list(found.labels))
    for _ in range(40):
        p = [Fraction(int(x)) for x in rng.integers(0, 5, len(found.labels))]
        mean = [sum(x * r[i] for x, r in zip(p, found.r, strict=True)) for i in range(m)]
        error = [sum(x * e for x, e in zip(p, row, strict=True)) for row in table]
        for order, e in zip(rankings(m), error, strict=True):
            if all(mean[a] >= mean[b] for a, b in pairwise(order)):
                assert e == min(error)


def test_the_form_found_is_the_known_one_up_to_scale_and_shift():
    for measure in ("DCG", "nDCG"):
        found = standard_form_exists(measure, BINARY[3])
        known = [standard_form(measure, list(map(int, y)), [0, 3]) for y in found.labels]
        spread = [float(max(r) - min(r)) for r in found.r]
        want = [float(r.max() - r.min()) for r in known]
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


# Noise conditions -----------------------------------------------------------------------------------------------------


def test_wpd_form_is_optimal_under_low_noise_and_not_outside():
    rng = np.random.default_rng(4)
    inside = outside = wrong = 0
    while inside < 40 or outside < 40:
        labels = []
        for _ in range(3):
            a = np.zeros((3, 3), int)
            order = rng.permutation(3)
            for s, t in ((0, 1), (0, 2), (1, 2)):
                a[order[s], order[t]] = rng.integers(0, 4)
            labels.append(a)
        p = [Fraction(1, 3)] * 3
        if len({x.tobytes() for x in labels}) < 3:
            continue
        balance = sum(x - x.T for x in labels).sum(axis=1)
        best = lab.bayes_optimal("WPD", labels, p).rankings
        sorts = any(all(balance[a] >= balance[b] for a, b in pairwise(o)) for o in best)
        if lab.low_noise(labels, p):
            inside += 1
            assert sorts
        else:
            outside += 1
            wrong += not sorts
    assert (inside, outside, wrong) == (40, 73, 15)


def test_zero_one_form_on_order_preserving_spaces_and_outside():
    ranks = [tuple(r + 1 for r in p) for p in permutations(range(3))]
    rng = np.random.default_rng(5)
    inside, wrong = 0, 0
    for _ in range(400):
        # Mallows-like models are order-preserving for the pairs of their centre; random ones hardly ever are
        weight = [2.0 ** -sum(r[a] > r[b] for a, b in ((0, 1), (0, 2), (1, 2))) for r in ranks]
        if rng.random() < 0.5:
            weight = rng.random(6).tolist()
        p = [Fraction(w).limit_denominator(1000) for w in weight]
        p = [x / sum(p) for x in p]
        known = dict(zip(ranks, p, strict=True))
        mean = [sum(x * (4 - r[i]) for r, x in known.items()) for i in range(3)]
        best = lab.bayes_optimal("zero-one", ranks, p).rankings
        sorts = any(all(mean[a] >= mean[b] for a, b in pairwise(o)) for o in best)
        order = best[0]
        if all(lab.order_preserving(known, a, b) for a, b in pairwise(order)):
            inside += 1
            assert sorts
        else:
            wrong += not sorts
    assert (inside, wrong) == (199, 113)


# Odds and ends --------------------------------------------------------------------------------------------------------


def test_exact_vertices():
    """x + y = 1, x − y = 1/3 (tight); floats near the solution."""
    rows = [([Fraction(1), Fraction(1)], Fraction(1))]
    tight = [([Fraction(1), Fraction(-1)], Fraction(1, 3)), ([Fraction(1), Fraction(-1)], Fraction(1, 2))]
    assert vertex(rows, tight, [0.6666, 0.3334]) == [Fraction(2, 3), Fraction(1, 3)]
    assert vertex(rows, [], [0.0, 0.9]) == [0, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lab.bayes_optimal("AP", [(0,) * 8], [1]), "between 2 and 7 items"),
        (lambda: lab.bayes_optimal("AP", [(0, 1), (0, 1, 1)], [0.5, 0.5]), "expected 2 items like the first one"),
        (lambda: lab.bayes_optimal("AP", [(0, 1), (1, 0)], [0.5, 0.6]), "sum to 1"),
        (lambda: lab.bayes_optimal("AP", [(0, 1), (1, 0)], [1]), "each of the 2 supervisions, got 1"),
        (lambda: lab.bayes_optimal("AP", [(0, 1), (0, 1)], [0.5, 0.5]), "given twice"),
        (lambda: lab.bayes_optimal("NDGC", [(0, 1)], [1]), "unknown measure 'NDGC'"),
        (lambda: lab.bayes_optimal("AP", [(0, float("nan"))], [1]), "all finite"),
        (lambda: lab.bayes_optimal("AP", [], []), "at least one supervision"),
        (lambda: lab.check("svm-map:tight", "AP", [(0, 1)], [1]), "not convex"),
        (lambda: standard_form_exists("AP", list(product((0, 1), repeat=7))), "at most 6 items"),
        (lambda: lab.every_label((0, 1), 30), "between 2 and 7 items"),
        (lambda: lab.every_label(range(9), 6), "too many"),
        (lambda: lab.bayes_optimal("AP", [1, 2], [0.5, 0.5]), "expected grades"),
        (lambda: lab.bayes_optimal("AP", [(0, 1)], ["1/0"]), "expected probabilities"),
        (lambda: lab.bayes_optimal("nDCG(dcg='letor')", [(0, 1)], [1]), "LETOR tool"),
        (lambda: lab.bayes_optimal(None, [(0, 1)], [1]), "the name of a measure"),
        (lambda: lab.bayes_optimal(lambda o, y: None, [(0, 1)], [1]), "must be a number"),
        (lambda: lab.bayes_optimal("WPD", [((0, -1), (0, 0))], [1]), "not negative"),
        (lambda: lab.low_noise([(0, 1)], [1]), "property of preferences"),
        (lambda: lab.search("preorder", "DCG", [(0, 1), (1, 0)], tries=2.5), "whole number"),
        (lambda: lab.order_preserving({(1, 2): Fraction(1)}, 0, 5), "numbered from 0 to 1"),
        (lambda: standard_form_exists("zero-one", [(1, 1)]), "the ranks 1 to 2, each once"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_command_line(tmp_path):
    assert "standard form: no" in rankine(tmp_path, "consistency", "AP").stdout
    assert "standard form: yes" in rankine(tmp_path, "consistency", "nDCG@2", "-m", "4").stdout
    out = rankine(tmp_path, "consistency", "DCG", "-l", "preorder", "-g", "0,1,2").stdout
    assert "inconsistent: the loss sorts" in out
    assert "no proof" in rankine(tmp_path, "consistency", "DCG", "-l", "consistent-dcg", "--tries", "5").stdout
    given = tmp_path / "given.txt"
    given.write_text("# probability and grades\n0.5 1 0 0\n1/2 0 1 1\n")
    assert (
        "consistent here" in rankine(tmp_path, "consistency", "DCG", "-l", "squared-dcg", "--given", str(given)).stdout
    )
    given.write_text("0.5\n")
    failed = rankine(tmp_path, "consistency", "DCG", "-l", "squared-dcg", "--given", str(given), code=1)
    assert "line 1" in failed.stderr
    assert "whole numbers with commas" in rankine(tmp_path, "consistency", "AP", "-g", "x", code=1).stderr


def test_exact_probabilities_stay_exact():
    p = [Fraction(500000001, 10**9), Fraction(499999999, 10**9)]
    assert lab.bayes_optimal("DCG", [(0, 1), (1, 0)], p).rankings == ((1, 0),)


@pytest.mark.parametrize("loss", ["preorder", "ranksvm", "listnet", "svm-ndcg"])
def test_verdicts_do_not_depend_on_the_numbering_of_items(loss):
    rng = np.random.default_rng(1)
    labels = list(product((0, 1, 2), repeat=3))
    for _ in range(4):
        some = rng.choice(27, 3, replace=False)
        to = rng.permutation(3)
        p = ["1/2", "3/10", "1/5"]
        one = lab.check(loss, "DCG", [labels[k] for k in some], p)
        two = lab.check(loss, "DCG", [tuple(labels[k][i] for i in to) for k in some], p)
        assert one.answer == two.answer
        if one.answer != "undecided":
            assert one.regret == two.regret


def test_a_true_tie_is_inconsistent_whichever_item_comes_first():
    assert lab.check("preorder", "DCG", [(3, 0), (0, 1)], [0.5, 0.5]).answer == "inconsistent"
    assert lab.check("preorder", "DCG", [(0, 3), (1, 0)], [0.5, 0.5]).answer == "inconsistent"


def test_ranks_are_turned_round_for_losses_of_grades():
    for loss in ("listnet", "squared", "consistent-rank"):
        assert lab.check(loss, "zero-one", [(1, 2, 3)], [1]).answer == "consistent here"


def test_relevance_levels_are_honoured():
    both = [lab.bayes_optimal(f"P(rel={rel})@1", [(2, 1)], [1]).error for rel in (1, 2)]
    assert both == [0, 0]
    assert len(lab.bayes_optimal("P(rel=1)@1", [(2, 1)], [1]).rankings) == 2
    assert len(lab.bayes_optimal("P(rel=2)@1", [(2, 1)], [1]).rankings) == 1
