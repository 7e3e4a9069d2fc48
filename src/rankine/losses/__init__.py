"""Losses: functions of scores, with one value per query and a gradient per document."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from ..errors import InputError, nearest
from .base import Loss
from .listwise import ListMLE, ListNet
from .order_preserving import Consistent, Duchi
from .pairwise import PositionSensitive, Preorder, RankSVM, pairwise_errors
from .pointwise import Squared
from .standard_form import standard_form
from .structured.enumerated import SumHinge
from .structured.hinge import StructuredHinge
from .structured.slack import SlackHinge
from .structured.tight import TightHinge

__all__ = ["Loss", "get", "names", "pairwise_errors", "standard_form"]


class _Family(NamedTuple):
    """A row of the table of losses: how it is made, whether it takes ``@k`` (or must), which ``:variants`` it has."""

    make: Callable[..., Loss]
    cut: str = "no"
    variants: tuple[str, ...] = ()


def _structured(of: str) -> Callable[..., Loss]:
    """A structural hinge, its tighter, non-convex form, or the slack-rescaled one."""

    def make(variant: str | None = None, target: str = "mean", **options: Any) -> Loss:
        if variant is not None and target == "best":
            raise InputError(
                f"target='best' is a bound of its own, between svm-{of} and :tight: use it without :{variant}"
            )
        if variant == "slack":
            return SlackHinge(StructuredHinge(of, target=target, **options))
        if variant == "tight":
            return TightHinge(StructuredHinge(of, target=target, **options))
        found = StructuredHinge(of, target=target, **options)
        return found if found.convex else TightHinge(StructuredHinge(of, **options), perfect=True)

    return make


_TABLE = {
    "svm-ndcg": _Family(_structured("ndcg"), "may", ("tight", "slack")),
    "svm-map": _Family(_structured("map"), variants=("tight", "slack")),
    "svm-p": _Family(_structured("p"), "must", ("tight", "slack")),
    "svm-rr": _Family(_structured("rr"), variants=("tight", "slack")),
    "sum-ndcg": _Family(lambda **o: SumHinge("ndcg", **o), "may"),
    "sum-map": _Family(lambda **o: SumHinge("map", **o)),
    "softmax-ndcg": _Family(lambda **o: SumHinge("ndcg", soft=True, **o), "may"),
    "softmax-map": _Family(lambda **o: SumHinge("map", soft=True, **o)),
    "ranksvm": _Family(RankSVM, variants=("norm",)),
    "ranksvm-l2": _Family(lambda **o: RankSVM(squared=True, **o), variants=("norm",)),
    "position-sensitive": _Family(PositionSensitive, variants=("norm",)),
    "preorder": _Family(Preorder, variants=("norm", "norm+dcg")),
    "consistent-dcg": _Family(lambda **o: Consistent("dcg", **o), "may", ("norm",)),
    "consistent-ndcg": _Family(lambda **o: Consistent("ndcg", **o), "may", ("norm",)),
    "consistent-wpd": _Family(lambda **o: Consistent("wpd", **o), variants=("norm",)),
    "consistent-rank": _Family(lambda **o: Consistent("rank", **o), variants=("norm",)),
    "duchi": _Family(Duchi),
    "listnet": _Family(ListNet),
    "listmle": _Family(ListMLE),
    "squared": _Family(Squared),
    "squared-dcg": _Family(lambda **o: Squared("dcg", **o), "may"),
    "squared-ndcg": _Family(lambda **o: Squared("ndcg", **o), "may"),
}


def names() -> list[str]:
    """All loss names, ``@k`` standing for a cutoff.

    >>> names()[:3]
    ['svm-ndcg', 'svm-ndcg@k', 'svm-ndcg:tight']
    """
    found = []
    for name, family in _TABLE.items():
        forms = [name] if family.cut != "must" else []
        forms += [f"{name}@k"] if family.cut != "no" else []
        found += forms + [f"{form}:{variant}" for form in forms for variant in family.variants]
    return found


def get(name: str, **options: Any) -> Loss:
    """The loss of this name; options are those of its class.

    >>> get("svm-ndcg@10", target="random")
    StructuredHinge('svm-ndcg@10', A='linear', target='random')
    >>> get("consistent-ndcg@10:norm")
    Consistent('consistent-ndcg@10:norm')
    >>> get("svm-ndgc@10")
    Traceback (most recent call last):
    rankine.errors.InputError: unknown loss 'svm-ndgc@10'. Did you mean 'svm-ndcg@k'? There are: ...
    """
    if not isinstance(name, str):
        raise InputError(f"expected the name of a loss, got {name!r}")
    form = re.fullmatch(r"([a-z0-9-]+?)(?:@(\d+))?(?::([a-z+]+))?", name)
    family = None if form is None else _TABLE.get(form[1])
    cut = None if form is None else form[2]
    wrong_cut = family is not None and (family.cut == ("no" if cut is not None else "must"))
    if form is None or family is None or wrong_cut or (form[3] is not None and form[3] not in family.variants):
        raise InputError(f"unknown loss {name!r}.{nearest(name, names())} There are: {', '.join(names())}")
    by_name: dict[str, Any] = {} if cut is None else {"k": int(cut)}
    if form[3] is not None:
        key = "weights" if form[1] == "preorder" else "variant" if form[1].startswith("svm-") else "norm"
        by_name |= {key: True if key == "norm" else form[3]}
    twice = by_name.keys() & options.keys()
    if twice:
        raise InputError(f"{name}: {twice.pop()} is in the name already")
    options |= by_name
    try:
        return family.make(**options)
    except TypeError as error:
        raise InputError(f"{name}: {str(error).split(') ')[-1]}") from None
