"""Paired comparison against SciPy and against enumeration."""

import json

import numpy as np
import pytest
from scipy import stats

import rankine as rk
from rankine.measures.compare import holm, mean_interval


def systems(seed=0, n=40):
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n), 12)
    y = rng.integers(0, 4, len(qid))
    scores = {name: y + noise * rng.standard_normal(len(qid)) for name, noise in (("a", 1), ("b", 2), ("c", 2.1))}
    return y, scores, qid


def test_against_scipy():
    y, scores, qid = systems()
    comparison = rk.compare(y, scores, qid, ["nDCG@10", "AP"])
    assert [(p.measure, p.a, p.b) for p in comparison.pairs[:3]] == [
        ("nDCG@10", "a", "b"),
        ("nDCG@10", "a", "c"),
        ("nDCG@10", "b", "c"),
    ]
    for p in comparison.pairs:
        x, z = (comparison.reports[s].per_query[p.measure] for s in (p.a, p.b))
        d = x - z
        assert p.difference == pytest.approx(d.mean(), abs=1e-15)
        assert p.t == pytest.approx(stats.ttest_rel(x, z).pvalue, rel=1e-9)
        assert p.effect == pytest.approx(d.mean() / d.std(ddof=1), rel=1e-9)
        assert p.wins + p.ties + p.losses == len(d)
        if (d != 0).all():
            assert p.wilcoxon == pytest.approx(stats.wilcoxon(d).pvalue, rel=1e-9)
        assert p.low < p.difference < p.high
        reference = stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=20_000, rng=1).pvalue
        assert abs(p.randomisation - reference) < 5 * np.sqrt(reference * (1 - reference) / 20_000) + 1e-4
        assert p.wilcoxon_holm >= p.wilcoxon


def test_the_pairs_of_all_measures_are_resampled_as_one_would_be():
    y, scores, qid = systems(n=30)
    for pair in rk.compare(y, scores, qid, ["nDCG@10", "AP"]).pairs:
        alone = rk.compare(y, {name: scores[name] for name in (pair.a, pair.b)}, qid, pair.measure).pairs[0]
        assert (alone.low, alone.high) == pytest.approx((pair.low, pair.high), abs=1e-12)
        assert alone.randomisation == pytest.approx(pair.randomisation, abs=2e-5)
        x, z = (rk.evaluate(pair.measure, y, scores[s], qid).per_query[pair.measure] for s in (pair.a, pair.b))
        assert mean_interval(x - z, 0.95, 0) == pytest.approx((pair.low, pair.high), abs=1e-12)


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.9]) == [1.0, 1.0]
    assert holm([0.2]) == [0.2]


def test_identical_systems_and_a_single_query():
    y, qid = [1, 0, 1, 0], [1, 1, 2, 2]
    same = rk.compare(y, {"a": [2, 1, 2, 1], "b": [3, 1, 3, 1]}, qid, "AP").pairs[0]
    assert (same.difference, same.wilcoxon, same.t, same.randomisation, same.ties) == (0, 1, 1, 1, 2)
    with pytest.raises(rk.InputError, match="a comparison needs at least two queries, there is 1"):
        rk.compare([1, 0], {"a": [2, 1], "b": [1, 2]}, [1, 1], "AP")


def test_the_file_of_the_baseline_is_taken_for_its_name():
    y, scores, qid = systems(n=20)
    with pytest.raises(rk.InputError, match=r"no system 'runs/b.run' .* only a, b, c\. Did you mean 'b'\?"):
        rk.compare(y, scores, qid, "AP", baseline="runs/b.run")


def test_baseline_forms_and_picture(tmp_path):
    y, scores, qid = systems(n=20)
    comparison = rk.compare(y, scores, qid, "nDCG@10", baseline="b", seed=3)
    assert [(p.a, p.b) for p in comparison.pairs] == [("a", "b"), ("c", "b")]
    assert comparison.pairs == rk.compare(y, scores, qid, "nDCG@10", baseline="b", seed=3).pairs
    content = json.loads(comparison.to_json())
    assert content["pairs"][0]["a"] == "a"
    assert comparison.to_csv().count("\n") == 2
    assert "Holm" in str(comparison)
    assert "gain 2^g" in comparison.note
    for name in ("x.png", "x.svg", "x.pdf"):
        comparison.plot(tmp_path / name)
        first = (tmp_path / name).read_bytes()
        comparison.plot(tmp_path / name)
        assert len(first) > 1000
        assert (tmp_path / name).read_bytes() == first
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.pdf", "x.png", "x.svg"]
    with pytest.raises(rk.InputError, match="picture ending in"):
        comparison.plot(tmp_path / "x.txt")


def test_bad_comparisons():
    y, scores, qid = systems(n=5)
    for arguments, options, message in (
        ((y, {"a": scores["a"]}, qid, "AP"), {}, "at least two systems"),
        ((y, scores, qid, "AP"), {"baseline": "d"}, "no system 'd'"),
        ((y, scores, qid, "AP"), {"confidence": 1.5}, "between 0 and 1"),
        ((y, scores, qid, "AP"), {"empty": "skip"}, "different queries"),
    ):
        with pytest.raises(rk.InputError, match=message):
            rk.compare(*arguments, **options)
    reports = {"a": rk.evaluate("AP", [1], [1.0], [1]), "b": rk.evaluate("AP", [1], [1.0], [2])}
    with pytest.raises(rk.InputError, match="other queries"):
        rk.compare_reports(reports)


def test_constant_differences():
    for y, a, b in (([1, 0], [2, 1], [1, 2]), ([1, 0, 0], [3, 2, 1], [1, 2, 3])):
        qid = np.repeat(np.arange(3), len(y))
        pair = rk.compare(y * 3, {"a": a * 3, "b": b * 3}, qid, "AP").pairs[0]
        assert pair.effect == np.inf
        assert pair.t == 0
        assert pair.low == pair.high == pytest.approx(pair.difference)
    comparison = rk.compare([1, 0] * 3, {"a": [2, 1] * 3, "b": [1, 2] * 3}, [1, 1, 2, 2, 3, 3], "AP")
    assert json.loads(comparison.to_json())["pairs"][0]["effect"] is None


def test_skipped_queries_and_lists_are_refused():
    reports = {n: rk.evaluate("AP", [1, 0], [1.0, 2.0], [1, 2], empty="skip") for n in "ab"}
    with pytest.raises(rk.InputError, match="leaves queries out"):
        rk.compare_reports(reports)
    with pytest.raises(rk.InputError, match="must map"):
        rk.compare([1], [[1.0]], [1], "AP")


def test_a_picture_of_many_pairs_is_cut(tmp_path):
    y, scores, qid = systems(n=5)
    many = {f"s{i}": scores["a"] + i for i in range(9)}
    figure = rk.compare(y, many, qid, "AP").plot()
    assert len(figure.axes) == 24
