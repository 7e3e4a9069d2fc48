"""Hits with what is said about their recordings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..index.reader import Index
from .hits import CorrectedSpan, Hit
from .rights import OPEN, RIGHTS, access
from .turns import speakers_of_places


def described(index: Index, documents: Sequence[int], hits: Sequence[Hit]) -> list[Hit]:
    """Return hits with title, date, speaker and rights; ``documents`` are the numbers of their recordings.

    The speaker is who speaks at the place, where turns of speakers are recorded, else the recording's.
    """
    numbers = list(dict.fromkeys(documents))
    texts = dict(zip(numbers, index.texts_of(numbers), strict=True))
    speakers = speakers_of_places(index, [(hit.document, hit.start, hit.end) for hit in hits])
    out, spans_of = [], _corrected_spans(index)
    for number, hit, here in zip(documents, hits, speakers, strict=True):
        fields = texts[number]
        means = access(fields.get(RIGHTS, ""))
        hit = replace(
            hit, title=fields.get("title", ""), date=fields.get("date", ""),
            speaker="; ".join(here) or fields.get("speakers", ""), rights="" if means == OPEN else fields[RIGHTS],
        )  # fmt: skip
        out.append(replace(hit, corrections=spans_of(hit)))
    return out


def _corrected_spans(index: Index) -> Callable[[Hit], tuple[CorrectedSpan, ...]]:
    """What gives the corrections of the words of a hit."""
    marks, spans = index.corrected, dict[str, list[CorrectedSpan]]()

    def spans_of(hit: Hit) -> tuple[CorrectedSpan, ...]:
        if hit.document in marks and hit.document not in spans:
            from .correcting import placed_document

            spans[hit.document] = [
                CorrectedSpan(p.start, p.end, p.correction.heard, p.correction.written, p.correction.who,
                              p.correction.time)
                for p in placed_document(index, hit.document).placements
            ]  # fmt: skip
        every = spans.get(hit.document, ())
        return tuple(span for span in every if span.start < hit.end and hit.start < span.end)

    return spans_of
