"""Changes of what an archive holds: recordings are added, replaced and removed, and parts of its index merged."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path

from ...errors import InputError
from ...system.paths import folder_inside, inside
from ..index.about import About
from ..index.build import IndexedRecording, analyse, analyse_lattice, content_print, fingerprint_of
from ..index.changes import Changes, Corpus, Labels, Progress, WorkingIndex, update
from ..index.reader import Index
from ..index.storage import writing
from ..lattice.formats import File, Piece, Reading, reworded, write_slf
from ..lattice.lattice import Lattice
from ..lattice.scoring import Scoring
from ..recognise.journal import JOURNAL, RecordingJournal, is_other
from ..store.recordings import attach_recordings, detach_recordings
from .bin import Bin

FOLDER = "recognised"  # of the lattices that an archive makes
SCORING = Scoring(Reading(lower=True))  # where nothing else is said


def recorded_audio(folder: Path) -> dict[str, str]:
    """The audio file of each recording that an archive has recognised, by the name of its recording."""
    lattices = folder_inside(folder, FOLDER)
    if not inside(lattices, JOURNAL).exists():
        return {}
    lines = RecordingJournal(lattices).lines
    return {name: line.get("audio") or "" for name, line in lines.items() if not is_other(line)}


def add_source(
    index: Index,
    source: str | os.PathLike,
    about: Mapping[str, About] | None,
    scoring: Scoring | None,
    format: str | None,
    workers: int,
    remove_missing: bool,
    batch: int,
    progress: Progress,
    listed: bool,
    prints: Mapping[str, str] | None = None,
    files: Sequence[File] | None = None,
) -> Changes:
    """Index the utterances of a file or folder that are new or have changed; see ``archive.lattices.index``."""
    scoring = SCORING if scoring is None else scoring
    own = Path(source).resolve().is_relative_to(index.folder.resolve())
    recorded = {} if own else recorded_audio(index.folder)
    corpus = Corpus(source, format, scoring, {} if about is None else about, listed, prints or {}, files, recorded)
    with writing(index.folder) as writer:
        return update(WorkingIndex(writer), corpus, workers, remove_missing, batch, progress)


def add_lattices(index: Index, lattices: Iterable[tuple[str, Lattice]], scoring: Scoring | None) -> None:
    """Index (recording name, lattice) pairs that are in memory; see :meth:`Archive.lattices.add`."""
    scoring = Scoring() if scoring is None else scoring
    recordings, lattices = [], list(lattices)
    doubled = [name for name, n in Counter(name for name, _ in lattices).items() if n > 1]
    if doubled:
        raise InputError(f"two recordings are called {doubled[0]!r}")
    recorded = recorded_audio(index.folder)
    if taken := [name for name, _ in lattices if name in recorded]:
        raise InputError(f"{taken[0]!r} is recognised from {recorded[taken[0]] or 'a recording'}: delete it first")
    for name, lattice in lattices:
        piece = Piece(name, "slf", "memory", write_slf(lattice))
        if lattice.is_network:  # its slots would not all survive in SLF, where times stand on nodes
            weighed = scoring.weighed(reworded(lattice, scoring.reading))
            utterances = analyse_lattice(index.working_settings, weighed, index.dictionary, name)
        else:
            utterances = analyse(index.working_settings, scoring, index.dictionary, piece)
        recordings.append(
            IndexedRecording(name, index.base_texts(name), utterances, fingerprint_of(content_print(piece)))
        )
    with writing(index.folder) as writer:
        WorkingIndex(writer).replace(recordings, [])


def remove(folder: Path, recordings: Collection[str], after: Callable[[Collection[str]], object], keep: bool) -> None:
    """Remove recordings from the index, into the bin (``keep``); ``after`` is called with their names then.

    A process that is killed before that leaves a recording that is not deleted: it returns when it is added again.
    """
    with writing(folder) as writer:
        index = WorkingIndex(writer)
        for name in recordings:
            index.number_of(name)
        if keep:
            Bin(folder).put(index, recordings, recorded_audio(folder))
        index.replace([], list(recordings))
        after(recordings)
        if keep:
            detach_recordings(folder, recordings)


def restore(
    folder: Path,
    recordings: Collection[str],
    before: Callable[[Collection[str]], object],
    places: Callable[[], Mapping[str, str]],
) -> None:
    """Bring recordings back from the bin, with all that was said about them.

    ``before`` is called with the names of those that the archive has recognised. ``places`` are the audio files of
    their utterances, which may have moved meanwhile.
    """
    with writing(folder) as writer:
        index, kept = WorkingIndex(writer), Bin(folder)
        kept.require(index, recordings)
        attach_recordings(folder, recordings)
        recorded = kept.recorded(recordings)
        before(recorded)
        kept.take(index, recordings)
        audio = places()
        index.relabel({name: Labels(audio=audio) for name in recorded})


def release_returned(folder: Path) -> None:
    """Take recordings out of the bin that were added again."""
    if Bin(folder).is_empty:
        return
    with writing(folder) as writer:
        Bin(folder).release(WorkingIndex(writer))


def purge(folder: Path, days: float) -> list[str]:
    """Remove what was deleted so many days ago from the bin; the names."""
    with writing(folder) as writer:
        return Bin(folder).purge(days, WorkingIndex(writer).numbers)


def merge(folder: Path, report: Callable[[int], None]) -> None:
    """Merge all parts of the index into one file; ``report`` is called with the number of arrays written."""
    with writing(folder) as writer:
        WorkingIndex(writer).merge(whole=True, report=report)
