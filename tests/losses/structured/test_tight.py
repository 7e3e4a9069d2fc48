"""The tighter bounds against all permutations."""

import numpy as np
import pytest

import rankine as rk
from rankine import losses
from rankine.losses.structured.hinge import StructuredHinge
from rankine.losses.structured.tight import TightHinge

from ... import reference as ref
from .test_hinge import CONFIGURATIONS, case, many


@pytest.mark.parametrize(("of", "k", "A"), CONFIGURATIONS)
def test_values_are_those_of_all_permutations(of, k, A):
    rng = np.random.default_rng(len(str((of, k, A))))
    base = StructuredHinge(of, k, A=A)
    for _ in range(40):
        y, s = case(rng)
        ptr = [0, len(y)]
        tight = TightHinge(base).value_and_grad(s, y, ptr)[0][0]
        best = TightHinge(base, perfect=True).value_and_grad(s, y, ptr)[0][0]
        for value, target in ((tight, "tight"), (best, "best")):
            want = ref.structural_hinge(of, k, A, target, y, s)
            assert abs(value - want) <= 1e-10 * max(1, abs(want), abs(s).max()), (y, s, target)
        mean = base.value_and_grad(s, y, ptr)[0][0]
        assert -1e-10 <= tight <= best + 1e-9 * max(1, abs(s).max()) <= mean + 2e-9 * max(1, abs(s).max())


@pytest.mark.parametrize("name", ["svm-ndcg@10", "svm-ndcg", "svm-map", "svm-rr", "svm-p@5"])
@pytest.mark.parametrize("A", [None, "partial-order", "inverse-sqrt"])
def test_bounds_stand_in_order_and_above_the_loss(name, A):
    rng = np.random.default_rng(3)
    options = {} if A is None else {"A": A}
    y, ptr = many(rng, n=300, longest=40)
    s = np.round(rng.normal(size=int(ptr[-1])), 1)
    tight = losses.get(f"{name}:tight", **options).value_and_grad(s, y, ptr)[0]
    best = losses.get(name, target="best", **options).value_and_grad(s, y, ptr)[0]
    mean = losses.get(name, **options).value_and_grad(s, y, ptr)[0]
    assert (tight <= best + 1e-9).all()
    assert (best <= mean + 1e-9).all()
    assert (tight >= 0).all()
    qid = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    unique = s + 1e-7 * rng.random(len(s))
    measure = losses.get(name, **options).measure
    lost = 1 - rk.evaluate(measure, y, unique, qid, empty="one").per_query[measure]
    if not name.startswith("svm-p"):
        bound = losses.get(f"{name}:tight", **options).value_and_grad(unique, y, ptr)[0]
        assert (lost <= bound + 1e-6).all()


def test_what_touches_lies_above_and_is_convex():
    rng = np.random.default_rng(4)
    for _ in range(300):
        y, s = case(rng)
        loss = TightHinge(StructuredHinge("ndcg", 3, A=str(rng.choice(["linear", "partial-order", "discount"]))))
        prepared = loss.prepare(y, [0, len(y)])
        touching = prepared.touching(s)
        assert touching(s)[0][0] == pytest.approx(prepared(s)[0][0], abs=1e-9)
        other = s + rng.normal(size=len(s))
        assert touching(other)[0][0] >= prepared(other)[0][0] - 1e-9
        value, grad = touching(s)
        assert touching(other)[0][0] >= value[0] + grad @ (other - s) - 1e-9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"loss": "svm-ndcg@10:tight", "solver": "bundle"}, "not convex"),
        ({"loss": "svm-ndcg@10", "solver": "cccp"}, "touches it"),
        ({"loss": "svm-ndcg@10:tight", "n_starts": 0}, "n_starts"),
        ({"w0": "nonsense"}, "'regression'"),
        ({"loss": "ranksvm:tight"}, "unknown loss"),
    ],
)
def test_bad_input(data, options, message):
    with pytest.raises(rk.InputError, match=message):
        rk.LinearRanker(**options).fit(data)


def test_wrappers_need_a_target_that_does_not_depend_on_the_scores():
    for wrapper in (TightHinge, losses.structured.SlackHinge):
        with pytest.raises(rk.InputError, match="needs a convex hinge, whose target is 'mean' or 'random'"):
            wrapper(StructuredHinge("ndcg", k=5, target="best"))
        wrapper(StructuredHinge("map", target="best"))  # its targets coincide
