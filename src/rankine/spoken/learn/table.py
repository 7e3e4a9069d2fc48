"""The table of rankers that learn weights. Looking at it imports nothing heavy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ...data import RankingData


class FusionRanker(NamedTuple):
    """A row of the table of rankers: how it is made for some training queries."""

    explanation: str
    make: Callable[[RankingData, str | None], Any]


def _svm_map(data: RankingData, normalise: str | None) -> Any:
    from ...rankers import LinearRanker

    return LinearRanker(loss="svm-map", C=1e4 / data.n_queries, normalise=normalise)


def _adarank(data: RankingData, normalise: str | None) -> Any:
    from ...rankers import AdaRank

    return AdaRank(measure="AP", normalise=normalise)


def _single(data: RankingData, normalise: str | None) -> Any:
    from ...rankers import SingleFeature

    return SingleFeature(measure="AP")


RANKERS = {
    "svm-map": FusionRanker("as in the paper, C = 10,000 over the number of queries", _svm_map),
    "adarank": FusionRanker("AdaRank on AP", _adarank),
    "single": FusionRanker("the weak ranker with the best AP", _single),
}
