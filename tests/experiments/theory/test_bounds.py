"""Risk bounds on files of one's own: their queries are the population."""

import numpy as np
import pytest

from experiments.collections import own_set
from experiments.theory import bounds as e
from rankine.errors import InputError

from ... import reference as ref
from ..own import judged_file


def test_the_population_is_the_file(tmp_path):
    data = judged_file(tmp_path)
    own = e.population(own_set([tmp_path / "mine.txt"]))
    assert own.n_queries == data.n_queries
    norms = np.linalg.norm(own.X, axis=1)
    assert norms.max() == pytest.approx(1)
    assert len(set(np.diff(own.ptr))) > 1  # of several lengths


def test_errors_of_queries_of_different_length():
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 3, (4, 5)), rng.normal(size=(4, 5))
    total, pairs = e._misordered(y, s, False)
    weighted, _ = e._misordered(y, s, True)
    for q in range(4):
        better = [(i, j) for i in range(5) for j in range(5) if y[q, i] > y[q, j]]
        assert pairs[q] == max(len(better), 1)
        assert total[q] == sum(s[q, i] < s[q, j] for i, j in better)
        level = {g: n for n, g in enumerate(sorted(set(y[q]), reverse=True), 1)}
        margins = [abs(len(level) / level[y[q, i]] - len(level) / level[y[q, j]]) for i, j in better]
        assert weighted[q] == pytest.approx(
            sum(x for x, (i, j) in zip(margins, better, strict=True) if s[q, i] < s[q, j])
        )
    assert ref.pairs([1, 0]) == [(1, 0)]


def test_a_run_on_a_file(tmp_path, monkeypatch):
    judged_file(tmp_path)
    monkeypatch.setattr(e, "SIZES", (30, 60))
    monkeypatch.setattr(e, "audited", lambda: [("x", "nothing", "0", "0")])
    results = e.experiment([str(tmp_path / "mine.txt")], tmp_path / "report", 2, 1)
    rows = results.tables[0].rows
    assert {row[0] for row in rows} == set(e.LOSSES)
    assert all(share == "0.000" for row in rows if not row[1].startswith("Hoeffding") for share in row[2:])
    assert not any(row[0] == "sum-ndcg" and row[1].startswith("Theorem 4") for row in rows)  # some queries are long
    assert "15 queries of" in (tmp_path / "report" / "report.md").read_text()
    with pytest.raises(InputError, match="unknown set 'mq2008'"):
        e.experiment(["mq2008"], tmp_path / "report", 2, 1)
