"""``rankine losses`` lists the table of losses."""

import json

from rankine.losses.table import TABLE

from .running import rankine


def test_every_loss_is_listed():
    rows = json.loads(rankine(".", "losses", "-o", "json").stdout)
    assert [row["name"].split("[")[0].split("@")[0] for row in rows] == list(TABLE)
    lines = rankine(".", "losses").stdout.splitlines()
    assert [line.split("\t") for line in lines[1:]] == [list(row.values()) for row in rows]
