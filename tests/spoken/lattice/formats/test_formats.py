"""Reading lattices of any format: names, compressed files, bad input and mutations."""

import gzip
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankine as rk
from rankine.spoken.lattice import formats as f
from rankine.spoken.lattice.posteriors import arc_posteriors

from ..cases import SLF, same
from .cases import BYTES, LATTICE4, TEXTS

ONE = (
    "x.slf", "weighed.slf", "x.fst", "x.mesh", "x.nbest", "three.nbest", "one.nbest", "two.nbest", "cpp.json",
    "vosk.json", "google.json", "x.tsv",
)  # fmt: skip
UTTERANCES = {name: 1 if name in ONE else 3 if name in ("x.stm", "text") else 2 for name in TEXTS}
MUTATIONS = 100  # of each file


def test_text_and_packed_files_of_every_format(tmp_path):
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
        plain, packed = (list(rk.spoken.read_archive(tmp_path / n)) for n in (name, f"{name}.gz"))
        assert len(plain) == len(packed) == UTTERANCES[name]
        for (one, a), (other, b) in zip(plain, packed, strict=True):
            assert one == other
            same(a, b)
        bare = tmp_path / name.replace(".", "_")
        bare.write_text(text)
        assert f.format_of(bare) == f.format_of(tmp_path / name)
    with (
        pytest.warns(rk.InputNote, match="left out, because no format ends so: "),
        pytest.warns(rk.InputNote, match="left out, because a richer transcript has the same name"),
    ):
        assert len(dict(rk.spoken.read_archive(tmp_path))) > 20
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
        ("a.slf", "VERSION=1.0\nbase=1\nN=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=a a=1\n", "no base"),
        ("a.slf", "N=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=a p=-0.5\n", "got p=-0.5"),
        ("a.slf", "N=2 L=2\nI=0\nI=1\nJ=0 S=0 E=1 W=a\nJ=0 S=0 E=1 W=b\n", "link 0 is defined twice"),
        ("a.slf", "SUBLAT=x\nN=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=a\n", "sub-lattices"),
        ("a.xyz", "nonsense\n", "cannot tell the format"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(rk.InputError, match=message) as error:
        list(rk.spoken.read_archive(tmp_path / name))
    assert name in str(error.value)


@pytest.mark.parametrize("name", BYTES)
def test_mutations_are_data_or_the_recordinged_error(tmp_path, name):
    original, place = BYTES[name], tmp_path / f"m{os.path.splitext(name)[1]}"
    accepted = []

    @settings(max_examples=MUTATIONS)
    @given(data=st.data())
    def read_mutated(data):
        place.write_bytes(mutated(original, data))
        try:
            lattices = dict(rk.spoken.read_archive(place))
        except rk.InputError:
            return
        for lattice in lattices.values():
            assert lattice.n_paths >= 1
            arc_posteriors(lattice)
        accepted.append(len(lattices))

    read_mutated()
    assert sum(n > 0 for n in accepted) >= MUTATIONS // 10


def mutated(original, data):
    at = data.draw(st.integers(0, len(original) - 1))
    junk = data.draw(
        st.binary(max_size=4) | st.sampled_from([b"-1", b"99999999999", b"nan", b"\n", b" ", b"=", b"\xff" * 4])
    )
    return data.draw(
        st.sampled_from(
            [
                original[:at] + junk + original[at + len(junk) :],
                original[:at] + junk + original[at:],
                original[:at],
                original + original[at:],
            ]
        )
    )


def test_unknown_options_and_formats(tmp_path):
    (tmp_path / "x.ark").write_bytes(LATTICE4)
    with pytest.raises(rk.InputError, match="unknown option 'word'"):
        rk.spoken.read_lattice(tmp_path / "x.ark", word="x")
    with pytest.raises(rk.InputError, match="unknown format 'htk'; `rankine spoken formats` lists all"):
        rk.spoken.read_lattice(tmp_path / "x.ark", format="htk")
    with pytest.raises(
        rk.InputError,
        match=r"no files of the format mesh \(\.mesh \.wcn\) in this folder, but 1 other file, e\.g\. x\.ark",
    ):
        rk.spoken.read_lattice(tmp_path, format="mesh")


def test_names_of_utterances(tmp_path):
    for name in ("LJ.001.slf", "LJ.002.slf.gz", "s1/u.slf", "s2/u.slf", "v.slf.orig"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        data = SLF.encode() if "orig" not in name else b"junk"
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    with pytest.warns(rk.InputNote, match=r"left out, because no format ends so: 1 file, e\.g\. v\.slf\.orig"):
        assert [n for n, _ in rk.spoken.read_archive(tmp_path)] == ["LJ.001", "LJ.002", "s1/u", "s2/u"]
    (tmp_path / "v.slf.orig").unlink()
    (tmp_path / "lat.1.gz").write_bytes(gzip.compress(LATTICE4))
    assert "u1" in dict(rk.spoken.read_archive(tmp_path))


@pytest.mark.parametrize(
    ("name", "text", "unit"),
    [
        ("a.mesh", "   \nnumaligns 1\nalign 0 a 1\n \n", "a"),
        ("a.ark", "u\n0 1 ² 1,1,\n1\n", "²"),
        ("a.ark", "u\n0 1 1,1,\n1\n", "1,1,"),
        ("a.slf", "I=0\nI=1\nJ=0 S=0 E=" + "0" * 5000 + "1 W=a\n", "a"),
    ],
)
def test_odd_numbers_are_read(tmp_path, name, text, unit):
    (tmp_path / name).write_text(text)
    assert rk.spoken.read_lattice(tmp_path / name).units == (unit,)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.ark", "u\n0 1 " + "9" * 5000 + " 1,1,\n1\n", "line 2: expected a whole number"),
        ("a.slf", "N=²\nI=0\nI=1\nJ=0 S=0 E=1 W=a\n", "expected a number, got '²'"),
        ("a.fst", "0" * 20 + "9" * 30 + " 1 a\n1\n", "line 1: expected the number of a state"),
        ("a.slf", "I=0 t=inf\nI=1\nJ=0 S=0 E=1 W=a\n", "arc 0 has the times inf and nan"),
    ],
)
def test_odd_numbers_that_are_errors(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(rk.InputError, match=message) as error:
        rk.spoken.read_lattice(tmp_path / name)
    assert name in str(error.value)
