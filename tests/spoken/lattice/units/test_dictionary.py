"""Pronunciation dictionaries."""

import gzip
import os

import pytest

import rankine as rk
from rankine.spoken.lattice.units import from_mapping, lexicon, stamp

TEXT = ";;; a dictionary\nTo T UW1\nto(2) T AH0\nto(3) T AH1 # the same without stress\n\ngo G OW1\n"


def test_variants_stress_and_comments(tmp_path):
    (tmp_path / "d.txt").write_text(TEXT)
    (tmp_path / "d.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    for name in ("d.txt", "d.txt.gz"):
        assert lexicon(tmp_path / name) == {"to": [["T", "UW"], ["T", "AH"]], "go": [["G", "OW"]]}
    assert lexicon(tmp_path / "d.txt", strip_stress=False)["to"] == [["T", "UW1"], ["T", "AH0"], ["T", "AH1"]]


@pytest.mark.parametrize(("text", "message"), [("to\n", "line 1: the word 'to' has no units"), ("#\n", "no words")])
def test_bad_dictionaries(tmp_path, text, message):
    (tmp_path / "d.txt").write_text(text)
    with pytest.raises(rk.InputError, match=message):
        lexicon(tmp_path / "d.txt")


def test_words_that_are_missing_are_named():
    with pytest.raises(rk.InputError, match="'fro' is not in the dictionary"):
        from_mapping({"to": [["T"]]}, "the dictionary")("fro")


def test_stamps_change_with_the_file(tmp_path):
    assert stamp(None) is stamp(tmp_path) is stamp(tmp_path / "d.txt") is None
    (tmp_path / "d.txt").write_text(TEXT)
    os.utime(tmp_path / "d.txt", ns=(5, 5))
    assert stamp(tmp_path / "d.txt") == (str((tmp_path / "d.txt").resolve()), 5)
