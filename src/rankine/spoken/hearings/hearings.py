"""Further hearings of an archive: what other recognisers heard in its recordings, and how much each counts.

A hearing is an archive in the folder ``hearings/NAME`` of the archive that it belongs to: lattices in ``recognised``,
and an index with the same settings. It has no store: what is said about recordings is said of the archive's own. Its
weight, and why it has it, is in ``hearing.json``; without that file it does not count. Its name is a name only: nothing
in an archive says what is to be run.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from secrets import token_hex
from typing import Annotated, Literal, NamedTuple, TypedDict

import numpy as np
from msgspec import Meta

from ...errors import InputError, nearest, shorten
from ...system.files import locked, sealed, unsealed, write_file
from ...system.paths import entries, folder_inside, inside
from ...system.records import Count, Finite, checked
from ...system.temporary import MARK
from ..index.reader import Index
from ..index.storage import BUSY, MANIFEST, create
from ..metadata.rights import HEARINGS
from ..recordings.places import recordings_of
from .alignment import SamePlaces, same_places

FOLDER, RECORD = HEARINGS, "hearing.json"
NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}"
MOST = 10.0  # that a hearing may weigh
_WHAT = "the weight of a hearing"

Source = Literal["judged queries", "agreement", "none", "given"]


class _HearingRecord(TypedDict):
    weight: Annotated[float, Meta(ge=0, le=MOST)]
    source: Source
    queries: Count
    without: Finite
    with_it: Finite
    p: Annotated[float, Meta(ge=0, le=1)]


@dataclass(frozen=True)
class HearingWeight:
    """How much a hearing counts and why.

    ``source`` says what it was learned from: judged queries, agreement of hearings, none (there was no evidence), or
    that it was given. ``without`` and ``with_it`` are mean APs of so many queries without the hearing and with it, each
    query with a weight that was chosen on others; ``p`` is that of the paired randomisation test.
    """

    weight: float = 0.0
    source: Source = "none"
    queries: int = 0
    without: float = 0.0
    with_it: float = 0.0
    p: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.weight <= MOST:
            raise InputError(f"the weight of a hearing must be between 0 and {MOST:g}, got {self.weight}")

    def __str__(self) -> str:
        """Why it has its weight, in words."""
        if self.source == "given":
            return "given"
        if not self.queries:
            return "no evidence that it helps: too few judged queries, and too few words that several hearings have"
        what = "judged queries" if self.source == "judged queries" else "words that several hearings have"
        test = f"mean AP {self.without:.4f} without it and {self.with_it:.4f} with it, p = {self.p:.2g}"
        return f"{self.queries} {what}: {test}{'' if self.weight else '; no evidence that it helps'}"


class FurtherHearing(NamedTuple):
    """A further hearing of an archive: its name, its folder, and its weight."""

    name: str
    folder: Path
    weight: HearingWeight


@dataclass(frozen=True)
class HeardIndex:
    """The index of a hearing that counts, with its weight and the places that it shares with the archive's own."""

    name: str
    weight: float
    index: Index
    same: SamePlaces


def hearing_folder(archive: Path, name: str) -> Path:
    """The folder of a hearing, there or not; a name that is none is an InputError."""
    if not re.fullmatch(NAME, name, re.ASCII):
        raise InputError(f"a hearing is called by letters, digits, and _ . - between them; got {shorten(name)}")
    return folder_inside(archive, f"{FOLDER}/{name}")


def hearing_folders(archive: Path) -> dict[str, Path]:
    """The folders of the further hearings of an archive, by name."""
    above = folder_inside(archive, FOLDER)
    if not above.is_dir():
        return {}
    names = [entry.name for entry in entries(above) if re.fullmatch(NAME, entry.name, re.ASCII)]
    folders = {name: hearing_folder(archive, name) for name in names}
    return {name: folder for name, folder in folders.items() if inside(folder, MANIFEST).exists()}


