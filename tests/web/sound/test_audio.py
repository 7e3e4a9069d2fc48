"""Audio: by recording only, below roots only, with ranges, decoded where browsers cannot play it, exact clips."""

import io
import os
import wave

import numpy as np
import pytest
import soundfile

from rankine.spoken.archive import Archive
from rankine.web.answers import ApiError
from rankine.web.sound.audio import DecodedContent, open_clip, open_content

from ..cases import RATE, Site, error_of, make_archive, spoken, write_tone
from .test_peaks import one

API = "/api/v1"
HARBOUR = f"{API}/recordings/harbour%2F1"


def samples_of(data):
    with wave.open(io.BytesIO(data)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, file.getnchannels())


def test_ranges_of_a_file(client, tmp_path):
    whole = (tmp_path / "place" / "audio" / "r0.wav").read_bytes()
    answer = client.get(f"{HARBOUR}/audio")
    assert (answer.status_code, answer.content) == (200, whole)
    assert answer.headers["content-type"] == "audio/wav"
    assert answer.headers["accept-ranges"] == "bytes"
    for header, begin, end in (("0-99", 0, 100), ("100-", 100, len(whole)), ("-7", len(whole) - 7, len(whole))):
        answer = client.get(f"{HARBOUR}/audio", headers={"Range": f"bytes={header}"})
        assert (answer.status_code, answer.content) == (206, whole[begin:end])
        assert answer.headers["content-range"] == f"bytes {begin}-{end - 1}/{len(whole)}"
        assert answer.headers["content-length"] == str(end - begin)
    for header in (f"{len(whole)}-", "0-1,4-5"):
        answer = client.get(f"{HARBOUR}/audio", headers={"Range": f"bytes={header}"})
        assert answer.status_code == 416
        assert answer.headers["content-range"] == f"bytes */{len(whole)}"
        assert error_of(answer)["message"]
    head = client.head(f"{HARBOUR}/audio", headers={"Range": "bytes=0-9"})
    assert (head.status_code, head.content, head.headers["content-length"]) == (206, b"", "10")


def test_a_file_that_has_changed_is_sent_anew(client, tmp_path):
    mark = client.get(f"{HARBOUR}/audio").headers["etag"]
    assert client.get(f"{HARBOUR}/audio", headers={"If-None-Match": mark}).status_code == 304
    same = {"Range": "bytes=0-9", "If-Range": mark}
    assert client.get(f"{HARBOUR}/audio", headers=same).status_code == 206
    write_tone(tmp_path / "place" / "audio" / "r0.wav", 4.0)
    assert client.get(f"{HARBOUR}/audio", headers=same).status_code == 200
    assert client.get(f"{HARBOUR}/audio", headers={"If-None-Match": mark}).status_code == 200


def test_what_browsers_cannot_play_is_sent_as_wav(tmp_path):
    samples = write_tone(tmp_path / "a.wav", 2.0, channels=2)
    soundfile.write(tmp_path / "a.aiff", samples, RATE, subtype="PCM_16")
    content = open_content(one(tmp_path / "a.aiff"))
    assert content.type == "audio/wav"
    whole = b"".join(content.chunks(0, content.size))
    assert len(whole) == content.size
    np.testing.assert_array_equal(samples_of(whole), samples)
    rng = np.random.default_rng(0)
    for _ in range(50):
        begin, end = sorted(rng.integers(0, content.size + 1, 2).tolist())
        assert b"".join(content.chunks(begin, end)) == whole[begin:end]
    content.close()


@pytest.mark.parametrize(("ending", "kind"), [("flac", "audio/flac"), ("ogg", "audio/ogg"), ("mp3", "audio/mpeg"),
                                              ("wav", "audio/wav")])  # fmt: skip
def test_what_browsers_play_is_sent_as_it_is(tmp_path, ending, kind):
    path = tmp_path / f"a.{ending}"
    soundfile.write(path, np.sin(np.arange(16000) / 10) * 0.5, 16000)
    content = open_content(one(path))
    assert content.type == kind
    assert b"".join(content.chunks(0, content.size)) == path.read_bytes()
    content.close()


