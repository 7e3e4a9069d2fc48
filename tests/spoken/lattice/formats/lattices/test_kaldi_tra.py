"""Kaldi's transcripts of one-best words."""

import pytest

import rankine as rk
from rankine.spoken.lattice.formats.lattices.kaldi import looks_like_tra


def test_words_by_number(tmp_path):
    (tmp_path / "a.tra").write_text("u1 2 1 2\nu2\nu3 0 3 \n")
    (tmp_path / "words.txt").write_text("<eps> 0\nhello 1\nto(2) 2\n<sil> 3\n")
    plain = dict(rk.spoken.read_archive(tmp_path / "a.tra"))
    assert {name: lattice.words(lattice.best_path()) for name, lattice in plain.items()} == {
        "u1": ["2", "1", "2"], "u2": [], "u3": ["3"],
    }  # fmt: skip
    named = dict(rk.spoken.read_archive(tmp_path / "a.tra", words=str(tmp_path / "words.txt")))
    assert {name: lattice.words(lattice.best_path()) for name, lattice in named.items()} == {
        "u1": ["to", "hello", "to"], "u2": [], "u3": [],
    }  # fmt: skip
    assert named["u1"].is_network


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("u1 2 x\n", "a.tra, u1, line 1: expected the number of a word, got 'x'"),
        ("u1 1\nu2 9\n", "u2, line 2: word number 9 is not in "),
    ],
)
def test_bad_transcripts(tmp_path, text, message):
    (tmp_path / "a.tra").write_text(text)
    (tmp_path / "words.txt").write_text("<eps> 0\nhello 1\nworld 2\n")
    with pytest.raises(rk.InputError, match=message):
        list(rk.spoken.read_archive(tmp_path / "a.tra", words=str(tmp_path / "words.txt")))


@pytest.mark.parametrize(
    ("head", "is_tra"),
    [
        (b"u1 3 4\nu2\nu3 5", True),
        (b"u1 3 4 x\n", False),
        (b"u1\nu2\n", False),
        (b"0 1 5 5\n1\n", False),
        (b"u1 1 0.00 0.5 7\n", False),
        (b"", False),
    ],
)
def test_transcripts_are_told_by_their_beginning(head, is_tra):
    assert looks_like_tra(head) is is_tra
