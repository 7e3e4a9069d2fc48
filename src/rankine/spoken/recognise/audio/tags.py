"""Tags in audio files: what they say about a recording.

ID3, Vorbis comments, and those of MP4 and Windows Media are read by ``tinytag``. Chunks of RIFF files (wav) are read
here: the list INFO, whose text may be in any encoding, and ``bext`` of broadcast waves, which ``tinytag`` passes over.
A tag is a hint of the file's maker: what cannot be read is left out, and nothing is an error.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from ....errors import needs

# fields, and the names that they have: those of tinytag, and those of RIFF
NAMES: dict[str, tuple[str, ...]] = {
    "title": ("title", "INAM"),
    "speakers": ("artist", "performer", "IART"),
    "date": ("year", "tdrl", "_year", "date", "ICRD"),
    "collection": ("album", "IPRD"),
    "tags": ("genre", "IGNR"),
    "language": ("language", "ILNG"),
    "notes": ("comment", "ICMT", "bext"),
}
_FIELD_OF = {name: field for field, names in NAMES.items() for name in names}
_HEADS = (b"fLaC", b"OggS", b"\x30\x26\xb2\x75")  # of FLAC, Ogg and Windows Media
_PACKED = re.compile(  # frames of text that are not stored as they are: by their flags, or a zero in a byte order mark
    rb"(?:TIT2|TPE1|TDRC|TDRL|TYER|TALB|TCON|TLAN|COMM).{5}(?:[^\0]|\0\x01(?:...)?\xff\0)", re.DOTALL
)
_PROGRAM = r"(sox|lav[cf]|ffmpeg|lame|libsndfile|audacity|adobe audition|sound forge|wavelab|goldwave)[\s/v-]*[\d.]*"
_ENCODER_MARKS = (  # comments that name the program that wrote the file, and tell nothing of the recording
    re.compile(_PROGRAM, re.IGNORECASE),
    re.compile(rf"(processed|created|generated|made|recorded|written) (by|with|using) {_PROGRAM}", re.IGNORECASE),
    re.compile(r"encoded (by|with|using) .*", re.IGNORECASE),
)
_LARGEST = 1 << 25  # bytes of an ID3 tag that is read
_MOST = 1 << 16  # bytes of a chunk of text that are read
_CHUNKS = 10_000  # chunks of a file that are looked at


def read_tags(path: str | os.PathLike) -> dict[str, str]:
    """What the tags of an audio file say, by field; nothing where there are none, or they are damaged."""
    fields: dict[str, str] = {}
    for read in (_of_id3, _of_others, _of_riff):
        with suppress(Exception):  # whatever a library makes of a damaged file: recordings without tags are like others
            for name, values in read(path):
                _keep(fields, name, values)
    return fields


def _keep(fields: dict[str, str], name: str, values: list[str]) -> None:
    """Keep what is said first of a field, with ; between several values: of dates the first, no marks of encoders."""
    field = _FIELD_OF.get(name)
    texts = [text for value in values if (text := value.replace("\x00", ";").strip("; \t\r\n"))]
    if field == "notes":
        texts = [text for text in texts if not any(mark.fullmatch(text) for mark in _ENCODER_MARKS)]
    if field and texts:
        fields.setdefault(field, texts[0] if field == "date" else "; ".join(texts))


def _of_id3(path: str | os.PathLike) -> Iterator[tuple[str, list[str]]]:
    """Names and texts of ID3 at the beginning of a file, or in a chunk of a wav or aiff file.

    None are read of a tag that has a frame of text which is not stored as it is: one could unpack to any size.
    """
    data = _id3_data(path)
    if data is not None and not _PACKED.search(data):
        yield from _by_name(io.BytesIO(data))


def _id3_data(path: str | os.PathLike) -> bytes | None:
    """The bytes of an ID3 tag; None where there is none, or it is too large."""
    with open(path, "rb") as file:
        head = file.read(12)
        if head[:3] == b"ID3":
            length = 10 + sum((byte & 127) << 7 * (3 - i) for i, byte in enumerate(head[6:10]))
            file.seek(0)
            return _synchronised(file.read(length)) if length <= _LARGEST else None
        order = {b"RIFF": "little", b"FORM": "big"}.get(head[:4])
        for name, n in _chunks(file, 12, Path(path).stat().st_size, order) if order else ():
            if name in (b"id3 ", b"ID3 ") and n <= _LARGEST:
                return _synchronised(file.read(n))
    return None


def _synchronised(data: bytes) -> bytes:
    """A tag without the zeros that ID3 may put behind bytes of ones; version 2.4 puts them into single frames."""
    return data.replace(b"\xff\0", b"\xff") if data[3] < 4 and data[5] & 128 else data


def _of_others(path: str | os.PathLike) -> Iterator[tuple[str, list[str]]]:
    """Names and texts of Vorbis comments, and of what MP4 and Windows Media have in their place."""
    with open(path, "rb") as file:
        head = file.read(8)
        file.seek(0)
        if head[:4] in _HEADS or head[4:] == b"ftyp":
            yield from _by_name(file)


def _by_name(file: BinaryIO) -> Iterator[tuple[str, list[str]]]:
    """Names and texts that tinytag finds, in the order of ``NAMES``."""
    tinytag: Any = needs("tinytag", "spoken")
    tags = tinytag.TinyTag.get(file_obj=file, duration=False).as_dict()
    for name in _FIELD_OF:
        if isinstance(values := tags.get(name), list):
            yield name, values


def _of_riff(path: str | os.PathLike) -> Iterator[tuple[str, list[str]]]:
    """Names and texts of the list INFO and of the chunk ``bext`` of a wav file."""
    size = Path(path).stat().st_size
    with open(path, "rb") as file:
        head = file.read(12)
        if head[:4] not in (b"RIFF", b"RF64", b"BW64") or head[8:] != b"WAVE":
            return
        for name, length in _chunks(file, 12, size):
            if name == b"LIST" and file.read(4) == b"INFO":
                begin = file.tell()
                for own, n in _chunks(file, begin, min(begin + length - 4, size)):
                    yield own.decode("latin-1"), [_decoded(file.read(min(n, _MOST)))]
            elif name == b"bext":
                data = file.read(min(length, _MOST))
                yield "bext", [_decoded(data[:256])]
                yield "ICRD", [_decoded(data[320:330]).replace(":", "-").replace("_", "-")]


def _chunks(file: BinaryIO, begin: int, end: int, order: Any = "little") -> Iterator[tuple[bytes, int]]:
    """Name and length of each chunk between two places of a file; the file stands at its content."""
    for _ in range(_CHUNKS):
        if begin + 8 > end:
            return
        file.seek(begin)
        name, length = file.read(4), int.from_bytes(file.read(4), order)
        yield name, min(length, max(end - begin - 8, 0))
        begin += 8 + length + length % 2


def _decoded(data: bytes) -> str:
    """Text up to the first zero, of UTF-8 or else of one byte a character."""
    text = data.split(b"\0")[0]
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("cp1252", "replace")
