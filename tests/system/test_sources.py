"""Sources: blocks of lines, compressed or not, and what they refuse."""

import gzip
import io
import lzma
import os
import threading

import numpy as np
import pytest

from rankine.errors import InputError
from rankine.system import limits, sources
from rankine.system.sources import (
    line_blocks,
    line_pieces,
    open_source,
    read_whole,
    text_lines,
    unpacked,
    unpacked_whole,
)


def zstd(data):
    out = io.BytesIO()
    with sources.zstd_open(out, "wb") as stream:
        stream.write(data)
    return out.getvalue()


PACKERS = {"gz": gzip.compress, "xz": lzma.compress, "zst": zstd}


def blocks(source, size=100):
    with open_source(source) as opened:
        return [b.data[: b.end].tobytes() for b in line_blocks(opened, size)]


@pytest.mark.parametrize("name", PACKERS)
@pytest.mark.parametrize("as_stream", [False, True])
def test_every_way_of_reading_unpacks(name, as_stream, tmp_path):
    text = b"".join(b"%d\n" % i for i in range(50_000))
    path = tmp_path / "x"
    path.write_bytes(PACKERS[name](text))

    def source():
        return io.BytesIO(path.read_bytes()) if as_stream else path

    assert b"".join(blocks(source())) == text
    for way in (unpacked_whole, lambda opened: b"".join(unpacked(opened, 999))):
        with open_source(source()) as opened:
            assert way(opened) == text


@pytest.mark.parametrize("name", PACKERS)
@pytest.mark.parametrize("as_stream", [False, True])
def test_a_small_file_does_not_unpack_to_a_large_one(name, as_stream, tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "FREE", 1 << 20)
    monkeypatch.setattr(sources, "FREE", 1 << 20)
    packed = PACKERS[name](b"\n" * (32 << 20))
    (tmp_path / "x").write_bytes(packed)

    def source():
        return io.BytesIO(packed) if as_stream else tmp_path / "x"

    for way in (lambda o: list(line_blocks(o)), lambda o: list(unpacked(o)), unpacked_whole):
        with open_source(source()) as opened, pytest.raises(InputError, match="over 200 times as much"):
            way(opened)
    monkeypatch.setenv(limits.SIZE, "32MB")
    assert len(b"".join(blocks(source(), 1 << 20))) == 32 << 20
    monkeypatch.setenv(limits.SIZE, "31MB")
    with open_source(source()) as opened, pytest.raises(InputError, match="more than 31 MB"):
        unpacked_whole(opened)


def test_a_file_that_is_read_whole_has_a_limit_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "WHOLE", 10)
    (tmp_path / "x").write_bytes(b"0123456789")
    assert read_whole(tmp_path / "x") == b"0123456789"
    (tmp_path / "x").write_bytes(b"0123456789a")
    with pytest.raises(InputError, match=r"x: more than 10 bytes, the most that is read whole"):
        read_whole(tmp_path / "x")
    assert blocks(tmp_path / "x") == [b"0123456789a\n"]


def test_a_line_has_a_longest_length(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "LINE", 1000)
    monkeypatch.setattr(sources, "LINE", 1000)
    fitting = b"a\n" + b"x" * 999 + b"\nb\n"
    assert b"".join(blocks(io.BytesIO(fitting))) == fitting
    (tmp_path / "x").write_bytes(b"a\n" + b"x" * 5000)
    with pytest.raises(InputError, match=r"x, near byte \d+: a line is longer than"):
        blocks(tmp_path / "x")


def test_a_device_without_end_is_refused():
    with pytest.raises(InputError, match="/dev/zero: a line is longer than 64 MB"):
        blocks("/dev/zero", 1 << 20)


def test_a_pipe_is_read_as_a_stream(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_bytes(gzip.compress(b"a\nb\n")))
    writer.start()
    assert blocks(tmp_path / "pipe") == [b"a\nb\n"]
    writer.join()


def test_a_file_that_is_cut_while_it_is_read_ends_there(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"line\n" * 100_000)
    with open_source(path) as opened:
        some = line_blocks(opened, 1000)
        first = next(some)
        os.truncate(path, 1000)
        rest = list(some)
    assert first.end == 1000
    assert sum(b.end for b in rest) < 400_000


def test_memory_of_a_block_is_used_again_only_when_nobody_has_it():
    text = b"".join(b"%06d\n" % i for i in range(1000))
    with open_source(io.BytesIO(text)) as opened:
        kept = list(line_blocks(opened, 70))
    assert b"".join(b.data[: b.end].tobytes() for b in kept) == text
    with open_source(io.BytesIO(text)) as opened:
        places = {b.data.__array_interface__["data"][0] for b in line_blocks(opened, 70)}
    assert len(places) <= 3


def test_lines_of_text_name_the_line_that_is_no_text():
    assert list(text_lines(io.BytesIO("é\r\n\nb".encode()))) == [(1, "é"), (3, "b")]
    spread = b"".join(b"%d\n" % i + b"\n" * (i % 7) for i in range(400_000))  # several blocks
    expected = [(n, line) for n, line in enumerate(spread.decode().split("\n"), 1) if line]
    assert list(text_lines(io.BytesIO(spread))) == expected
    with pytest.raises(InputError, match="<stream>, line 2: the line is not valid UTF-8"):
        list(text_lines(io.BytesIO(b"a\n\xff\n")))


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
@pytest.mark.parametrize("window", [1, 5, 1 << 16])
def test_pieces_of_a_file_are_its_blocks(tmp_path, monkeypatch, size, window):
    monkeypatch.setattr(sources, "_PIECES_FROM", 0)
    monkeypatch.setattr(sources, "_WINDOW", window)
    rng = np.random.default_rng(size)
    for case in range(30):
        lines = [b"x" * int(rng.integers(0, 40)) for _ in range(int(rng.integers(1, 30)))]
        text = (b"\xef\xbb\xbf" if case % 3 == 0 else b"") + b"\n".join(lines) + (b"\n" if case % 2 else b"")
        path = tmp_path / "x.txt"
        path.write_bytes(text)
        with open_source(path) as opened:
            pieces = [piece.load() for piece in line_pieces(opened, size)]
        content = [bytes(b.data[: b.end]) for b in pieces]
        assert all(c.endswith(b"\n") for c in content if c)
        expected = text.removeprefix(b"\xef\xbb\xbf")
        assert b"".join(content) == (expected if expected.endswith(b"\n") or not expected else expected + b"\n")
        padding = [b.data[b.end : b.end + sources.PADDING] for b in pieces]
        assert all(len(p) == sources.PADDING and not p.any() for p in padding)


def test_a_file_that_is_cut_short_while_its_pieces_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "_PIECES_FROM", 0)
    path = tmp_path / "x.txt"
    path.write_bytes(b"abc\n" * 100)
    with open_source(path) as opened:
        pieces = list(line_pieces(opened, 100))
        os.truncate(path, 250)
        assert pieces[0].load().end == 100
        with pytest.raises(InputError, match=r"x.txt: the file became shorter than 400 bytes while it was read"):
            pieces[-1].load()
