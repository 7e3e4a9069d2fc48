"""Tags in audio files: what they say about a recording.

ID3, Vorbis comments and the like are read by ``mutagen``. Chunks of RIFF files (wav), which it passes over, are read
here: the list INFO, and ``bext`` of broadcast waves. A tag is a hint of the file's maker: what cannot be read is left
out, and nothing is an error.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from ...errors import InputError, needs

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
_MOST = 1 << 16  # bytes of a chunk of text that are read
_CHUNKS = 10_000  # chunks of a file that are looked at


def read_tags(path: str | os.PathLike) -> dict[str, str]:
    """What the tags of an audio file say, by field; nothing where there are none, or they are damaged."""
    fields: dict[str, str] = {}
    with suppress(Exception):  # whatever a library makes of a damaged file: a recording without tags is one like others
        for name, value in _of_mutagen(path):
            _keep(fields, name, value)
    with suppress(OSError, ValueError):
        for name, value in _of_riff(path):
            _keep(fields, name, value)
    return fields


def _keep(fields: dict[str, str], name: str, value: str) -> None:
    """Keep the first value of a field that is not empty."""
    field, text = _FIELD_OF.get(name.casefold()), value.replace("\x00", ";").strip("; \t\r\n")
    if field and text:
        fields.setdefault(field, text)


def _of_mutagen(path: str | os.PathLike) -> Iterator[tuple[str, str]]:
    try:
        mutagen: Any = needs("mutagen", "spoken")
    except InputError:
        return
    file = mutagen.File(path)
    tags: Mapping[str, Any] = {} if file is None or file.tags is None else file.tags
    for name in tags.keys():  # noqa: SIM118  (some kinds of tags are lists of pairs)
        yield name.split(":")[0], _text(tags[name])


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


def _chunks(file: BinaryIO, begin: int, end: int) -> Iterator[tuple[bytes, int]]:
    """Name and length of each chunk between two places of a file; the file stands at its content."""
    for _ in range(_CHUNKS):
        if begin + 8 > end:
            return
        file.seek(begin)
        name, length = file.read(4), int.from_bytes(file.read(4), "little")
        yield name, min(length, max(end - begin - 8, 0))
        begin += 8 + length + length % 2


def _decoded(data: bytes) -> str:
    """Text up to the first zero, of UTF-8 or else of one byte a character."""
    text = data.split(b"\0")[0]
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("cp1252", "replace")
