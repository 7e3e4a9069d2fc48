"""HTK's SLF: words on nodes and on links, and what is wrong in which line."""

import gzip

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.lattice.formats import Piece, Reading, write_slf
from rankine.spoken.lattice.formats.lattices.slf import divisor
from rankine.spoken.lattice.posteriors import arc_posteriors

from ...cases import SLF, same


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
    assert lattice.acoustic[by_word["hallo"]] == pytest.approx(-2 / 2 * log10)
    assert lattice.language[by_word["hallo"]] == pytest.approx((-0.25 * 2 - 1) / 2 * log10)
    whole = rk.spoken.read_lattice(tmp_path / "l.slf", posterior_scale=1)
    assert whole.acoustic[by_word["hallo"]] == pytest.approx(-2 * log10)
    assert whole.language[by_word["hallo"]] == pytest.approx((-0.25 * 2 - 1) * log10)
    other = rk.spoken.read_lattice(tmp_path / "l.slf", language_weight=4, posterior_scale=8)
    assert other.acoustic[by_word["hallo"]] == pytest.approx(-2 / 8 * log10)
    assert other.language[by_word["hallo"]] == pytest.approx((-0.25 * 4 - 1) / 8 * log10)


def test_scores_are_divided_by_the_weight_of_the_language_scores(tmp_path):
    """Posteriors are those of acoustic scores / lmscale + language scores, and stay so when written and read again."""
    text = (
        "VERSION=1.1\nlmscale=10\nN=2 L=2\nI=0 t=0\nI=1 t=0.3\n"
        "J=0 S=0 E=1 W=a a=-100 l=-1\nJ=1 S=0 E=1 W=b a=-120 l=-0.5\n"
    )
    (tmp_path / "l.slf").write_text(text)
    lattice = rk.spoken.read_lattice(tmp_path / "l.slf")
    ratio = np.exp(-100 / 10 - 1 - (-120 / 10 - 0.5))
    assert sorted(arc_posteriors(lattice).posterior) == pytest.approx([1 / (1 + ratio), ratio / (1 + ratio)])
    (tmp_path / "m.slf").write_bytes(write_slf(lattice))
    same(lattice, rk.spoken.read_lattice(tmp_path / "m.slf"))
    for weight in ("0", "-3"):  # no divisor
        (tmp_path / "n.slf").write_text(text.replace("lmscale=10", f"lmscale={weight}"))
        assert sorted(rk.spoken.read_lattice(tmp_path / "n.slf").acoustic) == [-120, -100]


def test_what_scores_are_divided_by_is_told_by_the_header(tmp_path):
    links = "N=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=a a=-1{}\n"
    for text, expected in (
        ("lmscale=12.5\n" + links.format(""), 12.5),
        ("lmscale=12.5\n" + links.format(" p=1"), 1.0),
        (links.format(""), 1.0),
    ):
        piece = Piece("u", "slf", "memory", text.encode())
        assert divisor(piece, Reading()) == expected
    assert divisor(Piece("u", "slf", "memory", links.format("").encode()), Reading(posterior_scale=3)) == 3


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


@pytest.mark.parametrize("times", [2, 4, 7, 1000])
def test_of_a_repeated_field_the_last_one_counts(tmp_path, times):
    """One word a line was the size of the table of words: more of them overran it, or looked for a place for ever."""
    words = " ".join(f"W=w{i}" for i in range(times))
    (tmp_path / "x.slf").write_text(f"N=2 L=1\nI=0\nI=1\nJ=0 S=1 S=0 E=1 {words} a=-9 a=-1.5\n")
    lattice = rk.spoken.read_lattice(tmp_path / "x.slf")
    assert lattice.units == (f"w{times - 1}",)
    assert lattice.acoustic.tolist() == [-1.5]
    (tmp_path / "x.slf").write_text(f"I=0\nI=1\nJ=0 S=1 S=0 E=1 {words} a=-9 a=-1.5 l=-1{'1' * 30}e-31\n")  # by hand
    assert rk.spoken.read_lattice(tmp_path / "x.slf").units == lattice.units


def test_words_beyond_what_was_announced(tmp_path):
    nodes = "".join(f"I={i} W=w{i}\n" for i in range(50))
    links = "".join(f"J={i} S={i} E={i + 1}\n" for i in range(49))
    for announced in ("", "NODES=50\n", "N=3\n", "N=99999999\n", "N=1e30\n"):
        (tmp_path / "x.slf").write_text(announced + nodes + links)
        if announced.startswith("N="):
            with pytest.raises(rk.InputError, match=r"x.slf: N=.*, but there are 50"):
                rk.spoken.read_lattice(tmp_path / "x.slf")
        else:
            assert len(rk.spoken.read_lattice(tmp_path / "x.slf").units) == 49


