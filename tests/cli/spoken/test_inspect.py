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
