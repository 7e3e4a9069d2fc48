"""JSON of Whisper, its relatives and Vosk: words, times, speakers, and what is wrong."""

import json

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.lattice import formats as f
from rankine.spoken.lattice.formats.transcripts.recognisers import write_whisper
from rankine.spoken.lattice.formats.transcripts.transcript import Transcript
from rankine.spoken.lattice.posteriors import arc_posteriors, expected_counts

from ..reading import lattice_of, pieces, segments, speakers, timed

HELLO = [("hello", 0.5, 1.0), ("world", 1.0, 1.5)]
WORDS = [
    {"word": " Hello,", "start": 0.5, "end": 1.0, "probability": 0.9},
    {"word": " world.", "start": 1.0, "end": 1.5, "probability": 0.8},
]
SEGMENT = {
    "id": 0,
    "seek": 0,
    "start": 0.5,
    "end": 1.5,
    "text": " Hello, world.",
    "tokens": [1, 2],
    "avg_logprob": -0.2,
}
TEXT = {"text": " Hello, world.", "language": "en"}


@pytest.mark.parametrize(
    "content",
    [
        {**TEXT, "segments": [{**SEGMENT, "words": WORDS}]},  # openai-whisper
        [{**SEGMENT, "words": WORDS}],  # faster-whisper
        {"segments": [{**SEGMENT, "words": WORDS}], "word_segments": WORDS, "language": "en"},  # WhisperX
        {"task": "transcribe", "duration": 2, **TEXT, "words": WORDS},  # OpenAI's service
        {"task": "transcribe", "duration": 2, **TEXT, "words": WORDS, "segments": [SEGMENT]},
        {"task": "transcribe", **TEXT, "text": "Hello, world. " * 9000, "segments": [{**SEGMENT, "words": WORDS}]},
    ],
    ids=["openai", "faster", "whisperx", "service", "service with segments", "long"],
)
def test_words_of_whisper(tmp_path, content):
    assert timed(tmp_path, json.dumps(content)) == HELLO
    assert not pieces(tmp_path, json.dumps(content))[0].turn.estimated


@pytest.mark.parametrize(
    "content",
    [
        {**TEXT, "segments": [SEGMENT]},
        [{**SEGMENT, "words": None}],
        {"segments": [{**SEGMENT, "words": []}]},
    ],
)
def test_segments_without_words_share_their_time(tmp_path, content):
    (piece,) = pieces(tmp_path, json.dumps(content))
    assert piece.turn.estimated
    assert [w for w, _, _ in timed(tmp_path, json.dumps(content))] == ["hello", "world"]
    middle = 0.5 + len("Hello,") / len("Hello,world.")
    assert timed(tmp_path, json.dumps(content)) == [("hello", 0.5, middle), ("world", middle, 1.5)]


def test_chunks_of_transformers(tmp_path):
    chunks = [{"timestamp": [0.5, 1.0], "text": " Hello,"}, {"timestamp": [1.0, 1.5], "text": " world."}]
    words = {"text": " Hello, world.", "chunks": chunks}
    assert timed(tmp_path, json.dumps(words)) == HELLO
    assert not pieces(tmp_path, json.dumps(words))[0].turn.estimated
    parts = [
        {"timestamp": [0.5, None], "text": " Hello, world."},
        {"timestamp": [2.5, None], "text": " And more words"},
    ]
    whole = segments(tmp_path, json.dumps({"chunks": parts}))
    assert [(s.start, s.end, s.estimated) for s in whole] == [(0.5, 2.5, True), (2.5, 3.5, True)]
    han = segments(tmp_path, json.dumps({"chunks": [{"timestamp": [0, 2], "text": "你好"}]}))
    assert [(w.text, w.start, w.end) for s in han for w in s.words] == [("你", 0.0, 1.0), ("好", 1.0, 2.0)]


