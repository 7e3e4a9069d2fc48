"""Formats of lattices: round trips, archives, bad input, mutations of every one; commands over them."""

import gzip
import json
import os
import struct
from dataclasses import replace
from unittest.mock import ANY

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankine as rk
from rankine.spoken.lattice import formats as f
from rankine.spoken.lattice.lattice import random_lattice
from rankine.spoken.lattice.posteriors import arc_posteriors, expected_counts

from ....cli.test_cli import rankine
from ..test_lattice import SLF

LATTICE4 = (
    b"u1 "
    + struct.pack("<i", 2125659606)
    + b"".join(struct.pack("<i", len(t)) + t for t in (b"vector", b"lattice4"))
    + struct.pack("<iiQqqq", 2, 0, 3, 0, 4, 4)
    + struct.pack("<ffq", np.inf, np.inf, 2)
    + struct.pack("<iiffi", 5, 1, 1.0, 2.0, 1)
    + struct.pack("<iiffi", 5, 2, 0.5, 2.0, 1)
    + struct.pack("<ffq", np.inf, np.inf, 1)
    + struct.pack("<iiffi", 6, 0, 0.0, 1.0, 2)
    + struct.pack("<ffq", np.inf, np.inf, 1)
    + struct.pack("<iiffi", 7, 3, 0.0, 1.0, 3)
    + struct.pack("<ffq", 0.25, 0.0, 0)
)
TEXTS = {
    "x.slf": SLF,
    "x.fst": "0 1 a a 0.5\n0 1 b b 1.5\n1 2 c c\n2 0.1\n",
    "x.mesh": "name u\nnumaligns 2\nalign 0 a 0.7 *DELETE* 0.3\ninfo 0 a 0.1 0.4 0 0 0\nalign 1 b 0.5 c 0.5\n",
    "x.sausage": "u1 [ a 0.7 b 0.2 ] [ c 1 ]\nu2 [ a 1 ]\n",
    "x.nbest": "-1.5 a b\n-2 a c d\n",
    "x.ctm": "u1 1 0.0 0.5 hello 0.9\nu1 1 0.5 0.5 world 0.6\nu2 1 0 1 x\n",
    "x.json": '{"segments": [{"words": [{"word": "hi", "start": 0, "end": 0.4, "probability": 0.5}]}]}',
    "x.ark": "u1\n0 1 1 0.5,1.5,3_3_3\n0 1 2 0.25,1.5,3_3_3\n1 0.1,0,4\n\nu2\n0 1 2 1,1,\n1\n\n",
}


def posteriors(lattice, **scales):
    """What is compared: expected counts and PSPL with times, whatever the graph's shape."""
    found = arc_posteriors(lattice, **scales)
    entries = rk.spoken.pspl(lattice, found)
    cells = {(p, u): x for p, u, x in entries.triples()}
    when = dict(zip(cells, zip(entries.start.tolist(), entries.end.tolist(), strict=True), strict=True))
    return cells, when


def same(one, other, times=True, tolerance=1e-10, **scales):
    (cells, when), (cells2, when2) = posteriors(one, **scales), posteriors(other, **scales)
    assert cells == pytest.approx(cells2, abs=tolerance)
    if times:
        for key in cells:
            assert when[key] == pytest.approx(when2[key], abs=1e-5, nan_ok=True)


def cases():
    rng = np.random.default_rng(1)
    for i in range(60):
        lattice = random_lattice(rng, int(rng.integers(2, 7)), int(rng.integers(2, 14)), 3)
        if i % 3 == 1:
            lattice = replace(lattice, posterior=arc_posteriors(lattice).posterior)
        if i % 3 == 2:  # arcs at one node that disagree about the time
            lattice = replace(lattice, start=lattice.start + rng.random(len(lattice)))
            lattice = replace(lattice, end=np.maximum(lattice.end, lattice.start))
        yield replace(lattice, name=f"u{i}", language=rng.normal(size=len(lattice)))


