"""The commands of the experiments: one for every row of the table."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any

import typer

from rankine.system.console import print_table, say

from .table import TABLE, ExperimentOption, function_of

app = typer.Typer(
    help="Run a published experiment. RANKINE_DATA names the folder that holds its data, `letor/…` or `speech/…`.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)


def _parameter(option: ExperimentOption) -> Parameter:
    """An option as a parameter that typer reads."""
    flags = [f"--{option.name}", *([option.short] if option.short else [])]
    value_type: Any = str if option.type is Path else option.type
    annotation = Annotated[value_type, typer.Option(*flags, help=option.explanation)]
    return Parameter(option.name, Parameter.KEYWORD_ONLY, default=option.default, annotation=annotation)


def _value(option: ExperimentOption, value: Any) -> Any:
    """The value of an option as the experiment takes it."""
    from rankine.errors import InputError
    from rankine.system.parallel import thread_count

    if option.type is Path:
        if Path(value).exists() and not Path(value).is_dir():
            raise InputError("is a file, a folder is needed", value)
        return Path(value)
    if option.name == "workers":
        return thread_count(value)
    return list(dict.fromkeys(value)) if isinstance(value, list) else value


def _command(name: str) -> Callable[..., None]:
    """The function behind ``rankine experiment NAME``."""
    row = TABLE[name]

    def command(**options: Any) -> None:
        results = function_of(name)(**{o.name: _value(o, options[o.name]) for o in row.options})
        for table in results.tables:
            print_table(table.title, table.columns, table.rows, table.text)
        for files in results.reports:
            say(f"the whole report: {', '.join(map(str, files))}")
        if results.note:
            say(results.note)

    command.__doc__ = f"{row.explanation}\n\n`{row.example}`"
    command.__signature__ = Signature([_parameter(o) for o in row.options])  # type: ignore[attr-defined]
    return command


@app.callback()
def _group() -> None:
    pass


for _name in TABLE:
    app.command(name=_name)(_command(_name))
