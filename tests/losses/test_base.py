"""The protocol of losses: what each states about itself is true, whichever loss it is."""

import numpy as np
import pytest

import rankine as rk
from rankine.losses import Loss, get, names
from rankine.losses.base import Prepared
from rankine.losses.supervision import GRADES, PREFERENCES, RANKS
from rankine.sample import judged_set

ALL = [name.replace("@k", f"@{k}") for name in names() for k in ((1, 3) if "@k" in name else (0,))]


def supervision_of(loss, rng, m):
    """Random supervision of one query with m documents, as the loss takes it."""
    if GRADES in loss.supervision:
        return rng.integers(0, 3, m).astype(float)
    if RANKS in loss.supervision:
        return rng.permutation(m) + 1.0
    winner, loser = np.triu_indices(m, 1)
    return rk.Preferences(winner, loser, rng.random(len(winner)))


@pytest.mark.parametrize("name", ALL)
def test_a_loss_bounds_what_it_says(name):
    loss, rng, reached = get(name), np.random.default_rng(1), 0
    if loss.bounded is None:
        assert name.endswith(":sample") or not name.startswith(
            ("svm-", "sum-", "softmax-", "ranksvm", "position-sensitive")
        )
        return
    for _ in range(150):
        lengths = rng.integers(1, 6, 3)
        ptr = np.concatenate([[0], np.cumsum(lengths)])
        y = rng.integers(0, 3, ptr[-1]).astype(float)
        scores = rng.choice([-1.0, 0.0, 0.2, 3.0], ptr[-1])  # ties among them
        bounded = loss.bounded.values(scores, y, ptr)
        assert (loss.prepare(y, ptr).upper(scores) >= bounded - 1e-9).all()
        assert (bounded >= -1e-12).all()
        reached += int((bounded > 0.1).sum())
    assert reached > 40


def test_precision_is_bounded_as_a_share_of_the_best_possible():
    loss = get("svm-p@5")
    assert loss.bounded.text == "1 − P@5 / best possible P@5"
    scores, y, ptr = [9.0, 0.0, 0.0, 0.0, 0.0, 0.0], [1, 0, 0, 0, 0, 0], [0, 6]  # one relevant document, far above
    value = loss.prepare(y, ptr).upper(scores)[0]
    precision = rk.evaluate("P@5", y, scores, [0] * 6).mean["P@5"]
    assert precision == pytest.approx(0.2)
    assert value < 1 - precision  # 1 − P@5 is 0.8 and not bounded
    assert loss.bounded.values(scores, y, ptr)[0] == pytest.approx(0.0)


@pytest.mark.parametrize("name", ALL)
def test_options_make_the_loss_again(name):
    loss, rng = get(name), np.random.default_rng(2)
    again = loss.with_options()
    assert (again.name, repr(again)) == (loss.name, repr(loss))
    y, ptr, scores = supervision_of(loss, rng, 5), [0, 5], rng.normal(size=5)
    np.testing.assert_array_equal(again.value_and_grad(scores, y, ptr)[1], loss.value_and_grad(scores, y, ptr)[1])


def test_every_option_survives_a_copy():
    hinge = get("svm-ndcg@3", A="discount", target="random", gain="linear", seed=4, threads=1)
    copy = hinge.with_options(A=[2.0, 1.0, 0.5])
    assert copy.options() | {"A": None} == hinge.options() | {"A": None}
    assert list(copy.A) == [2.0, 1.0, 0.5]


@pytest.mark.parametrize("name", ALL)
def test_supervision_is_converted_in_one_place(name):
    loss, rng = get(name), np.random.default_rng(3)
    y = supervision_of(loss, rng, 6)
    loss.prepare(y, [0, 6])
    if RANKS in loss.supervision:
        np.testing.assert_array_equal(np.argsort(loss.as_grades(y)), np.argsort(-y))
        np.testing.assert_array_equal(loss.after_dropping(np.array([5.0, 2.0, 9.0]), np.array([0, 3])), [2, 1, 3])
    else:
        assert loss.as_grades(y) is y
        assert loss.after_dropping(y, np.array([0, 6])) is y
    if loss.supervision == (PREFERENCES,):
        with pytest.raises(rk.InputError, match="expected a preference graph"):
            loss.prepare(rng.random(6), [0, 6])
    elif PREFERENCES not in loss.supervision:
        with pytest.raises(rk.InputError, match=r"needs grades|expected a permutation"):
            loss.prepare(rk.Preferences([0], [1]), [0, 6])


@pytest.mark.parametrize("name", ALL)
def test_what_a_loss_cannot_give_is_an_error_that_says_so(name):
    loss, rng = get(name), np.random.default_rng(4)
    prepared = loss.prepare(supervision_of(loss, rng, 5), [0, 5])
    scores = rng.normal(size=5)
    if loss.convex or prepared.touches:
        assert prepared.convex_bound().loss.convex
        above, own = prepared.touching(scores), prepared(scores)[0]
        assert above.loss.convex
        np.testing.assert_allclose(above(scores)[0], own, atol=1e-12)
        other = scores + rng.normal(size=5)
        assert (above(other)[0] >= prepared(other)[0] - 1e-12).all()
    if loss.has_constants:
        assert len(prepared.constants().l2) == 1
    else:
        with pytest.raises(rk.InputError, match="no risk bound is known"):
            prepared.constants()
    assert prepared.exact == (":slack" not in name)