def test_round_trips_of_lattices(tmp_path):
    numbers = {f"w{i}": i + 1 for i in range(3)}
    (tmp_path / "words.txt").write_text("<eps> 0\n" + "".join(f"{w} {n}\n" for w, n in numbers.items()))
    for lattice in cases():
        (tmp_path / "a.slf").write_bytes(f.write_slf(lattice))
        same(lattice, rk.spoken.read_lattice(tmp_path / "a.slf"), acoustic_scale=0.7)
        (tmp_path / "a.fst").write_bytes(f.write_openfst(lattice))
        same(lattice, rk.spoken.read_lattice(tmp_path / "a.fst"), times=False)
        fine = 1e-6  # Kaldi's times are frames
        (tmp_path / "a.ark").write_bytes(f.write_kaldi_text(lattice, frame=1e-3))
        same(lattice, rk.spoken.read_lattice(tmp_path / "a.ark", frame=1e-3), times=False)
        (tmp_path / "b.ark").write_bytes(f.write_kaldi(lattice, numbers, frame=1e-3))
        back = rk.spoken.read_lattice(tmp_path / "b.ark", frame=1e-3, words=str(tmp_path / "words.txt"))
        same(lattice, back, times=False, tolerance=fine)
        assert back.name == lattice.name


def test_times_survive_kaldi(tmp_path):
    arcs = [(0, 1, "a", -1.0, 0.0, 0.25), (0, 1, "b", -2.0, 0.0, 0.25), (1, 2, "c", 0.0, 0.25, 0.75)]
    lattice = rk.spoken.Lattice.from_arcs(arcs, 0, 2, "u")
    (tmp_path / "a.ark").write_bytes(f.write_kaldi_text(lattice))
    same(lattice, rk.spoken.read_lattice(tmp_path / "a.ark"))
    (tmp_path / "b.ark.gz").write_bytes(gzip.compress(f.write_kaldi(lattice, {"a": 1, "b": 2, "c": 3})))
    back = rk.spoken.read_lattice(tmp_path / "b.ark.gz")
    assert back.units == ("1", "2", "3")
    assert sorted(zip(back.start.tolist(), back.end.tolist(), strict=True))[0] == (0.0, 0.25)


def test_round_trips_of_networks(tmp_path):
    for lattice in cases():
        network = rk.spoken.confusion_network(lattice)
        if len(network) == 0:
            continue
        for name, write in (("a.mesh", f.write_mesh), ("a.sausage", f.write_sausage)):
            (tmp_path / name).write_bytes(write(network))
            back = rk.spoken.confusion_network(rk.spoken.read_lattice(tmp_path / name))
            # slots of which nothing is said are not kept by a lattice: positions are compared by their order
            assert _ranked(back) == [(u, pytest.approx(x, abs=1e-9), ANY) for u, x, _ in _ranked(network)]
        back = rk.spoken.confusion_network(rk.spoken.read_lattice(tmp_path / "a.mesh"))
        assert [s for _, _, s in _ranked(back)] == pytest.approx([s for _, _, s in _ranked(network)], nan_ok=True)


def _ranked(network):
    rows = zip(network.triples(), network.start.tolist(), strict=True)
    return [(u, x, s) for (p, u, x), s in sorted(rows, key=lambda row: (row[0][0], row[0][1]))]


def test_round_trip_of_the_best_words(tmp_path):
    for lattice in cases():
        network = rk.spoken.confusion_network(lattice)
        best = network.best_entries()
        if best:
            (tmp_path / "a.ctm").write_bytes(f.write_ctm(network))
            back = rk.spoken.read_lattice(tmp_path / "a.ctm")
            said = sorted((round(back.start[a], 6), back.units[back.unit[a]]) for a in np.flatnonzero(back.unit >= 0))
            assert said == sorted((round(float(network.start[i]), 6), network.units[network.unit[i]]) for i in best)


def test_the_kinds_of_kaldi_lattices(tmp_path):
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


