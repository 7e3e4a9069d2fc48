"""Hits of a search: places, with the units that were heard there, how certain they are, and what was said around.

How certain a hit is follows from what it points at (:func:`.best_run.best_run`):

heard         words, each of which has a posterior of at least ``HEARD`` or stands on the likeliest reading; words that
              are said nearly everywhere need neither
perhaps       words of which one is less likely than that
sounds like   only smaller units
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError
from ..index import schema
from ..index.reader import Index, PartReader
from ..metadata.rights import OPEN, RIGHTS, access, check_readable
from ..metadata.turns import speakers_of_places
from ..query.terms import SpokenQuery, Term
from ..recordings.places import PlaceSegment, read_place_name, segment
from ..recordings.roots import RecordingRoots
from .best_run import LIKELY, RunUnit, UnitRun, Window, best_run
from .snippets import LineWord, SnippetLine, snippet_line

HEARD = 0.5
CERTAINTIES = ("heard", "perhaps", "sounds like")


@dataclass(frozen=True)
class Match:
    """A unit of the query where it was heard."""

    unit: str
    posterior: float
    start: float
    end: float


@dataclass(frozen=True)
class CorrectedSpan:
    """Words that somebody wrote in place of what was heard."""

    start: float
    end: float
    heard: str
    written: str
    who: str
    time: str


@dataclass(frozen=True)
class Hit:
    """A place that matches a query; times count from the beginning of ``audio``.

    ``start`` and ``end`` are those of the best run of the query's units. ``matches`` are its units, then the best
    occurrence of each other word of the query in the segment. ``segment`` names the place for judgments and runs: it is
    the same for every query. ``place`` names ``start`` and ``end``, for ``rankine spoken play``. ``evidence`` says what
    the hit rests on. ``recording_rank`` and ``recording_score`` are those of the recording where places are grouped by
    recordings. ``explanation`` tells the parts of the score, where it was asked for. ``rights`` are those of the
    recording, where it is not open. ``line`` has the words of the snippet, each with its times and its mark.
    ``corrections`` are those of words between ``start`` and ``end``.
    """

    rank: int
    recording: str
    score: float
    utterance: str
    start: float
    end: float
    kind: str
    matches: tuple[Match, ...]
    snippet: str
    contributions: dict[str, float]
    title: str = ""
    date: str = ""
    speaker: str = ""
    audio: str = ""
    certainty: str = ""
    evidence: str = ""
    segment: str = ""
    place: str = ""
    explanation: tuple[str, ...] = ()
    recording_rank: int | None = None
    recording_score: float | None = None
    rights: str = ""
    line: tuple[LineWord, ...] = ()
    corrections: tuple[CorrectedSpan, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As plain data; unknown times are None."""
        return _plain(asdict(self))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return None if isinstance(value, float) and value != value else value


class RecordedPlace(NamedTuple):
    """A stretch of a recording, and its audio file."""

    recording: str
    audio: Path
    start: float
    end: float


def locate(index: Index, text: str, recordings: str | None = None, closed: bool = False) -> RecordedPlace:
    """The recording and the times that ``RECORDING@START-END`` names.

    Without an end it is three seconds, without times the first half minute. Of a recording that consists of several
    recordings it is the one that the times can be in. ``recordings`` is the folder of the recordings; without it they
    are looked for in the folders that the user has given for this archive before. A recording that is not open is an
    InputError, unless the keeper asks (``closed``).
    """
    name = read_place_name(text, index.numbers, index.utterances_of)
    recording, begin, stop = name[:3]
    check_readable(index, recording, closed)
    start = 0.0 if begin is None else begin
    end = stop if stop is not None else start + (30.0 if begin is None else 3.0)
    index.check_sizes()
    part, number = index.place_of(recording)
    offsets, lengths = part.numbers(schema.OFFSET), part.numbers(schema.LENGTH)
    utterances: Sequence[int] = part.utterances(number)
    if name.utterance is not None:
        names = part.texts(schema.UTTERANCE_NAME)
        utterances = [u for u in utterances if names[u] == name.utterance]
    near = [u for u in utterances if offsets[u] - 1 <= start <= offsets[u] + lengths[u] + 1] or list(utterances[:1])
    audio = part.texts(schema.AUDIO)[near[0]] if near else ""
    if not audio:
        raise InputError(
            f"the archive does not know a recording of {recording!r}: index it with --about", str(index.folder)
        )
    roots = RecordingRoots(index.folder, index.manifest)
    return RecordedPlace(recording, roots.find(audio, None if recordings is None else [recordings]), start, end)


