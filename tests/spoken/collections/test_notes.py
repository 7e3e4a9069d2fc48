"""Notes and tags on places and recordings."""

import pytest

import rankine as rk

from ..corrections.cases import archive_of


@pytest.fixture
def archive(tmp_path):
    return archive_of(tmp_path / "a", tape="one two three four", other="five six")


def texts(archive, **options):
    return [(n.key, n.place, n.text, n.who) for n in archive.notes.all(**options)]


def test_notes_are_put_changed_removed_and_undone(archive):
    first = archive.notes.add("tape@0.5-1.5", "she means\n her sister", "ann")
    archive.notes.tag("tape@0-1", "Childhood", "bob")
    archive.notes.add("other", "the whole of it", "ann")
    assert texts(archive) == [
        ("note", "tape@0.50-1.50", "she means\nher sister", "ann"), ("tag", "tape@0.00-1.00", "Childhood", "bob"),
        ("note", "other", "the whole of it", "ann"),
    ]  # fmt: skip
    assert texts(archive, label="tag", text="childhood") == [("tag", "tape@0.00-1.00", "Childhood", "bob")]
    assert texts(archive, recording="other") == [("note", "other", "the whole of it", "ann")]
    archive.notes.change(first.id, "of both sisters", "eve")
    assert texts(archive, label="note")[-1] == ("note", "tape@0.50-1.50", "of both sisters", "eve")
    with pytest.raises(rk.InputError, match=f"no note that counts has the number {first.id}"):
        archive.notes.remove(first.id)
    archive.notes.undo()
    archive.notes.remove(first.id)
    assert len(archive.notes.all()) == 2
    archive.notes.undo()
    assert len(archive.notes.all()) == 3
    assert [c.undone for c in archive.notes.history()] == [False, False, False, True, False, True, False]


def test_notes_follow_their_recording(archive):
    archive.notes.add("tape@0.5-1.5", "text")
    archive.recordings.delete(["tape"])
    (note,) = archive.notes.all()
    assert (note.recording, note.gone) == ("tape", True)
    archive.recordings.undelete(["tape"])
    assert not archive.notes.all()[0].gone


def test_bad_input(archive):
    for place, text, said in (
        ("tape@0.5-1.5", "  ", "expected the text of a note, got none"), ("tap", "x", "no recording is called 'tap'"),
        ("tape@0.5", "x", "expected RECORDING@START-END"), ("tape@0-99", "x", r"which is .* \(2.00 seconds\) long"),
        ("tape@1-1", "x", "to a later one"), ("tape", "x" * 20_000, "a text of 20,000 characters"),
        ("tape", "a\x1b[31mb", "control character"),
    ):  # fmt: skip
        with pytest.raises(rk.InputError, match=said):
            archive.notes.add(place, text)
    with pytest.raises(rk.InputError, match="a tag has one line of at most 100 characters, got 101"):
        archive.notes.tag("tape", "x" * 101)
    archive.notes.add("tape", "<b>&amp; 'text'</b>")
    assert archive.notes.all()[0].text == "<b>&amp; 'text'</b>"


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "jsonl"])
def test_export_and_import(archive, tmp_path, ending):
    archive.notes.add("tape@0.5-1.5", 'two\nlines, "quoted"', "ann")
    archive.notes.tag("other", "x")
    assert archive.notes.export(tmp_path / f"n.{ending}") == 2
    other = archive_of(tmp_path / "b", tape="one two three four", other="five six")
    read = other.notes.import_file(tmp_path / f"n.{ending}", "bob")
    assert [n[1:6] for n in other.notes.all()] == [n[1:6] for n in archive.notes.all()]
    assert (len(read.added), read.before, read.errors) == (2, 0, [])
    assert other.notes.import_file(tmp_path / f"n.{ending}").before == 2
    other.notes.undo()
    assert other.notes.all() == []


def test_rows_that_cannot_be_used(archive, tmp_path):
    (tmp_path / "n.csv").write_text("recording,start,end,text,label\ntape,1,,x,\ntape,,,x,what\ntape,,,y,tag\n")
    read = archive.notes.import_file(tmp_path / "n.csv")
    assert [n.text for n in read.added] == ["y"]
    assert [error.split(": ", 1)[1] for error in read.errors] == [
        "expected both the start and the end of a place, or neither of them",
        "expected the label note or tag, got 'what'",
    ]
