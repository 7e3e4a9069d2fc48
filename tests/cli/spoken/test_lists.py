"""``rankine spoken formats``, ``units`` and ``recognisers``."""

import pytest

from rankine.spoken.lattice import formats, units
from rankine.spoken.recognise.recognisers import table as recognisers

from ..running import rankine


@pytest.mark.parametrize(
    ("command", "table"), [("formats", formats.TABLE), ("units", units.TABLE), ("recognisers", recognisers.TABLE)]
)
def test_all_rows_are_listed(tmp_path, command, table):
    lines = [line.split("\t") for line in rankine(tmp_path, "spoken", command).stdout.splitlines()]
    assert [line[0] for line in lines[1:]] == list(table)
    assert [line[-1] for line in lines[1:]] == [row.explanation for row in table.values()]


def test_recognisers_that_are_not_installed_say_how(tmp_path, monkeypatch):
    row = recognisers.TABLE["whisper"]
    monkeypatch.setitem(recognisers.TABLE, "whisper", row._replace(packages=("no_such_package",)))
    lines = [line.split("\t") for line in rankine(tmp_path, "spoken", "recognisers").stdout.splitlines()]
    at = lines[0].index("installed")
    assert {line[0]: line[at] for line in lines[1:]}["whisper"] == 'no: pip install -e ".[whisper]"'
