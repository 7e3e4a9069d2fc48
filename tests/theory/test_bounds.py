"""Risk bounds against the printed formulas in whole numbers."""

import itertools
import math

import numpy as np
import pytest

from experiments.theory.bounds import printed_claim
from rankine.errors import InputError
from rankine.losses import get, pairwise_errors
from rankine.theory import bounds as b
from tests import reference

NUMBERS = {"n": 400, "B": 0.5, "M": 2.0, "delta": 0.1}


def test_hand_computed_values():
    """Theorem 3 with m = 3, B·M = 1, n = 100, δ = 2/e²: √(8·2/100) = 0.4."""
    delta = 2 / math.e**2
    bound = b.full_ranking(0.25, n=100, m=3, B=1, M=1, delta=delta)
    assert bound.complexity == pytest.approx(3 * 4 / 10)
    assert bound.confidence == pytest.approx(3 * (2 + 2) * 0.4)
    assert bound.total == pytest.approx(0.25 + 1.2 + 4.8)
    assert b.bipartite(0, n=100, rel=2, nrel=3, B=1, M=1, delta=delta).total == pytest.approx(6 * 0.4 + 6 * 3 * 0.4)
    assert b.multipartite(0, n=100, level_sizes=[1, 2, 1], B=1, M=1, delta=delta).total == pytest.approx(
        5 * 0.4 + 5 * 4 * 0.4
    )
    assert b.listwise(0, n=100, m=3, B=1, M=1, delta=delta).total == pytest.approx(6 * 0.4 + 6 * 3 * 0.4)
    assert b.average_precision(0, n=100, m=4, rel=2, B=1, M=1, delta=delta).total == pytest.approx(
        6 * 0.4 + 6 * 3 * 0.4
    )


@pytest.mark.parametrize("m", range(1, 21))
def test_logarithms_equal_whole_number_arithmetic(m):
    n, B, M, delta = NUMBERS["n"], NUMBERS["B"], NUMBERS["M"], NUMBERS["delta"]
    bound = b.listwise(0.3, m=m, **NUMBERS)
    complexity, confidence, total = reference.listwise_bound(0.3, n, math.factorial(m), B, M, delta)
    assert bound.log_complexity == pytest.approx(math.log(complexity), abs=1e-12)
    assert bound.log_confidence == pytest.approx(math.log(confidence), abs=1e-12)
    assert bound.log_total == pytest.approx(math.log(total), abs=1e-12)
    for rel in range(m + 1):
        bound = b.average_precision(0.3, m=m, rel=rel, **NUMBERS)
        assert bound.log_total == pytest.approx(
            math.log(reference.listwise_bound(0.3, n, math.comb(m, rel), B, M, delta)[2]), abs=1e-12
        )


def test_pairwise_results_agree_with_each_other_and_the_formula():
    rng = np.random.default_rng(0)
    for _ in range(300):
        sizes = rng.integers(1, 9, rng.integers(1, 6)).tolist()
        bound = b.multipartite(0.3, level_sizes=sizes, **NUMBERS)
        want = reference.pairwise_bound(0.3, sizes=sizes, **NUMBERS)
        assert (bound.complexity, bound.confidence, bound.total) == pytest.approx(want)
        largest = sum(
            s * t * abs(len(sizes) / (i + 1) - len(sizes) / (j + 1))
            for (i, s), (j, t) in itertools.combinations(list(enumerate(sizes)), 2)
        )
        assert math.exp(bound.log_largest) == pytest.approx(largest if len(sizes) > 2 else b.count_pairs(sizes))
    two = b.multipartite(0.3, level_sizes=[3, 4], **NUMBERS)
    assert b.bipartite(0.3, rel=3, nrel=4, **NUMBERS).log_total == two.log_total
    for m in range(1, 12):
        each = b.multipartite(0.3, level_sizes=[1] * m, **NUMBERS)
        assert b.full_ranking(0.3, m=m, **NUMBERS).log_total == each.log_total


def test_the_plain_error_costs_the_factor_of_the_smallest_margin():
    weighted = b.full_ranking(0.3, m=10, **NUMBERS)
    plain = b.full_ranking(0.3, m=10, error="plain", **NUMBERS)
    assert plain.total == pytest.approx(9 * weighted.total)
    assert math.exp(plain.log_largest) == pytest.approx(45)
    assert "0–1" in plain.of
    assert "position-weighted" in weighted.of
    assert "0–1" in b.bipartite(0.3, rel=1, nrel=2, **NUMBERS).of


def test_the_counter_example_to_the_printed_domination():
    """Ranks 9 and 10 swapped by 0.01: the 0–1 error is 1, the position-sensitive hinge 0.121."""
    m = 10
    scores = np.array([1000.0 - 100 * i for i in range(m)])
    scores[9] = scores[8] + 0.01
    y, ptr = np.arange(m)[::-1], [0, m]
    assert get("position-sensitive").value_and_grad(scores, y, ptr)[0] == pytest.approx([0.12111], abs=1e-5)
    assert pairwise_errors(scores, y, ptr) == pytest.approx([1])
    verdicts = [row[4] for row in printed_claim()]
    assert verdicts[0] == "holds"
    assert verdicts[-1] == "violated"
    assert all(float(row[5]) >= 1 for row in printed_claim())


