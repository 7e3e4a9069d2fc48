"""Which recordings audio files are: by their content, not by their names.

A file whose path, size and time of change are those of the journal is what it was, and is not read. Any other is known
by the fingerprint of its bytes, or of its samples: a recording that was renamed, moved or tagged anew keeps its
lattices and all that was said about it. A file of another recording's content is a copy while that one is still there.
Other content under a known path is the same recording, which was edited; unless the old content is found elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError, in_one_line
from ...system.files import fingerprint, fingerprint_of_file
from .audio.audio import sample_print
from .journal import AudioContent, RecordingJournal, is_other
from .recordings import Recording

_SHOWN = 3  # new names that a note gives


class Identified(NamedTuple):
    """What files are: recordings that are in the archive or come into it, under their names, with their content.

    ``returned`` were deleted and are given by themselves, ``deleted`` are left out.
    """

    recordings: list[tuple[Recording, AudioContent]]
    returned: list[str]
    deleted: list[str]
    notes: list[str]
    errors: list[str]


class IdentityOptions(NamedTuple):
    """How files are identified.

    ``keep_duplicates``: a copy is a recording of its own. ``given`` are full paths of files that were given by
    themselves: a deleted recording among them returns. ``indexed`` are names of recordings in the archive's index:
    those that no recording has are not given to one.
    """

    keep_duplicates: bool = False
    given: Collection[str] = ()
    indexed: Collection[str] = ()


class _File(NamedTuple):
    """A file that was looked at, and the name of the recording in the journal that it is; None: a new one."""

    recording: Recording
    path: str
    content: AudioContent
    entry: str | None


def identify(
    journal: RecordingJournal,
    recordings: Iterable[Recording],
    options: IdentityOptions = IdentityOptions(),  # noqa: B008 (it is frozen)
) -> Identified:
    """Find out which recordings files are, and note their names and places in the journal.

    Args:
        journal: of the folder of lattices.
        recordings: the files, with the names that their paths give them.
        options: how they are identified.
    """
    return _Identification(journal, options).work(list(recordings))


class _Identification:
    def __init__(self, journal: RecordingJournal, options: IdentityOptions) -> None:
        self.journal, self.keep_duplicates, self.given = journal, options.keep_duplicates, set(options.given)
        self.others = {n for n in options.indexed if is_other(journal.lines.get(n, {"gone": True}))}
        self.by_path: dict[str, list[str]] = {}  # those in the archive first, and of these the one seen there last
        self.by_print: dict[str, list[str]] = {}
        newest = list(journal.lines.items())[::-1]
        for name, line in sorted(newest, key=lambda pair: is_other(pair[1])):
            if line.get("audio"):
                self.by_path.setdefault(line["audio"], []).append(name)
        for name, line in journal.lines.items():
            if "same_as" not in line:
                for key in ("file", "samples"):
                    self.by_print.setdefault(line[key], []).append(name)
        self.notes: list[str] = []
        self.errors: list[str] = []
        self.renamed: list[str] = []

    def work(self, recordings: Sequence[Recording]) -> Identified:
        """Look at all files, then decide."""
        looked = []
        for recording in recordings:
            try:
                looked.append(self._look(recording))
            except (InputError, OSError) as error:
                self.errors.append(in_one_line(error))
        groups: dict[str, list[_File]] = {}
        for file in looked:
            groups.setdefault(_group(file), []).append(file)
        copies = {file.path: file for files in groups.values() for file in self._copies(files)}
        if self.keep_duplicates:  # each is a recording of its own
            looked = [f._replace(entry=None) if f.path in copies else f for f in looked]
            copies = {}
        originals = [file for file in looked if file.path not in copies]
        deleted = [f for f in originals if self._is_deleted(f)]
        gone = {f.path for f in deleted}
        stay = [file for file in originals if file.path not in gone]
        names = self._names(stay)
        self._note_copies(list(copies.values()), groups, names)
        self._write(stay, names, list(copies.values()))
        out = [(f.recording._replace(name=names[f.path]), f.content) for f in stay]
        returned = [names[f.path] for f in stay if f.entry and "gone" in self.journal.lines.get(names[f.path], {})]
        return Identified(out, returned, [f.path for f in deleted], self.notes, self.errors)

    def _look(self, recording: Recording) -> _File:
        """What a file is, by its stamp, or else by its content."""
        path = recording.real
        status = os.stat(path)
        here = self.by_path.get(path, [])
        for own in here:
            line = self.journal.lines[own]
            if (line["size"], line["time"]) == stamp_of(status):
                content = AudioContent(*stamp_of(status), line["file"], line["samples"])
                same = [own] if "same_as" not in line else self.by_print.get(line["samples"], [])
                return _File(recording, path, content, next(iter(same), None))
        content = AudioContent(*stamp_of(status), fingerprint_of_file(path), sample_print(path))
        for mark in (content.file, content.samples):
            names = self.by_print.get(mark, [])
            if names:
                return _File(recording, path, content, next((name for name in here if name in names), names[0]))
        return _File(recording, path, content, None)

    def _copies(self, files: list[_File]) -> list[_File]:
        """Of the files that are one recording, those that are copies: all but the one where it is."""
        name = files[0].entry
        if name is None:
            return files[1:]
        audio = self.journal.lines[name].get("audio")
        at = next((i for i, file in enumerate(files) if file.path == audio), None)
        if at is None and "gone" not in self.journal.lines[name] and self._is_at(name, audio):
            return files
        return [file for i, file in enumerate(files) if i != (at or 0)]

    def _is_at(self, name: str, audio: str | None) -> bool:
        """Whether a recording is still where the journal says it is, unchanged."""
        line = self.journal.lines[name]
        if not audio or not os.path.isabs(audio):  # not absolute: its root is not known here
            return False
        try:
            return stamp_of(os.stat(audio)) == (line["size"], line["time"]) or sample_print(audio) == line["samples"]
        except (OSError, InputError):
            return False

    def _is_deleted(self, file: _File) -> bool:
        return "gone" in self.journal.lines.get(file.entry or "", {}) and file.path not in self.given

    def _note_copies(self, copies: list[_File], groups: dict[str, list[_File]], names: dict[str, str]) -> None:
        if copies:
            first = copies[0]
            same = groups[_group(first)]
            original = next((names[file.path] for file in same if file.path in names), first.entry or same[0].path)
            n = "1 copy of a recording" if len(copies) == 1 else f"{len(copies):,} copies of recordings"
            self.notes.append(
                f"{n} left out, such as {first.path} (a copy of {original}); --keep-duplicates takes them in"
            )

    def _names(self, files: list[_File]) -> dict[str, str]:
        """The name of each recording, by path: that of the file where it is new or was renamed, if no other has it."""
        lines = self.journal.lines
        there = {f.entry for f in files if f.entry}
        moving = {f.entry for f in files if f.entry and lines[f.entry].get("audio") != f.path}
        edited = {
            f.path: name for f in files
            if f.entry is None and (name := next(iter(self.by_path.get(f.path, [])), "")) and name not in there
            and not is_other(lines[name])
        }  # fmt: skip
        taken = {n for n, line in lines.items() if not is_other(line) and n not in moving}
        taken -= set(edited.values())
        taken |= self.others
        out: dict[str, str] = {}
        for file in sorted(files, key=lambda f: f.entry is None):
            if file.path in edited:
                name = edited[file.path]
            elif (
                file.entry
                and file.entry not in moving | self.others
                and ("gone" not in lines[file.entry] or self._old_name(file) not in taken)
            ):
                name = self._old_name(file)
            else:
                name = self._free_name(file, taken)
            taken.add(name)
            out[file.path] = name
        return out

    def _old_name(self, file: _File) -> str:
        """Return the name that the recording of a file has, or had before it was deleted; empty for a new one."""
        return str(self.journal.lines.get(file.entry or "", {}).get("was", file.entry or ""))

    def _free_name(self, file: _File, taken: Collection[str]) -> str:
        """The name of a file, if no recording has it; else the old name of its recording, or that with the ending."""
        name, old = file.recording.name, self._old_name(file)
        for some in (name, old, f"{name}{Path(file.path).suffix}"):
            if some and some not in taken:
                return some
        number = 2
        while f"{name} ({number})" in taken:
            number += 1
        return f"{name} ({number})"

    def _write(self, files: list[_File], names: dict[str, str], copies: list[_File]) -> None:
        """Note where recordings are, what they are called, and which files are copies."""
        lines: list[dict[str, Any]] = []
        for file in files:
            line = self.journal.lines.get(file.entry or "")
            if line is None:
                continue
            name = names[file.path]
            new = {**line, "recording": name, "audio": file.path, **file.content._asdict()}
            if name != file.entry:
                new["stem"] = line.get("stem", file.entry)
                if (old := self._old_name(file)) != name:
                    self.renamed.append(f"{old} is {name}")
            if new != line:
                lines.append(new)
        for file in copies:
            name = f"copy-{fingerprint(file.path, size=8)}"
            new = {
                "recording": name, "print": "", "audio": file.path, "same_as": file.content.samples,
                **file.content._asdict(),
            }  # fmt: skip
            if self.journal.lines.get(name) != new:
                lines.append(new)
        self.journal.write(lines)
        if self.renamed:
            more = f" and {len(self.renamed) - _SHOWN} more" if len(self.renamed) > _SHOWN else ""
            self.notes.append(f"called otherwise now, as their files: {', '.join(self.renamed[:_SHOWN])}{more}")


def _group(file: _File) -> str:
    """What the files of one recording have in common."""
    return file.entry or f"new {file.content.samples}"


def stamp_of(status: os.stat_result) -> tuple[int, int]:
    """The size of a file, and its time of change in microseconds."""
    return status.st_size, status.st_mtime_ns // 1000