def test_lines_that_the_kernel_cannot_read_follow_the_same_rules(tmp_path):
    """A language score of many digits sends a line to the slow reader: nothing else about it may change."""
    for word, unit in (('"a b"', "a b"), ("a\u00a0b", "a\u00a0b"), ('"a', 'a l=-1"'), ('a"', 'a"')):
        units = set()
        for digits in ("", "0" * 30 + "1"):
            end = f"l=-1.0{digits}" if unit != 'a l=-1"' else 'l=-1"'
            (tmp_path / "x.slf").write_text(f"I=0\nI=1\nJ=0 S=0 E=1 r=-0.0{digits} W={word} {end}\n")
            units.add(rk.spoken.read_lattice(tmp_path / "x.slf").units)
        assert units == {(unit.strip('"') if word == '"a' else unit,)}
    for bad in ('W="a"b', "W=a =b", "W=a b", "é=1", 'W="a" x'):
        for digits in ("", "0" * 30 + "1"):
            (tmp_path / "x.slf").write_text(f"I=0\nI=1\nJ=0 S=0 E=1 l=-1.0{digits} {bad}\n")
            with pytest.raises(rk.InputError, match="line 3: expected J=… and further key=value"):
                rk.spoken.read_lattice(tmp_path / "x.slf")


def test_only_full_names_stand_for_a_letter(tmp_path):
    (tmp_path / "x.slf").write_text("I=0 time=1\nI=1 tale=x time=2\nJ=0 START=0 END=1 WORD=a acoustic=-1 WARD=b\n")
    lattice = rk.spoken.read_lattice(tmp_path / "x.slf")
    assert (lattice.units, lattice.start.tolist(), lattice.end.tolist()) == (("a",), [1.0], [2.0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x" * 300_000 + "\nI=0\nI=1\nJ=0 S=0 E=1\n", "line 1: expected key=value"),
        ("I=0\nI=1\nJ=0 " + "x" * 300_000 + "\n", "line 3: expected J="),
        ("\n" * 3_000_000, "no nodes or no links"),
        ("#" * 3_000_000 + "\nI=0\nI=1\nJ=0 S=0 E=1\n", "a header of 3,000,001 bytes"),
        ("I=0\nI=1\nJ=0 S=18446744073709551616 E=1\n", "line 3, S=: expected a whole number"),
        ("I=0 t=1e300\nI=1 t=2e300\nJ=0 S=0 E=1\n", "arc 0 has the times 1e.300"),
        ("base=10\nI=0\nI=1\nJ=0 S=0 E=1 a=1e308\n", "arc 0 has the acoustic score inf"),
        ("I=0\nI=1\nJ=0 S=0 E=1 a=1_0\n", "line 3: expected a number, got '1_0'"),
    ],
    ids=range(8),
)
def test_hostile_slf(tmp_path, text, message):
    (tmp_path / "x.slf").write_text(text)
    with pytest.raises(rk.InputError, match=message):
        rk.spoken.read_lattice(tmp_path / "x.slf")


def test_more_lines_than_a_lattice_may_have(tmp_path, monkeypatch):
    monkeypatch.setattr("rankine.spoken.lattice.formats.lattices.slf._MOST_LINES", 5)
    for n, announced in ((4, "N=5\n"), (5, "N=6\n"), (9, "N=7\n")):
        nodes = "".join(f"I={i}\n" for i in range(n + 1))
        links = "".join(f"J={i} S={i} E={i + 1}\n" for i in range(n))
        (tmp_path / "x.slf").write_text(announced + nodes + links)
        if n == 4:
            assert len(rk.spoken.read_lattice(tmp_path / "x.slf")) == 4
        else:
            with pytest.raises(rk.InputError, match="line 7: more than 5 nodes or links"):
                rk.spoken.read_lattice(tmp_path / "x.slf")


def test_blocks_are_cut_between_lines(tmp_path, monkeypatch):
    (tmp_path / "x.slf").write_text(SLF)
    whole = rk.spoken.read_lattice(tmp_path / "x.slf")
    for size in (1, 10, 100):
        monkeypatch.setattr("rankine.spoken.lattice.formats.lattices.slf._BLOCK", size)
        blocks = rk.spoken.read_lattice(tmp_path / "x.slf")
        assert blocks.units == whole.units
        assert blocks.acoustic.tolist() == whole.acoustic.tolist()
