"""The table of commands, and the program of typer that they make."""

from __future__ import annotations

from importlib import import_module

import typer

from ..system.console import put
from .shared.common import limited
from .shared.reading import with_reading

# in the order of the help; each is a file of this folder with the function ``command``, but for those in ``HOMES``
COMMANDS = (
    "train", "rank", "tune", "evaluate", "compare", "trec_eval", "measures", "losses", "rankers", "solvers", "formats",
    "describe", "convert", "export", "bound", "consistency", "demo",
)  # fmt: skip
READING = (  # of these, the commands that read files
    "train", "rank", "tune", "evaluate", "compare", "trec_eval", "describe", "convert", "export", "bound",
    "consistency",
)  # fmt: skip
JUDGED = (  # of these, the commands that read judged data
    "train", "rank", "tune", "evaluate", "compare", "describe", "convert", "export", "bound",
)  # fmt: skip
HOMES = {  # the files of commands that stand together, each as the function ``…_command``
    **dict.fromkeys(("measures", "losses", "rankers", "solvers", "formats"), "lists"),
    **dict.fromkeys(("describe", "convert", "export"), "files"),
    **dict.fromkeys(("bound", "consistency"), "theory"),
}
OMITTED = {"export": ("features",)}  # options of reading that mean something else there
GROUPS = ("experiment", "spoken")  # each is a module of this folder with an ``app`` of its own

app = typer.Typer(
    name="rankine",
    help="Rankine learns rankings by the measure they will be judged by.\n\n"
    "Start with `rankine demo`, or evaluate a run: `rankine evaluate qrels.txt run.txt -m nDCG@10 -m AP`.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

for _name in COMMANDS:
    _home = import_module(f".{HOMES.get(_name, _name)}", __package__)
    _command = getattr(_home, f"{_name}_command" if _name in HOMES else "command")
    if _name in JUDGED:
        _command = with_reading(_command, OMITTED.get(_name, ()))
    app.command(_name)(limited(_command, features=_name != "trec_eval") if _name in READING else _command)
for _name in GROUPS:
    app.add_typer(import_module(f".{_name}", __package__).app, name=_name)


def _version(value: bool) -> None:
    if value:
        from ..version import __version__

        put(f"rankine {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    pass
