"""``rankine losses`` lists the table of losses."""

import json

from rankine.losses.table import TABLE

from .running import rankine


def test_every_loss_is_listed():
    rows = json.loads(rankine(".", "losses", "-o", "json").stdout)
    assert [row["name"].split("[")[0].split("@")[0] for row in rows] == list(TABLE)
    by_name = {row["name"]: row for row in rows}
    assert by_name["svm-p@k"]["made for"] == "P@k"
    assert by_name["consistent-dcg[@k]"]["made for"] == "DCG[@k]"
    assert by_name["consistent-rank"]["made for"] == "KendallTau"
    assert [by_name[name]["made for"] for name in ("ranksvm", "listnet", "squared")] == ["", "", ""]
    assert by_name["duchi"]["learns from"] == "preferences or grades"
    lines = rankine(".", "losses").stdout.splitlines()
    assert [line.split("\t") for line in lines[1:]] == [list(row.values()) for row in rows]
