"""The bundled samples: a judged search set made from a seed, and a spoken archive.

Each query has a hidden difficulty; each document a hidden relevance that its features show through noise of different
strength. Grades 0 to 4 cut that relevance as judges do: most documents are poor, few are excellent.
``python -m rankine.sample`` writes the bundled sample anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np

from ..data.ranking_data import RankingData
from ..io import load_letor

FEATURES = ("bm25_title", "bm25_body", "title_length", "body_length", "pagerank", "clicks", "age_days", "url_depth")
__all__ = ["FEATURES", "bundled_sample", "judged_set", "spoken_sample"]
_CUTS = (0.9, 1.5, 2.1, 2.7)


def judged_set(n_queries: int = 60, seed: int = 7) -> RankingData:
    """Judged queries with eight named features.

    >>> judged_set(n_queries=3)
    RankingData(3 queries, 73 documents, 8 features, dense float32)
    """
    rng = np.random.default_rng(seed)
    features, grades, qid = [], [], []
    for q in range(1, n_queries + 1):
        m = int(rng.integers(15, 41))
        hardness = rng.uniform(0.6, 1.6)
        relevance = rng.standard_normal(m)

        def seen(noise: float, relevance: np.ndarray = relevance, hardness: float = hardness) -> np.ndarray:
            return relevance + noise * hardness * rng.standard_normal(len(relevance))

        columns = (
            np.exp(0.5 * seen(1.0)),
            8 + 3 * seen(0.9),
            rng.integers(2, 14, m),
            rng.integers(60, 3000, m),
            1 / (1 + np.exp(-seen(2.0))),
            np.round(np.exp(2 + 0.8 * seen(1.4))),
            rng.integers(1, 2000, m),
            rng.integers(1, 7, m),
        )
        features.append(np.column_stack(columns).round(4))
        grades.append(np.searchsorted(_CUTS, relevance + 0.35 * rng.standard_normal(m) + 0.5))
        qid += [q] * m
    X = np.maximum(np.concatenate(features), 0).astype(np.float32)
    y = np.concatenate(grades)
    doc_ids = [f"d{q:02d}-{i:04d}" for q, i in zip(qid, range(len(qid)), strict=True)]
    return RankingData(X, y, qid, doc_ids, FEATURES)


def bundled_sample() -> RankingData:
    """The sample that is part of the package, with its feature names.

    >>> bundled_sample().n_queries
    60
    """
    with files(__name__).joinpath("search.txt").open("rb") as file:
        data = load_letor(file)
    return RankingData.from_valid(data.X, data.y, data.qid, data.doc_ids, FEATURES)


@contextmanager
def spoken_sample() -> Iterator[Path]:
    """The folder of the spoken sample: recordings.tsv, queries.tsv, qrels.txt and the folders audio and lattices.

    >>> with spoken_sample() as folder:
    ...     len(list(folder.glob("lattices/*.slf.gz")))
    80
    """
    with as_file(files(__name__).joinpath("spoken")) as folder:
        yield folder
