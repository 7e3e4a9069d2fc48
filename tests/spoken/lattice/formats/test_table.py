"""Every row of the table of formats: what is written is read again, and told by its content."""

from pathlib import Path

import pytest

import rankine as rk
from rankine.spoken.lattice import formats as f
from rankine.spoken.lattice.formats.detection import names_by_content
from rankine.spoken.lattice.formats.reading import HEAD
from rankine.spoken.lattice.formats.row import HOLDS
from rankine.spoken.lattice.formats.table import TABLE, name_by_path, writer_of
from rankine.spoken.lattice.formats.transcripts.lattice import parse_turn

from ..cases import cases, same

LATTICES = [name for name in f.written() if TABLE[name].writes == "lattice"]


@pytest.mark.parametrize("name", LATTICES)
def test_every_format_of_lattices_is_read_as_it_was_written(name, tmp_path):
    row, numbers = TABLE[name], {f"w{i}": i + 1 for i in range(3)}
    (tmp_path / "words.txt").write_text("<eps> 0\n" + "".join(f"{w} {n}\n" for w, n in numbers.items()))
    reading = {"frame": 1e-3, "words": str(tmp_path / "words.txt")} if row.options else {}
    options = {"frame": 1e-3, "numbers": numbers}
    place = tmp_path / f"a{row.endings[0]}"
    for lattice in cases():
        place.write_bytes(writer_of(name)(lattice, **{option: options[option] for option in row.options}))
        back = rk.spoken.read_lattice(place, **reading)
        scales = {} if name == "openfst" else {"acoustic_scale": 0.7}  # it has one score for each arc
        same(lattice, back, times=name == "slf", tolerance=1e-6 if name == "kaldi" else 1e-10, **scales)
        assert back.name == ("a" if row.split is None else lattice.name)


@pytest.mark.parametrize("name", TABLE)
def test_every_row_is_explained_and_found_by_its_endings(name):
    row = TABLE[name]
    assert row.explanation
    for ending in row.endings:
        assert ending in TABLE[name_by_path(Path(f"x{ending}.gz"))].endings
    assert set(row.holds) <= set(HOLDS)
    assert (row.read is None) == (row.parse is not parse_turn)
    assert row.writes in ("lattice", "network", "words", "hypotheses")
    assert set(row.options) <= {"frame", "numbers", "paths"}


def test_formats_that_are_only_read():
    for name in ("kaldi-tra", "vosk", "nonsense"):
        with pytest.raises(rk.InputError, match=f"--to must be one of slf, .*; got '{name}'"):
            writer_of(name, "--to")


def test_acoustic_scales():
    assert {name for name, row in TABLE.items() if row.scale(0.01) != 1} == {"kaldi", "kaldi-text"}
    assert (TABLE["kaldi"].scale(0.01), TABLE["kaldi"].scale(0.03)) == (0.1, 1.0)


OTHERS = {
    "srt": b"1\n00:00:01,000 --> 00:00:02,000\nHello there\n\n2\n00:00:03,000 --> 00:00:04,500\nmore text\n",
    "vtt": b"WEBVTT\n\n00:01.000 --> 00:04.000\nHello\n",
    "textgrid": b'File type = "ooTextFile"\nxmin = 0\nitem []:\n    item [1]:\n        name = "words"\n',
    "whisper tsv": b"start\tend\ttext\n0\t1200\tHello there\n1200\t2400\tmore\n",
    "labels": b"0.000000\t1.200000\thello\n1.200000\t2.400000\tworld of\n",
    "labels in ms": b"0\t1200\thello\n1200\t2400\tworld\n",
    "stm": b"file A spk 0.0 1.0 <o,f0,male> hello there\n",
    "rttm": b"SPEAKER file 1 0.0 1.2 <NA> <NA> spk <NA> <NA>\n",
    "transcripts": b"utt1 hello there\nutt2 [ more ] words\n",
    "text": b"name your price.\n- What is N=3?\n",
    "qrels": b"1 0 d1 1\n2 0 d2 0\n",
    "many qrels": b"".join(b"%d 0 d%d 1\n" % (i // 100 + 1, i) for i in range(HEAD))[:HEAD],
    "qrels of numbers": b"q1 0 12 1\nq1 0 13 0\nq2 0 12 0\n",
    "list of words": b"<eps> 0\nhello 1\nworld 2\n",
    "many labels in ms": b"".join(b"%d\t%d\tword\n" % (i, i + 1) for i in range(HEAD))[:HEAD],
    "zeros": b"0 0 0\n0 0 0\n",
    "temperatures": b"-1.5 0.5\n-2.5 0.25\n",
    "settings": b"VERSION=1.0\nNAME=archive\n",
    "nothing": b"",
    "binary": b"\0\1\2",
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_text_is_not_taken_for_a_lattice(name):
    mine = ("slf", "openfst", "mesh", "sausage", "nbest", "kaldi", "kaldi-text", "kaldi-tra")
    assert [form for form in mine if TABLE[form].sniff(OTHERS[name])] == []


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"u1\n0 1 hello 1.5,2.5,3_3\n1 0,0,\n\n", "kaldi-text"),
        (b"u1 \n0 1 5 1 1.5,2.5\n1\n\n", "kaldi-text"),
        (b"1001\n0 1 hello 1.5,2.5,3_3\n1 0,0,\n\n", "kaldi-text"),
        (b"0 1 a a 0.5\n0 1 b b 1.5\n1 2 c c\n2 0.1\n", "openfst"),
        (b"0\n0 1 5 5 0.5\n1\n", "openfst"),
        (b"0\t1\thello\t0.5\n1\n", "openfst"),
        ((b"0 1 a\n0 2 b\n1 3 c\n" * HEAD)[:HEAD], "openfst"),
        (b"lmscale=10\nN=2 L=1\n", "slf"),
        (b"# made by hand\nN=2 L=1\nI=0\n", "slf"),
        (b"numaligns 2\nposterior 1\nalign 0 a 0.7\n", "mesh"),
        (b"u [ ] [ a 1 ]\n", "sausage"),
        (b"-1.5 a b\n0.0 a\n", "nbest"),
        (b"-150 -2 2 a b\n-160 -3 0\n", "nbest"),
        (b"0 -0.5 2 a b\n0 -0.25 1 a\n", "nbest"),
        (b"utt-1 5 2 5\nutt-2\n", "kaldi-tra"),
    ],
)
def test_lattices_are_told_by_their_first_lines(head, name):
    assert names_by_content(head) == [name]
