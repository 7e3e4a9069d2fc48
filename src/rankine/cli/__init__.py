"""The command line: one small file per command. Data goes to standard output, all else to standard error."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from importlib import import_module
from typing import Any

import typer

from .common import limited

# in the order of the help; each is a file of this folder with the function ``command``
COMMANDS = (
    "train", "rank", "tune", "evaluate", "compare", "measures", "losses", "rankers", "solvers", "formats", "describe",
    "convert", "export", "bound", "consistency", "demo",
)  # fmt: skip
READING = (  # of these, the commands that read files
    "train", "rank", "tune", "evaluate", "compare", "describe", "convert", "export", "bound", "consistency",
)  # fmt: skip
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
    _command = import_module(f".{_name}", __name__).command
    app.command(_name)(limited(_command) if _name in READING else _command)
for _name in GROUPS:
    app.add_typer(import_module(f".{_name}", __name__).app, name=_name)


def _version(value: bool) -> None:
    if value:
        from ..version import __version__

        typer.echo(f"rankine {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    pass


def _show_warning(message: Any, *_: Any) -> None:
    typer.echo(f"rankine: warning: {message}", err=True)


def main() -> None:
    """Run the command line; bad input ends in one line on standard error and exit code 1."""
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that temporary files and processes go too
    try:
        app()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
    except (ValueError, OSError, TypeError) as error:
        if os.environ.get("RANKINE_TRACEBACK"):
            raise
        from ..errors import in_one_line

        typer.echo(f"rankine: {in_one_line(error)}", err=True)
        raise SystemExit(1) from None
