"""Corrections in files, and what a new correction is about."""

import json

import pytest

import rankine as rk

from .cases import archive_of, reading

SAID = "we read mary wool|wolf stone|stones craft today and she wrote"
SPAN = "@1.5-3.0"


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "jsonl"])
def test_export_and_import(tmp_path, ending):
    archive = archive_of(tmp_path / "a", tape=SAID, b="one two")
    archive.corrections.add(f"tape{SPAN}", 'Wollstonecraft, "Mary"', "ann")
    archive.corrections.add("b@0.5-1", "")
    path = tmp_path / f"x.{ending}"
    assert archive.corrections.export(path) == 2
    other = archive_of(tmp_path / "other", tape=SAID, b="one two")
    read = other.corrections.import_file(path, "bob")
    assert ([c[1:8] for c in read.added], read.errors) == ([c[1:8] for c in archive.corrections.all()], [])
    assert reading(other, "tape") == reading(archive, "tape")
    again = other.corrections.import_file(path)
    assert (again.added, again.before) == ([], 2)
    other.corrections.undo()
    assert reading(other, "b") == "one two"


def test_tables_that_people_make(tmp_path):
    archive = archive_of(tmp_path / "a", tape=SAID)
    (tmp_path / "t.csv").write_text(
        "File;Start;Stop;Written\ntape.wav;0:01.5;0:03;Wollstonecraft\ntape;1;99;x\nnone;1;2;x\ntape;;;x\n"
    )
    read = archive.corrections.import_file(tmp_path / "t.csv")
    assert [c.heard for c in read.added] == ["wool stone craft"]
    assert len(read.errors) == 3
    assert "line 3: tape: expected a span in the recording" in read.errors[1]
    (tmp_path / "t.json").write_text(json.dumps([{"recording": "tape", "start": 1, "end": 2}]))
    read = archive.corrections.import_file(tmp_path / "t.json")
    assert "there is none called 'written'" in read.errors[0]
    with pytest.raises(rk.InputError, match=r"ends in \.csv"):
        archive.corrections.export(tmp_path / "x.docx")


def test_what_another_recogniser_heard_is_placed_by_the_words_of_the_file(tmp_path):
    archive = archive_of(tmp_path / "a", tape=SAID)
    archive.corrections.add(f"tape{SPAN}", "Wollstonecraft")
    archive.corrections.export(tmp_path / "x.csv")
    other = archive_of(tmp_path / "b", tape="well we read mary will stone cart today and she wrote")
    read = other.corrections.import_file(tmp_path / "x.csv")
    assert len(read.added) == 1
    assert reading(other, "tape") == "well we read mary Wollstonecraft today and she wrote"
