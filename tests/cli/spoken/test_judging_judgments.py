"""``rankine spoken judgments``: tables, history, agreement, orphans."""

import csv
import io
import re

import pytest

from rankine.spoken.archive import Archive
from rankine.spoken.lattice.formats import one_best

from ...spoken.cases import SMALL
from ..running import rankine


@pytest.fixture
def place(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.lattices.add([(f"d{i}", one_best([("word", 0.0, 1.0, 0.9 - i / 10)])) for i in range(4)])
    rankine(tmp_path, "spoken", "judge", "a", "word", "--judge", "ann", stdin=io.BytesIO(b"y\nn\n?\n2\n"))
    rankine(tmp_path, "spoken", "judge", "a", "word", "--judge", "bob", stdin=io.BytesIO(b"y\ny\ny\nq\n"))
    return tmp_path


def lines(place, *options):
    return rankine(place, "spoken", "judgments", "a", *options).stdout.splitlines()


def test_history_and_undo(place):
    head, *rows = lines(place, "--history")
    assert head.split("\t")[:6] == ["number", "time", "judge", "query", "place", "grade"]
    cells = [row.split("\t") for row in rows]
    assert [(c[2], c[4], c[5], c[6]) for c in cells] == [
        ("ann", "d0", "1", "1"), ("ann", "d1", "0", "2"), ("ann", "d2", "unsure", "3"), ("ann", "d3", "2", "4"),
        ("bob", "d0", "1", "1"), ("bob", "d1", "1", "2"), ("bob", "d2", "1", "3"),
    ]  # fmt: skip
    assert {c[7] for c in cells} == {Archive(place / "a").weights.in_use.id}
    number = cells[5][0]
    other = rankine(place, "spoken", "judgments", "a", "--undo", number, "--judge", "eve", code=1).stderr
    assert f"expected the judge who gave judgment {number}, bob, to take it back; got eve" in other
    done = rankine(place, "spoken", "judgments", "a", "--undo", number, "--judge", "bob", "--query", "word")
    assert f"undone: {number}" in done.stderr
    after = [line.split("\t") for line in done.stdout.splitlines()[1:]]
    assert after[5][8] == "undone"
    assert (after[7][2], after[7][8]) == ("bob", f"undo of {number}")
    assert "no judgment 999 to undo" in rankine(place, "spoken", "judgments", "a", "--undo", "999", code=1).stderr
    assert "was judged here" in rankine(place, "spoken", "judgments", "a", "--query", "x", code=1).stderr


def test_agreement(place):
    table = lines(place, "--agreement")
    assert table[1].split("\t") == ["ann", "bob", "2", "1", "0.0000", "0.0000"]
    assert table[3] == "word\td1\tann 0, bob 1\t1"


def test_measures(place):
    head, row = lines(place, "--measures")
    assert head.endswith("relevant\tAP\tnDCG@10")
    assert row.split("\t")[:4] == ["1", "word", "4", "4"]
    assert row.split("\t")[4] == "1.0000"


def test_tables(place):
    said = rankine(place, "spoken", "judgments", "a", "--export", "all.csv").stderr
    assert "all.csv: 7 judgments" in said
    with open(place / "all.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["grade"] for row in rows] == ["1.0", "0.0", "unsure", "2.0", "1.0", "1.0", "1.0"]
    done = rankine(place, "spoken", "judgments", "a", "--import", "all.csv")
    assert "0 judgments imported; 7 were there already" in done.stderr
    (place / "new.csv").write_text("query,recording,grade\nother,d1,3\n")
    done = rankine(place, "spoken", "judgments", "a", "--import", "new.csv", "--judge", "eve")
    assert "new.csv: 1 judgment imported" in done.stderr
    assert "2\tother\t1\t1" in done.stdout
    rankine(place, "spoken", "judgments", "a", "--export", "mine")
    assert (place / "mine.qrels").read_text() == "1 0 d3 2\n1 0 d0 1\n1 0 d1 1\n1 0 d2 1\n2 0 d1 3\n"


def test_orphans_are_listed_and_adopted(place):
    Archive(place / "a").recordings.delete(["d1"])
    done = rankine(place, "spoken", "judgments", "a")
    assert "2 judgments of places that are gone: --orphans lists them" in done.stderr
    table = lines(place, "--orphans")
    assert [row.split("\t")[2:] for row in table[1:]] == [
        ["ann", "word", "d1", "0", "the recording was deleted"], ["bob", "word", "d1", "1", "the recording was deleted"]
    ]  # fmt: skip
    done = rankine(place, "spoken", "judgments", "a", "--adopt", "d1", "d3", "--judge", "eve", "--orphans")
    undo = re.search(r"2 judgments of d1 adopted; (--undo \d+ --judge eve) takes it back", done.stderr)[1].split()
    assert len(done.stdout.splitlines()) == 1
    failed = rankine(place, "spoken", "judgments", "a", "--adopt", "d1", "d3", code=1).stderr
    assert "no orphaned judgment is of 'd1'" in failed
    refused = rankine(place, "spoken", "judgments", "a", *undo[:2], code=1).stderr
    assert f"expected the judge who gave judgment {undo[1]}, eve, to take it back; got (no name)" in refused
    assert f"undone: {undo[1]}" in rankine(place, "spoken", "judgments", "a", *undo).stderr


def test_judging_what_is_next(place):
    archive = Archive(place / "a")
    archive.lattices.add([("e0", one_best([("word", 0.0, 0.5, 0.5), ("other", 0.5, 1.0, 0.5)]))])
    answers = io.BytesIO(b"y\nq\n")
    said = rankine(place, "spoken", "judge", "a", "--next", "--judge", "eve", stdin=answers).stderr
    assert "word: 1 hit" in said  # the others are judged
    assert archive.judgments.history("word")[-1][3:7] == ("eve", "1", "e0", "")
    said = rankine(place, "spoken", "judge", "a", "--next", stdin=io.BytesIO(b"")).stderr
    assert "no place left to judge" in said
