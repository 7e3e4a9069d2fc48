"""Text as files hold it."""

import gzip

import pytest

from rankine.errors import InputError
from rankine.spoken import text


def test_files_are_read_whole_by_lines_and_as_text(tmp_path):
    data = "\ufeffone\n\ntwo é".encode()
    (tmp_path / "a.txt").write_bytes(data)
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(data))
    for path in (tmp_path / "a.txt", tmp_path / "a.txt.gz"):
        assert text.read_bytes(path) == data
        assert b"".join(text.read_blocks(path)) == data
        assert [number for number, _ in text.read_lines(path)] == [1, 2, 3]
        assert b"".join(line for _, line in text.read_lines(path)) == data
        assert text.read_text(path) == "one\n\ntwo é"  # without the byte order mark


def test_a_line_that_is_not_utf8_is_named(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"one\ntwo \xe9\n")
    with pytest.raises(InputError, match=r"a\.txt, line 2: b'\\xe9\\n' is not UTF-8"):
        text.read_text(tmp_path / "a.txt")


@pytest.mark.parametrize("value", ["", "x", "1,5", "nan", "NaN"])
def test_numbers(value):
    assert text.number("-1.5e3", "x") == -1500
    with pytest.raises(InputError, match="x, line 1: expected a number"):
        text.number(value, "x, line 1")


@pytest.mark.parametrize("value", ["", "-1", "1.0", "²", "9" * 30, "100000001", "one"])
def test_whole_numbers(value):
    assert text.whole_number("000100000000", "x") == 10**8
    with pytest.raises(InputError, match="x, line 1: expected a node"):
        text.whole_number(value, "x, line 1", "a node")


def test_stems_and_endings():
    for name, stem, ending in (
        ("a.slf.gz", "a", ".slf"), ("a.b.SLF.xz.gz", "a.b", ".slf"), ("a.gz", "a", ""), ("a", "a", ""),
    ):  # fmt: skip
        assert (text.stem(f"x/{name}"), text.ending(f"x/{name}")) == (stem, ending)


def test_escapes():
    assert text.escaped("a\tb\\c\nd\re") == r"a\tb\\c\nd\re"
