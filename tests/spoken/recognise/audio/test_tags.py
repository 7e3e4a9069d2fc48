"""Tags of audio files: what is read of each kind, and of damaged ones."""

import struct
import zlib

import numpy as np
import pytest

from rankine.spoken.recognise.audio.tags import read_tags

from ..clips import clip, sweep
from ..tagged import chunk, flac, frame, id3, ogg, sound, synchsafe, with_chunks

pytest.importorskip("tinytag")
pytest.importorskip("soundfile")

WANT = {
    "title": "On printing", "speakers": "Ann Lee", "date": "2023-05-17", "collection": "Radio talks",
    "tags": "Speech", "language": "eng", "notes": "from the attic",
}  # fmt: skip
VORBIS = {"speakers": "ARTIST", "collection": "album", "tags": "genre", "notes": "comment"}
FRAMES = {
    "title": "TIT2", "speakers": "TPE1", "date": "TDRC", "collection": "TALB", "tags": "TCON", "language": "TLAN",
    "notes": "COMM",
}  # fmt: skip


@pytest.mark.parametrize(("ending", "write"), [("flac", flac), ("ogg", ogg)])
def test_vorbis_comments(tmp_path, ending, write):
    path, pairs = tmp_path / f"a.{ending}", [(VORBIS.get(field, field), value) for field, value in WANT.items()]
    assert read_tags(write(path, pairs)) == WANT
    assert read_tags(write(path, [*pairs, ("artist", "Bob")])) == {**WANT, "speakers": "Ann Lee; Bob"}
    assert read_tags(write(path, [("performer", "Eve"), ("year", "1999")])) == {"speakers": "Eve", "date": "1999"}
    assert read_tags(write(path, [("date", "2023-05-17"), ("date", "2024")])) == {"date": "2023-05-17"}


@pytest.mark.parametrize(
    ("ending", "codec", "unread"),
    [
        ("flac", "flac", ()), ("opus", "libopus", ()), ("m4a", "aac", ("language",)), ("mp4", "aac", ("language",)),
        ("mp3", "libmp3lame", ("notes",)), ("wav", "pcm_s16le", ()),
    ],
)  # fmt: skip
def test_what_ffmpeg_writes(tmp_path, ending, codec, unread):
    """Its libraries write no frame of comments, and the language of MP4 into the description of the track."""
    pytest.importorskip("av")
    names = {"speakers": "artist", "collection": "album", "tags": "genre", "notes": "comment"}
    tags = {names.get(field, field): value for field, value in WANT.items()}
    path = clip(tmp_path / f"a.{ending}", sweep(1.0, 48000), 48000, codec, tags=tags)
    assert read_tags(path) == {field: value for field, value in WANT.items() if field not in unread}


def windows_media(pairs):
    """The head of a file of Windows Media: its title and author, and names with texts."""

    def text(value):
        return value.encode("utf-16-le") + b"\0\0"

    def part(mark, data):
        return bytes.fromhex(mark) + struct.pack("<Q", len(data) + 24) + data

    fixed = [text("On printing"), text("Ann Lee"), b"", text("from the attic"), b""]
    own = b"".join(
        struct.pack("<H", len(text(n))) + text(n) + struct.pack("<HH", 0, len(text(v))) + text(v)
        for n, v in pairs.items()
    )
    parts = part("3326B2758E66CF11A6D900AA0062CE6C", struct.pack("<5H", *map(len, fixed)) + b"".join(fixed))
    parts += part("40A4D0D207E3D21197F000A0C95EA850", struct.pack("<H", len(pairs)) + own)
    return part("3026B2758E66CF11A6D900AA0062CE6C", struct.pack("<I", 2) + b"\1\2" + parts)


def test_windows_media(tmp_path):
    pairs = {"WM/Year": "2023-05-17", "WM/AlbumTitle": "Radio talks", "WM/Genre": "Speech", "WM/Language": "eng"}
    (tmp_path / "a.wma").write_bytes(windows_media(pairs))
    assert read_tags(tmp_path / "a.wma") == WANT


@pytest.mark.parametrize(
    "comment", ["Processed by SoX", "Lavf60.3.100", "encoded by LAME", "Recorded with Audacity", "LAME3.100"]
)
def test_marks_of_encoders_are_no_notes(tmp_path, comment):
    assert read_tags(flac(tmp_path / "a.flac", [("comment", comment)])) == {}
    pairs = [("comment", comment), ("description", "Recorded by Ann with Audacity")]  # says more than the program
    assert read_tags(flac(tmp_path / "a.flac", pairs)) == {"notes": "Recorded by Ann with Audacity"}


@pytest.mark.parametrize("ending", ["mp3", "wav", "aiff"])
def test_id3(tmp_path, ending):
    tag = id3(b"".join(frame(FRAMES[field], value) for field, value in WANT.items()))
    assert read_tags(with_id3(tmp_path / f"a.{ending}", tag)) == WANT
    tag = id3(frame("TPE1", "Ann Lee\0Bob") + frame("TDRC", "2023-05-17T10:00:00") + frame("TYER", "2023"))
    assert read_tags(with_id3(tmp_path / f"a.{ending}", tag)) == {
        "speakers": "Ann Lee; Bob", "date": "2023-05-17T10:00:00",
    }  # fmt: skip


