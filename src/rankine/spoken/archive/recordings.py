"""The recordings of an archive: recognised into its folder, listed for the index, forgotten when they are deleted."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ...console import counted
from ...errors import InputError
from ...files import locked
from ...places import check_below, inside
from ..index.about import About, read_about
from ..index.changes import Changes
from ..recognise import table
from ..recognise.recordings import TABLE, RecordingJournal, find
from ..recognise.run import Recognised, Recogniser, recognise

FOLDER = "recognised"
Sources = str | os.PathLike | Sequence[str | os.PathLike]
StageProgress = Callable[[str, float, float | None], None]


class AddedRecordings(NamedTuple):
    """What :meth:`Archive.add_recordings` did: recognition and how many seconds it took, and changes of the index."""

    recognised: Recognised
    took: float
    changes: Changes

    @property
    def errors(self) -> list[str]:
        """What was wrong, of both."""
        return self.recognised.errors + self.changes.errors


def one_recogniser(recognisers: Sequence[str | Recogniser]) -> Recogniser:
    """The recogniser that these name; more than one is an InputError."""
    if isinstance(recognisers, str) or len(recognisers) != 1:
        raise InputError(f"recognisers must be a list of one recogniser, got {recognisers!r}")
    (recogniser,) = recognisers
    if not isinstance(recogniser, str):
        return recogniser
    return table.get(recogniser)


def as_sources(sources: Sources) -> list[str | os.PathLike]:
    """A list of files and folders."""
    return [sources] if isinstance(sources, str | os.PathLike) else list(sources)


def recognise_recordings(
    folder: Path,
    sources: list[str | os.PathLike],
    recogniser: Recogniser,
    longest: float,
    workers: int,
    report: Callable[[float, float], None],
) -> tuple[Recognised, float]:
    """Recognise what is new, but for deleted recordings that are not given by themselves; also the seconds it took."""
    if folder.is_dir():
        check_below(folder)  # lattices are looked for in all of it
    left_out = _deleted(folder, sources)
    began = time.perf_counter()
    done = recognise(
        sources, folder, recogniser, longest=longest, workers=workers, report=report, left_out=left_out
    )  # fmt: skip
    if left_out:
        done.notes.append(
            f"deleted from this archive and left out: {counted(len(left_out), 'recording')}, such as {left_out[0]}; "
            "to add one again, give the file itself"
        )
    return done, time.perf_counter() - began


def _deleted(folder: Path, sources: list[str | os.PathLike]) -> list[str]:
    """Audio files below these folders that were deleted from the archive."""
    deleted = set(RecordingJournal(folder).deleted) if folder.is_dir() else set()
    folders = [s for s in sources if Path(s).is_dir()]
    if not deleted or not folders:
        return []
    named = {str(Path(s).resolve()) for s in sources}
    paths = [str(recording.path.resolve()) for recording in find(folders).recordings]
    return [path for path in paths if path in deleted and path not in named]


def recordings_table(folder: Path, about: Mapping[str, About] | str | os.PathLike | None) -> dict[str, About]:
    """What is said about every utterance that was recognised; texts of a recording are those of ``about``, by name."""
    new = read_about(about) if isinstance(about, str | os.PathLike) else dict(about or {})
    path = inside(folder, TABLE)
    if len(path.read_bytes().splitlines()) < 2:
        return {}
    table = read_about(path)
    return {u: a._replace(texts=new[a.document].texts if a.document in new else {}) for u, a in table.items()}


@contextmanager
def forgetting(folder: Path) -> Iterator[Callable[[Collection[str]], None]]:
    """Lock the folder of lattices, if there is one; yields the function that removes the lattices of recordings."""
    if not folder.is_dir():
        yield lambda names: None
        return
    with locked(folder, "another process is recognising into this folder"):
        journal = RecordingJournal(folder)

        def forget(names: Collection[str]) -> None:
            journal.forget(names)
            journal.write_table()

        yield forget
