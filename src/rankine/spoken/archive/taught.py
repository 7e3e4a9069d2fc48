"""Teaching an archive: weights from judged queries, and which weights it uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ..index.storage import writing
from ..learn.judgments import Judged
from ..learn.table import AUTO, NEIGHBOURS
from ..learn.weights import Weights, shipped
from .hearings import FurtherHearing, HearingWeight, hearing_of, remove_hearing, write_weight
from .judged_places import JudgedNames
from .ranking import CANDIDATES
from .searched import SearchedArchive
from .shelf import Shelf

if TYPE_CHECKING:  # where it is used it is imported there: a search must begin soon
    from ..learn.learning import CrossValidation


class LearningResult(NamedTuple):
    """What :meth:`Archive.learn` learned: the weights, and how such weights do on queries they have not seen.

    ``ignored`` judgments are of documents that are no longer in the archive; ``adopted``: search uses the weights;
    ``unchanged``: it did before.
    """

    weights: Weights
    trial: CrossValidation
    ignored: int = 0
    adopted: bool = False
    unchanged: bool = False

    @property
    def means(self) -> tuple[float, float]:
        """The mean AP of the best weights that have seen no judgment (shipped, in use), and of such as were learned."""
        mean = {name: float(x.mean()) for name, x in self.trial.precision.items()}
        return max(mean["shipped"], mean.get("in use", 0.0)), mean[self.weights.ranker]


class TaughtArchive(SearchedArchive):
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
    ) -> LearningResult:
        """Learn weights of the weak rankers from judged queries, beginning at the shipped ones.

        Search uses them from then on if their mean AP on queries they have not seen is not lower than that of the
        shipped weights, and of those in use if they were not learned.

        Args:
            judged: queries and judgments; by default the archive's own, those of deleted documents left out.
            ranker: a name in ``learn.table.RANKERS``, or any loss.
            normalise: how scores are normalised within a query, for weights of the papers' weak rankers; None: not at
                all; by default what the ranker needs.
            folds: of queries, for the test.
            seed: of the folds.
            candidates: how many places of each query are considered.
            use: whether search uses the weights where they are not worse.
            keep: whether search uses them in any case.
        """
        from ..learn.learning import compared, learn
        from .examples import examples

        ignored = 0
        if judged is None:
            own = self.judgments.all()
            judged = own.within(JudgedNames(self.index))
            ignored = own.n_judgments - judged.n_judgments
        data = examples(self.index, judged, candidates)
        begin, current = shipped(self.kinds), self.weights
        weights, trial = learn(data, ranker, normalise, folds, seed, candidates, compared(current, begin), begin)
        result = LearningResult(weights, trial, ignored)
        if current is not None and current.id == weights.id:
            return result._replace(adopted=True, unchanged=True)
        if not use or not (keep or result.means[1] >= result.means[0]):
            return result
        self.use_weights(weights)
        return result._replace(adopted=True)

    @property
    def weights_history(self) -> list[str]:
        """The ids of all weights that were ever used here, the oldest first."""
        return Shelf(self.folder).history

    def use_weights(self, weights: Weights | str | None) -> None:
        """Use learned weights, earlier ones by their id, or the shipped ones (None), from now on."""
        shelf = Shelf(self.folder)
        if isinstance(weights, str):
            weights = shelf.get(weights)
        if weights is not None:
            weights.check(self.ranker_names)
        with writing(self.folder, wait=600.0):  # learned weights must not be lost because another process is indexing
            shelf.use(weights)
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
