"""From an utterance's lattice to what the index holds of it: (unit, position, posterior) for every kind and form."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError
from ..lattice.confusion import confusion_network
from ..lattice.formats import Piece
from ..lattice.positions import pspl
from ..lattice.posteriors import UnitPosteriors as Posteriors
from ..lattice.posteriors import arc_posteriors
from ..lattice.scoring import Scoring
from ..lattice.units import Split, splitter, stamp, to_units

FORMS = ("pspl", "cn")
LANGUAGES = {
    "en": {"word": "words", "syllable": "syllables", "phone": "phones"},
    "zh": {"word": "words", "character": "characters", "syllable": "pinyin"},
}
LEVELS = 65535  # posteriors are stored as −log p in so many steps


@dataclass(frozen=True)
class Settings:
    """What is fixed when an archive is made.

    Args:
        kinds: kinds of units and what makes them of words (``lattice.units.KINDS``); the first must be words.
        prune: entries with a posterior up to this are not stored.
        arcs: arcs with a posterior up to this are left out before, which changes what is left a little; None: a tenth
            of ``prune``.
        skip: slots of a confusion network that sum to at most this are passed over.
        dictionary: the pronunciation dictionary that the archive keeps, if it is not CMU's.
    """

    kinds: dict[str, str] = field(default_factory=lambda: dict(LANGUAGES["en"]))
    prune: float = 1e-3
    arcs: float | None = None
    skip: float = 0.0
    dictionary: str | None = None

    def check(self) -> None:
        """Complain about what cannot be."""
        if not self.kinds or next(iter(self.kinds.values())) != "words":
            raise InputError(f"the first kind of units must be words, got {self.kinds}")
        for name, value in (("prune", self.prune), ("arcs", self.arc_threshold), ("skip", self.skip)):
            if not 0 <= value < 1:
                raise InputError(f"{name} must be at least 0 and below 1, got {value!r}")

    @property
    def arc_threshold(self) -> float:
        """What ``arcs`` means."""
        return self.prune / 10 if self.arcs is None else self.arcs

    @property
    def least(self) -> float:
        """The smallest posterior that can be stored."""
        return max(self.prune, 1e-6)

    def coded(self, p: np.ndarray) -> np.ndarray:
        """Posteriors as stored."""
        return np.round(np.log(np.clip(p, self.least, 1.0)) / np.log(self.least) * LEVELS).astype(np.uint16)

    def decoded(self) -> np.ndarray:
        """The posterior of every stored number."""
        return np.exp(np.arange(LEVELS + 1) / LEVELS * np.log(self.least))


def first_pronunciation(kind: str, dictionary: str | None) -> Split | None:
    """How a word is split in an archive: by its first pronunciation, so that a word matches itself fully.

    A word that has no sound that is known has no units.
    """
    return _first(kind, dictionary, stamp(dictionary))


@lru_cache(maxsize=32)
def _first(kind: str, dictionary: str | None, changed: tuple[str, int] | None) -> Split | None:
    split = splitter(kind, dictionary)
    if split is None:
        return None
    kept: dict[str, list[list[str]]] = {}

    def first(word: str) -> list[list[str]]:
        if word not in kept:
            try:
                kept[word] = [list(split(word)[0])]
            except InputError:
                kept[word] = []
        return kept[word]

    return first


class Entries(NamedTuple):
    """The index entries of an utterance in one kind and form, by rising position; slots' times for networks."""

    names: tuple[str, ...]
    unit: np.ndarray
    position: np.ndarray
    posterior: np.ndarray
    slots: np.ndarray


class Utterance(NamedTuple):
    """All that the index holds of an utterance."""

    name: str
    length: float
    entries: dict[tuple[str, str], Entries]
    best: list[tuple[str, float, float, float]]  # words of the likeliest reading: start, end, posterior


def analyse(settings: Settings, scoring: Scoring, dictionary: str | None, piece: Piece) -> Utterance:
    """Posteriors of an utterance for every kind of units and both forms."""
    lattice = scoring.open(piece)
    lattice = lattice.prune(arc_posteriors(lattice).posterior, settings.arc_threshold)
    entries: dict[tuple[str, str], Entries] = {}
    best: list[tuple[str, float, float, float]] = []
    for kind, how in settings.kinds.items():
        smaller = to_units(lattice, first_pronunciation(how, dictionary), silent=True)
        posteriors = arc_posteriors(smaller)
        network = confusion_network(smaller, "pivot", posteriors)
        entries[kind, "pspl"] = _entries(pspl(smaller, posteriors, settings.prune))
        entries[kind, "cn"] = _entries(_compact(network, settings), times=True)
        if not best:
            best = _best_words(network)
    ends = lattice.end[~np.isnan(lattice.end)]
    return Utterance(piece.name, float(ends.max()) if len(ends) else float("nan"), entries, best)


def _compact(network: Posteriors, settings: Settings) -> Posteriors:
    """Without slots that are near-empty, and without small entries."""
    totals = np.bincount(network.position, network.posterior, network.n_positions)
    stays = totals > settings.skip
    number = np.cumsum(stays) - 1
    chosen = stays[network.position] & (network.posterior > settings.prune)
    return replace(
        network, position=number[network.position[chosen]], unit=network.unit[chosen],
        posterior=network.posterior[chosen], start=network.start[chosen], end=network.end[chosen],
        n_positions=int(stays.sum()),
    )  # fmt: skip


def _entries(found: Posteriors, times: bool = False) -> Entries:
    slots = np.zeros((0, 2), np.float32)
    if times:
        slots = np.full((found.n_positions, 2), np.nan, np.float32)
        first = np.flatnonzero(np.diff(found.position, prepend=-1))  # the likeliest unit's times are the slot's
        slots[found.position[first]] = np.column_stack([found.start[first], found.end[first]])
    return Entries(found.units, found.unit, found.position, found.posterior, slots)


def _best_words(network: Posteriors) -> list[tuple[str, float, float, float]]:
    return [
        (network.units[network.unit[i]], float(network.start[i]), float(network.end[i]), float(network.posterior[i]))
        for i in network.best_entries()
    ]


def fingerprint(piece: Piece, more: Any = None) -> str:
    """Tells whether an utterance, or what is said about it, has changed."""
    digest = hashlib.blake2b(digest_size=12)
    if piece.data is None:
        with open(piece.path, "rb") as file:
            digest.update(file.read())
    else:
        digest.update(piece.data)
    digest.update(repr(more).encode())
    return digest.hexdigest()
