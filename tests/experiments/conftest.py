"""A small LETOR set of five parts in a folder that RANKINE_DATA names."""

import numpy as np
import pytest

import rankine as rk
from rankine.sample import judged_set


@pytest.fixture
def sets(tmp_path, monkeypatch):
    place = tmp_path / "letor" / "mq2008"
    place.mkdir(parents=True)
    for i in range(1, 6):
        sample = judged_set(n_queries=6, seed=i)
        data = rk.RankingData(sample.X, np.minimum(sample.y, 2), sample.qid + 10 * i, sample.doc_ids)
        rk.save_letor(rk.Normaliser("query-minmax").fit(data).apply(data), place / f"S{i}.txt.xz")
    monkeypatch.setenv("RANKINE_DATA", str(tmp_path))
    return tmp_path