def test_the_hinge_dominates_the_weighted_error_and_the_plain_one_with_the_factor():
    rng = np.random.default_rng(1)
    for _ in range(2000):
        m = int(rng.integers(2, 7))
        y, s = rng.integers(0, 4, m), rng.integers(-2, 3, m) * rng.choice([0.1, 1.0])
        value = get("position-sensitive").value_and_grad(s, y, [0, m])[0][0]
        levels = np.unique(-y, return_inverse=True)[1] + 1
        r = levels.max()
        pairs = [(i, j) for i in range(m) for j in range(m) if y[i] > y[j] and s[i] < s[j]]
        assert value >= sum(abs(r / levels[i] - r / levels[j]) for i, j in pairs) - 1e-12
        assert value * max(r - 1, 1) >= len(pairs) - 1e-12


@pytest.mark.parametrize(
    "make",
    [
        lambda **o: b.full_ranking(0.2, m=5, **o),
        lambda **o: b.multipartite(0.2, level_sizes=[2, 1, 3], **o),
        lambda **o: b.bipartite(0.2, rel=2, nrel=3, **o),
        lambda **o: b.listwise(0.2, m=6, **o),
        lambda **o: b.average_precision(0.2, m=6, rel=2, **o),
        lambda **o: b.arg_max(0.2, A=[3, 2, 1, 0], **o),
        lambda **o: b.soft_max(0.2, level_sizes=[2, 3], **o),
        lambda **o: b.ndcg(0.2, level_sizes=[1, 2, 3], k=2, **o),
    ],
)
def test_monotone_in_everything(make):
    base = make(**NUMBERS).log_total
    assert make(**{**NUMBERS, "n": 401}).log_total < base
    assert make(**{**NUMBERS, "delta": 0.2}).log_total < base
    assert make(**{**NUMBERS, "B": 0.6}).log_total > base
    assert make(**{**NUMBERS, "M": 2.1}).log_total > base
    normalised = make(**NUMBERS).normalised
    assert normalised.log_normaliser == 0
    assert normalised.confidence <= math.sqrt(8 * math.log(2 / 0.1) / 400) + 1e-12


def test_large_lists_have_finite_logarithms():
    bound = b.listwise(0.1, n=100, m=10_000, B=1, M=1)
    assert bound.total == math.inf
    assert bound.log_total == pytest.approx(math.lgamma(10_001) + math.log(0.4 + 3 * math.sqrt(0.08 * math.log(40))))
    assert bound.vacuous
    assert bound.queries_needed(100) == math.inf
    assert b.ndcg(0.1, n=100, level_sizes=[100] * 5, B=1, M=1, k=10).log_total < math.inf


def test_distinct_sequences_at_the_top():
    rng = np.random.default_rng(2)
    for _ in range(60):
        sizes = rng.integers(1, 4, rng.integers(1, 4)).tolist()
        for k in range(1, sum(sizes) + 1):
            assert math.exp(b.count_outputs(sizes, k)) == pytest.approx(reference.top_sequences(sizes, k))


def test_queries_needed_make_the_bound_say_something():
    bound = b.arg_max(0.3, n=50, A=[1.0, 0.5, 0.0], B=1, M=1)
    assert bound.vacuous
    needed = math.ceil(bound.queries_needed(50))
    assert not b.arg_max(0.3, n=needed + 1, A=[1.0, 0.5, 0.0], B=1, M=1).vacuous
    assert b.arg_max(0.3, n=needed - 2, A=[1.0, 0.5, 0.0], B=1, M=1).vacuous
    assert b.arg_max(1.3, n=50, A=[1.0, 0.5, 0.0], B=1, M=1).queries_needed(50) == math.inf


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: b.full_ranking(0.1, n=0, m=3, B=1, M=1), "n must be a whole number, at least 1; got 0"),
        (lambda: b.full_ranking(0.1, n=9, m=3, B=1, M=1, delta=1.0), "delta must lie between 0 and 1"),
        (lambda: b.full_ranking(0.1, n=9, m=3, B=1, M=1, delta=0), "delta must lie between 0 and 1"),
        (lambda: b.full_ranking(-0.1, n=9, m=3, B=1, M=1), "risk must be a finite number"),
        (lambda: b.listwise(0.1, n=9, m=2.5, B=1, M=1), "m must be a whole number"),
        (lambda: b.listwise(0.1, n=9, m=2, B=-1, M=1), "B must be a finite number"),
        (lambda: b.bipartite(0.1, n=9, rel=1, nrel=1, B=1, M=math.inf), "M must be a finite number"),
        (lambda: b.average_precision(0.1, n=9, m=2, rel=3, B=1, M=1), "rel must be at most m = 2"),
        (lambda: b.multipartite(0.1, n=9, level_sizes=[], B=1, M=1), "level_sizes must name"),
        (lambda: b.multipartite(0.1, n=9, level_sizes=[1, 2], B=1, M=1, error="x"), "'weighted' or 'plain'"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_huge_numbers_have_finite_logarithms():
    assert b.full_ranking(0.1, n=10, m=3, B=1e200, M=1e200).log_total == pytest.approx(925, abs=2)
    assert math.isfinite(b.full_ranking(0.1, n=10, m=3, B=1, M=1, delta=1e-320).log_total)
