"""``rankine spoken recognise``, ``add`` and ``play``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .common import Folder, Workers, finish

if TYPE_CHECKING:
    from ...spoken.recognise.run import Recognised

RECOGNISED = "recognised"
Audio = Annotated[list[str], typer.Argument(help="Recordings (wav, flac, mp3, ogg, …), or folders of them.")]
Without = Annotated[
    str | None, typer.Option("--without-words", help="A file of words that the recogniser is not to know.")
]
Model = Annotated[str | None, typer.Option(help="Folder of an acoustic model; default: PocketSphinx's US English.")]
LanguageModel = Annotated[str | None, typer.Option("--lm", help="An n-gram model; default: PocketSphinx's own.")]
Dictionary = Annotated[
    str | None, typer.Option("--dict", help="A pronunciation dictionary; default: PocketSphinx's own.")
]
Beam = Annotated[
    float | None, typer.Option(help="The decoder's beam, a ratio (1e-48): smaller is slower, with larger lattices.")
]
WordBeam = Annotated[float | None, typer.Option(help="The same at ends of words (7e-29).")]
Longest = Annotated[float, typer.Option(help="Recordings above so many seconds are cut at pauses.")]


def recognise(
    audio: Audio,
    output: Annotated[str, typer.Option("-o", "--output", help="Folder of the lattices.")],
    without_words: Without = None,
    model: Model = None,
    lm: LanguageModel = None,
    dictionary: Dictionary = None,
    beam: Beam = None,
    word_beam: WordBeam = None,
    longest: Longest = 30.0,
    workers: Workers = None,
) -> None:
    """Recognise recordings with PocketSphinx, into lattices; what has been recognised is not done again.

    Expect one word in four to be wrong on clear read English, and many more on telephones, accents and crowds: that is
    what lattices, subwords and learned weights are for.

    `rankine spoken recognise recordings/ -o lattices/` then
    `rankine spoken index archive/ lattices/ --about lattices/recordings.tsv`; or both at once: `rankine spoken add`.
    """
    found = _recognise(
        audio, Path(output), without_words, model, lm, dictionary, beam, word_beam, longest, workers
    )  # fmt: skip
    finish(found.errors, found.done + found.before, "recordings")


def add(
    archive: Annotated[str, typer.Argument(help="The archive: a folder, made if there is none.")],
    audio: Audio,
    without_words: Without = None,
    model: Model = None,
    lm: LanguageModel = None,
    dictionary: Dictionary = None,
    beam: Beam = None,
    word_beam: WordBeam = None,
    longest: Longest = 30.0,
    workers: Workers = None,
) -> None:
    """From recordings to an archive that can be searched: recognise what is new, and index it.

    The lattices stay in the archive's folder, below `recognised`.

    `rankine spoken add archive/ recordings/` and then `rankine spoken search archive/ "printing press"`
    """
    from ...parallel import thread_count
    from ...progress import bar
    from ...spoken.archive.archive import create_or_open
    from ...spoken.index.about import read_about
    from ...spoken.recognise.recordings import find
    from ...spoken.recognise.run import TABLE

    find(audio)  # complains before an archive is made
    opened = create_or_open(archive, "en", None, None, None)
    folder = Path(archive, RECOGNISED)
    found = _recognise(audio, folder, without_words, model, lm, dictionary, beam, word_beam, longest, workers)
    errors = list(found.errors)
    gone = [name for name in found.silent if name in set(opened.documents)]
    if gone:
        opened.delete(gone)
    if len((folder / TABLE).read_text(encoding="utf-8").splitlines()) > 1:
        with bar("utterances", None) as update:
            changes = opened.add(
                folder, read_about(folder / TABLE), workers=thread_count(workers), progress=update, listed=True
            )  # fmt: skip
        errors += changes.errors
        typer.echo(
            f"{archive}: {changes.added} recordings added, {changes.updated} updated, {changes.unchanged} unchanged; "
            f"{len(opened)} in all",
            err=True,
        )
    finish(errors, found.done + found.before, "recordings")


def _recognise(
    audio: list[str], folder: Path, without: str | None, model: str | None, lm: str | None, dictionary: str | None,
    beam: float | None, word_beam: float | None, longest: float, workers: int | None,
) -> Recognised:  # fmt: skip
    import time

    from ...parallel import thread_count
    from ...progress import bar
    from ...spoken.recognise.run import PocketSphinx, read_words, recognise

    words = () if without is None else read_words(without)
    recogniser = PocketSphinx(model, lm, dictionary, words, beam, word_beam)
    began = time.perf_counter()
    with bar("recognising", None, unit="seconds") as update:
        found = recognise(
            audio, folder, recogniser, longest=longest, workers=thread_count(workers),
            report=lambda done, total: update(round(done), round(total)),
        )  # fmt: skip
    took = time.perf_counter() - began
    speed = f", {found.seconds / took:.1f} × real time" if found.seconds else ""
    typer.echo(
        f"{folder}: {found.done} recordings recognised ({found.seconds / 60:.1f} minutes of speech{speed}), "
        f"{found.before} were there already",
        err=True,
    )
    for note in found.notes:
        typer.echo(f"rankine: {note}", err=True)
    return found


def play(
    archive: Folder,
    hit: Annotated[
        str, typer.Argument(help="DOCUMENT@START or DOCUMENT@START-END, in seconds, as `search` prints it.")
    ],
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="Write the snippet there (wav) instead of playing it.")
    ] = None,
    pad: Annotated[float, typer.Option(help="Seconds before and after.")] = 0.5,
    recordings: Annotated[
        str | None, typer.Option(help="Folder of the recordings, where they are not where they were.")
    ] = None,
) -> None:
    """Listen to a hit, or write it to a file.

    `rankine spoken search archive/ "printing press"` prints hits such as `lecture-3@741.2-742.9`:
    `rankine spoken play archive/ lecture-3@741.2-742.9`
    """
    import os
    import shutil
    import subprocess
    import tempfile

    from ...spoken import Archive
    from ...spoken.archive.hits import locate
    from ...spoken.recognise.audio import snippet

    place = locate(Archive(archive), hit, recordings)
    if output is not None:
        length = snippet(place.audio, place.start, place.end, pad, output)
        typer.echo(f"{output}: {length:.1f} seconds of {place.audio}", err=True)
        return
    players = (
        ("paplay",),
        ("aplay", "-q"),
        ("afplay",),
        ("play", "-q"),
        ("ffplay", "-nodisp", "-autoexit", "-v", "error"),
    )
    found = next((p for p in players if shutil.which(p[0])), None)
    if found is None:
        target = f"{Path(place.document).name}-{place.start:.1f}.wav"  # in the folder where one stands
        snippet(place.audio, place.start, place.end, pad, target)
        typer.echo(f"no player was found ({', '.join(p[0] for p in players)}); the snippet is in {target}", err=True)
        return
    handle, name = tempfile.mkstemp(suffix=".wav")
    os.close(handle)
    try:
        snippet(place.audio, place.start, place.end, pad, name)
        if subprocess.run([*found, name], check=False).returncode:
            typer.echo(f"{found[0]} could not play it; write it to a file with -o", err=True)
            raise typer.Exit(1)
    finally:
        os.unlink(name)
