"""What ``train`` and ``tune`` check before the long computation: that there is something to learn and to judge by."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...data.ranking_data import RankingData


Named = tuple[str | None, "RankingData | None"]


def check_data(estimator: Any, measure: str, train: Named, valid: Named = (None, None)) -> None:
    """Raise if the data, each with its name, has nothing to learn or to judge by, or if both are the same."""
    from ...data.alignment import aligned
    from ...errors import InputError
    from ...measures import parse

    for where, data in (train, valid):
        problem = "" if data is None else estimator.problem_of(data, str(parse(measure)))
        if problem:
            raise InputError(problem, where)
        if data is not None:
            _check_gains(measure, data, str(where))
    if train[1] is not None and valid[1] is not None:
        first = None if train[1].numbering is None else train[1].numbering.first
        check_apart(train[1], aligned(valid[1], train[1].n_features, first, valid=True), str(valid[0]))


def _check_gains(measure: str, data: RankingData, where: str) -> None:
    """Raise if the measure is one of gains, and a grade is negative."""
    import numpy as np

    from ...data.ranking_data import Preferences
    from ...errors import InputError
    from ...measures import parse
    from ...measures.table import TABLE

    if isinstance(data.y, Preferences) or not TABLE[parse(measure).name].graded or data.y.min() >= 0:
        return
    row = int(np.flatnonzero(data.y < 0)[0])
    query = data.query_ids[np.searchsorted(data.ptr, row, side="right") - 1]
    raise InputError(
        f"{parse(measure)} needs grades ≥ 0, got {data.y[row]:g}; -m names another measure, as AP, which counts grades "
        "from 1 on",
        f"{where}, query {query}",
    )


def refuse_folds(valid: Any, options: dict[str, Any]) -> None:
    """Raise if options of the folds are given along with validation data, which takes their place."""
    from ...errors import InputError

    option = next((name for name, value in options.items() if value is not None), None)
    if valid is not None and option is not None:
        raise InputError(f"{option} is of the folds, and --valid takes their place: pass one of them")


def check_apart(train: RankingData, valid: RankingData, where: str) -> None:
    """Raise if every validation query is a training query too; warn if some are."""
    from ...errors import InputError

    places = {query: i for i, query in enumerate(train.query_ids.tolist())}
    same = sum(
        _equal(train, places[query], valid, j)
        for j, query in enumerate(valid.query_ids.tolist())
        if query in places and train.n_features == valid.n_features
    )
    if same == valid.n_queries:
        raise InputError("every query of --valid is one of the training data: give queries that are not learned", where)
    if same:
        warnings.warn(
            f"{where}: {same} of the {valid.n_queries} queries of --valid are in the training data too", stacklevel=2
        )


def _equal(a: RankingData, i: int, b: RankingData, j: int) -> bool:
    """Whether two queries hold the same documents; those of dense data may be in another order."""
    import numpy as np

    from ...data.ranking_data import Preferences

    rows, others = slice(a.ptr[i], a.ptr[i + 1]), slice(b.ptr[j], b.ptr[j + 1])
    x, z = a.X[rows], b.X[others]
    if x.shape != z.shape:
        return False
    if not isinstance(a.y, Preferences) and not np.array_equal(np.sort(a.y[rows]), np.sort(b.y[others])):
        return False
    if a.is_sparse or b.is_sparse:
        return abs(x - z).max() == 0 if a.is_sparse and b.is_sparse else False
    return np.array_equal(np.sort(x, axis=0), np.sort(z, axis=0))
