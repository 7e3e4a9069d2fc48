"""The journal of a folder of lattices: which recordings were heard, where they are, and what they sound like.

The journal (``recognised.jsonl``) has lines of recordings; of several with one name the last counts. A recording is
begun, then done (it has segments). It is known by its content: a fingerprint of its samples and one of its file, so
that it keeps its lattices when it is renamed, moved or tagged anew. Its size and time of change tell without reading
that nothing has changed. A recording that was deleted is gone; its lattices are kept for some days. The path of its
audio file is stored relative to a named root, where it lies below one; whoever hears recordings has it in full.

The lattices of a recording are called by its *stem*, the name it had when it was first heard. The lattice of a short
recording is called like that; those of a long one have ``@00001`` and so on behind it.

``recordings.tsv`` is the table for indexing: it gives the recording of each utterance, and where it begins in it.
"""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypedDict

from ...errors import InputError, is_utf8, shorten, writing_to
from ...system import files
from ...system.files import check_folder_of
from ...system.paths import check_name, inside, is_inside, plain_files
from ...system.records import Count, Finite, checked, parsed
from ...system.sources import read_whole
from ...system.temporary import unlink_copies
from ..text import AUDIO, OFFSET, RECOGNISED, RECORDING, RECORDINGS, UTTERANCE, stem
from .audio.cutting import VERSION
from .recordings import Recording
from .roots import NO_ROOTS, NamedRoots


class Journal:
    """The entries of a journal, in the order in which they were added.

    Args:
        path: the file; it is made with the first entry.
        key: what the entries depend on. A journal that was begun with another key is emptied. None: no key is kept.
        schema: of the entries, see :mod:`rankine.system.records`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Journal(Path(folder, "jobs.jsonl")).add({"job": 1})
    ...     Journal(Path(folder, "jobs.jsonl")).entries
    [{'job': 1}]
    """

    def __init__(self, path: str | os.PathLike, key: str | None = None, schema: type = dict[str, Any]) -> None:
        self.path, self.key, self.schema = Path(path), key, schema
        check_folder_of(self.path)
        self.entries: list[dict[str, Any]] = []
        self._complete = True  # the last line ends with a line break
        if self.path.exists():
            self.entries = list(self._read())
        if key is not None and self.entries[:1] != [{"key": key}]:
            self.path.unlink(missing_ok=True)
            self.entries, self._complete = [], True
            self.add({"key": key})
        if key is not None:
            del self.entries[0]

    def _read(self) -> Iterator[dict[str, Any]]:
        data = read_whole(self.path)
        self._complete = data.endswith(b"\n") or not data
        lines = data.split(b"\n")
        for number, line in enumerate(lines, 1):
            text = line.strip(b"\0 \r")  # a machine that stopped may leave zeros
            if text and not (number == len(lines) and _is_cut(text)) and not _is_cut(text, begun=True):
                where, what = f"{self.path}, line {number}", "an entry of a journal"
                yield checked(parsed(text, what, where, infinite=True), self.schema, what, where)

    def add(self, entry: dict[str, Any]) -> None:
        """Append an entry."""
        self.add_all([entry])

    def add_all(self, entries: list[dict[str, Any]]) -> None:
        """Append several entries at once."""
        if not entries:
            return
        lines = "".join(json.dumps(entry) + "\n" for entry in entries)
        unlink_copies(self.path)
        with writing_to(self.path), open(self.path, "a", encoding="utf-8", newline="\n") as file:
            file.write(("" if self._complete else "\n") + lines)
        self._complete = True
        self.entries += entries

    def remove(self) -> None:
        """Delete the file: the work is done."""
        self.path.unlink(missing_ok=True)


