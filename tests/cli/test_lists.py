"""``rankine measures`` lists the measure table."""

import csv
import io
import json

from rankine.cli.lists import measure_rows
from rankine.measures.table import TABLE

from .running import rankine


def test_every_measure_is_listed():
    lines = rankine(".", "measures").stdout.splitlines()
    assert len(lines) == 1 + len(TABLE)
    assert all(line.startswith(name) for line, name in zip(lines[1:], TABLE, strict=True))
    assert "ndcg_cut" in lines[1]


def test_output_for_machines():
    objects = json.loads(rankine(".", "measures", "-o", "json").stdout)
    assert [row["name"].split("@")[0].split("(")[0].rstrip("[") for row in objects] == list(TABLE)
    lines = list(csv.reader(io.StringIO(rankine(".", "measures", "-o", "csv").stdout)))
    assert lines == [list(objects[0]), *(list(row.values()) for row in objects)]


def test_names_of_trec_eval_that_mean_another_gain_say_so():
    also = {row[0].partition("(")[0].partition("[")[0]: row[1] for row in measure_rows()}
    assert also["nDCG"] == "NDCG ndcg(dcg='log2') ndcg_cut(dcg='log2')"
    assert also["AP"] == "MAP map map_cut"
