"""The variants of the large-margin experiment on one small fold."""

import numpy as np


def test_the_variants_of_large_margin(real_data, tmp_path, monkeypatch):
    """On one small fold: every system gives numbers, and the report has its tables and picture."""
    from rankine.experiments import large_margin as e
    from rankine.experiments.collections import LetorFold, letor_folds

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
