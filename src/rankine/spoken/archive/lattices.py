"""The lattices of an archive: what recognisers have heard, brought into its index and taken out of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..corrections.corrections import Corrections
from ..index.about import About
from ..index.changes import Changes, Progress
from ..metadata.metadata import record_closed, record_texts, texts_of_table, with_own_texts
from ..metadata.turns import SpeakerTurn, record_turns
from ..recordings import changes as archive_changes
from .open_archive import OpenArchive

if TYPE_CHECKING:
    from ..lattice.formats import File
    from ..lattice.scoring import Scoring


class Lattices:
    """The lattices of an archive: ``archive.lattices``."""

    def __init__(self, opened: OpenArchive) -> None:
        self.opened = opened

    @property
    def folder(self) -> Path:
        """The folder of the archive."""
        return self.opened.folder

    @property
    def names(self) -> list[str]:
        """The names of all recordings."""
        return list(self.opened.index.names)

    def refresh(self) -> None:
        """Read what has been committed since the archive was opened."""
        self.opened.refresh()

    def index(
        self,
        source: str | os.PathLike,
        about: Mapping[str, About] | None = None,
        scoring: Scoring | None = None,
        format: str | None = None,
        workers: int = 1,
        remove_missing: bool = False,
        batch: int = 2000,
        progress: Progress = lambda done, total: None,
        listed: bool = False,
        prints: Mapping[str, str] | None = None,
        files: Sequence[File] | None = None,
    ) -> Changes:
        """Index the utterances of a file or folder of lattices that are new or have changed.

        Args:
            source: lattices, in any format that is read. A recording of the archive is not replaced: that is an error
                in :attr:`Changes.errors`, and the rest goes on.
            about: utterance → recording, texts, audio; by default each utterance is a recording of its own name. Texts
                that it does not give stay as they are (``archive.metadata``).
            scoring: how lattices are read and weighed; by default words in lower case.
            format: of the source, where ending and content do not tell.
            workers: processes.
            remove_missing: remove recordings that the source does not have.
            batch: recordings after which what is done so far is committed.
            progress: is called with the number of utterances done and the total (None while they are looked through).
            listed: index only the utterances of ``about``, which then has all utterances of every recording. A
                recording that has another name than before is renamed.
            prints: fingerprints of the content of utterances, where they are known; others are read.
            files: that hold the utterances, one each; by default all below the source.
        """
        opened = self.opened
        table, texts = with_own_texts(opened.index, about), texts_of_table(about)
        record_closed(opened.index, texts)
        changes = archive_changes.add_source(
            opened.index, source, table, scoring, format, workers, remove_missing, batch, progress, listed, prints,
            files,
        )  # fmt: skip
        opened.refresh()
        record_texts(opened.index, texts)
        if changes.turns:
            turns = {name: [SpeakerTurn(*turn) for turn in some] for name, some in changes.turns.items()}
            record_turns(opened.folder, turns)
        Corrections(opened).settle()  # also of recordings that return, with what was said about them
        return changes

    def add(self, lattices: Iterable[tuple[str, Any]], scoring: Scoring | None = None) -> None:
        """Index (recording name, lattice) pairs that are in memory; one of the same name is replaced.

        The name of a recording that the archive has recognised is an InputError.
        """
        archive_changes.add_lattices(self.opened.index, lattices, scoring)
        Corrections(self.opened).settle()

    def remove(
        self,
        names: Collection[str],
        after: Callable[[Collection[str]], object] = lambda names: None,
        keep: bool = False,
    ) -> None:
        """Remove recordings from the index, for good or into the bin (``keep``).

        ``after`` is called with their names when that is done. An unknown name is an InputError, and nothing is
        removed.
        """
        from ..teaching.training_data import forget_features

        if not names and not keep:
            return
        archive_changes.remove(self.folder, names, after, keep)
        forget_features(self.folder)
        self.refresh()