def _is_cut(text: bytes, begun: bool = False) -> bool:
    """Whether this is the beginning of an entry, or (unless ``begun``) what can stand at the end of a file instead."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        missing = error.pos >= len(error.doc) - 10 or error.msg.startswith("Unterminated string")
        return not begun or (text.startswith(b"{") and missing)
    except (ValueError, RecursionError):
        return not begun
    return False


# -- The journal of a folder of lattices: which recordings were heard, where they are, and what they sound like


JOURNAL, TABLE = RECOGNISED, RECORDINGS
TABLE_COLUMNS = (UTTERANCE, RECORDING, AUDIO, OFFSET)
DAYS = 30  # that the lattices of deleted recordings are kept
OWN_ENDING = ".slf.gz"  # of lattices that are not as the recogniser wrote them: trimmed ones, and those without words
_ENDING = re.compile(r"(\.[A-Za-z0-9_-]+)+")


class _Segment(TypedDict):
    file: str
    start: Finite
    content: NotRequired[str]


class _Line(TypedDict):
    """A line of the journal.

    A recording is begun, or done (it has segments), or was deleted (it is gone), or is a copy (same_as). A line with
    the stem of another recording renames that. A deleted recording whose name another one has taken has another name
    here; ``was`` is the one that it had.
    ``cuts`` is the version of the cuts, 1 where none is given: what is begun goes on only with the same cuts.
    ``language`` is what a recogniser told of the recording, where it can and nobody has said it.
    """

    recording: str
    print: str
    size: Count
    time: Count
    file: str
    samples: str
    audio: NotRequired[str | None]
    ending: NotRequired[str]
    segments: NotRequired[list[_Segment] | None]
    gone: NotRequired[bool]
    kept: NotRequired[list[_Segment]]
    when: NotRequired[str]
    stem: NotRequired[str]
    same_as: NotRequired[str]
    was: NotRequired[str]
    cuts: NotRequired[Count]
    language: NotRequired[str]


class AudioContent(NamedTuple):
    """What is known of an audio file: its size and time of change, and fingerprints of its bytes and samples."""

    size: int
    time: int
    file: str
    samples: str


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder of lattices, which is made if it does not exist; raise if another process recognises into it."""
    folder.mkdir(parents=True, exist_ok=True)
    with files.locked(folder, "another process is recognising into this folder"):
        yield


