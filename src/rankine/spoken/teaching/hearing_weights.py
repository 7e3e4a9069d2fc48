"""Learning how much the further hearings of an archive count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..hearings.hearings import FurtherHearing, HeardIndex, HearingWeight, Source, open_hearing, write_weight
from ..index.reader import Index
from ..learn.hearings import choose_weight
from ..learn.judgments import Judged
from ..learn.weights import Weights
from .hearing_queries import HearingQuery, agreeing_words, hearing_examples, judged_queries


def learn_weights(
    index: Index,
    hearings: Sequence[FurtherHearing],
    judged: Judged,
    weights: Weights,
    given: bool = True,
    report: Callable[[str, int, int], None] = lambda name, done, total: None,
) -> list[FurtherHearing]:
    """Learn and store the weight of each hearing, one after the other, beside those that count already.

    Weights that were given are learned only if ``given`` says so. ``report`` is called with the name of a hearing, the
    number of its queries done, and of all.
    """
    out: list[FurtherHearing] = []
    fixed = [h for h in hearings if h.weight.source == "given" and not given]
    beside = [open_hearing(index, h) for h in fixed if h.weight.weight]
    queries = judged_queries(index, judged)
    for hearing in hearings:
        if hearing in fixed:
            out.append(hearing)
            continue
        opened = open_hearing(index, hearing)
        source: Source = "judged queries" if queries else "agreement"
        own = queries or agreeing_words(index, opened)
        weight = _tested(index, own, source, weights, beside, opened, report) if own else HearingWeight()
        write_weight(hearing, weight)
        out.append(hearing._replace(weight=weight))
        if weight.weight:
            beside.append(replace(opened, weight=weight.weight))
    return out


def _tested(
    index: Index,
    queries: Sequence[HearingQuery],
    source: Source,
    weights: Weights,
    beside: Sequence[HeardIndex],
    hearing: HeardIndex,
    report: Callable[[str, int, int], None],
) -> HearingWeight:
    """The weight of a hearing by a test on queries."""
    data = hearing_examples(
        index, queries, weights, beside, hearing, lambda done: report(hearing.name, done, len(queries))
    )
    test = choose_weight(data)
    return HearingWeight(test.weight, source, test.queries, test.without, test.with_it, test.p)
