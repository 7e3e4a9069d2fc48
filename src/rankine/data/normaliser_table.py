"""The table of normalisers: one row for each. Nothing heavy is imported, so that help texts can be made from it."""

from typing import NamedTuple


class NormaliserRow(NamedTuple):
    """A normaliser.

    ``explanation``: what it does, in one line. ``moments``: what gives the shift and scale of each feature, a function
    of :mod:`.normalisers`. ``by_query``: each query has its own shift and scale; else those of all training data
    as one query are kept.
    """

    explanation: str
    moments: str
    by_query: bool = True


TABLE = {
    "query-minmax": NormaliserRow(
        "each feature to [0, 1] within each query, as LETOR's QueryLevelNorm; constant features become 0", "minmax"
    ),
    "query-zscore": NormaliserRow(
        "each feature to mean 0 and deviation 1 within each query; constant features become 0", "zscore"
    ),
    "zscore": NormaliserRow(
        "each feature to mean 0 and deviation 1 over the training data; constant features become 0",
        "zscore",
        by_query=False,
    ),
}