class RecordingJournal:
    """The recordings of a folder of lattices, with the recogniser's ``settings``.

    Paths of audio files are stored relative to ``roots``, and are full ones in :attr:`lines`. Without roots they are
    as they are stored.
    """

    def __init__(self, folder: Path, settings: str = "", roots: NamedRoots = NO_ROOTS) -> None:
        self.folder, self.settings, self.roots = folder, settings, roots
        self.journal = Journal(inside(folder, JOURNAL), schema=_Line)
        self.lines: dict[str, dict[str, Any]] = {}
        self._names: dict[str, str] = {}  # of recordings, by stem
        for entry in self.journal.entries:
            self._take(entry)
        for line in self.lines.values():
            _check_line(line, partial(_place, self.journal.path, line))
        self.lines = {name: _with_audio(line, roots.full) for name, line in self.lines.items()}

    def _take(self, line: dict[str, Any]) -> None:
        """A line counts; one of another name with the same stem does not count any more."""
        name, own = line["recording"], _stem(line["recording"], line)
        displaced = self.lines.pop(name, None)
        if displaced is not None and self._names.get(_stem(name, displaced)) == name:
            del self._names[_stem(name, displaced)]
        if "same_as" not in line:
            before = self._names.get(own)
            if before is not None and "stem" in line:
                del self.lines[before]
            self._names[own] = name
        self.lines[name] = line

    def write(self, lines: list[dict[str, Any]]) -> None:
        """Add lines, all at once."""
        lines = [*self._set_aside(lines), *lines]
        for line in lines:
            self._take(line)
        self.journal.add_all([_with_audio(line, self.roots.stored) for line in lines])

    def _set_aside(self, lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Other names for deleted recordings whose names lines give to others: their sound stays known."""
        out = []
        for line in lines:
            name, number = line["recording"], 1
            old = self.lines.get(name, {})
            if "gone" in old and old["samples"] != line["samples"]:
                while (free := f"{name} (deleted {number})") in self.lines:
                    number += 1
                out.append({**old, "recording": free, "stem": _stem(name, old), "was": old.get("was", name)})
        return out

    # -- what is known of recordings

    def print_of(self, samples: str) -> str:
        """A fingerprint of samples and of how they are recognised."""
        return files.fingerprint(self.settings, samples)

    def is_done(self, name: str, content: AudioContent, anyhow: bool = False) -> bool:
        """Whether this content has been recognised with these settings (or any), and the lattices are still there."""
        line = self.lines.get(name)
        if line is None or line.get("segments") is None or not line["print"]:
            return False
        same = line["samples"] == content.samples if anyhow else line["print"] == self.print_of(content.samples)
        if not same:
            return False
        return all(_there(inside(self.folder, s["file"])) for s in line["segments"])

    def stem_for(self, name: str) -> str:
        """The stem of lattices of a recording; a new one has a stem that no other has."""
        line = self.lines.get(name)
        if line is not None and "gone" not in line and "same_as" not in line:
            return _stem(name, line)
        taken = {_stem(n, line) for n, line in self.lines.items() if "same_as" not in line}
        number, own = 1, name
        while own in taken:
            number += 1
            own = f"{name}~{number}"
        return own

    @property
    def silent(self) -> list[str]:
        """Recordings in which nothing was understood."""
        return [name for name, line in self.lines.items() if line.get("segments") == []]

    def contents(self) -> dict[str, str]:
        """The fingerprint of the content of each recording's samples, by name."""
        return {n: line["samples"] for n, line in self.lines.items() if not is_other(line)}

    # -- recognising

    def begin(self, recording: Recording, ending: str, content: AudioContent) -> None:
        """Note that a recording is begun; lattices made from other audio or with other settings are removed."""
        line, mark = self.lines.get(recording.name), self.print_of(content.samples)
        if line is not None and line["print"] == mark and _is_begun(line):
            return
        own = self.stem_for(recording.name)
        lattices = self._lattices(recording.name, ending)
        if line is not None and line.get("segments") is not None and not is_other(line):
            self.write([{**_without(line, "segments"), "print": ""}])  # if this is killed, no lattice is missing
        for path in lattices:
            path.unlink(missing_ok=True)
        audio = recording.real
        new = {"recording": recording.name, "print": mark, "audio": audio, "ending": ending, "cuts": VERSION}
        new |= content._asdict()
        self.write([new if own == recording.name else {**new, "stem": own}])

    def done(self, recording: Recording, lattices: list[tuple[Path, float]], language: str = "") -> None:
        """Note that a recording has been recognised: the files of its segments, and where they begin in seconds.

        ``language`` is what the recogniser told of it.
        """
        segments = [
            {
                "file": p.relative_to(self.folder).as_posix(), "start": round(start, 3),
                "content": files.fingerprint(p.read_bytes(), size=12),
            }
            for p, start in lattices
        ]  # fmt: skip
        line = self.lines[recording.name]
        told = {"language": language} if language else {}
        self.write([{**line, "segments": segments, "audio": recording.real, **told}])

    def drop_segments(self, recording: Recording) -> None:
        """Remove the lattices of a recording that could not be read to its end."""
        self._remove(recording.name, self.lines.get(recording.name, {}).get("ending", ""))

    # -- deleting

    def forget(self, names: Collection[str]) -> None:
        """Put recordings into the bin: their lattices stay for some days, and do not count."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        mine = [self.lines[name] for name in names if name in self.lines and not is_other(self.lines[name])]
        for line in mine:
            self._lattices(line["recording"], line.get("ending", ""))  # raises if one of them is not in the folder
        self.write([{**_without(line, "segments"), "gone": True, "kept": line.get("segments") or [], "when": now}
                    for line in mine])  # fmt: skip

    def restore(self, names: Collection[str]) -> list[str]:
        """Take recordings out of the bin; returns those whose lattices are still there."""
        lines = [(name, line) for name in names if (line := self._deleted(name))]
        whole = [
            (n, x) for n, x in lines if "kept" in x and all(_there(inside(self.folder, s["file"])) for s in x["kept"])
        ]
        self.write([
            {**_without(x, "gone", "kept", "when", "was"), "recording": name, "stem": _stem(x["recording"], x),
             "segments": x["kept"]} for name, x in whole
        ])  # fmt: skip
        return [name for name, _ in whole]

    def _deleted(self, name: str) -> dict[str, Any]:
        """The line of a deleted recording of a name, or of the last one that had it; empty: there is none."""
        if name in self.lines:
            return self.lines[name] if "gone" in self.lines[name] else {}
        had = [line for line in self.lines.values() if "gone" in line and line.get("was") == name]
        return max(had, key=lambda line: str(line.get("when", "")), default={})

    def purge(self, days: float = DAYS) -> list[str]:
        """Remove the lattices of recordings that were deleted so many days ago; their names."""
        latest = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="seconds")
        old = [x for x in self.lines.values() if x.get("kept") and x.get("when", "") <= latest]
        for line in old:
            for segment in line["kept"]:
                inside(self.folder, segment["file"]).unlink(missing_ok=True)
        self.write([_without(line, "kept") for line in old])
        return [line["recording"] for line in old]

    def _remove(self, name: str, ending: str) -> None:
        for path in self._lattices(name, ending):
            path.unlink(missing_ok=True)

    def _lattices(self, name: str, ending: str) -> set[Path]:
        """The files that may have been made of a recording; raise InputError if one of them is not in the folder."""
        line = self.lines.get(name, {})
        if is_other(line):
            return set()
        paths = {inside(self.folder, s["file"]) for s in line.get("segments") or ()}
        own = self.stem_for(name)
        for end in {ending, line.get("ending", ending), OWN_ENDING} - {""}:
            whole = inside(self.folder, f"{own}{end}")
            segments = re.compile(re.escape(Path(own).name) + r"@\d{5}" + re.escape(end))
            paths |= {whole, *(p for p in plain_files(whole.parent) if segments.fullmatch(p.name))}
        return paths

    # -- for the index

    def utterances(self) -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any]]]:
        """(utterance, recording, line, segment) of all recordings that are done."""
        for name, line in self.lines.items():
            for segment in line.get("segments") or ():
                path = Path(segment["file"])
                yield path.with_name(stem(path)).as_posix(), name, line, segment

    def places(self) -> dict[str, str]:
        """The audio file of each utterance as it is stored, where it is known."""
        return {u: self.roots.stored(line["audio"]) for u, _, line, _ in self.utterances() if line.get("audio")}

    def prints(self) -> dict[str, str]:
        """The fingerprint of the content of each utterance, where it is known."""
        return {u: segment["content"] for u, _, _, segment in self.utterances() if "content" in segment}

    def write_table(self) -> None:
        """Write the table for indexing, of all recordings that are done."""
        with (
            files.replacing(inside(self.folder, TABLE)) as temporary,
            open(temporary, "w", encoding="utf-8", newline="") as file,
        ):
            out = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None, lineterminator="\n")
            out.writerow(TABLE_COLUMNS)
            for utterance, name, line, segment in self.utterances():
                audio = self.roots.stored(line.get("audio") or "")
                out.writerow((utterance, name, audio, f"{segment['start']:.3f}"))


def is_other(line: Mapping[str, Any]) -> bool:
    """Whether a line is of a recording that is not in the archive: deleted, or a copy of another."""
    return "gone" in line or "same_as" in line


def _is_begun(line: Mapping[str, Any]) -> bool:
    """Whether segments of a recording may be there that can be used."""
    return line.get("segments") is None and not is_other(line) and line.get("cuts", 1) == VERSION


def _stem(name: str, line: Mapping[str, Any]) -> str:
    return str(line.get("stem", name))


def _without(line: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {k: v for k, v in line.items() if k not in keys}


def _with_audio(line: dict[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    return {**line, "audio": change(line["audio"])} if line.get("audio") else line


def _check_line(line: dict[str, Any], place: Callable[[], str]) -> None:
    """Raise InputError unless the files that a line of a journal names are those of its recording, in its folder."""
    name, ending, audio = line["recording"], line.get("ending") or "", line.get("audio") or ""
    files_of_line = [s["file"] for key in ("segments", "kept") for s in line.get(key) or ()]
    own = _stem(name, line)
    for stored in (name, own, *files_of_line):
        if not is_inside(stored):
            check_name(stored, place())
    if ending and not _ENDING.fullmatch(ending):
        raise InputError(f"expected an ending such as .slf.gz, got {shorten(ending)}", place())
    for file in files_of_line:
        rest = re.sub(r"^@\d{5}", "", file.removeprefix(own))
        own_ending = ending in ("", rest) or rest == OWN_ENDING
        if not file.startswith(own) or not _ENDING.fullmatch(rest) or not own_ending:
            raise InputError(f"expected the lattice of {shorten(own)}, got {shorten(file)}", place())
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
