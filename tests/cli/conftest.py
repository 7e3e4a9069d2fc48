"""A folder with judgments, two runs, a judged data set and scores."""

import pytest

import rankine as rk
from rankine.sample import judged_set

QRELS = "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq2 0 a 1\nq3 0 a 1\n"
RUN = "q1 Q0 a 1 0.5 x\nq1 Q0 b 2 0.9 x\nq1 Q0 c 3 0.1 x\nq2 Q0 z 1 1 x\nq2 Q0 a 2 0.5 x\n"
OTHER = "q1 Q0 a 1 0.9 y\nq2 Q0 a 1 1 y\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "one.run").write_text(RUN)
    (tmp_path / "two.run").write_text(OTHER)
    rk.save_letor(judged_set(n_queries=4), tmp_path / "data.txt")
    n = judged_set(n_queries=4).n_documents
    (tmp_path / "scores.txt").write_text("\n".join(map(str, range(n))))
    return tmp_path
