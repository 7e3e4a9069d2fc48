"""How many preferences of judgment groups a ranking meets: what trec_eval's prefs measures count.

The documents that the judgments of a query name are numbered: those that the run retrieved first, by rank, then the
others. A preference of i to j is met if i < j and i is retrieved. trec_eval tells apart preferences with both documents
retrieved, with one, and with none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import InputError


@dataclass(frozen=True)
class Group:
    """A judgment group: the places of its documents, their levels, and the number of the subgroup of each row."""

    places: np.ndarray
    levels: np.ndarray
    subgroups: np.ndarray

    @property
    def is_whole(self) -> bool:
        """Whether it has no subgroups."""
        return len(set(self.subgroups.tolist())) == 1


@dataclass(frozen=True)
class PreferenceCounts:
    """The judgment groups of a query: ``n`` documents, the first ``retrieved`` of them retrieved, in order of rank."""

    groups: tuple[Group, ...]
    n: int
    retrieved: int

    @cached_property
    def graphs(self) -> list[np.ndarray]:
        """For each group, whether document i is preferred to document j."""
        return [_graph(group, self.n) for group in self.groups]

    def counted(self, graph: np.ndarray, over: str) -> tuple[int, int]:
        """How many preferences are met and possible: ``over`` all, or with both or any documents retrieved."""
        k = self.retrieved
        both = graph[:k, :k]
        met, possible = int(np.triu(both, 1).sum()), int(both.sum())
        if over != "retrieved":
            implied = int(graph[:k, k:].sum())
            met, possible = met + implied, possible + implied + int(graph[k:, :k].sum())
        if over == "all":
            possible += int(graph[k:, k:].sum())
        return met, possible


def _graph(group: Group, n: int) -> np.ndarray:
    graph = np.zeros((n, n), bool)
    for number in dict.fromkeys(group.subgroups.tolist()):
        rows = group.subgroups == number
        places, levels = group.places[rows], group.levels[rows]
        graph[np.ix_(places, places)] |= levels[:, None] > levels[None, :]
    if group.is_whole:
        return graph
    while True:  # preferences follow from those of several subgroups
        longer = graph | (graph.astype(np.float32) @ graph.astype(np.float32) > 0)
        if (longer == graph).all():
            break
        graph = longer
    if (graph & graph.T).any():
        raise InputError("a judgment group prefers a document to another and the other to it")
    return graph


def number_of_preferences(counts: PreferenceCounts, met: bool, over: str) -> float:
    """How many preferences there are, or are met."""
    pairs = [counts.counted(graph, over) for graph in counts.graphs]
    return float(sum(a if met else b for a, b in pairs))


def share_met(counts: PreferenceCounts, average: str, over: str) -> float:
    """The share of preferences met, of all, averaged over pairs of documents, or over groups."""
    if average == "pairs":
        return _share_of_pairs(counts, over)
    pairs = [counts.counted(graph, over) for graph in counts.graphs]
    if average == "groups":
        return sum(met / possible for met, possible in pairs if possible) / len(pairs)
    possible = sum(b for _, b in pairs)
    return sum(a for a, _ in pairs) / possible if possible else 0.0


def _share_of_pairs(counts: PreferenceCounts, over: str) -> float:
    """Of each pair of documents the share of its preferences that are met, averaged over the pairs."""
    k, n = counts.retrieved, counts.n
    votes = np.sum([graph.astype(np.int64) for graph in counts.graphs], axis=0)
    upper = np.triu(np.ones((n, n), bool), 1)
    both = upper & (np.arange(n) < k)[None, :]
    one = upper & (np.arange(n) < k)[:, None]
    counted = {"retrieved": both, "implied": one, "all": upper}[over]
    total = votes + votes.T
    pairs = counted & (total > 0)
    met = pairs & one
    return float((votes[met] / total[met]).sum() / pairs.sum()) if pairs.any() else 0.0


def share_met_of_few(counts: PreferenceCounts, over: str) -> float:
    """The mean over groups of the share met, with as many non-relevant documents as relevant ones.

    Missing non-relevant documents count as met; of too many the first by rank are kept. As trec_eval: a group whose
    share is 0 of 0 makes the value 0, and in a group without subgroups the non-relevant documents are also compared
    with those that are kept.
    """
    total = 0.0
    for group, graph in zip(counts.groups, counts.graphs, strict=True):
        level = np.full(counts.n, -1.0)
        level[group.places] = group.levels
        shown = np.arange(counts.n) < (counts.retrieved if over == "retrieved" else counts.n)
        named = np.zeros(counts.n, bool)
        named[group.places] = True
        positive, rest = named & (level > 0), named & (level <= 0)
        R, N = int((positive & shown).sum()), int((rest & shown).sum())
        if R >= N:
            met, possible = counts.counted(graph, over)
            met += int(positive[: counts.retrieved].sum()) * (R - N)
            possible += int(positive.sum()) * (R - N)
        else:
            kept = R if group.is_whole else int(positive.sum())
            met, possible = _recounted(counts, graph, rest, kept, over, group.is_whole, level)
        if possible == 0:
            return 0.0
        total += met / possible
    return total / len(counts.groups)


def _recounted(
    counts: PreferenceCounts, graph: np.ndarray, rest: np.ndarray, kept: int, over: str, whole: bool, level: Any
) -> tuple[int, int]:
    """What is met and possible if only the first ``kept`` non-relevant documents count."""
    first = np.zeros(counts.n, bool)
    first[np.flatnonzero(rest)[:kept]] = True
    compared = graph & ~(rest & ~first)[None, :] & ~(rest & ~first)[:, None]
    if whole:
        compared = compared | (rest[:, None] & first[None, :])
    return counts.counted(compared, over)
