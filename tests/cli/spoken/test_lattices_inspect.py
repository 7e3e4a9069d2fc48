"""``rankine spoken inspect``."""

from ...spoken.lattice.cases import SLF
from ..running import rankine


def test_sizes_and_best_paths(place):
    (place / "lattices" / "bad.slf").write_text(SLF.replace("N=4", "N=7"))
    done = rankine(place, "spoken", "inspect", "lattices", code=1)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert rows[1] == ["good", "4", "4", "2", "2", "1.00", "a b"]
    assert "skipped: lattices/bad.slf: N=7, but there are 4" in done.stderr
    assert "1 of 2 utterances could not be used" in done.stderr


def test_the_length_of_frames_is_checked(place):
    assert "--frame" in rankine(place, "spoken", "inspect", "lattices", "--frame", "0", code=1).stderr


def test_what_scores_are_divided_by_is_told(tmp_path):
    links = "N=2 L=2\nI=0 t=0\nI=1 t=1\nJ=0 S=0 E=1 W=a a=-100 l=-1\nJ=1 S=0 E=1 W=b a=-120 l=-1\n"
    (tmp_path / "u.slf").write_text("lmscale=12.5\n" + links)
    (tmp_path / "v.nbest").write_text("-8 -2 1 a\n-9 -3 1 b\n")
    said = rankine(tmp_path, "spoken", "inspect", ".").stderr
    assert "scores of slf are divided by 12.5, the weight of language scores of u; --posterior-scale" in said
    assert "scores of nbest are divided by 8, the weight of language scores of v; --posterior-scale" in said
    assert "divided" not in rankine(tmp_path, "spoken", "inspect", ".", "--posterior-scale", "3").stderr
    assert "divided by 20" in rankine(tmp_path, "spoken", "inspect", ".", "--language-weight", "20").stderr
    assert "divided by 12.5" in rankine(tmp_path, "spoken", "index", "archive", "u.slf").stderr
    (tmp_path / "u.slf").write_text("lmscale=x\n" + links)
    assert "expected a number, got 'x'" in rankine(tmp_path, "spoken", "inspect", "u.slf", code=1).stderr


def test_columns_of_a_list_are_given(tmp_path):
    (tmp_path / "v.nbest").write_text("-8 5 2 a\n")
    done = rankine(tmp_path, "spoken", "inspect", "v.nbest", code=1)
    assert "may be scores or words. Give score_columns 1" in done.stderr
    done = rankine(tmp_path, "spoken", "inspect", "v.nbest", "--score-columns", "1")
    assert done.stdout.splitlines()[1].endswith("\t5 2 a")


def test_the_format_is_told(place):
    assert (
        "lattices: 1 file of the format slf, told by its content\n"
        in rankine(place, "spoken", "inspect", "lattices").stderr
    )
    (place / "x.slf").write_text(SLF)
    said = rankine(place, "spoken", "inspect", "x.slf", "--format", "slf").stderr
    assert "x.slf: 1 file of the format slf, as --format says\n" in said
