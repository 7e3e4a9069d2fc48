"""From recordings to lattices: what is done is kept, errors are reported, a run that was killed goes on."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import soundfile

from rankine.errors import InputError
from rankine.spoken.index.about import read_about
from rankine.spoken.recognise import run as r
from rankine.spoken.recognise.audio.cutting import VERSION
from rankine.spoken.recognise.journal import JOURNAL

from ...folders import ROOT
from .cases import Echo, content, write


def test_done_once_is_done(audio, tmp_path):
    out = tmp_path / "lattices"
    first = r.recognise([audio], out, Echo())
    assert (first.done, first.before, first.errors, first.notes) == (6, 0, [], [])
    assert first.seconds == pytest.approx(6 * 8002.5 / 16000)
    again = r.recognise([audio], out, Echo())
    assert (again.done, again.before) == (0, 6)
    table = read_about(out / r.TABLE)
    assert table["deep/talk1"].recording == "deep/talk1"
    assert table["deep/talk1"].audio == str((audio / "deep" / "talk1.wav").resolve())


def test_what_a_killed_process_was_writing_is_removed(audio, tmp_path):
    out = tmp_path / "lattices"
    r.recognise([audio], out, Echo())
    before = sorted(out.rglob("*"))
    for name in (".recordings.tsv.new-k6q7i5c7.tsv", "deep/.talk1.nbest.new-ab_d3fgh.nbest"):
        (out / name).write_text("half")
    own = out / ".my.new-idea"
    own.write_text("not ours")
    r.recognise([audio], out, Echo())
    assert sorted(out.rglob("*")) == sorted([*before, own])


def test_what_has_changed_is_done_again(audio, tmp_path):
    out = tmp_path / "lattices"
    r.recognise([audio], out, Echo())
    write(audio / "talk2.wav", 9000, seed=99)
    (out / "talk4.nbest").unlink()
    again = r.recognise([audio], out, Echo())
    assert again.done == 2
    assert b"heard 9000" in (out / "talk2.nbest").read_bytes()
    assert r.recognise([audio], out, Echo(wait=1e-9)).done == 6  # other settings


def test_a_moved_recording_is_known(audio, tmp_path):
    out = tmp_path / "lattices"
    r.recognise([audio], out, Echo())
    audio.rename(tmp_path / "moved")
    assert r.recognise([tmp_path / "moved"], out, Echo()).done == 0
    assert read_about(out / r.TABLE)["talk0"].audio == str(tmp_path / "moved" / "talk0.wav")


def test_processes_give_the_same(audio, tmp_path):
    r.recognise([audio], tmp_path / "one", Echo())
    r.recognise([audio], tmp_path / "two", Echo(), workers=2)
    assert content(tmp_path / "one") == content(tmp_path / "two") != {}


def test_killed_and_restarted_it_ends_with_the_same(audio, tmp_path):
    write(audio / "long.wav", 16000 * 9, seed=7)
    settings = "longest=2.0"
    r.recognise([audio], tmp_path / "whole", Echo(wait=0.05), longest=2.0)
    script = (
        "import sys; sys.path.insert(0, sys.argv[3])\n"
        "from tests.spoken.recognise.cases import Echo\nfrom rankine.spoken.recognise.run import recognise\n"
        f"recognise([sys.argv[1]], sys.argv[2], Echo(wait=0.05), {settings})\n"
    )
    out, root = tmp_path / "stopped", str(ROOT)
    for wanted in (1, 3, 6):
        process = subprocess.Popen([sys.executable, "-c", script, str(audio), str(out), root])
        until = time.monotonic() + 60
        while len(content(out)) < wanted and process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert len(content(out)) > 0
    r.recognise([audio], out, Echo(wait=0.05), longest=2.0)
    assert content(out) == content(tmp_path / "whole")
    assert sorted((out / r.TABLE).read_text().splitlines()) == sorted(
        (tmp_path / "whole" / r.TABLE).read_text().splitlines()
    )
    assert r.recognise([audio], out, Echo(wait=0.05), longest=2.0).done == 0


def test_segments_of_other_cuts_are_not_mixed(audio, tmp_path):
    """A recording that an earlier release began is begun anew; one that it finished is not heard again."""
    write(audio / "long.wav", 16000 * 9, seed=7)
    out = tmp_path / "out"
    r.recognise([audio], out, Echo(), longest=2.0)
    whole = content(out)
    lines = [json.loads(line) for line in (out / JOURNAL).read_text().splitlines()]
    last = {line["recording"]: line for line in lines}
    assert last["long"]["cuts"] == VERSION
    for line in last.values():
        line.pop("cuts")
    last["long"].pop("segments")
    (out / JOURNAL).write_text("".join(json.dumps(line) + "\n" for line in last.values()))
    for path in out.glob("long@*"):
        path.write_bytes(b"-1.0 cut otherwise\n")
    (out / "long@00099.nbest").write_bytes(b"-1.0 cut otherwise\n")
    again = r.recognise([audio], out, Echo(), longest=2.0)
    assert (again.done, again.before) == (1, 6)
    assert content(out) == whole


def test_unreadable_files_are_reported_and_skipped(audio, tmp_path):
    (audio / "bad.wav").write_bytes(b"RIFF but not really")
    (audio / "text.mp3").write_text("hello")
    first = r.recognise([audio], tmp_path / "out", Echo())
    assert first.done == 6
    assert len(first.errors) == 2
    assert "bad.wav: cannot be read as audio" in first.errors[0]
    flac = audio / "cut.flac"
    write(flac, 400_000)
    flac.write_bytes(flac.read_bytes()[:3000])
    report = r.recognise([audio], tmp_path / "out", Echo())
    assert (report.done, report.before, len(report.errors)) == (0, 6, 3)
    assert any("cut.flac: cannot be read to its end" in error for error in report.errors)


def test_empty_and_silent_recordings_are_noted(tmp_path):
    soundfile.write(tmp_path / "silent.wav", np.zeros(16000), 16000)
    soundfile.write(tmp_path / "empty.wav", np.zeros(0), 16000)
    soundfile.write(tmp_path / "long-silence.wav", np.zeros(16000 * 40), 16000)
    recognised = r.recognise([tmp_path], tmp_path / "out", Echo())
    assert recognised.done == 2
    assert len(recognised.notes) == 2
    assert "no speech was recognised" in recognised.notes[0]
    assert [error.split(": ", 1)[1] for error in recognised.errors] == [
        "there is no sound in it: it is empty or cut off"
    ]
    assert r.recognise([tmp_path], tmp_path / "out", Echo(fail="")).done == 0


def test_a_full_disk_keeps_what_is_finished(audio, tmp_path):
    out = tmp_path / "out"
    with pytest.raises(OSError, match="No space left"):
        r.recognise([audio / "talk0.wav", audio / "deep" / "talk1.wav"], out, Echo(fail="disk"))
    assert list(content(out)) == ["talk0.nbest"]
    assert "talk0\ttalk0\t" in (out / r.TABLE).read_text()


def test_a_segment_on_which_the_recogniser_fails(audio, tmp_path):
    first = r.recognise([audio], tmp_path / "out", Echo(fail="odd"))
    assert (first.done, len(first.errors), first.notes) == (3, 3, [])
    assert "RuntimeError: does not like it" in first.errors[0]
    again = r.recognise([audio], tmp_path / "out", Echo(fail="odd"))
    assert (again.done, again.before, len(again.errors)) == (0, 3, 3)  # it is tried again, and said again


def test_nothing_is_lost_by_a_wrong_model(audio, tmp_path):
    out = tmp_path / "out"
    r.recognise([audio], out, Echo())
    before = content(out)
    (tmp_path / "model").mkdir()
    with pytest.raises(InputError, match="there is no mdef"):
        r.recognise([audio], out, r.PocketSphinx(model=str(tmp_path / "model")))
    assert content(out) == before
    (tmp_path / "bad.dict").write_text("word rubbish\n")
    with pytest.raises(InputError, match="no word of the dictionary"):
        r.recognise([audio], out, r.PocketSphinx(dictionary=str(tmp_path / "bad.dict")))


def test_settings_are_attributes_not_addresses(audio, tmp_path):
    class Plain:
        rate, ending = 16000, ".nbest"

        def __call__(self, samples):
            return b"-1.0 word\n"

    assert r.recognise([audio], tmp_path / "out", Plain()).done == 6
    assert r.recognise([audio], tmp_path / "out", Plain(), longest=30).done == 0
    other = Plain()
    other.beam = 3
    assert r.recognise([audio], tmp_path / "out", other).done == 6


def test_a_recogniser_is_started_once_and_only_if_there_is_work(audio, tmp_path):
    class Started(Echo):
        def start(self):
            starts.append(True)

    starts = []
    assert r.recognise([audio], tmp_path / "out", Started()).done == 6
    assert r.recognise([audio], tmp_path / "out", Started()).done == 0
    assert len(starts) == 1


def test_a_changed_model_folder_is_another_setting(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "means").write_text("1")
    before = r.settings_of(Echo(fail=str(tmp_path / "model")))
    (tmp_path / "model" / "means").write_text("1 2")
    assert r.settings_of(Echo(fail=str(tmp_path / "model"))) != before


def test_settings_without_a_file_do_not_depend_on_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = r.settings_of(Echo(fail=""))
    (tmp_path / "new.txt").write_text("x")
    assert r.settings_of(Echo(fail="")) == before
    assert r.settings_of(Echo(fail="new.txt")) != r.settings_of(Echo(fail="old.txt"))


def test_settings_may_be_inherited():
    class Stated(Echo):
        settings = property(lambda self: "as stated")

    class Heir(Stated):
        pass

    assert r.settings_of(Heir(wait=1.0)).endswith(" as stated")
