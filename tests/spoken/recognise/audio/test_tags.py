"""Tags of audio files: what is read of each kind, and of damaged ones."""

import struct
import zlib

import numpy as np
import pytest

from rankine.spoken.recognise.audio.tags import NAMES, read_tags

mutagen = pytest.importorskip("mutagen")
soundfile = pytest.importorskip("soundfile")

WANT = {
    "title": "On printing", "speakers": "Ann Lee", "date": "2023-05-17", "collection": "Radio talks",
    "tags": "Speech", "language": "eng", "notes": "from the attic",
}  # fmt: skip


def sound(path):
    soundfile.write(path, np.zeros(1600, np.float32), 16000)
    return path


def chunk(name, data):
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def wave(path, *chunks):
    """A wav file with more chunks behind its sound."""
    data = sound(path).read_bytes() + b"".join(chunks)
    path.write_bytes(data[:4] + struct.pack("<I", len(data) - 8) + data[8:])
    return path


@pytest.mark.parametrize("ending", ["flac", "ogg"])
def test_vorbis_comments(tmp_path, ending):
    file = mutagen.File(sound(tmp_path / f"a.{ending}"))
    names = {"speakers": "ARTIST", "collection": "album", "tags": "genre", "notes": "comment"}
    for field, value in WANT.items():
        file[names.get(field, field)] = value
    file.save()
    assert read_tags(tmp_path / f"a.{ending}") == WANT
    file["artist"] = ["Ann Lee", "Bob"]
    file.save()
    assert read_tags(tmp_path / f"a.{ending}")["speakers"] == "Ann Lee; Bob"


@pytest.mark.parametrize(
    "comment", ["Processed by SoX", "Lavf60.3.100", "encoded by LAME", "Recorded with Audacity", "LAME3.100"]
)
def test_marks_of_encoders_are_no_notes(tmp_path, comment):
    file = mutagen.File(sound(tmp_path / "a.flac"))
    file["comment"] = comment
    file.save()
    assert read_tags(tmp_path / "a.flac") == {}
    file["description"] = "Recorded by Ann with Audacity"  # says more than the program
    file.save()
    assert read_tags(tmp_path / "a.flac") == {"notes": "Recorded by Ann with Audacity"}


@pytest.mark.parametrize("ending", ["mp3", "wav", "aiff"])
def test_id3(tmp_path, ending):
    from mutagen import id3

    path = sound(tmp_path / f"a.{ending}")
    file = mutagen.File(path)
    if file.tags is None:
        file.add_tags()
    for field, value in WANT.items():
        name = NAMES[field][0]
        if name == "COMM":
            file.tags.add(id3.COMM(encoding=3, lang="eng", desc="", text=[value]))
        else:
            file.tags.add(getattr(id3, name)(encoding=3, text=[value]))
    file.save()
    assert read_tags(path) == WANT


def test_riff(tmp_path):
    names = {"title": b"INAM", "speakers": b"IART", "date": b"ICRD", "collection": b"IPRD", "tags": b"IGNR"}
    texts = [chunk(name, WANT[field].encode() + b"\0") for field, name in names.items()]
    info = chunk(b"LIST", b"INFO" + b"".join(texts))
    path = wave(tmp_path / "a.wav", chunk(b"LIST", b"adtl" + bytes(20)), info)
    assert read_tags(path) == {field: WANT[field] for field in names}
    path = wave(tmp_path / "b.wav", chunk(b"LIST", b"INFO" + chunk(b"INAM", "Über".encode("cp1252"))))
    assert read_tags(path) == {"title": "Über"}


def test_broadcast_wave(tmp_path):
    bext = b"from the attic".ljust(256, b"\0") + b"studio 3".ljust(64, b"\0") + b"2023-05-17" + b"10:00:00" + bytes(300)
    assert read_tags(wave(tmp_path / "a.wav", chunk(b"bext", bext))) == {
        "notes": "from the attic",
        "date": "2023-05-17",
    }


@pytest.mark.parametrize(("version", "flag"), [(3, 0x80), (4, 0x09)])
def test_compressed_frames_are_not_unpacked(tmp_path, version, flag):
    text = b"\x03" + b"x" * 1000
    packed = len(text).to_bytes(4, "big") + zlib.compress(text)
    frame = b"TIT2" + len(packed).to_bytes(4, "big") + bytes([0, flag]) + packed
    plain = b"TPE1" + (4).to_bytes(4, "big") + b"\0\0" + b"\0Ann"
    for name, frames in (("packed", plain + frame), ("plain", plain)):
        head = b"ID3" + bytes([version, 0, 0]) + bytes([0, 0, len(frames) >> 7, len(frames) & 127])
        sound(tmp_path / "a.mp3")
        (tmp_path / f"{name}.mp3").write_bytes(head + frames + (tmp_path / "a.mp3").read_bytes())
    assert read_tags(tmp_path / "plain.mp3") == {"speakers": "Ann"}
    assert read_tags(tmp_path / "packed.mp3") == {}


def test_files_without_tags(tmp_path):
    assert read_tags(sound(tmp_path / "a.wav")) == {}
    (tmp_path / "empty.wav").touch()
    (tmp_path / "text.mp3").write_text("no audio")
    for name in ("empty.wav", "text.mp3", "none.wav", "."):
        assert read_tags(tmp_path / name) == {}


def test_damaged_tags_are_no_error(tmp_path):
    rng = np.random.default_rng(0)
    info = chunk(b"LIST", b"INFO" + chunk(b"INAM", b"On printing\0") + chunk(b"IART", b"Ann\0"))
    sources = [wave(tmp_path / "a.wav", info).read_bytes()]
    for ending in ("mp3", "flac", "ogg"):
        file = mutagen.File(sound(tmp_path / f"a.{ending}"), easy=True)
        if file.tags is None:
            file.add_tags()
        file["title"] = "On printing"
        file.save()
        sources.append((tmp_path / f"a.{ending}").read_bytes())
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
    path = wave(
        tmp_path / "a.wav",
        b"LIST" + struct.pack("<I", 0xFFFFFFFF) + b"INFO" + b"INAM" + struct.pack("<I", 0xFFFFFFF0) + b"x",
    )
    assert read_tags(path) in ({}, {"title": "x"})
