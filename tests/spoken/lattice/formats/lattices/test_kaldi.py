"""Kaldi's lattices, binary and text: both types, times, damaged files."""

import gzip
import struct

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.lattice import formats as f
from rankine.spoken.lattice.formats.lattices import kaldi
from rankine.spoken.lattice.posteriors import arc_posteriors, expected_counts

from ...cases import same
from ..cases import LATTICE4

MAGIC = kaldi.MAGIC


def test_times_survive_kaldi(tmp_path):
    arcs = [(0, 1, "a", -1.0, 0.0, 0.25), (0, 1, "b", -2.0, 0.0, 0.25), (1, 2, "c", 0.0, 0.25, 0.75)]
    lattice = rk.spoken.Lattice.from_arcs(arcs, 0, 2, "u")
    (tmp_path / "a.ark").write_bytes(f.write_kaldi_text(lattice))
    same(lattice, rk.spoken.read_lattice(tmp_path / "a.ark"))
    (tmp_path / "b.ark.gz").write_bytes(gzip.compress(f.write_kaldi(lattice, {"a": 1, "b": 2, "c": 3})))
    back = rk.spoken.read_lattice(tmp_path / "b.ark.gz")
    assert back.units == ("1", "2", "3")
    assert sorted(zip(back.start.tolist(), back.end.tolist(), strict=True))[0] == (0.0, 0.25)


def test_both_types_of_lattices(tmp_path):
    (tmp_path / "l.ark").write_bytes(LATTICE4)
    (tmp_path / "words.txt").write_text("<eps> 0\na 1\nb 2\nc 3\n")
    lattice = rk.spoken.read_lattice(tmp_path / "l.ark", words=str(tmp_path / "words.txt"))
    assert set(lattice.units) == {"a", "b", "c"}
    a, c = (int(np.flatnonzero(lattice.unit == lattice.units.index(w))[0]) for w in "ac")
    assert (lattice.start[a], lattice.end[a]) == pytest.approx((0.0, 0.02))  # a lasts until c can begin
    assert (lattice.start[c], lattice.end[c]) == pytest.approx((0.02, 0.03))
    counts = expected_counts(lattice, arc_posteriors(lattice))
    assert counts["a"] == pytest.approx(1 / (1 + np.exp(0.5)))
    text = "u1\n0 1 5 a 1,2\n0 1 5 b 0.5,2\n1 2 6 <eps> 0,1\n2 3 7 c 0,1\n3 0.25,0\n\n"
    (tmp_path / "t.ark").write_text(text)
    same(lattice, rk.spoken.read_lattice(tmp_path / "t.ark"))
    (tmp_path / "two.lats").write_text(text + text.replace("u1", "u2"))  # told by its content
    assert [name for name, _ in rk.spoken.read_archive(tmp_path / "two.lats")] == ["u1", "u2"]
    with pytest.raises(rk.InputError, match="several utterances"):
        rk.spoken.read_lattice(tmp_path / "two.lats")


def test_damaged_files(tmp_path):
    place = tmp_path / "l.ark"
    place.write_bytes(LATTICE4[:-6])
    with pytest.raises(rk.InputError, match="byte 0: cut short"):
        list(rk.spoken.read_archive(place))
    place.write_bytes(LATTICE4 + b"u2 " + b"wrong")
    names = []
    with pytest.raises(rk.InputError, match=r"u2, byte \d+: expected the magic number"):
        names.extend(name for name, _ in rk.spoken.read_archive(place))
    assert names == ["u1"]
    place.write_bytes(gzip.compress(LATTICE4 * 50)[:-30])
    with pytest.raises(rk.InputError, match="truncated or damaged"):
        list(rk.spoken.read_archive(place))
    place.write_bytes(LATTICE4)
    (tmp_path / "words.txt").write_text("<eps> 0\na 1\n")
    with pytest.raises(rk.InputError, match="word number 2 is not in"):
        list(rk.spoken.read_archive(place, words=str(tmp_path / "words.txt")))
    (tmp_path / "words.txt").write_text("a 1\nb 1\n")
    with pytest.raises(rk.InputError, match="line 2: the number 1 stands for"):
        list(rk.spoken.read_archive(place, words=str(tmp_path / "words.txt")))
    place.write_bytes(LATTICE4.replace(b"lattice4", b"latticeX"))
    with pytest.raises(rk.InputError, match="latticeX"):
        list(rk.spoken.read_archive(place))
    place.write_bytes(b"utt \x00\x00\x00\x00 nonsense nonsense nonsense")
    with pytest.raises(rk.InputError, match="expected the name of an utterance"):
        list(rk.spoken.read_archive(place))


