"""Fusion: weights as a slow version learns them, scores by hand, files, and rows in any order."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import rankine as rk
from rankine.rankers.auto import fusion as fused
from rankine.rankers.auto.fusion import FusedRanker, learn_fusion, spread, standardised
from rankine.sample import judged_set

from ... import reference
from ...cases import linear_problem


def members_of(data):
    return [
        rk.SingleFeature().fit(data),
        rk.UniformFusion("query-zscore").fit(data),
        rk.RegressionRanker().fit(data),
    ]


@pytest.fixture(scope="module")
def data():
    return rk.RankingData(*linear_problem(n=6, m=5))


@settings(max_examples=40)
@given(st.integers(1, 9), st.integers(1, 12), st.integers(0, 10**6), st.sampled_from(["AP", "nDCG@3"]), st.booleans())
def test_weights_are_those_of_the_slow_version(n, queries, seed, measure, weighted):
    """Scores are small whole numbers, so that sums are exact and there are ties."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 5, queries)
    qid = np.repeat(np.arange(queries), lengths)
    y = rng.integers(0, 3, len(qid))
    data = rk.RankingData(np.zeros((len(qid), 1)), y, qid)
    columns = rng.integers(-3, 4, (n, len(qid))).astype(float)
    weights = rng.integers(1, 4, queries).astype(float) if weighted else None

    def values(scores):
        return rk.evaluate(measure, y, scores, qid).per_query[measure].tolist()

    of = [1.0] * queries if weights is None else weights.tolist()
    counts = reference.stepwise_fusion(columns.tolist(), values, of, fused.MEMBERS, fused.STEPS, fused.STEP)
    fusion = learn_fusion(columns, data, measure, weights)
    learned = dict(zip(fusion.members, fusion.weights, strict=True))
    assert learned == {m: pytest.approx(c / sum(counts)) for m, c in enumerate(counts) if c}
    assert len(fusion.members) <= fused.MEMBERS


def test_an_error_measure_is_made_small():
    data = rk.RankingData([[0.0]] * 12, [1, 0] * 6, np.repeat(np.arange(6), 2))
    bad, good = np.tile([0.0, 1.5], 6), np.tile([1.0, 0.0], 6)
    fusion = learn_fusion(np.array([bad, good]), data, "Disagreement")
    assert dict(zip(fusion.members, fusion.weights, strict=True))[1] > 0.5


@given(st.lists(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5), min_size=1, max_size=5))
def test_scales(queries):
    ptr = np.cumsum([0, *map(len, queries)])
    scores = np.concatenate(queries)
    size = spread(scores, ptr)
    assert size == pytest.approx(np.sqrt(np.mean([np.var(q) for q in queries])), rel=1e-9) or size == 1.0
    for q, part in zip(queries, np.split(standardised(scores, ptr), ptr[1:-1]), strict=True):
        if np.ptp(q) == 0:
            assert (part == 0).all() or np.var(q) > 0  # a mean is rounded
        elif np.std(q) > 1e-6 * np.abs(q).max():
            np.testing.assert_allclose(part, (np.array(q) - np.mean(q)) / np.std(q), atol=1e-6)


@pytest.mark.parametrize("by_query", [False, True])
def test_scores_by_hand(data, by_query):
    members, weights, scales = members_of(data), (0.5, 0.3, 0.2), (2.0, 1.0, 0.25)
    model = FusedRanker.of(members, weights, scales, by_query)
    expected = np.zeros(data.n_documents)
    for member, weight, scale in zip(members, weights, scales, strict=True):
        scores = member.predict(data)
        for a, b in zip(data.ptr[:-1], data.ptr[1:], strict=True):
            part = scores[a:b]
            expected[a:b] += weight * ((part - part.mean()) / part.std() if by_query else part / scale)
    np.testing.assert_allclose(model.predict(data), expected)
    assert model.needs_queries


@pytest.mark.parametrize("by_query", [False, True])
def test_rows_in_any_order(data, by_query):
    model = FusedRanker.of(members_of(data), (0.5, 0.3, 0.2), (2.0, 1.0, 0.25), by_query)
    order = np.random.default_rng(0).permutation(data.n_documents)
    expected = model.predict(data)
    np.testing.assert_allclose(model.predict(data.X[order], data.qid[order]), expected[order], atol=1e-12)
    one = data.subset([2])
    np.testing.assert_allclose(model.predict(one.X), model.predict(one), atol=1e-12)  # without qid: one query
    assert model.rank(data.X[order], data.qid[order]).shape == expected.shape


@pytest.mark.parametrize("by_query", [False, True])
def test_sparse_data(data, by_query):
    members = [rk.SingleFeature().fit(data), rk.RegressionRanker().fit(data)]
    model = FusedRanker.of(members, (0.5, 0.5), (2.0, 1.0), by_query)
    sparse = rk.RankingData(sp.csr_matrix(data.X), data.y, data.qid)
    np.testing.assert_allclose(model.predict(sparse), model.predict(data))
    np.testing.assert_allclose(model.predict(sparse.X, data.qid), model.predict(data))


@pytest.mark.parametrize("by_query", [False, True])
def test_one_document(data, by_query):
    model = FusedRanker.of(members_of(data), (0.5, 0.3, 0.2), (2.0, 1.0, 0.25), by_query)
    score = model.predict(data.X[:1])
    assert score.shape == (1,)
    assert np.isfinite(score).all()
    assert not by_query or score[0] == 0


