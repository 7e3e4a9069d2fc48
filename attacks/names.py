"""Hostile names: in every place in which an archive stores a name, for every command that uses it.

    python -m attacks.names                  # all places, names and commands
    python -m attacks.names --count 200      # some of them, chosen by --seed

Around the archive lies a folder of victims: files, links, a pipe. Checksums are made good again after a name was
changed. A command may do its work or refuse it in one line. It is a failure if a victim changes, if the content of one
is shown, if a pipe is opened (the command then waits for ever), or if a recording outside the roots is played. Prints
counts and failures; the exit code is 1 if there is one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from typer.testing import CliRunner

from rankine.cli.app import app
from rankine.errors import InputError
from rankine.spoken.archive import Archive
from rankine.spoken.index.settings import Settings
from rankine.spoken.lattice.lattice import random_lattice
from rankine.system.files import sealed
from tests.victims import SECRET, Victims

SECONDS = 20  # after which a command counts as waiting for ever
OUTSIDE = "outside.wav"


class Loudness:
    """A recogniser that hears how loud a recording is."""

    rate, ending = 16000, ".nbest"

    def __call__(self, samples: np.ndarray) -> bytes:
        """The only hypothesis."""
        return f"-1.0 loud{int(np.abs(samples).max()) // 1000}\n".encode()


def build(place: Path) -> None:
    """A small archive ``place/archive`` with everything that an archive can hold, made of ``place/audio``."""
    import soundfile

    (place / "audio").mkdir()
    for i, name in enumerate(("tape-1", "tape-2"), 1):
        soundfile.write(place / "audio" / f"{name}.wav", np.full(2000, i / 33), 16000)
    (place / "few.dict").write_text("w0 W AH\nw1 W AH N\n")
    archive = Archive.create(place / "archive", Settings(kinds={"word": "words", "character": "characters"}),
                             place / "few.dict")  # fmt: skip
    archive.recordings.add(place / "audio", [Loudness()])
    archive.lattices.add([(f"d{i}", random_lattice(np.random.default_rng(i), 5, 9, 5)) for i in range(8)])
    for query in range(3):
        key = archive.judgments.store.query(f"w{query} w{query + 1}")
        archive.judgments.store.add_all([(key, f"d{d}", float((d + query) % 2)) for d in range(8)])
    archive.weights.learn(ranker="single", folds=2, keep=True)
    archive.weights.learn(ranker="adarank", folds=2, keep=True)


# -- where names are stored: each function puts a name there, with checksums that are right


def _sealed(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    content = json.loads(path.read_bytes().partition(b"\n")[2])
    change(content)
    path.write_bytes(sealed(json.dumps(content)))


def _manifest(change: Callable[[dict[str, Any], str], None]) -> Callable[[Path, str], None]:
    return lambda archive, name: _sealed(archive / "manifest.json", lambda content: change(content, name))


def _named_file(content: dict[str, Any], name: str) -> None:
    content["files"][name] = zlib.crc32(b"")


def _dictionary(content: dict[str, Any], name: str) -> None:
    content["settings"]["dictionary"] = name


def _listed_dictionary(content: dict[str, Any], name: str) -> None:
    _dictionary(content, name)
    _named_file(content, name)


def _kind(content: dict[str, Any], name: str) -> None:
    content["settings"]["kinds"]["character"] = name


def _part_name(content: dict[str, Any], name: str) -> None:
    content["parts"][0]["file"] = name


def _weights(member: str) -> Callable[[Path, str], None]:
    def change(archive: Path, name: str) -> None:
        _sealed(archive / "weights" / "current.json",
                lambda content: content.update({member: [name] if member == "history" else name}))  # fmt: skip

    return change


def _journal(change: Callable[[dict[str, Any], str], None]) -> Callable[[Path, str], None]:
    def apply(archive: Path, name: str) -> None:
        path = archive / "recognised" / "recognised.jsonl"
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        for line in lines:
            if line["recording"] == "tape-1":
                change(line, name)
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    return apply


def _segment(line: dict[str, Any], name: str) -> None:
    line["segments"] = [{"file": name, "start": 0.0}]


def _member(member: str) -> Callable[[dict[str, Any], str], None]:
    return lambda line, name: line.update({member: name})


def _table(column: int) -> Callable[[Path, str], None]:
    def change(archive: Path, name: str) -> None:
        path = archive / "recognised" / "recordings.tsv"
        rows = [line.split("\t") for line in path.read_text().splitlines()]
        rows[1][column] = name
        path.write_text("".join("\t".join(row) + "\n" for row in rows), errors="replace")

    return change


def _text_of_part(column: str) -> Callable[[Path, str], None]:
    """Make all texts of a column of the first part this name; the other arrays move."""

    def change(archive: Path, name: str) -> None:
        manifest = json.loads((archive / "manifest.json").read_bytes().partition(b"\n")[2])
        entry = manifest["parts"][0]
        data = (archive / entry["file"]).read_bytes()
        at, length = (int(x) for x in np.frombuffer(data[-16:], "<u8"))
        header = json.loads(data[at : at + length])
        arrays = {n: np.frombuffer(data, kind, size, begin) for n, (kind, begin, size) in header["arrays"].items()}
        text, rows = name.encode("utf-8", "surrogatepass"), len(arrays[f"{column}.ptr"]) - 1
        arrays[f"{column}.ptr"] = np.arange(rows + 1, dtype="<i8") * len(text)
        arrays[f"{column}.text"] = np.frombuffer(text * rows, "|u1")
        body, places = bytearray(data[:8]), {}
        for n, array in arrays.items():
            body += bytes(-len(body) % 64)
            places[n] = (array.dtype.str, len(body), len(array))
            body += array.tobytes()
        crcs = [zlib.crc32(body[i : i + 65536]) for i in range(0, len(body), 65536)]
        footer = json.dumps({**header, "arrays": places, "crcs": crcs}).encode()
        footer += np.array([len(body), len(footer)], "<u8").tobytes()
        (archive / entry["file"]).write_bytes(bytes(body) + footer)
        entry["size"], entry["crc"] = len(body) + len(footer), zlib.crc32(footer)
        (archive / "manifest.json").write_bytes(sealed(json.dumps(manifest)))

    return change


def _document_of_judgments(archive: Path, name: str) -> None:
    import sqlite3

    db = sqlite3.connect(archive / "store.sqlite", isolation_level=None)
    db.execute("UPDATE recording SET name = ? WHERE name = 'd1'", (name.encode("utf-8", "replace").decode(),))
    db.close()


def _super_journal(archive: Path, name: str) -> None:
    """A journal of SQLite that names another file: SQLite deletes that file when it has rolled back."""
    page = (archive / "store.sqlite").read_bytes()
    text = name.encode("utf-8", "replace")
    magic = bytes.fromhex("d9d505f920a163d7")
    header = magic + b"".join(n.to_bytes(4, "big") for n in (0, 0, len(page) // 4096, 512, 4096))
    tail = (sum(b if b < 128 else b - 256 for b in text) & 0xFFFFFFFF).to_bytes(4, "big")
    body = header.ljust(512, b"\0") + (0x40000000 // 4096 + 1).to_bytes(4, "big") + text
    (archive / "store.sqlite-journal").write_bytes(body + len(text).to_bytes(4, "big") + tail + magic)


PLACES: dict[str, Callable[[Path, str], None]] = {
    "manifest: file of a part": _manifest(_part_name),
    "manifest: other file": _manifest(_named_file),
    "settings: dictionary": _manifest(_dictionary),
    "settings: dictionary that the manifest lists": _manifest(_listed_dictionary),
    "settings: kind of units": _manifest(_kind),
    "weights: current": _weights("current"),
    "weights: history": _weights("history"),
    "journal: lattice": _journal(_segment),
    "journal: recording": _journal(_member("recording")),
    "journal: ending": _journal(_member("ending")),
    "journal: audio": _journal(_member("audio")),
    "table: utterance": _table(0),
    "table: document": _table(1),
    "table: audio": _table(2),
    "part: audio": _text_of_part("utt.audio"),
    "part: document": _text_of_part("doc.name"),
    "part: utterance": _text_of_part("utt.name"),
    "judgments: document": _document_of_judgments,
    "judgments: journal of several databases": _super_journal,
}


def names(place: Path) -> dict[str, str]:
    """Hostile names, by what they are."""
    victim = str(place / "victims" / "victim.txt")
    return {
        "above": "../victims/victim.txt", "two above": "../../victims/victim.txt", "absolute": victim,
        "through a folder": "deep/../../victims/victim.txt", "pipe": "../victims/pipe",
        "absolute pipe": str(place / "victims" / "pipe"), "drive": "C:\\victim.txt",
        "backslash": "..\\victims\\victim.txt", "empty": "", "dot": ".", "above itself": "..",
        "device": "/dev/zero", "NUL": "a\0b", "home": "~/victim.txt",
        "long": "a/" * 3000 + "b", "surrogate": "\ud800", "recording outside": str(place / OUTSIDE),
        "escape": "\x1b[31mred", "link": "leads-out/victim.txt", "glob": "../victims/*", "plain": "nowhere.txt",
    }  # fmt: skip


# -- links, pipes and folders in place of the archive's own files

OWN = (
    "manifest.json", "lock", "store.sqlite", "store.sqlite-journal", "store.sqlite-wal", "dictionary.txt",
    "weights/current.json", "weights/lock", "cache/lock", "recognised/lock", "recognised/recognised.jsonl",
    "recognised/recordings.tsv", "recognised/tape-1.nbest", "manifest.json.new", "weights/current.json.new", "*.part",
    "cache/*.arrow", "weights/[0-9a-f]*.json",
)  # fmt: skip
OWN_FOLDERS = ("weights", "cache", "recognised")


def _instead(own: str, what: str) -> Callable[[Path, str], None]:
    """Put a link, a pipe or a folder where a file or folder of the archive stands."""

    def change(archive: Path, _: str) -> None:
        victims = archive.parent / "victims"
        for path in list(archive.glob(own)) or [archive / own.replace("*", "x")]:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
            if what == "link":
                path.symlink_to(victims / "deep" if own in OWN_FOLDERS else victims / "victim.txt")
            elif what == "dangling link":
                path.symlink_to(victims / "new.txt")
            elif what == "pipe":
                os.mkfifo(path)
            else:
                path.mkdir()

    return change


INSTEAD = {
    f"{what} instead of {own}": _instead(own, what)
    for what, own in product(("link", "dangling link", "pipe", "folder"), (*OWN, *OWN_FOLDERS))
}


# -- commands


def _command(*arguments: str) -> Callable[[Path], str]:
    def run(archive: Path) -> str:
        done = CliRunner().invoke(app, ["spoken", arguments[0], str(archive), *arguments[1:]])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.output

    return run


def _add(archive: Path) -> str:
    return str(Archive(archive).recordings.add(archive.parent / "audio", [Loudness()]))


def _add_anew(archive: Path) -> str:
    recogniser = Loudness()
    recogniser.rate = 8000  # other settings: everything is recognised again, and old lattices are removed
    return str(Archive(archive).recordings.add(archive.parent / "audio", [recogniser]))


def _play(archive: Path) -> str:
    out = archive.parent / "played.wav"
    text = _command("play", "tape-1@0.01-0.05", "-o", str(out))(archive)
    if OUTSIDE in text:
        raise AssertionError(f"a recording outside the roots was played: {text}")
    return text


COMMANDS: dict[str, Callable[[Path], str]] = {
    "search": _command("search", "loud1 w0 w1"), "check": _command("check"), "subtitles": _command("subtitles", "d0"),
    "play": _play, "weights": _command("weights"), "weights --use": _command("weights", "--use", "uniform"),
    "learn": _command("learn", "--ranker", "single", "--folds", "2", "--keep"), "judgments": _command("judgments"),
    "delete": _command("delete", "tape-1", "--yes"), "delete another": _command("delete", "d0", "--yes"),
    "merge": _command("merge"),
    "add": _add, "add with other settings": _add_anew,
}  # fmt: skip


class Attack(NamedTuple):
    """A name in a place, and the command that meets it."""

    place: str
    name: str
    command: str


def attacks(place: Path) -> list[Attack]:
    """All of them."""
    stored = [Attack(p, n, c) for p, n, c in product(PLACES, names(place), COMMANDS)]
    return stored + [Attack(p, "-", c) for p, c in product(INSTEAD, COMMANDS)]


def _alarm(*_: Any) -> None:
    raise TimeoutError("the command waits for ever")


def one(place: Path, attack: Attack) -> str:
    """What came of it: "done", "refused", or what is wrong."""
    archive, victims = place / "archive", Victims(place / "victims")
    shutil.rmtree(archive, ignore_errors=True)
    shutil.copytree(place / "template", archive)
    (archive / "leads-out").symlink_to(place / "victims")
    {**PLACES, **INSTEAD}[attack.place](archive, names(place).get(attack.name, ""))
    signal.signal(signal.SIGALRM, _alarm)
    signal.alarm(SECONDS)
    try:
        said, outcome = COMMANDS[attack.command](archive), "done"
    except (InputError, FileNotFoundError) as error:
        said, outcome = str(error), "refused"
    except Exception as error:
        said, outcome = str(error), f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
    if SECRET in said:
        outcome = f"the content of a victim is shown: {said}"
    try:
        victims.check()
    except AssertionError as error:
        outcome = str(error)
    return outcome


def run(count: int | None, seed: int, report: Callable[[str], None] = print) -> int:
    """Run attacks and print what came of them; how many were successful."""
    import soundfile

    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="rankine-names-") as folder:
        place = Path(folder).resolve()
        before, os.environ["RANKINE_SETTINGS"] = os.environ.get("RANKINE_SETTINGS"), str(place / "settings.json")
        build(place)
        shutil.copytree(place / "archive", place / "template")
        soundfile.write(place / OUTSIDE, np.full(2000, 0.5), 16000)
        Victims(place / "victims")
        todo = attacks(place)
        if count is not None:
            todo = random.Random(seed).sample(todo, min(count, len(todo)))
        failed = 0
        for attack in todo:
            outcome = one(place, attack)
            wrong = outcome not in ("done", "refused")
            failed += wrong
            outcomes["FAILED" if wrong else outcome] += 1
            if wrong:
                report(f"FAILED {attack}: {outcome}")
                shutil.rmtree(place / "victims")
                Victims(place / "victims")
        if before is not None:
            os.environ["RANKINE_SETTINGS"] = before
    report(f"{len(todo)} hostile names (seed {seed}): " + ", ".join(f"{n} {o}" for o, n in sorted(outcomes.items())))
    return failed


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m attacks.names", description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, help="so many of them; default: all")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    return 1 if run(options.count, options.seed, lambda line: print(line, flush=True)) else 0


if __name__ == "__main__":
    sys.exit(main())
