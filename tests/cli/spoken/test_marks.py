"""The commands note, notes and collection."""

import pytest

from ...spoken.corrections.cases import archive_of
from ..running import rankine


@pytest.fixture
def place(tmp_path):
    archive_of(tmp_path / "arch", tape="one two three four", other="five six")
    return tmp_path


def run(place, command, *arguments, **options):
    return rankine(place, "spoken", command, "arch", *arguments, **options)


def test_notes(place):
    assert "tape@0.5-1.5: note 1" in run(place, "note", "tape@0.5-1.5", "of her sister", "--by", "ann").stderr
    run(place, "note", "tape", "childhood", "--tag")
    lines = run(place, "notes").stdout.splitlines()
    assert lines[1].split("\t")[:6] == ["1", "note", "tape@0.50-1.50", "0:00.5", "of her sister", "ann"]
    assert len(run(place, "notes", "--tag", "Childhood").stdout.splitlines()) == 2
    assert len(run(place, "notes", "other").stdout.splitlines()) == 1
    run(place, "notes", "--change", "1", "of both")
    run(place, "notes", "--remove", "2")
    assert len(run(place, "notes").stdout.splitlines()) == 2
    assert "undone: 4, note 2 removed" in run(place, "notes", "--undo").stderr
    assert "n.csv: 2 notes" in run(place, "notes", "--export", "n.csv").stderr
    assert "0 notes added, 2 there already" in run(place, "notes", "--import", "n.csv").stderr
    assert len(run(place, "notes", "--history").stdout.splitlines()) == 6
    assert "expected the text of a note" in run(place, "note", "tape", "", code=1).stderr


def test_collections(place):
    done = run(place, "collection", "for the talk", "tape@0-1", "other", "--text", "on numbers")
    assert "for the talk: 2 places put in, 2 in all" in done.stderr
    assert run(place, "collection").stdout.splitlines()[1] == "for the talk\t2"
    assert len(run(place, "collection", "for the talk").stdout.splitlines()) == 3
    assert "t.csv: 2 places" in run(place, "collection", "for the talk", "--export", "t.csv").stderr
    assert "2 places added" in run(place, "collection", "again", "--import", "t.csv").stderr
    run(place, "collection", "--remove", "1")
    run(place, "collection", "--undo")
    assert len(run(place, "collection", "--history").stdout.splitlines()) == 5
    for arguments, said in (
        (("nobody",), "no collection is called 'nobody'"), (("--export", "x.csv"), "expected the collection to export"),
        (("x", "tape@0-1", "--export", "y.csv"), "cannot be used together"), (("x", "--undo"), "leave out 'x'"),
    ):  # fmt: skip
        assert said in run(place, "collection", *arguments, code=1).stderr
