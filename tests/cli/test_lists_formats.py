"""``rankine formats`` lists the formats of data and of lattices."""

import json

import pytest

from rankine.io.formats import JUDGED, TABLE
from rankine.spoken.lattice.formats import TABLE as LATTICES

from .running import rankine


def test_every_format_is_listed():
    rows = json.loads(rankine(".", "formats", "-o", "json").stdout)
    assert [row["name"] for row in rows] == [*TABLE, *LATTICES]
    assert rows[0]["endings"].split()[0] == ".txt"


@pytest.mark.parametrize("command", ["train", "tune", "rank", "evaluate", "compare", "describe", "convert", "bound"])
def test_help_names_every_format_of_judged_data(command):
    text = " ".join(rankine(".", command, "--help", env={"COLUMNS": "300"}).stdout.split())
    assert all(row.title in text for row in JUDGED.values())
