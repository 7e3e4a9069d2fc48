"""Tags in audio files: what they say about a recording.

ID3, Vorbis comments and the like are read by ``mutagen``. Chunks of RIFF files (wav), which it passes over, are read
here: the list INFO, and ``bext`` of broadcast waves. A tag is a hint of the file's maker: what cannot be read is left
out, and nothing is an error.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from ....errors import needs

# fields, and the names that kinds of tags have for them: ID3, Vorbis and APE, MP4, Windows Media, RIFF
NAMES: dict[str, tuple[str, ...]] = {
    "title": ("TIT2", "title", "©nam", "INAM"),
    "speakers": ("TPE1", "artist", "performer", "©ART", "author", "IART"),
    "date": ("TDRC", "TDRL", "TYER", "date", "year", "©day", "WM/Year", "ICRD"),
    "collection": ("TALB", "album", "©alb", "WM/AlbumTitle", "IPRD"),
    "tags": ("TCON", "genre", "©gen", "WM/Genre", "IGNR"),
    "language": ("TLAN", "language", "WM/Language", "ILNG"),
    "notes": ("COMM", "comment", "description", "©cmt", "ICMT", "bext"),
}
_FIELD_OF = {name.casefold(): field for field, names in NAMES.items() for name in names}
_KINDS = {
    "flac": "FLAC", "oggvorbis": "OggVorbis", "oggopus": "OggOpus", "oggspeex": "OggSpeex", "oggflac": "OggFLAC",
    "mp4": "MP4", "asf": "ASF",
}  # fmt: skip
_TEXT_FRAMES = "|".join(
    name for names in NAMES.values() for name in names if len(name) == 4 and name[0] in "TC"
).encode()
_PACKED = {  # frames of text that are compressed, by the version of ID3: where their flag stands
    version: re.compile(b"(?:" + _TEXT_FRAMES + b").{5}[" + flags + b"]", re.DOTALL)
    for version, flags in (
        (3, b"\x80-\xff"),
        (4, b"\x08-\x0f\x18-\x1f\x28-\x2f\x38-\x3f\x48-\x4f\x58-\x5f\x68-\x6f\x78-\x7f"),
    )
}
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
    for read in (_of_id3, _of_comments, _of_riff):
        with suppress(Exception):  # whatever a library makes of a damaged file: recordings without tags are like others
            for name, value in read(path):
                _keep(fields, name, value)
    return fields


def _keep(fields: dict[str, str], name: str, value: str) -> None:
    """Keep the first value of a field that is not empty, and no mark of an encoder."""
    field, text = _FIELD_OF.get(name.casefold()), value.replace("\x00", ";").strip("; \t\r\n")
    if field and text and not (field == "notes" and any(mark.fullmatch(text) for mark in _ENCODER_MARKS)):
        fields.setdefault(field, text)


def _of_id3(path: str | os.PathLike) -> Iterator[tuple[str, str]]:
    """Names and texts of ID3 at the beginning of a file, or in a chunk of a wav or aiff file.

    Only frames of text are read, and none of a tag that has a compressed one of them: it may unpack to any size.
    """
    data = _id3_data(path)
    if data is None or any(
        _PACKED[3].search(d) or _PACKED[4].search(d) for d in (data, data.replace(b"\xff\0", b"\xff"))
    ):
        return
    id3: Any = needs("mutagen.id3", "spoken")
    names = [name for some in NAMES.values() for name in some if name in id3.Frames]
    tags = id3.ID3(io.BytesIO(data), known_frames={name: id3.Frames[name] for name in names})
    for name in tags:
        yield name.split(":")[0], _text(tags[name])


def _id3_data(path: str | os.PathLike) -> bytes | None:
    """The bytes of an ID3 tag; None where there is none, or it is too large."""
    with open(path, "rb") as file:
        head = file.read(12)
        if head[:3] == b"ID3":
            length = 10 + sum((byte & 127) << 7 * (3 - i) for i, byte in enumerate(head[6:10]))
            file.seek(0)
            return file.read(length) if length <= _LARGEST else None
        order = {b"RIFF": "little", b"FORM": "big"}.get(head[:4])
        for name, n in _chunks(file, 12, Path(path).stat().st_size, order) if order else ():
            if name in (b"id3 ", b"ID3 ") and n <= _LARGEST:
                return file.read(n)
    return None


def _of_comments(path: str | os.PathLike) -> Iterator[tuple[str, str]]:
    """Names and texts of Vorbis comments, and of what MP4 and Windows Media have in their place."""
    kinds = [getattr(needs(f"mutagen.{module}", "spoken"), name) for module, name in _KINDS.items()]
    mutagen: Any = needs("mutagen", "spoken")
    file = mutagen.File(path, options=kinds)
    tags: Mapping[str, Any] = {} if file is None or file.tags is None else file.tags
    for name in tags.keys():  # noqa: SIM118  (some kinds of tags are lists of pairs)
        yield name, _text(tags[name])


def _text(value: Any) -> str:
    """The text of a tag; several values with ; between them."""
    values = getattr(value, "text", value)
    values = values if isinstance(values, list | tuple) else [values]
    return "; ".join(str(some).strip() for some in values if not isinstance(some, bytes))


def _of_riff(path: str | os.PathLike) -> Iterator[tuple[str, str]]:
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
                    yield own.decode("latin-1"), _decoded(file.read(min(n, _MOST)))
            elif name == b"bext":
                data = file.read(min(length, _MOST))
                yield "bext", _decoded(data[:256])
                yield "ICRD", _decoded(data[320:330]).replace(":", "-").replace("_", "-")


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