def test_speakers_of_chunks(tmp_path):
    """insanely-fast-whisper writes the chunks again, with speakers."""
    chunk = {"timestamp": [0.5, 1.5], "text": " Hello, world."}
    said = [{**chunk, "speaker": "SPEAKER_00"}, {"timestamp": [2, 2.5], "text": " Yes!", "speaker": "SPEAKER_01"}]
    content = json.dumps({"speakers": said, "chunks": [chunk, chunk], "text": " Hello, world. Yes!"})
    assert speakers(tmp_path, content) == [("SPEAKER_00", "Hello, world."), ("SPEAKER_01", "Yes!")]
    assert speakers(tmp_path, json.dumps({"speakers": [], "chunks": [chunk]})) == [("", "Hello, world.")]


def test_speakers_of_whisperx(tmp_path):
    said = [
        {**SEGMENT, "speaker": "SPEAKER_00", "words": WORDS},
        {**SEGMENT, "start": 2, "end": 3, "speaker": "SPEAKER_01"},
    ]
    turns = pieces(tmp_path, json.dumps({"segments": said}))
    assert [(p.name, *p.turn) for p in turns] == [
        ("x@0.50", "x", 0.5, "SPEAKER_00", False, ""), ("x@2.00", "x", 2, "SPEAKER_01", True, ""),
    ]  # fmt: skip
    one, other = (f.load(p, f.Reading()) for p in turns)
    assert one.start.tolist() == pytest.approx([0.0, 0.0, 0.5, 0.5])
    assert other.start[0] == 0
    changing = [{**WORDS[0], "speaker": "A"}, {**WORDS[1], "speaker": "B"}]
    assert speakers(tmp_path, json.dumps({"segments": [{**SEGMENT, "words": changing}]})) == [
        ("A", "Hello,"), ("B", "world."),
    ]  # fmt: skip


def test_words_without_times_get_those_between(tmp_path):
    words = [{"word": "in", "start": 0.0, "end": 0.5}, {"word": "1984"}, {"word": "we", "start": 1.5, "end": 2.0}]
    assert timed(tmp_path, json.dumps({"segments": [{"words": words}]}))[1] == ("1984", 0.5, 1.5)
    spoken = [word | ({"speaker": "A"} if "start" in word else {}) for word in words]
    assert speakers(tmp_path, json.dumps({"segments": [{"words": spoken}]})) == [("A", "in 1984 we")]


def test_confidences_are_posteriors(tmp_path):
    lattice = lattice_of(tmp_path, json.dumps({"segments": [{**SEGMENT, "words": WORDS}]}))
    assert expected_counts(lattice, arc_posteriors(lattice)) == pytest.approx({"hello": 0.9, "world": 0.8})


@pytest.mark.parametrize("full", [True, False])
def test_whisper_cpp(tmp_path, full):
    tokens = [
        {"text": "[_BEG_]", "offsets": {"from": 0, "to": 0}, "id": 1, "p": 0.1, "t_dtw": -1},
        {"text": " spo", "offsets": {"from": 0, "to": 200}, "id": 2, "p": 0.9},
        {"text": "ken", "offsets": {"from": 200, "to": 400}, "id": 3, "p": 0.5},
        {"text": " word", "offsets": {"from": 400, "to": 900}, "id": 4, "p": 1.0},
        {"text": ".", "offsets": {"from": 900, "to": 1000}, "id": 5, "p": 1.0},
        {"text": "[_TT_50]", "offsets": {"from": 1000, "to": 1000}, "id": 6, "p": 0.1},
    ]
    part = {
        "timestamps": {"from": "00:00:00,000", "to": "00:00:01,000"},
        "offsets": {"from": 0, "to": 1000},
        "text": " spoken word.",
    }
    content = {
        "systeminfo": "AVX = 1", "model": {"type": "tiny"}, "params": {"language": "en"}, "result": {"language": "en"},
        "transcription": [part | ({"tokens": tokens} if full else {})],
    }  # fmt: skip
    if full:
        assert timed(tmp_path, json.dumps(content)) == [("spoken", 0.0, 0.4), ("word", 0.4, 1.0)]
        assert segments(tmp_path, json.dumps(content))[0].words[0].confidence == 0.5
    else:
        assert [w for w, _, _ in timed(tmp_path, json.dumps(content))] == ["spoken", "word"]
        assert pieces(tmp_path, json.dumps(content))[0].turn.estimated


