"""Judged search results made from a seed, as large as a benchmark needs.

Features are noisy mixtures of a few hidden causes, as those of search engines are; a document's hidden relevance
depends on the causes, its grade also on chance. Shares of the five grades follow MSLR-WEB30K.
"""

from functools import lru_cache

import numpy as np

from rankine import RankingData

SHARES = (0.52, 0.23, 0.13, 0.08, 0.04)
CAUSES = 24


@lru_cache(maxsize=1)
def judged_search(
    n_queries: int, per_query: int, n_features: int, seed: int = 1, dtype: str = "float32", noise: float = 1.0
) -> RankingData:
    """``n_queries`` × ``per_query`` documents with five grades."""
    rng = np.random.default_rng(seed)
    mixing = rng.standard_normal((CAUSES, n_features), dtype=np.float32) / np.sqrt(np.float32(CAUSES))
    matters = rng.standard_normal(CAUSES) * (np.arange(CAUSES) % 3 == 0)
    n = n_queries * per_query
    X, hidden = np.empty((n, n_features), dtype), np.empty(n)
    for lo in range(0, n, 50_000):
        part = slice(lo, min(lo + 50_000, n))
        causes = rng.standard_normal((part.stop - lo, CAUSES), dtype=np.float32)
        X[part] = causes @ mixing + 0.5 * rng.standard_normal((part.stop - lo, n_features), dtype=np.float32)
        hidden[part] = causes @ matters / np.linalg.norm(matters) + noise * rng.standard_normal(part.stop - lo)
    cuts = np.quantile(hidden[: min(n, 100_000)], np.cumsum(SHARES)[:-1])
    y = np.searchsorted(cuts, hidden).astype(np.float64)
    return RankingData(X, y, np.repeat(np.arange(n_queries), per_query))


def split(data: RankingData, n_queries: int) -> tuple[RankingData, RankingData]:
    """The first queries, and the others; views, not copies."""
    at = data.ptr[n_queries]
    first = RankingData.from_valid(data.X[:at], data.y[:at], data.qid[:at])
    return first, RankingData.from_valid(data.X[at:], data.y[at:], data.qid[at:])
