"""Pronunciation dictionaries."""

import gzip
import os
import random

import pytest

import rankine as rk
from rankine.spoken.lattice.units import Lexicon, from_mapping, lexicon, stamp

from .... import reference_units as ref

TEXT = ";;; a dictionary\nTo T UW1\nto(2) T AH0\nto(3) T AH1 # the same without stress\n\ngo G OW1\n"


def test_variants_stress_and_comments(tmp_path):
    (tmp_path / "d.txt").write_text(TEXT)
    (tmp_path / "d.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    for name in ("d.txt", "d.txt.gz"):
        assert lexicon(tmp_path / name) == {"to": [["T", "UW"], ["T", "AH"]], "go": [["G", "OW"]]}
    assert lexicon(tmp_path / "d.txt", strip_stress=False)["to"] == [["T", "UW1"], ["T", "AH0"], ["T", "AH1"]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"to\n", "d.txt, line 1: the word 'to' has no units"),
        (b"go G OW\n\nto  # T UW\n", "d.txt, line 3: the word 'to' has no units"),
        (b"#\n", "d.txt: no words"),
        (b"", "d.txt: no words"),
        (b"go G OW\nto T \xff\n", "d.txt, line 2: .* is not UTF-8"),
    ],
)
def test_bad_dictionaries(tmp_path, content, message):
    (tmp_path / "d.txt").write_bytes(content)
    with pytest.raises(rk.InputError, match=message):
        lexicon(tmp_path / "d.txt")


WORDS = ("to", "TO", "to(2)", "To(11)", "(2)", "()", "é", "É", "é(2)", "a\u00a0b", "go", "#go", ";;;", ";", "#")
UNITS = ("T", "UW1", "UW2", "AH", "#", "#x", "0", "é", "T # x", "\x1f")


def test_any_dictionary_is_read_as_line_by_line():
    """Words in any order, between any blanks; also which line is refused."""
    rng = random.Random(0)
    refused = 0
    for _ in range(3000):
        lines = [
            "".join(
                [*rng.choices(["", " ", "\t"], [8, 1, 1]), rng.choice(WORDS)]
                + [
                    rng.choice(("", " ", " ", " ", "\t", "  ", "\r")) + rng.choice(UNITS)
                    for _ in range(rng.randint(0, 3))
                ]
                + rng.choices(["", " ", "\r"], [8, 1, 1])
            )
            if rng.random() < 0.9
            else ""
            for _ in range(rng.randint(0, 5))
        ]
        text, strip_stress = "\n".join(lines), rng.random() < 0.5
        expected, problem = {}, None
        try:
            expected = ref.lexicon(text, strip_stress)
        except ValueError as error:
            problem = str(error)
        if problem is None:
            entries = Lexicon(text.encode(), "d.txt", strip_stress)
            assert entries == expected, text
            assert list(entries) == list(expected)
        else:
            refused += 1
            with pytest.raises(rk.InputError) as caught:
                Lexicon(text.encode(), "d.txt", strip_stress)
            assert str(caught.value) in (f"d.txt, {problem}", f"d.txt: {problem}"), text
    assert 500 < refused < 2500


def test_words_that_are_missing_are_named():
    with pytest.raises(rk.InputError, match="'fro' is not in the dictionary"):
        from_mapping({"to": [["T"]]}, "the dictionary")("fro")
    with pytest.raises(rk.InputError, match=r"'fro' is not in d\.txt"):
        from_mapping(Lexicon(TEXT.encode(), "d.txt"), "d.txt")("fro")


def test_stamps_change_with_the_file(tmp_path):
    assert stamp(None) is stamp(tmp_path) is stamp(tmp_path / "d.txt") is None
    (tmp_path / "d.txt").write_text(TEXT)
    os.utime(tmp_path / "d.txt", ns=(5, 5))
    assert stamp(tmp_path / "d.txt") == (str((tmp_path / "d.txt").resolve()), 5)
