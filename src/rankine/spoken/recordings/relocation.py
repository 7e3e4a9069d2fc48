"""Recordings in another place: an archive learns where its audio files are now.

A recording is looked for by the last parts of its path. A file of that name is read, and is the recording only if it
has its bytes or its sound; the name alone decides where the archive knows no sound. A recording whose name is not there
any more is looked for by its sound, among the files that no other recording has: first those of its size by their
bytes, then all by their samples.

A named root is now where most of its recordings were found. Recordings that were found elsewhere are below the folder
that was given, which becomes a root.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError
from ...system.files import fingerprint_of_file
from ...system.paths import folder_inside
from ..index import schema
from ..index.changes import Labels, WorkingIndex
from ..index.storage import writing
from ..recognise.audio.audio import sample_print
from ..recognise.identity import stamp_of
from ..recognise.journal import RecordingJournal, is_other
from ..recognise.recordings import audio_below
from ..recognise.roots import NamedRoots, split_root
from .recordings import FOLDER, NoJournal, journal_of, stored_audio
from .roots import RecordingRoots, free_name

Report = Callable[[int, int], None]


class Relocated(NamedTuple):
    """How many recordings an archive has, the new paths of those that were found, and what is wrong with others.

    Paths are by recording; those that only the index names are by their old paths.
    """

    total: int
    paths: dict[str, str]
    missing: list[str]


def relocate(archive: Path, folder: str | os.PathLike, report: Report = lambda done, total: None) -> Relocated:
    """Look for the audio files of an archive below a folder, and note where they are.

    ``report`` is called with the number of recordings looked for and files compared, and their total.
    """
    if not Path(folder).is_dir():
        raise FileNotFoundError(2, "there is no such folder", str(folder))
    with journal_of(folder_inside(archive, FOLDER)) as journal, writing(archive) as writer:
        index = WorkingIndex(writer)
        roots = RecordingRoots(archive, index.manifest)
        search = _FileSearch(journal.lines, Path(folder), roots, report)
        places = search.work()
        others = {audio: roots.search(audio, [folder]) for audio in _only_in_index(index, journal)}
        elsewhere = {audio: str(path.resolve()) for audio, path in others.items() if path}
        named = roots.named
        moved = _moved_roots(search.lines, places, named)
        after = NamedRoots({**named.folders, **moved})
        if not all(after.has_above(path) for path in (*places.values(), *elsewhere.values())):
            moved[free_name(str(folder), after, stored_audio(index))] = str(Path(folder).resolve())
        roots.add([folder], moved)
        after = NamedRoots({**named.folders, **moved})
        _note(journal, places, after)
        index.relabel(_labels(index, journal, {audio: after.stored(path) for audio, path in elsewhere.items()}))
    mine = {name: line for name, line in search.lines.items() if not is_other(line)}
    paths = {name: places[name] for name in mine if name in places}
    missing = [f"{name}: {search.problem(name)}" for name in mine if name not in places]
    missing += [f"{audio}: it is not below {folder}" for audio, path in others.items() if path is None]
    return Relocated(len(mine) + len(others), paths | elsewhere, missing)


def _moved_roots(
    lines: Mapping[str, Mapping[str, Any]], places: Mapping[str, str], named: NamedRoots
) -> dict[str, str]:
    """The new folders of roots: where most of the recordings of the archive below them were found."""
    used, folders = Counter[str](), dict[str, Counter[str]]()
    for name, line in lines.items():
        root, below = split_root(named.stored(named.full(line["audio"])))
        if root and not is_other(line):
            used[root] += 1
            if name in places and Path(places[name]).as_posix().endswith(f"/{below}"):
                folders.setdefault(root, Counter())[places[name][: -len(below) - 1] or os.sep] += 1
    best = {root: some.most_common(1)[0] for root, some in folders.items()}
    return {root: folder for root, (folder, n) in best.items() if 2 * n > used[root]}


class _FileSearch:
    """The places of recordings below a folder, by the lines of a journal."""

    def __init__(self, lines: Mapping[str, Mapping[str, Any]], folder: Path, roots: RecordingRoots, report: Report):
        self.lines = {name: line for name, line in lines.items() if line.get("audio") and "same_as" not in line}
        self.folder, self.roots, self.report = folder, roots, report
        self.places: dict[str, str] = {}
        self.other: dict[str, str] = {}  # files that have the name of a recording and another sound
        self.done, self.total = 0, len(self.lines)

    def work(self) -> dict[str, str]:
        """The places of all recordings that are found."""
        named = {name: str(file.resolve()) for name in self.lines if (file := self._named(name))}
        claims: dict[str, list[str]] = {}
        for name in sorted(named, key=lambda name: is_other(self.lines[name])):
            claims.setdefault(named[name], []).append(name)
        self.total += len(claims)
        for path, names in claims.items():
            self._step()
            self._settle(path, names)
        self._search_by_sound()
        return self.places

    def problem(self, name: str) -> str:
        """Why a recording was not found."""
        if name in self.other:
            return f"{self.other[name]} sounds otherwise than the recording that was heard"
        return f"{self.lines[name]['audio']} is not below {self.folder}, and no other file there has its sound"

    def _named(self, name: str) -> Path | None:
        self._step()
        return self.roots.search(self.lines[name]["audio"], [self.folder])

    def _step(self) -> None:
        self.done += 1
        self.report(self.done, max(self.done, self.total))

    def _settle(self, path: str, names: list[str]) -> None:
        """Give a file to the recording that it is, of those that have its name; deleted ones may share it."""
        taken = False
        for name in names:
            line = self.lines[name]
            if not _has_sound(path, line):
                self.other[name] = path
            elif is_other(line) or not taken:
                self.places[name] = path
                taken |= not is_other(line)

    def _search_by_sound(self) -> None:
        """Look for recordings of the archive whose names are not there, in files that no recording has."""
        away = {n: x for n, x in self.lines.items() if n not in self.places and not is_other(x)}
        if not away:
            return
        given = {self.places[name] for name in self.places if not is_other(self.lines[name])}
        audio, *_ = audio_below(self.folder)
        files = dict.fromkeys(file.real for file in audio if file.real not in given)
        sizes = {line["size"] for line in away.values()}
        like = [path for path in files if os.stat(path).st_size in sizes]
        self.total = self.done + len(like) + len(files)
        for key, paths, mark_of in (("file", like, fingerprint_of_file), ("samples", list(files), sample_print)):
            for path in paths:
                self._step()
                if away and path in files and (name := _owner(away, key, path, mark_of)):
                    self.places[name] = path
                    del away[name], files[path]


def _owner(lines: Mapping[str, Mapping[str, Any]], key: str, path: str, mark_of: Callable[[str], str]) -> str | None:
    """The recording that has the fingerprint of a file; None if there is none, or the file cannot be read."""
    try:
        mark = mark_of(path)
    except (InputError, OSError):
        return None
    return next((name for name, line in lines.items() if line[key] == mark), None)


def _has_sound(path: str, line: Mapping[str, Any]) -> bool:
    """Whether a file is the recording of a line, by its bytes or its samples."""
    try:
        if os.stat(path).st_size == line["size"] and fingerprint_of_file(path) == line["file"]:
            return True
        return sample_print(path) == line["samples"]
    except (InputError, OSError):
        return False


def _only_in_index(index: WorkingIndex, journal: RecordingJournal | NoJournal) -> list[str]:
    """The audio files that the index names of utterances which are not in the journal."""
    own = {utterance for utterance, *_ in journal.utterances()}
    audio: set[str] = set()
    for reader in index.parts:
        names = reader.texts(schema.UTTERANCE_NAME).all()
        audio |= {a for name, a in zip(names, reader.texts(schema.AUDIO).all(), strict=True) if a and name not in own}
    return sorted(audio)


def _note(journal: RecordingJournal | NoJournal, places: Mapping[str, str], roots: NamedRoots) -> None:
    """Note new places in the journal, with size and time of the files there."""
    lines = []
    for name, line in journal.lines.items():
        audio = places.get(name) or roots.full(line.get("audio") or "")
        new = {**line, "audio": roots.stored(audio)} if audio else line
        if name in places:
            size, time = stamp_of(os.stat(audio))
            new |= {"size": size, "time": time}
        lines += [new] if new != line else []
    journal.write(lines)
    journal.write_table()


def _labels(index: WorkingIndex, journal: RecordingJournal | NoJournal, others: Mapping[str, str]) -> dict[str, Labels]:
    """The audio files of all recordings: those of their lines in the journal, else the new ones of their old paths."""
    own = journal.places()
    out: dict[str, dict[str, str]] = {}
    for reader in index.parts:
        audio, names = reader.texts(schema.AUDIO).all(), reader.texts(schema.UTTERANCE_NAME).all()
        for row, recording in enumerate(reader.recording_of.tolist()):
            path = own.get(names[row]) or others.get(audio[row])
            if path:
                out.setdefault(reader.names[recording], {})[names[row]] = path
    return {name: Labels(audio=mine) for name, mine in out.items()}
