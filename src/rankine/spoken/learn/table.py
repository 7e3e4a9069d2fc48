"""The table of rankers that learn weights. Looking at it imports nothing heavy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import InputError

if TYPE_CHECKING:
    from ...data.ranking_data import RankingData

NEIGHBOURS = "neighbours"
AUTO = "auto"  # scores are normalised as the ranker needs it


class FusionRanker(NamedTuple):
    """A row of the table of rankers: how it is made for some training queries.

    ``continues``: over columns of evidence it begins at the shipped weights. Others learn the weights of the papers'
    weak rankers.
    """

    explanation: str
    make: Callable[[RankingData, str | None], Any]
    continues: bool = False


def _svm_map(data: RankingData, normalise: str | None) -> Any:
    from ...rankers import LinearRanker

    return LinearRanker(loss="svm-map", C=1e4 / data.n_queries, normalise=normalise)


def _adarank(update: str) -> Callable[[RankingData, str | None], Any]:
    def make(data: RankingData, normalise: str | None) -> Any:
        from ...rankers import AdaRank

        return AdaRank(measure="AP", update=update, normalise=normalise)

    return make


def _single(data: RankingData, normalise: str | None) -> Any:
    from ...rankers import SingleFeature

    return SingleFeature(measure="AP")


def _neighbours(data: RankingData, normalise: str | None) -> Any:
    raise InputError(
        f"the ranker {NEIGHBOURS} learns from scores as they are, beginning at shipped weights; for scores that are "
        "normalised choose another one, such as svm-map"
    )


RANKERS = {
    "neighbours": FusionRanker(
        "how much words that follow each other count; all else as in the shipped weights", _neighbours, continues=True
    ),
    "svm-map": FusionRanker(
        "goes on from the shipped weights; with --normalise as in the paper, C = 10,000 over the number of queries",
        _svm_map, continues=True,
    ),
    "adarank": FusionRanker("AdaRank on AP, for the papers' weak rankers", _adarank("original")),
    "adarank:meng": FusionRanker("the same with the update of Meng, Lee & Lee", _adarank("meng")),
    "single": FusionRanker("the one of the papers' weak rankers with the best AP", _single),
}  # fmt: skip
