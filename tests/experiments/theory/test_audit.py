"""The audit refutes bounds that are wrong on purpose, and no others."""

import math
from dataclasses import replace

import numpy as np
import pytest

from experiments.theory.audit import SEEDS, as_printed, audit, claims, claims_of, seeded
from rankine.data.ranking_data import RankingData
from rankine.theory.guarantee import rademacher

CLAIMS = {claim.name: claim for claim in claims()}
LOSSES = {
    "svm-map": [1, 1, 0, 0, 0], "svm-p@2": [1, 1, 0, 0, 0], "svm-rr": [1, 0, 1, 0], "svm-ndcg@2": [2, 1, 0, 0],
    "svm-ndcg": [3, 2, 1, 0], "svm-ndcg:tight": [2, 1, 0, 0], "svm-map:tight": [1, 0, 0, 0],
    "svm-p@2:tight": [1, 0, 0], "svm-ndcg@2:slack": [2, 1, 0, 0], "svm-map:slack": [1, 0, 0, 0],
    "ranksvm": [2, 1, 1, 0], "ranksvm:norm": [2, 1, 1, 0], "position-sensitive": [2, 1, 1, 0],
    "position-sensitive:norm": [3, 2, 1, 0], "sum-ndcg": [3, 2, 1, 0], "sum-ndcg@1": [2, 1, 1, 0],
    "sum-map": [1, 1, 0, 0], "softmax-ndcg": [2, 1, 1, 0], "softmax-map": [1, 1, 0, 0],
}  # fmt: skip


@pytest.mark.parametrize("name", CLAIMS)
def test_right_bounds_are_not_refuted(name):
    assert audit(CLAIMS[name]) == []


@pytest.mark.parametrize("name", LOSSES)
def test_what_bound_prints_for_a_loss_is_not_refuted(name):
    own = claims_of(name, LOSSES[name])
    assert own
    for claim in own:
        assert audit(claim) == []


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.name)
@pytest.mark.parametrize("name", CLAIMS)
def test_every_mistake_is_flagged_in_every_family(name, seed):
    wrong = seeded(CLAIMS[name], seed)
    if wrong is not None:
        assert [flaw.term for flaw in audit(wrong, [seed.term])] == [seed.term]


@pytest.mark.parametrize("name", LOSSES)
def test_mistakes_are_flagged_in_what_bound_prints(name):
    for claim in claims_of(name, LOSSES[name]):
        for seed in SEEDS:
            wrong = seeded(claim, seed)
            if wrong is not None:
                assert audit(wrong, [seed.term]) != [], wrong.name


def test_theorem_3_as_printed_is_refuted():
    (flaw,) = audit(as_printed())
    assert flaw.term == "mean loss"
    assert "error 1, bound 0.3333 for any number of queries" in flaw.witness


def shrunk(name, field, factor):
    claim = CLAIMS[name]

    def make(**options):
        bound = claim.make(**options)
        return replace(bound, **{field: getattr(bound, field) + math.log(factor)})

    return replace(claim, make=make)


@pytest.mark.parametrize(
    ("name", "field", "factor", "term"),
    [
        ("Corollary 2", "log_complexity", 0.99, "complexity"),
        ("Corollary 2", "log_risk", 0.99, "mean loss"),
        ("Theorem 3", "log_risk", 0.99, "mean loss"),
        ("Theorem 3", "log_largest", 0.99, "maximum"),
        ("Theorem 3, 0–1 error", "log_risk", 0.99, "mean loss"),
        ("arg-max hinge", "log_complexity", 0.6, "complexity"),
        ("tighter arg-max hinge", "log_complexity", 0.3, "complexity"),
        ("held-out queries", "log_confidence", 0.5, "confidence"),
        ("held-out queries", "log_risk", 0.5, "mean loss"),
    ],
)
def test_what_has_little_to_spare_is_refuted_when_it_is_a_little_less(name, field, factor, term):
    assert term in [flaw.term for flaw in audit(shrunk(name, field, factor))]


def test_the_average_of_the_witness_sample_is_that_of_the_closed_form():
    n, m, steep, B, M = 25, 4, 1.5, 2.0, 3.0
    query = np.repeat(np.arange(n), m)
    average = rademacher(RankingData(M * np.eye(n)[query], np.tile(range(m), n), query), np.full(n, steep), B)
    assert average.most == pytest.approx(math.sqrt(2) * B * M * steep * math.sqrt(m / n))
    assert average.value <= average.most
