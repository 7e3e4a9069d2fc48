"""Recordings: the archive as a whole, lists, one recording, its transcript."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from ...errors import InputError
from ...spoken.metadata.fields import values_of
from ...spoken.metadata.rights import OPEN
from ...spoken.metadata.turns import turns_of
from ...spoken.recordings.progress import recognition_progress
from ...spoken.search.recordings_list import SORTS, RecordingDescription
from ...version import __version__
from ..answers import ApiError, not_there, rounded
from ..live import ArchiveState
from ..parameters import Parameters
from ..sound.audio import audio_state, file_name
from ..sound.timeline import piece_of, timeline

_MOST_VALUES = 200
_TRANSCRIPT = 600.0  # seconds


def described(state: ArchiveState, name: str) -> RecordingDescription:
    """A recording that is not closed."""
    if name not in state.descriptions:
        raise not_there()
    return state.descriptions.get(name)


def archive_content(state: ArchiveState) -> dict[str, Any]:
    """The archive as a whole."""
    about, dates = state.descriptions, state.descriptions.dates
    return {
        "name": state.archive.folder.resolve().name, "recordings": len(about), "seconds": rounded(about.seconds),
        "language": state.archive.settings.language, "version": __version__,
        "speakers": about.values("speakers", _MOST_VALUES), "collections": about.values("collection", _MOST_VALUES),
        "dates": {"first": dates[0], "last": dates[1]} if dates else {"first": None, "last": None},
        "recognising": _recognising(state), "has_audio": about.has_audio, "examples": state.examples,
    }  # fmt: skip


def _recognising(state: ArchiveState) -> dict[str, Any] | None:
    """How far the process is that adds recordings now."""
    progress = recognition_progress(state.archive.folder)
    if progress is None:
        return None
    done, total, names = progress
    return {"done_seconds": rounded(done, 1), "total_seconds": rounded(total, 1), "files": names[:_MOST_VALUES]}


def recording_contents(state: ArchiveState, names: Iterable[str]) -> list[dict[str, Any]]:
    """Recordings as lists show them."""
    return _contents(state, [described(state, name) for name in names])


def _contents(state: ArchiveState, several: Iterable[RecordingDescription]) -> list[dict[str, Any]]:
    progress = recognition_progress(state.archive.folder)  # a file, which is read once
    begun = [] if progress is None else progress.recordings
    return [_content(state, about, begun) for about in several]


def _content(state: ArchiveState, about: RecordingDescription, begun: Collection[str]) -> dict[str, Any]:
    return {
        "id": about.name, "title": about.title, "date": about.date, "speaker": about.speaker,
        "collection": about.collection, "seconds": about.seconds, "rights": about.rights, "has_audio": about.audio,
        "heard": about.heard, "heard_by": state.heard_by(about.name),
        "recognition": "recognising" if about.name in begun else "ready",
    }  # fmt: skip


def recordings(state: ArchiveState, parameters: Parameters) -> dict[str, Any]:
    """A page of the list of recordings."""
    total, some = state.descriptions.page(
        parameters.choice("sort", SORTS), parameters.choice("order", ("asc", "desc")) == "desc",
        parameters.text("filter", longest=1000), parameters.number("offset", 0, 0, 10_000_000),
        parameters.number("limit", 50, 1, 500),
    )  # fmt: skip
    return {"total": total, "recordings": _contents(state, some)}


def recording(state: ArchiveState, name: str) -> dict[str, Any]:
    """One recording, with all that is said about it."""
    (content,), index = recording_contents(state, [name]), state.archive.index
    audio = audio_state(state, name)
    fields = state.archive.metadata.get(name)
    if len(files := timeline(index, name)) > 1:
        content["seconds"] = rounded(files[-1].begin + files[-1].seconds)
    return content | {
        "fields": {field: values_of(value) if ";" in value else [value] for field, value in fields.items()},
        "audio": {
            "state": audio.state, "message": audio.message, "type": None, "url": None,
            "files": [{"name": file_name(file), "start": rounded(file.begin)} for file in audio.files],
        },
        "turns": [{"speaker": t.speaker, "start": t.start, "end": t.stop} for t in turns_of(index, name)],
    }  # fmt: skip


def transcript(state: ArchiveState, name: str, parameters: Parameters) -> dict[str, Any]:
    """The words of a recording, with their alternatives, from a time on."""
    about = described(state, name)
    if about.rights != OPEN:
        raise ApiError(403, "closed", "what was said in this recording is given on request")
    start = parameters.seconds("from", 0.0)
    end = parameters.seconds("to", start + _TRANSCRIPT)
    try:
        piece = piece_of(state.archive.index, name, start, end)
    except InputError as error:
        raise ApiError(400, "bad-parameter", error.what) from None
    words = [
        {
            "text": w.word.text, "start": rounded(w.word.start), "end": rounded(w.word.end),
            "posterior": rounded(w.word.posterior, 4), "segment": w.segment,
            "alternatives": [{"text": a.text, "posterior": rounded(a.posterior, 4)} for a in w.alternatives],
        }
        for w in piece.words
    ]  # fmt: skip
    return {"words": words, "seconds": about.seconds, "next": piece.next}
