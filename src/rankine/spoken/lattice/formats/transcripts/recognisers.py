"""JSON of recognisers: Whisper and its relatives, whisper.cpp, and Vosk.

Looked up in: output of openai-whisper, faster-whisper and WhisperX as their projects show it (WhisperX gives numerals
neither times nor speakers), OpenAI's API reference (``verbose_json``), Hugging Face's schema of the outputs of
speech recognition (``chunks``, which insanely-fast-whisper writes too), ``output_json`` of whisper.cpp
(``examples/cli``), and the documentation and examples of vosk-api.
"""

from __future__ import annotations

import json
import math
import re
from itertools import zip_longest
from typing import Any

from ....writing.tokens import written_words
from .json_files import (
    confidence_in,
    has_keys,
    has_list,
    has_object,
    hypotheses,
    json_reader,
    listed,
    long_text,
    looks_like_json,
    number_in,
    text_in,
)
from .transcript import (
    LETTERS_A_SECOND,
    Transcript,
    TranscriptSegment,
    TranscriptWord,
    check_timed,
    segment_of_text,
    segment_of_words,
)

_LONG_TEXT = long_text("task", "language", "duration")
_NAN = math.nan


# -- Whisper


def looks_like_whisper(head: bytes) -> bool:
    """Whether JSON has segments or words with times in seconds, or begins with a very long text."""
    if not looks_like_json(head) or has_list(head, "transcription") or has_list(head, "result"):
        return False
    if has_keys(head, "results") or has_object(head, "results") or has_list(head, "utterances"):
        return False
    said = has_keys(head, "text") or has_list(head, "words")
    if (has_list(head, "segments") and said) or _LONG_TEXT(head):
        return True
    if (has_list(head, "chunks") or has_list(head, "speakers")) and has_list(head, "timestamp"):
        return True
    words = has_list(head, "words") and has_keys(head, "word", "start")
    return words or (head.lstrip()[:1] == b"[" and has_keys(head, "start", "end", "text"))


@json_reader("Whisper")
def read_whisper(values: list[Any]) -> list[TranscriptSegment]:
    """Segments with words or without, chunks, or a list of words."""
    segments: list[TranscriptSegment] = []
    for value in values:
        if "segments" in value:
            parts = listed(value["segments"])
            times = listed(value.get("words"))  # of OpenAI's service, which gives segments no words
            without = not any(part.get("words") for part in parts)
            segments += _of_words(times) if times and without else [s for part in parts for s in _segment(part)]
        elif "chunks" in value or "speakers" in value:
            segments += _of_chunks(listed(value.get("speakers")) or listed(value.get("chunks")))
        elif "words" in value and "start" not in value:
            segments += _of_words(listed(value["words"]))
        elif "word" in value:
            segments += _of_words([value])
        else:
            segments += _segment(value)
    return segments


def _segment(part: Any) -> list[TranscriptSegment]:
    speaker, entries = text_in(part.get("speaker")), listed(part.get("words"))
    if entries and not all(word.get("estimated") for word in entries):
        return _of_words(entries, speaker)
    return [segment_of_text(text_in(part.get("text")), number_in(part["start"]), number_in(part["end"]), speaker)]


def _of_chunks(chunks: list[Any]) -> list[TranscriptSegment]:
    """Chunks of transformers: words if each holds one, else segments. One without an end lasts until the next."""
    entries = []
    for chunk, after in zip_longest(chunks, chunks[1:]):
        start, end = chunk["timestamp"]
        if end is None:
            end = number_in(start) + len(chunk["text"]) / LETTERS_A_SECOND if after is None else after["timestamp"][0]
        entries.append({"text": chunk["text"], "start": start, "end": end, "speaker": chunk.get("speaker")})
    if all(len(written_words(text_in(entry["text"]))) <= 1 for entry in entries):
        return _of_words(entries)
    return [segment for entry in entries for segment in _segment(entry)]


def _of_words(entries: list[Any], speaker: str = "") -> list[TranscriptSegment]:
    """Words by speaker; one without times (as WhisperX leaves numerals) gets what lies between its neighbours.

    Its speaker is that of the word before, if nobody says who it is.
    """
    if entries and not any("start" in w for w in entries):
        raise KeyError("start")
    following: list[float | None] = [None] * len(entries)  # the first start after each word
    for i in range(len(entries) - 1, 0, -1):
        following[i - 1] = number_in(entries[i]["start"]) if "start" in entries[i] else following[i]
    segments: list[tuple[str, list[TranscriptWord]]] = []
    last = next((number_in(w["start"]) for w in entries if "start" in w), 0.0)
    for w, after in zip(entries, following, strict=True):
        begin = number_in(w.get("start", last))
        end = number_in(w.get("end", max(last if after is None else after, begin)))
        last = end
        confidence = confidence_in(w, "probability", "confidence", "conf", "score")
        word = TranscriptWord(text_in(w.get("word", w.get("text"))).strip(), begin, end, confidence)
        who = text_in(w.get("speaker")) or speaker or (segments[-1][0] if segments and "start" not in w else "")
        if not segments or segments[-1][0] != who:
            segments.append((who, []))
        segments[-1][1].append(word)
    return [segment_of_words(words, who) for who, words in segments]


