"""Recordings of an archive: recognised, indexed, and deleted for good."""

import json
import re
from dataclasses import dataclass

import numpy as np
import pytest

import rankine as rk
from rankine.spoken import Archive
from rankine.spoken.archive import create_or_open
from rankine.spoken.index.about import About
from rankine.spoken.lattice.formats.lattices.ctm import one_best
from rankine.spoken.recordings.recordings import FOLDER
from rankine.spoken.search.hits import locate
from rankine.system.files import locked

from ..recognise.cases import Echo, write

soundfile = pytest.importorskip("soundfile")
pytestmark = pytest.mark.usefixtures("resting")


@dataclass(frozen=True)
class Loudness:
    """A recogniser that hears how loud a recording is."""

    rate: int = 16000
    ending: str = ".nbest"

    def __call__(self, samples):
        return f"-1.0 loud{int(np.abs(samples).max()) // 1000}\n".encode()


def record(path, loudness):
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, np.full(8000, loudness / 32.768), 16000)


@pytest.fixture
def audio(tmp_path):
    for i, name in enumerate(("a", "b", "deep/c"), 1):
        record(tmp_path / "audio" / f"{name}.wav", i)
    return tmp_path / "audio"


def add(archive, *sources, **options):
    added = archive.recordings.add(sources, [Loudness()], **options)
    assert added.errors == []
    return added


@pytest.fixture
def archive(tmp_path, audio):
    opened = create_or_open(tmp_path / "archive", "en")
    added = opened.recordings.add(audio, recognisers=[Loudness()])
    assert (added.recognised.done, added.changes.added, added.errors) == (3, 3, [])
    return opened


def test_recordings_are_found(archive, audio):
    assert sorted(archive.recordings.names) == ["a", "b", "deep/c"]
    assert archive.search("loud2")[0].recording == "b"
    assert archive.search("loud2")[0].audio == str((audio / "b.wav").resolve())
    again = add(archive, audio)
    assert (again.recognised.done, again.recognised.before) == (0, 3)
    assert again.changes[:3] == (0, 0, 3)


@pytest.mark.parametrize("how", ["the folder", "another folder", "without the audio file"])
def test_a_deleted_recording_stays_deleted(archive, audio, tmp_path, how):
    archive.recordings.delete(["b"])
    assert list((tmp_path / "archive" / FOLDER).glob("b*"))  # in the bin
    archive.recordings.purge(days=0)
    assert not list((tmp_path / "archive" / FOLDER).glob("b*"))
    if how == "another folder":
        record(tmp_path / "more" / "d.wav", 4)
        add(archive, tmp_path / "more")
        assert sorted(archive.recordings.names) == ["a", "d", "deep/c"]
        return
    if how == "without the audio file":
        (audio / "b.wav").unlink()
    for _ in range(2):
        added = add(archive, audio)
        assert added.recognised.done == 0
        assert sorted(archive.recordings.names) == sorted(Archive(archive.folder).recordings.names) == ["a", "deep/c"]
        left_out = [note for note in added.recognised.notes if "left out: 1 recording, such as" in note]
        assert len(left_out) == (how == "the folder")


def test_a_deleted_recording_can_be_added_again(archive, audio):
    archive.recordings.delete(["b", "deep/c"])
    back = add(archive, audio / "b.wav")
    assert (back.recognised.done, back.recognised.before) == (0, 1)  # its lattices were in the bin
    assert sorted(archive.recordings.names) == ["a", "b"]
    archive.recordings.purge(days=0)
    add(archive, audio)
    assert sorted(archive.recordings.names) == ["a", "b"]
    add(archive, audio / "deep" / "c.wav")
    assert len(archive) == 3


def test_nothing_is_deleted_where_a_name_is_unknown(archive, tmp_path):
    with pytest.raises(rk.InputError, match="no recording is called 'x'"):
        archive.recordings.delete(["b", "x"])
    assert list((tmp_path / "archive" / FOLDER).glob("b*"))
    with (
        locked(tmp_path / "archive" / FOLDER, "busy"),
        pytest.raises(rk.InputError, match="recognising into this folder"),
    ):
        archive.recordings.delete(["b"])
    assert sorted(Archive(archive.folder).recordings.names) == ["a", "b", "deep/c"]


def test_a_recording_that_becomes_silent_leaves_the_index_only(archive, audio):
    record(audio / "b.wav", 0)
    added = add(archive, audio)
    assert sorted(archive.recordings.names) == ["a", "deep/c"]
    assert any("no speech" in note for note in added.recognised.notes)
    assert add(archive, audio).recognised.before == 3  # it is not tried again
    record(audio / "b.wav", 5)
    add(archive, audio)
    assert archive.search("loud5")[0].recording == "b"


