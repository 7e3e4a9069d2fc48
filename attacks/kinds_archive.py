"""Kinds of files of a spoken archive that are mutated.

Their checksums are made good again after a mutation: a checksum does not show who wrote a file.
"""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import zlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from rankine.spoken.archive import Archive
from rankine.spoken.recognise.journal import RecordingJournal

from . import mutate
from .kinds import OPENS, Kind


class ArchiveKind(Kind):
    """A file of an archive. All else in the folder is as it was; victims stand around it."""

    archive = True
    share = 0.15
    source = "archive"

    def __init__(self, name: str) -> None:
        self.name = name

    def prepare(self, folder: Path) -> None:
        """A copy of a good archive."""
        self.good = self.made(folder)
        self.place = folder / "around" / "archive"
        shutil.copytree(self.good, self.place)
        self.victims = {folder / "around" / "victim.txt": b"mine", folder / "around" / "mine.arrow": b"also mine"}
        for path, content in self.victims.items():
            path.write_bytes(content)
        self.files = {p.relative_to(self.good): p.read_bytes() for p in self.good.rglob("*") if p.is_file()}

    def made(self, folder: Path) -> Path:
        """The folder of the good archive."""
        return OPENS / self.source

    def restore(self) -> None:
        """Put all back that the last input changed."""
        for path in sorted(self.place.rglob("*"), reverse=True):
            if not path.is_dir() and path.relative_to(self.place) not in self.files:
                path.unlink()
        for name, content in self.files.items():
            path = self.place / name
            if not path.exists() or path.stat().st_size != len(content) or path.read_bytes() != content:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)

    def write(self, rng: random.Random, folder: Path) -> Path:
        """The archive with one file mutated."""
        self.restore()
        self.change(rng)
        return self.place

    def change(self, rng: random.Random) -> None:
        """Mutate the file."""
        raise NotImplementedError

    def use(self, path: Path) -> Any:
        """Open, search, list, check."""
        archive = Archive(path)
        found = [(hit.recording, hit.score) for text in ("railway", '"bridge"') for hit in archive.search(text)]
        archive.features({"1": "railway"})
        archive.check()
        assert all(np.isfinite(score) for _, score in found)
        return archive.recordings.names, len(archive.judgments.all().queries), archive.weights.history

    def agrees(self, path: Path, result: Any) -> None:
        """Nothing around the archive has changed, and recordings are those that its parts name."""
        for victim, content in self.victims.items():
            assert victim.read_bytes() == content
        assert sorted(result[0]) == sorted(_names(path))


def _names(folder: Path) -> list[str]:
    """The recordings of an archive, read from the files by hand."""
    names = []
    manifest = json.loads((folder / "manifest.json").read_bytes().split(b"\n", 1)[1])
    for entry in manifest["parts"]:
        data = (folder / entry["file"]).read_bytes()
        at, length = (int(x) for x in np.frombuffer(data[-16:], "<u8"))
        arrays = json.loads(data[at : at + length])["arrays"]
        column = next(n.removesuffix(".ptr") for n in arrays if n.endswith(".ptr") and n.startswith("doc"))
        ptr, text = (np.frombuffer(data, k, n, a) for k, a, n in (arrays[f"{column}.ptr"], arrays[f"{column}.text"]))
        names += [text[a:b].tobytes().decode() for a, b in pairwise(ptr.tolist())]
    return names


def seal(text: bytes) -> bytes:
    """JSON with a right checksum."""
    return json.dumps({"crc": zlib.crc32(text)}).encode() + b"\n" + text + b"\n"


class SealedJson(ArchiveKind):
    """The manifest, the weights in use, or learned weights."""

    def __init__(self, name: str, file: str, mild: float = 0.75) -> None:
        super().__init__(name)
        self.file, self.mild = file, mild

    def change(self, rng: random.Random) -> None:
        """Mutate the JSON and seal it again; now and then without."""
        path = self.place / self.file
        content = json.loads(path.read_bytes().split(b"\n", 1)[1])
        text = mutate.json_text(rng, content, mild=self.mild, indent=rng.choice([None, 1]))
        path.write_bytes(seal(text) if rng.random() < 0.9 else mutate.text(rng, path.read_bytes()))


