"""HTK's SLF: words on nodes and on links, and what is wrong in which line."""

import gzip

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.lattice.posteriors import arc_posteriors

from ..cases import SLF


def test_slf_by_hand(tmp_path):
    for name, data in (("a.slf", SLF.encode()), ("b.slf.gz", gzip.compress(SLF.encode()))):
        (tmp_path / name).write_bytes(data)
        lattice = rk.spoken.read_lattice(tmp_path / name)
        assert (lattice.n_nodes, len(lattice), lattice.units) == (4, 4, ("b", "a"))
        assert rk.spoken.pspl(lattice).triples() == [(0, "a", 1.0), (1, "b", 0.75)]
        assert sorted(lattice.acoustic.tolist()) == [-2.5, -1.5, -1.0, -1.0]
        entry = rk.spoken.pspl(lattice)
        assert entry.start.tolist() == [0.0, 0.5]
        assert entry.end[1] == 1.0
    assert rk.spoken.read_lattice(tmp_path / "a.slf", variants=True).units == ("b(2)", "a")
    assert arc_posteriors(lattice, use="scores").posterior.max() < 1.0 + 1e-12
    assert list(dict(rk.spoken.read_archive(tmp_path))) == ["a", "b"]


def test_slf_with_words_on_links(tmp_path):
    text = (
        'VERSION=1.1\nbase=10\nlmscale=2\nwdpenalty=-1\nN=3 L=3\nI=0 t=0\nI=1 t=0.3\nI=2 t=0.9\n'
        'J=0 S=0 E=1 W="hello there" a=-1 l=-0.5\nJ=1 S=0 E=1 W=hallo a=-2 l=-0.25\nJ=2 S=1 E=2 W=!NULL a=-1\n'
    )  # fmt: skip
    (tmp_path / "l.slf").write_text(text)
    lattice = rk.spoken.read_lattice(tmp_path / "l.slf")
    assert set(lattice.units) == {"hello there", "hallo"}
    log10 = np.log(10)
    by_word = {lattice.units[u]: i for i, u in enumerate(lattice.unit) if u >= 0}
    assert lattice.acoustic[by_word["hallo"]] == pytest.approx(-2 * log10)
    assert lattice.language[by_word["hallo"]] == pytest.approx((-0.25 * 2 - 1) * log10)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("N=4", "N=5"), "N=5, but there are 4"),
        (("L=4", "L=3"), "L=3, but there are 4"),
        (("J=3\tS=2", "J=3\tS=9"), "node 9, which is not defined"),
        (("I=1\t", "I=2\t"), "defined twice"),
        (("S=1\tE=0", "S=1\tE=3"), "circle|no path"),
        (("a=-1.5", "a=nan"), "NaN"),
        (("a=-1.5", "a=x"), "expected a number"),
        (("start=3", "start=7"), "start=7 is not defined"),
        (("J=0\tS=3\t", "J=0\t"), "line 10: S= is missing"),
        (("t=0.50", "t=zero"), "line 7: expected a number"),
    ],
)
def test_bad_slf(tmp_path, change, message):
    (tmp_path / "x.slf").write_text(SLF.replace(*change))
    with pytest.raises(rk.InputError, match=message):
        rk.spoken.read_lattice(tmp_path / "x.slf")


def test_what_leads_elsewhere_is_trimmed(tmp_path):
    (tmp_path / "x.slf").write_text(SLF.replace("end=0", "end=2"))
    assert rk.spoken.read_lattice(tmp_path / "x.slf").n_nodes == 2


def test_damaged_files(tmp_path):
    (tmp_path / "t.slf.gz").write_bytes(gzip.compress(SLF.encode())[:-20])
    with pytest.raises(rk.InputError, match="truncated or damaged"):
        rk.spoken.read_lattice(tmp_path / "t.slf.gz")
    (tmp_path / "e.slf").write_text("")
    with pytest.raises(rk.InputError, match="not a lattice"):
        rk.spoken.read_lattice(tmp_path / "e.slf")


def test_lines_are_named(tmp_path):
    lines = ["N=3 L=2", "I=0", "I=1", "I=2", "J=0 S=0 E=1 W=a", "J=1 S=1 E=2 W=b"]
    for change, message in (
        ({3: "I=1"}, "line 4: node 1 is defined twice"),
        ({5: "J=0 S=1 E=2"}, "line 6: link 0 is defined twice"),
        ({5: "J=1 S=1 E=7"}, "line 6: a link leads from or to node 7"),
        ({5: "J=1 S=1 W=b"}, "line 6: E= is missing"),
        ({4: "J=0 S=0 E=1 W=a p=7"}, "line 5: a posterior"),
    ):
        text = "\n".join(change.get(i, line) for i, line in enumerate(lines)) + "\n"
        (tmp_path / "a.slf").write_text(text)
        with pytest.raises(rk.InputError, match=message):
            rk.spoken.read_lattice(tmp_path / "a.slf")
    (tmp_path / "a.slf").write_bytes("\n".join(lines).encode().replace(b"W=b", b"W=\xff"))
    with pytest.raises(rk.InputError, match="line 6"):
        rk.spoken.read_lattice(tmp_path / "a.slf")