def test_wav_in_an_odd_coding_is_decoded(tmp_path):
    path = tmp_path / "a.wav"
    soundfile.write(path, np.sin(np.arange(16000) / 10) * 0.5, 16000, subtype="IMA_ADPCM")
    assert isinstance(open_content(one(path)), DecodedContent)


def test_clips_are_exact(client, tmp_path):
    samples = samples_of((tmp_path / "place" / "audio" / "r0.wav").read_bytes())
    answer = client.get(f"{HARBOUR}/clip", params={"start": 1.25, "end": 2.5})
    assert answer.status_code == 200
    np.testing.assert_array_equal(samples_of(answer.content), samples[RATE * 5 // 4 : RATE * 5 // 2])
    assert answer.headers["content-disposition"].startswith('attachment; filename="harbour_1 1.25-2.50.wav"')
    for start, end in ((2, 1), (100, 101), (0, 4000)):
        assert client.get(f"{HARBOUR}/clip", params={"start": start, "end": end}).status_code in (400, 416)
    for wrong in ({"start": 1}, {"start": "nan", "end": 3}, {"start": -1, "end": 3}, {"start": "1e99", "end": "inf"}):
        assert client.get(f"{HARBOUR}/clip", params=wrong).status_code == 400


def test_a_damaged_file_is_sent_to_its_stated_end(tmp_path):
    rng = np.random.default_rng(0)
    soundfile.write(tmp_path / "a.aiff", rng.normal(0, 0.1, 40_000), RATE)
    data = (tmp_path / "a.aiff").read_bytes()
    content = open_clip(one(tmp_path / "a.aiff"), 0.0, 5.0)
    assert len(b"".join(content.chunks(0, content.size))) == content.size
    content.close()
    (tmp_path / "b.aiff").write_bytes(b"no audio" + data[8:100])
    with pytest.raises(ApiError) as caught:
        open_content(one(tmp_path / "b.aiff"))
    assert caught.value.status == 415
    assert str(tmp_path) not in caught.value.message


def test_rights_and_missing_audio(client, site, tmp_path):
    def state(name):
        return client.get(f"{API}/recordings/{name}").json()["audio"]

    assert state("harbour%2F1")["state"] == "ok"
    assert state("harbour%2F1")["url"] == f"{HARBOUR}/audio"
    assert state("railway")["state"] == "none"
    assert state("asked")["state"] == "closed"
    for name, status in (("railway", 404), ("asked", 403), ("shut", 404), ("nobody", 404)):
        for what in ("audio", "clip?start=0&end=1", "peaks"):
            answer = client.get(f"{API}/recordings/{name}/{what}")
            assert answer.status_code == status
            assert str(tmp_path) not in answer.text
    assert client.get(f"{API}/recordings/shut").status_code == 404
    (tmp_path / "place" / "audio" / "r0.wav").rename(tmp_path / "moved.wav")
    gone = state("harbour%2F1")
    assert gone["state"] == "missing"
    assert "r0.wav" in gone["message"]
    assert str(tmp_path) not in gone["message"]
    assert client.get(f"{HARBOUR}/audio").status_code == 404
    assert client.get(f"{API}/search", params={"q": "lighthouse"}).json()["groups"]  # the hit stays


def test_only_below_the_roots_that_the_user_named(tmp_path):
    """An archive that names other files, by full paths, upwards and by links, gets none of them."""
    secret = tmp_path / "secret.wav"
    write_tone(secret, 1.0)
    archive = make_archive(tmp_path / "p", {"a": ([spoken(["storm"])], {}, True)}, roots=False)
    client = Site(archive.folder).client()
    assert client.get(f"{API}/recordings/a/audio").status_code == 404  # no root was named
    audio = tmp_path / "p" / "audio"
    Archive(archive.folder).recordings.add_roots([audio])
    assert client.get(f"{API}/recordings/a/audio").status_code == 200
    (audio / "r0.wav").unlink()
    (audio / "r0.wav").symlink_to(secret)
    assert client.get(f"{API}/recordings/a/audio").status_code == 404
    (audio / "r0.wav").unlink()
    os.mkfifo(audio / "r0.wav")
    assert client.get(f"{API}/recordings/a/audio").status_code == 404