def test_titles_stay_until_a_table_says_otherwise(archive, audio, tmp_path):
    (tmp_path / "about.tsv").write_text("utterance\ttitle\na\tFirst\nb\tSecond\n")
    assert add(archive, audio, about=tmp_path / "about.tsv").changes.unchanged == 3  # nothing is analysed again
    titles = dict(zip(archive.recordings.names, archive.index.recording_texts["title"], strict=True))
    assert titles == {"a": "First", "b": "Second", "deep/c": ""}
    assert add(archive, audio).changes.unchanged == 3
    assert add(archive, audio, about={"b": About("b", {"title": "Other"})}).changes.unchanged == 3
    assert archive.search("loud1")[0].title == "First"
    assert archive.search("loud2")[0].title == "Other"


def test_the_language_of_new_recordings_is_noted(archive, audio, tmp_path):
    record(tmp_path / "more" / "d.wav", 4)
    add(archive, tmp_path / "more", language="en")
    assert archive.metadata.get("d") == {"language": "en"}
    assert archive.metadata.get("a") == {}


def test_a_recogniser_of_another_language_is_refused(archive, audio):
    with pytest.raises(rk.InputError, match="PocketSphinx understands en here, and the recordings are in 'zh'"):
        archive.recordings.add(audio, ["pocketsphinx"], language="zh")


def test_progress_names_the_stage(archive, audio, tmp_path):
    record(tmp_path / "more" / "d.wav", 4)
    calls = []
    add(archive, tmp_path / "more", progress=lambda *call: calls.append(call))
    assert ("recognising", 0.5, 0.5) in calls
    assert calls[-1] == ("indexing", 1, 1)
    stages = [stage for stage, _, _ in calls]
    assert stages == sorted(stages, reverse=True)  # one after the other


def test_recognisers_are_a_list(archive, audio):
    for recognisers, message in (
        ([Loudness(), Loudness()], "hearings must have different names, such as .*; got: loudness, loudness"),
        ([], "recognisers must be a list of recognisers"),
        ("pocketsphinx", "recognisers must be a list of recognisers"),
        (["pocketsphynx"], r"unknown recogniser 'pocketsphynx'\. Did you mean 'pocketsphinx'"),
    ):
        with pytest.raises(rk.InputError, match=message):
            archive.recordings.add(audio, recognisers)


def add_long(tmp_path, folder, **options):
    """Add recordings, cut into segments of two seconds; the archive, reopened, and what was added."""
    archive = create_or_open(tmp_path / "archive", "en")
    added = archive.recordings.add(folder, [Echo()], longest=2.0, **options)
    return Archive(archive.folder), added


def test_an_edited_recording_is_updated_whatever_its_length(tmp_path):
    audio = tmp_path / "audio"
    for length in (16000 * 9, 16000 * 5, 16000, 16000 * 7):
        write(audio / "a.wav", length, seed=length)
        archive, added = add_long(tmp_path, audio)
        assert added.errors == []
        assert archive.recordings.names == ["a"]
    soundfile.write(audio / "b.wav", np.ones(16000), 16000)
    archive, _ = add_long(tmp_path, audio)
    assert sorted(archive.recordings.names) == ["a", "b"]
    soundfile.write(audio / "b.wav", np.zeros(16000), 16000)
    assert add_long(tmp_path, audio)[0].recordings.names == ["a"]


def test_a_recording_that_was_only_begun_is_not_indexed(tmp_path):
    """A run that was stopped leaves segments; another one must not take them for recordings."""
    write(tmp_path / "one" / "long.wav", 16000 * 9)
    write(tmp_path / "two" / "b.wav", 8000)

    def stop(stage, done, total):
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        add_long(tmp_path, tmp_path / "one", progress=stop)
    assert list((tmp_path / "archive" / FOLDER).glob("long@*"))
    archive, added = add_long(tmp_path, tmp_path / "two")
    assert archive.recordings.names == ["b"]
    assert added.errors == []
    assert sorted(add_long(tmp_path, tmp_path / "one")[0].recordings.names) == ["b", "long"]


