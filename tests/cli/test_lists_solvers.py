"""``rankine solvers`` lists the table of solvers."""

import json

from rankine.solvers import TABLE

from .running import rankine


def test_every_solver_is_listed():
    rows = json.loads(rankine(".", "solvers", "-o", "json").stdout)
    assert [row["name"].split("[")[0].split("@")[0] for row in rows] == list(TABLE)
    lines = rankine(".", "solvers").stdout.splitlines()
    assert [line.split("\t") for line in lines[1:]] == [list(row.values()) for row in rows]
