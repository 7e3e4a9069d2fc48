"""The tighter bounds against all permutations, CCCP and subgradient descent against the bundle method."""

import warnings
from itertools import pairwise

import numpy as np
import pytest

import rankine as rk
from rankine import losses
from rankine.losses.structured.hinge import StructuredHinge
from rankine.losses.structured.tight import TightHinge
from rankine.sample import judged_set

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


@pytest.fixture(scope="module")
def data():
    found = judged_set(n_queries=40)
    return rk.Normaliser("zscore").fit(found).apply(found)


@pytest.mark.parametrize("loss", ["svm-ndcg@10:tight", "svm-map:tight", "svm-ndcg@5"])
def test_the_objective_never_rises(data, loss):
    options = {"target": "best"} if ":" not in loss else {}
    with warnings.catch_warnings():  # the convex optimum may be w = 0
        warnings.simplefilter("ignore")
        convex = rk.LinearRanker(loss=loss.split(":")[0], C=1.0).fit(data)
    model = rk.LinearRanker(loss=loss, C=1.0, loss_options=options, n_starts=4).fit(data)
    objectives = [step.objective for step in model.history_]
    assert all(b <= a + 1e-9 for a, b in pairwise(objectives))
    made = losses.get(loss, **options)
    value = made.value_and_grad(data.X @ convex.coef_, data.y, data.ptr)[0].sum()
    assert model.objective_ <= 0.5 * convex.coef_ @ convex.coef_ + value + 1e-9
    assert (model.lower_bound_, model.gap_) == (0.0, 1.0)
    again = rk.LinearRanker(loss=loss, C=1.0, loss_options=options, solver="subgradient").fit(data)
    assert again.objective_ <= objectives[0] + 1e-9
    from_regression = rk.LinearRanker(loss=loss, loss_options=options, solver="subgradient", w0="regression").fit(data)
    assert from_regression.objective_ > 0
    assert rk.evaluate("AP", data.y, from_regression.predict(data), data.qid).mean["AP"] > 0.4


@pytest.mark.parametrize("solver", ["subgradient", "conjugate"])
@pytest.mark.parametrize("loss", ["svm-ndcg@10", "svm-map", "ranksvm", "ranksvm-l2"])
def test_subgradient_descent_reaches_the_same_optimum(data, solver, loss):
    options = {"A": "partial-order"} if "ndcg" in loss else {}
    want = rk.LinearRanker(loss=loss, C=0.1, tol=1e-4, loss_options=options).fit(data)
    found = rk.LinearRanker(loss=loss, C=0.1, solver=solver, max_iter=5000, loss_options=options).fit(data)
    assert found.gap_ <= 1e-3
    assert found.lower_bound_ <= want.objective_ * (1 + 1e-9)
    assert want.lower_bound_ <= found.objective_ <= want.objective_ * (1 + 2e-3)


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


@pytest.mark.parametrize("schedule", ["query", "pass", 7])
@pytest.mark.parametrize("loss", ["svm-ndcg@10", "svm-map"])
def test_the_dual_reaches_the_same_optimum(data, loss, schedule):
    from rankine.rankers.dual import LinearDual
    from rankine.solvers.cutting_plane import cutting_plane

    options = {"A": "partial-order"} if "ndcg" in loss else {}
    for w0 in (None, np.linspace(-1, 1, data.n_features)):
        want = rk.LinearRanker(loss=loss, C=0.3, tol=1e-4, loss_options=options, w0=w0).fit(data)
        prepared = losses.get(loss, **options).prepare(data.y, data.ptr)
        found = cutting_plane(LinearDual(data.X, prepared, None, w0), 0.3, schedule=schedule, tol=1e-3)
        assert found.gap <= 1e-3
        assert found.lower_bound <= want.objective_ * (1 + 1e-9)
        assert want.lower_bound_ * (1 - 1e-9) <= found.objective <= want.objective_ * (1 + 2e-3)


def test_the_dual_as_a_solver(data):
    weights = np.linspace(0, 2, data.n_queries)
    want = rk.LinearRanker(loss="svm-map", C=1.0, tol=1e-4).fit(data, query_weight=weights)
    found = rk.LinearRanker(loss="svm-map", C=1.0, solver="cutting-plane").fit(data, query_weight=weights)
    assert found.objective_ == pytest.approx(want.objective_, rel=2e-3)
    assert found.gap_ <= 1e-3
    with pytest.raises(rk.InputError, match="not convex"):
        rk.LinearRanker(loss="svm-map:tight", loss_options={"A": "linear"}, solver="cutting-plane").fit(data)


def slack(of, k, A, y, s):
    """Over all permutations."""
    m = len(y)
    levels = list(y) if of == "ndcg" else [int(g >= 1) for g in y]
    orders = list(ref.permutations(range(m)))
    deltas = [ref.prediction_loss(of, k, y, order) for order in orders]
    if deltas[0] is None or max(deltas) - min(deltas) < 1e-12:
        return 0.0
    scored = [ref.ranking_score(A, k, levels, s, order) for order in orders]
    perfect = [f for f, o in zip(scored, orders, strict=True) if all(levels[a] >= levels[b] for a, b in pairwise(o))]
    star = sum(perfect) / len(perfect)
    return max(d * (1 + f - star) for d, f in zip(deltas, scored, strict=True))


