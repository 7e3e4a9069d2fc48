"""The options of recognition that commands share, from the table of recognisers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ...spoken.recognise.recognisers.table import TABLE, get, row_of
from .common import Workers, parameters_of

if TYPE_CHECKING:
    from ...spoken.recognise.recognisers.table import Recogniser, RecogniserOption


def _recognition(
    recogniser: Annotated[
        list[str] | None,
        typer.Option(
            help=f"The recogniser: {', '.join(name for name in TABLE if name != 'command')}, or a command with "
            f"{{audio}} and {{output}} in it; default: the best that is here. `rankine spoken recognisers` explains "
            "them. `add` takes several: the first is the archive's own, others are further hearings."
        ),
    ] = None,
    longest: Annotated[float, typer.Option(help="Recordings above so many seconds are cut at pauses.")] = 30.0,
    workers: Workers = None,
) -> None:
    pass


def _flags() -> dict[str, inspect.Parameter]:
    """The flags of all recognisers, each as a parameter of a command; the help says which recognisers have it."""
    names: dict[str, list[str]] = {}
    options: dict[str, RecogniserOption] = {}
    for name, row in TABLE.items():
        for option in row.options:
            names.setdefault(option.flag, []).append(name)
            options.setdefault(option.flag, option)
    return {
        flag: inspect.Parameter(
            flag.strip("-").replace("-", "_"),
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[
                option.type | None,
                typer.Option(flag, help=option.help, rich_help_panel=f"Options of {', '.join(names[flag])}"),
            ],
        )
        for flag, option in options.items()
    }


def make_recogniser(name: str, values: Mapping[str, Any], model: str | None = None) -> Recogniser:
    """The recogniser with the values of flags that are not None; a flag that it has not is an InputError.

    ``model`` is that of a recogniser that was chosen; a flag may name another one.
    """
    from ...errors import InputError

    row = row_of(name)
    options = {option.flag: option for option in row.options}
    parameters = {} if model is None else {"model": model}
    for flag, value in values.items():
        if value is None:
            continue
        if flag not in options:
            raise InputError(f"the recogniser {name!r} has no option {flag}. It has: {', '.join(options) or 'none'}")
        parameters[options[flag].parameter] = row.read(options[flag], value)
    return get(name, **parameters)


def make_recognisers(names: Sequence[str], values: Mapping[str, Any]) -> dict[str, Recogniser]:
    """The recognisers of these names, each with its own flags; a flag that two of them have is an InputError."""
    from ...errors import InputError

    given = [flag for flag, value in values.items() if value is not None]
    own = {name: {option.flag for option in row_of(name).options} for name in names}
    for flag in given:
        having = [name for name in own if flag in own[name]]
        if len(having) > 1:
            raise InputError(
                f"{flag} is an option of {' and '.join(having)}: add the recordings with {having[0]} first, and then "
                f"the further hearing by itself, `--hearing {having[-1]} {flag} …`"
            )
    taken = {flag for flags in own.values() for flag in flags}
    return {  # what none of them has is an error of the first
        name: make_recogniser(name, {f: values[f] for f in given if f in own[name] or (i == 0 and f not in taken)})
        for i, name in enumerate(names)
    }


class Recognition(NamedTuple):
    """The options of recognition that a command was given."""

    recognisers: dict[str, Recogniser]
    longest: float
    workers: int
    further: bool = False
    why: str = ""  # a recogniser was chosen for flags; empty: it was named, or there are no flags

    @property
    def recogniser(self) -> Recogniser | None:
        """The only recogniser, None where none was named; several are an InputError."""
        from ...errors import InputError

        if len(self.recognisers) > 1:
            raise InputError("lattices are made by one recogniser; `rankine spoken add` takes several")
        return next(iter(self.recognisers.values()), None)


def recognises(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of recognition; it gets them as ``recognition``, its first parameter."""
    shared, flags = parameters_of(_recognition), _flags()
    order = [*list(parameters_of(command, Recognition=Any).values())[1:], *shared.values(), *flags.values()]

    @wraps(command)
    def wrapped(**values: Any) -> None:
        from ...system.parallel import thread_count

        mine = {name: values.pop(name) for name in shared}
        further = list(dict.fromkeys(values.pop("hearing", None) or ()))
        named = _names(mine["recogniser"], further)
        given = {flag: value for flag, p in flags.items() if (value := values.pop(p.name)) is not None}
        made, why = make_recognisers(named, given), ""
        if given and not named:
            made, why = _recogniser_of_flags(given, values)
        recognisers = {n if n in TABLE else type(r).__name__.lower(): r for n, r in made.items()}
        command(Recognition(recognisers, mine["longest"], thread_count(mine["workers"]), bool(further), why), **values)

    order = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in order]
    wrapped.__signature__ = inspect.Signature(order)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {p.name: p.annotation for p in order}
    return wrapped


def _recogniser_of_flags(given: Mapping[str, Any], values: Mapping[str, Any]) -> tuple[dict[str, Recogniser], str]:
    """The recogniser with flags that were given without its name, and why it is this one.

    It is the one that the model is of, if one is given, else the best for the language.
    """
    from ...spoken.recognise.recognisers.choice import choose, choose_by_model

    model = given.get("--model")
    choice = choose(_language(values)) if model is None else choose_by_model(model)
    return {choice.name: make_recogniser(choice.name, given, choice.model)}, choice.why


def _language(values: Mapping[str, Any]) -> str:
    """What is spoken: what a command was told, else the language of its archive, else English."""
    from ...spoken import Archive
    from ...spoken.index.storage import MANIFEST

    if values.get("language"):
        return str(values["language"])
    folder = values.get("archive")
    return Archive(folder).settings.language if folder and Path(folder, MANIFEST).exists() else "en"


def _names(recognisers: Sequence[str] | None, further: Sequence[str]) -> list[str]:
    """The names of the recognisers that a command is to use."""
    from ...errors import InputError

    if recognisers and further:
        raise InputError("--hearing names further recognisers only, and --recogniser all of them: give one of both")
    return list(dict.fromkeys(further or recognisers or ()))
