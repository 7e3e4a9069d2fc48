"""``rankine spoken formats``, ``units`` and ``recognisers``; the documentation prints the same tables, and models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...errors import install
from ...system.console import print_table


class Listing(NamedTuple):
    """A table to print: the names of its columns, and its rows."""

    columns: list[str]
    rows: Sequence[tuple[str, ...]]


def list_formats() -> Listing:
    """The formats of lattices and transcripts."""
    from ...spoken.lattice.formats import TABLE

    rows = [
        (
            name,
            " ".join(row.endings),
            ", ".join(row.holds),
            "several" if row.several else "one",
            "no" if row.write is None else "yes",
            row.source,
            row.explanation,
        )
        for name, row in TABLE.items()
    ]
    return Listing(["name", "endings", "holds", "utterances in a file", "written", "described in", "what it is"], rows)


def list_units() -> Listing:
    """The units that words can be split into."""
    from ...spoken.lattice.units import TABLE

    rows = [(name, ", ".join(row.languages), row.explanation) for name, row in TABLE.items()]
    return Listing(["name", "indexed for", "what it is"], rows)


def list_recognisers() -> Listing:
    """The recognisers of speech."""
    from ...spoken.recognise.recognisers.table import TABLE

    rows = [
        (name, f"[{row.extra}]", row.languages, row.yields, row.model, row.cost, row.explanation)
        for name, row in TABLE.items()
    ]
    return Listing(["name", "needs", "languages", "makes", "model", "processor time per second", "what it is"], rows)


def list_models() -> Listing:
    """The models that can be added."""
    from ...spoken.recognise.models.table import TABLE

    rows = [
        (name, row.recogniser, row.languages, f"{row.size / 1e6:,.0f} MB", row.licence, row.source.text)
        for name, row in TABLE.items()
    ]
    return Listing(["name", "recogniser", "languages", "size", "licence", "from"], rows)


def formats() -> None:
    """List all formats of lattices and transcripts: endings, what they hold, whether they are written too."""
    print_table("Formats of lattices and transcripts", *list_formats())


def units() -> None:
    """List all units that words can be split into; a file of words and their units can be used too."""
    print_table("Units", *list_units())


def recognisers() -> None:
    """List all recognisers of speech: names, languages, models, whether each is installed, and how to install it."""
    from ...spoken.recognise.recognisers.table import TABLE

    columns, rows = list_recognisers()
    here = ["yes" if row.is_installed else f"no: {install(row.extra)}" for row in TABLE.values()]
    print_table(
        "Recognisers",
        [*columns[:-1], "installed", columns[-1]],
        [(*row[:-1], installed, row[-1]) for row, installed in zip(rows, here, strict=True)],
    )
