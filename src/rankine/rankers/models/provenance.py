"""Where a model comes from: the version of Rankine, the data, the seed, and the command. Every saved model holds it.

The fingerprint of the data is a hash over the features, the grades and the lengths of the queries. Data above 64 MB is
not hashed whole: rows of that size together are, at even distances from the first to the last.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypedDict

import numpy as np

from ...data.ranking_data import Preferences, RankingData
from ...system.files import fingerprint
from ...system.records import Count
from ...version import __version__

MOST = 64 * 2**20  # bytes of X that are hashed
_command: str | None = None


class DataState(TypedDict):
    """What is stored of the training data."""

    fingerprint: str
    queries: Count
    documents: Count
    features: Count


class ProvenanceState(TypedDict):
    """What is stored of the origin of a model; ``command`` is None for one that was made in Python."""

    rankine: str
    data: DataState
    seed: int | None
    command: str | None


@contextmanager
def made_by(command: str) -> Iterator[None]:
    """Models that are fitted inside were made by this command line.

    >>> with made_by("rankine train data.txt -o model.json"):
    ...     provenance_of(RankingData([[1.0]], [0], [1]), seed=0)["command"]
    'rankine train data.txt -o model.json'
    """
    global _command
    before, _command = _command, command.encode("utf-8", "backslashreplace").decode()
    try:
        yield
    finally:
        _command = before


def provenance_of(data: RankingData, seed: Any) -> ProvenanceState:
    """The provenance of a model that is fitted to this data now."""
    about: DataState = {
        "fingerprint": data_fingerprint(data), "queries": data.n_queries, "documents": data.n_documents,
        "features": data.n_features,
    }  # fmt: skip
    whole = isinstance(seed, (int, np.integer)) and not isinstance(seed, bool)
    return {"rankine": __version__, "data": about, "seed": int(seed) if whole else None, "command": _command}


def trained_on(model: Any, data: RankingData) -> bool:
    """Whether a model was fitted to this data, as far as it is known."""
    provenance = getattr(model, "provenance_", None)
    return provenance is not None and provenance["data"]["fingerprint"] == data_fingerprint(data)


def data_fingerprint(data: RankingData) -> str:
    """A text that changes with the features, the grades or preferences, and the lengths of the queries.

    Dense and sparse features of the same values have different ones.

    >>> data = RankingData([[1.0], [2.0]], [0, 1], [7, 7])
    >>> data_fingerprint(data) == data_fingerprint(RankingData([[1.0], [2.0]], [0, 1], [8, 8]))
    True
    """
    X, n = data.X, data.n_documents
    size = X.data.nbytes + X.indices.nbytes if data.is_sparse else X.nbytes
    rows: Any = slice(None)
    if size > MOST:
        X = X[(rows := np.linspace(0, n - 1, max(n * MOST // size, 1)).astype(np.int64))]
    parts = (X.data, X.indices, X.indptr) if data.is_sparse else (X,)
    y = data.y
    grades = (y.winner_row, y.loser_row, y.weight) if isinstance(y, Preferences) else (y[rows],)
    return fingerprint(f"{data.X.shape} {X.dtype} {data.is_sparse}", *parts, *grades, np.diff(data.ptr))
