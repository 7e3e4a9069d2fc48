"""``rankine experiment letor``: its report and its errors."""

import os

import pytest

from ...cli.running import rankine
from ...folders import ROOT

RANKERS = ["single feature", "RankSVM", "AdaRank"]


def test_the_command_writes_a_report(sets):
    arguments = [x for r in RANKERS for x in ("-r", r)]
    done = rankine(sets, "experiment", "letor", "--data", "mq2008", *arguments, "-o", "out", "--workers", "1",
                   env=os.environ | {"RANKINE_DATA": str(sets)})  # fmt: skip
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert [r[0] for r in rows[1:5]] == [*RANKERS, "chosen"]
    text = (sets / "out" / "report.md").read_text()
    for heading in ("# Rankers on MQ2008", "## Against RankSVM", "## What was chosen", "## What a feature is worth",
                    "RankSVM differ most", "SVM-rank (published run)"):  # fmt: skip
        assert heading in text
    page = (sets / "out" / "report.html").read_text()
    assert page.count("data:image/png;base64,") == 2
    assert "nan" not in text
    assert (sets / "out" / "map.png").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--folds", "0-3"], "--folds must be"),
        (["--folds", "x"], "--folds must be"),
        (["--choose", "MAPP"], "cannot choose by 'MAPP'. Did you mean 'MAP'"),
        (["-r", "RankSVM", "-r", "AdaBoost"], "unknown ranker 'AdaBoost'"),
        (["-r", "RankSVM"], "at least two"),
        (["--baseline", "nobody"], "not among the rankers"),
        (["--data", "mq2009"], "unknown set"),
        (["-o", "letor/mq2008/S1.txt.xz"], "a folder is needed"),
    ],
)
def test_bad_arguments(sets, arguments, message):
    done = rankine(sets, "experiment", "letor", *arguments, "--workers", "1", code=1,
                   env=os.environ | {"RANKINE_DATA": str(sets)})  # fmt: skip
    assert message in done.stderr


def table_of(name, column):
    """A column of a table of the documentation, by ranker."""
    lines = (ROOT / "docs" / "_static" / f"rankers-{name}.md").read_text(encoding="utf-8").split("\n\n")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0]: float(row[rows[0].index(column)]) for row in rows[2:]}


def test_the_page_compares_with_published_rows_as_its_tables_do():
    said = " ".join((ROOT / "docs" / "rankers.md").read_text(encoding="utf-8").split())
    for name, above in (("ohsumed", True), ("mq2008", False)):
        of = table_of(name, "MAP")
        published = max(value for ranker, value in of.items() if "published" in ranker)
        assert (of["chosen"] > published) == above
        between = " against " if above else " against AdaRank's "
        assert f"{of['chosen']:.4f}{between}{published:.4f}" in said
    assert "above every published row in MAP on OHSUMED (" in said
    assert f"and not on MQ2008: {of['chosen']:.4f}" in said