class PartKind(ArchiveKind):
    """A part of the index, mutated in its footer or in its arrays, with all checksums made good."""

    def change(self, rng: random.Random) -> None:
        """Mutate it, and seal footer and manifest again."""
        manifest = json.loads((self.place / "manifest.json").read_bytes().split(b"\n", 1)[1])
        entry = rng.choice(manifest["parts"])
        path = self.place / entry["file"]
        data = path.read_bytes()
        at, length = (int(x) for x in np.frombuffer(data[-16:], "<u8"))
        body, header = data[:at], json.loads(data[at : at + length])
        if rng.random() < 0.6:
            body = self._arrays(rng, body, header["arrays"])
        else:
            header = mutate.tree(rng, header, mild=0.5)
        if isinstance(header, dict) and rng.random() < 0.95:
            chunks = range(0, len(body), 1 << 16)
            header["crcs"] = [zlib.crc32(body[i : i + (1 << 16)]) for i in chunks]
        text = json.dumps(header).encode("utf-8", "surrogatepass")
        footer = text + np.array([len(body), len(text)], "<u8").tobytes()
        path.write_bytes(body + footer)
        entry.update(size=len(body) + len(footer), crc=zlib.crc32(footer))
        (self.place / "manifest.json").write_bytes(seal(json.dumps(manifest, indent=1).encode()))

    def _arrays(self, rng: random.Random, body: bytes, arrays: dict[str, Any]) -> bytes:
        out = bytearray(body)
        for _ in range(rng.randrange(1, 3)):
            kind, at, n = arrays[rng.choice(list(arrays))]
            if not n:
                continue
            values = np.frombuffer(bytes(out[at : at + n * np.dtype(kind).itemsize]), kind).copy()
            where = rng.choice([slice(None), rng.randrange(n), rng.randrange(n), -1])
            if values.dtype.kind == "f":
                values[where] = rng.choice([np.nan, np.inf, -1.0, 0.5, 1e30, 0.0])
            else:
                bounds = np.iinfo(values.dtype)
                choices = [0, 1, bounds.max, bounds.min, bounds.max // 2, 4_000_000_000 % (int(bounds.max) + 1)]
                near = int(values.flat[rng.randrange(n)])
                values[where] = rng.choice([*choices, near, near, near])
            out[at : at + values.nbytes] = values.tobytes()
        return bytes(out)


class Database(ArchiveKind):
    """The store: bytes of the file, or rows."""

    def made(self, folder: Path) -> Path:
        """An archive with judgments, metadata and an undo in its store."""
        archive = Archive(shutil.copytree(super().made(folder), folder / "good"))
        archive.metadata.set(archive.recordings.names[:2], {"title": "Railways", "place": "York"}, by="eve")
        archive.metadata.set(archive.recordings.names[0], {"rights": "on request"}, by="eve")
        archive.metadata.undo(by="eve")
        assert archive.judgments.all().queries
        return archive.folder

    def change(self, rng: random.Random) -> None:
        """Mutate rows by SQL, or bytes."""
        path = self.place / "store.sqlite"
        if rng.random() < 0.3:
            path.write_bytes(mutate.data(rng, path.read_bytes()))
            return
        values = ["NULL", "x'00ff'", "'text'", "1e308", "-1", "9223372036854775807", "''", "0.5", "1", "'q9'"]
        column = rng.choice(["query", "recording", "place", "grade", "batch", "id"])
        other = rng.choice(["name", "was", "print", "gone", "about", "id"])
        ways = [
            f"UPDATE judgment SET {column} = {rng.choice(values)} WHERE id = (SELECT id FROM judgment ORDER BY "
            f"id LIMIT 1 OFFSET {rng.randrange(3)})",
            f"INSERT INTO judgment VALUES ({rng.randrange(10**6)}, 1, {rng.choice(values)}, 1, '', "
            f"{rng.choice(values)})",
            f"UPDATE recording SET {other} = {rng.choice(values)} WHERE id = 1",
            f"UPDATE about SET {rng.choice(['field', 'value', 'recording'])} = {rng.choice(values)}",
            f"UPDATE batch SET undoes = {rng.choice(values)} WHERE id = {rng.randrange(4)}",
            "DELETE FROM query WHERE rowid = 1", "DROP TABLE judgment", "DROP TABLE query", "DELETE FROM judgment",
            "ALTER TABLE judgment DROP COLUMN place", "ALTER TABLE judgment ADD COLUMN extra",
            f"UPDATE query SET text = {rng.choice(values)}", "CREATE TABLE other (x)",
            f"INSERT INTO query VALUES ({rng.choice(values)}, {rng.choice(values)})", "PRAGMA user_version = 99",
        ]  # fmt: skip
        connection = sqlite3.connect(path)
        try:
            connection.execute(rng.choice([*ways[:4], *ways]))
            connection.commit()
        except (sqlite3.Error, OverflowError):
            pass
        finally:
            connection.close()


class RecognisedJournal(ArchiveKind):
    """The journal of recordings; a recording is then deleted."""

    source = "recorded"

    def prepare(self, folder: Path) -> None:
        """The names of its recordings too."""
        super().prepare(folder)
        self.lines = self.files[Path("recognised/recognised.jsonl")].splitlines()

    def change(self, rng: random.Random) -> None:
        """One line is mutated, or the text is."""
        lines = list(self.lines)
        at = rng.randrange(len(lines))
        lines[at] = mutate.json_text(rng, json.loads(lines[at]), mild=0.7)
        data = b"\n".join(lines) + b"\n"
        path = self.place / "recognised" / "recognised.jsonl"
        path.write_bytes(mutate.text(rng, data) if rng.random() < 0.2 else data)

    def use(self, path: Path) -> Any:
        """List, make the table, delete a recording."""
        archive = Archive(path)
        before = archive.recordings.names
        journal = RecordingJournal(path / "recognised")
        journal.write_table()
        archive.recordings.delete(before[:1])
        archive.check()
        assert Archive(path).recordings.names == before[1:]
        return before, len(journal.silent), sum("gone" in line for line in journal.lines.values())

    def agrees(self, path: Path, result: Any) -> None:
        """Nothing around the archive has changed."""
        for victim, content in self.victims.items():
            assert victim.read_bytes() == content


KINDS: list[Kind] = [
    SealedJson("manifest", "manifest.json"), SealedJson("weights in use", "weights/current.json", mild=0.95),
    SealedJson("weights", "weights/c55735159af2.json"), PartKind("part"), Database("store"),
    RecognisedJournal("recognised.jsonl"),
]  # fmt: skip
