"""The recordings to be recognised, and the journal of a folder of lattices.

The journal (``recognised.jsonl``) has two lines for each recording, begun and done, each with a fingerprint of the
audio and of the recogniser's settings. A recording that is done with the same fingerprint is skipped; one that was
only begun goes on with the segments that have no file yet. ``recordings.tsv`` is the table for indexing: it gives the
recording of each utterance, and where the utterance begins in it.

The lattice of a short recording is called like it; those of a long one have ``@00001`` and so on behind its name.
"""

from __future__ import annotations

import csv
import glob
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ... import files
from ...errors import InputError
from ...journal import Journal
from ..text import AUDIO, DOCUMENT, OFFSET, UTTERANCE, stem
from .audio import ENDINGS

JOURNAL, TABLE = "recognised.jsonl", "recordings.tsv"
TABLE_COLUMNS = (UTTERANCE, DOCUMENT, AUDIO, OFFSET)
_OTHER_AUDIO = (".m4a", ".aac", ".mp4", ".wma", ".amr", ".3gp", ".webm", ".mkv", ".mov")
_LONGEST_NAME = 200  # bytes of a file name, so that temporary ones fit in too


class Recording(NamedTuple):
    """A recording and the name of its document: its path below the folder it was searched in, without the ending."""

    name: str
    path: Path


class Recordings(NamedTuple):
    """Recordings, and notes on files that are not read."""

    recordings: list[Recording]
    notes: list[str]


def find(sources: Sequence[str | os.PathLike]) -> Recordings:
    """The audio files among and below these, in order, without hidden ones. Two of the same name keep their endings."""
    paths: list[tuple[Path, Path]] = []  # below the folder, and in full
    notes: list[str] = []
    for source in map(Path, sources):
        if not source.exists():
            raise FileNotFoundError(2, "there is no such file or folder", str(source))
        if not source.is_dir():
            paths.append((Path(source.name), source))
            continue
        audio, other = _audio_below(source)
        if other:
            notes.append(f"{len(other)} files such as {other[0]} cannot be read: convert them to wav or flac")
        if not audio:
            raise InputError(f"no audio files ({' '.join(ENDINGS)}) in this folder", str(source))
        paths += audio
    return Recordings(_named(paths), notes)


def _audio_below(folder: Path) -> tuple[list[tuple[Path, Path]], list[Path]]:
    """The audio files below a folder, by their paths below it and in full, and those of formats that are not read."""
    below = [(p.relative_to(folder), p) for p in sorted(folder.rglob("*"))]
    shown = [(r, p) for r, p in below if not any(part.startswith(".") for part in r.parts) and p.is_file()]
    audio = [(r, p) for r, p in shown if p.suffix.lower() in ENDINGS]
    return audio, [p for _, p in shown if p.suffix.lower() in _OTHER_AUDIO]


def _named(paths: Sequence[tuple[Path, Path]]) -> list[Recording]:
    """Recordings with their names; one that is listed twice is taken once."""
    short = Counter(relative.with_suffix("").as_posix() for relative, _ in set(paths))
    named: dict[str, Path] = {}
    for relative, path in paths:
        name = relative.with_suffix("").as_posix()
        own = name if short[name] == 1 else relative.as_posix()
        if own not in named:
            named[own] = path
        elif named[own].resolve() != path.resolve():
            raise InputError(f"two recordings are called {own!r}: {named[own]} and {path}; give the folder above them")
    return [Recording(name, path) for name, path in named.items()]


