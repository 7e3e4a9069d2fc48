"""An archive learns where its recordings are now."""

import shutil

import numpy as np
import pytest

from rankine.spoken import Archive
from rankine.spoken.archive.hits import locate
from rankine.spoken.archive.opening import create_or_open
from rankine.spoken.index.about import About
from rankine.spoken.lattice.formats import one_best, write_slf

from ..recognise.cases import Echo, write

soundfile = pytest.importorskip("soundfile")


@pytest.fixture
def moved(tmp_path):
    """An archive and its recordings, both moved to another place."""
    for i, name in enumerate(("a", "deep/b")):
        write(tmp_path / "old" / "audio" / f"{name}.wav", 8000, seed=i)
    archive = create_or_open(tmp_path / "old" / "archive", "en")
    assert archive.add_recordings(tmp_path / "old" / "audio", [Echo()]).errors == []
    shutil.move(tmp_path / "old", tmp_path / "new")
    return Archive(tmp_path / "new" / "archive"), tmp_path / "new" / "audio"


def test_recordings_are_played_from_the_new_place(moved):
    archive, audio = moved
    result = archive.relocate(audio)
    assert (result.total, len(result.paths), result.missing) == (2, 2, [])
    assert locate(archive.index, "deep/b@0.0-0.5").audio == (audio / "deep" / "b.wav").resolve()
    again = archive.add_recordings(audio, [Echo()])
    assert (again.recognised.before, again.recognised.done, again.changes.unchanged) == (2, 0, 2)


def test_another_sound_is_not_the_recording(moved):
    archive, audio = moved
    soundfile.write(audio / "a.wav", np.ones(9000), 16000)
    (audio / "deep" / "b.wav").unlink()
    result = archive.relocate(audio)
    assert result.paths == {}
    assert any("sounds otherwise" in line for line in result.missing)
    assert any("is not there" in line for line in result.missing)
    with pytest.raises(FileNotFoundError):
        archive.relocate(audio / "nowhere")


def test_recordings_of_lattices_from_elsewhere(tmp_path):
    archive = create_or_open(tmp_path / "archive", "en")
    (tmp_path / "u.slf").write_bytes(write_slf(one_best([("word", 0.0, 1.0, 0.9)])))
    archive.add(tmp_path / "u.slf", {"u": About("talk", audio="/somewhere/else/talk.wav")})
    write(tmp_path / "here" / "talk.wav", 16000)
    assert len(archive.relocate(tmp_path / "here").paths) == 1
    assert archive.search("word")[0].audio == str((tmp_path / "here" / "talk.wav").resolve())
