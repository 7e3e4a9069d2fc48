"""Recordings in another place: an archive learns where its audio files are now."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError
from ...places import folder_inside
from ..index import schema
from ..index.storage import writing
from ..index.working import Labels, WorkingIndex
from ..recognise.audio import sample_print
from ..recognise.identity import stamp_of
from ..recognise.journal import RecordingJournal
from .recordings import FOLDER, journal_of
from .roots import RecordingRoots


class Relocated(NamedTuple):
    """How many audio files an archive has, the new paths of those that were found, and what is wrong with others."""

    total: int
    paths: dict[str, str]
    missing: list[str]


def relocate(
    archive: Path, folder: str | os.PathLike, report: Callable[[int, int], None] = lambda done, total: None
) -> Relocated:
    """Look for the audio files of an archive below a folder, and note where they are.

    A file is looked for by the last parts of its path. One of another length counts only if its sound is the same.
    """
    if not Path(folder).is_dir():
        raise FileNotFoundError(2, "there is no such folder", str(folder))
    with journal_of(folder_inside(archive, FOLDER)) as journal, writing(archive) as writer:
        index = WorkingIndex(writer)
        lines = journal.lines if isinstance(journal, RecordingJournal) else {}
        contents = {line["audio"]: line for line in lines.values() if line.get("audio") and "samples" in line}
        every = sorted({a for reader in index.parts for a in reader.texts(schema.AUDIO).all() if a} | set(contents))
        roots, paths, missing = RecordingRoots(archive, index.manifest), dict[str, str](), list[str]()
        for done, audio in enumerate(every, 1):
            try:
                path = str(roots.find(audio, [folder]).resolve())
                line = contents.get(audio)
                if line and os.stat(path).st_size != line["size"] and sample_print(path) != line["samples"]:
                    raise InputError("it sounds otherwise than the recording that was heard", path)
                paths[audio] = path
            except (InputError, OSError) as error:
                missing.append(f"{audio}: {error}")
            report(done, len(every))
        if isinstance(journal, RecordingJournal):
            _note(journal, paths)
        index.relabel(_labels(index, paths))
        roots.add([folder])
    return Relocated(len(every), paths, missing)


def _note(journal: RecordingJournal, paths: dict[str, str]) -> None:
    """Note new places in the journal; also size and time where the sound was compared: others are read when added."""
    lines = []
    for line in journal.lines.values():
        path = paths.get(line.get("audio") or "")
        if path is not None:
            size, time = stamp_of(os.stat(path))
            stamp = {"size": size, "time": time} if line.get("size", size) != size else {}
            new = {**line, "audio": path, **stamp}
            lines += [new] if new != line else []
    journal.write(lines)
    journal.write_table()


def _labels(index: WorkingIndex, paths: dict[str, str]) -> dict[str, Labels]:
    """The new audio files of all documents."""
    out: dict[str, dict[str, str]] = {}
    for reader in index.parts:
        audio, names = reader.texts(schema.AUDIO).all(), reader.texts(schema.UTTERANCE_NAME).all()
        for row, document in enumerate(reader.document_of.tolist()):
            if audio[row] in paths:
                out.setdefault(reader.names[document], {})[names[row]] = paths[audio[row]]
    return {name: Labels(audio=mine) for name, mine in out.items()}
