"""The archive as it is now: every answer is computed from one state, while other processes add, merge and delete.

An :class:`ArchiveState` is an archive that is opened, with a stamp of all that it reads. What its index holds stays as
it is, whatever writers do; a request that holds an older state can finish with it. The store is read as it is at that
time. So an answer counts only if the store was the same before and after; else it is computed again.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, TypeVar

from ..errors import InputError
from ..spoken.archive import Archive
from ..spoken.hearings.hearings import RECORD, hearing_folders
from ..spoken.index.reader import Index
from ..spoken.index.storage import MANIFEST
from ..spoken.metadata.rights import open_index
from ..spoken.query.vocabulary import words_of
from ..spoken.search.recordings_list import RecordingsList
from ..spoken.store.cells import Stamp, StoredCells
from ..spoken.text import STOP_WORDS
from ..system.files import fingerprint
from ..system.paths import inside
from .answers import ApiError, without_paths

Answer = TypeVar("Answer")
FileState = tuple[int, int, int] | None
_TRIES = 20
_WEIGHTS = "weights/current.json"


class StateStamp(NamedTuple):
    """What changes with an archive: its manifest, weights and hearings, its store, and the day, which rights know."""

    files: tuple[FileState, ...]
    store: Stamp | None
    day: str


class ArchiveState:
    """One state of an archive, and what is computed once from it."""

    def __init__(self, archive: Archive, stamp: StateStamp) -> None:
        self.archive, self.stamp = archive, stamp
        self.id = fingerprint(repr(stamp), size=8)

    @cached_property
    def descriptions(self) -> RecordingsList:
        """The recordings that are not closed."""
        return self.archive.recordings.listing()

    @cached_property
    def examples(self) -> list[str]:
        """Words to try, which recordings that are open hold."""
        return example_words(self.archive.index)

    def heard_by(self, recording: str) -> list[str]:
        """The further recognisers that have heard a recording."""
        return [hearing.name for hearing in self.archive.hearings.counting if recording in hearing.index.numbers]


class LiveArchive:
    """An archive that is followed."""

    def __init__(self, folder: str | os.PathLike) -> None:
        self.folder = Path(folder)
        self._lock = threading.Lock()
        self._cells = StoredCells(self.folder)
        self._state = self._open(None)

    def stamp(self) -> StateStamp:
        """What the archive is like now."""
        return StateStamp(self._file_states(), self._cells.stamp(), date.today().isoformat())

    def _file_states(self) -> tuple[FileState, ...]:
        paths = [inside(self.folder, MANIFEST), inside(self.folder, _WEIGHTS)]
        for folder in hearing_folders(self.folder).values():
            paths += [inside(folder, MANIFEST), inside(folder, RECORD)]
        return tuple(map(_file_state, paths))

    def _open(self, before: ArchiveState | None) -> ArchiveState:
        """The state of now; where only the store has changed, with the index that is open already."""
        for _ in range(_TRIES):
            stamp = self.stamp()
            if before is not None and before.stamp.files == stamp.files:
                return ArchiveState(before.archive, stamp)
            archive = Archive(self.folder)
            _ = archive.weights.in_use, archive.hearings.counting
            if self._file_states() == stamp.files:
                return ArchiveState(archive, stamp)
        raise _busy()

    def state(self) -> ArchiveState:
        """The state of now."""
        try:
            if self._state.stamp != self.stamp():
                with self._lock:
                    if self._state.stamp != self.stamp():
                        self._state = self._open(self._state)
            return self._state
        except (InputError, OSError) as error:
            what = error.what if isinstance(error, InputError) else str(error.strerror)
            raise ApiError(503, "archive", f"the archive cannot be read now: {without_paths(what)}") from None

    def answer(self, compute: Callable[[ArchiveState], Answer]) -> tuple[Answer, ArchiveState]:
        """What a function computes from one state, and that state."""
        for _ in range(_TRIES):
            state = self.state()
            try:
                answer = compute(state)
            except (InputError, ApiError, OSError):
                if self._cells.stamp() == state.stamp.store:
                    raise
                continue
            if self._cells.stamp() == state.stamp.store:
                return answer, state
        raise _busy()


def _busy() -> ApiError:
    return ApiError(503, "busy", "the archive is being changed just now: try again", {"Retry-After": "1"})


def _file_state(path: Path) -> FileState:
    try:
        state = path.stat()
    except FileNotFoundError:
        return None
    return state.st_ino, state.st_size, state.st_mtime_ns


# -- Words to try


_LOOKED_AT = 300  # words
_SHORTEST = 5  # letters; of words in characters one
_STOP = frozenset().union(*STOP_WORDS.values())


def example_words(index: Index, most: int = 5) -> list[str]:
    """Words of recordings that are open, which were said more than once, the longest of the frequent ones first."""
    index = open_index(index)
    if len(index) == 0:
        return []
    words = words_of(index)
    some = [w for w in dict.fromkeys(words.some(_LOOKED_AT)) if w not in _STOP and _is_telling(w)]
    counts = {word: words.count(word) for word in some}
    frequent = sorted((w for w in some if counts[w] >= 0.5), key=lambda w: (-min(counts[w], 3.0), -counts[w], w))
    return sorted(frequent[: 4 * most], key=lambda w: (-len(w), w))[:most]


def _is_telling(word: str) -> bool:
    return word.isalpha() and (len(word) >= _SHORTEST or not word.isascii())
