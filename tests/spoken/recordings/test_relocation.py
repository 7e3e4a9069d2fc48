"""An archive learns where its recordings are now."""

import shutil

import numpy as np
import pytest

from rankine.spoken import Archive
from rankine.spoken.archive import create_or_open
from rankine.spoken.index import schema
from rankine.spoken.index.about import About
from rankine.spoken.lattice.formats import one_best, write_slf
from rankine.spoken.recordings.roots import RecordingRoots
from rankine.spoken.search.hits import locate

from ..recognise.cases import Echo, tag, write

soundfile = pytest.importorskip("soundfile")


@pytest.fixture
def moved(tmp_path):
    """An archive and its recordings, both moved to another place."""
    for i, name in enumerate(("a", "deep/b")):
        write(tmp_path / "old" / "audio" / f"{name}.wav", 8000, seed=i)
    archive = create_or_open(tmp_path / "old" / "archive", "en")
    assert archive.recordings.add(tmp_path / "old" / "audio", [Echo()]).errors == []
    shutil.move(tmp_path / "old", tmp_path / "new")
    return Archive(tmp_path / "new" / "archive"), tmp_path / "new" / "audio"


def test_recordings_are_played_from_the_new_place(moved):
    archive, audio = moved
    result = archive.recordings.relocate(audio)
    assert (result.total, len(result.paths), result.missing) == (2, 2, [])
    assert locate(archive.index, "deep/b@0.0-0.5").audio == (audio / "deep" / "b.wav").resolve()
    again = archive.recordings.add(audio, [Echo()])
    assert (again.recognised.before, again.recognised.done, again.changes.unchanged) == (2, 0, 2)


def test_another_sound_is_not_the_recording(moved):
    archive, audio = moved
    soundfile.write(audio / "a.wav", np.ones(9000), 16000)
    (audio / "deep" / "b.wav").unlink()
    result = archive.recordings.relocate(audio)
    assert result.paths == {}
    assert any("sounds otherwise" in line for line in result.missing)
    assert any("is not below" in line for line in result.missing)
    assert not any("--recordings" in line for line in result.missing)
    with pytest.raises(FileNotFoundError):
        archive.recordings.relocate(audio / "nowhere")


def test_recordings_of_lattices_from_elsewhere(tmp_path):
    archive = create_or_open(tmp_path / "archive", "en")
    (tmp_path / "u.slf").write_bytes(write_slf(one_best([("word", 0.0, 1.0, 0.9)])))
    archive.lattices.index(tmp_path / "u.slf", {"u": About("talk", audio="/somewhere/else/talk.wav")})
    write(tmp_path / "here" / "talk.wav", 16000)
    assert len(archive.recordings.relocate(tmp_path / "here").paths) == 1
    assert archive.search("word")[0].audio == str((tmp_path / "here" / "talk.wav").resolve())


def audio_of(archive, name):
    """The audio file of a recording, in full."""
    part, number = archive.index.place_of(name)
    roots = RecordingRoots(archive.folder, archive.index.manifest)
    return roots.named.full(part.texts(schema.AUDIO)[part.utterances(number)[0]])


def test_two_recordings_whose_paths_end_alike(tmp_path):
    """Only the one whose sound it is gets the file; the other is not found."""
    for i, name in enumerate(("one/a", "two/a")):
        write(tmp_path / "old" / f"{name}.wav", 8000, seed=i)
    archive = create_or_open(tmp_path / "archive", "en")
    archive.recordings.add(tmp_path / "old", [Echo()])
    (tmp_path / "new").mkdir()
    (tmp_path / "old" / "two" / "a.wav").rename(tmp_path / "new" / "a.wav")
    shutil.rmtree(tmp_path / "old")
    result = archive.recordings.relocate(tmp_path / "new")
    assert result.paths == {"two/a": str((tmp_path / "new" / "a.wav").resolve())}
    assert [line.split(":")[0] for line in result.missing] == ["one/a"]
    assert audio_of(archive, "two/a") == str((tmp_path / "new" / "a.wav").resolve())
    assert audio_of(archive, "one/a") != audio_of(archive, "two/a")


def test_renamed_recordings_are_found_by_their_sound(moved):
    archive, audio = moved
    (audio / "a.wav").rename(audio / "interview.wav")  # the same bytes
    tag(audio / "deep" / "b.wav", "On printing")  # other bytes, the same sound
    (audio / "deep" / "b.wav").rename(audio / "tape.wav")
    write(audio / "new.wav", 8000, seed=9)
    (audio / "broken.wav").write_bytes(b"no sound")
    reports = []
    result = archive.recordings.relocate(audio, lambda *report: reports.append(report))
    assert result.missing == []
    assert result.paths == {
        "a": str((audio / "interview.wav").resolve()),
        "deep/b": str((audio / "tape.wav").resolve()),
    }
    assert audio_of(archive, "deep/b") == str((audio / "tape.wav").resolve())
    done, totals = zip(*reports, strict=True)
    assert done == tuple(range(1, totals[-1] + 1))


def test_a_file_of_one_recording_is_not_given_to_another(moved):
    archive, audio = moved
    (audio / "a.wav").unlink()
    result = archive.recordings.relocate(audio)
    assert list(result.paths) == ["deep/b"]
    assert "no other file there has its sound" in result.missing[0]


def test_a_root_is_where_most_of_its_recordings_are(moved):
    """What is not found is looked for there: an edited recording stays the same recording."""
    archive, audio = moved
    write(audio / "c.wav", 8000, seed=7)
    archive.recordings.add(audio, [Echo()])
    shutil.move(audio, audio.parent / "elsewhere")
    soundfile.write(audio.parent / "elsewhere" / "a.wav", np.ones(9000) / 2, 16000)
    assert len(archive.recordings.relocate(audio.parent).paths) == 2  # the folder above it will do
    again = archive.recordings.add(audio.parent / "elsewhere", [Echo()])
    assert (again.recognised.done, again.recognised.before, again.changes.updated) == (1, 2, 1)
    assert sorted(archive.recordings.names) == ["a", "c", "deep/b"]


def test_a_few_recordings_that_moved_take_no_root_with_them(moved):
    archive, audio = moved
    for name in ("c", "d"):
        write(audio / f"{name}.wav", 8000, seed=ord(name))
    archive.recordings.add(audio, [Echo()])
    (audio.parent / "few").mkdir()
    (audio / "c.wav").rename(audio.parent / "few" / "c.wav")
    assert list(archive.recordings.relocate(audio.parent / "few").paths) == ["c"]
    assert audio_of(archive, "c") == str((audio.parent / "few" / "c.wav").resolve())
    assert audio_of(archive, "d") == str((audio / "d.wav").resolve())
    again = archive.recordings.add([audio, audio.parent / "few"], [Echo()])
    assert (again.errors, again.recognised.done, again.recognised.before) == ([], 0, 4)


def test_a_file_of_the_same_name_and_size_is_read(moved):
    archive, audio = moved
    size = (audio / "a.wav").stat().st_size
    write(audio / "a.wav", 8000, seed=9)
    assert (audio / "a.wav").stat().st_size == size
    told = []
    result = archive.recordings.relocate(audio, report=lambda *some: told.append(some))
    assert list(result.paths) == ["deep/b"]
    assert any("sounds otherwise" in line for line in result.missing)
    assert [done for done, _ in told] == list(range(1, len(told) + 1))
    assert told[-1][0] <= told[-1][1]
