"""Lines of text with times: Whisper's TSV, STM, and plain text with time codes.

Looked up in: the documentation of NIST's SCTK (``infmts``: STM). Whisper's TSV is in milliseconds. Time codes have no
standard: what is read is what whisper.cpp prints, codes in brackets or without, and names before or after them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .....errors import InputError, shorten
from ....text import columns, has_blanks, lines_with_places, number
from .captions import stamp
from .transcript import (
    LETTERS_A_SECOND,
    Transcript,
    TranscriptSegment,
    check_timed,
    head_text,
    in_milliseconds,
    segment_of_text,
    text_of,
)

_TSV = ("start", "end", "text")
_CODE = r"(?:(\d{1,3}):)?(\d{1,3}):(\d{2})(?:[.,](\d{1,3}))?"
_LINE = re.compile(  # [00:01:02.500 --> 00:01:04] · [1:02] · (1:02) · 00:01:02 · 1:02 - 1:04
    rf"\s*[\[(]?\s*{_CODE}(?:\s*(?:-->|-|–)\s*{_CODE})?(?![\d:])\s*[\])]?(?:\s*[-–](?=\s))?\s*(.*)"
)
_AFTER_NAME = re.compile(rf"\s*(\S.{{0,60}}?)\s+\(?{_CODE}\)?\s*")  # Otter: a name and a code on a line
_LABEL = re.compile(
    r"(?:\[([^\]\[]{1,60})\]|([A-Z][\w.’']*(?: (?:[A-Z][\w.’']*|\d+)){0,3}|(?:spk|speaker)_?\w+)):(?:\s+|$)"
)
_BETWEEN = re.compile(r"\{([^{}/]*)/[^{}]*\}")  # alternatives of a reference
_NOT_SCORED = ("ignore_time_segment_in_scoring",)
_UNKNOWN = "unknown"
_FIRST = 20  # lines, one of which must have a time code


# -- Whisper's TSV


def looks_like_tsv(head: bytes) -> bool:
    """Whether the first line has the columns start, end and text, and perhaps speaker, and no others."""
    first = head_text(head).split("\n", 1)[0].rstrip("\r").split("\t")
    return set(_TSV) <= set(first) <= {*_TSV, "speaker"}


def read_tsv(data: bytes, where: str) -> list[TranscriptSegment]:
    """Segments with times in milliseconds; in seconds where they have a decimal point."""
    lines = text_of(data, where).replace("\r\n", "\n").split("\n")
    names = lines[0].split("\t")
    if not looks_like_tsv(lines[0].encode()):
        raise InputError(f"expected the columns start, end and text, got {shorten(lines[0])}", f"{where}, line 1")
    unit = 1.0 if any("." in cell for line in lines[1:] for cell in line.split("\t")[:2]) else 1000.0
    segments = []
    for at, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        place, cells = f"{where}, line {at}", line.split("\t")
        if len(cells) != len(names):
            raise InputError(f"expected {len(names)} columns, got {len(cells)}", place)
        row = dict(zip(names, cells, strict=True))
        start, end = (number(row[key].strip(), place) / unit for key in ("start", "end"))
        segments.append(segment_of_text(row["text"], start, end, row.get("speaker", "").strip()))
    return segments


def write_tsv(transcript: Transcript) -> bytes:
    """Whisper's TSV, a segment on a line; speakers, confidences and times of words are lost."""
    check_timed(transcript, "Whisper's TSV")
    lines = ["\t".join(_TSV)]
    for s in transcript.segments:
        lines.append(f"{round(1000 * s.start)}\t{round(1000 * s.end)}\t{' '.join(w.text for w in s.words)}")
    return ("\n".join(lines) + "\n").encode()


# -- STM


def looks_like_stm(head: bytes) -> bool:
    """Whether all lines have a file, a channel of one letter, a speaker, two times in order, and text."""
    lines = [line.split(None, 5) for line in head_text(head).split("\n")[:200] if line.strip()]
    rows = [line for line in lines if not line[0].startswith(";;")][:100]
    return len(rows) > 0 and all(_is_stm(row) for row in (rows if len(rows) < 100 else rows[:-1]))


def _is_stm(row: list[str]) -> bool:
    times = re.compile(r"\d+(\.\d*)?")
    timed = len(row) >= 5 and all(times.fullmatch(cell) for cell in row[3:5])
    named = len(row) >= 6 or (timed and not times.fullmatch(row[2]))
    return timed and named and len(row[1]) == 1 and float(row[3]) <= float(row[4])


