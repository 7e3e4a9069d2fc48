"""Judgments as places: which segments the judged names mean, in the state that the archive is in now."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from ...errors import InputError
from ..index.reader import Index
from ..recordings.places import place_at, places_of, read_place_name


class JudgedNames(Collection[str]):
    """The names that can be judged in an archive: its recordings, and times in them; it lists the recordings.

    A place whose recording is there and whose times are not (it was indexed anew and is shorter) is not in it.
    """

    def __init__(self, index: Index) -> None:
        self.index = index

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and meaning(self.index, name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.index.names)

    def __len__(self) -> int:
        return len(self.index)


def meaning(index: Index, name: str) -> tuple[int, int | None] | None:
    """The number of the recording and of the place that a name means (None: the best one); None: nothing here."""
    try:
        read = read_place_name(name, index.numbers, index.utterances_of)
    except InputError:
        return None
    number = index.numbers.get(read.recording)
    if number is None:
        return None
    if read.start is None and read.utterance is None:
        places = places_of(index, number)
        return number, places[0] if len(places) == 1 else None
    place = place_at(index, read)
    return None if place is None else (number, place)


def named_place(index: Index, name: str) -> int | None:
    """The number of the place that a name means; None: no certain one."""
    meant = meaning(index, name)
    return None if meant is None else meant[1]


def judged_places(index: Index, grades: Mapping[str, float], best: Callable[[int], int | None]) -> dict[int, float]:
    """The grades of a query's judged names, by place number.

    Args:
        index: the archive's.
        grades: by name, the oldest first: where two names mean one place, the last counts.
        best: the best place of a recording (by number) for the query, which a recording's own name stands for; None
            where the recording has none.

    ``RECORDING@START-END`` stands for the segment that it overlaps most, so the same place is recognised with whatever
    times a hit had. Names of what is not in the archive are left out.
    """
    meant = meant_places(index, grades, best)
    return {place: grade for (_, place), grade in meant.items() if place is not None}


def relevant_places(index: Index, grades: Mapping[str, float], best: Callable[[int], int | None]) -> int:
    """How many places the judged names call relevant, each once; a recording without any evidence is one too."""
    return sum(grade > 0 for grade in meant_places(index, grades, best).values())


def meant_places(
    index: Index, grades: Mapping[str, float], best: Callable[[int], int | None]
) -> dict[tuple[int, int | None], float]:
    """The grades by number of the recording and of the place; None: no place of it has any evidence."""
    out: dict[tuple[int, int | None], float] = {}
    for name, grade in grades.items():
        meant = meaning(index, name)
        if meant is not None:
            recording, place = meant
            out[recording, best(recording) if place is None else place] = grade
    return out