def make_hit(
    index: Index, query: SpokenQuery, place: int, rank: int, score: float, contributions: dict[str, float]
) -> Hit:
    """The hit for a place, without what is said about its recording; ``contributions`` are the parts of its score."""
    where = segment(index, place)
    part, kinds = where.part, index.kinds
    best = best_run(index, part, query, where.row)
    recording = part.texts(schema.RECORDING_NAME)[where.recording]
    about: dict[str, Any] = {"audio": part.texts(schema.AUDIO)[where.row], "segment": where.name}
    utterance = part.texts(schema.UTTERANCE_NAME)[where.row]
    if best is None:
        certainty, evidence = _without_run(query, where, kinds[0])
        start = where.start if where.end == where.end else where.end
        line = snippet_line(part, range(where.row, where.row + 1), where.start, where.end)
        return Hit(
            rank, recording, score, utterance, start, where.end, kinds[0], (), line.text, contributions,
            certainty=certainty, evidence=evidence, place=where.named(start, where.end), line=line.words, **about,
        )  # fmt: skip
    run, window = best
    spans = [window.span(unit.slot) for unit in run.units]
    start, end = spans[0][0], spans[-1][1]
    by_words = run.kind == kinds[0]
    matches = [Match(unit.unit, unit.posterior, *span) for unit, span in zip(run.units, spans, strict=True)]
    matches += _other_matches(query, run, window) if by_words else []
    line = snippet_line(part, range(where.row, run.units[-1].row + 1), start, end)
    return Hit(
        rank, recording, score, utterance, start, end, run.kind, tuple(matches), line.text, contributions,
        certainty=_certainty(part, run) if by_words else CERTAINTIES[2],
        evidence=_evidence_of_words(run) if by_words else _evidence_of_units(query, run),
        place=where.named(start, end),
        line=marked_by_words(line.words, matches) if by_words else marked_by_sound(line), **about,
    )  # fmt: skip


def marked_by_words(words: Sequence[LineWord], matches: Sequence[Match]) -> tuple[LineWord, ...]:
    """Words with marks where a word of the query was heard, or perhaps: in place of another word of the reading."""
    out = []
    for word in words:
        here = [m for m in matches if m.start - 1e-6 <= word.middle <= m.end + 1e-6]
        sure = any(m.unit == word.text or m.posterior >= HEARD for m in here)
        out.append(replace(word, mark=CERTAINTIES[0 if sure else 1]) if here else word)
    return tuple(out)


def marked_by_sound(line: SnippetLine) -> tuple[LineWord, ...]:
    """Words with marks at a place where only smaller units of the query were heard."""
    return tuple(replace(word, mark=CERTAINTIES[2]) if i in line.inside else word for i, word in enumerate(line.words))


def with_full_paths(index: Index, hits: Sequence[Hit]) -> list[Hit]:
    """Hits with the full paths of their recordings, where the folders of their roots are known on this machine."""
    try:
        roots = RecordingRoots(index.folder, index.manifest).named
    except (InputError, OSError):  # one can search without settings
        return list(hits)
    return [replace(hit, audio=roots.full(hit.audio)) for hit in hits]


def _without_run(query: SpokenQuery, where: PlaceSegment, kind: str) -> tuple[str, str]:
    """Certainty and evidence of a place whose networks hold no unit of the query but stop words."""
    terms = sorted(query.terms, key=lambda term: term.stop)
    words = {word: term.stop for term in terms for some in term.alternatives for word in some.units(kind)}
    first, last = where.part.bounds(kind, "pspl", list(words))
    rows = where.part.postings(kind, "pspl")[0]
    for (word, stop), a, b in zip(words.items(), first.tolist(), last.tolist(), strict=True):
        at = rows[a:b].searchsorted(rows.dtype.type(where.row))
        if at < b - a and rows[a + at] == where.row:
            return CERTAINTIES[1], "only stop words" if stop else f"{word} somewhere in the segment"
    return CERTAINTIES[2], "traces in the lattice, somewhere in the segment"


