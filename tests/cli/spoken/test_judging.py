"""``rankine spoken judge`` and ``judgments``."""

import io

import pytest

from rankine.spoken.archive import Archive
from rankine.spoken.lattice.formats import one_best

from ...spoken.cases import SMALL, spoken
from ..running import rankine


def test_judging_at_the_terminal(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.lattices.add([(f"d{i}", one_best([("word", 0.0, 1.0, 0.9 - i / 10)])) for i in range(4)])
    answers = io.BytesIO(b"word\nu\ny\nn\nu\n3\nwhat\n\n\nzzz\n\n")
    done = rankine(tmp_path, "spoken", "judge", "a", "--judge", "ann", stdin=answers)
    assert archive.judgments.all().qrels == {"1": {"d0": 1.0, "d1": 3.0}}
    assert "nothing to undo" in done.stderr
    assert "undone: word: d1" in done.stderr
    assert "1 query, 2 judgments" in done.stderr
    assert "occurs in this archive" in done.stderr
    # undo across queries, and of a grade that replaced another
    answers = io.BytesIO(b"word\n2\ns\nwords\nu\nq\n")
    done = rankine(tmp_path, "spoken", "judge", "a", stdin=answers)
    assert archive.judgments.all().qrels["1"] == {"d0": 1.0, "d1": 3.0}
    assert "undone: word: d0" in done.stderr
    assert "(now 3)" in rankine(tmp_path, "spoken", "judge", "a", "word", stdin=io.BytesIO(b"\n\nq\n")).stderr


@pytest.fixture
def talk(tmp_path):
    """An archive of one recording of three segments."""
    spoken(tmp_path / "a", "word one | word two | word three")
    return tmp_path


def test_what_is_judged_is_a_place(talk):
    archive = Archive(talk / "a")
    names = [hit.segment for hit in archive.search("word")]
    assert sorted(names) == ["talk@0.00-2.00", "talk@2.00-4.00", "talk@4.00-5.00"]
    rankine(talk, "spoken", "judge", "a", "word", stdin=io.BytesIO(b"y\nn\nq\n"))
    assert archive.judgments.all().qrels == {"1": {names[0]: 1.0, names[1]: 0.0}}
    again = rankine(talk, "spoken", "judge", "a", "word", stdin=io.BytesIO(b"\n\n\n")).stderr
    assert "(now 1)" in again
    assert "(now 0)" in again
    # another name of the same place, and one of the whole recording as of an earlier release: its best place
    archive.judgments.store.add("1", "talk@0.1-0.4", 3.0)
    first = names.index("talk@0.00-2.00")
    lines = rankine(talk, "spoken", "judge", "a", "word", stdin=io.BytesIO(b"\n\n\n")).stderr.splitlines()
    assert "(now 3)" in next(line for line in lines if f"{first + 1}. " in line)
    archive.judgments.store.add("1", "talk", 2.0)
    assert "(now 2)" in rankine(talk, "spoken", "judge", "a", "word", stdin=io.BytesIO(b"q\n")).stderr


def test_a_query_stands_above_its_hits(talk):
    lines = rankine(talk, "spoken", "judge", "a", "word  one", "two", stdin=io.BytesIO(b"s\nq\n")).stderr.splitlines()
    assert lines[1] == "word one: 3 hits"
    assert lines[2].startswith("1. talk 0:00.0")
    assert "two: 3 hits" in lines[3]  # behind the question


def test_judgments_of_places_are_exported_and_imported(talk):
    archive = Archive(talk / "a")
    rankine(talk, "spoken", "judge", "a", "word", "-k", "2", stdin=io.BytesIO(b"y\nn\n"))
    before = archive.judgments.all()
    rankine(talk, "spoken", "judgments", "a", "--export", "mine")
    assert "talk@" in (talk / "mine.qrels").read_text()
    archive.judgments.store.store.make()  # an empty one
    table = rankine(talk, "spoken", "judgments", "a", "--queries", "mine.tsv", "--qrels", "mine.qrels").stdout
    assert archive.judgments.all() == before
    assert table.splitlines()[1] == "1\tword\t2\t1"
    (talk / "other.tsv").write_text("x1\tone\nx2\tword\n")
    (talk / "other.qrels").write_text("x1 0 talk 1\nx2 0 talk@4.00-5.00 1\n")
    table = rankine(talk, "spoken", "judgments", "a", "--queries", "other.tsv", "--qrels", "other.qrels").stdout
    assert table.splitlines()[1:] == ["1\tword\t2\t2", "x1\tone\t1\t1"]
    (talk / "wrong.qrels").write_text("1 0 tlak@0.00-2.00 1\n")
    done = rankine(talk, "spoken", "judgments", "a", "--qrels", "wrong.qrels", code=1)
    assert "a judgment of 'tlak@0.00-2.00', which is not in the archive" in done.stderr
