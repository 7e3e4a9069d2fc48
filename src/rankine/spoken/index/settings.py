"""What is fixed when an archive is made: its kinds of units and what of their posteriors is stored."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Annotated, Any, NotRequired, TypedDict

import numpy as np
from msgspec import Meta

from ...errors import InputError, nearest, shorten
from ..lattice.units import TABLE, Split, splitter, stamp, table

LANGUAGES = {  # the kinds of units of each language, and what makes them of words
    language: {row.singular: name for name, row in TABLE.items() if language in row.languages}
    for language in table.LANGUAGES
}
_CODE = re.compile(r"[a-z]{2,3}")
LEVELS = 65535  # posteriors are stored as −log p in so many steps


def units_of(language: str) -> dict[str, str]:
    """The kinds of units of a new archive in a language; one that is not in the table has words and letters.

    >>> units_of("de")
    {'word': 'words', 'letter': 'letters'}
    >>> units_of("German")
    Traceback (most recent call last):
    rankine.errors.InputError: language must be en, zh, other, or a code such as de; got 'German'
    """
    if language not in LANGUAGES and not _CODE.fullmatch(language):
        hint = nearest(language, LANGUAGES)
        raise InputError(f"language must be {', '.join(LANGUAGES)}, or a code such as de; got {language!r}{hint}")
    return dict(LANGUAGES.get(language, LANGUAGES[table.OTHER]))


Share = Annotated[float, Meta(ge=0, lt=1)]


class SettingsRecord(TypedDict):
    """:class:`Settings` as a manifest holds them."""

    kinds: dict[str, str]
    prune: Share
    arcs: NotRequired[Share | None]
    skip: NotRequired[Share]
    dictionary: NotRequired[str | None]


@dataclass(frozen=True)
class Settings:
    """What is fixed when an archive is made.

    Args:
        kinds: kinds of units and what makes them of words: a name in ``lattice.units.TABLE``, or a file of words and
            their units, which is copied into a new archive; the first must be words.
        prune: entries with a posterior up to this are not stored.
        arcs: arcs with a posterior up to this are left out before posteriors are computed, which changes the others a
            little; None: a tenth of ``prune``.
        skip: slots of a confusion network whose posteriors sum to at most this are left out.
        dictionary: the pronunciation dictionary in the archive's folder; None: CMU's.
    """

    kinds: dict[str, str] = field(default_factory=lambda: dict(LANGUAGES["en"]))
    prune: float = 1e-3
    arcs: float | None = None
    skip: float = 0.0
    dictionary: str | None = None

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Settings:
        """The settings that a manifest holds."""
        return cls(**record)

    def check(self) -> None:
        """Raise InputError if a setting is out of range."""
        if not self.kinds or next(iter(self.kinds.values())) != "words":
            raise InputError(f"the first kind of units must be words, got {self.kinds}")
        for name, value in (("prune", self.prune), ("arcs", self.arc_threshold), ("skip", self.skip)):
            if not 0 <= value < 1:
                raise InputError(f"{name} must be at least 0 and below 1, got {value!r}")

    @property
    def arc_threshold(self) -> float:
        """The largest posterior of arcs that are left out."""
        return self.prune / 10 if self.arcs is None else self.arcs

    @property
    def language(self) -> str:
        """The language that queries are read in: Mandarin where words are split into pinyin, other for letters."""
        if any(how.startswith("pinyin") for how in self.kinds.values()):
            return "zh"
        return table.OTHER if "letters" in self.kinds.values() else "en"

    @property
    def candidate_kinds(self) -> list[str]:
        """The kinds of units by which candidates of a query are found."""
        return [kind for kind, how in self.kinds.items() if how not in TABLE or TABLE[how].candidates]

    @property
    def grams(self) -> dict[str, tuple[int, ...]]:
        """The orders of n-grams whose expected counts are stored: words, and the last kind of units from 2 on."""
        word, *others = self.kinds
        orders: dict[str, tuple[int, ...]] = {word: (1,)}
        if others:
            orders[others[-1]] = tuple(range(2, self.gram_order(others[-1]) + 1))
        return orders

    def gram_order(self, kind: str) -> int:
        """How many units of a kind in a row are evidence of a word."""
        how = self.kinds[kind]
        return TABLE[how].grams if how in TABLE else 2

    @property
    def least(self) -> float:
        """The smallest posterior that can be stored."""
        return max(self.prune, 1e-6)

    def coded(self, p: np.ndarray) -> np.ndarray:
        """Posteriors as they are stored."""
        return np.round(np.log(np.clip(p, self.least, 1.0)) / np.log(self.least) * LEVELS).astype(np.uint16)

    def decoded(self) -> np.ndarray:
        """The posterior of every stored number."""
        return np.exp(np.arange(LEVELS + 1) / LEVELS * np.log(self.least))

    def splits(self, dictionary: str | None) -> dict[str, Split | None]:
        """What makes units of a word, for every kind; ``dictionary`` is the path of the archive's own, if it has one.

        A word is split by its first pronunciation, in the archive and in queries, so that it matches itself fully. A
        word without a pronunciation has no units.
        """
        return {kind: _first_pronunciation(how, dictionary, stamp(dictionary)) for kind, how in self.kinds.items()}

    def listed(self, dictionary: str | None) -> Callable[[str], bool]:
        """What tells whether a word is in the pronunciation dictionary of the last kind of units."""
        kind, how = list(self.kinds.items())[-1]
        row = TABLE.get(how)
        if row is not None and row.listed is not None:
            return row.listed(dictionary)
        split = self.splits(dictionary)[kind]
        return lambda word: split is not None and bool(split(word))


def check_members(record: Mapping[str, Any], version: str, where: str) -> None:
    """Raise InputError if the settings of a manifest have a member of another name: it may change what they mean.

    >>> check_members({"kinds": {}, "stress": True}, "9.1", "archive/manifest.json")
    Traceback (most recent call last):
    rankine.errors.InputError: archive/manifest.json: this release does not know the setting 'stress', which Rankine 9.1
    wrote: update Rankine. It knows: kinds, prune, arcs, skip, dictionary
    """
    names = [f.name for f in fields(Settings)]
    for name in record:
        if name not in names:
            raise InputError(
                f"this release does not know the setting {shorten(name)}, which Rankine {version} wrote: "
                f"update Rankine. It knows: {', '.join(names)}", where,
            )  # fmt: skip


@lru_cache(maxsize=32)
def _first_pronunciation(how: str, dictionary: str | None, changed: tuple[str, int] | None) -> Split | None:
    split = splitter(how, dictionary)
    if split is None:
        return None
    pronunciations: dict[str, list[list[str]]] = {}

    def first(word: str) -> list[list[str]]:
        if word not in pronunciations:
            try:
                pronunciations[word] = [list(split(word)[0])]
            except InputError:
                pronunciations[word] = []
        return pronunciations[word]

    return first
