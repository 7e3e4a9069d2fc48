"""The made stand-ins for the paper's web-search sets."""

import numpy as np
import pytest

from experiments.ranking import web_search as e
from rankine.errors import InputError


def test_sets_have_the_sizes_of_the_paper_and_five_grades():
    for name, (queries, documents) in {"web-1": (1500, 50_000), "web-2": (3000, 150_000)}.items():
        row = e.WEB_SETS[name]
        assert sum(row.queries) == queries
        assert sum(row.queries) * row.length == pytest.approx(documents, rel=0.02)
    data = e.made(200, 33.0, (0, 0))
    assert data.X.shape == (data.n_documents, 300)
    assert data.n_documents == pytest.approx(6600, rel=0.05)
    shares = np.bincount(data.y.astype(int)) / data.n_documents
    assert shares == pytest.approx([0.6, 0.22, 0.12, 0.04, 0.02], abs=0.03)
    correlation = [np.corrcoef(data.X[:, f], data.y)[0, 1] for f in (0, 15, 25, 40)]
    assert min(correlation[:3]) > 0.06 > abs(correlation[3])  # four standard errors beside noise


def test_the_parts_differ_and_do_not_depend_on_each_other():
    fold = e.web_fold("web-1", 0.05)
    assert [part.n_queries for part in fold] == [45, 15, 15]
    assert not np.array_equal(fold.valid.X[:50], fold.test.X[:50])
    assert np.array_equal(e.made(15, 33.0, (0, 2)).X, fold.test.X)


def test_a_small_run_and_its_report(tmp_path, monkeypatch):
    monkeypatch.setattr(e, "DEPTH", 2)
    monkeypatch.setattr(e, "_MEASURES", ["nDCG@1", "nDCG@2"])
    monkeypatch.setattr(e, "C_GRID", (1e-6, 1e-4))
    done = []
    tables = e.run("web-2", 0.02, 1, done.append)
    assert done == [1, 2, 3, 4]
    assert {n: t.shape for n, t in tables.items()} == dict.fromkeys(["regression", "RankSVM", e.OURS], (20, 2))
    table, picture = e.sections("web-2", 0.02, tables, tmp_path)
    assert "20 / 20 / 20 queries" in table.text
    assert "0.02 of what the paper has" in table.text
    assert [row[0] for row in table.rows] == ["regression", "RankSVM", e.OURS]
    assert (tmp_path / picture.picture).exists()


@pytest.mark.parametrize("scale", [0.0, 0.03, 1.5, float("nan")])
def test_a_scale_that_leaves_too_few_queries(scale):
    with pytest.raises(InputError, match="--scale must be between"):
        e.check_scale(scale)
