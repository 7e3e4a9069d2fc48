"""Fusion as a candidate: nothing that is learned for a fold depends on the grades of that fold."""

from dataclasses import replace

import numpy as np
import pytest

import rankine as rk
from rankine.rankers.auto import fusion as fusing
from rankine.rankers.auto.contest import Configuration
from rankine.rankers.auto.estimate import FUSED, FUSED_BY_QUERY, PLAIN
from rankine.rankers.auto.fusion import fused_configurations, learn_fusion, spread
from rankine.rankers.baselines import performances

N, M, FOLDS = 12, 6, 3


def scored(data, seed=0, names=("a", "a", "b", "c")):
    """Configurations with given scores, and the values that follow from them."""
    rng = np.random.default_rng(seed)
    out = []
    for name in names:
        scores = (data.y + rng.normal(0, 2, data.n_documents)).astype(np.float32)
        out.append(Configuration(name, {}, PLAIN, performances(data, scores, "AP"), scores, 0.1))
    return out


def judged(seed=0):
    rng = np.random.default_rng(seed)
    return rk.RankingData(np.zeros((N * M, 1)), rng.integers(0, 3, N * M), np.repeat(np.arange(N), M))


def with_other_grades(data, configurations, queries, seed):
    """The same scores, with the grades of some queries shuffled among their documents."""
    y, rng = np.array(data.y), np.random.default_rng(seed)
    for q in queries:
        part = slice(data.ptr[q], data.ptr[q + 1])
        y[part] = rng.permutation(y[part]) if seed else 2 - y[part]
    other = rk.RankingData(data.X, y, data.qid)
    return other, [
        Configuration(c.name, c.params, c.level, performances(other, c.scores, "AP"), c.scores, c.seconds)
        for c in configurations
    ]


@pytest.mark.parametrize("by_query", [False, True])
@pytest.mark.parametrize("fold", range(FOLDS))
def test_a_fold_does_not_see_its_own_grades(by_query, fold):
    data = judged()
    folds = np.arange(N) % FOLDS
    weights = np.linspace(1, 2, N)
    configurations = scored(data)
    mine = fused_configurations(configurations, data, folds, "AP", weights, by_query)
    rows = np.repeat(folds == fold, M)
    for seed in range(5):
        other, again = with_other_grades(data, configurations, np.flatnonzero(folds == fold), seed)
        for one, two in zip(mine, fused_configurations(again, other, folds, "AP", weights, by_query), strict=True):
            assert one.scores[rows].tobytes() == two.scores[rows].tobytes()


def test_values_are_those_of_the_scores():
    data = judged()
    for c in fused_configurations(scored(data), data, np.arange(N) % FOLDS, "AP", None, by_query=True):
        np.testing.assert_allclose(c.values, performances(data, c.scores.astype(float), "AP"))


def test_members_and_weights_of_the_final_fusion_are_learned_on_all_folds():
    data = judged()
    configurations = scored(data)
    one, by_query = fused_configurations(configurations, data, np.arange(N) % FOLDS, "AP", None, by_query=True)
    assert (one.name, one.level, one.by_query) == ("fusion", FUSED, False)
    assert (by_query.name, by_query.level, by_query.by_query) == ("fusion by query", FUSED_BY_QUERY, True)
    best = {}  # of each candidate
    for c in configurations:
        if c.name not in best or c.values.mean() > best[c.name].values.mean():
            best[c.name] = c
    pool = sorted(best.values(), key=lambda c: -c.values.mean())
    scales = [spread(c.scores.astype(float), data.ptr) for c in pool]
    columns = np.stack([c.scores.astype(float) / s for c, s in zip(pool, scales, strict=True)])
    fusion = learn_fusion(columns, data, "AP")
    assert one.members == tuple(pool[m] for m in fusion.members)
    assert one.weights == fusion.weights
    assert one.scales == tuple(scales[m] for m in fusion.members)


def test_one_fold_of_judged_queries_is_split_once_more():
    """As with validation data of its own: weights are not judged on the queries that they were learned on."""
    assert fusing.fusion_folds(np.zeros(N, int), 4).tolist() == fusing.seeded(N, 5, 4).tolist()
    assert fusing.fusion_folds(np.array([0, 2, 1])).tolist() == [0, 2, 1]
    assert fusing.fusion_folds(np.array([0])).tolist() == [0]


def test_a_candidate_that_is_shown_to_be_worse_is_no_member():
    data = judged()
    good = replace(scored(data)[0], name="good", values=np.full(N, 0.9))
    other = replace(good, name="other")
    for values, n in ((np.full(N, 0.1), 1), (np.where(np.arange(N) % 2, 0.8, 0.95), 2)):
        pool = fusing._pool([good, replace(other, values=values)], np.ones(N, bool), None)
        assert [c.name for c in pool] == [good.name, other.name][:n]


def test_where_there_is_nothing_to_fuse():
    data = judged()
    assert fused_configurations(scored(data, names=("a", "a")), data, np.arange(N) % 2, "AP", None, True) == []
    assert fused_configurations([], data, np.arange(N) % 2, "AP", None, True) == []
    one = data.subset([0])
    assert fused_configurations(scored(one), one, np.zeros(1, int), "AP", None, True) == []
