"""Where word sequences stand in the confusion networks: what a query excludes, and words that stand close together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ..index.reader import Index, PartReader
from .terms import Near, WordSequence

HEARD = 0.5  # a word with this posterior was heard


class Places(NamedTuple):
    """Places of a part where words stand in slots one after the other: first and last slot, product of posteriors.

    A slot of utterance u is numbered u·2³² + its number there, so that places of an utterance are close.
    """

    first: np.ndarray
    last: np.ndarray
    posterior: np.ndarray

    @property
    def utterance(self) -> np.ndarray:
        """The utterance of each place."""
        return self.first >> 32


def places_of(part: PartReader, kind: str, units: Sequence[str]) -> Places:
    """All places of units one after the other."""
    begin, end = part.bounds(kind, "cn", units)
    utterance, position, coded = part.postings(kind, "cn")
    first = last = np.empty(0, np.int64)
    product = np.empty(0)
    for number, (a, b) in enumerate(zip(begin.tolist(), end.tolist(), strict=True)):
        slots = utterance[a:b].astype(np.int64) << 32 | position[a:b].astype(np.int64)
        posterior = part.posteriors[coded[a:b]]
        if number == 0:
            first, last, product = slots, slots, posterior
            continue
        here = np.searchsorted(slots, last + 1)
        before = np.flatnonzero(np.append(slots, -1)[here] == last + 1)
        here = here[before]
        first, last, product = first[before], slots[here], product[before] * posterior[here]
    return Places(first, last, product)


def all_places(part: PartReader, kind: str, sequences: Iterable[WordSequence]) -> Places:
    """The places of any of several word sequences."""
    some = [places_of(part, kind, sequence.units(kind)) for sequence in sequences]
    return Places(*(np.concatenate(column) for column in zip(*some, strict=True)))


def heard(index: Index, sequences: Sequence[WordSequence]) -> np.ndarray:
    """True for the documents in which one of the sequences was heard, with a posterior of at least ``HEARD``."""
    masks = [np.zeros(part.n_documents, np.bool_) for part in index.parts]
    for part, mask in zip(index.parts, masks, strict=True):
        places = all_places(part, index.kinds[0], sequences)
        mask[part.document_of[places.utterance[places.posterior >= HEARD]]] = True
    return np.concatenate(masks) if masks else np.zeros(0, np.bool_)


def close(index: Index, near: Near) -> np.ndarray:
    """True for the documents in which both sides stand in one utterance, at most so many slots apart."""
    masks = [np.zeros(part.n_documents, np.bool_) for part in index.parts]
    for part, mask in zip(index.parts, masks, strict=True):
        left, right = (all_places(part, index.kinds[0], side) for side in (near.left, near.right))
        for before, behind in ((left, right), (right, left)):
            starts = np.sort(behind.first)
            reach = np.minimum(before.last + near.distance, before.last | 0xFFFFFFFF)
            n = np.searchsorted(starts, reach, side="right") - np.searchsorted(starts, before.last, side="right")
            mask[part.document_of[before.utterance[n > 0]]] = True
    return np.concatenate(masks) if masks else np.zeros(0, np.bool_)
