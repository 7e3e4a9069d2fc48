"""The weights of an archive's weak rankers: learned from judgments, tried, kept, and taken back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from ...system.files import locked
from ...system.paths import inside
from ..index.storage import writing
from ..learn.judgments import Judged
from ..learn.table import AUTO, NEIGHBOURS
from ..learn.weights import Weights, shipped
from ..search.ranking import CANDIDATES
from ..teaching.weight_history import KeptWeights, WeightHistory
from .judgments import Judgments

if TYPE_CHECKING:
    from ..learn.learning import CrossValidation, LearningProgress
    from ..learn.verdict import LearningVerdict
    from .open_archive import OpenArchive

_LEARNING = "learning"  # the file beside which its lock stands
_BUSY = "another process is learning from this archive; wait until it is done, or stop it"
_WAIT = 600.0  # seconds: learned weights must not be lost because another process is indexing


class LearningResult(NamedTuple):
    """What :meth:`ArchiveWeights.learn` learned, and how such weights do on queries they have not seen.

    ``ignored`` judgments are orphaned: their places are no longer in the archive; ``adopted``: search uses the weights;
    ``unchanged``: it ranks as before, by the same weights or by some that count all evidence alike. ``texts`` are those
    of the queries by name, ``before`` the weights that were in use.
    """

    weights: Weights
    trial: CrossValidation
    ignored: int = 0
    adopted: bool = False
    unchanged: bool = False
    texts: Mapping[str, str] = {}
    before: Weights | None = None

    @property
    def means(self) -> tuple[float, float]:
        """The mean AP of the better of the shipped weights and those in use, and of such as were learned."""
        mean = {name: float(x.mean()) for name, x in self.trial.precision.items()}
        return max(mean["shipped"], mean.get("in use", 0.0)), mean[self.weights.ranker]

    @property
    def verdict(self) -> LearningVerdict:
        """The measure before and after on queries that the learning did not see, and the weights in plain words."""
        from ..learn.verdict import learning_verdict

        return learning_verdict(self.trial, self.before or self.weights, self.weights, self.texts)


class ArchiveWeights:
    """The weights of an archive: ``archive.weights``."""

    def __init__(self, opened: OpenArchive) -> None:
        self.opened = opened
        self._history = WeightHistory(opened.folder)

    @property
    def learned(self) -> Weights | None:
        """The learned weights that search uses, None where it uses the shipped ones."""
        return self.opened.learned_weights

    @property
    def in_use(self) -> Weights:
        """The weights that search uses: the learned ones, or else the shipped ones."""
        return self.opened.weights_in_use

    @property
    def history(self) -> list[str]:
        """The ids of all weights that were ever used here, the oldest first."""
        return self._history.history

    @property
    def kept(self) -> list[KeptWeights]:
        """All sets of weights that were used or proposed here, with names, dates and what they were learned from."""
        return self._history.all()

    def get(self, name: str) -> Weights:
        """Return a set of weights by its id or name."""
        return self._history.get(name)

    def learn(
        self,
        judged: Judged | None = None,
        ranker: str = NEIGHBOURS,
        *,
        normalise: str | None = AUTO,
        folds: int = 4,
        seed: int = 0,
        candidates: int = CANDIDATES,
        use: bool = True,
        keep: bool = False,
        propose: bool = False,
        by: str = "",
        progress: LearningProgress | None = None,
    ) -> LearningResult:
        """Learn weights of the weak rankers from judged queries, beginning at the shipped ones.

        Search uses them from then on if their mean AP on queries they have not seen is not lower than that of the
        weights in use (``learn.learning.in_use_precision``) and of the shipped ones. Learnings exclude each other.

        Args:
            judged: queries and judgments; by default the archive's own, those of places that are gone left out.
            ranker: a name in ``learn.table.RANKERS``, or any loss.
            normalise: how scores are normalised within a query, for weights of the papers' weak rankers; None: not at
                all; by default what the ranker needs.
            folds: of queries, for the test.
            seed: of the folds.
            candidates: how many places of each query are considered.
            use: whether search uses the weights where they are not worse.
            keep: whether search uses them in any case.
            propose: only store the weights as a candidate, which :meth:`keep` makes those in use.
            by: who learns; it is noted with the weights.
            progress: is called with the stage, how much of it is done, and the whole. If it returns False, learning
                ends with ``LearningStopped``; it may also raise. Nothing has changed then.
        """
        from ..learn.learning import learn, learns_evidence, watched_by
        from ..teaching.training_data import examples

        opened, report = self.opened, watched_by(progress)
        with self._learning():
            ignored = 0
            if judged is None:
                placed = Judgments(opened).placed()
                judged, ignored = placed.judged(), len(placed.deciding_orphans)
            hearings = opened.counting_hearings if learns_evidence(ranker, normalise) else []
            data = examples(opened.index, judged, candidates, report=report, hearings=hearings)
            begin, current = shipped(opened.index.kinds), self.learned
            weights, trial = learn(data, ranker, normalise, folds, seed, candidates, begin, current, report)
            result = LearningResult(weights, trial, ignored, texts=judged.queries, before=current or begin)
            report("weights", 1, 1)  # the last moment to stop it
            if weights.same_values(current or begin) or not (keep or propose or not result.verdict.changes_nothing):
                return result._replace(adopted=True, unchanged=True)
            if propose:
                with writing(opened.folder, wait=_WAIT):
                    self._history.propose(weights, by, verdict=result.verdict.summary())
                return result
            if not use or not (keep or result.means[1] >= result.means[0]):
                return result
            self.keep(result, by=by)
        return result._replace(adopted=True)

    @contextmanager
    def _learning(self) -> Iterator[None]:
        """Hold the lock of learning; the operating system lets go of it when a process is killed."""
        with locked(inside(self.opened.folder, _LEARNING), _BUSY):
            yield

    def keep(self, learned: LearningResult | str, name: str = "", by: str = "") -> None:
        """Use learned weights from now on: what :meth:`learn` returned, or a set that is kept, by its id or name.

        Args:
            learned: the result of learning, or an id or name of :attr:`kept`.
            name: a name for the set of weights.
            by: who keeps it.
        """
        if isinstance(learned, str):
            self.use(learned, name, by)
        else:
            self._use(learned.weights, by, name=name, verdict=learned.verdict.summary())

    def use(self, weights: Weights | str | None, name: str = "", by: str = "") -> None:
        """Use learned weights, earlier ones by their id or name, or the shipped ones (None), from now on."""
        self._use(self.get(weights) if isinstance(weights, str) else weights, by, name=name)

    def undo(self, by: str = "") -> Weights | None:
        """Use the weights that were in use before the present ones; return them, None for the shipped ones."""
        weights = self._history.before()
        self._use(weights, by)
        return weights

    def _use(self, weights: Weights | None, by: str, **noted: object) -> None:
        if weights is not None:
            weights.check(self.opened.ranker_names)
        with writing(self.opened.folder, wait=_WAIT):
            self._history.use(weights, by, **noted)
        self.opened.refresh()