def test_a_recording_that_breaks_off_is_an_error_and_leaves_nothing(tmp_path):
    write(tmp_path / "audio" / "cut.flac", 16000 * 20)
    whole = (tmp_path / "audio" / "cut.flac").read_bytes()
    (tmp_path / "audio" / "cut.flac").write_bytes(whole[: len(whole) * 2 // 3])
    write(tmp_path / "audio" / "good.wav", 8000)
    archive, added = add_long(tmp_path, tmp_path / "audio")
    assert archive.recordings.names == ["good"]
    assert len(added.errors) == 1
    assert "cut.flac: cannot be read to its end" in added.errors[0]
    assert not list((tmp_path / "archive" / FOLDER).glob("cut*"))


@pytest.mark.parametrize("file", ["../../victim.txt", "VICTIM", "../archive/lock"])
def test_a_journal_that_names_other_files_deletes_nothing(archive, tmp_path, file):
    victim = tmp_path / "victim.txt"
    victim.write_text("mine")
    journal = tmp_path / "archive" / FOLDER / "recognised.jsonl"
    content = {"size": 1, "time": 1, "file": "f", "samples": "s"}
    segments = [{"file": file.replace("VICTIM", str(victim)), "start": 0}]
    entry = {"recording": "b", "print": "", "segments": segments, **content}
    journal.write_text(journal.read_text() + json.dumps(entry) + "\n")
    before = sorted((tmp_path / "archive").rglob("*"))
    for change in (
        archive.recordings.delete,
        lambda names: add(archive, tmp_path / "audio"),
        lambda names: archive.check(),
    ):
        with pytest.raises(rk.InputError, match=r"recognised\.jsonl, line 7: a stored name must stay in its folder"):
            change(["b"])
    assert victim.read_text() == "mine"
    assert sorted((tmp_path / "archive").rglob("*")) == before
    assert sorted(Archive(archive.folder).recordings.names) == ["a", "b", "deep/c"]


def test_a_deletion_that_cannot_be_committed_removes_no_lattices(archive, tmp_path):
    part = next((tmp_path / "archive").glob("*.part"))
    data = bytearray(part.read_bytes())
    data[20_000 % len(data) // 2] ^= 1
    part.write_bytes(data)
    lattices = sorted((tmp_path / "archive" / FOLDER).glob("*"))
    with pytest.raises(rk.InputError, match="damaged"):
        Archive(archive.folder).recordings.delete(["b"])
    assert sorted((tmp_path / "archive" / FOLDER).glob("*")) == lattices


def test_adding_recordings_lets_them_be_heard(archive, audio):
    assert locate(archive.index, "b@0.1").audio == audio / "b.wav"


def test_a_link_among_the_lattices_is_not_read(archive, audio, tmp_path, victims):
    (tmp_path / "archive" / FOLDER / "x.nbest").symlink_to(victims.folder / "victim.txt")
    with pytest.raises(rk.InputError, match=r"x\.nbest: expected a file, and this is a link"):
        add(archive, audio)


def test_a_transcript_does_not_replace_a_recording(archive, tmp_path):
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "a.ctm").write_text("a 1 0 1 paper\n")
    (texts / "d.ctm").write_text("d 1 0 1 paper\n")
    for added, unchanged in ((1, 0), (0, 1)):
        changes = archive.lattices.index(texts, {"a": About("a", audio="other.wav"), "d": About("d")})
        assert changes[:4] == (added, 0, unchanged, 0)
        (error,) = changes.errors
        assert re.search(r"'a' is recognised from .*audio/a.wav and was not replaced by .*a\.ctm; rename", error)
        assert [hit.recording for hit in archive.search("paper")] == ["d"]
        assert archive.search("loud1")[0].audio.endswith("a.wav")
    changes = archive.lattices.index(texts, remove_missing=True)
    assert (changes.removed, set(archive.recordings.names)) == (2, {"a", "d"})
    with pytest.raises(rk.InputError, match=r"'a' is recognised from .*a\.wav: delete it first"):
        archive.lattices.add([("a", one_best([("paper", 0.0, 1.0, 0.9)]))])
    archive.recordings.delete(["a"])
    assert archive.lattices.index(texts).errors == []
    assert {hit.recording for hit in archive.search("paper")} == {"a", "d"}


def test_a_recording_does_not_take_the_name_of_a_transcript(archive, audio):
    archive.lattices.add([("e", one_best([("paper", 0.0, 1.0, 0.9)]))])
    archive.recordings.delete(["b"])
    archive.lattices.add([("b", one_best([("press", 0.0, 1.0, 0.9)]))])
    record(audio / "e.wav", 7)
    for done in (1, 0):
        assert add(archive, audio, audio / "b.wav").recognised.done == done
        assert set(archive.recordings.names) == {"a", "b", "b.wav", "deep/c", "e", "e.wav"}
        heard = {text: archive.search(text)[0].recording for text in ("paper", "press", "loud7", "loud2")}
        assert heard == {"paper": "e", "press": "b", "loud7": "e.wav", "loud2": "b.wav"}
