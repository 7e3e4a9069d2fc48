"""Which recordings there are, and what has become of them: the journal of a folder of lattices.

The journal (``recognised.jsonl``) has two lines for each recording, begun and done, each with a fingerprint of the
audio and of the recogniser's settings. A recording that is done with the same fingerprint is passed over; one that was
only begun goes on with the segments that have no file yet. ``recordings.tsv`` is the table that indexing wants: which
utterance belongs to which recording, and where it begins.

The lattice of a short recording is called like it; those of a long one have ``@00001`` and so on behind its name.
"""

from __future__ import annotations

import csv
import fcntl
import glob
import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError
from ...files import replacing
from ..lattice.formats.common import stem
from .audio import ENDINGS

JOURNAL, TABLE = "recognised.jsonl", "recordings.tsv"
TABLE_COLUMNS = ("utterance", "document", "audio", "offset")
_OTHER_AUDIO = (".m4a", ".aac", ".mp4", ".wma", ".amr", ".3gp", ".webm", ".mkv", ".mov")
_LONGEST_NAME = 200  # bytes of a file name, so that temporary ones fit in too


class Recording(NamedTuple):
    """A recording and what its document is called: its path below the folder given, without the ending."""

    name: str
    path: Path


class Found(NamedTuple):
    """Recordings, and what was passed over."""

    recordings: list[Recording]
    notes: list[str]


def find(sources: Sequence[str | os.PathLike]) -> Found:
    """The audio files among and below these, in order, without hidden ones. Two of the same name keep their endings."""
    found: list[tuple[Path, Path]] = []
    notes: list[str] = []
    for source in map(Path, sources):
        if not source.exists():
            raise FileNotFoundError(2, "there is no such file or folder", str(source))
        if not source.is_dir():
            found.append((Path(source.name), source))
            continue
        below = [(p.relative_to(source), p) for p in sorted(source.rglob("*"))]
        shown = [(r, p) for r, p in below if not any(part.startswith(".") for part in r.parts) and p.is_file()]
        mine = [(r, p) for r, p in shown if p.suffix.lower() in ENDINGS]
        strange = [p for _, p in shown if p.suffix.lower() in _OTHER_AUDIO]
        if strange:
            notes.append(f"{len(strange)} files such as {strange[0]} cannot be read: convert them to wav or flac")
        if not mine:
            raise InputError(f"no audio files ({' '.join(ENDINGS)}) in this folder", str(source))
        found += mine
    short = Counter(relative.with_suffix("").as_posix() for relative, _ in set(found))
    named: dict[str, Path] = {}
    for relative, path in found:
        name = relative.with_suffix("").as_posix()
        own = name if short[name] == 1 else relative.as_posix()
        if own in named:
            if named[own].resolve() == path.resolve():
                continue
            raise InputError(f"two recordings are called {own!r}: {named[own]} and {path}; give the folder above them")
        named[own] = path
    return Found([Recording(name, path) for name, path in named.items()], notes)


def unusable(name: str) -> str | None:
    """What is wrong with a recording's name, if anything is: it becomes a file name, and stands in a table."""
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
    """Be the only process that recognises into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError("another process is recognising into this folder", str(folder)) from None
        yield


class Journal:
    """What has been begun and done in a folder of lattices."""

    def __init__(self, folder: Path, settings: str = "") -> None:
        self.folder, self.settings = folder, settings
        self.path = folder / JOURNAL
        self.lines: dict[str, dict[str, Any]] = {}
        self.prints: dict[str, str] = {}
        self.whole = True  # the last line ends
        if self.path.exists():
            text = self.path.read_text(encoding="utf-8")
            self.whole = text.endswith("\n") or not text
            for line in text.split("\n"):
                try:
                    content = json.loads(line)
                    self.lines[content["recording"]] = content
                except (ValueError, KeyError, TypeError):
                    continue  # the last line of a run that was killed

    def known_as(self, recording: Recording) -> Recording:
        """The recording under the name that it has here already."""
        audio = str(recording.path.resolve())
        known = next((n for n, line in self.lines.items() if line.get("audio") == audio and "gone" not in line), None)
        return recording if known is None else recording._replace(name=known)

    def print_of(self, recording: Recording) -> str:
        """A fingerprint of the audio and of how it is recognised."""
        if recording.name not in self.prints:
            digest = hashlib.blake2b(self.settings.encode(), digest_size=16)
            with open(recording.path, "rb") as file:
                for part in iter(lambda: file.read(1 << 20), b""):
                    digest.update(part)
            self.prints[recording.name] = digest.hexdigest()
        return self.prints[recording.name]

    def is_done(self, recording: Recording) -> bool:
        """Whether this very audio has been recognised with these settings, and the lattices are still there."""
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
        """Forget lattices that were made from other audio or with other settings."""
        line, mark = self.lines.get(recording.name), self.print_of(recording)
        if line is not None and line["print"] == mark and line.get("segments") is None and "gone" not in line:
            return
        self._remove(recording.name, ending)
        audio = str(recording.path.resolve())
        self._write({"recording": recording.name, "print": mark, "audio": audio, "ending": ending})

    def done(self, recording: Recording, found: list[tuple[Path, float]]) -> None:
        """All segments of a recording have been recognised."""
        made = [{"file": p.relative_to(self.folder).as_posix(), "start": round(start, 3)} for p, start in found]
        line = self.lines[recording.name]
        self._write({**line, "segments": made, "audio": str(recording.path.resolve())})

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
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(("" if self.whole else "\n") + json.dumps(line) + "\n")
        self.whole = True

    @property
    def silent(self) -> list[str]:
        """Recordings in which nothing was understood."""
        return [name for name, line in self.lines.items() if line.get("segments") == []]

    def write_table(self) -> None:
        """The table that indexing wants, of everything that is done."""
        with replacing(self.folder / TABLE) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
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
