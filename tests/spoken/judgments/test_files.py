"""Judgments as tables: what is written is read again, and nothing is there twice."""

import csv
import json

import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.judgments.files import COLUMNS, write_judgments
from rankine.spoken.lattice.formats import one_best
from rankine.spoken.store.store import login_name

from ..cases import SMALL


def made(place):
    archive = Archive.create(place, SMALL)
    archive.lattices.add([(f"d {i}", one_best([("word", 0.0, 1.0, 0.9)])) for i in range(4)])
    return archive


def content(archive):
    keep = ("time", "judge", "recording", "place", "grade", "start", "end", "rank", "weights")
    texts = archive.judgments.queries()
    return [(texts[r.query], *(getattr(r, name) for name in keep)) for r in archive.judgments.store.rows() if r.counts]


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "jsonl"])
def test_written_and_read(tmp_path, ending):
    archive = made(tmp_path / "a")
    for i, hit in enumerate(archive.search("word")):
        archive.judgments.add("word", hit, [1.0, 0.0, None, 2.0][i], ["ann", 'bob, "the" <b>'][i % 2])
    archive.judgments.add("=word; x", "d 1", 1.0, "")
    archive.judgments.undo(archive.judgments.add("word", "d 3", 3.0, "eve").number, "eve")
    archive.recordings.delete(["d 2"])
    path = tmp_path / f"out.{ending}"
    assert write_judgments(path, archive.judgments.placed()) == 5
    other = made(tmp_path / "b")
    other.recordings.delete(["d 2"])
    done = other.judgments.import_table(path)
    assert done[:2] == (5, 0)
    assert content(other) == content(archive)
    assert len(other.judgments.orphans) == len(archive.judgments.orphans) == 1
    assert other.judgments.import_table(path)[:2] == (0, 5)  # none twice
    with pytest.raises(rk.InputError, match=f"expected the judge who gave judgment {done.number}, {login_name()}, to"):
        other.judgments.undo(done.number)  # nobody named takes back what several said
    with pytest.raises(rk.InputError, match="got ann"):
        other.judgments.undo(done.number, "ann")
    other.judgments.undo(done.number, login_name())
    assert other.judgments.placed().rows == []


def test_what_people_write_by_hand(tmp_path):
    archive = made(tmp_path / "a")
    (tmp_path / "t.csv").write_text("Query;Recording;Grade;Judge\nword;d 1;2;\n word ;d 2;UNSURE;bob\n")
    archive.judgments.import_table(tmp_path / "t.csv", "ann")
    rows = archive.judgments.store.rows()
    assert [(r.judge, r.target, r.grade) for r in rows] == [("ann", "d 1", 2.0), ("bob", "d 2", None)]
    assert rows[0].time.startswith("20")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("word,d 9,,1,,,,,,,", "line 2: a judgment of 'd 9': 'd 9' is not in the archive. Did you mean 'd"),
        ("word,d 1,5-6,1,,,,,,,", "line 2: a judgment of 'd 1@5-6': the recording has no place at these times"),
        ("word,d 1,,good,,,,,,,", "expected a number of at least 0 in the column 'grade', or unsure; got 'good'"),
        ("word,d 1,,-1,,,,,,,", "expected a number of at least 0"),
        ("word,d 1,,nan,,,,,,,", "expected a number of at least 0"),
        ("word,d 1,,1,,,,,1.5,,", "in the column 'rank'"),
        ("word,d 1,,1,,yesterday,,,,,", "expected a time such as"),
        (",d 1,,1,,,,,,,", "'query' is missing or empty"),
        ("word,d 1,,1", "expected 11 cells"),
        (f"word,d 1,,1,{'x' * 201},,,,,,", "expected a name of at most 200 characters"),
    ],
)
def test_rows_that_cannot_be_used(tmp_path, line, message):
    archive = made(tmp_path / "a")
    (tmp_path / "t.csv").write_text(f"{','.join(COLUMNS)}\nword,d 0,,1,,,,,,,\n".replace("word,d 0", "ok,d 0"))
    archive.judgments.import_table(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text(f"{','.join(COLUMNS)}\n{line}\nword,d 1,,1,,,,,,,\n")
    with pytest.raises(rk.InputError) as caught:
        archive.judgments.import_table(tmp_path / "t.csv")
    assert message in str(caught.value)
    assert len(archive.judgments.store.rows()) == 1  # all or none


def test_endings(tmp_path):
    archive = made(tmp_path / "a")
    archive.judgments.add("word", "d 1", 1.0)
    with pytest.raises(rk.InputError, match="expected a file that ends in"):
        write_judgments(tmp_path / "x.txt", archive.judgments.placed())
    write_judgments(tmp_path / "x.csv", archive.judgments.placed())
    with open(tmp_path / "x.csv", newline="") as file:
        assert next(csv.reader(file)) == list(COLUMNS)
    write_judgments(tmp_path / "x.json", archive.judgments.placed())
    assert json.loads((tmp_path / "x.json").read_text())[0]["grade"] == 1.0
