"""Teaching an archive: weights from judged queries, and which weights it uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from ...system.files import locked
from ...system.paths import inside
from ..index.storage import writing
from ..learn.judgments import Judged
from ..learn.table import AUTO, NEIGHBOURS
from ..learn.weights import Weights, shipped
from .hearings import FurtherHearing, HearingWeight, hearing_of, remove_hearing, write_weight
from .judged import JudgedArchive
from .judged_places import JudgedNames
from .ranking import CANDIDATES
from .shelf import KeptWeights, Shelf

if TYPE_CHECKING:  # where it is used it is imported there: a search must begin soon
    from ..learn.learning import CrossValidation, LearningProgress
    from ..learn.verdict import LearningVerdict

_LEARNING = "learning"  # the file beside which its lock stands
_BUSY = "another process is learning from this archive; wait until it is done, or stop it"
_WAIT = 600.0  # seconds: learned weights must not be lost because another process is indexing


class LearningResult(NamedTuple):
    """What :meth:`Archive.learn` learned: the weights, and how such weights do on queries they have not seen.

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


class TaughtArchive(JudgedArchive):
    """An archive that learns from judged queries."""

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
            propose: only store the weights as a candidate, which :meth:`keep_weights` makes those in use.
            by: who learns; it is noted with the weights.
            progress: is called with the stage, how much of it is done, and the whole. If it returns False, learning
                ends with ``LearningStopped``; it may also raise. Nothing has changed then.
        """
        from ..learn.learning import learn, learns_evidence, watched_by
        from .examples import examples

        report = watched_by(progress)
        with self._learning():
            ignored = 0
            if judged is None:
                placed = self.placed_judgments()
                judged, ignored = placed.judged(), len(placed.deciding_orphans)
            hearings = self.counting_hearings if learns_evidence(ranker, normalise) else []
            data = examples(self.index, judged, candidates, report=report, hearings=hearings)
            begin, current = shipped(self.kinds), self.weights
            weights, trial = learn(data, ranker, normalise, folds, seed, candidates, begin, current, report)
            result = LearningResult(weights, trial, ignored, texts=judged.queries, before=current or begin)
            report("weights", 1, 1)  # the last moment to stop it
            if weights.same_values(current or begin) or not (keep or propose or not result.verdict.changes_nothing):
                return result._replace(adopted=True, unchanged=True)
            if propose:
                with writing(self.folder, wait=_WAIT):
                    Shelf(self.folder).propose(weights, by, verdict=result.verdict.summary())
                return result
            if not use or not (keep or result.means[1] >= result.means[0]):
                return result
            self.keep_weights(result, by=by)
        return result._replace(adopted=True)

    @contextmanager
    def _learning(self) -> Iterator[None]:
        """Hold the lock of learning; the operating system lets go of it when a process is killed."""
        with locked(inside(self.folder, _LEARNING), _BUSY):
            yield

    @property
    def weights_history(self) -> list[str]:
        """The ids of all weights that were ever used here, the oldest first."""
        return Shelf(self.folder).history

    @property
    def kept_weights(self) -> list[KeptWeights]:
        """All sets of weights that were used or proposed here, with names, dates and what they were learned from."""
        return Shelf(self.folder).all()

    def keep_weights(self, learned: LearningResult | str, name: str = "", by: str = "") -> None:
        """Use learned weights from now on: what :meth:`learn` returned, or a set that is kept, by its id or name.

        Args:
            learned: the result of learning, or an id or name of :attr:`kept_weights`.
            name: a name for the set of weights.
            by: who keeps it.
        """
        if isinstance(learned, str):
            self.use_weights(learned, name, by)
        else:
            self._use(learned.weights, by, name=name, verdict=learned.verdict.summary())

    def use_weights(self, weights: Weights | str | None, name: str = "", by: str = "") -> None:
        """Use learned weights, earlier ones by their id or name, or the shipped ones (None), from now on."""
        self._use(Shelf(self.folder).get(weights) if isinstance(weights, str) else weights, by, name=name)

    def go_back(self, by: str = "") -> Weights | None:
        """Use the weights that were in use before the present ones; returns them, None for the shipped ones."""
        weights = Shelf(self.folder).before()
        self._use(weights, by)
        return weights

    def _use(self, weights: Weights | None, by: str, **said: object) -> None:
        if weights is not None:
            weights.check(self.ranker_names)
        with writing(self.folder, wait=_WAIT):
            Shelf(self.folder).use(weights, by, **said)
        self.refresh()

    # -- further hearings

    def learn_hearings(
        self, given: bool = True, report: Callable[[str, int, int], None] = lambda name, done, total: None
    ) -> list[FurtherHearing]:
        """Learn how much each further hearing counts; search uses these weights from then on.

        A hearing counts only if it helps: on at least ten judged queries, or else on words that several hearings have
        (:mod:`.hearing_examples`). Without evidence its weight is 0.

        Args:
            given: whether weights that were given are learned anew too.
            report: is called with the name of a hearing, the number of its queries done, and of all.
        """
        from .hearing_weights import learn_weights

        judged = self.judgments.all().within(JudgedNames(self.index))
        weights = self.weights or shipped(self.kinds)
        learned = learn_weights(self.index, self.hearings, judged, weights, given, report)
        self.refresh()
        return learned

    def weigh_hearing(self, name: str, weight: float) -> None:
        """Give a further hearing a weight, 0 for none; learning after recordings are added leaves it as it is."""
        write_weight(hearing_of(self.folder, name), HearingWeight(weight, "given"))
        self.refresh()

    def remove_hearing(self, name: str) -> None:
        """Remove a further hearing, with the lattices of its recogniser."""
        remove_hearing(self.folder, name)
        self.refresh()