def test_numeric_names_in_kaldi_text(tmp_path):
    (tmp_path / "a.ark").write_text("1001\n0 1 x 0,0,\n1\n\n1002\n0 1 y 0,0,\n1 0,0,\n\n")
    lattices = dict(rk.spoken.read_archive(tmp_path / "a.ark"))
    assert {name: lattice.units for name, lattice in lattices.items()} == {"1001": ("x",), "1002": ("y",)}
    assert np.isnan(lattices["1001"].start).all()  # no alignments: no times


def test_times_before_the_first_word_survive_kaldi(tmp_path):
    lattice = rk.spoken.Lattice.from_arcs([(0, 1, "a", 0.0, 5.0, 6.0), (1, 2, "b", 0.0, 6.0, 7.0)], 0, 2, "u")
    (tmp_path / "a.ark").write_bytes(f.write_kaldi_text(lattice))
    same(lattice, rk.spoken.read_lattice(tmp_path / "a.ark"))
    with pytest.raises(rk.InputError, match="too long"):
        f.write_kaldi_text(rk.spoken.Lattice.from_arcs([(0, 1, "a", 0.0, 0.0, 1e7)], 0, 1))
    with pytest.raises(rk.InputError, match="too large"):
        f.write_kaldi(rk.spoken.Lattice.from_arcs([(0, 1, "a", -1e39)], 0, 1), {"a": 1})
    with pytest.raises(rk.InputError, match="cannot hold"):
        f.write_kaldi(rk.spoken.Lattice.from_arcs([(0, 1, "new york", -1.0)], 0, 1), {"new york": 1})


FINAL = struct.pack("<ffiq", 0.0, 0.0, 0, 0)


def compact(name=b"u1", states=1, body=FINAL):
    names = b"".join(struct.pack("<i", len(t)) + t for t in (b"vector", b"compactlattice44"))
    return name + b" " + MAGIC + names + struct.pack("<iiQqqq", 2, 0, 3, 0, states, 0) + body


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (MAGIC + struct.pack("<i", 6) + b"vector\n0 1 a\n", "x.ark"),  # a text whose name looks like a lattice
        (compact(states=10**8), "byte 0: cut short"),
        (compact(body=struct.pack("<ffiq", 0.0, 0.0, 10**7, 0)), "byte 0: cut short"),
        (compact(body=struct.pack("<ffiq", 0.0, 0.0, 0, 2**31)), "an impossible length"),
        (compact(body=struct.pack("<ffiq", 0.0, 0.0, 0, 2**31 - 1)), "byte 0: cut short"),
        (compact() + compact(b"a\nb"), r"byte \d+: no utterance name"),
        (compact() + b"x" * 20_000, r"byte \d+: no utterance name"),
        (compact() + b"u2 " + b"y" * 60, r"byte \d+: expected the magic number"),
    ],
    ids=range(8),
)
def test_hostile_kaldi(tmp_path, data, message):
    (tmp_path / "x.ark").write_bytes(data)
    [file] = f.files(tmp_path / "x.ark", "kaldi")
    with pytest.raises(rk.InputError, match=message):
        [f.load(piece, f.Reading()) for piece in f.pieces(file) if piece.byte < 0]


def test_many_small_and_one_long_lattice_are_cut_in_linear_time(tmp_path, monkeypatch):
    """Blocks are not copied for each utterance, nor looked through again for each block."""
    small = [compact(f"u{i}".encode()) for i in range(3000)]
    frames = struct.pack("<ffi", 0.0, 0.0, 10**6) + bytes(4 * 10**6)
    long = compact(b"long", body=frames + struct.pack("<q", 0))
    (tmp_path / "x.ark").write_bytes(b"".join([*small, long, *small]))
    looked = []
    extent = kaldi._extent
    monkeypatch.setattr(kaldi, "_extent", lambda *given: looked.append(len(given[0])) or extent(*given))
    monkeypatch.setattr(kaldi, "read_blocks", lambda path: blocks_of(path, 10_000))
    names = [piece.name for piece in f.pieces(f.files(tmp_path / "x.ark", "kaldi")[0])]
    assert names == [f"u{i}" for i in range(3000)] + ["long"] + [f"u{i}" for i in range(3000)]
    assert len(looked) < 7000


def blocks_of(path, size):
    with open(path, "rb") as file:
        yield from iter(lambda: file.read(size), b"")
