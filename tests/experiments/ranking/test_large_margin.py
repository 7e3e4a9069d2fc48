"""The variants of the large-margin experiment on one small fold."""

import numpy as np

from ..own import judged_file


def test_the_variants_of_large_margin(real_data, tmp_path, monkeypatch):
    """On one small fold: every system gives numbers, and the report has its tables and picture."""
    from experiments.collections import LetorFold, letor_folds
    from experiments.ranking import large_margin as e

    fold = next(iter(letor_folds("ohsumed-letor2")))
    small = LetorFold(*(part.subset(np.arange(6)) for part in fold))
    monkeypatch.setattr(e, "letor_folds", lambda name: iter([small]))
    monkeypatch.setattr(e, "C_GRID", (1e-3, 1e-1))
    monkeypatch.setattr(e, "DEPTH", 3)
    monkeypatch.setattr(e, "_MEASURES", ["nDCG@1", "nDCG@2", "nDCG@3"])
    outcome = e.run_fold("ohsumed-letor2", 0)
    assert {"regression", "RankBoost", "RankSVM", "tight, each k", "SVM-NDCG@10, A learned"} <= set(outcome.measured)
    assert all(t.shape == (6, 3) and np.isfinite(t).all() for t in outcome.measured.values())
    assert list(outcome.norms) == [1e-3, 1e-1]
    monkeypatch.setattr(e, "rows", lambda outcomes: [("x",)])
    parts = e.sections("ohsumed-letor2", [outcome], tmp_path)
    assert (tmp_path / parts[1].picture).exists()


def test_a_file_of_ones_own_and_the_figure(tmp_path, monkeypatch):
    from experiments.ranking import large_margin as e

    judged_file(tmp_path, 10)
    monkeypatch.setattr(e, "C_GRID", (1e-3,))
    monkeypatch.setattr(e, "systems", lambda: {"RankSVM": ("ranksvm", {}), "SVM-NDCG@10, A linear": (
        "svm-ndcg@10", {"A": "linear"}), "tight, A linear": ("svm-ndcg@10:tight", {"A": "linear"})})  # fmt: skip
    results = e.experiment(["figure-1", str(tmp_path / "mine.txt")], 1.0, tmp_path / "report", 1)
    assert results.tables[1].title == "mine.txt"
    assert "RankSVM" in [row[0] for row in results.tables[1].rows]
    for name in ("figure-1/figure-1.png", "own/large-margin-own.png", "own/report.html"):
        assert (tmp_path / "report" / name).exists()
