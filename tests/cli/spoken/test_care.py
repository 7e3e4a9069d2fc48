"""The commands that index, check and change an archive."""

from pathlib import Path

import pytest

from rankine.spoken.archive import Archive
from rankine.spoken.index.settings import LANGUAGES
from rankine.spoken.lattice.formats import one_best, write_slf
from rankine.spoken.text import ABOUT_COLUMNS

from ...spoken.lattice.formats.cases import TRANSCRIPTS
from ..running import rankine

ABOUT = "utterance\tdocument\ttitle\tspeaker\toffset\na\tA\tFirst\tann\t60\nb\tB\t\tbob\t\n"


@pytest.fixture
def place(tmp_path):
    """A folder with two lattices, and an archive of them."""
    (tmp_path / "lattices").mkdir()
    for name, text in (("a", "spoken words remain"), ("b", "written words fade")):
        words = [(w, i, i + 1.0, 0.9) for i, w in enumerate(text.split())]
        (tmp_path / "lattices" / f"{name}.slf").write_bytes(write_slf(one_best(words)))
    (tmp_path / "about.tsv").write_text(ABOUT)
    done = rankine(tmp_path, "spoken", "index", "arch", "lattices", "--about", "about.tsv")
    assert "arch: 2 documents added, 0 updated, 0 unchanged, 0 removed; 2 in all" in done.stderr
    return tmp_path


def test_indexing_again(place):
    assert "2 unchanged" in rankine(place, "spoken", "index", "arch", "lattices", "--about", "about.tsv").stderr
    (place / "lattices" / "b.slf").unlink()
    (place / "about.tsv").write_text("".join(ABOUT.splitlines(keepends=True)[:2]))
    done = rankine(place, "spoken", "index", "arch", "lattices", "--about", "about.tsv", "--remove-missing")
    assert "1 unchanged, 1 removed; 1 in all" in done.stderr


def test_what_cannot_be_indexed(place):
    done = rankine(place, "spoken", "index", "x", "lattices", "--language", "French", code=1)
    assert "or a code such as de; got 'French'" in done.stderr
    (place / "about.tsv").write_text("name\n")
    done = rankine(place, "spoken", "index", "arch", "lattices", "--about", "about.tsv", code=1)
    assert "about.tsv, line 1: unknown column 'name'" in done.stderr


def test_the_help_names_all_languages(place):
    text = rankine(place, "spoken", "index", "--help").stdout
    for language in LANGUAGES:
        assert f"{language}," in text


def test_the_help_names_all_columns_of_a_table(place):
    text = " ".join(rankine(place, "spoken", "index", "--help", env={"COLUMNS": "300"}).stdout.split())
    assert all(column in text for column in ABOUT_COLUMNS)


def test_subtitles(place):
    assert rankine(place, "spoken", "subtitles", "arch", "A").stdout.startswith("WEBVTT")
    rankine(place, "spoken", "subtitles", "arch", "A", "-o", "a.srt")
    assert (place / "a.srt").read_text().startswith("1\n00:01:00,000")


def test_checking_and_merging(place):
    out = rankine(place, "spoken", "check", "arch").stdout
    rows = dict(line.split("\t") for line in out.splitlines()[1:])
    assert [rows[n] for n in ("documents", "utterances", "stretches", "parts")] == ["2", "2", "2", "1"]
    assert rows["units"] == "word, syllable, phone"
    Archive(place / "arch").add_lattices([("c", one_best([("more", 0.0, 1.0, 1.0)]))])
    assert "parts\t2" in rankine(place, "spoken", "check", "arch").stdout
    assert "3 documents in one part" in rankine(place, "spoken", "merge", "arch").stderr
    assert "parts\t1" in rankine(place, "spoken", "check", "arch").stdout
    part = next((place / "arch").glob("*.part"))
    part.write_bytes(part.read_bytes()[:100] + b"x" + part.read_bytes()[101:])
    assert "damaged" in rankine(place, "spoken", "check", "arch", code=1).stderr


def test_deleting(place):
    assert "1 left" in rankine(place, "spoken", "delete", "arch", "A", "--yes").stderr
    assert "no document is called 'A'" in rankine(place, "spoken", "delete", "arch", "A", "--yes", code=1).stderr


def test_repairing(place):
    assert "arch: nothing to repair" in rankine(place, "spoken", "check", "arch", "--repair").stderr
    part = next((place / "arch").glob("*.part"))
    part.write_bytes(part.read_bytes()[:100] + b"x" + part.read_bytes()[101:])
    done = rankine(place, "spoken", "check", "arch", "--repair", code=1)
    assert "rankine: lost: A\nrankine: lost: B\n" in done.stderr
    assert "2 documents lost: their lattices are not in the archive. Index them again with" in done.stderr
    assert "documents\t0" in done.stdout
    rankine(place, "spoken", "index", "arch", "lattices", "--about", "about.tsv")
    assert "arch: nothing to repair" in rankine(place, "spoken", "check", "arch", "--repair").stderr
    assert [path.name for path in (place / "arch").glob("damaged-*/*")] == [part.name]


def test_transcripts_of_another_encoding_and_with_a_title(tmp_path):
    (tmp_path / "x.srt").write_bytes("1\n00:00:01,000 --> 00:00:02,000\nCafé\n".encode("cp1252"))
    record = TRANSCRIPTS["ohms.xml"].replace("<duration>", "<title>On printing</title><duration>")
    (tmp_path / "o.xml").write_text(record.replace("Hello", "Café"))
    assert "--encoding" in rankine(tmp_path, "spoken", "index", "arch", "x.srt", code=1).stderr
    said = rankine(tmp_path, "spoken", "index", "arch", "x.srt", "--encoding", "cp1252").stderr
    assert "arch: 1 document added, " in said
    rankine(tmp_path, "spoken", "index", "arch", "o.xml")
    listed = rankine(tmp_path, "spoken", "list", "arch", "--fields", "recording,title", "--format", "tsv").stdout
    assert listed.splitlines()[1:] == ["o\tOn printing", "x\t"]
    rankine(tmp_path, "spoken", "about", "arch", "o", "--set", "title=Ink")
    (tmp_path / "o.xml").write_text(record)
    rankine(tmp_path, "spoken", "index", "arch", "o.xml")
    assert "o\tInk" in rankine(tmp_path, "spoken", "list", "arch", "--fields", "recording,title").stdout


def test_files_of_other_kinds_and_names_that_clash_do_not_stop_the_rest(tmp_path):
    folder = tmp_path / "all"
    folder.mkdir()
    (folder / "a.sausage").write_text("u1 [ a 1 ]\nu2 [ b 1 ]\n")
    (folder / "b.sausage").write_text("u1 [ c 1 ]\nu3 [ d 1 ]\n")
    (folder / "scan.pdf").touch()
    said = rankine(tmp_path, "spoken", "index", "arch", "all", code=1).stderr
    assert said.count("all: left out, because no format ends so: 1 file, e.g. scan.pdf\n") == 1
    assert "arch: 3 documents added, " in said
    first, second = Path("all/a.sausage"), Path("all/b.sausage")
    assert f"skipped: two utterances are called 'u1': in {first} and {second}; only the first is used\n" in said


def test_the_help_says_how_to_begin(place):
    said = " ".join(rankine(place, "spoken", "--help").stdout.split())
    assert "rankine spoken add archive/ recordings/" in said
    assert 'rankine spoken search archive/ "printing press"' in said
