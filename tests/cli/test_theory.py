"""``rankine bound``."""

import rankine as rk

from ..cases import unit_problem
from .running import rankine


def test_command_line(tmp_path, monkeypatch):
    from experiments.theory import bounds

    monkeypatch.setattr(bounds, "SIZES", (100, 316))
    monkeypatch.setattr(bounds, "LOSSES", ("ranksvm:norm", "svm-ndcg:tight"))
    data = unit_problem()
    rk.save_letor(data, tmp_path / "train.txt")
    rankine(tmp_path, "train", "train.txt", "--loss", "ranksvm:norm", "-o", "model.json")
    out = rankine(tmp_path, "bound", "model.json", "train.txt")
    assert "Corollary 1, every margin 1" in out.stdout
    assert "All bounds hold together" in out.stderr
    held = rankine(tmp_path, "bound", "model.json", "train.txt", "--held-out")
    assert "With probability 0.95: expected 1 − nDCG@10 (0 for queries" in held.stderr
    assert "delta must lie" in rankine(tmp_path, "bound", "model.json", "train.txt", "--delta", "2", code=1).stderr
    rankine(tmp_path, "train", "train.txt", "--loss", "listnet", "-o", "other.json")
    assert "There are some for" in rankine(tmp_path, "bound", "other.json", "train.txt", code=1).stderr
    report = rankine(tmp_path, "experiment", "bounds", "--repetitions", "1", "-o", "report", "--workers", "1")
    assert "Hoeffding on seen queries (not valid)" in report.stdout
    assert (tmp_path / "report" / "bounds.png").stat().st_size > 10_000