def with_id3(path, tag):
    """A file with an ID3 tag: before its sound, or in a chunk."""
    if path.suffix == ".wav":
        return with_chunks(path, chunk(b"id3 ", tag))
    if path.suffix == ".aiff":
        return with_chunks(path, chunk(b"ID3 ", tag, ">"))
    path.write_bytes(tag + sound(path).read_bytes())
    return path


def test_id3_without_bytes_that_look_like_sound(tmp_path):
    """Version 2.3 puts zeros behind bytes of ones in all of a tag, version 2.4 in single frames: these are not read."""
    text = b"\1" + "Hé".encode("utf-16")
    plain = b"TIT2" + synchsafe(len(text)) + b"\0\0" + text + frame("TPE1", "Ann")
    path = with_id3(tmp_path / "a.mp3", id3(plain.replace(b"\xff", b"\xff\0"), 3, 128))
    assert read_tags(path) == {"title": "Hé", "speakers": "Ann"}
    path = with_id3(tmp_path / "a.mp3", id3(plain.replace(b"\xff", b"\xff\0"), 4, 128))
    assert read_tags(path) == {}


def test_riff(tmp_path):
    names = {"title": b"INAM", "speakers": b"IART", "date": b"ICRD", "collection": b"IPRD", "tags": b"IGNR"}
    texts = [chunk(name, WANT[field].encode() + b"\0") for field, name in names.items()]
    info = chunk(b"LIST", b"INFO" + b"".join(texts))
    path = with_chunks(tmp_path / "a.wav", chunk(b"LIST", b"adtl" + bytes(20)), info)
    assert read_tags(path) == {field: WANT[field] for field in names}
    path = with_chunks(tmp_path / "b.wav", chunk(b"LIST", b"INFO" + chunk(b"INAM", "Über".encode("cp1252"))))
    assert read_tags(path) == {"title": "Über"}


def test_broadcast_wave(tmp_path):
    bext = b"from the attic".ljust(256, b"\0") + b"studio 3".ljust(64, b"\0") + b"2023-05-17" + b"10:00:00" + bytes(300)
    assert read_tags(with_chunks(tmp_path / "a.wav", chunk(b"bext", bext))) == {
        "notes": "from the attic",
        "date": "2023-05-17",
    }


@pytest.mark.parametrize(("version", "flag"), [(3, 0x80), (4, 0x09)])
def test_compressed_frames_are_not_unpacked(tmp_path, version, flag):
    packed = zlib.compress(b"\x03" + b"x" * 1000)
    packed = (1001).to_bytes(4, "big") + packed
    frames = frame("TPE1", "Ann") + b"TIT2" + synchsafe(len(packed)) + bytes([0, flag]) + packed
    assert read_tags(with_id3(tmp_path / "plain.mp3", id3(frame("TPE1", "Ann"), version))) == {"speakers": "Ann"}
    assert read_tags(with_id3(tmp_path / "packed.mp3", id3(frames, version))) == {}


def test_files_without_tags(tmp_path):
    assert read_tags(sound(tmp_path / "a.wav")) == {}
    (tmp_path / "empty.wav").touch()
    (tmp_path / "text.mp3").write_text("no audio")
    for name in ("empty.wav", "text.mp3", "none.wav", "."):
        assert read_tags(tmp_path / name) == {}


def test_damaged_tags_are_no_error(tmp_path):
    rng = np.random.default_rng(0)
    info = chunk(b"LIST", b"INFO" + chunk(b"INAM", b"On printing\0") + chunk(b"IART", b"Ann\0"))
    sources = [with_chunks(tmp_path / "a.wav", info).read_bytes()]
    sources += [with_id3(tmp_path / "a.mp3", id3(frame("TIT2", "On printing"))).read_bytes()]
    sources += [write(tmp_path / "a.flac", [("title", "On printing")]).read_bytes() for write in (flac, ogg)]
    read = 0
    for source, ending in zip(sources, ("wav", "mp3", "flac", "ogg"), strict=True):
        for _ in range(150):
            data = bytearray(source[: int(rng.integers(1, len(source) + 1))] if rng.random() < 0.3 else source)
            for _ in range(int(rng.integers(0, 8))):
                data[int(rng.integers(min(len(data), 400)))] = int(rng.integers(256))
            (tmp_path / f"x.{ending}").write_bytes(data)
            read += bool(read_tags(tmp_path / f"x.{ending}"))
    assert read > 100


def test_a_chunk_that_says_it_is_huge(tmp_path):
    path = with_chunks(
        tmp_path / "a.wav",
        b"LIST" + struct.pack("<I", 0xFFFFFFFF) + b"INFO" + b"INAM" + struct.pack("<I", 0xFFFFFFF0) + b"x",
    )
    assert read_tags(path) in ({}, {"title": "x"})
