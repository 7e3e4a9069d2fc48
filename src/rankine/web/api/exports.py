"""Exports: hits as CSV, JSON and playlists, subtitles, and citations."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple
from urllib.parse import quote
from xml.sax.saxutils import escape

import msgspec

from ...errors import InputError
from ...spoken.metadata.rights import OPEN
from ...spoken.recognise.roots import split_root
from ...spoken.search.hits import Hit
from ...system.console import clock
from ..answers import ApiError, without_paths
from ..live import ArchiveState
from ..parameters import Parameters
from ..sound.timeline import in_recordings
from .recordings import described
from .search import hit_content, page_of, results_of

_MOST = 1000  # hits
_COLUMNS = ("rank", "recording", "title", "date", "speaker", "start", "end", "certainty", "score", "text", "place")
_VLC = "http://www.videolan.org/vlc/playlist/"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a table program would take for one


class ExportFile(NamedTuple):
    """A file that a browser keeps."""

    name: str
    type: str
    content: bytes


class HitExport(NamedTuple):
    """What is exported: the query and its hits, with times in their audio files, and with times in their recordings."""

    query: str
    hits: Sequence[Hit]
    timed: Sequence[Hit]


def export_hits(state: ArchiveState, parameters: Parameters, form: str) -> ExportFile:
    """All hits of a query as a file."""
    if form not in FORMS:
        raise ApiError(404, "not-found", f"hits are exported as {', '.join(FORMS)}")
    page = page_of(parameters, _MOST)
    k, per_recording = parameters.number("k", _MOST, 1, _MOST), parameters.number("per_recording", 100, 1, 100)
    wide = page._replace(k=k, per_recording=per_recording)
    results = results_of(state, parameters)
    hits = [hit for group in results.page(wide).groups for hit in group.hits][: wide.k]
    kind, write = FORMS[form]
    return ExportFile(
        f"hits.{form}", kind, write(HitExport(results.text, hits, in_recordings(state.archive.index, hits)))
    )


def _text(hit: Hit) -> str:
    return " ".join(word.text for word in hit.line)


def _csv(export: HitExport) -> bytes:
    """A table; a cell that begins like a formula has an apostrophe before it, so that no program computes it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    for rank, hit in enumerate(export.timed, 1):
        row = [rank, hit.recording, hit.title, hit.date, hit.speaker, f"{hit.start:.3f}", f"{hit.end:.3f}",
               hit.certainty, f"{hit.score:.6f}", _text(hit), hit.place]  # fmt: skip
        writer.writerow(f"'{c}" if isinstance(c, str) and c.startswith(_FORMULA) else c for c in row)
    return out.getvalue().encode("utf-8-sig")


def _json(export: HitExport) -> bytes:
    hits = [
        hit_content(hit) | {"rank": rank, "title": hit.title, "date": hit.date, "text": _text(hit)}
        for rank, hit in enumerate(export.timed, 1)
    ]
    return msgspec.json.format(msgspec.json.encode({"query": export.query, "hits": hits}), indent=1)


class _Track(NamedTuple):
    """A hit in a playlist: the file that it is in, and from when to when it is played."""

    file: str
    start: float
    stop: float
    title: str
    text: str


def _tracks(hits: Sequence[Hit]) -> list[_Track]:
    """The hits that have times and an audio file, from one second before each to one after.

    The file is named as it lies below its recording root: a playlist is put there.
    """
    out = []
    for hit in hits:
        if hit.audio and hit.line and hit.start == hit.start and hit.end == hit.end:
            name, below = split_root(hit.audio)
            file = _line(below if name else PurePath(hit.audio).name)
            start, stop = max(hit.start - 1, 0.0), hit.end + 1
            out.append(_Track(file, start, stop, _line(hit.title or hit.recording), _line(_text(hit))))
    return out


def _line(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def _m3u(export: HitExport) -> bytes:
    lines = ["#EXTM3U", f"#PLAYLIST:{_line(export.query)}"]
    for track in _tracks(export.hits):
        lines.append(f"#EXTINF:{round(track.stop - track.start)},{track.title}: {track.text}")
        lines += [f"#EXTVLCOPT:start-time={track.start:.2f}", f"#EXTVLCOPT:stop-time={track.stop:.2f}"]
        lines.append(f"./{track.file}" if track.file.startswith("#") else track.file)
    return ("\n".join(lines) + "\n").encode()


def _xspf(export: HitExport) -> bytes:
    tracks = []
    for track in _tracks(export.hits):
        times = f"start-time={track.start:.2f}", f"stop-time={track.stop:.2f}"
        options = "".join(f"<vlc:option>{time}</vlc:option>" for time in times)
        tracks.append(
            f"<track><location>{escape(quote(track.file))}</location><title>{escape(track.title)}</title>"
            f"<annotation>{escape(track.text)}</annotation>"
            f'<extension application="{_VLC}0">{options}</extension></track>'
        )
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<playlist version="1" xmlns="http://xspf.org/ns/0/" '
        f'xmlns:vlc="{_VLC}ns/0/">'
    )
    title = f"<title>{escape(_line(export.query))}</title>"
    return "\n".join([head, title, "<trackList>", *tracks, "</trackList></playlist>\n"]).encode()


FORMS: dict[str, tuple[str, Callable[[HitExport], bytes]]] = {
    "csv": ("text/csv", _csv),
    "json": ("application/json", _json),
    "m3u": ("audio/x-mpegurl", _m3u),
    "xspf": ("application/xspf+xml", _xspf),
}


def subtitle_file(state: ArchiveState, name: str, form: str) -> ExportFile:
    """The likeliest words of a recording as WebVTT or SRT."""
    if form not in ("vtt", "srt"):
        raise ApiError(404, "not-found", "subtitles are vtt or srt")
    _check_open(state, name)
    try:
        text = state.archive.recordings.subtitles(name, form)
    except InputError as error:
        raise ApiError(409, "no-subtitles", without_paths(error.what)) from None
    return ExportFile(f"{name}.{form}", {"vtt": "text/vtt", "srt": "application/x-subrip"}[form], text.encode())


def citation_content(state: ArchiveState, name: str, parameters: Parameters) -> dict[str, Any]:
    """A line that cites a recording, and a time in it."""
    described(state, name)
    second = parameters.seconds("t") if parameters.text("t") else None
    return {"text": citation(name, state.archive.metadata.get(name), second)}


def _check_open(state: ArchiveState, name: str) -> None:
    if described(state, name).rights != OPEN:
        raise ApiError(403, "closed", "what was said in this recording is given on request")


# -- Citations


def citation(name: str, fields: Mapping[str, str], second: float | None = None) -> str:
    """A recording as it is cited, with what is said about it, and the time code of a place.

    >>> citation("tape-7", {"title": "Harbour", "speakers": "Ann Lee; Bob Day", "date": "1999-05-17"}, 741.24)
    'Ann Lee; Bob Day: “Harbour” (1999-05-17). Recording tape-7, 12:21.2.'
    >>> citation("tape-7", {})
    'Recording tape-7.'
    """
    speakers, title, date = (" ".join(fields.get(field, "").split()) for field in ("speakers", "title", "date"))
    collection = " ".join(fields.get("collection", "").split())
    head = f"“{title}”" if title else ""
    head = f"{speakers}: {head}" if speakers and head else speakers or head
    head += f" ({date})" if date and head else date
    parts = f"Recording {name}", collection, "" if second is None else clock(second)
    place = ", ".join(part for part in parts if part)
    return f"{head}. {place}." if head else f"{place}."