class Bumpy(Loss):
    """A loss of a user's own that is not convex and offers nothing more."""

    name, convex = "bumpy", False

    def prepare(self, y, ptr, doc_weight=None):
        return PreparedBumpy(self, *self.check_grades(y, ptr))


class PreparedBumpy(Prepared):
    def __init__(self, loss, grades, ptr):
        super().__init__(loss, ptr)
        self.grades = grades

    def evaluate(self, q0, q1, scores, values, grad):
        lo, hi = self.ptr[q0], self.ptr[q1]
        off = scores[lo:hi] - self.grades[lo:hi]
        values[q0:q1] = np.add.reduceat(1 - np.exp(-(off**2)), self.ptr[q0:q1] - lo)
        grad[lo:hi] = 2 * off * np.exp(-(off**2))


@pytest.mark.parametrize("loss", [Bumpy(), rk.losses.structured.StructuredHinge("ndcg", k=3, target="best")])
def test_a_loss_object_that_is_not_convex(loss):
    rng = np.random.default_rng(5)
    X, y, qid = rng.normal(size=(40, 3)), rng.integers(0, 3, 40), np.arange(40) // 8
    prepared = loss.prepare(y[:8], [0, 8])
    for ask in (lambda: prepared.touching(np.zeros(8)), prepared.convex_bound):
        with pytest.raises(rk.InputError, match="no convex bound"):
            ask()
    model = rk.LinearRanker(loss, C=1.0).fit(X, y, qid=qid)  # auto: subgradient descent
    ordered = rk.RankingData(X, y, qid)
    at_zero = loss.value_and_grad(np.zeros(40), ordered.y, ordered.ptr)[0].sum()
    assert model.objective_ < at_zero
    with pytest.raises(rk.InputError, match=r"solver='cccp' needs a loss with a convex bound that touches it"):
        rk.LinearRanker(loss, solver="cccp").fit(X, y, qid=qid)
    with pytest.raises(rk.InputError, match=r"is not convex, solver='newton' needs a convex loss: use .*subgradient"):
        rk.LinearRanker(loss, solver="newton").fit(X, y, qid=qid)


@pytest.fixture(scope="module")
def data():
    return judged_set(n_queries=30)


def test_curvature_is_exact_where_it_exists(data):
    scores = np.random.default_rng(1).normal(size=data.n_documents)
    for name in ("squared", "squared-dcg", "listnet"):
        prepared = get(name).prepare(data.y, data.ptr)
        grad = prepared(scores)[1]
        curvature = prepared.diagonal(scores, grad)
        for i in range(0, data.n_documents, 97):
            moved = scores.copy()
            moved[i] += 1e-5
            assert curvature[i] == pytest.approx((prepared(moved)[1][i] - grad[i]) / 1e-5, rel=1e-3, abs=1e-6)


def test_a_step_moves_by_at_most_one_margin(data):
    """−Σg/Σh over any set of documents of a query is at most 1/c."""
    rng = np.random.default_rng(2)
    for name in ("svm-ndcg@10", "svm-ndcg@10:tight", "svm-map", "ranksvm"):
        prepared = get(name).prepare(data.y, data.ptr)
        scores = rng.normal(size=data.n_documents)
        grad = prepared(scores)[1]
        curve = prepared.diagonal(scores, grad)
        stiff = prepared.stiffness(grad)
        for q in range(data.n_queries):
            rows = np.arange(data.ptr[q], data.ptr[q + 1])
            some = rows[rng.random(len(rows)) < 0.5]
            if len(some):
                assert abs(grad[some].sum()) / curve[some].sum() <= 1 / max(stiff[q], 1e-9) + 1e-9


def test_every_loss_has_a_curvature():
    y, ptr = np.array([2.0, 1.0, 0.0, 1.0, 1.0]), np.array([0, 3, 5])
    for name in names():
        loss = get(name.replace("@k", "@3"))
        if name.startswith("consistent-rank"):
            y_own: object = np.array([1.0, 2.0, 3.0, 1.0, 2.0])
        elif name.startswith("consistent-wpd"):
            y_own = rk.Preferences([0, 3], [1, 4])
        else:
            y_own = y
        prepared = loss.prepare(y_own, ptr)
        for scale in (0.0, 1.0, 1e3):
            scores = scale * np.array([0.3, -0.2, 0.1, 0.0, 0.5])
            curve = prepared.diagonal(scores, prepared(scores)[1])
            assert (curve > 0).all(), name
            assert np.isfinite(curve).all(), name
