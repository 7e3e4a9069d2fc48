"""Explanations: the parts of a hit's score in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log1p
from typing import NamedTuple

from ..index.evidence import TermPart

_UNHEARD = {"listed": "not heard in this archive", "unknown": "in no dictionary"}


def explanation(parts: Sequence[TermPart], others: Mapping[str, float]) -> tuple[str, ...]:
    """What each word gives to the score of a place, the most first; ``others`` are parts of other weak rankers.

    >>> part = TermPart("press", "heard", 1.0, {"word": 0.93, "sound-all": 0.9}, {"word": 0.6, "sound-all": 0.02})
    >>> explanation([part], {})
    ('0.62 press: heard here with 0.89',)
    """
    amounts = [(sum(part.products.values()), f"{part.text}: {_said(part)}") for part in parts]
    amounts += [(amount, name) for name, amount in others.items()]
    ordered = sorted(amounts, key=lambda pair: -abs(pair[0]))
    shown = [pair for pair in ordered if round(pair[0], 2) != 0] or ordered[:1]
    return tuple(f"{amount:.2f} {text}" if round(amount, 2) else f"<0.01 {text}" for amount, text in shown)


def _count(p: float) -> float:
    """The expected count of words, as hits show it, from the p = 1 − exp(−3c) that is scored."""
    return -log1p(-min(p, 1 - 1e-9)) / 3


def _said(part: TermPart) -> str:
    """The evidence that gives most, in words."""
    if not part.products:
        return "no evidence"
    feature = max(part.products, key=lambda name: part.products[name])
    value = part.features[feature]
    words = part.features.get("word", 0.0)
    if feature == "word" or (feature.endswith(("-all", "-share")) and words >= value > 0):
        return f"heard here with {_count(words):.2f}"
    if feature == "word-pair":
        return f"one after the other with {_count(value):.2f}"
    sounds = {
        "all": f"sounds like it, all its sounds in order with {value:.2f}",
        "share": f"sounds like it, {value:.0%} of its sounds",
        "pair": f"their sounds one after the other with {value:.2f}",
        "join": f"{value:.0%} of the sounds between them",
    }[feature.split("-")[-1]]
    unheard = _UNHEARD.get(part.name)
    return f"{sounds}; {unheard}" if unheard and "-pair" not in feature and "-join" not in feature else sounds


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
            out.append(ScorePart("", "another hearing", amount, f"the recogniser {name[9:]} heard it too"))
        elif amount:
            out.append(ScorePart("", "learned ranker", amount, f"the ranker {name} speaks for this place"))
    return sorted(out, key=lambda part: -abs(part.amount))


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
