"""The table of targets: what a target cannot hold is an error."""

import numpy as np
import pytest

import rankine as rk
from rankine.errors import InputError
from rankine.export import TARGETS, export, tried_targets


@pytest.mark.parametrize(
    ("make", "target", "message"),
    [
        (lambda d: rk.LinearRanker(normalise="query-zscore").fit(d), "solr", "within a query"),
        (lambda d: rk.LinearRanker(normalise="query-zscore").fit(d), "onnx", "within a query"),
        (
            lambda d: rk.BoostedRanker(n_trees=1).fit(d),
            "opensearch",
            "only linear models to opensearch, got Boost",
        ),
        (
            lambda d: rk.BoostedRanker(n_trees=1).fit(d),
            "elasticsearch",
            "only linear models to elastic",
        ),
        (lambda d: rk.LinearRanker(normalise="query-zscore").fit(d), "elasticsearch", "but elasticsearch sees one"),
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


def test_exports_are_tried(data, monkeypatch):
    model = rk.LinearRanker().fit(data)
    assert tried_targets(model) == (list(TARGETS), [])
    with pytest.raises(InputError, match="only linear models to opensearch, got RankBoost"):
        tried_targets(rk.RankBoost(n_rounds=2).fit(data))
    monkeypatch.setattr("rankine.export.find_spec", lambda package: None)
    assert tried_targets(model) == (["opensearch", "elasticsearch", "solr"], ["onnx"])
