"""``rankine spoken recognise``, ``add`` and ``play``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ...spoken.lattice.units.table import LANGUAGES
from ...spoken.recognise.recognisers.table import TABLE, get, row_of
from ...system.console import ask, counted, say
from ...system.signals import keeping
from .common import Folder, Workers, finish, parameters_of

if TYPE_CHECKING:
    from ...spoken import Archive
    from ...spoken.recognise.recognisers.table import Recogniser, RecogniserOption
    from ...spoken.recognise.run import Recognised
    from ...spoken.recordings.recordings import AddedRecordings


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


# -- ``rankine spoken recognise``, ``add`` and ``play``


Audio = Annotated[list[str], typer.Argument(help="Recordings (wav, flac, mp3, ogg, …), or folders of them.")]
_LOOK = 2.0  # seconds between two looks at a folder that is watched
_UNITS = {"recognising": "seconds", "indexing": "utterances"}  # of the progress of each stage
_WITHIN = {"indexing": "recognising"}  # recordings are indexed while others are recognised


@recognises
def recognise(
    recognition: Recognition,
    audio: Audio,
    output: Annotated[str, typer.Option("-o", "--output", help="Folder of the lattices.")],
) -> None:
    """Recognise recordings into lattices; only recordings that are new or have changed.

    The best recogniser that is here is used: Whisper, else Vosk, else PocketSphinx, which gets one word in four wrong
    on clear read English. `rankine spoken recognisers` says which are here.

    `rankine spoken recognise recordings/ -o lattices/` then
    `rankine spoken index archive/ lattices/ --about lattices/recordings.tsv`; or both at once: `rankine spoken add`.
    """
    import time

    from ...spoken.recognise import run
    from ...system.progress import stages

    began, notes = time.perf_counter(), list[str]()
    _announcing(notes)(recognition.why)
    keeping(f"finished lattices in {output}; the same command goes on from there")
    with stages(_UNITS, _WITHIN) as progress:
        result = run.recognise(
            audio, output, recognition.recogniser, longest=recognition.longest, workers=recognition.workers,
            report=lambda done, total: progress("recognising", done, total), announce=_announcing(notes),
        )  # fmt: skip
    _print_recognised(Path(output), result, time.perf_counter() - began, notes)
    finish(result.errors, result.done + result.before, "recordings")


@recognises
def add(
    recognition: Recognition,
    archive: Annotated[str, typer.Argument(help="The archive: a folder, made if there is none.")],
    audio: Audio,
    language: Annotated[
        str | None,
        typer.Option(
            help=f"What is spoken: {', '.join(LANGUAGES)}, or a code such as de; a new archive is made for it. "
            "Default: what a model of several languages tells of each recording, else en."
        ),
    ] = None,
    keep_duplicates: Annotated[
        bool, typer.Option("--keep-duplicates", help="Take in copies of recordings as recordings of their own.")
    ] = False,
    hearing: Annotated[
        list[str] | None,
        typer.Option(help="A further recogniser for recordings that the archive holds; the first hears nothing."),
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on and add new recordings as they come; Ctrl-C ends.")
    ] = False,
) -> None:
    """From recordings to an archive that can be searched: recognise recordings that are new, and index them.

    A recording is known by its sound: when it is renamed, moved or tagged anew, it is not heard again, and what was
    said about it stays with it. Recordings can be searched as soon as they are finished. The lattices stay in the
    archive's folder, below `recognised`. A recording that was deleted from the archive is left out when its folder is
    added again; to add it, give the file itself.

    Several recognisers can hear a recording. A further hearing counts in search only where it was found to help, see
    `rankine spoken hearings`.

    `rankine spoken add archive/ recordings/` and then `rankine spoken search archive/ "printing press"`

    `rankine spoken add archive/ recordings/ --recogniser pocketsphinx --recogniser whisper`
    """
    from ...errors import InputError
    from ...spoken import Archive
    from ...spoken.archive import create_or_open
    from ...spoken.recognise.recordings import find

    try:
        find(audio)  # raises before an archive is made
        empty = False
    except InputError:
        if not watch:
            raise
        empty = True
    if not Path(archive).exists():
        _check_recognisers(recognition, language)  # raises before an archive is made
    opened = Archive(archive) if recognition.further else create_or_open(archive, language)
    keeping(f"finished lattices and what {archive} has committed; the same command goes on from there")
    options = {"keep_duplicates": keep_duplicates, "language": language}
    before = _stamps(audio)
    notes: list[str] = []
    _announcing(notes)(recognition.why)
    done, errors = (0, []) if empty else _add(opened, audio, recognition, options, notes)
    if watch:
        _watch(opened, audio, recognition, options, before, notes)
    finish(errors, done, "recordings")


def _check_recognisers(recognition: Recognition, language: str | None) -> None:
    """Raise InputError where no recogniser is here for a language, or one that was named cannot hear it."""
    from ...spoken.recognise.recognisers.choice import choose
    from ...spoken.recordings.recordings import for_language

    for recogniser in recognition.recognisers.values():
        spoken = for_language(recogniser, language)
        if hasattr(spoken, "start"):
            spoken.start()
    if not recognition.recognisers:
        choose(language)


def _add(
    opened: Archive, audio: list[str], recognition: Recognition, options: Mapping[str, Any], notes: list[str]
) -> tuple[int, list[str]]:
    """Add recordings and tell what was done; how many there are, and what was wrong.

    ``notes`` are those of the time before, which are not repeated; they are replaced.
    """
    from ...spoken.recordings import recordings
    from ...system.progress import stages

    options = {"longest": recognition.longest, "workers": recognition.workers, **options}
    recognisers = recognition.recognisers
    with stages(_UNITS, _WITHIN) as progress:
        if recognition.further:
            only = {name: options[name] for name in ("longest", "workers")}
            heard = opened.hearings.add(audio, recognisers, progress=progress, **only)
        else:
            options["announce"] = _announcing(notes)
            added = opened.recordings.add(audio, recognisers or None, progress=progress, **options)
            heard = dict(added.heard)
    if recognition.further:
        done = max(some.recognised.done + some.recognised.before for some in heard.values())
        errors = [error for some in heard.values() for error in some.errors]
    else:
        recognised, changes = added.recognised, added.changes
        _print_recognised(Path(opened.folder, recordings.FOLDER), recognised, added.took, notes)
        notes[:] = recognised.notes
        if sum(changes[:4]):
            say(
                f"{opened.folder}: {counted(changes.added, 'recording')} added, {changes.updated} updated, "
                f"{changes.unchanged} unchanged; {len(opened)} in all"
            )
        done, errors = recognised.done + recognised.before, added.errors
    _print_heard(opened, heard)
    return done, errors


def _announcing(notes: list[str]) -> Callable[[str], None]:
    """A function that says which recogniser hears, and notes it: what is noted is not said again."""

    def announce(why: str) -> None:
        if why and why not in notes:
            say(f"rankine: {why}")
            notes.append(why)

    return announce


def _print_heard(opened: Archive, heard: Mapping[str, AddedRecordings]) -> None:
    """Tell what further recognisers heard, and how much each further hearing counts now."""
    from ...spoken.hearings import hearings

    for name, added in heard.items():
        folder = Path(opened.folder, hearings.FOLDER, name)
        _print_recognised(folder, added.recognised._replace(notes=[]), added.took)
    for hearing in opened.hearings.all() if heard else ():
        say(f"{opened.folder}: the hearing {hearing.name} counts {hearing.weight.weight:g}: {hearing.weight}")


def _watch(
    opened: Archive,
    audio: list[str],
    recognition: Recognition,
    options: Mapping[str, Any],
    before: dict[str, tuple[int, int]],
    notes: list[str],
) -> None:
    """Look for new and changed files every few seconds; each is added when it has not changed between two looks."""
    import time

    say(f"watching {', '.join(audio)}; Ctrl-C ends")
    now = before
    while True:
        time.sleep(_LOOK)
        last, now = now, _stamps(audio)
        changed = {path for path in {*before, *now} if before.get(path) != now.get(path)}
        rest = {path for path in changed if now.get(path) == last.get(path)}
        if rest and now:
            _, errors = _add(opened, audio, recognition, options, notes)
            for error in errors:
                say(f"rankine: {error}")
        before = {path: stamp for path, stamp in before.items() if path not in rest}
        before |= {path: now[path] for path in rest if path in now}


def _stamps(audio: list[str]) -> dict[str, tuple[int, int]]:
    """Size and time of change of all audio files."""
    from ...errors import InputError
    from ...spoken.recognise.identity import stamp_of
    from ...spoken.recognise.recordings import find

    try:
        paths = [recording.path for recording in find(audio).recordings]
        return {str(path): stamp_of(path.stat()) for path in paths}
    except (InputError, OSError):
        return {}


def _print_recognised(folder: Path, result: Recognised, took: float, earlier: Collection[str] = ()) -> None:
    """Say what was recognised, and notes but for those of the time before."""
    speed = f", {result.seconds / took:.1f} × real time" if result.seconds else ""
    say(
        f"{folder}: {counted(result.done, 'recording')} recognised ({result.seconds / 60:.1f} minutes of speech{speed}"
        f"), {result.before} {'was' if result.before == 1 else 'were'} there already"
    )
    for note in [note for note in result.notes if note not in earlier]:
        say(f"rankine: {note}")


# -- ``rankine spoken delete``, ``undelete`` and ``purge``


def _confirmed(question: str, yes: bool) -> bool:
    """Whether the user says yes; without a terminal that answers it is no."""
    with suppress(EOFError):
        return yes or ask(f"{question} [y/N]").strip().lower() in ("y", "yes")
    return False


def delete(
    archive: Folder,
    recordings: Annotated[list[str], typer.Argument(help="Names of recordings, or of their audio files.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Put recordings of an archive into its bin, for 30 days; `rankine spoken undelete` brings them back.

    Judgments and what was said about them come back too. Audio files stay. They are left out when their folder is added
    again; to add one again, give the file itself.

    `rankine spoken delete archive/ tape-7`, or `tape-7.flac` where this is its file
    """
    from ...spoken import Archive

    opened = Archive(archive)
    recordings = [opened.recordings.named(name) for name in recordings]
    what = counted(len(recordings), "recording")
    some = ", ".join(recordings[:3]) + (" …" if len(recordings) > 3 else "")
    if not _confirmed(f"{archive}: delete {what} ({some})?", yes):
        say("nothing was deleted; --yes does not ask")
        raise typer.Exit(1)
    opened.recordings.delete(recordings)
    purged = opened.recordings.purge()
    say(f"{archive}: {what} deleted, {len(opened)} left; `rankine spoken undelete` brings them back for 30 days")
    if purged:
        say(f"{archive}: purged, because they were deleted more than 30 days ago: {', '.join(purged)}")


