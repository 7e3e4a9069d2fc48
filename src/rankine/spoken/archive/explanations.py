"""Explanations: the parts of a hit's score in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log1p

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
