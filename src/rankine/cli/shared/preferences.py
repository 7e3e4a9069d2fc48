"""Preference graphs on the command line: ``--preferences``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ...data.ranking_data import RankingData

PreferencesOption = Annotated[
    str | None,
    typer.Option(
        "--preferences",
        metavar="FILE",
        help="A preference graph in place of grades: CSV, TSV, JSON lines or Parquet with the columns query, winner, "
        "loser and weight (1 without it). Documents are named by id, by number within the query where data has no ids.",
    ),
]


def preferred(data: RankingData, preferences: str | None, circles: bool = True) -> RankingData:
    """The data set with the preference graph of a file in place of grades, if one is given.

    Without ``circles`` it is an error if documents are preferred to each other around a circle.
    """
    if preferences is None:
        return data
    from ...errors import naming
    from ...io.trec.preferences import load_preferences, with_preferences
    from ...losses.standard_form import check_acyclic

    graph = load_preferences(preferences, data)
    if not circles:
        names = data.order + 1 if data.doc_ids is None else data.doc_ids
        with naming(preferences):
            check_acyclic(graph, data.n_documents, lambda row: f"{names[row]} (query {data.qid[row]})")
    return with_preferences(data, graph)


def check_preference_measures(names: Iterable[str], preferences: bool) -> None:
    """Raise on a measure of grades where --preferences takes their place, and on one of preferences without."""
    from ...errors import InputError
    from ...measures import parse

    if not preferences:
        of_graphs = [name for name in names if name.startswith("WPD")]
        if of_graphs:
            raise InputError(f"{of_graphs[0]} needs a preference graph: pass --preferences FILE")
        return
    of_grades = [name for name in names if parse(name).supervision != "preferences"]
    if of_grades:
        raise InputError(f"{of_grades[0]} needs grades, and --preferences takes their place: measure WPD")
