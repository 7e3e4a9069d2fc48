"""Deleted recordings wait in the bin, and come back as they were."""

import faulthandler
import os
from datetime import UTC, datetime, timedelta

import pytest

import rankine as rk
from rankine.spoken.archive import Archive, create_or_open
from rankine.spoken.recordings import bin as bin_module

from ..cases import answers, filled, lattice, state
from ..recognise.cases import Echo, write


@pytest.fixture
def archive(tmp_path):
    made = filled(tmp_path / "a", ["one", "two", "three"])
    made.lattices.add([("four", lattice(9))])
    return made


def test_recordings_come_back_as_they_were(archive):
    before, prints = answers(archive), state(archive.folder)
    book = archive.judgments.store
    book.add(book.query("w0"), "two", 1.0)
    archive.recordings.delete(["two", "four"])
    assert sorted(archive.recordings.names) == ["one", "three"]
    assert {d.name for d in archive.recordings.deleted} == {"two", "four"}
    assert archive.judgments.all().qrels == {"1": {"two": 1.0}}  # kept
    archive.check()
    archive.recordings.undelete(["two"])
    assert [d.name for d in archive.recordings.deleted] == ["four"]
    archive.recordings.undelete(["four"])
    assert answers(archive) == before
    assert state(archive.folder) == prints
    assert archive.recordings.deleted == []
    assert not list((archive.folder / "bin").glob("*.part"))


def test_a_name_that_is_not_in_the_bin(archive):
    archive.recordings.delete(["two"])
    with pytest.raises(rk.InputError, match=r"no recording in the bin is called 'tow'\. Did you mean 'two'"):
        archive.recordings.undelete(["tow"])
    with pytest.raises(rk.InputError, match="'one' is in the archive"):
        archive.recordings.undelete(["one"])
    archive.lattices.add([("two", lattice(5))])  # another one under the name
    assert archive.recordings.deleted == []
    with pytest.raises(rk.InputError, match="'two' is in the archive"):
        archive.recordings.undelete(["two"])


def test_the_one_that_was_deleted_last_comes_back(archive):
    archive.recordings.delete(["two"])
    archive.lattices.add([("two", lattice(5))])
    want = state(archive.folder)["two"]
    archive.recordings.delete(["two"])
    archive.recordings.undelete(["two"])
    assert state(archive.folder)["two"] == want


def test_purging(archive, monkeypatch):
    archive.recordings.delete(["two"])
    assert archive.recordings.purge() == []
    later = datetime.now(UTC) + timedelta(days=31)

    class Later(datetime):
        @classmethod
        def now(cls, zone=None):
            return later

    monkeypatch.setattr(bin_module, "datetime", Later)
    assert archive.recordings.purge() == ["two"]
    assert archive.recordings.deleted == []
    with pytest.raises(rk.InputError, match="no recording in the bin"):
        archive.recordings.undelete(["two"])


def test_killed_between_the_bin_and_the_index(archive, monkeypatch):
    """The list of the bin is written first: a recording that is in both is not deleted."""
    monkeypatch.setattr("rankine.spoken.index.storage.Writer.commit", lambda *a: os.abort())
    child = os.fork()
    if child == 0:
        faulthandler.disable()  # it would print where the child was
        archive.recordings.delete(["two"])
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0
    monkeypatch.undo()
    opened = Archive(archive.folder)
    assert sorted(opened.recordings.names) == ["four", "one", "three", "two"]
    assert opened.recordings.deleted == []
    opened.recordings.delete(["two"])
    opened.recordings.undelete(["two"])
    opened.check()


def test_a_list_that_someone_else_has_changed(archive):
    archive.recordings.delete(["two"])
    path = archive.folder / "bin" / "bin.json"
    path.write_bytes(path.read_bytes().replace(b".part", b"/../x"))
    with pytest.raises(rk.InputError, match=r"bin\.json"):
        archive.recordings.undelete(["two"])


def test_a_transcript_does_not_get_the_sound_of_a_deleted_recording_of_its_name(tmp_path):
    pytest.importorskip("soundfile")
    write(tmp_path / "audio" / "talk.wav", 8000)
    archive = create_or_open(tmp_path / "archive", "en")
    assert archive.recordings.add(tmp_path / "audio", [Echo()]).errors == []
    assert archive.search("heard")[0].audio
    archive.recordings.delete(["talk"])
    archive.lattices.add([("talk", lattice(3))])
    audio = archive.search("w1")[0].audio
    archive.recordings.delete(["talk"])
    archive.recordings.undelete(["talk"])  # the transcript, which was deleted last
    assert archive.search("w1")[0].audio == audio
    archive.recordings.relocate(tmp_path / "audio")
    assert archive.search("w1")[0].audio == audio
