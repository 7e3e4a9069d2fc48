"""Every ranker with a loss names queries that are too long, once, by their ids."""

import warnings

import numpy as np
import pytest

import rankine as rk
from rankine.rankers.linear import LongQueryWarning

RANKERS = {
    "linear": lambda **o: rk.LinearRanker(C=0.1, **o),
    "auto C": lambda **o: rk.LinearRanker(**o),
    "kernel": lambda **o: rk.KernelRanker(C=0.1, **o),
    "approximation": lambda **o: rk.KernelRanker(C=0.1, max_documents=10, n_components=5, **o),
    "boosted": lambda **o: rk.BoostedRanker(n_trees="auto", min_documents=1, **o),
    "neural": lambda **o: rk.NeuralRanker(hidden=(4,), epochs=2, **o),
}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.arange(48) % 3
    qid = np.repeat(["a", "b", "c", "d", "e", "long"], [6, 6, 6, 6, 6, 18])
    return rk.RankingData(rng.normal(size=(48, 3)) + 2.0 * y[:, None], y, qid)


@pytest.mark.parametrize("name", RANKERS)
@pytest.mark.parametrize("long", ["argmax", "sample"])
def test_long_queries_are_named_once(name, long, data):
    ranker = RANKERS[name](loss="softmax-ndcg", loss_options={"long": long, "samples": 20})
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        ranker.fit(data)
    texts = [str(w.message) for w in said if w.category is LongQueryWarning]
    assert len(texts) == 1
    assert "1 of 6 queries are too long for softmax-ndcg" in texts[0]
    assert "outputs: long. " in texts[0]


@pytest.mark.parametrize("name", RANKERS)
def test_a_long_query_may_be_refused(name, data):
    with pytest.raises(rk.InputError, match=r"softmax-ndcg:error: 1 of 6 queries have more .* query long has about"):
        RANKERS[name](loss="softmax-ndcg:error").fit(data)
