"""Kaldi's ``text``: told from other files of names and words, read without times."""

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.lattice.formats.detection import candidates, format_of

from ..cases import TEXTS


def test_utterances_without_times(tmp_path):
    (tmp_path / "text").write_text(TEXTS["text"])
    utterances = dict(rk.spoken.read_archive(tmp_path / "text"))
    assert {name: lattice.words(lattice.best_path()) for name, lattice in utterances.items()} == {
        "u1-001": ["so", "it", "was", "said"], "u1-002": ["uh", "yes"], "u2-001": ["no"],
    }  # fmt: skip
    assert all(np.isnan(lattice.start).all() and np.isnan(lattice.end).all() for lattice in utterances.values())
    assert list(dict(rk.spoken.read_archive(tmp_path))) == list(utterances)  # a folder is searched for the name


@pytest.mark.parametrize(
    "text",
    [
        "u1 r1 0.0 3.5\nu2 r1 4 5.5\n",  # segments
        "u1 s1\nu2 s1\n",
        "s1 u1 u2 u3\ns2 u4\n",
        "u1 audio/u1.wav\nu2 sph2pipe -f wav audio/u2.sph |\n",
        "s1 m\ns2 f\n",
        "A42128 EY F AO R\nHELLO HH AH0 L OW1\n",
        "Chapter one begins\nand goes on with 3 more words\n",
    ],
)
def test_files_of_other_kinds(tmp_path, text):
    (tmp_path / "x.txt").write_text(text)
    assert candidates(tmp_path / "x.txt") == []


def test_the_name_decides_where_the_content_fits_none(tmp_path):
    (tmp_path / "text").write_text("b 1 2\na and\n")
    assert format_of(tmp_path / "text") == "kaldi-words"


def test_content_that_fits_two_formats_is_an_error_that_names_them(tmp_path):
    for name in ("x.stm", "text", "x.log"):
        (tmp_path / name).write_text("u1 A ann 1 2 hello dear\nu2 A ann 1 2 dear\n")
    assert (format_of(tmp_path / "x.stm"), format_of(tmp_path / "text")) == ("stm", "kaldi-words")
    with pytest.raises(rk.InputError, match=r"x.log: this file can be stm or kaldi-words; say which \(--format\)"):
        format_of(tmp_path / "x.log")
    archive = dict(rk.spoken.read_archive(tmp_path / "x.log", format="kaldi-words"))
    assert archive["u2"].words(archive["u2"].best_path()) == ["a", "ann", "1", "2", "dear"]


def test_a_name_that_is_there_twice(tmp_path):
    (tmp_path / "text").write_text("u1 a\nu2 b\nu1 c\n")
    with pytest.raises(rk.InputError, match=r"text, line 3: the utterance 'u1' is there twice"):
        list(rk.spoken.read_archive(tmp_path / "text"))
