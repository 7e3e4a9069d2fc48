"""What is said of queries with too many outputs to be summed over."""

from __future__ import annotations

import warnings

from ..data.ranking_data import RankingData
from ..losses import Loss


class LongQueryWarning(UserWarning):
    """Some queries have too many outputs to be summed over; the loss counts something else for them."""


def warn_of_long_queries(loss: Loss, data: RankingData) -> None:
    """Say at the end of a fit which queries the loss treats apart."""
    if remark := loss.remark(data.y, data.ptr, data.query_ids):
        warnings.warn(remark, LongQueryWarning, stacklevel=3)
