"""``rankine train``: models, paths of C, and what it prints as guaranteed is guaranteed."""

import os
import re

import numpy as np
import pytest

import rankine as rk
from rankine.losses import get
from rankine.sample import judged_set

from .running import rankine


@pytest.fixture
def folder(tmp_path):
    rk.save_letor(judged_set(n_queries=4), tmp_path / "data.txt")
    return tmp_path


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


def test_train_and_rank(folder):
    rk.save_letor(judged_set(n_queries=20, seed=1), folder / "train.txt")
    done = rankine(
        folder, "train", "train.txt", "--loss", "svm-map", "-C", "0.1", "--valid", "data.txt", "-o", "m.json"
    )
    assert done.stdout.splitlines()[0] == "data\tqueries\tAP\tnDCG@10"
    assert "certified to within" in done.stderr
    assert "mean of 1 − AP is at most" in done.stderr
    data, model = rk.load_letor(folder / "data.txt"), rk.load(folder / "m.json")
    rankine(folder, "rank", "m.json", "data.txt", "-o", "out.run", "--tag", "mine")
    assert rk.load_run(folder / "out.run").tag == "mine"
    ap = rk.evaluate_run("AP", rk.TrecTable.from_columns(data.qid, data.doc_ids, data.y), folder / "out.run").mean["AP"]
    assert ap == pytest.approx(model.score(data), abs=1e-3)
    lines = rankine(folder, "rank", "m.json", "data.txt", "--scores").stdout.split()
    assert [float(x) for x in lines] == model.predict(data).tolist()


def test_certified_is_what_was_proved(folder):
    short = rankine(folder, "train", "data.txt", "--loss", "ranksvm", "-C", "10", "--max-iter", "1", "-o", "m.json")
    assert "not certified to the 0.001 asked for, only to within" in short.stderr
    tight = rankine(folder, "train", "data.txt", "--loss", "svm-map:tight", "-C", "0.1", "-o", "m.json")
    assert "where it falls no more, not certified" in tight.stderr
    assert "certified to within" not in tight.stderr


def test_train_along_a_path(folder):
    rk.save_letor(judged_set(n_queries=20, seed=1), folder / "train.txt")
    options = ["--path", "1e-3:1", "--valid", "data.txt", "-o", "m.json", "--plot", "p.png", "--normalise", "zscore"]
    done = rankine(folder, "train", "train.txt", *options)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert [r[0] for r in rows[1:5]] == ["0.001", "0.01", "0.1", "1"]
    best = max(rows[1:5], key=lambda r: float(r[4]))
    assert float(best[0]) == rk.load(folder / "m.json").C
    assert (folder / "p.png").stat().st_size > 5000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "data.txt", "-o", "m.json", "--loss", "svm-mapp"], "Did you mean 'svm-map'"),
        (["train", "data.txt", "-o", "m.json", "-C", "0"], "C must be a positive number"),
        (["train", "data.txt", "-o", "no/m.json"], "there is no folder"),
        (["train", "data.txt", "-o", "m.json", "--path", "1:10"], "pass --valid"),
        (["train", "data.txt", "-o", "m.json", "--path", "x", "--valid", "data.txt"], "low:high or a list"),
        (["train", "data.txt", "-o", "m.json", "--plot", "x.png"], "pass --path"),
        (["rank", "data.txt", "data.txt"], "not a model file"),
        (["rank", "absent.json", "data.txt"], "No such file"),
    ],
)
def test_bad_training_is_one_line(folder, arguments, message):
    before = sorted(os.listdir(folder))
    done = rankine(folder, *arguments, code=1)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(os.listdir(folder)) == before


def test_train_with_pairs(folder):
    done = rankine(folder, "train", "data.txt", "--loss", "consistent-ndcg", "-C", "0.1", "-o", "m.json")
    assert "certified to within" in done.stderr
    assert "guaranteed" not in done.stderr
    model = rk.load(folder / "m.json")
    assert model.loss == "consistent-ndcg"
    done = rankine(
        folder, "train", "data.txt", "--loss", "ranksvm", "--solver", "newton", "-o", "n.json", code=1
    )  # fmt: skip
    assert "needs a loss with a Hessian" in done.stderr
    assert not (folder / "n.json").exists()


def test_train_with_other_supervision(folder):
    data = rk.load_letor(folder / "data.txt")
    ranks = np.concatenate([len(q.y) - np.argsort(np.argsort(q.y)) for q in data])
    rk.save_letor(rk.RankingData(data.X, ranks, data.qid), folder / "ranks.txt")
    arguments = ("--path", "0.01:1", "--valid", "ranks.txt", "--normalise", "query-zscore", "-o", "r.json")
    done = rankine(folder, "train", "ranks.txt", "--loss", "consistent-rank", *arguments)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    best = max(float(line[-1]) for line in lines[1:4])
    shown = next(line for line in lines if line[0] == "train")
    assert float(shown[2]) == best > 0.2
    head = next(line for line in lines if line[0] == "data")
    assert head == ["data", "queries", "KendallTau"]
    arguments = ("ranks.txt", "--loss", "consistent-rank", "-m", "nDCG@10", "-o", "r.json")
    assert rankine(folder, "train", *arguments).stdout.startswith("data\tqueries\tnDCG@10\n")
    rankine(folder, "train", "data.txt", "--loss", "duchi", "-o", "d.json")
    done = rankine(folder, "train", "data.txt", "--loss", "consistent-wpd", "-o", "w.json", code=1)
    assert "which no data file holds" in done.stderr
