"""A recording of several audio files: one time for all of them, in hits, transcript, audio, clips and peaks."""

import csv
import io

import numpy as np
import pytest

from rankine.web.sound.timeline import timeline

from ..cases import RATE, Site, two_sides
from .test_audio import samples_of

TAPE = "/api/v1/recordings/tape"


@pytest.fixture
def site(tmp_path):
    return Site(two_sides(tmp_path / "p").folder)


@pytest.fixture
def client(site):
    return site.client()


def sides(tmp_path):
    return [samples_of((tmp_path / "p" / "audio" / f"side-{side}.wav").read_bytes()) for side in "ab"]


def test_files_one_after_the_other(client, site):
    about = client.get(TAPE).json()
    assert about["seconds"] == 7.0
    assert [file["start"] for file in about["audio"]["files"]] == [0.0, 4.0]
    assert [file["name"].rpartition("/")[2] for file in about["audio"]["files"]] == ["side-a.wav", "side-b.wav"]
    assert [file.seconds for file in timeline(site.archive.state().archive.index, "tape")] == [4.0, 3.0]


def test_words_and_hits_have_times_of_the_recording(client):
    words = client.get(f"{TAPE}/transcript").json()["words"]
    assert [w["text"] for w in words] == ["lighthouse", "keeper", "winter", "storm", "railway", "storm"]
    assert [w["start"] for w in words] == [0.0, 0.5, 2.0, 2.5, 4.0, 4.5]
    pieces = [client.get(f"{TAPE}/transcript", params={"from": a, "to": b}).json() for a, b in ((0, 2), (2, 4), (4, 9))]
    assert [piece["next"] for piece in pieces] == [2.0, 4.0, None]
    assert [word for piece in pieces for word in piece["words"]] == words
    assert client.get(f"{TAPE}/transcript", params={"from": 4, "to": 2}).status_code == 400
    wanted = {"q": "storm", "sort": "time", "certainty": "heard"}
    hits = client.get("/api/v1/search", params=wanted).json()["groups"][0]["hits"]
    assert [(hit["start"], hit["play_from"]) for hit in hits] == [(2.5, 1.5), (4.5, 3.5)]
    assert [hit["line"][-1]["start"] for hit in hits] == [2.5, 4.5]
    for hit in hits:
        assert client.get("/api/v1/why", params={"q": "storm", "place": hit["segment"]}).status_code == 200
    rows = list(csv.DictReader(io.StringIO(client.get("/api/v1/hits.csv?q=railway").content.decode("utf-8-sig"))))
    assert rows[0]["start"] == "4.000"
    playlist = client.get("/api/v1/hits.m3u?q=railway").text  # players are told the file and the time in it
    assert "start-time=0.00" in playlist
    assert "side-b.wav" in playlist


def test_audio_reaches_each_file(client, tmp_path):
    whole = client.get(f"{TAPE}/audio")
    assert whole.headers["content-type"] == "audio/wav"
    joined = np.concatenate(sides(tmp_path))
    np.testing.assert_array_equal(samples_of(whole.content), joined)
    for begin, end in ((0, 99), (44 + 7 * RATE, 44 + 9 * RATE), (44 + 11 * RATE + 1, 44 + 12 * RATE)):
        part = client.get(f"{TAPE}/audio", headers={"Range": f"bytes={begin}-{end}"})
        assert (part.status_code, part.content) == (206, whole.content[begin : end + 1])
    clip = client.get(f"{TAPE}/clip", params={"start": 3.5, "end": 4.5})
    np.testing.assert_array_equal(samples_of(clip.content), joined[RATE * 7 // 2 : RATE * 9 // 2])
    peaks = client.get(f"{TAPE}/peaks", params={"points": 2000}).json()
    assert (peaks["seconds"], len(peaks["peaks"])) == (7.0, 2000)
    stretch = joined[np.arange(len(joined)) * 2000 // len(joined) == 1500] / 32768
    assert peaks["peaks"][1500] == pytest.approx([min(stretch.min(), 0), max(stretch.max(), 0)], abs=5.1e-4)


def test_a_file_that_is_missing_is_silence(client, tmp_path):
    audio = tmp_path / "p" / "audio"
    (audio / "side-a.wav").rename(tmp_path / "moved.wav")
    about = client.get(TAPE).json()["audio"]
    assert about["state"] == "ok"
    assert "1 of 2 audio files" in about["message"]
    assert "side-a.wav" in about["message"]
    assert str(tmp_path) not in about["message"]
    heard = samples_of(client.get(f"{TAPE}/audio").content)
    begin = len(heard) - 3 * RATE  # the words of the first side are all that is known of its length
    assert not heard[:begin].any()
    assert heard[begin:].any()
    assert begin == 3 * RATE
    (audio / "side-b.wav").unlink()
    about = client.get(TAPE).json()["audio"]
    assert (about["state"], about["url"]) == ("missing", None)
    assert client.get(f"{TAPE}/audio").status_code == 404
