"""``rankine spoken``: from recordings to an archive that is searched; a file for each group of commands."""

import typer

from ..shared.common import limited
from . import care, corrections, judging, lattices, learning, lists, marks, metadata, recordings, search

app = typer.Typer(
    help="From recordings to an archive in which what was said is found, with the place where it was said.\n\n"
    'Begin with `rankine spoken add archive/ recordings/` and `rankine spoken search archive/ "printing press"`.\n\n'
    "Transcripts, subtitles and lattices that are there already: `rankine spoken index archive/ transcripts/`; "
    "`rankine spoken formats` lists what is read.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
TABLES = (lists.formats, lists.units, lists.recognisers)
for command in (
    recordings.add, search.search, search.serve, search.play, metadata.list_recordings, metadata.about,
    recordings.recognise, lattices.inspect, lattices.pspl, lattices.cn, lattices.show, lattices.convert,
    care.index, care.subtitles, recordings.delete, recordings.undelete, recordings.purge, recordings.relocate,
    care.merge, care.check, care.pack, care.unpack,
    *TABLES,
    corrections.correct, corrections.corrections, marks.note, marks.notes, marks.collection,
    judging.judge, judging.judgments, learning.learn, learning.weights, learning.hearings,
):  # fmt: skip
    undoing = (metadata.about, corrections.corrections, marks.notes, marks.collection)
    kind = {search.search: search.QueryCommand, **dict.fromkeys(undoing, metadata.AboutCommand)}.get(command)
    name = "list" if command is metadata.list_recordings else None
    app.command(name, cls=kind)(command if command in TABLES else limited(command, features=False))
app.add_typer(lists.app, name="models")
