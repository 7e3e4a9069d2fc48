"""Make the tables and pictures of the documentation: ``python -m experiments.pages NAME [WORK or SETS]``.

They are written into ``docs/_static``; most need RANKINE_DATA. Experiments on recognisers keep their lattices in the
folder WORK; ``large-margin`` takes the names of sets. ``search`` also writes the weights that the package ships.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from rankine.errors import InputError, nearest
from rankine.system.console import say
from rankine.system.parallel import thread_count

from .table import module_of

HOUSE = Path(__file__).parent.parent
STATIC = HOUSE / "docs" / "_static"
SHIPPED = HOUSE / "src" / "rankine" / "spoken" / "learn" / "shipped.json"


def _folder(name: str) -> Path:
    place = STATIC / name
    place.mkdir(parents=True, exist_ok=True)
    return place


def _auto(work: list[str]) -> None:
    module_of("auto").make(_folder("auto"), thread_count(), Path(*work[:1] or ["auto-report"]))


def _large_margin(sets: list[str]) -> None:
    module = module_of("large-margin")
    names = sets or (*module.MADE, "ohsumed-letor2", "ohsumed", "mq2008")
    module.make(_folder("large-margin"), thread_count(), names)


def _large_margin_pictures(_: list[str]) -> None:
    from .ranking.large_margin_pictures import make_pictures

    make_pictures(STATIC)


def _plain(name: str, folder: str) -> Callable[[list[str]], None]:
    """An experiment that needs a folder for its pages, and a number of processes."""
    return lambda _: module_of(name).make(_folder(folder), thread_count())


def _of_speech(name: str) -> Callable[[list[str]], None]:
    """An experiment that keeps lattices in a folder, too."""
    return lambda work: module_of(name).make(_folder("spoken"), Path(work[0]), thread_count())


PAGES: dict[str, Callable[[list[str]], None]] = {
    "auto": _auto,
    "bounds": _plain("bounds", "theory"),
    "defaults": _plain("defaults", "defaults"),
    "hearings": _of_speech("hearings"),
    "judging": _of_speech("judging"),
    "large-margin": _large_margin,
    "large-margin-pictures": _large_margin_pictures,
    "letor": lambda _: module_of("letor").make(STATIC),
    "scorers": _plain("scorers", "scorers"),
    "search": lambda work: module_of("search").make(_folder("spoken"), Path(work[0]), thread_count(), SHIPPED),
    "spoken": _plain("spoken", "spoken"),
    "vocabulary": _of_speech("vocabulary"),
}
WITH_WORK = ("hearings", "judging", "search", "vocabulary")


def main(arguments: list[str]) -> None:
    """Make the pages of one experiment."""
    name, *others = arguments or [""]
    if name not in PAGES:
        raise InputError(f"expected one of {', '.join(PAGES)}; got {name!r}.{nearest(name, PAGES)}")
    if name in WITH_WORK and not others:
        raise InputError(f"expected a folder for the lattices: python -m experiments.pages {name} WORK")
    PAGES[name](others)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except InputError as error:
        say(error)
        sys.exit(1)
