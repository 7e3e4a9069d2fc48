"""Named collections of places: kept in the archive's store, exported with time codes."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ...errors import InputError, nearest, shorten
from ...system.files import write_file
from ..corrections.changes import placed_recording
from ..corrections.words import corrected_words
from ..index.reader import Index
from ..lattice.formats.transcripts.captions import stamp
from ..recordings.place_files import read_place_rows, write_place_rows
from ..recordings.places import audio_of
from ..recordings.roots import RecordingRoots
from .marks import Marks, PlaceMark, checked_mark
from .notes import ImportedMarks, imported

COLUMNS = ("collection", "recording", "start", "end", "from", "to", "said", "text", "title", "audio", "by", "time")
_LONGEST_NAME = 100  # characters


class Collections(Marks):
    """Named collections of places: ``archive.collections``.

    A place is ``RECORDING@START-END`` in seconds, or ``RECORDING``; it may have a text. Recordings that are not open
    are left out, unless their keeper asks (``closed``).
    """

    kind, key, noun = "member", "collection", "place"

    @property
    def names(self) -> dict[str, int]:
        """The number of places in each collection, by name; of closed recordings too."""
        counts: dict[str, int] = {}
        for member in self.every(closed=True):
            counts[member.key] = counts.get(member.key, 0) + 1
        return dict(sorted(counts.items()))

    def add(
        self, name: str, places: str | Sequence[str], text: str = "", by: str | None = None, closed: bool = False
    ) -> list[PlaceMark]:
        """Put places into a collection, which is made by that; those that are in it already stay once."""
        key = checked_name(name)
        some = [places] if isinstance(places, str) else list(places)
        there = {member[2:5] for member in self.every(closed=True) if member.key == key}
        rows = [self.row(place, key, text, closed) for place in dict.fromkeys(some)]
        new = [row for row in rows if (row["recording"], row["start"], row["stop"]) not in there]
        return self.write(new, f"collection {key}", by) if new else []

    def get_all(self, name: str, closed: bool = False) -> list[PlaceMark]:
        """The places of a collection, in the order in which they were put in; an unknown name is an InputError."""
        names = self.names
        if name not in names:
            there = ", ".join(names) or "none"
            raise InputError(f"no collection is called {shorten(name)}.{nearest(name, names)} There are: {there}")
        return [member for member in self.every(closed=closed) if member.key == name]

    def remove(self, number: int, by: str | None = None, closed: bool = False) -> None:
        """Take a place out of its collection, by its number; undoing this puts it back."""
        self.replace(number, None, by, closed)

    def export(self, name: str, path: str | os.PathLike, closed: bool = False) -> int:
        """Write a collection to a file, by its ending; how many places it has.

        .csv, .tsv, .json and .jsonl have times in seconds and as time codes, and what was said. .vtt has a cue for each
        place of one recording. .m3u and .m3u8 are lists for players such as VLC.
        """
        members = self.get_all(name, closed)
        suffix = Path(path).suffix.lower()
        if suffix in _TEXTS:
            write_file(path, _TEXTS[suffix](self.archive.index, members).encode())
        else:
            write_place_rows(path, COLUMNS, _rows(self.archive.index, members))
        return len(members)

    def import_file(
        self,
        path: str | os.PathLike,
        name: str | None = None,
        by: str | None = None,
        closed: bool = False,
        encoding: str | None = None,
    ) -> ImportedMarks:
        """Put the places of a file into a collection, or into those that its column ``collection`` names."""
        needed = ("collection",) if name is None else ()
        read = read_place_rows(path, self.archive.index.numbers, needed, encoding)
        every = self.every(closed=True)
        rows, errors = list[dict[str, Any]](), list(read.errors)
        for place in read.rows:
            try:
                key = checked_name(place.cells["collection"] if name is None else name)
                text = place.cells.get("text", "")
                rows.append(self.place_row(place.recording, place.start, place.end, key, text, closed))
            except InputError as error:
                errors.append(f"{place.where}: {error.message}")
        there = {member[1:6] for member in every}
        return imported(self, rows, there, f"import of {Path(path).name}", by, errors, read.notes)


def checked_name(name: str) -> str:
    """The name of a collection; an InputError where it is none."""
    plain = " ".join(checked_mark(name).split())
    if not plain or len(plain) > _LONGEST_NAME:
        raise InputError(f"expected the name of a collection, at most {_LONGEST_NAME} characters; got {shorten(name)}")
    return plain


def _said(index: Index, member: PlaceMark) -> str:
    """The words of a place, with corrections; none of a whole recording, or of one that is not there."""
    if member.start is None or member.end is None or member.recording not in index.numbers:
        return ""
    words = corrected_words(placed_recording(index, member.recording))
    return " ".join(w.text for w in words if member.start <= (w.start + w.end) / 2 <= member.end)


def _title(index: Index, member: PlaceMark) -> str:
    if member.recording not in index.numbers:
        return ""
    return index.texts_of([index.number_of(member.recording)])[0].get("title", "")


def _audio(index: Index, member: PlaceMark) -> str:
    """The path of the recording on this machine, as far as it is told here; else as the archive has it."""
    if member.recording not in index.numbers:
        return ""
    audio = audio_of(index, member.recording)
    try:
        return RecordingRoots(index.folder, index.manifest).named.full(audio)
    except (InputError, OSError):  # settings of the user that cannot be read
        return audio


def _rows(index: Index, members: Sequence[PlaceMark]) -> list[tuple[Any, ...]]:
    return [
        (m.key, m.recording, m.start, m.end, None if m.start is None else stamp(m.start),
         None if m.end is None else stamp(m.end), _said(index, m), m.text, _title(index, m), _audio(index, m), m.who,
         m.time)
        for m in members
    ]  # fmt: skip


def _as_vtt(index: Index, members: Sequence[PlaceMark]) -> str:
    """A cue for each place, of one recording."""
    if len({member.recording for member in members}) > 1:
        raise InputError("WebVTT belongs to one recording, and this collection has places of several: choose .csv")
    lines = ["WEBVTT", ""]
    for m in sorted((m for m in members if m.start is not None), key=lambda m: (m.start, m.end)):
        text = _line(": ".join(x for x in (m.text, _said(index, m)) if x) or m.key)
        for mark, escape in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
            text = text.replace(mark, escape)
        lines += [f"{stamp(m.start or 0.0)} --> {stamp(m.end or 0.0)}", text, ""]
    return "\n".join(lines) + "\n"


def _as_m3u(index: Index, members: Sequence[PlaceMark]) -> str:
    """A list of audio files with times, as VLC reads it."""
    lines = ["#EXTM3U"]
    for m in members:
        if not (audio := _line(_audio(index, m))):
            raise InputError(f"the archive does not know a recording of {m.recording!r}: choose .csv or .json")
        seconds = -1 if m.start is None or m.end is None else math.ceil(m.end - m.start)
        title = _line(": ".join(x for x in (_title(index, m) or m.recording, m.text or _said(index, m)) if x))
        times = [] if m.start is None else [f"#EXTVLCOPT:start-time={m.start:.3f}", f"#EXTVLCOPT:stop-time={m.end:.3f}"]
        lines += [f"#EXTINF:{seconds},{title}", *times, audio]
    return "\n".join(lines) + "\n"


def _line(text: str) -> str:
    return " ".join(text.split())


_TEXTS: dict[str, Callable[[Index, Sequence[PlaceMark]], str]] = {
    ".vtt": _as_vtt, ".m3u": _as_m3u, ".m3u8": _as_m3u,
}  # fmt: skip
