"""The archive, its recordings and transcripts over the API."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time

import pytest

from rankine.sample import spoken_sample
from rankine.spoken.archive import Archive
from rankine.spoken.metadata.turns import SpeakerTurn, record_turns
from rankine.spoken.recordings.progress import FILE, telling_progress

from ..cases import Site

API = "/api/v1"


def test_the_archive(client, site):
    about = client.get(f"{API}/archive").json()
    assert (about["name"], about["recordings"], about["user"]) == ("archive", 3, "ann")
    assert about["speakers"] == ["Ann Lee"]  # and nobody of a closed recording
    assert about["collections"] == ["Coast"]
    assert about["dates"] == {"first": "1999-05-17", "last": "2001"}
    assert about["recognising"] is None
    assert about["has_audio"] is True
    assert set(about["examples"]) <= {"lighthouse", "keeper", "storm", "winter", "railway"}
    assert about["examples"]


def test_an_archive_that_holds_nothing(tmp_path):
    about = Site(Archive.create(tmp_path / "a").folder).client()
    content = about.get(f"{API}/archive").json()
    assert (content["recordings"], content["has_audio"], content["examples"]) == (0, False, [])
    assert about.get(f"{API}/recordings").json()["recordings"] == []
    assert about.get(f"{API}/search", params={"q": "storm"}).json()["groups"] == []


def test_the_list(client):
    def names(**parameters):
        answer = client.get(f"{API}/recordings", params=parameters).json()
        return answer["total"], [recording["id"] for recording in answer["recordings"]]

    assert names() == (3, ["asked", "railway", "harbour/1"])  # by title
    assert names(order="desc") == (3, ["harbour/1", "railway", "asked"])
    assert names(sort="date") == (3, ["harbour/1", "railway", "asked"])
    assert names(sort="length", order="desc")[1][0] == "harbour/1"
    assert names(filter="HARB lee") == (1, ["harbour/1"])
    assert names(filter="shut") == (0, [])
    assert names(limit=1, offset=1) == (3, ["railway"])
    assert client.get(f"{API}/recordings", params={"sort": "color"}).status_code == 400


def test_one_recording(client, site):
    record_turns(site.archive.folder, {"harbour/1": [SpeakerTurn(0.0, 2.0, "Ann"), SpeakerTurn(2.0, 5.0, "Bob")]})
    about = client.get(f"{API}/recordings/harbour%2F1").json()
    assert about["fields"] == {
        "title": ["The harbour"], "date": ["1999-05-17"], "speakers": ["Ann Lee"], "collection": ["Coast"],
    }  # fmt: skip
    assert about["turns"][1] == {"speaker": "Bob", "start": 2.0, "end": 5.0}
    assert about["seconds"] == pytest.approx(4.0)
    assert 0.9 < about["heard"] < 1


def test_transcripts(client):
    path = f"{API}/recordings/harbour%2F1/transcript"
    whole = client.get(path).json()
    assert [word["text"] for word in whole["words"]] == ["lighthouse", "keeper", "storm", "winter", "storm"]
    assert [word["start"] for word in whole["words"]] == [0.0, 0.5, 1.0, 3.0, 3.5]
    assert [word["segment"] for word in whole["words"]] == [0, 0, 0, 1, 1]
    assert whole["next"] is None
    (other,) = whole["words"][0]["alternatives"]
    assert (other["text"], other["posterior"]) == ("light", pytest.approx(0.3, abs=1e-3))
    assert whole["words"][1]["alternatives"] == []
    first = client.get(path, params={"from": 0, "to": 2}).json()
    assert (len(first["words"]), first["next"]) == (3, 3.0)
    rest = client.get(path, params={"from": first["next"]}).json()
    assert first["words"] + rest["words"] == whole["words"]
    assert client.get(path, params={"from": 5, "to": 2}).status_code == 400
    assert client.get(f"{API}/recordings/asked/transcript").status_code == 403
    assert client.get(f"{API}/recordings/shut/transcript").status_code == 404


def test_what_is_being_recognised(client, site):
    lattices = site.archive.folder / "recognised"
    lattices.mkdir()
    line = {"print": "p", "size": 1, "time": 1, "file": "f", "samples": "s"}
    lines = [{"recording": name, **line} for name in ("next", "shut")]
    (lattices / "recognised.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with telling_progress(lattices, lambda done, total: None) as report:
        report(12.0, 60.0)
        about = client.get(f"{API}/archive").json()
        assert client.get(f"{API}/recordings/railway").json()["recognition"] == "ready"
        assert about["recognising"] == {"done_seconds": 12.0, "total_seconds": 60.0, "files": ["next"]}
    assert client.get(f"{API}/archive").json()["recognising"] is None
    said = {"machine": os.uname().nodename, "process": 2**22 + 1, "time": time.time(), "done": 1.0, "total": 2.0}
    (lattices / FILE).write_text(json.dumps(said))  # of a process that is no more
    assert client.get(f"{API}/archive").json()["recognising"] is None
    (lattices / FILE).write_text("{")
    assert client.get(f"{API}/archive").json()["recognising"] is None


def test_progress_of_recordings_that_are_added(tmp_path):
    """PocketSphinx hears recordings of the bundled sample in another process, while the server tells how far it is."""
    pytest.importorskip("pocketsphinx", reason="needs the package pocketsphinx")
    folder, audio = Archive.create(tmp_path / "a").folder, tmp_path / "audio"
    audio.mkdir()
    with spoken_sample() as sample:
        for number in range(1, 9):
            shutil.copy(sample / "audio" / f"tape-{number:02d}.ogg", audio)
    command = [sys.executable, "-m", "rankine", "spoken", "add", str(folder), str(audio), "--workers", "1",
               "--recogniser", "pocketsphinx"]  # fmt: skip
    client, told, files = Site(folder).client(), [], set()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        watchdog = threading.Timer(300.0, process.kill)
        watchdog.start()
        while process.poll() is None:
            progress = client.get(f"{API}/archive").json()["recognising"]
            if progress is not None:
                told.append((progress["done_seconds"], progress["total_seconds"]))
                files |= set(progress["files"])
            time.sleep(0.1)
        watchdog.cancel()
        assert process.returncode == 0, process.stderr.read()
    assert told
    assert told == sorted(told)  # it rises
    assert len({done for done, _ in told}) > 1
    assert len({total for _, total in told}) == 1
    assert told[-1][0] <= told[-1][1]
    assert files
    assert files <= {f"tape-{number:02d}" for number in range(1, 9)}
    about = client.get(f"{API}/archive").json()
    assert (about["recognising"], about["recordings"]) == (None, 8)
