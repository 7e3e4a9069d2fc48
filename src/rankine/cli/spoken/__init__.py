"""``rankine spoken``: from recordings to an archive that is searched; one small file per command."""

import typer

from ..common import limited
from . import (
    archive,
    convert,
    corrections,
    deleting,
    hearings,
    inspect,
    judge,
    judgments,
    learn,
    marks,
    metadata,
    models,
    packing,
    posteriors,
    recognise,
    relocate,
    search,
    serve,
    show,
    tables,
)

app = typer.Typer(
    help="From recordings to an archive in which what was said is found, with the place where it was said.\n\n"
    'Begin with `rankine spoken add archive/ recordings/` and `rankine spoken search archive/ "printing press"`.\n\n'
    "Transcripts, subtitles and lattices that are there already: `rankine spoken index archive/ transcripts/`; "
    "`rankine spoken formats` lists what is read.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
TABLES = (tables.formats, tables.units, tables.recognisers)
for command in (
    recognise.add, search.search, serve.serve, recognise.play, metadata.list_recordings, metadata.about,
    recognise.recognise, inspect.inspect, posteriors.pspl, posteriors.cn, show.show, convert.convert,
    archive.index, archive.subtitles, deleting.delete, deleting.undelete, deleting.purge, relocate.relocate,
    archive.merge, archive.check, packing.pack, packing.unpack, packing.upgrade,
    *TABLES,
    corrections.correct, corrections.corrections, marks.note, marks.notes, marks.collection,
    judge.judge, judgments.judgments, learn.learn, learn.weights, hearings.hearings,
):  # fmt: skip
    undoing = (metadata.about, corrections.corrections, marks.notes, marks.collection)
    kind = {search.search: search.QueryCommand, **dict.fromkeys(undoing, metadata.AboutCommand)}.get(command)
    name = "list" if command is metadata.list_recordings else None
    app.command(name, cls=kind)(command if command in TABLES else limited(command, features=False))
app.add_typer(models.app, name="models")