def undelete(
    archive: Folder,
    recordings: Annotated[
        list[str] | None, typer.Argument(help="Names of recordings; none: the bin is listed.")
    ] = None,
) -> None:
    """Bring deleted recordings back, with their judgments and what was said about them.

    `rankine spoken undelete archive/` lists what is in the bin; `rankine spoken undelete archive/ tape-7`
    """
    from ...spoken import Archive
    from ...system.console import print_table

    opened = Archive(archive)
    if recordings:
        opened.recordings.undelete(recordings)
        say(f"{archive}: {counted(len(recordings), 'recording')} brought back; {len(opened)} in all")
        return
    print_table(f"{archive}: deleted", ["recording", "when"], [(d.name, d.when) for d in opened.recordings.deleted])


def purge(
    archive: Folder,
    days: Annotated[float, typer.Option(help="Recordings that were deleted so many days ago, or earlier.")] = 30.0,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Remove deleted recordings from the disk. What was said about them stays, and their judgments.

    `rankine spoken purge archive/ --days 0` empties the bin.
    """
    from ...errors import InputError
    from ...spoken import Archive

    if not days >= 0:
        raise InputError(f"--days must be at least 0, got {days}")
    opened = Archive(archive)
    deleted = opened.recordings.deleted
    there = counted(len(deleted), "recording")
    if deleted and not _confirmed(f"{archive}: {there} in the bin; remove for good what is old enough?", yes):
        say("nothing was removed; --yes does not ask")
        raise typer.Exit(1)
    say(f"{archive}: {counted(len(opened.recordings.purge(days)), 'recording')} removed for good")


# -- ``rankine spoken relocate``


def relocate(
    archive: Folder,
    recordings: Annotated[str, typer.Argument(help="Folder where the recordings are now.")],
) -> None:
    """Tell an archive where its recordings are, after they or the archive were moved.

    Files are looked for by the last parts of their paths, and renamed ones by their sound. Where several recordings
    have one name, or a file has another length than before, the sound decides too.

    `rankine spoken relocate archive/ /new/disk/recordings`
    """
    from ...spoken import Archive
    from ...system.progress import bar

    with bar("looking for recordings", None) as update:
        result = Archive(archive).recordings.relocate(recordings, lambda done, total: update(done, total))
    say(f"{archive}: {len(result.paths)} of {counted(result.total, 'recording')} found below {recordings}")
    finish(result.missing, len(result.paths), "recordings")