def write_whisper(transcript: Transcript) -> bytes:
    """JSON as WhisperX writes it; words whose times are estimated say so."""
    check_timed(transcript, "Whisper's JSON")
    segments = []
    for segment in transcript.segments:
        words = [
            {"word": w.text, "start": w.start, "end": w.end, "score": w.confidence}
            | ({"speaker": segment.speaker} if segment.speaker else {})
            | ({"estimated": True} if segment.estimated else {})
            for w in segment.words
        ]
        text = " ".join(w.text for w in segment.words)
        entry = {"start": segment.start, "end": segment.end, "text": text, "words": words}
        segments.append(entry | ({"speaker": segment.speaker} if segment.speaker else {}))
    return (json.dumps({"segments": segments}, ensure_ascii=False, indent=1) + "\n").encode()


# -- whisper.cpp


def looks_like_whisper_cpp(head: bytes) -> bool:
    """Whether JSON has a transcription with offsets, or the list of the model's sizes that comes before it."""
    return has_list(head, "transcription") and has_keys(head, "offsets")


@json_reader("whisper.cpp")
def read_whisper_cpp(values: list[Any]) -> list[TranscriptSegment]:
    """``transcription`` with offsets in milliseconds; with tokens (``-ojf``) or without (``-oj``)."""
    segments = []
    for part in (part for value in values for part in listed(value["transcription"])):
        start, end = (number_in(part["offsets"][key]) / 1000 for key in ("from", "to")) if "offsets" in part else (
            _NAN, _NAN
        )  # fmt: skip
        speaker, words = text_in(part.get("speaker")), _of_tokens(listed(part.get("tokens")))
        said = segment_of_words(words, speaker) if words else segment_of_text(
            text_in(part.get("text")), start, end, speaker
        )  # fmt: skip
        segments.append(said)
    return segments


def _of_tokens(tokens: list[Any]) -> list[TranscriptWord]:
    """Words of tokens: one that begins with a blank begins a word, whose confidence is the least of its tokens'.

    None where a token of a word has no times.
    """
    words: list[TranscriptWord] = []
    for token in tokens:
        text = token["text"]
        if text.startswith(("[_", "<|")):
            continue
        if "offsets" not in token:
            return []
        start, end = (number_in(token["offsets"][key]) / 1000 for key in ("from", "to"))
        p = confidence_in(token, "p")
        if text.startswith(" ") or not words:
            words.append(TranscriptWord(text, start, end, p))
        else:
            word = words[-1]
            words[-1] = TranscriptWord(word.text + text, word.start, max(word.end, end), min(word.confidence, p))
    return [word._replace(text=word.text.strip()) for word in words]


# -- Vosk


def looks_like_vosk(head: bytes) -> bool:
    """Whether JSON holds results of Vosk: words, alternatives, or the empty text of a silence."""
    if not looks_like_json(head) or has_keys(head, "results") or has_list(head, "transcription"):
        return False
    if has_list(head, "result") and has_keys(head, "word", "start"):
        return True
    silence = re.match(rb'[\s\[]*\{\s*"(text|partial)"\s*:\s*"[^"]*"\s*\}', head) is not None
    return silence or (re.match(rb'[\s\[]*\{\s*"alternatives"\s*:\s*\[', head) is not None and has_keys(head, "text"))


@json_reader("Vosk")
def read_vosk(values: list[Any]) -> list[TranscriptSegment]:
    """Results one after the other; a silence has none, and what was partial comes again."""
    segments = []
    for value in values:
        if "partial" in value:
            continue
        if "alternatives" in value:
            options = [_option(option) for option in listed(value["alternatives"])]
            times = [t for _, words, _ in options for w in words for t in (w.start, w.end)]
            if options:
                segments.append(hypotheses(options, min(times, default=_NAN), max(times, default=_NAN)))
        else:
            segments.append(hypotheses([_option(value)], _NAN, _NAN))
    return segments


def _option(value: Any) -> tuple[float | None, list[TranscriptWord], str]:
    words = [
        TranscriptWord(
            text_in(w["word"]), number_in(w["start"]), number_in(w["end"]), confidence_in(w, "conf")
        )
        for w in listed(value.get("result"))
    ]  # fmt: skip
    confidence = value.get("confidence")
    return None if confidence is None else number_in(confidence), words, text_in(value.get("text"))
