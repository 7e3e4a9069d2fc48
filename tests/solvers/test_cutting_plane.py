"""The n-slack dual reaches the optimum of the bundle method."""

import numpy as np
import pytest

import rankine as rk
from rankine import losses

from ..cases import normalised_sample


@pytest.fixture(scope="module")
def data():
    return normalised_sample(20)


@pytest.mark.parametrize("schedule", ["query", "pass", 7])
@pytest.mark.parametrize("loss", ["svm-ndcg@10", "svm-map"])
def test_the_dual_reaches_the_same_optimum(data, loss, schedule):
    from rankine.rankers.oracle.dual import LinearDual
    from rankine.solvers.cutting_plane import cutting_plane

    options = {"A": "partial-order"} if "ndcg" in loss else {}
    for w0 in (None, np.linspace(-1, 1, data.n_features)):
        want = rk.LinearRanker(loss=loss, C=0.3, tol=1e-4, loss_options=options, w0=w0).fit(data)
        prepared = losses.get(loss, **options).prepare(data.y, data.ptr)
        solution = cutting_plane(LinearDual(data.X, prepared, None, w0), 0.3, schedule=schedule, tol=1e-3)
        assert solution.gap <= 1e-3
        assert solution.lower_bound <= want.objective_ * (1 + 1e-9)
        assert want.lower_bound_ * (1 - 1e-9) <= solution.objective <= want.objective_ * (1 + 2e-3)


def test_the_dual_as_a_solver(data):
    weights = np.linspace(0, 2, data.n_queries)
    want = rk.LinearRanker(loss="svm-map", C=1.0, tol=1e-4).fit(data, query_weight=weights)
    model = rk.LinearRanker(loss="svm-map", C=1.0, solver="cutting-plane").fit(data, query_weight=weights)
    assert model.objective_ == pytest.approx(want.objective_, rel=2e-3)
    assert model.gap_ <= 1e-3
    with pytest.raises(rk.InputError, match="not convex"):
        rk.LinearRanker(loss="svm-map:tight", loss_options={"A": "linear"}, solver="cutting-plane").fit(data)


@pytest.mark.parametrize("ranker", [lambda **o: rk.LinearRanker(solver="cutting-plane", **o),
                                    lambda **o: rk.KernelRanker(kernel="linear", tol=1e-3, **o)])  # fmt: skip
def test_rankers_take_a_schedule(data, ranker):
    """The ways differ, the ends agree."""
    models = [ranker(loss="svm-map", C=1.0, schedule=schedule).fit(data) for schedule in (None, "query", 7, "pass")]
    plain, query, some, whole = models
    assert [h.objective for h in plain.history_] == [h.objective for h in query.history_]
    assert len({tuple(h.objective for h in m.history_[:3]) for m in (query, some, whole)}) == 3
    for model in models:
        assert model.objective_ == pytest.approx(query.objective_, rel=2e-3)
        assert model.gap_ <= 1e-3


@pytest.mark.parametrize("schedule", ["queries", 0, 2.5, True, [1]])
def test_a_schedule_that_is_none(data, schedule):
    for ranker in (rk.LinearRanker(solver="cutting-plane"), rk.KernelRanker()):
        with pytest.raises(rk.InputError, match="schedule must be query, pass, or a number of queries; got"):
            ranker.set_params(C=1.0, schedule=schedule).fit(data)


def test_a_schedule_is_refused_where_there_is_none(data):
    for solver in ("auto", "bundle", "subgradient"):
        with pytest.raises(rk.InputError, match=f"schedule is for solver='cutting-plane', got solver='{solver}'"):
            rk.LinearRanker("svm-map", C=1.0, solver=solver, schedule="pass").fit(data)
    with pytest.raises(rk.InputError, match=r"schedule is for the exact kernel: .* more than max_documents, 10"):
        rk.KernelRanker("svm-map", C=1.0, schedule="pass", max_documents=10).fit(data)
