"""``rankine describe``: facts about a data set."""

import json

import rankine as rk

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
