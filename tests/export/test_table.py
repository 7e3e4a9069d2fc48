"""The table of targets: what a target cannot hold is an error."""

import numpy as np
import pytest

import rankine as rk
from rankine.errors import InputError
from rankine.export import export


@pytest.mark.parametrize(
    ("make", "target", "message"),
    [
        (lambda d: rk.LinearRanker(normalise="query-zscore").fit(d), "solr", "within a query"),
        (lambda d: rk.LinearRanker(normalise="query-zscore").fit(d), "onnx", "within a query"),
        (lambda d: rk.BoostedRanker(n_trees=1).fit(d), "opensearch", "linear models only, got BoostedRanker"),
        (lambda d: rk.KernelRanker(C=0.1, max_iter=2).fit(d.take(np.arange(60))), "onnx", "linear, boosted and neural"),
        (lambda d: rk.BoostedRanker(n_trees=1, categorical=[7]).fit(d), "onnx", "categorical"),
        (lambda d: rk.LinearRanker().fit(d), "lucene", "unknown target 'lucene'"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_what_a_target_cannot_hold(data, make, target, message, tmp_path):
    with pytest.raises(InputError, match=message):
        export(make(data), target, tmp_path / "out")
    assert not (tmp_path / "out").exists()
