"""The commands that index, check and change an archive."""

import pytest

from rankine.spoken.archive.archive import Archive
from rankine.spoken.index.settings import LANGUAGES
from rankine.spoken.lattice.formats import one_best, write_slf
from rankine.spoken.text import ABOUT_COLUMNS

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
    done = rankine(place, "spoken", "index", "x", "lattices", "--language", "fr", code=1)
    assert "language must be one of en, zh, got 'fr'" in done.stderr
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
    assert "all of it is back" in rankine(place, "spoken", "check", "arch", "--repair").stderr
