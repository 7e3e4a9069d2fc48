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


def test_lines_across_blocks(tmp_path, monkeypatch):
    """A line is put together once, however many blocks it goes through; its length is limited."""
    path = tmp_path / "x.txt"
    path.write_bytes(b"ab\n\n" + b"c" * 1000 + b"\nd")
    whole = list(text.read_lines(path))
    assert whole == [(1, b"ab\n"), (2, b"\n"), (3, b"c" * 1000 + b"\n"), (4, b"d")]

    def blocks(path, size):
        data = path.read_bytes()
        return (data[i : i + size] for i in range(0, len(data), size))

    for size in (1, 3, 1000):
        monkeypatch.setattr(text, "read_blocks", lambda path, size=size: blocks(path, size))
        assert list(text.read_lines(path)) == whole
    monkeypatch.setattr(text, "LONGEST_LINE", 500)
    monkeypatch.setattr(text, "read_blocks", lambda path: blocks(path, 10))
    with pytest.raises(InputError, match=r"x.txt, line 3: the line is longer"):
        list(text.read_lines(path))


def test_places_of_lines_in_long_texts(monkeypatch):
    lines = [f"{'x' * (i % 7)}" for i in range(200)]
    want = [(f"f, line {i}", line) for i, line in enumerate(lines, 5) if line]
    for size in (1, 2, 10, 10**6):
        monkeypatch.setattr(text, "_CHUNK", size)
        assert list(text.lines_with_places("\n".join(lines), "f", 5)) == want
        assert list(text.lines_with_places("\n".join([*lines, ""]), "f", 5)) == want


def test_what_only_python_reads_as_a_number():
    for bad in ("1_000", "１", "", "0x10", "1e", " "):
        assert not text.is_number(bad)
        with pytest.raises(InputError, match="expected a number"):
            text.number(bad, "f")


def test_a_block_of_line_ends_is_one_piece_and_lines_keep_their_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "read_blocks", lambda path: iter([b"a\nb", b"\n\n", b"\n\n\n", b"c"]))
    assert list(text.read_lines("x")) == [(1, b"a\n"), (2, b"b\n"), (3, b"\n"), (4, b"\n\n\n"), (7, b"c")]
