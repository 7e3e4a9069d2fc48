"""``rankine consistency``."""

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
