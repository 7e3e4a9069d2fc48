"""The commands about and list."""

import json

import pytest

from rankine.spoken.archive import Archive
from rankine.spoken.lattice.formats import one_best
from rankine.spoken.metadata.fields import TABLE

from ..running import rankine


@pytest.fixture
def place(tmp_path):
    """A folder with an archive of three recordings."""
    archive = Archive.create(tmp_path / "arch")
    archive.lattices.add(
        [(name, one_best([(w, i, i + 1.0, 0.9) for i, w in enumerate(text.split())])) for name, text in (
            ("tape1", "spoken words remain"), ("tape2", "written words fade"), ("tape3", "words"),
        )]
    )  # fmt: skip
    return tmp_path


def about(place, *arguments, **options):
    return rankine(place, "spoken", "about", "arch", *arguments, **options)


def cells(place, name):
    return dict(line.split("\t")[1:] for line in about(place, name).stdout.splitlines()[1:])


def test_setting_and_undoing(place):
    done = about(place, "tape1", "tape2.wav", "--set", "title=On = printing", "--set", "date=17.5.2023", "--by", "eve")
    assert "4 cells of 2 recordings changed; --undo 1 takes it back" in done.stderr
    assert cells(place, "tape2") == {"title": "On = printing", "date": "2023-05-17"}
    about(place, "tape1", "--clear", "title", "--set", "Tape no=7")
    assert cells(place, "tape1") == {"date": "2023-05-17", "tape-no": "7"}
    lines = about(place, "--history").stdout.splitlines()
    assert lines[0].split("\t") == ["change", "time", "by", "what", "cells", ""]
    assert lines[1].split("\t")[2:] == ["eve", "set title, date", "4", ""]
    assert lines[2].split("\t")[3] == "set tape-no; clear title"
    assert "undone: 2, set tape-no; clear title (2 cells)" in about(place, "--undo").stderr
    assert "undone: 1" in about(place, "--undo", "--by", "eve").stderr
    assert "there is no change of metadata to undo" in about(place, "--undo", code=1).stderr
    assert "undone: 3, undo 2" in about(place, "--undo", "3").stderr
    assert cells(place, "tape1") == {"tape-no": "7"}
    assert "nothing is said about it" in about(place, "tape3").stderr
    assert about(place, "tape1", "--set", "tape no=7").stderr == "nothing to change: it is said already\n"


def test_tables(place):
    (place / "t.csv").write_bytes(
        "file;Title;dc:creator\ntape1.wav;Über;Ann\ntape9.wav;x;\ntape2;;Bob\n".encode("cp1252")
    )
    done = about(place, "--import", "t.csv", "--dry-run", code=1)
    assert done.stdout.splitlines()[1:] == [
        "tape1\ttitle\t\tÜber", "tape1\tspeakers\t\tAnn", "tape2\tspeakers\t\tBob",
    ]  # fmt: skip
    assert "3 cells of 2 recordings would change; nothing was changed" in done.stderr
    assert cells(place, "tape1") == {}
    done = about(place, "--import", "t.csv", code=1)
    assert "rankine: t.csv: read as cp1252" in done.stderr
    assert "rankine: skipped: t.csv, line 3: no recording is called 'tape9.wav'. Did you mean" in done.stderr
    assert "1 of 3 rows could not be used" in done.stderr
    assert cells(place, "tape1") == {"title": "Über", "speakers": "Ann"}
    about(place, "--export", "out.json")
    assert json.loads((place / "out.json").read_text())[1] == {"recording": "tape2", "speakers": "Bob"}
    assert "nothing to change" in about(place, "--import", "out.json").stderr
    (place / "t.csv").write_text("name,speakers\ntape1,\n")
    about(place, "--import", "t.csv", "--clear", "speakers")
    assert cells(place, "tape1") == {"title": "Über"}


def test_the_fields_of_an_archive(place):
    about(place, "tape1", "--set", "title=x", "--set", "place=York")
    lines = about(place).stdout.splitlines()
    assert [line.split("\t")[0] for line in lines[1:]] == [*TABLE, "place"]
    assert lines[1].startswith("title\t1\t")
    assert lines[-1] == "place\t1\ta field of your own"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "title=x"], "expected the recordings to change, behind the archive; got none"),
        (["tape1", "--set", "title"], "expected --set FIELD=VALUE, such as title=Lecture; got 'title'"),
        (["tape1", "--set", "title="], "title: expected a value, got none; clear empties a field (--clear title)"),
        (["tape1", "--set", "a=1", "--set", "a=2"], "--set gives a twice"),
        (["tape1", "--set", "title=x", "--clear", "title"], "the field 'title' is both set and cleared"),
        (["tape1", "--set", "length=3"], "'length' is no field that can be set"),
        (["tape1", "--clear", "tile"], "unknown field 'tile'. Did you mean 'title'?"),
        (["tap1"], "no recording is called 'tap1'. Did you mean 'tape1'?"),
        (["--undo", "--history"], "--undo and --history cannot be used together"),
        (["tape1", "--undo"], "--undo is about the whole archive: leave out 'tape1'"),
        (["--undo", "9"], "no change has number 9; the last ones are none"),
        (["--export", "x.xlsx"], "expected a file that ends in .csv, .tsv, .json"),
        (["tape1", "--set", "date=5/11/2023"], "date: '5/11/2023' means 2023-05-11 or 2023-11-05"),
        (["--import", "none.csv"], "none.csv: "),
    ],
)
def test_mistakes(place, arguments, message):
    assert message in about(place, *arguments, code=1).stderr


