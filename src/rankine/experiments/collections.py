"""The LETOR sets with their five folds, from the folder that RANKINE_DATA names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ..data import RankingData, concatenate
from ..errors import InputError, nearest
from ..io import load_letor


class Collection(NamedTuple):
    """A LETOR set: its name in print, its folder, and the normaliser its features need."""

    title: str
    folder: str
    normalise: str | None


COLLECTIONS = {
    "mq2008": Collection("MQ2008", "letor/mq2008", None),
    "ohsumed": Collection("OHSUMED (LETOR 3.0)", "letor/ohsumed", None),
    "ohsumed-letor2": Collection("OHSUMED (LETOR 2.0)", "letor/ohsumed-letor2", "query-minmax"),
}


class Fold(NamedTuple):
    """Training, validation and test queries."""

    train: RankingData
    valid: RankingData
    test: RankingData


def folds(name: str) -> Iterator[Fold]:
    """The five folds of a set: S1+S2+S3 / S4 / S5, and so on round the circle."""
    parts = _parts(name)
    for i in range(5):
        turned = [parts[(i + j) % 5] for j in range(5)]
        yield Fold(concatenate(turned[:3]), turned[3], turned[4])


@lru_cache(maxsize=3)
def _parts(name: str) -> tuple[RankingData, ...]:
    if name not in COLLECTIONS:
        raise InputError(f"unknown set {name!r}.{nearest(name, COLLECTIONS)} There are: {', '.join(COLLECTIONS)}")
    place = os.environ.get("RANKINE_DATA")
    if not place:
        raise InputError("set RANKINE_DATA to the folder that holds letor/mq2008, letor/ohsumed, …")
    folder = Path(place, COLLECTIONS[name].folder)
    return tuple(load_letor(folder / f"S{i}.txt.xz") for i in range(1, 6))