@pytest.mark.parametrize("by_query", [False, True])
def test_saved_and_loaded(data, by_query, tmp_path):
    inner = FusedRanker.of(members_of(data), (0.5, 0.3, 0.2), (2.0, 1.0, 0.25), by_query)
    model = FusedRanker.of([inner, members_of(data)[0]], (0.75, 0.25), (1.0, 3.0), not by_query)
    model.save(tmp_path / "m.json")
    again = rk.load(tmp_path / "m.json")
    assert isinstance(again, FusedRanker)
    assert isinstance(again.members_[0], FusedRanker)
    assert (again.by_query, again.weights_, again.scales_) == (not by_query, (0.75, 0.25), (1.0, 3.0))
    assert again.predict(data).tobytes() == model.predict(data).tobytes()


def changed(content, **changes):
    return {**content, **changes}


def test_files_that_do_not_fit_together(data, tmp_path):
    members = members_of(data)
    FusedRanker.of(members, (0.5, 0.3, 0.2), (2.0, 1.0, 0.25), False).save(tmp_path / "m.json")
    content = json.loads((tmp_path / "m.json").read_text())
    narrow = rk.SingleFeature().fit(data.X[:, :2], data.y, data.qid).content()
    deep = content["members"][0]
    for _ in range(80):
        deep = changed({k: v for k, v in content.items() if k not in ("rankine", "schema")}, members=[deep],
                       weights=[1.0], scales=[1.0])  # fmt: skip
    for bad in (
        changed(content, weights=[1.0]),
        changed(content, scales=[1.0, 1.0, 0.0]),
        changed(content, scales=[1.0, 1.0, -1.0]),
        changed(content, weights=[1.0, 1.0, float("nan")]),
        changed(content, members=[]),
        changed(content, members=[1, 2, 3]),
        changed(content, members=[narrow, *content["members"][1:]]),
        changed(content, members=[changed(content["members"][0], kind="Nothing"), *content["members"][1:]]),
        changed(content, members=[changed(content["members"][0], kind=["LinearRanker"]), *content["members"][1:]]),
        changed(content, members=[{}, *content["members"][1:]]),
        changed(content, members=content["members"] * 30, weights=[0.1] * 90, scales=[1.0] * 90),
        changed(content, parameters={"by_query": "perhaps"}),
        changed(content, feature_names=["a"]),
        changed(content, members=[deep], weights=[1.0], scales=[1.0]),
    ):
        (tmp_path / "bad.json").write_text(json.dumps(bad))
        with pytest.raises(rk.InputError, match=r"bad\.json") as raised:
            rk.load(tmp_path / "bad.json")
        assert "\n" not in str(raised.value)


def test_it_is_not_fitted_by_itself(data):
    with pytest.raises(rk.InputError, match="is made by AutoRanker"):
        FusedRanker().fit(data)


def test_which_models_need_queries(data):
    single, by_query, regression = members_of(data)
    assert [m.needs_queries for m in (single, by_query, regression)] == [False, True, False]
    assert not FusedRanker.of([single, regression], (0.5, 0.5), (1.0, 1.0), False).needs_queries
    assert FusedRanker.of([single, by_query], (0.5, 0.5), (1.0, 1.0), False).needs_queries
    assert FusedRanker.of([single, regression], (0.5, 0.5), (1.0, 1.0), True).needs_queries


def test_names_of_features_are_those_of_the_members():
    X, y, qid = linear_problem(n=4)
    named = rk.RankingData(X, y, qid, feature_names=list("abcdef"))
    model = FusedRanker.of([rk.SingleFeature().fit(named)], (1.0,), (1.0,), False)
    assert model.feature_names_in_.tolist() == list("abcdef")
    with pytest.raises(rk.InputError, match="trained on other features"):
        model.predict(rk.RankingData(X, y, qid, feature_names=list("uvwxyz")))
    with pytest.raises(rk.InputError, match="has 6 features, the data has 2"):
        model.predict(rk.RankingData(X[:, :2], y, qid))


@pytest.fixture(scope="module")
def sample():
    return judged_set(n_queries=10)


def fusion(data, *members, by_query=False):
    fitted = [member.fit(data) for member in members]
    return FusedRanker.of(fitted, [0.25, 0.75], [2.0, 0.5], by_query)


def test_a_fusion_of_linear_models_is_linear(sample, tmp_path):
    model = fusion(sample, rk.LinearRanker("svm-map", normalise="zscore"), rk.SingleFeature())
    model.save(tmp_path / "m.json")
    for either in (model, rk.load(tmp_path / "m.json")):
        assert either.form == "linear"
        scores = either.predict(sample)
        ((weights, bias),) = either.layers()
        assert sample.X @ weights[0] + bias[0] == pytest.approx(scores, abs=1e-9 * np.ptp(scores))
        assert (either.coef_ == weights[0]).all()
        parts = either.explain(sample.X[3])
        assert {name for name, _ in parts} == set(sample.feature_names)
        assert sum(part for _, part in parts) == pytest.approx(scores[3])
        assert [abs(part) for _, part in parts] == sorted((abs(part) for _, part in parts), reverse=True)


def test_others_say_why_they_are_not(sample):
    linear, boosted = rk.LinearRanker("svm-map"), rk.RankBoost(n_rounds=3)
    cases = {
        r"not all members are linear \(RankBoost\); with deployable=True \(--deployable\) all are": fusion(
            sample, linear, boosted
        ),
        "standardises scores within each query.*--deployable": fusion(sample, linear, linear, by_query=True),
        "looks at the other documents of a query.*--deployable": fusion(
            sample, linear, rk.UniformFusion("query-zscore")
        ),
    }
    for message, model in cases.items():
        assert model.form == ""
        assert not hasattr(model, "coef_")
        with pytest.raises(rk.InputError, match=message):
            model.explain(sample.X[0])
