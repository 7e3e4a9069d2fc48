"""Preference graphs as files: winner, loser and weight for each query, joined to the rows of a data set."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from ...data.ranking_data import Preferences, RankingData
from ...errors import InputError, shorten
from ...system.sources import Source
from ..notes import said
from ..tables.columns import QUERY, ColumnLayout, Role
from ..tables.records import Records, load_records

WINNER = Role("winner", ("winner", "winnerid", "preferred", "better", "chosen"))
LOSER = Role("loser", ("loser", "loserid", "worse", "rejected"))
WEIGHT = Role("weight", ("weight", "w", "count"), needed=False, number=True)
LAYOUT = ColumnLayout(
    "preferences", (QUERY, WINNER, LOSER, WEIGHT), ("query winner loser weight", "query winner loser")
)  # fmt: skip


def load_preferences(
    source: Source,
    data: RankingData,
    *,
    query: str | None = None,
    winner: str | None = None,
    loser: str | None = None,
    weight: str | None = None,
) -> Preferences:
    """Read a preference graph over the rows of ``data``: CSV, TSV, JSON lines, JSON or Parquet.

    Each record names a query, the document that should stand above, the one below, and a weight (1 where there is no
    such column). Documents are named by the ids of ``data``; where it has none, by their number within the query,
    from 1, in the order of its file. Records of queries that ``data`` lacks are left out, which a note tells.

    Args:
        source: a path, ``-`` or a binary file object.
        data: the data set whose rows the graph is about.
        query: the column of queries, if it has none of the usual names; ``winner``, ``loser`` and ``weight`` alike.

    >>> import io
    >>> data = RankingData([[0.1], [0.9], [0.4]], [0, 0, 0], ["q", "q", "q"], doc_ids=["a", "b", "c"])
    >>> graph = load_preferences(io.BytesIO(b"query,winner,loser,weight\\nq,b,a,2\\nq,c,a,1\\n"), data)
    >>> graph.winner_row, graph.loser_row, graph.weight
    (array([1, 2]), array([0, 0]), array([2., 1.]))
    """
    records = load_records(source, LAYOUT, {"query": query, "winner": winner, "loser": loser, "weight": weight})
    documents = _Documents(data)
    edges, queries = [], set()
    for i, name in enumerate(records.columns["query"]):
        q = documents.queries.get(name)
        if q is not None:
            edges.append(_edge(records, i, q, documents))
            queries.add(q)
    if not edges:
        theirs, ours = (_three(names) for names in (dict.fromkeys(records.columns["query"]), documents.queries))
        raise InputError(f"no query is one of the data set: the file has {theirs}, the data set {ours}", records.name)
    if len(edges) < len(records.lines):
        said(f"{records.name}: {len(records.lines) - len(edges)} preferences are of queries that the data lacks")
    if len(queries) < data.n_queries:
        said(f"{records.name}: {data.n_queries - len(queries)} of {data.n_queries} queries have no preference")
    winners, losers, weights = zip(*edges, strict=True)
    return Preferences(winners, losers, weights)


def _edge(records: Records, i: int, q: int, documents: _Documents) -> tuple[int, int, float]:
    """The rows of winner and loser, and the weight, of a record."""
    names = records.columns["winner"][i], records.columns["loser"][i]
    winner, loser = (documents.row(q, name, records.where(i)) for name in names)
    weight = records.columns["weight"][i] if "weight" in records.columns else 1.0
    if winner == loser:
        raise InputError(f"document {shorten(names[0])} is preferred to itself", records.where(i))
    if weight < 0:
        raise InputError(f"expected a weight ≥ 0, got {weight:g}", records.where(i))
    return winner, loser, weight


class _Documents:
    """The rows of a data set by query and name; documents without names are numbered from 1 within their query."""

    def __init__(self, data: RankingData) -> None:
        self.data = data
        self.queries = {str(q): i for i, q in enumerate(data.query_ids.tolist())}
        self.rows: dict[int, dict[str, int]] = {}

    def row(self, q: int, name: str, where: str) -> int:
        """The row of the document with this name in query number q."""
        if q not in self.rows:
            self.rows[q] = self._rows(q)
        row = self.rows[q].get(name)
        if row is None or row < 0:
            query, names = self.data.query_ids[q], self.rows[q]
            if row is not None:
                raise InputError(f"two documents of query {query} are called {shorten(name)}", where)
            there = f"{_three(names)}{', …' if len(names) > 3 else ''}"
            numbered = " (the data set has no document ids: they are numbered)" if self.data.doc_ids is None else ""
            raise InputError(f"query {query} has no document {shorten(name)}; it has {there}{numbered}", where)
        return row

    def _rows(self, q: int) -> dict[str, int]:
        first, end = int(self.data.ptr[q]), int(self.data.ptr[q + 1])
        ids = self.data.doc_ids
        names = range(1, end - first + 1) if ids is None else ids[first:end].tolist()
        rows: dict[str, int] = {}
        for row, name in enumerate(map(str, names), first):
            rows[name] = -1 if name in rows else row
        return rows


def _three(names: Iterable[str]) -> str:
    return ", ".join(shorten(name) for name in islice(names, 3))


def with_preferences(data: RankingData, preferences: Preferences) -> RankingData:
    """The same documents, with a preference graph in place of grades.

    >>> data = RankingData([[0.1], [0.9]], [0, 0], [1, 1])
    >>> with_preferences(data, Preferences([1], [0])).y
    Preferences(1 edges)
    """
    return data.with_supervision(preferences)
