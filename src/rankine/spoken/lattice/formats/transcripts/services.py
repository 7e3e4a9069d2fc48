"""JSON of transcription services: Amazon Transcribe, Google, Azure, Deepgram and AssemblyAI.

Looked up in: Amazon Transcribe's developer guide (output of batch jobs: diarization, channels, alternatives), Google's
reference of Speech-to-Text v1 and v2 (``WordInfo``, ``SpeechRecognitionResult``), Azure's guides (batch transcription,
fast transcription, detailed recognition results; a tick is 100 ns), Deepgram's guides (prerecorded audio, diarization,
multichannel, utterances), and AssemblyAI's reference of transcripts (milliseconds).
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from typing import Any

from .json_files import (
    confidence_in,
    has_keys,
    has_list,
    has_object,
    hypotheses,
    json_reader,
    listed,
    long_text,
    number_in,
    text_in,
)
from .transcript import (
    TranscriptSegment,
    TranscriptWord,
    by_speaker,
    segment_of_text,
    segment_of_words,
)

_TICKS = 1e7  # of a second
_WHOLE = re.compile(rb'"(start|end)"\s*:\s*\d+\s*[,}\]]')  # milliseconds
_LONG_TEXT = long_text("id", "language_model", "acoustic_model", "language_code", "speech_model", "status", "audio_url")
_PARTS = re.compile(rb'"(start|end)"\s*:\s*\d+\.')  # seconds


# -- Amazon Transcribe


def looks_like_aws(head: bytes) -> bool:
    """Whether JSON holds results with transcripts."""
    return has_object(head, "results") and has_list(head, "transcripts")


@json_reader("Amazon Transcribe")
def read_aws(values: list[Any]) -> list[TranscriptSegment]:
    """Items by speaker or channel; segments with alternatives where there are some."""
    segments: list[TranscriptSegment] = []
    for results in (value["results"] for value in values):
        labels = _aws_labels(results)
        parts = [part for part in listed(results.get("segments")) if len(listed(part.get("alternatives"))) > 1]
        spans = [(number_in(part["start_time"]), number_in(part["end_time"])) for part in parts]
        items = listed(results.get("items"))
        ordered = sorted(spans)
        left = [w for w in _aws_words(items, labels) if not _lies_in(ordered, w[0].start)]
        segments += by_speaker(left)
        for part, (start, end) in zip(parts, spans, strict=True):
            options: list[tuple[float | None, list[TranscriptWord], str]] = [
                (None, [w for w, _ in _aws_words(listed(o.get("items")), labels)], text_in(o.get("transcript")))
                for o in part["alternatives"]
            ]
            said = _aws_words(listed(part["alternatives"][0].get("items")), labels)
            segments.append(hypotheses(options, start, end, said[0][1] if said else ""))
    return segments


def _lies_in(spans: list[tuple[float, float]], time: float) -> bool:
    """Whether a word that begins at this time lies in one of some stretches that do not overlap."""
    at = bisect_right(spans, (time, math.inf)) - 1
    return at >= 0 and time < spans[at][1]


def _aws_labels(results: Any) -> dict[str, str]:
    """The speaker of a word by where it begins."""
    parts = listed((results.get("speaker_labels") or {}).get("segments"))
    return {text_in(i["start_time"]): text_in(i.get("speaker_label")) for p in parts for i in listed(p.get("items"))}


def _aws_words(items: list[Any], labels: dict[str, str]) -> list[tuple[TranscriptWord, str]]:
    words: list[tuple[TranscriptWord, str]] = []
    for item in items:
        options = listed(item.get("alternatives"))
        best = options[0] if options else item
        text = text_in(best["content"])
        if item.get("type") == "punctuation" or "start_time" not in item:
            if words:
                word, speaker = words[-1]
                words[-1] = word._replace(text=word.text + text), speaker
            continue
        start, end = number_in(item["start_time"]), number_in(item["end_time"])
        speaker = item.get("speaker_label", labels.get(text_in(item["start_time"]), item.get("channel_label")))
        words.append((TranscriptWord(text, start, end, confidence_in(best, "confidence")), text_in(speaker)))
    return words


# -- Google Speech-to-Text


def looks_like_google(head: bytes) -> bool:
    """Whether JSON holds a list of results with alternatives that have transcripts."""
    return has_list(head, "results") and has_list(head, "alternatives") and not has_keys(head, "timestamps")


@json_reader("Google Speech-to-Text")
def read_google(values: list[Any]) -> list[TranscriptSegment]:
    """Results with alternatives; a last result with speakers repeats the words of all others, and stands for them."""
    results = [r for value in values for r in listed(value.get("response", value).get("results"))]
    tagged = [r for r in results if any(_google_speaker(w) for w in _google_words(r))]
    if tagged and len(results) > 1 and tagged == results[-1:]:
        results = tagged
    segments: list[TranscriptSegment] = []
    last = 0.0
    for result in results:
        words = _google_words(result)
        end = max([_seconds(result.get("resultEndTime", result.get("resultEndOffset", 0))), last])
        if any(_google_speaker(w) for w in words):
            segments += by_speaker([(_google_word(w), _google_speaker(w)) for w in words])
            last = end
            continue
        options = [_google_option(option) for option in listed(result.get("alternatives"))]
        if options:
            times = [t for w in options[0][1] for t in (w.start, w.end)]
            channel = text_in(result.get("channelTag"))
            span = (min(times), max(times)) if times else (last, end)
            segments.append(hypotheses(options, *span, f"channel {channel}" if channel else ""))
        last = end
    return segments


def _google_words(result: Any) -> list[Any]:
    options = listed(result.get("alternatives"))
    return listed(options[0].get("words")) if options else []


def _google_speaker(word: Any) -> str:
    return text_in(word.get("speakerLabel")) or text_in(word.get("speakerTag") or None)


def _google_option(option: Any) -> tuple[float | None, list[TranscriptWord], str]:
    confidence = option.get("confidence")
    words = [_google_word(word) for word in listed(option.get("words"))]
    timed = words if any(w.end > 0 for w in words) else []
    return None if confidence is None else number_in(confidence), timed, text_in(option.get("transcript"))


def _google_word(word: Any) -> TranscriptWord:
    start = _seconds(word.get("startTime", word.get("startOffset", 0)))
    end = _seconds(word.get("endTime", word.get("endOffset", 0)))
    confidence = number_in(word.get("confidence") or 1.0)  # 0 stands for none
    return TranscriptWord(text_in(word["word"]), start, end, confidence)


def _seconds(value: Any) -> float:
    """Seconds of a duration: ``"1.400s"``, or seconds and nanoseconds."""
    if isinstance(value, dict):
        return number_in(value.get("seconds", 0)) + number_in(value.get("nanos", 0)) / 1e9
    return number_in(value.removesuffix("s") if isinstance(value, str) else value)


# -- Azure


def looks_like_azure(head: bytes) -> bool:
    """Whether JSON holds recognised phrases, or single phrases with a status."""
    phrases = has_list(head, "recognizedPhrases") or has_list(head, "combinedRecognizedPhrases")
    fast = has_list(head, "combinedPhrases") or (has_list(head, "phrases") and has_keys(head, "durationMilliseconds"))
    return phrases or fast or has_keys(head, "RecognitionStatus") or has_list(head, "NBest")


@json_reader("Azure")
def read_azure(values: list[Any]) -> list[TranscriptSegment]:
    """Phrases of a batch, of a fast transcription (milliseconds), or detailed results one after the other."""
    segments: list[TranscriptSegment] = []
    for value in values:
        phrases = [p for key in ("recognizedPhrases", "phrases") for p in listed(value.get(key))]
        if "recognizedPhrases" not in value and "phrases" not in value:
            phrases = [value]
        channels = {text_in(p.get("channel")) for p in phrases}
        for phrase in phrases:
            channel = text_in(phrase.get("channel")) if len(channels) > 1 else ""
            segments += _azure_phrase({k[:1].lower() + k[1:]: v for k, v in phrase.items()}, channel)
    return segments


def _azure_phrase(phrase: Any, channel: str) -> list[TranscriptSegment]:
    start, end = _azure_times(phrase)
    best = {key[:1].lower() + key[1:]: v for key, v in (listed(phrase.get("nBest")) or [{}])[0].items()}
    who = phrase.get("speaker", phrase.get("speakerId", best.get("speaker")))
    speaker = text_in(who) or (f"channel {channel}" if channel else "")
    if "nBest" not in phrase:
        text = text_in(phrase.get("displayText", phrase.get("text")))
        words = [_azure_word(w, phrase) for w in listed(phrase.get("words"))]
        return [segment_of_words(words, speaker) if words else segment_of_text(text, start, end, speaker)]
    options = []
    for option in listed(phrase["nBest"]):
        own = {key[:1].lower() + key[1:]: v for key, v in option.items()}
        shown = listed(own.get("displayWords"))
        words = [_azure_word(w, own) for w in shown or listed(own.get("words"))]
        confidence = own.get("confidence")
        text = text_in(own.get("display", own.get("lexical")))
        options.append((None if confidence is None else number_in(confidence), words, text))
    return [hypotheses(options, start, end, speaker)] if options else []


def _azure_times(entry: Any) -> tuple[float, float]:
    """Start and end in seconds, of ticks or of milliseconds."""
    for suffix, unit in (("InTicks", _TICKS), ("Milliseconds", 1e3), ("InMs", 1e3), ("", _TICKS)):
        if f"offset{suffix}" in entry and f"duration{suffix}" in entry:
            start, length = number_in(entry[f"offset{suffix}"]), number_in(entry[f"duration{suffix}"])
            return start / unit, (start + length) / unit
    raise KeyError("offset")


def _azure_word(word: Any, phrase: Any) -> TranscriptWord:
    own = {key[:1].lower() + key[1:]: v for key, v in word.items()}
    text = text_in(own.get("word", own.get("displayText", own.get("text"))))
    return TranscriptWord(text, *_azure_times(own), confidence_in(own if "confidence" in own else phrase, "confidence"))


# -- Deepgram


def looks_like_deepgram(head: bytes) -> bool:
    """Whether JSON holds results with channels or utterances."""
    own = has_list(head, "channels") or (has_list(head, "utterances") and has_keys(head, "transcript"))
    return has_object(head, "results") and own and not has_list(head, "transcripts")


@json_reader("Deepgram")
def read_deepgram(values: list[Any]) -> list[TranscriptSegment]:
    """Alternatives of each channel, by speaker."""
    segments: list[TranscriptSegment] = []
    for value in values:
        channels = listed(value["results"].get("channels"))
        for number, channel in enumerate(channels):
            name = f"channel {number}" if len(channels) > 1 else ""
            options = listed(channel.get("alternatives"))
            words = listed(options[0].get("words")) if options else []
            if len(options) == 1 or any(w.get("speaker") is not None for w in words):
                segments += by_speaker([(_deepgram_word(w), text_in(w.get("speaker")) or name) for w in words])
            elif options:
                times = [number_in(w[key]) for w in words for key in ("start", "end")]
                all_options = [
                    (
                        number_in(o["confidence"]) if o.get("confidence") is not None else None,
                        [_deepgram_word(w) for w in listed(o.get("words"))],
                        text_in(o.get("transcript")),
                    )
                    for o in options
                ]
                segments.append(hypotheses(all_options, min(times, default=0.0), max(times, default=0.0), name))
    return segments


def _deepgram_word(w: Any) -> TranscriptWord:
    text = text_in(w.get("punctuated_word") or w["word"])
    return TranscriptWord(text, number_in(w["start"]), number_in(w["end"]), confidence_in(w, "confidence"))


# -- AssemblyAI


def looks_like_assemblyai(head: bytes) -> bool:
    """Whether JSON holds words with texts and times in whole milliseconds."""
    if _LONG_TEXT(head):
        return has_keys(head, "acoustic_model") or has_keys(head, "audio_url")
    entries = has_list(head, "words") or has_list(head, "utterances")
    plain = has_keys(head, "text", "confidence") and not has_keys(head, "word") and not has_keys(head, "results")
    return entries and plain and _WHOLE.search(head) is not None and _PARTS.search(head) is None


@json_reader("AssemblyAI")
def read_assemblyai(values: list[Any]) -> list[TranscriptSegment]:
    """Words by speaker, of utterances where there are some; times are milliseconds."""
    segments: list[TranscriptSegment] = []
    for value in values:
        entries = [w for u in listed(value.get("utterances")) for w in _assemblyai_words(u)]
        segments += by_speaker(entries or _assemblyai_words(value))
    return segments


def _assemblyai_words(entry: Any) -> list[tuple[TranscriptWord, str]]:
    own = text_in(entry.get("speaker"))
    return [
        (
            TranscriptWord(
                text_in(w["text"]),
                number_in(w["start"]) / 1000,
                number_in(w["end"]) / 1000,
                confidence_in(w, "confidence"),
            ),
            text_in(w.get("speaker")) or own,
        )
        for w in listed(entry.get("words"))
    ]
