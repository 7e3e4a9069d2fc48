"""The format of a file is told by its content, and by its name where the content fits several."""

import gzip
import lzma
import warnings
from pathlib import Path

import pytest

import rankine as rk
from rankine.spoken.lattice import formats as f
from rankine.spoken.lattice.formats.detection import candidates, format_of, how_told, names_by_content
from rankine.spoken.lattice.formats.table import TABLE, name_by_path

from .cases import BYTES


@pytest.mark.parametrize("name", BYTES)
def test_content_tells_the_format_whatever_the_name(name, tmp_path):
    (tmp_path / name).write_bytes(BYTES[name])
    own = format_of(tmp_path / name)
    assert TABLE[own].parse is TABLE[name_by_path(Path(name))].parse
    for other in ("x", "x.txt", "x.lat", "x.json", "x.unknown"):
        (tmp_path / other).write_bytes(BYTES[name])
        assert format_of(tmp_path / other) == own
    for packed, pack in (("y.gz", gzip.compress), ("y.xz", lzma.compress)):
        (tmp_path / packed).write_bytes(pack(BYTES[name]))
        assert format_of(tmp_path / packed) == own


@pytest.mark.parametrize("name", BYTES)
def test_the_beginning_of_a_long_file_is_enough(name):
    assert names_by_content((BYTES[name] * (1 << 13))[: f.reading.HEAD]) == names_by_content(BYTES[name])


def test_the_ending_decides_where_several_formats_fit(tmp_path):
    text = "-1.5 2 3.0 4.0 5 0.5\n-1.5 2 7.0 1.0 a 0.5\n"
    for name in ("x.ctm", "x.nbest"):
        (tmp_path / name).write_text(text)
        assert format_of(tmp_path / name) == name[2:]
    (tmp_path / "x.log").write_text(text)
    with pytest.raises(rk.InputError, match=r"x.log: this file can be nbest or ctm; say which \(--format\)"):
        format_of(tmp_path / "x.log")
    with pytest.raises(rk.InputError, match=r"this file can be"):
        rk.spoken.read_lattice(tmp_path / "x.log")
    assert len(dict(rk.spoken.read_archive(tmp_path / "x.log", format="ctm"))) == 1


def test_the_name_decides_where_no_format_fits(tmp_path):
    for name, names in (("x.slf", ["slf"]), ("x.ark", ["kaldi"]), ("x.txt", []), ("x.json", []), ("x.orig", [])):
        (tmp_path / name).write_text("and nothing else\n")
        assert candidates(tmp_path / name) == names
    (tmp_path / "x.slf.gz").write_bytes(b"\x1f\x8b\x08damaged")
    assert candidates(tmp_path / "x.slf.gz") == ["slf"]
    for name, likely in (
        ("x.txt", " Likely: text."),
        ("x.json", " Likely: whisper, whisper-cpp, vosk, …."),
        ("x.orig", ""),
    ):
        with pytest.raises(rk.InputError) as error:
            format_of(tmp_path / name)
        assert str(error.value) == (
            f"{tmp_path / name}: cannot tell the format: it begins with 'and nothing else'.{likely} Say which with "
            "--format; `rankine spoken formats` lists all"
        )
    (tmp_path / "x.txt").write_text("")
    with pytest.raises(rk.InputError, match=r"cannot tell the format: it is empty\."):
        format_of(tmp_path / "x.txt")


def test_how_a_format_is_told(tmp_path):
    text = "-1.5 2 3.0 4.0 5 0.5\n-1.5 2 7.0 1.0 a 0.5\n"  # CTM, or an n-best list
    for name, content, told in (
        ("x.slf", BYTES["x.slf"], "by its content"),
        ("y.slf", b"junk", "by its name"),
        ("x.ctm", text.encode(), "by its content and its name"),
        ("x.ark", BYTES["x.ark"], "by its content"),
    ):
        (tmp_path / name).write_bytes(content)
        assert how_told(tmp_path / name, format_of(tmp_path / name)) == told


@pytest.mark.parametrize(
    "text",
    [
        "1 0 d1 1\n1 0 d2 0\n2 0 d1 1\n",  # judgments
        "1 Q0 d1 1 0.5 tag\n1 Q0 d2 2 0.25 tag\n",  # a run
        "2 qid:1 1:0.5 2:0.25\n0 qid:1 1:0.1\n",  # LETOR
        "<eps> 0\nhello 1\nworld 2\n",  # a list of words
        "HELLO HH AH0 L OW1\nWORLD W ER1 L D\n",  # a lexicon
        "1\tprinting press\n2\tlondon\n",  # queries
        "word,count\nhello,3\n",
        '{"recording": "a", "segments": [{"file": "a@00001.slf", "start": 0.0}]}\n',
        '{"name": "x", "version": "1.0"}\n',
        "<html><body>hello</body></html>\n",
        "# A heading\n\nSome prose at 10:30, and more.\n",
    ],
)
def test_files_of_other_kinds_fit_no_format(tmp_path, text):
    (tmp_path / "x.txt").write_text(text)
    assert candidates(tmp_path / "x.txt") == []


def test_files_of_other_kinds_in_a_folder_are_left_out(tmp_path):
    (tmp_path / "x.slf").write_bytes(BYTES["x.slf"])
    for name in ("notes.json", "list.json"):
        (tmp_path / name).write_text("a list of things\n")
    with pytest.warns(rk.InputNote, match="left out, because no format fits: 2 files, e.g. list.json"):
        files = f.files(tmp_path)
    assert [Path(file.path).name for file in files] == ["x.slf"]
    (tmp_path / "x.slf").unlink()
    with pytest.raises(rk.InputError, match=r"no file of this folder fits a format, e\.g\. list\.json"):
        f.files(tmp_path)


def test_no_note_where_all_files_fit(tmp_path):
    (tmp_path / "x.slf").write_bytes(BYTES["x.slf"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(f.files(tmp_path)) == 1
