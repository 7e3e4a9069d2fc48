"""JSON of transcription services: words, times in seconds, speakers and alternatives."""

import json

import pytest

import rankine as rk
from rankine.spoken.lattice.posteriors import arc_posteriors, expected_counts

from ..cases import TRANSCRIPTS
from ..reading import lattice_of, pieces, segments, speakers, timed

WORDS = [("hello", 0.5, 1.0), ("world", 1.0, 1.5), ("yes", 2.0, 2.5)]


@pytest.mark.parametrize("name", ["aws", "azure", "deepgram", "assemblyai"])
def test_words_and_speakers(tmp_path, name):
    text = TRANSCRIPTS[f"{name}.json"]
    assert timed(tmp_path, text) == WORDS
    (first, said), (second, more) = speakers(tmp_path, text)
    assert first != second
    assert (said, more) in [("Hello, world.", "Yes!"), ("Hello, world", "Yes"), ("hello world", "Yes!")]
    assert segments(tmp_path, text)[0].words[1].confidence == 0.8


def counts(folder, text):
    lattice = lattice_of(folder, text)
    return expected_counts(lattice, arc_posteriors(lattice))


def test_alternatives_of_google(tmp_path):
    text = TRANSCRIPTS["google.json"]
    want = {"hello": 1.0, "world": 0.75, "word": 0.25, "yes": 1.0}
    assert counts(tmp_path, text) == pytest.approx(want)
    assert [t for t in timed(tmp_path, text) if t[0] == "yes"] == [("yes", 2.0, 2.5)]


def test_google_v2_and_speakers(tmp_path):
    words = [("hello", "0.5s", "1s", "1"), ("world", "1s", "1.500s", "1"), ("yes", "2s", "2.5s", "2")]
    entries = [{"startOffset": s, "endOffset": e, "word": w, "speakerLabel": k} for w, s, e, k in words]
    one = {"results": [{"alternatives": [{"transcript": "x", "words": entries}], "resultEndOffset": "2.5s"}]}
    assert timed(tmp_path, json.dumps(one)) == WORDS
    assert speakers(tmp_path, json.dumps(one)) == [("1", "hello world"), ("2", "yes")]
    # v1 repeats all words, with the speakers, in the last result
    plain = [{"startTime": s, "endTime": e, "word": w} for w, s, e, _ in words]
    tagged = [{"startTime": s, "endTime": e, "word": w, "speakerTag": int(k)} for w, s, e, k in words]
    results = [{"alternatives": [{"transcript": "x", "words": w}]} for w in (plain[:2], plain[2:], tagged)]
    wrapped = {"name": "1", "done": True, "response": {"@type": "t", "results": results}}
    assert timed(tmp_path, json.dumps(wrapped)) == WORDS
    assert len(pieces(tmp_path, json.dumps(wrapped))) == 2


def test_google_without_times_of_words(tmp_path):
    results = [
        {"alternatives": [{"transcript": "hello world"}], "resultEndTime": "1.5s"},
        {"alternatives": [{"transcript": " yes"}], "resultEndTime": "2.5s"},
    ]
    assert timed(tmp_path, json.dumps({"results": results})) == [
        ("hello", 0.0, 0.75), ("world", 0.75, 1.5), ("yes", 1.5, 2.5),
    ]  # fmt: skip
    assert pieces(tmp_path, json.dumps({"results": results}))[0].turn.estimated


def aws(**results):
    return json.dumps({"jobName": "j", "accountId": "1", "results": {"transcripts": [{"transcript": "x"}], **results}})


def item(word, start, end, **more):
    return {"start_time": start, "end_time": end, "type": "pronunciation", **more} | {
        "alternatives": [{"confidence": "0.5", "content": word}]
    }


