"""``rankine formats`` lists the formats of data and of lattices."""

import json

from rankine.io.formats import TABLE
from rankine.spoken.lattice.formats import TABLE as LATTICES

from .running import rankine


def test_every_format_is_listed():
    rows = json.loads(rankine(".", "formats", "-o", "json").stdout)
    assert [row["name"] for row in rows] == [*TABLE, *LATTICES]
    assert rows[0]["endings"].split()[0] == ".txt"


def test_help_names_every_format_of_judged_data():
    from rankine.io.formats import JUDGED

    text = " ".join(rankine(".", "describe", "--help", env={"COLUMNS": "300"}).stdout.split())
    assert all(row.title in text for row in JUDGED.values())
