"""``rankine experiment``: the experiments of the repository, where the program runs in a clone of it."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import typer

CLONE = Path(__file__).parents[3]  # of the repository, if this is one


def _app() -> typer.Typer:
    """The commands of the experiments, or one that says where they are."""
    if (CLONE / "experiments" / "commands.py").is_file():
        if str(CLONE) not in sys.path:
            sys.path.append(str(CLONE))
        commands: typer.Typer = import_module("experiments.commands").app
        return commands
    elsewhere = typer.Typer(
        help="Run a published experiment (in a clone of the repository).",
        invoke_without_command=True,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )

    @elsewhere.callback()
    def say_where() -> None:
        from ..errors import InputError

        raise InputError("the experiments are not part of the package: they run in a clone of Rankine's repository")

    return elsewhere


app = _app()
