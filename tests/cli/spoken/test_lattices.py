"""``rankine spoken pspl`` and ``rankine spoken cn``."""

import rankine as rk

from ...spoken.lattice.formats.cases import LATTICE4
from ..running import rankine


def test_a_damaged_archive_costs_only_its_rest(place):
    (place / "k.ark").write_bytes(LATTICE4 + b"u2 wrong")
    done = rankine(place, "spoken", "pspl", "k.ark", code=1)
    assert "u1\t0\t" in done.stdout
    assert "magic number" in done.stderr


def test_scales_and_penalties_are_of_words(tmp_path):
    (tmp_path / "a.slf").write_text("N=2 L=2\nI=0\nI=1\nJ=0 S=0 E=1 W=a l=-1\nJ=1 S=0 E=1 W=bcd l=-1\n")
    options = ("--language-scale", "3", "--penalty", "-1")
    for units in ("words", "characters"):
        out = rankine(tmp_path, "spoken", "pspl", "a.slf", "--units", units, *options).stdout.splitlines()
        assert "a\t0\ta\t0.500000" in [line.rsplit("\t", 2)[0] for line in out]
    (tmp_path / "d.txt").write_text("a AH0\na(2) AH1\na(3) EY1 # a comment\nbcd B\n")
    out = rankine(tmp_path, "spoken", "pspl", "a.slf", "--units", "phones", "--lexicon", "d.txt", *options).stdout
    assert {line.split("\t")[2]: line.split("\t")[3] for line in out.splitlines()[1:]} == {
        "B": "0.500000", "AH": "0.250000", "EY": "0.250000",
    }  # fmt: skip


def test_options_are_checked_before_the_work(place):
    for options, message in (
        (("--prune", "2"), "--prune"),
        (("--method", "foo"), "--method"),
        (("--use", "foo"), "--use"),
        (("--units", "foo"), "units must be"),
    ):
        done = rankine(place, "spoken", "cn", "lattices", *options, code=1)
        assert message in done.stderr
        assert done.stderr.count("\n") == 1
    by_score = rankine(place, "spoken", "pspl", "lattices", "--use", "scores", "--acoustic-scale", "3").stdout
    assert by_score != rankine(place, "spoken", "pspl", "lattices").stdout


def test_tables_and_networks(place):
    rankine(place, "spoken", "pspl", "lattices", "-o", "out.tsv")
    assert (place / "out.tsv").read_text().splitlines() == [
        "utterance\tposition\tunit\tposterior\tstart\tend",
        "good\t0\ta\t1.000000\t0.000\t0.475",
        "good\t1\tb\t0.750000\t0.500\t1.000",
    ]
    out = rankine(place, "spoken", "cn", "lattices/good.slf", "--units", "characters").stdout
    assert out.splitlines()[1].startswith("good\t0\ta\t1.000000")
    mangu = ("spoken", "cn", "lattices/good.slf", "--method", "mangu")
    (place / "d.txt").write_text("a AH0\nb B IY1\n")
    assert rankine(place, *mangu).stdout == rankine(place, *mangu, "--lexicon", "d.txt").stdout
    assert "nowhere" in rankine(place, "spoken", "pspl", "nowhere", code=1).stderr
    assert "units must be" in rankine(place, "spoken", "pspl", "lattices", "--units", "nonsense", code=1).stderr
    out = rankine(place, "spoken", "pspl", "lattices", "--nothing", "a", "--variants", "--beam", "100").stdout
    assert "b(2)" in out
    assert "\ta\t" not in out
    rankine(place, "spoken", "cn", "lattices", "-o", "n.mesh.gz")
    assert rk.spoken.read_lattice(place / "n.mesh.gz").units == ("a", "b")
