"""What ``rankine train`` says and keeps of options of losses and solvers."""

import json

import numpy as np
import pytest

import rankine as rk
from rankine.sample import judged_set

from ..running import rankine

TRAIN = ["train", "data.txt", "-o", "m.json"]


@pytest.fixture
def folder(tmp_path):
    rk.save_letor(judged_set(n_queries=4), tmp_path / "data.txt")
    return tmp_path


def test_outputs_that_were_drawn_are_said_beside_the_certificate(tmp_path):
    lines = [f"{i % 4} qid:{q} 1:{i % 4 + i / 50}" for q, m in (("short", 4), ("long", 20)) for i in range(m)]
    (tmp_path / "data.txt").write_text("\n".join(lines) + "\n")
    out = rankine(tmp_path, *TRAIN, "--loss", "sum-ndcg:sample", "-C", "1e-3")
    assert "1 of 2 queries are too long for sum-ndcg:sample, with more than 1,000,000 outputs: long. " in out.stderr
    assert "(of the sampled problem, as the gap is), certified" in out.stderr
    out = rankine(tmp_path, *TRAIN, "--loss", "sum-ndcg", "-C", "1e-3")
    assert "Each counts its worst output alone (svm-ndcg" in out.stderr
    assert "sampled problem" not in out.stderr
    wrong = rankine(tmp_path, *TRAIN, "--loss", "sum-ndcg:error", "-C", "1e-3", code=1)
    assert "1 of 2 queries have more than 1,000,000 outputs; query long has about 10^10." in wrong.stderr


def test_a_schedule_of_the_cutting_plane(folder):
    scaled = (*TRAIN, "--loss", "svm-map", "-C", "0.01", "--normalise", "query-zscore", "--max-iter", "5")
    cutting = (*scaled, "--solver", "cutting-plane", "--schedule")
    for text, value in (("pass", "pass"), ("3", 3), ("query", "query")):
        rankine(folder, *cutting, text)
        assert json.loads((folder / "m.json").read_text())["parameters"]["schedule"] == value
    wrong = rankine(folder, *cutting, "weekly", code=1)
    assert "schedule must be query, pass, or a number of queries; got 'weekly'" in wrong.stderr
    wrong = rankine(folder, *TRAIN, "--loss", "svm-map", "--schedule", "pass", code=1)
    assert "schedule is for solver='cutting-plane', got solver='auto'" in wrong.stderr
    wrong = rankine(folder, *TRAIN, "--ranker", "adarank", "--schedule", "pass", code=1)
    assert "--schedule sets the parameter schedule, which the ranker 'adarank' has not" in wrong.stderr


def test_the_recipe_of_the_paper(folder):
    """Chapelle, Le & Smola, §5.3: plain descent from a regression, towards which it is regularised."""
    recipe = ("--loss", "svm-ndcg@5:tight", "-C", "1", "--solver", "subgradient", "--normalise", "query-zscore")
    rankine(folder, *TRAIN, *recipe, "--set", "w0=regression", "--set", "start=regression")
    own = rk.LinearRanker("svm-ndcg@5:tight", C=1.0, solver="subgradient", normalise="query-zscore", w0="regression",
                          start="regression").fit(rk.load_letor(folder / "data.txt"))  # fmt: skip
    np.testing.assert_allclose(rk.load(folder / "m.json").coef_, own.coef_)
    rankine(folder, *TRAIN, *recipe, "--set", 'start=["zero", "random"]')
    assert json.loads((folder / "m.json").read_text())["parameters"]["start"] == ["zero", "random"]


def test_grades_that_a_measure_does_not_count_are_told(tmp_path):
    lines = [f"{(0, 0.33, 0.67, 1)[i % 4]} qid:{q} 1:{i % 4 + i / 50}" for q in range(4) for i in range(8)]
    (tmp_path / "data.txt").write_text("\n".join(lines) + "\n")
    (tmp_path / "s.txt").write_text("".join(f"{i % 5}\n" for i in range(32)))
    told = "16 of 32 documents have grades between 0 and 1, which AP does not count as relevant; AP(rel=0.33) does."
    assert told in rankine(tmp_path, *TRAIN, "--loss", "ranksvm", "-C", "1e-2", "-m", "nDCG,AP").stderr
    for form in ("table", "json", "csv"):
        assert told in rankine(tmp_path, "evaluate", "data.txt", "m.json", "-m", "AP", "-o", form).stderr
    assert told in rankine(tmp_path, "compare", "data.txt", "m.json", "s.txt", "-m", "AP").stderr