def test_text_and_packed_files_of_every_format(tmp_path):
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
        plain, packed = (list(rk.spoken.read_archive(tmp_path / n)) for n in (name, f"{name}.gz"))
        assert len(plain) == len(packed) >= 1
        for (one, a), (other, b) in zip(plain, packed, strict=True):
            assert one == other
            same(a, b)
        bare = tmp_path / name.replace(".", "_")
        bare.write_text(text)
        if name not in ("x.fst", "x.nbest", "x.ctm"):  # these cannot be told from their content
            assert f.format_of(bare) == f.format_of(tmp_path / name)
    assert len(dict(rk.spoken.read_archive(tmp_path))) > 3
    mesh = rk.spoken.read_lattice(tmp_path / "x.mesh")
    assert mesh.start[mesh.unit == 0].tolist() == [0.1]
    (tmp_path / "vosk.json").write_text('{"result": [{"word": "hi", "start": 0, "end": 1, "conf": 0.5}], "text": "hi"}')
    assert rk.spoken.read_lattice(tmp_path / "vosk.json").posterior.tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.ark", "u1\n0 1 x 1,1,\n1 2 y 1,1,\n", "no final state"),
        ("a.ark", "u1\n0 1 x 1,1,\n1 0 y 1,1,\n1\n", "circle"),
        ("a.ark", "u1\n0 1 x one,1,\n1\n", "u1, line 2: expected a number"),
        ("a.ark", "u1\n0 1 x nan,1,\n1\n", "line 2: expected a number, got NaN"),
        ("a.ark", "0 1 x 1,1,\n1\n", "name of an utterance"),
        ("a.mesh", "numaligns 2\nalign 0 a 1\n", "numaligns 2, but there are 1"),
        ("a.mesh", "numaligns 1\nalign 0 a\n", "line 2: expected pairs"),
        ("a.mesh", "numaligns 1\nalign 0 a 0.9 b 0.9\n", "sum to 1.8"),
        ("a.mesh", "numaligns 1\nalign 0 a 1\nalign 0 a 1\n", "given twice"),
        ("a.mesh", "numaligns 1\nnonsense\n", "expected numaligns"),
        ("a.sausage", "u [ a ]\n", "pairs"),
        ("a.sausage", "u [ a 0.5\n", r"expected \["),
        ("a.sausage", "u\n", "no slots"),
        ("a.ctm", "u 1 0 1 a\nv 1 0 1 b\nu 1 2 1 c\n", "do not stand together"),
        ("a.ctm", "u 1 2 -1 a\n", "begins at 2"),
        ("a.slf", "VERSION=1.0\nbase=1\nN=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=a a=1\n", "no base"),
        ("a.slf", "N=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=a p=-0.5\n", "got p=-0.5"),
        ("a.slf", "N=2 L=2\nI=0\nI=1\nJ=0 S=0 E=1 W=a\nJ=0 S=0 E=1 W=b\n", "link 0 is defined twice"),
        ("a.slf", "SUBLAT=x\nN=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=a\n", "sub-lattices"),
        ("a.fst", "0 1 a a 1 2\n1\n", "at most 5 columns"),
        ("a.xyz", "nonsense\n", "cannot tell the format"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(rk.InputError, match=message) as error:
        list(rk.spoken.read_archive(tmp_path / name))
    assert name in str(error.value)


def test_damaged_archives(tmp_path):
    place = tmp_path / "l.ark"
    place.write_bytes(LATTICE4[:-6])
    with pytest.raises(rk.InputError, match="byte 0: cut short"):
        list(rk.spoken.read_archive(place))
    place.write_bytes(LATTICE4 + b"u2 " + b"wrong")
    found = []
    with pytest.raises(rk.InputError, match=r"u2, byte \d+: expected the magic number"):
        found.extend(rk.spoken.read_archive(place))
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
    with pytest.raises(rk.InputError, match="unknown option 'word'"):
        rk.spoken.read_lattice(place, word="x")
    with pytest.raises(rk.InputError, match="unknown format"):
        rk.spoken.read_lattice(place, format="htk")


BYTES = {**{name: text.encode() for name, text in TEXTS.items()}, "b.ark": LATTICE4}


@pytest.mark.parametrize("name", BYTES)
@given(data=st.data())
def test_mutations_are_data_or_the_documented_error(tmp_path_factory, name, data):
    original = BYTES[name]
    at = data.draw(st.integers(0, len(original) - 1))
    junk = data.draw(
        st.binary(max_size=4) | st.sampled_from([b"-1", b"99999999999", b"nan", b"\n", b" ", b"=", b"\xff" * 4])
    )
    kind = data.draw(st.sampled_from(["replace", "insert", "cut", "repeat"]))
    mutated = {
        "replace": original[:at] + junk + original[at + len(junk) :],
        "insert": original[:at] + junk + original[at:],
        "cut": original[:at],
        "repeat": original + original[at:],
    }[kind]
    place = tmp_path_factory.mktemp("m") / f"m{os.path.splitext(name)[1]}"
    place.write_bytes(mutated)
    try:
        for _, lattice in rk.spoken.read_archive(place):
            assert lattice.n_paths >= 1
            arc_posteriors(lattice)
    except rk.InputError:
        pass


def test_english_units():
    from rankine.spoken.lattice.units import splitter, to_units
    from rankine.spoken.lattice.units.english import ARPABET, VOWELS, cut_syllables, guess, syllables

    assert cut_syllables("HH M".split()) == ["HH-M"]
    assert cut_syllables("P AA K AH T S F IH NG K S".split()) == ["P-AA", "K-AH-T", "S-F-IH-NG-K-S"]
    assert [s for w in ("extra", "singing", "about") for s in syllables()(w)[0]] == [
        "EH-K", "S-T-R-AH", "S-IH-NG", "IH-NG", "AH", "B-AW-T",
    ]  # fmt: skip
    rng = np.random.default_rng(0)
    phones = sorted(set(ARPABET.values()))
    assert len(phones) == 39
    for _ in range(300):
        word = rng.choice(phones, rng.integers(1, 9)).tolist()
        cut = cut_syllables(word)
        assert "-".join(cut).split("-") == word  # nothing lost
        vowels = sum(p in VOWELS for p in word)
        assert len(cut) == max(vowels, 1)
    assert guess("pocketsphinx")[:3] == ["P", "AA", "K"]
    lattice = rk.spoken.Lattice.from_arcs([(0, 1, "to", 0.0, 0.0, 1.0), (1, 2, "rankine", 0.0, 1.0, 2.0)], 0, 2)
    assert rk.spoken.pspl(to_units(lattice, splitter("phones"))).best()[-3:] == ["K", "AY", "N"]
    assert "T-UW" in to_units(lattice, splitter("syllables")).units
    with pytest.raises(rk.InputError, match="Did you mean 'phones'"):
        splitter("phone")


@pytest.fixture
def place(tmp_path):
    folder = tmp_path / "lattices"
    folder.mkdir()
    (folder / "good.slf").write_text(SLF)
    return tmp_path


def test_the_commands(place):
    (place / "lattices" / "bad.slf").write_text(SLF.replace("N=4", "N=7"))
    done = rankine(place, "spoken", "inspect", "lattices", code=1)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert rows[1] == ["good", "4", "4", "2", "2", "1.00", "a b"]
    assert "bad.slf: N=7, but there are 4" in done.stderr
    assert "1 of 2" in done.stderr
    (place / "lattices" / "bad.slf").unlink()
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
    assert "--frame" in rankine(place, "spoken", "inspect", "lattices", "--frame", "0", code=1).stderr
    rankine(place, "spoken", "cn", "lattices", "-o", "n.mesh.gz")
    assert rk.spoken.read_lattice(place / "n.mesh.gz").units == ("a", "b")


def test_a_batch_goes_on_where_it_stopped(place, monkeypatch):
    for i in range(6):
        text = SLF if i != 3 else SLF.replace("N=4", "N=7")
        (place / "lattices" / f"u{i}.slf").write_text(text)
    rankine(place, "spoken", "pspl", "lattices", "-o", "whole.tsv", code=1)
    from rankine.cli.spoken import common

    add, seen = common.BatchJournal.add, []

    def stop(self, outcome, keep=True):
        add(self, outcome, keep)
        seen.append(outcome.name)
        if len(seen) == 5:
            self.file.write(b"half a li")
            self.file.flush()
            raise KeyboardInterrupt

    monkeypatch.setattr(common.BatchJournal, "add", stop)
    with pytest.raises((KeyboardInterrupt, AssertionError)):
        rankine(place, "spoken", "pspl", "lattices", "-o", "out.tsv")
    assert not (place / "out.tsv").exists()
    monkeypatch.setattr(common.BatchJournal, "add", add)
    done = rankine(place, "spoken", "pspl", "lattices", "-o", "out.tsv", code=1)
    assert "going on after 5 utterances" in done.stderr
    assert "u3.slf: N=7" in done.stderr
    assert (place / "out.tsv").read_text() == (place / "whole.tsv").read_text()
    assert not (place / "out.tsv.part").exists()


@pytest.mark.parametrize("to", ["slf", "openfst", "kaldi", "kaldi-text", "mesh", "sausage", "ctm"])
def test_convert(place, to):
    (place / "lattices" / "more.slf").write_text(SLF)
    target = "out" if to in ("slf", "openfst") else f"out.{'ark' if 'kaldi' in to else to}"
    rankine(place, "spoken", "convert", "lattices", target, "--to", to)
    words = {"words": str(place / "out.ark.words.txt")} if to == "kaldi" else {}
    back = dict(rk.spoken.read_archive(place / target, **words))
    assert sorted(back) == ["good", "more"]
    want = {"a": 1.0, "b": 0.75}
    assert expected_counts(back["good"], arc_posteriors(back["good"])) == pytest.approx(want, abs=1e-6)
    if to == "slf":
        done = rankine(place, "spoken", "convert", "lattices", "one.slf", code=1)
        assert "name a folder" in done.stderr
        assert "--to must be" in rankine(place, "spoken", "convert", "lattices", "x.yz", code=1).stderr


def test_pictures(place):
    for what in ("lattice", "pspl", "cn", "mangu"):
        rankine(place, "spoken", "show", "lattices", "--as", what, "-o", f"{what}.svg", "--utterance", "good")
        assert "good" in (place / f"{what}.svg").read_text()
    done = rankine(place, "spoken", "show", "lattices", "--utterance", "god", "-o", "x.svg", code=1)
    assert "Did you mean 'good'" in done.stderr
    assert "--as" in rankine(place, "spoken", "show", "lattices", "--as", "tree", code=1).stderr
    (place / "x.fst").write_text(TEXTS["x.fst"])  # without times
    rankine(place, "spoken", "show", "x.fst", "-o", "x.png")


def test_a_damaged_archive_costs_only_its_rest(place):
    (place / "k.ark").write_bytes(LATTICE4 + b"u2 wrong")
    done = rankine(place, "spoken", "pspl", "k.ark", code=1)
    assert "u1\t0\t" in done.stdout
    assert "magic number" in done.stderr


def test_numeric_names_in_kaldi_text(tmp_path):
    (tmp_path / "a.ark").write_text("1001\n0 1 x 0,0,\n1\n\n1002\n0 1 y 0,0,\n1 0,0,\n\n")
    found = dict(rk.spoken.read_archive(tmp_path / "a.ark"))
    assert {name: lattice.units for name, lattice in found.items()} == {"1001": ("x",), "1002": ("y",)}
    assert np.isnan(found["1001"].start).all()  # no alignments: no times


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


def test_fillers_are_chosen_but_no_word_is_no_word(tmp_path):
    (tmp_path / "a.mesh").write_text("numaligns 1\nalign 0 a 0.5 uh 0.25 *DELETE* 0.25\n")
    assert rk.spoken.read_lattice(tmp_path / "a.mesh", nothing=["uh"]).units == ("a",)
    assert rk.spoken.read_lattice(tmp_path / "a.mesh").units == ("a", "uh")


def test_names_of_utterances(tmp_path):
    for name in ("LJ.001.slf", "LJ.002.slf.gz", "s1/u.slf", "s2/u.slf", "v.slf.orig"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        data = SLF.encode() if "orig" not in name else b"junk"
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    assert [n for n, _ in rk.spoken.read_archive(tmp_path)] == ["LJ.001", "LJ.002", "s1/u", "s2/u"]
    rankine(tmp_path, "spoken", "convert", ".", "out", "--to", "slf")
    assert (tmp_path / "out" / "s2" / "u.slf").exists()
    (tmp_path / "lat.1.gz").write_bytes(gzip.compress(LATTICE4))
    assert "u1" in dict(rk.spoken.read_archive(tmp_path))


def test_channels_and_json_of_others(tmp_path):
    (tmp_path / "a.ctm").write_text(";; x\nu A 0 1 hi\nu A 1 1 you\n\nu B 0 1 ho\nu B 0 1 far 7\n")
    found = f.files(tmp_path / "a.ctm")[0]
    one, two = f.pieces(found)
    assert (one.name, two.name) == ("u", "u-B")
    with pytest.raises(rk.InputError, match="u-B, line 6: the confidence"):
        f.load(two, f.Reading())
    (tmp_path / "w.json").write_text(json.dumps({"transcription": [{"tokens": [
        {"text": " spo", "offsets": {"from": 0, "to": 200}, "p": 0.9},
        {"text": "ken", "offsets": {"from": 200, "to": 400}, "p": 0.5},
        {"text": " word", "offsets": {"from": 400, "to": 900}, "p": 1.0},
        {"text": "[_TT_50]", "offsets": {"from": 900, "to": 900}, "p": 0.1}]}]}))  # fmt: skip
    assert rk.spoken.read_lattice(tmp_path / "w.json").units == ("spoken", "word")
    words = [{"word": "in", "start": 0.0, "end": 0.5}, {"word": "1984"}, {"word": "we", "start": 1.5, "end": 2.0}]
    (tmp_path / "x.json").write_text(json.dumps({"segments": [{"words": words}]}))
    lattice = rk.spoken.read_lattice(tmp_path / "x.json")
    assert (lattice.start[1], lattice.end[1]) == (0.5, 1.5)
    for text in ('{"words": [{"word": "a", "start": 0, "end": 1e999}]}', '{"words": [{"word": "\\ud800", "start": 0}]}',
                 '{"words": [{"word": "a"}]}'):  # fmt: skip
        (tmp_path / "y.json").write_text(text)
        with pytest.raises(rk.InputError):
            rk.spoken.read_lattice(tmp_path / "y.json")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.mesh", "   \nnumaligns 1\nalign 0 a 1\n \n"),
        ("a.ark", "u\n0 1 ² 1,1,\n1\n"),
        ("a.ark", "u\n0 1 " + "9" * 5000 + " 1,1,\n1\n"),
        ("a.ark", "u\n0 1 1,1,\n1\n"),
        ("a.slf", "N=²\nI=0\nI=1\nJ=0 S=0 E=1 W=a\n"),
        ("a.fst", "0" * 20 + "9" * 30 + " 1 a\n1\n"),
        ("a.slf", "I=0\nI=1\nJ=0 S=0 E=" + "0" * 5000 + "1 W=a\n"),
        ("a.slf", "I=0 t=inf\nI=1\nJ=0 S=0 E=1 W=a\n"),
    ],
)
def test_odd_numbers_are_data_or_an_error(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    try:
        assert len(list(rk.spoken.read_archive(tmp_path / name))) >= 1
    except rk.InputError as error:
        assert name in str(error)


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


def test_converting_keeps_posteriors(tmp_path):
    (tmp_path / "a.ark").write_text("u\n0 1 x 0.5,15,3_3\n0 1 y 0.25,20,3_3\n1 2 z 0,1,3\n2 0,0,\n\n")
    lattice = rk.spoken.read_lattice(tmp_path / "a.ark")
    want = expected_counts(lattice, arc_posteriors(lattice, acoustic_scale=0.1))
    for to, name in (("slf", "a.slf"), ("openfst", "a.fst"), ("kaldi-text", "b.ark")):
        rankine(tmp_path, "spoken", "convert", "a.ark", name, "--to", to)
        back = rk.spoken.read_lattice(tmp_path / name)
        scale = 0.1 if to == "kaldi-text" else 1.0
        assert expected_counts(back, arc_posteriors(back, acoustic_scale=scale)) == pytest.approx(want, abs=1e-9)
    rankine(tmp_path, "spoken", "convert", "a.slf", "c.ark", "--to", "kaldi-text")
    back = rk.spoken.read_lattice(tmp_path / "c.ark")
    assert expected_counts(back, arc_posteriors(back, acoustic_scale=0.1)) == pytest.approx(want, abs=1e-9)


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


def test_a_journal_of_changed_files_is_begun_anew(place, monkeypatch):
    from rankine.cli.spoken import common

    for i in range(3):
        (place / "lattices" / f"b{i}.slf").write_text(SLF)
    add = common.BatchJournal.add

    def stop(self, outcome, keep=True):
        add(self, outcome, keep)
        raise KeyboardInterrupt

    monkeypatch.setattr(common.BatchJournal, "add", stop)
    with pytest.raises((KeyboardInterrupt, AssertionError)):
        rankine(place, "spoken", "pspl", "lattices", "-o", "out.tsv")
    monkeypatch.setattr(common.BatchJournal, "add", add)
    (place / "lattices" / "a0.slf").write_text(SLF)
    (place / "lattices" / "b2.slf").unlink()
    done = rankine(place, "spoken", "pspl", "lattices", "-o", "out.tsv")
    assert "going on" not in done.stderr
    rows = (place / "out.tsv").read_text().splitlines()[1:]
    assert sorted({r.split("\t")[0] for r in rows}) == ["a0", "b0", "b1", "good"]
    assert len(rows) == 8


def test_odd_letters_in_pictures(tmp_path):
    arcs = [(0, 1, r"$\frac$", 0.0, 0.0, 1.0), (0, 1, "设定", 0.0, 0.0, 1.0)]
    (tmp_path / "a.slf").write_bytes(f.write_slf(rk.spoken.Lattice.from_arcs(arcs, 0, 1)))
    rankine(tmp_path, "spoken", "show", "a.slf", "-o", "a.svg")
    assert "设定" in (tmp_path / "a.svg").read_text()
    rankine(tmp_path, "spoken", "show", "a.slf", "-o", "b.svg", "--as", "cn")
