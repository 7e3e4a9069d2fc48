"""Changes of what an archive holds: documents are added, replaced and removed, and parts of its index merged."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

from ...errors import InputError
from ..index.about import About
from ..index.build import Document, analyse, analyse_lattice, fingerprint_of
from ..index.changes import Changes, Corpus, Progress, WorkingIndex, update
from ..index.reader import Index
from ..index.storage import writing
from ..lattice.formats import Piece, Reading, reworded, write_slf
from ..lattice.lattice import Lattice
from ..lattice.scoring import Scoring


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
) -> Changes:
    """Index the utterances of a file or folder that are new or have changed; see :meth:`Archive.add`."""
    scoring = Scoring(Reading(lower=True)) if scoring is None else scoring
    _ = index.splits  # a missing package is reported once, not for every utterance
    corpus = Corpus(source, format, scoring, {} if about is None else about, listed)
    with writing(index.folder) as writer:
        return update(WorkingIndex(writer), corpus, workers, remove_missing, batch, progress)


def add_lattices(index: Index, lattices: Iterable[tuple[str, Lattice]], scoring: Scoring | None) -> None:
    """Index (document name, lattice) pairs that are in memory; one of the same name is replaced."""
    scoring = Scoring() if scoring is None else scoring
    documents, lattices = [], list(lattices)
    doubled = [name for name, n in Counter(name for name, _ in lattices).items() if n > 1]
    if doubled:
        raise InputError(f"two documents are called {doubled[0]!r}")
    for name, lattice in lattices:
        piece = Piece(name, "slf", "memory", write_slf(lattice))
        if lattice.is_network:  # its slots would not all survive in SLF, where times stand on nodes
            weighed = scoring.weighed(reworded(lattice, scoring.reading))
            utterances = analyse_lattice(index.working_settings, weighed, index.dictionary, name)
        else:
            utterances = analyse(index.working_settings, scoring, index.dictionary, piece)
        documents.append(Document(name, {}, utterances, fingerprint_of(piece)))
    with writing(index.folder) as writer:
        WorkingIndex(writer).replace(documents, [])


def remove(folder: Path, documents: Collection[str], before: Callable[[Collection[str]], None]) -> None:
    """Remove documents from the index; ``before`` is called with their names when only the commit is left."""
    with writing(folder) as writer:
        index = WorkingIndex(writer)
        for name in documents:
            index.number_of(name)
        index.replace([], list(documents), lambda: before(documents))


def merge(folder: Path, report: Callable[[int], None]) -> None:
    """Merge all parts of the index into one file; ``report`` is called with the number of arrays written."""
    with writing(folder) as writer:
        WorkingIndex(writer).merge(whole=True, report=report)
