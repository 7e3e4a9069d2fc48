"""Packed archives that are mutated: the bytes of the zip, its names and kinds of entries, and the files in it.

The checksums of the bag are mostly made good again: a checksum does not show who wrote a file.
"""

from __future__ import annotations

import hashlib
import io
import random
import shutil
import stat
import warnings
import zipfile
from pathlib import Path
from typing import Any

from rankine.spoken.archive import Archive

from . import mutate
from .kinds import OPENS, Kind

_TAGS = ("bagit.txt", "bag-info.txt", "manifest-sha256.txt")
_NAMES = [
    "../victim.txt", "../../victim.txt", "/tmp/victim.txt", "data/../../victim.txt", "data\\..\\victim.txt", "C:/x",
    "data/store.sqlite-journal", "data/manifest.json", "DATA/manifest.json", "data/recognised/../../../victim.txt", "",
    "data/lock", "data/recognised/x/", "data/\x00", "data/é.part", "data/bin/bin.json", "x" * 300,
]  # fmt: skip
_KINDS = [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFDIR, stat.S_IFREG]

Entry = tuple[str, bytes, int]  # the name in the bag, the content, the kind of file


class PackedArchiveKind(Kind):
    """A packed archive, which is unpacked; victims stand around it."""

    name = "packed archive"
    archive = True
    share = 0.15

    def prepare(self, folder: Path) -> None:
        """Pack a good archive, with a store."""
        self.around = folder / "around"
        self.around.mkdir()
        archive = Archive(shutil.copytree(OPENS / "recorded", folder / "good"))
        archive.metadata.set(archive.recordings.names[0], {"title": "Railways", "rights": "on request"}, by="eve")
        self.whole = [self._packed(archive, folder, index) for index in (True, False)]
        self.victims = {self.around / "victim.txt": b"mine", folder / "victim.txt": b"mine too"}
        for path, content in self.victims.items():
            path.write_bytes(content)

    def _packed(self, archive: Archive, folder: Path, index: bool) -> bytes:
        archive.pack(folder / "good.zip", index=index, closed=True, replace=True)
        return (folder / "good.zip").read_bytes()

    def write(self, rng: random.Random, folder: Path) -> Path:
        """Mutate the zip as it is, or what it holds."""
        whole, path = rng.choice(self.whole), self.around / "input.zip"
        path.write_bytes(mutate.data(rng, whole) if rng.random() < 0.2 else _changed(rng, whole))
        return path

    def use(self, path: Path) -> Any:
        """Unpack, search, check; whatever comes of it, nothing is written but the archive."""
        target = self.around / "new"
        try:
            archive = Archive.unpack(path, target)
            archive.check()
            return archive.recordings.names, [hit.recording for hit in archive.search("railway", closed=True)]
        finally:
            shutil.rmtree(target, ignore_errors=True)
            for victim, content in self.victims.items():
                assert victim.read_bytes() == content
            left = {entry.name for entry in self.around.iterdir()} - {"input.zip", "victim.txt", "new.unpacking.lock"}
            assert left <= {"new.unpacking"}, f"left behind: {sorted(left)}"

    def agrees(self, path: Path, result: Any) -> None:
        """Hits are recordings of the archive."""
        recordings, hits = result
        assert len(set(recordings)) == len(recordings)
        assert set(hits) <= set(recordings)


def _changed(rng: random.Random, whole: bytes) -> bytes:
    """A zip in which one to three entries are changed; the checksums are right, or those from before."""
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        entries = [(n.partition("/")[2], archive.read(n), stat.S_IFREG) for n in archive.namelist()]
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
        at = rng.randrange(len(entries))
        entries[at : at + 1] = _entries(rng, *entries[at])
    return _zipped(_sealed(entries) if rng.random() < 0.85 else entries, rng)


def _entries(rng: random.Random, name: str, content: bytes, kind: int) -> list[Entry]:
    """What an entry becomes: with another content, name or kind, doubled, or nothing."""
    way = rng.randrange(10)
    if way < 4:
        return [(name, mutate.data(rng, content), kind)]
    if way < 5:
        return [(name, mutate.text(rng, content), kind)]
    if way < 7:
        other = (rng.choice(_NAMES), rng.choice([content, b"not yours", b"../victim.txt"]), kind)
        return [other] if rng.random() < 0.5 else [(name, content, kind), other]
    if way < 8:
        return [(name, rng.choice([content, b"../../victim.txt"]), rng.choice(_KINDS))]
    return [(name, content, kind)] * 2 if way < 9 else []


def _sealed(entries: list[Entry]) -> list[Entry]:
    """The entries with right checksums."""
    sums = {n: hashlib.sha256(d).hexdigest() for n, d, _ in sorted(entries) if n.startswith("data/")}
    files = {n: (n, d, k) for n, d, k in entries if not n.startswith("data/")}
    listed = "".join(f"{digest}  {n}\n" for n, digest in sums.items()).encode("utf-8", "replace")
    files["manifest-sha256.txt"] = ("manifest-sha256.txt", listed, stat.S_IFREG)
    tags = "".join(f"{hashlib.sha256(files[n][1]).hexdigest()}  {n}\n" for n in _TAGS if n in files).encode()
    files["tagmanifest-sha256.txt"] = ("tagmanifest-sha256.txt", tags, stat.S_IFREG)
    return [entry for entry in entries if entry[0].startswith("data/")] + list(files.values())


def _zipped(entries: list[Entry], rng: random.Random) -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w") as archive:
        warnings.simplefilter("ignore")  # of doubled names
        for name, content, kind in entries:
            info = zipfile.ZipInfo(name if name.startswith(("/", "..", "C:")) else f"good/{name}")
            info.external_attr, info.create_system = (kind | 0o644) << 16, 3
            info.compress_type = rng.choice([zipfile.ZIP_DEFLATED] * 9 + [zipfile.ZIP_STORED])
            archive.writestr(info, content)
    return out.getvalue()


KINDS: list[Kind] = [PackedArchiveKind()]
