"""Every row of the measure table: degenerate cases, its range, its gain."""

import numpy as np
import pytest

import rankine as rk
from rankine.measures.table import TABLE


def every_measure():
    for name, row in TABLE.items():
        if row.supervision == "grades":
            cutoff = row.parameters.get("cutoff")
            yield name if cutoff is None else f"{name}@3" if cutoff.value_type is int else f"{name}@0.5"


@pytest.mark.parametrize("name", list(every_measure()))
@pytest.mark.parametrize("ties", ["expected", "stable", "trec"])
def test_degenerate_cases(name, ties):
    row = TABLE[name.split("@")[0]]
    cases = [([1], [0.5]), ([0], [0.5]), ([2, 2, 2], [1, 1, 1]), ([0, 0], [1, 2]), ([0, 3], [1e308, -1e308])]
    for y, s in cases:
        ids = [f"d{i}" for i in range(len(y))]
        if ties == "expected" and len(set(s)) < len(s) and row.needs_order:
            continue
        value = rk.evaluate(name, y, s, ties=ties, doc_ids=ids).mean[name]
        assert np.isfinite(value)
        assert value <= row.range[1]
    for bad in (np.nan, np.inf):
        with pytest.raises(rk.InputError, match=r"scores, row 1: expected a finite number"):
            rk.evaluate(name, [0, 1], [0.0, bad])
        with pytest.raises(rk.InputError, match=r"y, row 0: expected a finite number"):
            rk.evaluate(name, [bad, 1], [0.0, 1.0])
    if TABLE[name.split("@")[0]].graded:
        with pytest.raises(rk.InputError, match=r"query 0, row 0: .* needs grades ≥ 0, got -1"):
            rk.evaluate(name, [-1, 1], [0.0, 1.0])
    else:
        assert np.isfinite(rk.evaluate(name, [-1, 1], [0.0, 1.0]).mean[name])


@pytest.mark.parametrize("name", list(every_measure()))
def test_values_lie_in_the_range(name):
    low, high = TABLE[name.split("@")[0]].range
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(300), 5)
    ties = "stable" if TABLE[name.split("@")[0]].needs_order else "expected"
    values = rk.evaluate(name, rng.integers(0, 4, 1500), rng.integers(0, 3, 1500), qid, ties=ties).per_query[name]
    assert low <= values.min() <= values.max() <= high
    same = (
        "Judged@3",
        "Unjudged@3",
        "RBPResidual",
        "NumRet",
        "NumQ",
        "SetR",
        "SetRelativeP",
    )  # all are judged and retrieved
    assert values.min() < values.max() or name in same
    if (low, high) != (0, 1) and name != "NumQ":
        assert values.min() < 0 or values.max() > 1


@pytest.mark.parametrize("name", [name for name, row in TABLE.items() if row.has_gain])
def test_the_gain_is_exponential_unless_it_is_named(name):
    y, scores = [3, 1, 2], [3.0, 2.0, 1.0]
    linear = f"{name}(dcg='log2')"
    report = rk.evaluate([name, linear], y, scores)
    assert report.mean[name] != report.mean[linear]
    assert "gain 2^g" in rk.evaluate(name, y, scores).note
    assert rk.evaluate(linear, y, scores).note == f"{linear}: gain g, as trec_eval."