def read_stm(data: bytes, where: str) -> list[TranscriptSegment]:
    """Segments of several files; each file and channel is a recording. Of alternatives the first is read."""
    segments = []
    for place, line in lines_with_places(text_of(data, where), where):
        if line.startswith(";;"):
            continue
        fields = line.split(None, 5)
        if len(fields) < 5:
            raise InputError(f"expected file, channel, speaker, start, end and text, got {shorten(line)}", place)
        text = fields[5] if len(fields) == 6 else ""
        text = re.sub(r"^<[^<>\s]*>\s*", "", text)
        if text.strip().lower() in _NOT_SCORED or fields[2] == "inter_segment_gap":
            continue
        text = re.sub(r"\s@(?=\s|$)|^@\s", " ", _BETWEEN.sub(r" \1 ", text))
        recording = fields[0] if fields[1] in ("1", "A") else f"{fields[0]}-{fields[1]}"
        speaker = "" if fields[2] == _UNKNOWN else fields[2]
        segments.append(
            segment_of_text(text, number(fields[3], place), number(fields[4], place), speaker, recording)
        )  # fmt: skip
    return segments


def write_stm(transcript: Transcript) -> bytes:
    """STM, a segment on a line, with times in milliseconds; confidences and times of words are lost.

    Blanks in names become _.
    """
    check_timed(transcript, "STM")
    name = "_".join(columns(transcript.name)) or "utterance"
    lines = []
    for s in transcript.segments:
        text, speaker = " ".join(w.text for w in s.words), "_".join(s.speaker.split()) or _UNKNOWN
        if has_blanks(name) or name.startswith(";;"):
            raise InputError(f"STM cannot hold the name {shorten(name)}")
        lines.append(f"{name} 1 {speaker} {in_milliseconds(s.start)!r} {in_milliseconds(s.end)!r} <o> {text}\n")
    return "".join(lines).encode()


# -- plain text with time codes


def looks_like_text(head: bytes) -> bool:
    """Whether one of the first lines begins with a time code, and at least every tenth line has one."""
    if b"\0" in head and head[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return False
    lines = [line for line in head_text(head).splitlines() if line.strip()]
    if not lines or lines[0].startswith(("WEBVTT", "{", "<")) or "\t" in lines[0]:
        return False
    if all(_code(line) is None for line in lines[:_FIRST]):
        return False
    return 10 * sum(_code(line) is not None for line in lines) >= len(lines)


def _code(line: str) -> tuple[float, float | None, str] | None:
    """(start, end, the rest) of a line with a time code; the rest of a line with a name ends with a colon."""
    if "-->" in line and not line.lstrip().startswith(("[", "(")):
        return None
    if match := _LINE.fullmatch(line):
        groups = match.groups()
        return _seconds(*groups[:4]), _seconds(*groups[4:8]) if groups[5] is not None else None, groups[8]
    match = _AFTER_NAME.fullmatch(line)
    if match and _LABEL.fullmatch(f"{match[1]}:"):
        return _seconds(*match.groups()[1:]), None, f"{match[1]}:"
    return None


def _seconds(hours: str | None, minutes: str, seconds: str, part: str | None) -> float:
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds) + int((part or "0").ljust(3, "0")) / 1000


def read_text(data: bytes, where: str) -> list[TranscriptSegment]:
    """What follows each time code, up to the next; what stands before the first is a title, and not speech."""
    parts = list(_parts(text_of(data, where), where))
    segments = []
    for i, (place, start, end, speaker, text) in enumerate(parts):
        after = parts[i + 1][1] if i + 1 < len(parts) else start + len(text) / LETTERS_A_SECOND
        if after < start:
            raise InputError(f"a time code of {after:g} s follows one of {start:g} s", parts[i + 1][0])
        if end is not None and end < start:
            raise InputError(f"a segment begins at {start:g} s and ends at {end:g} s", place)
        segments.append(segment_of_text(text, start, after if end is None else end, speaker))
    return segments


def _parts(text: str, where: str) -> Iterator[tuple[str, float, float | None, str, str]]:
    """(place, start, end, speaker, text) of what follows each time code."""
    part: tuple[str, float, float | None, str] | None = None
    said: list[str] = []
    for place, line in lines_with_places(text.replace("\r\n", "\n").replace("\r", "\n"), where):
        code = _code(line)
        if code is not None:
            if part is not None:
                yield *part, " ".join(said)
            label = _LABEL.match(code[2])
            speaker = "" if label is None else (label[1] or label[2])
            part, said = (place, code[0], code[1], speaker), [code[2][label.end() :] if label else code[2]]
        elif part is not None:
            label = _LABEL.match(line) if not part[3] and not "".join(said).strip() else None
            if label:  # a name on the line after the code
                part, line = (*part[:3], label[1] or label[2]), line[label.end() :]
            said.append(line)
    if part is not None:
        yield *part, " ".join(said)


def write_text(transcript: Transcript) -> bytes:
    """Text with time codes, a segment on a line; confidences and times of words are lost."""
    check_timed(transcript, "text with time codes")
    lines = []
    for s in transcript.segments:
        name = f"[{s.speaker}]: " if s.speaker else ""
        lines.append(f"[{stamp(s.start)} --> {stamp(s.end)}] {name}{' '.join(w.text for w in s.words)}\n")
    return "".join(lines).encode()