def name_problem(name: str) -> str | None:
    """Why a recording's name cannot be used as a file name and in a table; None if it can."""
    try:
        size = max(len(part.encode()) for part in name.split("/"))
    except UnicodeEncodeError:
        return "its name is not UTF-8"
    if any(not c.isprintable() for c in name):
        return "its name has a tab, a line break or another control character"
    if any(part != part.strip() for part in name.split("/")):
        return "its name begins or ends with a blank"
    if size > _LONGEST_NAME:
        return f"its name is too long, {size} bytes (at most {_LONGEST_NAME})"
    if re.search(r"@\d{5}$", name):
        return "names that end in @ and five digits are for segments"
    return None


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder of lattices, which is made if it does not exist; raise if another process recognises into it."""
    folder.mkdir(parents=True, exist_ok=True)
    with files.locked(folder, "another process is recognising into this folder"):
        yield


class RecordingJournal:
    """The recordings that are begun and done in a folder of lattices, with the recogniser's ``settings``."""

    def __init__(self, folder: Path, settings: str = "") -> None:
        self.folder, self.settings = folder, settings
        self.journal = Journal(folder / JOURNAL)
        self.lines = {entry["recording"]: entry for entry in self.journal.entries if "recording" in entry}
        self.prints: dict[str, str] = {}

    def renamed(self, recording: Recording) -> Recording:
        """The recording under the name that it has in the journal already, if it has one."""
        audio = str(recording.path.resolve())
        name = next((n for n, line in self.lines.items() if line.get("audio") == audio and "gone" not in line), None)
        return recording if name is None else recording._replace(name=name)

    def print_of(self, recording: Recording) -> str:
        """A fingerprint of the audio and of how it is recognised."""
        if recording.name not in self.prints:
            self.prints[recording.name] = files.fingerprint_of_file(recording.path, self.settings)
        return self.prints[recording.name]

    def is_done(self, recording: Recording) -> bool:
        """Whether this audio has been recognised with these settings, and the lattices are still there."""
        line = self.lines.get(recording.name)
        if line is None or line.get("segments") is None or line["print"] != self.print_of(recording):
            return False
        if not all(_there(self.folder / s["file"]) for s in line["segments"]):
            return False
        if line["audio"] != str(recording.path.resolve()):
            self._write({**line, "audio": str(recording.path.resolve())})  # it has moved
        return True

    def check_name(self, recording: Recording) -> None:
        """Raise if another recording that still exists has this name."""
        line = self.lines.get(recording.name)
        audio = None if line is None else line.get("audio")
        if line is None or audio is None or "gone" in line or audio == str(recording.path.resolve()):
            return
        if Path(audio).exists():
            raise InputError(
                f"another recording, {audio}, is called {recording.name!r} here: give the folder above both",
                str(recording.path),
            )

    def begin(self, recording: Recording, ending: str) -> None:
        """Note that a recording is begun; lattices made from other audio or with other settings are removed."""
        line, mark = self.lines.get(recording.name), self.print_of(recording)
        if line is not None and line["print"] == mark and line.get("segments") is None and "gone" not in line:
            return
        self._remove(recording.name, ending)
        audio = str(recording.path.resolve())
        self._write({"recording": recording.name, "print": mark, "audio": audio, "ending": ending})

    def done(self, recording: Recording, lattices: list[tuple[Path, float]]) -> None:
        """Note that a recording has been recognised: the files of its segments, and where they begin in seconds."""
        segments = [{"file": p.relative_to(self.folder).as_posix(), "start": round(start, 3)} for p, start in lattices]
        line = self.lines[recording.name]
        self._write({**line, "segments": segments, "audio": str(recording.path.resolve())})

    def forget(self, name: str) -> None:
        """Remove the lattices of a recording; it is recognised anew if it is given again by itself."""
        if name in self.lines:
            self._remove(name, self.lines[name].get("ending", ""))
            self._write({"recording": name, "print": "", "gone": True, "audio": self.lines[name].get("audio")})

    @property
    def deleted(self) -> list[str]:
        """The paths of recordings that were deleted."""
        return [line["audio"] for line in self.lines.values() if "gone" in line and line.get("audio")]

    def drop_segments(self, recording: Recording) -> None:
        """Remove the lattices of a recording that could not be read to its end."""
        self._remove(recording.name, self.lines.get(recording.name, {}).get("ending", ""))

    def _remove(self, name: str, ending: str) -> None:
        line = self.lines.get(name, {})
        paths = {self.folder / s["file"] for s in line.get("segments") or ()}
        for end in {ending, line.get("ending", ending)} - {""}:
            paths.add(self.folder / f"{name}{end}")
            paths.update(
                map(Path, glob.glob(glob.escape(str(self.folder / name)) + f"@[0-9][0-9][0-9][0-9][0-9]{end}"))
            )
        for path in paths:
            path.unlink(missing_ok=True)

    def _write(self, line: dict[str, Any]) -> None:
        self.lines[line["recording"]] = line
        self.journal.add(line)

    @property
    def silent(self) -> list[str]:
        """Recordings in which nothing was understood."""
        return [name for name, line in self.lines.items() if line.get("segments") == []]

    def write_table(self) -> None:
        """Write the table for indexing, of all recordings that are done."""
        with (
            files.replacing(self.folder / TABLE) as temporary,
            open(temporary, "w", encoding="utf-8", newline="") as file,
        ):
            out = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None, lineterminator="\n")
            out.writerow(TABLE_COLUMNS)
            for name, line in self.lines.items():
                for segment in line.get("segments") or ():
                    path = Path(segment["file"])
                    utterance = path.with_name(stem(path)).as_posix()
                    out.writerow((utterance, name, line["audio"], f"{segment['start']:.3f}"))


def _there(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False
