"""Slow, obvious readers of recognisers' JSON: (word as it is written, start, end) of what each thinks likeliest.

Words come in any order, with None for times that are not given but shares of longer ones.
"""

import json
import re

from .reference_lattices import BREAKS, clean

HAN = "[㐀-䶿一-鿿豈-﫿]"


def values(data):
    """The values of a file, members of lists one by one; blanks and commas stand between them."""
    text, decoder = data.decode("utf-8").lstrip("\ufeff"), json.JSONDecoder()
    while text := re.sub(r"^[\s,\x1e]*", "", text):
        value, end = decoder.raw_decode(text)
        text = text[end:]
        yield from value if isinstance(value, list) else [value]


def said(value):
    """Text that may be null, which is none."""
    return "" if value is None else str(value)


def loose(text):
    """Words of which only the text is given."""
    spoken = re.sub("[\\[［][^\\]\\[\\d]{0,40}[\\]］]|♪|♫", " ", said(text))
    tokens = [t for token in BREAKS.split(spoken) for t in re.findall(f"{HAN}|(?:(?!{HAN}).)+", token, re.DOTALL)]
    return [(t, None, None) for t in tokens if clean(t)]


def exact(rows):
    """Words with times."""
    rows = [(" ".join(said(text).split()), float(start), float(end)) for text, start, end in rows]
    return [r for r in rows if clean(r[0]) and not re.fullmatch("[\\[［][^\\]\\[\\d]{0,40}[\\]］]|♪|♫", r[0])]


def whisper(data):
    words = []
    for value in values(data):
        parts = (value["segments"] or []) if "segments" in value else []
        loose_parts = not any(p.get("words") for p in parts)
        if value.get("words") and loose_parts and ("segments" in value or "start" not in value):
            words += whisper_words(value["words"])
        elif "segments" in value or ("words" in value and "start" not in value):
            words += [w for part in parts for w in whisper_segment(part)]
        else:
            words += whisper_words([value]) if "word" in value else whisper_segment(value)
    return words


def whisper_segment(part):
    entries = part.get("words")
    given = entries and not all(e.get("estimated") for e in entries)
    return whisper_words(entries) if given else loose(part.get("text"))


def whisper_words(entries):
    last = next(float(e["start"]) for e in entries if "start" in e)
    rows = []
    for i, entry in enumerate(entries):
        later = [float(e["start"]) for e in entries[i + 1 :] if "start" in e]
        begin = float(entry.get("start", last))
        last = float(entry.get("end", max(later[0] if later else last, begin)))
        rows.append((entry.get("word", entry.get("text")), begin, last))
    return exact(rows)


def whisper_cpp(data):
    words = []
    for part in (part for value in values(data) for part in value["transcription"] or []):
        tokens = [t for t in part.get("tokens") or [] if not t["text"].startswith(("[_", "<|"))]
        rows = []
        for t in tokens if all("offsets" in t for t in tokens) else []:
            start, end = float(t["offsets"]["from"]) / 1000, float(t["offsets"]["to"]) / 1000
            if t["text"].startswith(" ") or not rows:
                rows.append([t["text"], start, end])
            else:
                rows[-1] = [rows[-1][0] + t["text"], rows[-1][1], max(rows[-1][2], end)]
        words += exact(rows) if rows else loose(part.get("text"))
    return words


def vosk(data):
    words = []
    for value in values(data):
        options = [value] if "alternatives" not in value else (value["alternatives"] or [])[:1]
        for option in options if "partial" not in value else []:
            rows = [(w["word"], w["start"], w["end"]) for w in option.get("result") or []]
            words += exact(rows) if rows else loose(option.get("text"))
    return words


def assemblyai(data):
    words = []
    for value in values(data):
        entries = [w for u in value.get("utterances") or [] for w in u.get("words") or []] or value.get("words") or []
        words += exact([(w["text"], float(w["start"]) / 1000, float(w["end"]) / 1000) for w in entries])
    return words


def deepgram(data):
    words = []
    for channel in (c for value in values(data) for c in value["results"].get("channels") or []):
        for option in (channel.get("alternatives") or [])[:1]:
            rows = [(w.get("punctuated_word") or w["word"], w["start"], w["end"]) for w in option.get("words") or []]
            several = len(channel["alternatives"]) > 1
            words += exact(rows) if rows or not several else loose(option.get("transcript"))
    return words


def aws(data):
    words = []
    for value in values(data):
        for item in value["results"].get("items") or []:
            best = (item.get("alternatives") or [item])[0]
            if item.get("type") != "punctuation" and "start_time" in item:
                words.append([said(best["content"]), item["start_time"], item["end_time"]])
            elif words:
                words[-1][0] = words[-1][0] + said(best["content"])
    return exact(words)


READERS = {
    "whisper": whisper,
    "whisper-cpp": whisper_cpp,
    "vosk": vosk,
    "assemblyai": assemblyai,
    "deepgram": deepgram,
    "aws": aws,
}


def same(format, data, segments):
    """Raise AssertionError where segments do not hold the words that the slow reader of their format reads."""
    got = [(w.text, *((None, None) if s.estimated else (w.start, w.end))) for s in segments for w in s.words]
    assert sorted(map(plain, got)) == sorted(map(plain, READERS[format](data)))


def plain(row):
    return tuple(f"{x + 0.0:.9g}" if isinstance(x, float | int) else str(x) for x in row)