def hearings_of(archive: Path) -> list[FurtherHearing]:
    """The further hearings of an archive, by name."""
    return [FurtherHearing(name, folder, read_weight(folder)) for name, folder in hearing_folders(archive).items()]


def without_recordings(hearings: Sequence[HeardIndex], own: Index, names: Collection[str]) -> list[HeardIndex]:
    """Return further hearings as if they did not hold some recordings of an archive, whatever they call them."""
    if not names:
        return list(hearings)
    hidden = [own.numbers[name] for name in names if name in own.numbers]
    out = []
    for hearing in hearings:
        gone = np.isin(recordings_of(own, hearing.same.own), hidden)
        there = np.unique(recordings_of(hearing.index, hearing.same.further[gone])).tolist()
        same = SamePlaces(hearing.same.own[~gone], hearing.same.further[~gone])
        every = {*names, *(hearing.index.name_of(number) for number in there)}
        out.append(replace(hearing, index=hearing.index.without(every), same=same))
    return out


def hearing_of(archive: Path, name: str) -> FurtherHearing:
    """A further hearing by its name; an unknown one is an InputError."""
    there = {hearing.name: hearing for hearing in hearings_of(archive)}
    if name not in there:
        raise InputError(
            f"no further hearing is called {name!r}.{nearest(name, there)} There are: {', '.join(there) or 'none'}",
            str(archive),
        )
    return there[name]


def counting(index: Index) -> list[HeardIndex]:
    """The hearings of an archive that have a weight; others are not even opened."""
    return [open_hearing(index, hearing) for hearing in hearings_of(index.folder) if hearing.weight.weight]


def open_hearing(index: Index, hearing: FurtherHearing) -> HeardIndex:
    """The index of a hearing of an archive; one that was made with other units is an InputError."""
    further = Index.open(hearing.folder)
    if further.settings.kinds != index.settings.kinds:
        raise InputError(
            f"this hearing was indexed with other units than the archive: remove it (`rankine spoken hearings "
            f"{index.folder} --remove {hearing.name}`) and add it again", str(hearing.folder),
        )  # fmt: skip
    return HeardIndex(hearing.name, hearing.weight.weight, further, same_places(index, further))


def make_hearing(index: Index, name: str) -> Path:
    """The folder of a hearing; it is made as an empty archive with the same settings if it is not there."""
    folder = hearing_folder(index.folder, name)
    if not inside(folder, MANIFEST).exists():
        own = {file: inside(index.folder, file).read_bytes() for file in index.manifest.files}
        create(folder, index.manifest.settings, own, stored=False)
    return folder


def read_weight(folder: Path) -> HearingWeight:
    """The weight of the hearing in a folder; 0 where none was learned or given."""
    path = inside(folder, RECORD)
    if not path.exists():
        return HearingWeight()
    said = checked(unsealed(path, _WHAT), _HearingRecord, _WHAT, str(path))
    return HearingWeight(**{name: said[name] for name in _HearingRecord.__annotations__})  # type: ignore[literal-required]


def write_weight(hearing: FurtherHearing, weight: HearingWeight) -> None:
    """Give a hearing a weight, from now on."""
    write_file(inside(hearing.folder, RECORD), sealed(json.dumps(asdict(weight), indent=1)), durable=True)


def remove_hearing(archive: Path, name: str) -> None:
    """Remove a hearing with its lattices; those who read it keep what they have opened."""
    from ..recordings import recordings

    folder = hearing_of(archive, name).folder
    lattices = folder_inside(folder, recordings.FOLDER)
    with locked(folder, BUSY):
        if lattices.is_dir():
            with recordings.journal_of(lattices):
                pass  # nobody is recognising into it
    folder.rename(folder.with_name(f".{name}{MARK}{token_hex(4)}"))
    for entry in entries(folder.parent):  # also what an earlier one that was killed has left
        if entry.name.startswith(".") and MARK in entry.name and entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
