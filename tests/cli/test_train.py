"""What ``rankine train`` prints as guaranteed is guaranteed."""

import re

import numpy as np
import pytest

import rankine as rk
from rankine.losses import get
from rankine.sample import judged_set

from .test_cli import rankine


@pytest.mark.parametrize(
    ("loss", "text"),
    [
        ("svm-ndcg@10:slack", "1 − nDCG@10"),
        ("svm-rr:slack", "1 − RR"),
        ("svm-p@5", "1 − P@5 / best possible P@5"),
        ("svm-map", "1 − AP"),
        ("ranksvm:norm", "the share of misordered pairs"),
    ],
)
def test_the_guarantee_names_what_is_bounded_and_holds(tmp_path, loss, text):
    data = judged_set(n_queries=12)
    rk.save_letor(data, tmp_path / "d.txt")
    out = rankine(tmp_path, "train", "d.txt", "--loss", loss, "-o", "m.json", "--normalise", "query-zscore")
    pattern = r"guaranteed: over the (\d+) training queries .* the mean of (.*) is at most ([\d.]+)"
    n, named, bound = re.search(pattern, out.stderr).groups()
    assert named == text
    prepared = get(loss).prepare(data.y, data.ptr)
    scores = rk.load(tmp_path / "m.json").predict(data)
    assert int(n) == prepared.informative.sum()
    assert float(bound) == pytest.approx(prepared.upper(scores)[prepared.informative].mean(), abs=1e-3)
    assert float(bound) >= get(loss).bounded.values(scores, data.y, data.ptr)[prepared.informative].mean() - 1e-4


def test_nothing_is_guaranteed_over_no_queries(tmp_path):
    (tmp_path / "d.txt").write_text("1 qid:1 1:0.5\n1 qid:1 1:0.2\n1 qid:2 1:0.1\n")
    out = rankine(tmp_path, "train", "d.txt", "--loss", "svm-map", "-o", "m.json")
    assert "model written" in out.stderr
    assert "guaranteed" not in out.stderr


def test_ranks_are_turned_round_before_they_are_measured(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(10, 6))
    ranks = np.argsort(np.argsort(-x, axis=1), axis=1) + 1  # the best has the largest feature
    rows = [f"{r} qid:{q} 1:{v:.6f}\n" for q in range(10) for r, v in zip(ranks[q], x[q], strict=True)]
    (tmp_path / "d.txt").write_text("".join(rows))
    rankine(tmp_path, "train", "d.txt", "--loss", "consistent-rank", "-o", "m.json")
    model, data = rk.load(tmp_path / "m.json"), rk.load_letor(tmp_path / "d.txt")
    assert model.coef_[0] > 0
    assert model.score(data) > 0.99
    held_out = rk.risk_bound(model, data, held_out=True).bounds[0]
    assert held_out.risk == pytest.approx(0.0, abs=1e-9)  # a perfect ranking loses nothing of nDCG@10