def test_list(place):
    about(place, "tape1", "--set", "title=B", "--set", "date=2021")
    about(place, "tape3", "--set", "title=A", "--set", "notes=one\ntwo", "--set", "speakers=Ann; Bob")
    done = rankine(place, "spoken", "list", "arch", "--sort", "title")
    assert done.stdout.splitlines() == [
        "recording\ttitle\tdate\tspeakers\tlength\tsegments",
        "tape3\tA\t\tAnn; Bob\t0:01.0\t1", "tape1\tB\t2021\t\t0:03.0\t1", "tape2\t\t\t\t0:03.0\t1",
    ]  # fmt: skip
    done = rankine(place, "spoken", "list", "arch", "--where", "speaker:bob", "--format", "json")
    assert json.loads(done.stdout) == [
        {"recording": "tape3", "title": "A", "date": "", "speakers": "Ann; Bob", "length": 1.0, "segments": 1}
    ]
    done = rankine(place, "spoken", "list", "arch", "--fields", "recording, notes", "--format", "tsv", "--reverse")
    assert done.stdout == 'recording\tnotes\ntape3\t"one\ntwo"\ntape2\t\ntape1\t\n'
    (place / "list.tsv").write_text(done.stdout)
    assert "nothing to change" in about(place, "--import", "list.tsv").stderr
    assert "unknown field 'titl'" in rankine(place, "spoken", "list", "arch", "--sort", "titl", code=1).stderr
    assert "expected a field" in rankine(place, "spoken", "list", "arch", "--where", "ann", code=1).stderr


def test_rights_on_the_command_line(place):
    about(place, "tape1", "--set", "rights=closed")
    about(place, "tape3", "--set", "rights=on request")
    done = rankine(place, "spoken", "search", "arch", "words")
    assert "tape1" not in done.stdout
    assert "tape3" not in done.stdout
    assert "2 recordings are not open and left out" in done.stderr
    done = rankine(place, "spoken", "search", "arch", "words", "--closed")
    assert "tape1" in done.stdout
    assert "closed" not in done.stderr
    for command in (["subtitles", "arch", "tape1"], ["play", "arch", "tape1@0-1"]):
        assert "'tape1' is closed: --closed opens it" in rankine(place, "spoken", *command, code=1).stderr
    assert rankine(place, "spoken", "subtitles", "arch", "tape1", "--closed").stdout.startswith("WEBVTT")


def test_help_teaches(place):
    text = rankine(place, "spoken", "about", "--help", env={"COLUMNS": "200"}).stdout
    assert all(field in text for field in TABLE)
    assert "--dry-run" in text
    assert "longest first" in rankine(place, "spoken", "list", "--help", env={"COLUMNS": "200"}).stdout


def test_a_table_with_bad_cells(place):
    (place / "t.csv").write_text("name,speekers,date\ntape1,Ann,5/11/1963\n")
    done = about(place, "--import", "t.csv", code=1)
    assert "rankine: t.csv: new field 'speekers'. Did you mean 'speakers'?" in done.stderr
    assert "rankine: cell left out: t.csv, line 2: date: '5/11/1963' means" in done.stderr
    assert cells(place, "tape1") == {"speekers": "Ann"}
    (place / "t.csv").write_text("name,date\ntape1,5/11/1963\n")
    done = about(place, "--import", "t.csv", code=1)
    assert "nothing was changed" in done.stderr
    assert "it is said already" not in done.stderr
    assert "new field 'plase'" in about(place, "tape1", "--set", "plase=York").stderr


def test_turns(place):
    (place / "t.csv").write_text("recording,start,end,speaker\ntape1,0,0.5,Ann\ntape1,0:00.5,1,Bob\ntape9,0,1,Cy\n")
    done = about(place, "--import-turns", "t.csv", "--dry-run", code=1)
    assert "2 turns of 1 recording would be recorded; nothing was changed" in done.stderr
    done = about(place, "--import-turns", "t.csv", code=1)
    assert "2 turns of 1 recording recorded; --undo 1 takes it back" in done.stderr
    assert "1 of 3 rows could not be used" in done.stderr
    assert about(place, "--export-turns", "out.csv").stderr == "out.csv: 2 turns of 1 recording\n"
    assert (place / "out.csv").read_text() == "recording,start,end,speaker\ntape1,0.0,0.5,Ann\ntape1,0.5,1.0,Bob\n"
    about(place, "--undo")
    assert about(place, "--export-turns", "out.csv").stderr == "out.csv: 0 turns of 0 recordings\n"


def test_closed_recordings_are_marked(place):
    about(place, "tape1", "--set", "rights=closed")
    said = "rankine: closed or on request: 1 of 3 recordings; this is for the keeper"
    done = rankine(place, "spoken", "list", "arch")
    assert done.stdout.splitlines()[1].split("\t")[:2] == ["tape1", "closed"]
    assert said in done.stderr
    assert said in rankine(place, "spoken", "list", "arch", "--fields", "title").stderr
    assert said in about(place, "--export", "out.csv").stderr
