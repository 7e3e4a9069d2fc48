"""The table of experiments: every row has its module, and its command has the options of the row."""

from inspect import signature

import pytest

from experiments.table import TABLE, function_of

from ..cli.running import rankine


@pytest.mark.parametrize("name", TABLE)
def test_every_row_has_its_function_and_its_command(name, tmp_path):
    function = function_of(name)
    assert function.__module__ == f"experiments.{TABLE[name].home}"
    assert list(signature(function).parameters) == [o.name for o in TABLE[name].options]
    out = rankine(tmp_path, "experiment", name, "--help", env={"COLUMNS": "200"}).stdout
    assert TABLE[name].explanation in " ".join(out.split())
    for option in TABLE[name].options:
        assert f"--{option.name}" in out
        assert option.explanation in out
        assert option.short in out


def test_a_file_where_a_folder_is_needed(tmp_path):
    (tmp_path / "report").touch()
    done = rankine(tmp_path, "experiment", "bounds", "-o", "report", code=1)
    assert done.stderr == "rankine: report: is a file, a folder is needed\n"
