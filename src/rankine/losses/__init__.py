"""Losses: functions of scores, with one value per query and a gradient per document."""

from __future__ import annotations

import re
from typing import Any

from ..errors import InputError, nearest
from .structured import StructuredHinge


def names() -> list[str]:
    """All loss names, ``@k`` standing for a cutoff.

    >>> names()
    ['svm-ndcg', 'svm-ndcg@k', 'svm-map', 'svm-p@k', 'svm-rr']
    """
    return ["svm-ndcg", "svm-ndcg@k", "svm-map", "svm-p@k", "svm-rr"]


def get(name: str, **options: Any) -> StructuredHinge:
    """The loss of this name; options are those of its class.

    >>> get("svm-ndcg@10", target="random")
    StructuredHinge('svm-ndcg@10', A='linear', target='random')
    >>> get("svm-ndgc@10")
    Traceback (most recent call last):
    rankine.errors.InputError: unknown loss 'svm-ndgc@10'. Did you mean 'svm-ndcg@k'? There are: ...
    """
    form = re.fullmatch(r"svm-(ndcg|map|p|rr)(?:@(\d+))?", name)
    if form is None or (form[2] is not None and form[1] in ("map", "rr")):
        raise InputError(f"unknown loss {name!r}.{nearest(name, names())} There are: {', '.join(names())}")
    return StructuredHinge(form[1], None if form[2] is None else int(form[2]), **options)
