"""Transcripts in XML: ELAN, TEI and OHMS.

Looked up in: ELAN's schema of annotations (EAF) and Poio's description of it, exports in TEI with a timeline (chapter 8
of the TEI Guidelines, ISO 24624), and how viewers of OHMS read ``sync``: ``1:|13(3)|19(14)`` says that minute 1 ends at
word 3 of line 13.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np

from .....errors import InputError, shorten
from ....text import is_number
from ....writing.tokens import written_words
from .captions import read_captions
from .transcript import (
    TranscriptSegment,
    TranscriptWord,
    head_text,
    segment_of_text,
    segment_of_words,
    spread,
)

_ID = "{http://www.w3.org/XML/1998/namespace}id"
_WORDS = re.compile(r"\bwords?\b|wort|\bmots?\b", re.IGNORECASE)
_DEEPEST = 100
_UNITS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0}
_NOT_SAID = frozenset(["desc", "note", "vocal", "incident", "kinesic", "writing", "fw", "spanGrp", "pause"])
_SYNC = re.compile(r"(\d+)\((\d+)\)")
_OHMS_LABEL = re.compile(r"\s*([A-Z][A-Z.’' -]{1,40}|[A-Z][\w.’']*(?: [A-Z][\w.’']*){0,2}):\s+")
_FOOTNOTES = re.compile(r"\[\[footnotes?\]\][^\[\]]{0,9999}\[\[/footnotes?\]\]")
_PROLOGUE = re.compile(r"\s*(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*>)", re.DOTALL)


def _begins(head: bytes, name: str) -> bool:
    """Whether XML begins, and this is its first element."""
    text, at = head_text(head), 0
    while match := _PROLOGUE.match(text, at):
        at = match.end()
    return re.compile(rf"\s*<(?:\w+:)?{name}[\s>]").match(text, at) is not None


def _parsed(data: bytes, where: str) -> ElementTree.Element:
    if b"<!ENTITY" in data.replace(b"\0", b""):
        raise InputError("XML that defines entities is not read", where)
    try:
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError, RecursionError) as error:
        line = getattr(error, "position", (1,))[0]
        raise InputError(f"not XML ({shorten(str(error), 200)[1:-1]})", f"{where}, line {line}") from None
    level, depth = [root], 0
    while level and depth <= _DEEPEST:
        level, depth = [child for element in level for child in element], depth + 1
    if level:
        raise InputError(f"more than {_DEEPEST} elements inside each other: not a transcript", where)
    return root


def _name(element: Any) -> str:
    """The name of an element without its namespace."""
    return element.tag.rsplit("}", 1)[-1] if isinstance(element.tag, str) else ""


def _all(element: Any, name: str) -> Iterator[Any]:
    return (e for e in element.iter() if _name(e) == name)


def _number(text: str | None, what: str, where: str) -> float:
    if text is None or not is_number(text):
        raise InputError(f"expected {what}, got {shorten(str(text))}", where)
    return float(text)


def _title(data: bytes, of: str) -> str:
    """The title of the first element of a name; "" if there is none, or no XML."""
    try:
        element = next(_all(_parsed(data, ""), of), ())
    except InputError:  # it is reported where the transcript is read
        return ""
    title = next((child for child in element if _name(child) == "title"), None)
    return "" if title is None else " ".join("".join(title.itertext()).split())


# -- ELAN


def looks_like_eaf(head: bytes) -> bool:
    """Whether XML begins with a recording of annotations."""
    return _begins(head, "ANNOTATION_DOCUMENT")


def read_eaf(data: bytes, where: str) -> list[TranscriptSegment]:
    """The tiers that depend on no other, or the tiers of words that depend on them; a tier is a speaker."""
    root = _parsed(data, where)
    slots = _slots(root, where)
    tiers = {t.get("TIER_ID", ""): t for t in _all(root, "TIER")}
    aligned = [t for t in tiers.values() if next(_all(t, "ALIGNABLE_ANNOTATION"), None) is not None]
    by_word = [t for t in aligned if _WORDS.search(f"{t.get('TIER_ID')} {t.get('LINGUISTIC_TYPE_REF')}")]
    divided = {id(_top(t, tiers)) for t in by_word}
    spoken = [*by_word, *(t for t in aligned if t.get("PARENT_REF") is None and id(t) not in divided)]
    segments = []
    for tier in spoken:
        rows = list(_annotations(tier, slots, where))
        top = _top(tier, tiers)
        name = top.get("TIER_ID", "") if len(spoken) > 1 else ""
        speaker = tier.get("PARTICIPANT") or top.get("PARTICIPANT") or name
        if tier in by_word:
            segments.append(segment_of_words([TranscriptWord(text, start, end) for start, end, text in rows], speaker))
        else:
            segments += [segment_of_text(text, start, end, speaker) for start, end, text in rows]
    return segments


def _top(tier: Any, tiers: dict[str, Any]) -> Any:
    """The tier that a tier depends on in the end."""
    for _ in range(_DEEPEST):
        parent = tiers.get(tier.get("PARENT_REF", ""))
        if parent is None:
            break
        tier = parent
    return tier


def _annotations(tier: Any, slots: dict[str, float], where: str) -> Iterator[tuple[float, float, str]]:
    for annotation in _all(tier, "ALIGNABLE_ANNOTATION"):
        refs = [annotation.get(f"TIME_SLOT_REF{i}") for i in (1, 2)]
        if any(ref not in slots for ref in refs):
            name = annotation.get("ANNOTATION_ID", "")
            raise InputError(f"the annotation {shorten(name)} has no time slots", where)
        value = next(_all(annotation, "ANNOTATION_VALUE"), None)
        text = "" if value is None else "".join(value.itertext())
        yield slots[refs[0]], slots[refs[1]], text.strip()


def _slots(root: Any, where: str) -> dict[str, float]:
    """Seconds of the time slots; those without a time lie evenly between their neighbours."""
    slots = [(s.get("TIME_SLOT_ID", ""), s.get("TIME_VALUE")) for s in _all(root, "TIME_SLOT")]
    given = [i for i, (_, value) in enumerate(slots) if value is not None]
    if not given:
        raise InputError("no time slot has a time", where)
    times = [_number(slots[i][1], "milliseconds", where) / 1000 for i in given]
    filled = np.interp(np.arange(len(slots)), given, times)
    return {name: float(time) for (name, _), time in zip(slots, filled, strict=True)}


# -- TEI


def looks_like_tei(head: bytes) -> bool:
    """Whether XML begins with a TEI recording."""
    return _begins(head, "TEI") or _begins(head, r"TEI\.2")


def title_of_tei(data: bytes) -> str:
    """The title that the header gives to the file."""
    return _title(data, "titleStmt")


def read_tei(data: bytes, where: str) -> list[TranscriptSegment]:
    """Utterances with the times of their timeline; anchors divide them."""
    root = _parsed(data, where)
    times = _timeline(root, where)
    people = {
        p.get(_ID, ""): " ".join("".join(n.itertext()).split())
        for p in _all(root, "person")
        for n in _all(p, "persName")
    }
    segments = []
    blocks = list(_all(root, "annotationBlock"))
    inside = {id(u) for block in blocks for u in _all(block, "u")}
    for block in [*blocks, *(u for u in _all(root, "u") if id(u) not in inside)]:
        who = (block.get("who") or next((u.get("who") for u in _all(block, "u") if u.get("who")), "")).split("#")[-1]
        parts = list(_said(block, times))
        start, end = (times.get((block.get(key) or "").removeprefix("#")) for key in ("start", "end"))
        marks = [start, *(time for time, _ in parts[1:]), end]
        for i, (_, text) in enumerate(parts):
            begin = next((m for m in reversed(marks[: i + 1]) if m is not None), None)
            stop = next((m for m in marks[i + 1 :] if m is not None), None)
            if written_words(text):
                if begin is None or stop is None:
                    raise InputError(f"{shorten(text.strip())} has no times: expected start and end", where)
                segments.append(segment_of_text(text, begin, stop, people.get(who) or who))
    return segments


def _said(element: Any, times: dict[str, float]) -> Iterator[tuple[float | None, str]]:
    """(time, text) of the parts of an utterance that anchors divide; the first has no time of its own."""
    time: float | None = None
    text: list[str] = []

    def walk(e: Any) -> Iterator[tuple[float | None, str]]:
        nonlocal time, text
        mark = times.get((e.get("synch") or "").removeprefix("#")) if _name(e) in ("anchor", "timepoint") else None
        if mark is not None:
            yield time, "".join(text)
            time, text = mark, []
        if _name(e) not in _NOT_SAID and _name(e):
            text += [e.text or "", " " if _name(e) == "w" else ""]
            for child in e:
                yield from walk(child)
                text.append(child.tail or "")

    yield from walk(element)
    yield time, "".join(text)


def _timeline(root: Any, where: str) -> dict[str, float]:
    """Seconds of the points of the timeline, from its first one."""
    out: dict[str, float] = {}
    for timeline in _all(root, "timeline"):
        unit = _UNITS.get(timeline.get("unit", "s"), 1.0)
        first: float | None = None
        for when in _all(timeline, "when"):
            name, clock = when.get(_ID, ""), when.get("absolute")
            if clock is not None:
                seconds = _clock(clock, where)
                first = seconds if first is None else first
                out[name] = seconds - first
            elif when.get("interval") is None:
                out[name] = 0.0
            else:
                since = (when.get("since") or "").removeprefix("#")
                out[name] = out.get(since, 0.0) + unit * _number(when.get("interval"), "an interval", where)
    return out


def _clock(text: str, where: str) -> float:
    parts = text.rsplit("T", 1)[-1].rstrip("Z").split(":")
    if not 1 <= len(parts) <= 3 or not all(is_number(p) for p in parts):
        raise InputError(f"expected hours:minutes:seconds, got {shorten(text)}", where)
    return sum(float(p) * 60**i for i, p in enumerate(reversed(parts)))


# -- OHMS


def looks_like_ohms(head: bytes) -> bool:
    """Whether XML begins with a record of OHMS."""
    return _begins(head, "ROOT") and "ohms" in head_text(head).lower()


def title_of_ohms(data: bytes) -> str:
    """The title of the interview."""
    return _title(data, "record")


def read_ohms(data: bytes, where: str) -> list[TranscriptSegment]:
    """Captions where the record has some, else its transcript with sync points a minute or so apart."""
    root = _parsed(data, where)
    texts = {name: "".join(e.itertext()) for name in ("vtt_transcript", "sync", "transcript", "duration")
             for e in list(_all(root, name))[:1]}  # fmt: skip
    if texts.get("vtt_transcript", "").strip():
        return read_captions(texts["vtt_transcript"].strip().encode(), f"{where}, vtt_transcript")
    head, _, rest = texts.get("sync", "").partition(":")
    points = [(int(line), int(word)) for line, word in _SYNC.findall(rest)]
    if not points or not is_number(head.strip()) or not float(head) > 0:
        raise InputError(f"expected sync points such as 1:|13(3)|19(14), got {shorten(texts.get('sync', ''))}", where)
    duration = texts.get("duration", "").strip()
    step = 60 * float(head)
    last = max(_clock(duration, where) if duration else 0.0, step * (len(points) + 1))
    lines = _FOOTNOTES.sub("", texts.get("transcript", "")).replace("\r\n", "\n").split("\n")
    return list(_between(_ohms_words(lines), points, step, last))


def _ohms_words(lines: list[str]) -> Iterator[tuple[tuple[int, int], str, str]]:
    """((line, word), speaker, word) of a transcript; a name before a colon at the beginning of a line is a speaker."""
    speaker = ""
    for number, line in enumerate(lines, 1):
        label, at = _OHMS_LABEL.match(line), 0
        if label is not None:
            speaker, at = label[1].strip(), len(label[0].split())
        for count, word in enumerate(line.split(), 1):
            if count > at:
                yield (number, count), speaker, word


def _between(
    words: Iterator[tuple[tuple[int, int], str, str]], points: list[tuple[int, int]], step: float, last: float
) -> Iterator[TranscriptSegment]:
    """Segments of words between two sync points, by speaker; the words between two points share the time."""
    parts: list[list[tuple[str, str]]] = [[] for _ in range(len(points) + 1)]
    at = 0
    for place, speaker, word in words:
        while at < len(points) and place > points[at]:
            at += 1
        parts[at] += [(speaker, token) for token in written_words(word)]
    for number, part in enumerate(parts):
        end = last if number == len(points) else step * (number + 1)
        timed = spread([word for _, word in part], step * number, max(end, step * number))
        for i, (speaker, _) in enumerate(part):
            if i == 0 or part[i - 1][0] != speaker:
                stop = next((j for j in range(i, len(part)) if part[j][0] != speaker), len(part))
                yield segment_of_words(timed[i:stop], speaker)._replace(estimated=True)
