"""``rankine experiment`` on a set of its own."""

import os

import numpy as np

import rankine as rk
from rankine.sample import judged_set

from .running import rankine


def test_experiment_on_a_set_of_its_own(folder):
    place = folder / "letor" / "mq2008"
    place.mkdir(parents=True)
    for i in range(1, 6):
        made = judged_set(n_queries=5, seed=i)
        qid = made.qid + 10 * i
        rk.save_letor(rk.RankingData(made.X, np.minimum(made.y, 2), qid), place / f"S{i}.txt.xz")
    environment = os.environ | {"RANKINE_DATA": str(folder)}
    done = rankine(folder, "experiment", "consistent", "-d", "mq2008", env=environment)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert [line[1] for line in lines] == ["loss", "preorder", "consistent-dcg", "consistent-ndcg", "loss",
        "preorder:norm", "preorder:norm+dcg", "consistent-dcg:norm"]  # fmt: skip
    assert all(0 < float(line[4].rstrip("↓")) < 1 for line in lines if line[1] != "loss")
    assert "MQ2007 and YLTRC, which are not at hand" in done.stderr
    done = rankine(folder, "experiment", "consistent", "-d", "mq2007", env=environment, code=1)
    assert "unknown set 'mq2007'. Did you mean 'mq2008'?" in done.stderr
    done = rankine(folder, "experiment", "consistent", code=1, env={**environment, "RANKINE_DATA": ""})
    assert "set RANKINE_DATA" in done.stderr
