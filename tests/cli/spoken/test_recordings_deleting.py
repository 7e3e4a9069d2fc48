"""``rankine spoken delete``, ``undelete``, ``purge`` and ``relocate``."""

import subprocess
import sys

import pytest

from rankine.spoken.archive import Archive
from rankine.spoken.index.about import About
from rankine.spoken.lattice.formats import one_best, write_slf

from ..running import rankine


@pytest.fixture
def place(tmp_path):
    archive = Archive.create(tmp_path / "arch")
    archive.lattices.add([(name, one_best([(name, 0.0, 1.0, 0.9)])) for name in ("north", "south", "east")])
    return tmp_path


def test_deleted_and_brought_back(place):
    assert "2 left" in rankine(place, "spoken", "delete", "arch", "south", "--yes").stderr
    assert "south" in rankine(place, "spoken", "undelete", "arch").stdout
    assert "3 in all" in rankine(place, "spoken", "undelete", "arch", "south").stderr
    assert "is in the archive" in rankine(place, "spoken", "undelete", "arch", "south", code=1).stderr
    rankine(place, "spoken", "delete", "arch", "south", "--yes")
    assert "0 recordings removed" in rankine(place, "spoken", "purge", "arch", "--yes").stderr
    assert "1 recording removed" in rankine(place, "spoken", "purge", "arch", "--days", "0", "--yes").stderr
    assert "at least 0" in rankine(place, "spoken", "purge", "arch", "--days=-1", "--yes", code=1).stderr


@pytest.mark.parametrize(("answer", "left"), [("y\n", 2), ("n\n", 3), ("\n", 3), ("", 3)])
def test_it_asks(place, answer, left):
    command = [sys.executable, "-c", "from rankine.cli import program; program()", "spoken", "delete", "arch", "south"]
    done = subprocess.run(command, cwd=place, input=answer, capture_output=True, text=True, check=False)
    assert "delete 1 recording (south)? [y/N]" in done.stderr
    assert done.returncode == (left == 3)
    assert len(Archive(place / "arch")) == left


def test_relocate(place):
    (place / "here").mkdir()
    assert "0 of 0 recordings" in rankine(place, "spoken", "relocate", "arch", "here").stderr
    assert "no such folder" in rankine(place, "spoken", "relocate", "arch", "nowhere", code=1).stderr


def test_by_the_name_of_the_file(place):
    archive = Archive(place / "arch")
    (place / "west.slf").write_bytes(write_slf(one_best([("west", 0.0, 1.0, 0.9)])))
    archive.lattices.index(place / "west.slf", {"west": About("west", {}, "/tapes/west.flac")})
    said = rankine(place, "spoken", "delete", "arch", "west.wav", "--yes", code=1).stderr
    assert "'west.wav'" in said
    assert "1 recording deleted" in rankine(place, "spoken", "delete", "arch", "west.flac", "--yes").stderr
    assert "1 recording deleted" in rankine(place, "spoken", "delete", "arch", "north.mp3", "--yes").stderr
    assert Archive(place / "arch").recordings.names == ["south", "east"]
