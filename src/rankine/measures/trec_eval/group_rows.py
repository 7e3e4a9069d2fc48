"""The rows of the measure table for judgments in groups: trec_eval's prefs and avgjg measures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..rows import MeasureRow, Parameter
from .preferences import PreferenceCounts, number_of_preferences, share_met, share_met_of_few

_AVERAGE = Parameter(str, "preferences", choices=("preferences", "pairs", "groups"))
_OVER = Parameter(str, "all", choices=("all", "retrieved", "implied"))
_OVER_TWO = Parameter(str, "all", choices=("all", "retrieved"))


def _possible(counts: PreferenceCounts) -> float:
    return number_of_preferences(counts, False, "all")


def _met(counts: PreferenceCounts, over: str) -> float:
    return number_of_preferences(counts, True, over)


PREFERENCE_ROWS: dict[str, MeasureRow] = {
    "Prefs": MeasureRow(
        {"average": _AVERAGE, "over": _OVER},
        "share of the preferences met, averaged over them, pairs of documents or groups; over: all, those with both "
        "documents retrieved, or with at least one (implied)",
        share_met,
        supervision="preferences in groups",
    ),
    "PrefsR": MeasureRow(
        {"over": _OVER_TWO},
        "share met by group, with as many non-relevant documents as relevant ones",
        share_met_of_few,
        supervision="preferences in groups",
    ),
    "NumPrefs": MeasureRow(
        {}, "number of preferences", _possible, supervision="preferences in groups", range=(0, np.inf), summary="sum"
    ),
    "NumPrefsMet": MeasureRow(
        {"over": _OVER_TWO},
        "number of preferences met",
        _met,
        supervision="preferences in groups",
        range=(0, np.inf),
        summary="sum",
    ),
}  # fmt: skip


def over_people(row: MeasureRow) -> MeasureRow:
    """A row whose measure is averaged over the judgment groups of a query."""
    return replace(row, explanation="averaged over judgment groups: " + row.explanation, supervision="judgment groups")