@pytest.mark.parametrize(("of", "k", "A"), [c for c in CONFIGURATIONS if c[1] in (None, 2)])
def test_slack_rescaling_is_found_or_enclosed(of, k, A, monkeypatch):
    from rankine.losses.structured import slack as module
    from rankine.losses.structured.slack import SlackHinge

    rng = np.random.default_rng(5)
    loss = SlackHinge(StructuredHinge(of, k, A=A))
    for few in (2000, 0):  # by looking at all, and by bounds alone
        monkeypatch.setattr(module, "_FEW", max(few, 1e-9))
        for _ in range(40):
            y, s = case(rng, most=5)
            prepared = loss.prepare(y, [0, len(y)])
            low, high, grad = prepared.certified(np.asarray(s, float))
            want = slack(of, k, A, y, s)
            room = 1e-9 * max(1, abs(want), abs(s).max())
            assert low[0] - room <= want <= high[0] + room
            if few and of != "rr":
                assert low[0] == pytest.approx(want, abs=room)
                other = s + 0.3 * rng.normal(size=len(s))
                assert slack(of, k, A, y, other) >= want + grad @ (other - s) - 1e-8 * max(1, abs(s).max())


def test_a_fit_with_slack_rescaling(data):
    model = rk.LinearRanker("svm-ndcg@10:slack", C=0.3, loss_options={"A": "partial-order"}).fit(data)
    assert model.history_[-1].gap <= 1e-3
    assert model.lower_bound_ <= model.history_[-1].objective <= model.objective_  # counted with the upper bounds
    assert model.score(data) > 0.7


def test_projection_onto_position_weights():
    from rankine.rankers.position_weights import project

    rng = np.random.default_rng(8)
    for _ in range(100):
        a, total = rng.normal(size=6), float(rng.uniform(0.5, 5))
        p = project(a, total)
        assert (np.diff(p) <= 1e-9).all()
        assert (p >= 0).all()
        assert p.sum() == pytest.approx(total)
        for _ in range(20):  # no other such weights are nearer
            other = np.sort(rng.random(6))[::-1]
            other *= total / other.sum()
            assert np.linalg.norm(p - a) <= np.linalg.norm(other - a) + 1e-9


@pytest.mark.parametrize("loss", ["svm-ndcg@5", "svm-map"])
def test_learned_position_weights(data, loss):
    model = rk.LinearRanker(loss, C=0.3, loss_options={"A": "learn"}).fit(data)
    assert all(b <= a * (1 + 1e-12) for a, b in pairwise(model.A_history_))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fixed = rk.LinearRanker(loss, C=0.3, loss_options={"A": "linear"}).fit(data)
    assert model.objective_ <= fixed.objective_ * (1 + 1e-3)
    assert (np.diff(model.A_) <= 1e-9).all()
    assert (model.A_ >= 0).all()
    for wrong, message in (({"loss": "ranksvm"}, "structural"), ({"w0": np.zeros(data.n_features)}, "takes neither")):
        with pytest.raises(rk.InputError, match=message):
            rk.LinearRanker(**{"loss": loss, "loss_options": {"A": "learn"}, **wrong}).fit(data)


def test_a_path_is_no_worse_than_single_fits(data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = rk.LinearRanker("svm-ndcg@5:tight").path([0.01, 1.0], data)
        alone = rk.LinearRanker("svm-ndcg@5:tight", C=1.0).fit(data)
    assert path[-1].objective_ <= alone.objective_ * (1 + 1e-9)


def test_learned_weights_are_saved_and_shown(data, tmp_path):
    from ...cli.test_cli import rankine

    model = rk.LinearRanker("svm-ndcg@5", C=0.3, loss_options={"A": "learn"}).fit(data)
    model.save(tmp_path / "m.json")
    np.testing.assert_array_equal(rk.load(tmp_path / "m.json").A_, model.A_)
    least = rk.LinearRanker("svm-ndcg@5", C=0.3, loss_options={"A": model.A_}, tol=1e-5).fit(data)
    assert model.lower_bound_ <= least.objective_ * (1 + 1e-6)
    with pytest.raises(rk.InputError, match="convex"):
        rk.LinearRanker("svm-ndcg@5", loss_options={"A": "learn", "target": "best"}).fit(data)
    rk.save_letor(data, tmp_path / "d.txt")
    out = rankine(tmp_path, "train", "d.txt", "--loss", "svm-ndcg@5", "--weights", "learn", "-o", "l.json")
    assert "guaranteed" in out.stderr
    done = rankine(tmp_path, "train", "d.txt", "--loss", "svm-ndcg@5:tight", "-o", "t.json")
    assert "not certified" in done.stderr
