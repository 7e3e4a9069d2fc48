"""``rankine consistency``."""

import re
from itertools import permutations

from ..folders import ROOT
from .running import rankine


def test_command_line(tmp_path):
    assert "standard form: no" in rankine(tmp_path, "consistency", "AP").stdout
    assert "standard form: yes" in rankine(tmp_path, "consistency", "nDCG@2", "-m", "4").stdout
    out = rankine(tmp_path, "consistency", "DCG", "-l", "preorder", "-g", "0,1,2").stdout
    assert "inconsistent: the loss sorts" in out
    assert "no proof" in rankine(tmp_path, "consistency", "DCG", "-l", "consistent-dcg", "--tries", "5").stdout
    given = tmp_path / "given.txt"
    given.write_text("# probability and grades\n0.5 1 0 0\n1/2 0 1 1\n")
    assert (
        "consistent here" in rankine(tmp_path, "consistency", "DCG", "-l", "squared-dcg", "--given", str(given)).stdout
    )
    given.write_text("0.5\n")
    failed = rankine(tmp_path, "consistency", "DCG", "-l", "squared-dcg", "--given", str(given), code=1)
    assert "line 1" in failed.stderr
    assert "whole numbers with commas" in rankine(tmp_path, "consistency", "AP", "-g", "x", code=1).stderr


GRAPHS = "# three judges\n1/2\n0 1 0\n0 0 1\n0 0 0\n\n1/4\n0 0 3\n0 0 0\n0 0 0\n# the last\n0.25\n0 0 0\n1 0 0\n0 0 0\n"


def given(folder, text, name="given.txt"):
    (folder / name).write_text(text)
    return "--given", str(folder / name)


def test_graphs_from_a_file(tmp_path):
    out = rankine(tmp_path, "consistency", "WPD", "-l", "consistent-wpd", *given(tmp_path, GRAPHS)).stdout
    assert "1/2\t1 > 2, 2 > 3\n1/4\t1 > 3 (3)\n1/4\t2 > 1\n" in out
    assert "consistent here: the loss sorts 1 > 2 > 3; best for WPD is 1 > 2 > 3" in out
    matrices = ["\n".join(" ".join("1" if (i, j) == edge else "0" for j in range(3)) for i in range(3))
                for edge in permutations(range(3), 2)]  # fmt: skip
    one_edge = "".join(f"1/6\n{matrix}\n" for matrix in matrices)
    for args in (given(tmp_path, one_edge), ("-m", "3"), ()):
        out = rankine(tmp_path, "consistency", "WPD", *args).stdout
        assert "WPD on these 6 supervisions of 3 items has a standard form: no" in out
        assert "preferences\tweight" in out


def test_the_same_distribution_in_json(tmp_path):
    text = '[{"probability": "1/2", "weights": [[0, 1], [0, 0]]}, {"probability": 0.5, "weights": [[0, 0], [0.5, 0]]}]'
    out = rankine(tmp_path, "consistency", "WPD", "-l", "duchi", *given(tmp_path, text, "g.json")).stdout
    assert "1/2\t1 > 2\n1/2\t2 > 1 (1/2)\n" in out
    same = rankine(tmp_path, "consistency", "WPD", "-l", "duchi", *given(tmp_path, "0.5\n0 1\n0 0\n0.5\n0 0\n0.5 0\n"))
    assert same.stdout == out


def test_ranks_from_a_file_and_two_spellings(tmp_path):
    args = "-l", "consistent-rank", *given(tmp_path, "0.4 1 2 3\n0.3 3 1 2\n0.3 2 1 3\n")
    out = rankine(tmp_path, "consistency", "zero-one", *args).stdout
    assert "inconsistent: the loss sorts 2 > 1 > 3; best for zero-one is 1 > 2 > 3" in out
    assert rankine(tmp_path, "consistency", "0-1", *args).stdout == out
    assert "has a standard form: no" in rankine(tmp_path, "consistency", "0-1").stdout
    ranks = rankine(tmp_path, "consistency", "0-1", *args[2:]).stdout
    assert "0-1 on these 3 supervisions of 3 items has a standard form" in ranks


def test_the_help_names_the_formats(tmp_path):
    text = " ".join(rankine(tmp_path, "consistency", "--help").stdout.replace("│", " ").split())
    for words in ("WPD", "0-1", "m × m matrix", "--given graphs.txt", '"probability": "1/2"'):
        assert words in text


def test_an_option_without_effect_is_refused(tmp_path):
    file = given(tmp_path, GRAPHS)
    for args, message in (
        (("WPD", "-g", "0,1"), "--grades is for measures of grades; WPD is of graphs"),
        (("0-1", "-g", "0,1"), "--grades is for measures of grades; 0-1 is of ranks"),
        (("AP", "--tries", "3"), "--tries is for the search with a loss"),
        (("WPD", "-m", "3", *file), "--items is not for --given"),
        (("WPD", "-l", "duchi", "--seed", "3", *file), "--seed is not for --given"),
        (("WPD", "-l", "ranksvm", *file), "ranksvm needs grades"),
        (("AP", *file), "AP needs grades"),
    ):
        assert message in rankine(tmp_path, "consistency", *args, code=1).stderr


def test_the_page_shows_what_is_printed(tmp_path):
    page = (ROOT / "docs" / "consistency.md").read_text(encoding="utf-8")
    graphs, ranks, printed = re.findall(r"```\n(.*?)```", page.split("## Distributions from a file")[1], re.S)
    out = rankine(tmp_path, "consistency", "WPD", "--loss", "consistent-wpd", *given(tmp_path, graphs)).stdout
    assert [line.split() for line in out.splitlines()] == [line.split() for line in printed.splitlines()]
    out = rankine(tmp_path, "consistency", "0-1", "--loss", "consistent-rank", *given(tmp_path, ranks)).stdout
    assert "inconsistent: the loss sorts 2 > 1 > 3; best for zero-one is 1 > 2 > 3" in out