VOSK = {
    "result": [{"conf": 1.0, "start": s, "end": e, "word": w} for w, s, e in HELLO],
    "text": "hello world",
}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(VOSK),
        json.dumps([VOSK, {"text": ""}]),
        json.dumps([{"text": ""}, VOSK]),
        f"{json.dumps(VOSK, indent=2)}\n{json.dumps({'text': ''}, indent=2)}\n",
        f'{{"partial" : "hello"}}\n{json.dumps(VOSK)}\n',
    ],
)
def test_results_of_vosk(tmp_path, text):
    assert timed(tmp_path, text) == HELLO


def test_alternatives_of_vosk(tmp_path):
    options = [("two words", np.log(3.0)), ("too words", 0.0)]
    words = [
        [{"word": w, "start": float(i), "end": i + 1.0} for i, w in enumerate(text.split())] for text, _ in options
    ]
    content = {"alternatives": [
        {"text": text, "confidence": 300 + c, "result": said} for (text, c), said in zip(options, words, strict=True)
    ]}  # fmt: skip
    lattice = lattice_of(tmp_path, json.dumps(content))
    want = {"two": 0.75, "too": 0.25, "words": 1.0}
    assert expected_counts(lattice, arc_posteriors(lattice)) == pytest.approx(want)
    plain = {"alternatives": [{"text": "one two", "confidence": 0.97}, {"text": "one too", "confidence": 0.03}]}
    lattice = lattice_of(tmp_path, json.dumps(plain))
    assert expected_counts(lattice, arc_posteriors(lattice)) == pytest.approx({"one": 1, "two": 0.97, "too": 0.03})
    assert np.isnan(lattice.start).all()


def test_what_is_written_is_read_again(tmp_path):
    content = {"segments": [
        {**SEGMENT, "words": WORDS, "speaker": "Ann"}, {**SEGMENT, "text": "Yes — no", "start": 2, "end": 3},
    ]}  # fmt: skip
    before = segments(tmp_path, json.dumps(content))
    assert segments(tmp_path, write_whisper(Transcript("x", tuple(before)))) == before


def words_json(**changes):
    return json.dumps({"words": [{"word": "a", "start": 0, "end": 1, "conf": 0.5} | changes]})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "not the JSON of Whisper"),
        ('{"words": ' + "[" * 500 + "]" * 500 + "}", "not the JSON of Whisper"),
        ('{"words": "abc"}', "expected a list, got str"),
        ('{"words": [' + "9" * 5000 + "]}", "not the JSON of Whisper"),
        (words_json(start=10**400, end=10**400), "not the JSON of Whisper"),
        (words_json(word="a\ud800b"), "half of a character"),
        (words_json(conf=float("nan")), "the confidence of 'a' must lie between 0 and 1, got nan"),
        (words_json(end=1e300), "'a' begins at 0.0 and ends at 1e.300"),
        (words_json(end="x\ny"), "not the JSON of Whisper"),
        ("{", "not the JSON of Whisper"),
        ('{"segments": []}', "no words"),
        ('{"words": [{"word": "a", "start": 0, "end": 1e999}]}', "'a' begins at 0.0 and ends at inf"),
        ('{"words": [{"word": "a"}]}', "KeyError: 'start'"),
        ('{"segments": [{"text": "a", "start": true, "end": 1}]}', "expected a number, got bool"),
        ("[1, 2]", "not the JSON of Whisper"),
    ],
    ids=range(15),
)
def test_hostile_json(tmp_path, text, message):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(rk.InputError, match=message) as error:
        rk.spoken.read_lattice(tmp_path / "x.json", format="whisper")
    assert "\n" not in str(error.value)
    assert "x.json" in str(error.value)


def test_members_that_are_not_used_may_be_anything(tmp_path):
    text = words_json()[:-1] + ', "avg": NaN, "deep": [[[{"a": Infinity}]]]}'
    assert timed(tmp_path, text) == [("a", 0, 1)]


def test_json_too_large_to_hold(tmp_path, monkeypatch):
    monkeypatch.setattr("rankine.spoken.lattice.formats.transcripts.transcript.LONGEST", 50)
    (tmp_path / "x.json").write_text(words_json(word="a" * 50))
    with pytest.raises(rk.InputError, match="not a transcript"):
        rk.spoken.read_lattice(tmp_path / "x.json")
