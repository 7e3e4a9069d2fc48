"""The recordings to be recognised, and the journal of a folder of lattices.

The journal (``recognised.jsonl``) has two lines for each recording, begun and done, each with a fingerprint of the
audio and of the recogniser's settings. A recording that is done with the same fingerprint is skipped; one that was
only begun goes on with the segments that have no file yet. ``recordings.tsv`` is the table for indexing: it gives the
recording of each utterance, and where the utterance begins in it.

The lattice of a short recording is called like it; those of a long one have ``@00001`` and so on behind its name.
"""

from __future__ import annotations

import csv
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypedDict

from ... import files
from ...console import counted
from ...errors import InputError, is_utf8, shorten
from ...journal import Journal
from ...places import check_name, inside, is_inside, plain_files
from ...records import Finite
from ..text import AUDIO, DOCUMENT, OFFSET, RECOGNISED, RECORDINGS, UTTERANCE, stem
from .audio import ENDINGS

JOURNAL, TABLE = RECOGNISED, RECORDINGS
TABLE_COLUMNS = (UTTERANCE, DOCUMENT, AUDIO, OFFSET)
_OTHER_AUDIO = (".m4a", ".aac", ".mp4", ".wma", ".amr", ".3gp", ".webm", ".mkv", ".mov")
_LONGEST_NAME = 200  # bytes of a file name, so that temporary ones fit in too
_ENDING = re.compile(r"(\.[A-Za-z0-9_-]+)+")


class _Segment(TypedDict):
    file: str
    start: Finite


class _Line(TypedDict):
    """A line of the journal: a recording is begun, or done (it has segments), or was deleted (it is gone)."""

    recording: str
    print: str
    audio: NotRequired[str | None]
    ending: NotRequired[str]
    segments: NotRequired[list[_Segment] | None]
    gone: NotRequired[bool]


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
            notes.append(f"{counted(len(other), 'file')} such as {other[0]} cannot be read: convert to wav or flac")
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
    if "\\" in name or re.match("[A-Za-z]:", name) or re.search("/[A-Za-z]:", name):
        return "its name has a backslash, or begins like that of a drive"
    if any(part != part.strip() for part in name.split("/")):
        return "its name begins or ends with a blank"
    if size > _LONGEST_NAME:
        return f"its name is too long, {size} bytes (at most {_LONGEST_NAME})"
    if re.search(r"@\d{5}$", name):
        return "names that end in @ and five digits are for segments"
    return None


def path_problem(path: Path) -> str | None:
    """Why the full path of a recording cannot stand in a table; None if it can."""
    full = str(path.resolve())
    if not is_utf8(full):
        return "the name of a folder above it is not UTF-8"
    if any(ord(c) < 32 for c in full):
        return "the name of a folder above it has a tab, a line break or another control character"
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
        self.journal = Journal(inside(folder, JOURNAL), schema=_Line)
        self.lines = {entry["recording"]: entry for entry in self.journal.entries}
        for line in self.lines.values():
            _check_line(line, partial(_place, self.journal.path, line))
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
        if not all(_there(inside(self.folder, s["file"])) for s in line["segments"]):
            return False
        if line.get("audio") != str(recording.path.resolve()):
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

    def forget(self, names: Collection[str]) -> None:
        """Remove the lattices of recordings; they are recognised anew if they are given again by themselves."""
        names = [name for name in names if name in self.lines]
        for path in [p for name in names for p in self._lattices(name, self.lines[name].get("ending", ""))]:
            path.unlink(missing_ok=True)
        for name in names:
            self._write({"recording": name, "print": "", "gone": True, "audio": self.lines[name].get("audio")})

    @property
    def deleted(self) -> list[str]:
        """The paths of recordings that were deleted."""
        return [line["audio"] for line in self.lines.values() if "gone" in line and line.get("audio")]

    def drop_segments(self, recording: Recording) -> None:
        """Remove the lattices of a recording that could not be read to its end."""
        self._remove(recording.name, self.lines.get(recording.name, {}).get("ending", ""))

    def _remove(self, name: str, ending: str) -> None:
        for path in self._lattices(name, ending):
            path.unlink(missing_ok=True)

    def _lattices(self, name: str, ending: str) -> set[Path]:
        """The files that may have been made of a recording; raise InputError if one of them is not in the folder."""
        line = self.lines.get(name, {})
        paths = {inside(self.folder, s["file"]) for s in line.get("segments") or ()}
        for end in {ending, line.get("ending", ending)} - {""}:
            whole = inside(self.folder, f"{name}{end}")
            segments = re.compile(re.escape(Path(name).name) + r"@\d{5}" + re.escape(end))
            paths |= {whole, *(p for p in plain_files(whole.parent) if segments.fullmatch(p.name))}
        return paths

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
            files.replacing(inside(self.folder, TABLE)) as temporary,
            open(temporary, "w", encoding="utf-8", newline="") as file,
        ):
            out = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None, lineterminator="\n")
            out.writerow(TABLE_COLUMNS)
            for name, line in self.lines.items():
                for segment in line.get("segments") or ():
                    path = Path(segment["file"])
                    utterance = path.with_name(stem(path)).as_posix()
                    out.writerow((utterance, name, line.get("audio") or "", f"{segment['start']:.3f}"))


def _check_line(line: dict[str, Any], place: Callable[[], str]) -> None:
    """Raise InputError unless the files that a line of a journal names are those of its recording, in its folder."""
    name, ending, audio = line["recording"], line.get("ending") or "", line.get("audio") or ""
    files_of_line = [segment["file"] for segment in line.get("segments") or ()]
    for stored in (name, *files_of_line):
        if not is_inside(stored):
            check_name(stored, place())
    if ending and not _ENDING.fullmatch(ending):
        raise InputError(f"expected an ending such as .slf.gz, got {shorten(ending)}", place())
    for file in files_of_line:
        rest = re.sub(r"^@\d{5}", "", file.removeprefix(name))
        if not file.startswith(name) or not _ENDING.fullmatch(rest) or ending not in ("", rest):
            raise InputError(f"expected the lattice of {shorten(name)}, got {shorten(file)}", place())
    if not is_utf8(audio) or any(ord(c) < 32 for c in audio):
        raise InputError(f"expected the path of a recording, got {shorten(audio)}", place())


def _place(path: Path, entry: dict[str, Any]) -> str:
    """The file and the line of an entry of a journal, for an error."""
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        with suppress(ValueError, RecursionError):
            content = json.loads(line)
            if isinstance(content, dict) and all(content.get(k) == v for k, v in entry.items()):
                return f"{path}, line {number}"
    return str(path)


def _there(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False
