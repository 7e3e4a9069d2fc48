"""An archive that is open: its folder, its index as it was when it was opened, and what a search reads beside it."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path

from ..hearings.hearings import HeardIndex, counting
from ..index.reader import Index
from ..learn.weights import Weights, shipped
from ..metadata.rights import not_open
from ..search.ranking import weak_rankers
from ..teaching.weight_history import WeightHistory


class OpenArchive:
    """What the parts of an archive share; it keeps the state it was opened in until :meth:`refresh`."""

    def __init__(self, folder: str | os.PathLike) -> None:
        self.folder = Path(folder)
        self.refresh()

    def refresh(self) -> None:
        """Read what has been committed since the archive was opened."""
        self.index = Index.open(self.folder)
        not_open(self.index)  # noted from now on, whatever their names become
        for name in ("learned_weights", "counting_hearings"):
            self.__dict__.pop(name, None)

    @property
    def ranker_names(self) -> list[str]:
        """The weak rankers, in the order of the features."""
        return weak_rankers(self.index.kinds)

    @cached_property
    def learned_weights(self) -> Weights | None:
        """The learned weights that search uses, None where it uses the shipped ones."""
        weights = WeightHistory(self.folder).current()
        if weights is not None:
            weights.check(self.ranker_names)
        return weights

    @property
    def weights_in_use(self) -> Weights:
        """The weights that search uses: the learned ones, or else the shipped ones."""
        return self.learned_weights or shipped(self.index.kinds)

    @cached_property
    def counting_hearings(self) -> list[HeardIndex]:
        """The further hearings that search uses: those with a weight."""
        return counting(self.index)