def test_alternatives_and_labels_of_aws(tmp_path):
    items = [item("The", "1.0", "1.5"), item("rain", "1.5", "2.0"), item("ends", "5.0", "6.0")]
    options = [
        {"transcript": text, "items": [
            {"start_time": str(1 + i / 2), "end_time": str(1.5 + i / 2), "type": "pronunciation", "content": w}
            for i, w in enumerate(text.split())
        ]}
        for text in ("The rain", "The reign")
    ]  # fmt: skip
    text = aws(items=items, segments=[{"start_time": "0.9", "end_time": "2.1", "alternatives": options}])
    assert counts(tmp_path, text) == pytest.approx({"the": 1, "rain": 2 / 3, "reign": 1 / 3, "ends": 0.5})
    labels = {"segments": [{"items": [{"start_time": "1.0", "speaker_label": "spk_0"}]}]}
    assert speakers(tmp_path, aws(items=items[:2], speaker_labels=labels)) == [("spk_0", "The"), ("", "rain")]


def test_azure_detailed_and_fast(tmp_path):
    entries = [{"Word": w, "Offset": int(s * 1e7), "Duration": int((e - s) * 1e7)} for w, s, e in WORDS[:2]]
    options = [
        {"Confidence": 0.6, "Lexical": "hello world", "Display": "Hello, world.", "Words": entries},
        {"Confidence": 0.2, "Lexical": "hello word", "Display": "Hello word."},
    ]
    one = {"RecognitionStatus": "Success", "Offset": 5000000, "Duration": 10000000, "NBest": options}
    want = {"hello": 0.75 * 0.6 + 0.25, "world": 0.75 * 0.6, "word": 0.25}
    assert counts(tmp_path, json.dumps(one)) == pytest.approx(want)
    silence = {"RecognitionStatus": "InitialSilenceTimeout", "Offset": 0, "Duration": 100}
    assert counts(tmp_path, json.dumps(one) + "\n" + json.dumps(silence)) == pytest.approx(want)
    words = [{"text": w, "offsetMilliseconds": 1000 * s, "durationMilliseconds": 1000 * (e - s)} for w, s, e in WORDS]
    phrases = [{"offsetMilliseconds": 500, "durationMilliseconds": 2000, "text": "x", "words": words, "speaker": 1}]
    fast = {"durationMilliseconds": 3000, "combinedPhrases": [{"text": "x"}], "phrases": phrases}
    assert timed(tmp_path, json.dumps(fast)) == WORDS


def test_channels_and_alternatives_of_deepgram(tmp_path):
    words = [{"word": w, "start": s, "end": e, "confidence": 1.0} for w, s, e in WORDS]
    option = {"transcript": "x", "confidence": 0.9, "words": words[:2]}
    channels = [{"alternatives": [option]}, {"alternatives": [{**option, "words": words[2:]}]}]
    text = json.dumps({"metadata": {}, "results": {"channels": channels}})
    assert speakers(tmp_path, text) == [("channel 0", "hello world"), ("channel 1", "yes")]
    other = {"transcript": "hello word", "confidence": 0.3, "words": []}
    text = json.dumps({"metadata": {}, "results": {"channels": [{"alternatives": [option, other]}]}})
    assert counts(tmp_path, text) == pytest.approx({"hello": 1.0, "world": 0.75, "word": 0.25})


def test_milliseconds_of_assemblyai(tmp_path):
    words = [{"text": w, "start": int(1000 * s), "end": int(1000 * e), "confidence": 1.0} for w, s, e in WORDS]
    utterances = [{"speaker": k, "words": w, "text": "x", "start": 1} for k, w in (("A", words[:2]), ("B", words[2:]))]
    long = {"id": "1", "acoustic_model": "m", "status": "completed", "audio_url": "u", "text": "hello " * 20000}
    for text in ("x", long["text"]):
        content = json.dumps({**long, "text": text, "words": words, "utterances": utterances})
        assert timed(tmp_path, content) == WORDS
        assert speakers(tmp_path, content) == [("A", "hello world"), ("B", "yes")]


@pytest.mark.parametrize("name", ["aws", "google", "azure", "deepgram", "assemblyai"])
@pytest.mark.parametrize("content", ["{", "[]", "[1]", '{"results": 1}', '{"results": [{"alternatives": [1]}]}'])
def test_what_is_wrong_names_the_file(tmp_path, name, content):
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(rk.InputError, match=r"x\.json: (not the JSON of|no words)"):
        rk.spoken.read_lattice(tmp_path / "x.json", format=name)
