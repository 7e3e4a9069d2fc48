"""``rankine demo``."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..system.console import print_table, put
from .shared.printing import print_comparison, print_hits

if TYPE_CHECKING:
    from ..system.report import Section


def command(
    folder: Annotated[str, typer.Argument(help="Folder of the demo's files and pictures.")] = "demo-output",
) -> None:
    """Run both halves of Rankine on bundled data: a judged search set, and a spoken archive.

    Without the packages that the second half needs, the demo says how they are installed.
    """
    from ..errors import install
    from ..system.report import write
    from .shared.demo import hears_speech, prepare_folder

    place = Path(folder)
    prepare_folder(place)
    sections, hit = _search(place), None
    if hears_speech():
        spoken, hit = _spoken(place)
        sections += spoken
    else:
        put(f"\n2. The other half searches a spoken archive, and needs packages that are not here: {install('spoken')}")
    write(sections, place)
    put(f"\nEverything with its pictures: {place}/report.html\n")
    put("What to try next\n")
    for line, explanation in _next_steps(place, hit):
        put(f"  {line}\n      {explanation}")
    if hit is not None:
        put(f"\nThe archive in the browser:\n\n  rankine spoken serve {shlex.quote(str(place / 'archive'))}")


def _search(folder: Path) -> list[Section]:
    """The first half: learn and compare on the judged search set; returns its sections of the report."""
    from .shared.demo import compare_systems, search_sections, write_search_set

    data = write_search_set(folder)
    put(f"1. A judged search set that Rankine made itself: {data}\n")
    comparison = compare_systems(data, folder)
    print_comparison(comparison)
    return search_sections(data, comparison)


def _spoken(folder: Path) -> tuple[list[Section], str]:
    """The second half: search the spoken archive before and after learning; returns sections and first hit."""
    from .shared.demo import QUERY, add_recordings, learn_weights, spoken_sections

    archive, judged, recogniser = add_recordings(folder)
    put(f"\n2. A spoken archive: {len(archive)} noisy recordings, as {recogniser} understood them.\n")
    print_hits(f"{QUERY}, before learning", archive.search(QUERY, 5))
    trial = learn_weights(archive, judged, folder)
    print_table("Mean AP over four folds of queries: learned weights are tested on queries they have not seen",
                trial.columns, trial.table())  # fmt: skip
    hits = archive.search(QUERY, 5)
    print_hits(f"{QUERY}, after learning", hits)
    return spoken_sections(archive, judged, trial), hits[0].place


def _next_steps(folder: Path, hit: str | None) -> list[tuple[str, str]]:
    """Commands to try, with a line of explanation each; those of the spoken archive only where it has a first hit."""
    at = shlex.quote(str(folder))
    steps = [
        (f"rankine train {at}/search.txt -m nDCG@10 -o model.json", "learn a ranker, and be told how good it is"),
        (f"rankine compare {at}/qrels.txt {at}/*.run --details 3", "where systems differ, and why"),
    ]
    if hit is not None:
        steps += _spoken_steps(at, hit)
    steps.append(("rankine --help", "everything else"))
    if shutil.which("rankine") is None:
        activate = os.path.relpath(Path(sys.executable).with_name("activate"))
        steps.insert(0, (f". {activate}", "puts rankine on your path"))
    return steps


def _spoken_steps(at: str, hit: str) -> list[tuple[str, str]]:
    """Commands to try on the demo's spoken archive, and the one that makes an archive of other recordings."""
    from .shared.demo import QUERY

    return [
        (f"rankine spoken search {at}/archive hospital", "find what was said"),
        (f"rankine spoken play {at}/archive {hit} -o hit.wav", f"hear the first hit for {QUERY}"),
        ("rankine spoken add my-archive/ recordings/", "the same with recordings of your own"),
    ]
