"""``rankine describe``: facts about a data set, and about a model."""

import json

import rankine as rk
from rankine.rankers.auto.candidates import CANDIDATES
from rankine.rankers.auto.fusion import FusedRanker
from rankine.rankers.table import TABLE

from .running import rankine


def test_describe(folder):
    facts = json.loads(rankine(folder, "describe", "data.txt", "-o", "json").stdout)
    assert facts["queries"] == 4
    assert len(facts["features"]) == 8
    assert "constant" not in json.dumps(facts)
    rk.save_letor(rk.RankingData([[0.0, 5.0], [0.0, 5.0]], [0, 1], [1, 1]), folder / "flat.txt")
    flat = rankine(folder, "describe", "flat.txt").stdout
    assert "all zero (missing?)" in flat
    assert "constant" in flat


def test_describe_odd_columns(folder):
    (folder / "near.txt").write_text("1 qid:1 1:1 2:1e38\n0 qid:1 1:1.0000001 2:-1e38\n")
    assert json.loads(rankine(folder, "describe", "near.txt", "-o", "json").stdout)["features"][0]["remark"] == ""
    (folder / "wide.txt").write_text("1 qid:1 2147483647:1\n")
    refused = rankine(folder, "describe", "wide.txt", code=1).stderr
    assert refused == (
        "rankine: wide.txt, line 1: feature index '2147483647:1' is too large: the largest is 1048576 "
        "(--max-features, RANKINE_MAX_FEATURES)\n"
    )
    wide = rankine(folder, "describe", "wide.txt", "-o", "json", "--max-features", "2147483647").stdout
    assert json.loads(wide)["n_features"] == 2147483647
    assert rankine(folder, "describe", "near.txt", "-o", "csv").stdout.startswith("feature,")


def test_describe_a_model(folder):
    train = ("train", "data.txt", "--loss", "svm-map", "-C", "0.1", "--seed", "4", "-o", "m.json")
    rankine(folder, *train)
    rows = dict(line.split("\t") for line in rankine(folder, "describe", "m.json").stdout.splitlines())
    data = rk.load_letor(folder / "data.txt")
    assert rows["kind"] == "LinearRanker"
    assert rows["measure"] == "AP"
    assert rows["command"] == "rankine " + " ".join(train)
    assert rows["data"] == f"4 queries, {data.n_documents} documents, 8 features"
    assert rows["seed"] == "4"
    facts = json.loads(rankine(folder, "describe", "m.json", "-o", "json").stdout)
    assert facts["provenance"]["data"]["fingerprint"] == rows["fingerprint"]
    assert facts["parameters"]["C"] == 0.1
    content = json.loads((folder / "m.json").read_text())
    del content["provenance"]
    (folder / "old.txt").write_text(json.dumps(content))  # JSON is no judged data, whatever its name
    assert "provenance,not stored" in rankine(folder, "describe", "old.txt", "-o", "csv").stdout
    (folder / "no.json").write_text("{}")
    assert "no.json: not a Rankine model file" in rankine(folder, "describe", "no.json", code=1).stderr


def test_describe_an_auto_ranker(folder):
    candidates = ("--candidate", "linear ranksvm-l2", "--candidate", "RankBoost", "--folds", "2", "--workers", "1")
    rankine(folder, "train", "data.txt", *candidates, "-m", "AP", "-o", "m.json")
    done = rankine(folder, "describe", "m.json")
    rows = dict(line.split("\t") for line in done.stdout.splitlines())
    model = rk.load(folder / "m.json")
    assert rows["measure"] == "AP"
    assert rows["estimate"].startswith(f"{model.estimate_.mean:.4f}, 90 % interval {model.estimate_.low:.4f} to ")
    assert type(model.best_).__name__ in rows["best"]
    assert done.stderr.splitlines() == list(model.report_.lines)
    facts = json.loads(rankine(folder, "describe", "m.json", "-o", "json").stdout)
    assert facts["estimate"]["mean"] == model.estimate_.mean
    model.best_ = FusedRanker.of([model.best_, model.best_], [0.5, 0.5], [1.0, 2.0], by_query=True)
    model.save(folder / "m.json")
    assert json.loads(rankine(folder, "describe", "m.json", "-o", "json").stdout)["members"][0].startswith("0.50 × ")


def test_candidates_are_listed(folder):
    lines = [line.split("\t") for line in rankine(folder, "rankers", "--candidates").stdout.splitlines()]
    assert [line[0] for line in lines[1:]] == [row.name for row in CANDIDATES]
    assert {line[1] for line in lines[1:]} <= set(TABLE)
