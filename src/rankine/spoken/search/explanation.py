"""Explanations: the parts of a hit's score in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log1p
from typing import NamedTuple

from ..index.evidence import TermPart

_UNHEARD = {"listed": "not heard in this archive", "unknown": "in no dictionary"}


class ScorePart(NamedTuple):
    """A part of a score: of which words of the query, by what evidence, how much, and in a plain sentence."""

    term: str
    what: str
    amount: float
    sentence: str


def score_parts(parts: Sequence[TermPart], others: Mapping[str, float]) -> list[ScorePart]:
    """The parts of a score by words of the query and by evidence, the largest first; they sum to the score.

    ``others`` are parts of other weak rankers and of further hearings.

    >>> part = TermPart("press", "heard", 1.0, {"word": 0.93, "sound-all": 0.9}, {"word": 0.6, "sound-all": 0.02})
    >>> [(p.what, p.amount) for p in score_parts([part], {"heard by vosk": 0.1})]
    [('words', 0.6), ('another hearing', 0.1), ('sounds', 0.02)]
    """
    out = [made for part in parts for made in _by_evidence(part)]
    for name, amount in others.items():
        if name.startswith("heard by "):
            out.append(ScorePart("", "another hearing", amount, f"the recogniser {name[9:]} heard it"))
        elif amount:
            side = "for" if amount > 0 else "against"
            out.append(ScorePart("", "learned ranker", amount, f"the ranker {name} speaks {side} this place"))
    return sorted(out, key=lambda part: -abs(part.amount))


def explanation(parts: Sequence[ScorePart]) -> tuple[str, ...]:
    """The parts of a score in lines, the largest first; those that round to 0 are left out.

    >>> explanation([ScorePart("press", "words", 0.6, "“press” was heard here, expected 0.89 times")])
    ('0.60 “press” was heard here, expected 0.89 times',)
    """
    shown = [part for part in parts if round(part.amount, 2)] or parts[:1]
    return tuple(f"{part.amount:.2f} {part.sentence}" if round(part.amount, 2) else f"<0.01 {part.sentence}"
                 for part in shown)  # fmt: skip


def _by_evidence(part: TermPart) -> list[ScorePart]:
    """What one term, or two neighbours, give by each kind of evidence."""
    amounts: dict[str, float] = {}
    for feature, amount in part.products.items():
        what = _evidence_of(feature)
        amounts[what] = amounts.get(what, 0.0) + amount
    return [ScorePart(part.text, what, amount, _sentence(part, what)) for what, amount in amounts.items() if amount]


def _evidence_of(feature: str) -> str:
    if feature == "word":
        return "words"
    if feature == "word-pair":
        return "exact order"
    return "sounds in order" if feature.endswith(("-pair", "-join")) else "sounds"


def _count(p: float) -> float:
    """The expected count of words, as hits show it, from the p = 1 − exp(−3c) that is scored."""
    return -log1p(-min(p, 1 - 1e-9)) / 3


def _sentence(part: TermPart, what: str) -> str:
    """One kind of evidence in words."""
    if what == "words":
        return f"“{part.text}” was heard here, expected {_count(part.features.get('word', 0.0)):.2f} times"
    if what == "exact order":
        return f"“{part.text}” were said one after the other, expected {_count(part.features['word-pair']):.2f} times"
    if what == "sounds in order":
        return f"the sounds of “{part.text}” follow each other here"
    shares = [value for name, value in part.features.items() if name.endswith("-share")]
    unheard = _UNHEARD.get(part.name)
    return f"the sounds of “{part.text}” are here, up to {max(shares, default=0.0):.0%} of them" + (
        f"; the word itself is {unheard}" if unheard else ""
    )
