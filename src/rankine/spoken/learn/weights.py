"""Learned weights of weak rankers, as a file."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any, TypedDict

import numpy as np
from msgspec import Meta

from ...data.normaliser_table import TABLE
from ...data.normalisers import Normaliser
from ...data.ranking_data import RankingData
from ...errors import InputError, is_utf8, nearest
from ...system.files import fingerprint, sealed, unsealed
from ...system.records import Count, Finite, checked
from ...version import __version__
from ..index.evidence import CLASSES, evidence_names


class _Provenance(TypedDict, total=False):
    """How weights were learned, as far as it is used again; the rest is kept as it is."""

    queries: Count
    candidates: Annotated[int, Meta(ge=1, le=10**9)]
    MAP: dict[str, Finite]
    language: str
    kinds: list[str]
    seen: list[str]  # fingerprints of the texts of the queries
    judged: Count


class _Record(TypedDict):
    names: Annotated[list[str], Meta(min_length=1)]
    values: list[Annotated[float, Meta(ge=-1e100, le=1e100)]]  # sums of scores stay numbers
    normalise: str | None
    ranker: str
    provenance: _Provenance
    version: str


NORMALISERS = (*(name for name, row in TABLE.items() if row.by_query), None)


def check_normaliser(kind: str | None) -> None:
    """Raise InputError unless scores are normalised within a query, or not at all."""
    if kind not in NORMALISERS:
        raise InputError(f"normalise must be one of {', '.join(map(str, NORMALISERS))} (within a query); got {kind!r}")


def is_evidence(name: str) -> bool:
    """Whether a weak ranker is a column of evidence, and none of the papers'.

    >>> is_evidence("heard-one-word"), is_evidence("word-cn-1")
    (True, False)
    """
    return name.split("-")[0] in CLASSES


def normalised(data: RankingData, kind: str | None) -> np.ndarray:
    """Features as a ranker with this normaliser sees them."""
    return np.asarray(data.X if kind is None else Normaliser(kind).fit(data).apply(data).X, np.float64)


@dataclass(frozen=True)
class Weights:
    """A weight for each weak ranker, whose scores are normalised within a query's candidates."""

    names: tuple[str, ...]
    values: tuple[float, ...]
    normalise: str | None
    ranker: str
    provenance: dict[str, Any]
    version: str = __version__

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(float(v) for v in self.values))
        check_normaliser(self.normalise)

    @classmethod
    def equal(cls, names: Sequence[str]) -> Weights:
        """The same weight for every weak ranker, whose scores are not normalised."""
        return cls(tuple(names), (1 / len(names),) * len(names), None, "uniform", {})

    @classmethod
    def of(cls, values: Mapping[str, float], names: Sequence[str]) -> Weights:
        """Weights by name, 0 for the other weak rankers; scores are not normalised."""
        for name in values:
            if name not in names:
                raise InputError(f"no weak ranker is called {name!r}.{nearest(name, names)}")
        return cls(tuple(names), tuple(float(values.get(n, 0.0)) for n in names), None, "given", {})

    @property
    def by_name(self) -> dict[str, float]:
        """The weight of each weak ranker."""
        return dict(zip(self.names, self.values, strict=True))

    def same_values(self, other: Weights) -> bool:
        """Whether search ranks by these weights as by others: the same values, of scores that are normalised alike."""
        if self.normalise != other.normalise:
            return False
        names = {*self.names, *other.names}
        return all(math.isclose(self.by_name.get(n, 0.0), other.by_name.get(n, 0.0), rel_tol=1e-12) for n in names)

    @cached_property
    def id(self) -> str:
        """A fingerprint of the weights and of how they were learned."""
        return fingerprint(self._text(), size=6)

    def _text(self) -> str:
        return json.dumps(asdict(self), indent=1, ensure_ascii=False)

    def to_bytes(self) -> bytes:
        """The content of a file, with a checksum."""
        return sealed(self._text())

    @classmethod
    def read(cls, path: str | Path) -> Weights:
        """The weights of a file that ``to_bytes`` made."""
        what = "a file of learned weights"
        whole = unsealed(Path(path), what)
        content = checked(whole, _Record, what, str(path))
        if not is_utf8(json.dumps(whole, ensure_ascii=False)):
            raise InputError(f"not {what}: a text in it cannot be written as UTF-8", str(path))
        if len(content["names"]) != len(content["values"]):
            raise InputError(
                f"not {what}: {len(content['values'])} weights of {len(content['names'])} weak rankers", str(path)
            )
        try:
            return cls(
                tuple(content["names"]), tuple(content["values"]), content["normalise"], content["ranker"],
                whole["provenance"], content["version"],
            )  # fmt: skip
        except InputError as error:
            raise InputError(str(error), str(path)) from None

    def check(self, names: Sequence[str]) -> None:
        """Raise InputError unless the weights are for these weak rankers, for all the papers', or for some of evidence.

        Weak rankers without a weight have the weight 0.
        """
        papers = [name for name in names if not is_evidence(name)]
        if list(self.names) not in (list(names), papers) and not set(self.names) <= set(names) - set(papers):
            mine, theirs = (", ".join(dict.fromkeys(n.split("-")[0] for n in some)) for some in (self.names, names))
            raise InputError(f"the weights are for {mine}; this archive has {theirs}")

    def origin_note(self, language: str, kinds: Sequence[str]) -> str:
        """Whether the weights were learned on speech of another language or other kinds of units; empty if not.

        >>> Weights(("a",), (1.0,), None, "x", {"language": "zh"}).origin_note("en", ["word"])
        'the weights were learned on an archive in zh; this one is in en: judge a few queries and compare'
        """
        own, units = self.provenance.get("language", language), self.provenance.get("kinds", kinds)
        here = "judge a few queries and compare"
        if own != language:
            return f"the weights were learned on an archive in {own}; this one is in {language}: {here}"
        if list(units) != list(kinds):
            return f"the weights were learned on {', '.join(units)}; this archive has {', '.join(kinds)}: {here}"
        return ""

    def scores(self, data: RankingData) -> np.ndarray:
        """The scores of all queries of a data set."""
        return normalised(data.select(list(self.names)), self.normalise) @ np.array(self.values)

    def features(self, X: np.ndarray) -> np.ndarray:
        """Scores of a query's candidates, normalised as they were for learning."""
        if self.normalise is None or len(X) == 0:
            return X
        data = RankingData(X, np.zeros(len(X)), np.zeros(len(X), np.int64))
        return np.asarray(Normaliser(self.normalise).fit(data).apply(data).X)


@lru_cache(maxsize=1)
def _all_shipped() -> Weights:
    return Weights.read(Path(__file__).with_name("shipped.json"))


@lru_cache(maxsize=8)
def _shipped(kinds: tuple[str, ...]) -> Weights:
    weights, names = _all_shipped(), set(evidence_names(kinds))
    some = {name: value for name, value in weights.by_name.items() if name in names}
    return replace(weights, names=tuple(some), values=tuple(some.values()))


def shipped(kinds: Sequence[str]) -> Weights:
    """The weights that come with the package, of the columns of evidence that an archive with these units has."""
    return _shipped(tuple(kinds))
