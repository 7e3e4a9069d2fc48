"""Expected counts of n-grams: how they are stored, and what stands in for them where they are not.

Words are counted from ``WORD_LEAST`` on, n-grams of the last kind of units from ``SOUND_LEAST`` on. Counts are stored
as their logarithm. For other units that follow each other :func:`chain_counts` sums over slots or positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from . import schema
from .kernels import grams as kn
from .kernels.build import by_unit
from .reader import PartReader
from .schema import FORMS, Arrays, GramPostings, joined
from .storage import Part

WORD_LEAST, SOUND_LEAST = 1e-5, 1e-3
_SMALLEST, _LARGEST, _STEPS = 1e-6, 1e3, 65535


def least_count(order: int) -> float:
    """The least count of n-grams of this order that is stored."""
    return WORD_LEAST if order == 1 else SOUND_LEAST


def coded(counts: np.ndarray) -> np.ndarray:
    """Counts as they are stored."""
    share = np.log(np.clip(counts, _SMALLEST, _LARGEST) / _SMALLEST) / np.log(_LARGEST / _SMALLEST)
    return np.round(share * _STEPS).astype(np.uint16)


def decoded() -> np.ndarray:
    """The count of every stored number."""
    return _SMALLEST * np.exp(np.arange(_STEPS + 1) / _STEPS * np.log(_LARGEST / _SMALLEST))


class UtteranceGrams(NamedTuple):
    """The n-grams of an utterance in one kind and order: rows of numbers in ``names``, and expected counts."""

    names: tuple[str, ...]
    grams: np.ndarray
    counts: np.ndarray


class GramTable(NamedTuple):
    """All n-grams of a part in one kind and order: codes, where each one's postings begin, and the postings."""

    codes: np.ndarray
    ptr: np.ndarray
    utterance: np.ndarray
    coded: np.ndarray

    @classmethod
    def of(cls, codes: np.ndarray, number: np.ndarray, utterance: np.ndarray, coded: np.ndarray) -> GramTable:
        """The table of postings by rising utterances; ``number`` tells which of the codes each has."""
        ptr, order = np.zeros(len(codes) + 1, np.int64), np.empty(len(number), np.int64)
        by_unit(number, ptr, order)
        return cls(codes, ptr, utterance[order], coded[order])

    @classmethod
    def merged(cls, tables: Sequence[GramTable]) -> GramTable:
        """One table of several whose utterances follow each other; grams without postings are left out."""
        used = [np.diff(table.ptr) > 0 for table in tables]
        codes = np.unique(np.concatenate([table.codes[some] for table, some in zip(tables, used, strict=True)]))
        numbers = [
            np.repeat(np.searchsorted(codes, table.codes[some]).astype(np.int32), np.diff(table.ptr)[some])
            for table, some in zip(tables, used, strict=True)
        ]
        utterance, coded = (np.concatenate([table[i] for table in tables]) for i in (2, 3))
        return cls.of(codes, np.concatenate(numbers), utterance, coded)

    def restricted(self, stays: np.ndarray, number: np.ndarray) -> GramTable:
        """The postings of the utterances that stay, with their new numbers."""
        mask = stays[self.utterance]
        ptr = np.concatenate([[0], np.cumsum(mask)])[self.ptr]
        return GramTable(self.codes, ptr, number[self.utterance[mask]], self.coded[mask])

    def renamed(self, order: int, base: int, numbers: np.ndarray, new_base: int) -> GramTable:
        """The same postings with other numbers of units; grams without postings get a code of no meaning."""
        codes = np.zeros(len(self.codes), np.int64)
        for i in range(order - 1, -1, -1):
            codes = codes * new_base + numbers[self.codes // base**i % base]
        return self._replace(codes=codes)

    def units(self, order: int, base: int) -> np.ndarray:
        """The numbers of the units of all grams that have postings."""
        codes = self.codes[np.diff(self.ptr) > 0]
        return np.unique(np.concatenate([codes // base**i % base for i in range(order)]))

    def arrays(self, kind: str, order: int) -> Arrays:
        """The arrays of a part."""
        return GramPostings(kind, order).write(self.codes, self.ptr, self.utterance, self.coded)


# -- writing


def new_grams(kind: str, orders: Sequence[int], utterances: Sequence[dict[tuple[str, int], UtteranceGrams]]) -> Arrays:
    """The arrays of a new part of these utterances."""
    everything = [u[kind, order] for u in utterances for order in orders]
    names = sorted({g.names[n] for g in everything for n in np.unique(g.grams).tolist()}, key=str.encode)
    number = {name: i for i, name in enumerate(names)}
    yield from schema.gram_units(kind).write(names)
    for order in orders:
        of_order = [u[kind, order] for u in utterances]
        codes = [_codes(g, number) for g in of_order]
        utterance = np.repeat(np.arange(len(codes)), [len(c) for c in codes]).astype(np.uint32)
        counts = joined([g.counts for g in of_order], np.float64)
        all_codes, which = np.unique(joined(codes, np.int64), return_inverse=True)
        yield from GramTable.of(all_codes, which, utterance, coded(counts)).arrays(kind, order)


def _codes(grams: UtteranceGrams, number: dict[str, int]) -> np.ndarray:
    lookup = np.array([number.get(name, -1) for name in grams.names], np.int64)
    out = np.zeros(len(grams.grams), np.int64)
    for column in grams.grams.T:
        out = out * len(number) + lookup[column]
    return out


class PartGrams(NamedTuple):
    """The names of the units of a part's n-grams, and the tables by order."""

    names: list[str]
    tables: dict[int, GramTable]


def merged_grams(
    kind: str,
    orders: Sequence[int],
    parts: Sequence[PartGrams],
    stays: Sequence[np.ndarray],
    numbers: Sequence[np.ndarray],
) -> Arrays:
    """The arrays of one part of several; ``stays`` and ``numbers`` are masks and new numbers of their utterances."""
    tables = [
        {n: table.restricted(mask, number) for n, table in part.tables.items()}
        for part, mask, number in zip(parts, stays, numbers, strict=True)
    ]
    names: set[str] = set()
    for part, of_part in zip(parts, tables, strict=True):
        names |= {part.names[u] for n, table in of_part.items() for u in table.units(n, len(part.names)).tolist()}
    number = {name: i for i, name in enumerate(sorted(names, key=str.encode))}
    yield from schema.gram_units(kind).write(number)
    lookups = [np.array([number.get(name, -1) for name in part.names], np.int64) for part in parts]
    for n in orders:
        renamed = [
            of_part[n].renamed(n, len(lookup), lookup, len(number))
            for of_part, lookup in zip(tables, lookups, strict=True)
        ]
        yield from GramTable.merged(renamed).arrays(kind, n)


def part_grams(part: Part, kind: str, orders: Sequence[int]) -> PartGrams:
    """Return all n-grams of a kind in a part."""
    tables = {}
    for order in orders:
        grams = GramPostings(kind, order)
        tables[order] = GramTable(grams.codes(part), grams.bounds(part), *grams.read(part))
    return PartGrams(schema.gram_units(kind).read(part).all(), tables)


# -- reading


def gram_postings(reader: PartReader, kind: str, units: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The utterances of a part in which units follow each other, and the stored counts; the order must be stored."""
    grams = GramPostings(kind, len(units))
    names = reader.texts(schema.gram_units(kind))
    code, codes = 0, grams.codes(reader.part)
    for unit in units:
        number = names.find(unit)
        if number < 0:
            return np.zeros(0, np.uint32), np.zeros(0, np.uint16)
        code = code * len(names) + number
    at = int(np.searchsorted(codes, code))
    if at == len(codes) or codes[at] != code:
        return np.zeros(0, np.uint32), np.zeros(0, np.uint16)
    ptr = grams.bounds(reader.part)
    return grams.read(reader.part, int(ptr[at]), int(ptr[at + 1]))


def chain_counts(reader: PartReader, kind: str, form: str, units: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The utterances of a part in which units follow each other, and how often: Σ_k Π_j P(u_j, k + j)."""
    first, last = reader.bounds(kind, form, units)
    rarest = int(np.argmin(last - first))
    most = int(last[rarest] - first[rarest])
    where, counts = np.empty(most, np.uint32), np.empty(most)
    n = 0
    if most:
        n = kn.chains(
            first, last, rarest, *reader.postings(kind, form), reader.posteriors, reader.n_positions(kind, form), where,
            counts,
        )  # fmt: skip
    return where[:n], counts[:n]


def larger_counts(reader: PartReader, kind: str, units: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The same as :func:`chain_counts`, by the form in which units follow each other more often."""
    (where_a, a), (where_b, b) = (chain_counts(reader, kind, form, units) for form in FORMS)
    where, counts = np.empty(len(a) + len(b), np.uint32), np.empty(len(a) + len(b))
    n = kn.larger(where_a, a, where_b, b, where, counts)
    return where[:n], counts[:n]
