"""Bags: files in a zip with their checksums, laid out as BagIt 1.0 (RFC 8493) says.

The zip holds one folder. In it are the files themselves below ``data``, ``manifest-sha256.txt`` with their checksums,
``bagit.txt`` and ``bag-info.txt`` that say what it is, and ``tagmanifest-sha256.txt`` with the checksums of these. Any
tool for bags can check it. The same content gives the same bytes: files are in order, and times are left out.
"""

from __future__ import annotations

import hashlib
import re
import stat
import zipfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ...errors import InputError, shorten
from ...system.paths import is_inside

DATA = "data/"
DECLARATION, INFO, MANIFEST, TAGS = "bagit.txt", "bag-info.txt", "manifest-sha256.txt", "tagmanifest-sha256.txt"
_DECLARED = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
_VERSION = re.compile(r"BagIt-Version: (0\.9[0-9]|1\.[0-9])\r?\nTag-File-Character-Encoding: UTF-8\r?\n?")
_LINE = re.compile(r"([0-9a-fA-F]{64})[ \t]+\*?(.+)")
_PACKED = (".gz", ".zst", ".xz", ".bz2")  # compressed already


class BagWriter:
    """Writes a bag into a zip, in a ``with`` block, at whose end the file is closed; ``folder`` is the one in it."""

    def __init__(self, path: Path, folder: str) -> None:
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.folder, self.size = folder, 0
        self.sums: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with suppress(OSError):  # a zip that is closed has nothing left to write; after an error it is not used
            self.zip.close()

    def add(self, name: str, blocks: Iterable[Any], size: int) -> None:
        """Add a file below ``data``; ``size`` is about its size in bytes."""
        self.sums[f"{DATA}{name}"] = self._write(f"{DATA}{name}", blocks, size, 1 if name.endswith(".part") else 6)

    def _write(self, name: str, blocks: Iterable[Any], size: int, level: int) -> str:
        info = zipfile.ZipInfo(f"{self.folder}/{name}")  # of 1980: times are left out
        info.compress_type = zipfile.ZIP_STORED if name.endswith(_PACKED) else zipfile.ZIP_DEFLATED
        info.external_attr, info.create_system = (stat.S_IFREG | 0o644) << 16, 3
        info.file_size, info._compresslevel = size, level  # type: ignore[attr-defined]
        digest = hashlib.sha256()
        with self.zip.open(info, "w", force_zip64=size > 1 << 30) as file:
            for block in blocks:
                digest.update(block)
                file.write(block)
                self.size += len(block)
        return digest.hexdigest()

    def close(self, info: Mapping[str, str]) -> None:
        """Write what says what the bag is, and end the zip."""
        info = {"Payload-Oxum": f"{self.size}.{len(self.sums)}", **info}
        tags = {
            DECLARATION: _DECLARED,
            INFO: "".join(f"{name}: {value}\n" for name, value in info.items()).encode(),
            MANIFEST: _listed(self.sums),
        }
        sums = {name: self._write(name, [data], len(data), 6) for name, data in tags.items()}
        self._write(TAGS, [_listed(sums)], 0, 6)
        self.zip.close()


def _listed(sums: Mapping[str, str]) -> bytes:
    """A manifest: a checksum and a name on each line."""
    return "".join(f"{digest}  {_escaped(name)}\n" for name, digest in sorted(sums.items())).encode()


def _escaped(name: str) -> str:
    return name.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _unescaped(name: str) -> str:
    return re.sub("%(25|0[aAdD])", lambda match: chr(int(match[1], 16)), name)


def read_manifest(text: str, where: str) -> dict[str, str]:
    """Checksums by name; raise InputError at a line that is none, or a name that is there twice or leads elsewhere.

    >>> read_manifest("ab" * 32 + "  data/100%25", "manifest-sha256.txt") == {"data/100%": "ab" * 32}
    True
    """
    sums: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        match = _LINE.fullmatch(line)
        name = _unescaped(match[2]).removeprefix("./") if match else ""
        if match is None or not is_inside(name) or name in sums:
            raise InputError(f"expected a checksum and the name of a file, got {shorten(line)}", f"{where}, {number}")
        sums[name] = match[1].lower()
    return sums


def read_tags(files: Mapping[str, bytes], where: str) -> tuple[dict[str, str], dict[str, str]]:
    """What ``bag-info.txt`` says, and the checksums of the files; raise InputError if it is no bag, or damaged."""
    missing = next((name for name in (DECLARATION, INFO, MANIFEST, TAGS) if name not in files), None)
    if missing:
        raise InputError(f"not a packed archive: it has no {missing}", where)
    texts = {name: _decoded(files[name], f"{where}, {name}") for name in (DECLARATION, INFO, MANIFEST, TAGS)}
    if not _VERSION.fullmatch(texts[DECLARATION]):
        raise InputError(f"not a packed archive: its {DECLARATION} is not that of a bag (BagIt 1.0, UTF-8)", where)
    sums = read_manifest(texts[TAGS], f"{where}, {TAGS}")
    for name in (DECLARATION, INFO, MANIFEST):
        if sums.get(name) != hashlib.sha256(files[name]).hexdigest():
            raise InputError(f"the packed archive is damaged: the checksum of {name} is wrong", where)
    pairs = (line.partition(":") for line in texts[INFO].splitlines())
    info = {name.strip(): value.strip() for name, colon, value in pairs if colon}
    return info, read_manifest(texts[MANIFEST], f"{where}, {MANIFEST}")


def _decoded(data: bytes, where: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise InputError("not a packed archive: this is no text in UTF-8", where) from None
