"""Searching: pages of hits, and why a hit was found."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from ...spoken.metadata.rights import OPEN
from ...spoken.query.suggestions import ALIKE
from ...spoken.search.hits import CERTAINTIES, Hit
from ...spoken.search.results import SORTS, PageRequest, SearchResults
from ..answers import ApiError, rounded
from ..live import ArchiveState
from ..parameters import LONGEST_QUERY, Parameters
from ..sound.timeline import in_recordings
from .recordings import described, recording_contents

_BEFORE = 1.0  # seconds before a hit from which it is played


def query_of(parameters: Parameters) -> str:
    """The words that are searched for."""
    text = parameters.text("q", longest=LONGEST_QUERY).strip()
    if not text:
        raise ApiError(400, "no-query", "expected words to search for, got none")
    return text


def results_of(state: ArchiveState, parameters: Parameters) -> SearchResults:
    """The results of the query, in the recordings that are chosen; closed ones are never searched."""
    given = parameters.optional
    return state.archive.search(
        query_of(parameters), speaker=given("speaker"), since=given("since"), until=given("until"),
        collection=given("collection"), recording=given("recording"), lazy=True,
    )  # fmt: skip


def page_of(parameters: Parameters, most: int = 100) -> PageRequest:
    """Which part of the results is asked for."""
    return PageRequest(
        parameters.number("k", 10, 1, most), parameters.number("offset", 0, 0, 1_000_000),
        parameters.number("per_recording", 3, 1, 100), parameters.choice("sort", SORTS),
        parameters.choices("certainty", CERTAINTIES),
    )  # fmt: skip


def search(state: ArchiveState, parameters: Parameters) -> dict[str, Any]:
    """Recordings with their hits."""
    began = time.perf_counter()
    request, results = page_of(parameters), results_of(state, parameters)
    page = results.page(request)
    contents = recording_contents(state, [group.recording for group in page.groups])
    return {
        "query": results.text, "notes": page.notes, "suggestions": _suggestions(results),
        "total_hint": {"recordings": page.recordings, "hits": page.places}, "more": page.more,
        "milliseconds": round(1e3 * (time.perf_counter() - began), 1),
        "groups": [
            {
                "recording": content, "more": group.more,
                "hits": [hit_content(hit) for hit in _in_time(state, group.hits, request)],
            }
            for group, content in zip(page.groups, contents, strict=True)
        ],
    }  # fmt: skip


def _in_time(state: ArchiveState, hits: Sequence[Hit], page: PageRequest) -> Sequence[Hit]:
    """The hits of a recording with times that count from its beginning."""
    timed = in_recordings(state.archive.index, hits)
    return sorted(timed, key=lambda hit: (hit.start != hit.start, hit.start)) if page.sort == "time" else timed


def _suggestions(results: SearchResults) -> list[dict[str, str]]:
    return [
        {"word": some.word, "instead": word, "why": f"{ALIKE[some.by]} {word}"}
        for word, several in results.suggestions.items()
        for some in several
    ]


def hit_content(hit: Hit) -> dict[str, Any]:
    """A hit as plain data; it holds no path of the machine."""
    return {
        "rank": hit.rank, "recording": hit.recording, "place": hit.place, "segment": hit.segment,
        "start": rounded(hit.start), "end": rounded(hit.end),
        "play_from": rounded(max(hit.start - _BEFORE, 0.0)) or 0.0,
        "certainty": hit.certainty, "score": hit.score, "evidence": hit.evidence, "speaker": hit.speaker,
        "line": [
            {
                "text": w.text, "start": rounded(w.start), "end": rounded(w.end),
                "posterior": rounded(w.posterior, 4), "mark": w.mark or None,
            }
            for w in hit.line
        ],
    }  # fmt: skip


def why(state: ArchiveState, parameters: Parameters) -> dict[str, Any]:
    """The parts of the score of a hit, which sum to it."""
    text, place = query_of(parameters), parameters.text("place")
    if not place:
        raise ApiError(400, "bad-parameter", "place: expected the place of a hit, got none")
    archive = state.archive
    name = archive.recordings.of_place(place)
    if described(state, name).rights != OPEN:
        raise ApiError(403, "closed", "what was said in this recording is given on request")
    score, parts = archive.search(text, lazy=True).explain(place)
    kinds = list(dict.fromkeys(part.what for part in parts))
    sentence = f"What speaks for this place most: {parts[0].sentence}." if parts else "Nothing speaks for this place."
    return {"score": score, "kinds": kinds, "parts": [part._asdict() for part in parts], "sentence": sentence}
