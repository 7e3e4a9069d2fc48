"""``rankine spoken show``."""

import rankine as rk
from rankine.spoken.lattice import formats as f

from ...spoken.lattice.formats.cases import TEXTS
from ..running import rankine


def test_pictures(place):
    for what in ("lattice", "pspl", "cn", "mangu"):
        rankine(place, "spoken", "show", "lattices", "--as", what, "-o", f"{what}.svg", "--utterance", "good")
        assert "good" in (place / f"{what}.svg").read_text()
    done = rankine(place, "spoken", "show", "lattices", "--utterance", "god", "-o", "x.svg", code=1)
    assert "Did you mean 'good'" in done.stderr
    assert "--as" in rankine(place, "spoken", "show", "lattices", "--as", "tree", code=1).stderr
    (place / "x.fst").write_text(TEXTS["x.fst"])  # without times
    rankine(place, "spoken", "show", "x.fst", "-o", "x.png")


def test_odd_letters_in_pictures(tmp_path):
    arcs = [(0, 1, r"$\frac$", 0.0, 0.0, 1.0), (0, 1, "设定", 0.0, 0.0, 1.0)]
    (tmp_path / "a.slf").write_bytes(f.write_slf(rk.spoken.Lattice.from_arcs(arcs, 0, 1)))
    rankine(tmp_path, "spoken", "show", "a.slf", "-o", "a.svg")
    assert "设定" in (tmp_path / "a.svg").read_text()
    rankine(tmp_path, "spoken", "show", "a.slf", "-o", "b.svg", "--as", "cn")