def _certainty(part: PartReader, run: UnitRun) -> str:
    counting = [unit for unit in run.units if unit.share > 0]
    sure = all(unit.posterior >= HEARD or _on_the_reading(part, unit) for unit in counting)
    return CERTAINTIES[0 if sure else 1]


def _on_the_reading(part: PartReader, unit: RunUnit) -> bool:
    """Whether a word of the likeliest reading is this one: it has the same text and posterior."""
    numbers = part.words(unit.row)
    texts = part.texts(schema.WORD_TEXT)
    posteriors = part.numbers(schema.WORD_TIMES, numbers.start, numbers.stop)[:, 2].tolist()
    return any(
        texts[i] == unit.unit and abs(p - unit.posterior) <= 1e-3 * unit.posterior  # it is stored in steps
        for i, p in zip(numbers, posteriors, strict=True)
    )


def _other_matches(query: SpokenQuery, run: UnitRun, window: Window) -> list[Match]:
    """The best occurrence in the segment of each word of the query that is not in the run, where it is likely."""
    there = {unit.term for unit in run.units}
    matches = []
    for number, term in enumerate(query.terms):
        if number in there or term.stop:
            continue
        units = {units[0] for words in term.alternatives if len(units := words.units(window.kind)) == 1}
        places = [(window.slots(unit)[slot], -slot, unit) for unit in units for slot in window.own_slots(unit)]
        posterior, slot, unit = max(places, default=(0.0, 0, ""))
        if posterior >= LIKELY:
            matches.append(Match(unit, posterior, *window.span(-slot)))
    return matches


def _evidence_of_words(run: UnitRun) -> str:
    return ", ".join(f"{unit.unit} {unit.posterior:.2f}" for unit in run.units)


def _found(term: Term, kind: str, own: list[str], n: int) -> str:
    """The alternative of a term that has n units, these among them one after the other; else the term as typed."""
    for some in term.alternatives if len(term.alternatives) > 1 else ():
        units = some.units(kind)
        if len(units) == n and any(units[at : at + len(own)] == own for at in range(n)):
            return " ".join(some.words)
    return term.text


def _evidence_of_units(query: SpokenQuery, run: UnitRun) -> str:
    """``5 of 6 phones of printng``, for each word in the run."""
    texts = []
    for number in dict.fromkeys(unit.term for unit in run.units):
        own = [unit for unit in run.units if unit.term == number]
        share = own[0].share or 1 / max(len(own), 1)
        n = max(round(1 / share), len(own))
        word = _found(query.terms[number], run.kind, [unit.unit for unit in own], n) if number >= 0 else query.text
        texts.append(f"{len(own)} of {n} {run.kind}{'s' if n > 1 else ''} of {word}")
    return ", ".join(texts)


# -- Hits with what is said about their recordings


def described(index: Index, recordings: Sequence[int], hits: Sequence[Hit]) -> list[Hit]:
    """Return hits with title, date, speaker and rights; ``recordings`` are the numbers of their recordings.

    The speaker is who speaks at the place, where turns of speakers are recorded, else the recording's.
    """
    numbers = list(dict.fromkeys(recordings))
    texts = dict(zip(numbers, index.texts_of(numbers), strict=True))
    speakers = speakers_of_places(index, [(hit.recording, hit.start, hit.end) for hit in hits])
    out, spans_of = [], _corrected_spans(index)
    for number, hit, here in zip(recordings, hits, speakers, strict=True):
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
        if hit.recording in marks and hit.recording not in spans:
            from ..corrections.changes import placed_recording

            spans[hit.recording] = [
                CorrectedSpan(p.start, p.end, p.correction.heard, p.correction.written, p.correction.who,
                              p.correction.time)
                for p in placed_recording(index, hit.recording).placements
            ]  # fmt: skip
        every = spans.get(hit.recording, ())
        return tuple(span for span in every if span.start < hit.end and hit.start < span.end)

    return spans_of
