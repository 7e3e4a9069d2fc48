"""Judgments at places: who said what, agreement by place, orphans when recordings go, and their adoption."""

import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.judgments.placement import check_judged, judged_times
from rankine.spoken.lattice.formats import one_best
from rankine.spoken.store.recordings import identify_recordings

from ..cases import SMALL, spoken


def words(*texts):
    return one_best([(w, 0.5 * i, 0.5 * i + 0.5, 0.9) for i, w in enumerate(texts)])


@pytest.fixture
def archive(tmp_path):
    made = Archive.create(tmp_path / "a", SMALL)
    made.lattices.add([(f"d{i}", words("word", f"x{i}")) for i in range(4)])
    return made


@pytest.fixture
def talk(tmp_path):
    """An archive of one recording of three segments."""
    spoken(tmp_path / "t", "word one | word two | word three")
    return Archive(tmp_path / "t")


def test_a_judgment_has_all_that_was_shown(archive):
    hits = archive.search("word")
    kept = archive.judgments.add(" word ", hits[1], 1.0, "ann")
    assert (kept.repeated, kept.orphaned) == (False, "")
    (row,) = archive.judgments.history("word")
    assert (row.judge, row.target, row.grade, row.rank) == ("ann", hits[1].segment, 1.0, 2)
    assert row.weights == archive.weights.in_use.id
    assert (row.start, row.end) == (0.0, 1.0)
    assert row.time.startswith("20")
    assert archive.judgments.add("word", hits[1], 1.0, "ann").repeated
    archive.judgments.add("word", "d0", None, "bob", rank=7, weights="beef")
    row = archive.judgments.history("word")[-1]
    assert (row.grade, row.rank, row.weights) == (None, 7, "beef")
    archive.judgments.undo(kept.number, "ann")
    assert archive.judgments.all().n_judgments == 0
    with pytest.raises(rk.InputError, match="there is no judgment 99 to undo"):
        archive.judgments.undo(99)
    archive.metadata.set("d0", {"title": "x"})
    with pytest.raises(rk.InputError, match="there is no judgment"):
        archive.judgments.undo(archive.judgments.store.store.batches()[-1].id)


def test_names_with_markup_stay_text(archive):
    name = "<script>alert(1)</script>"
    archive.judgments.add("word", "d0", 1.0, name)
    assert archive.judgments.history()[0].judge == name


def test_judges_agree_by_place_whatever_its_name(talk):
    talk.judgments.add("word", "talk@0.00-2.00", 1.0, "ann")
    talk.judgments.add("word", "talk@0.1-0.4", 0.0, "bob")  # the same place
    talk.judgments.add("word", "talk@2.00-4.00", 1.0, "ann")
    talk.judgments.add("word", "talk@2.00-4.00", 1.0, "bob")
    talk.judgments.add("word", "talk@4.00-5.00", None, "bob")
    (pair,) = talk.judgments.agreement()
    assert pair[:4] == ("ann", "bob", 2, 1)
    (wrong,) = talk.judgments.disagreements()
    assert (wrong.query, wrong.grades, wrong.grade) == ("word", {"ann": 1.0, "bob": 0.0}, 0.0)
    assert talk.judgments.placed().judged().qrels == {"1": {"talk@0.1-0.4": 0.0, "talk@2.00-4.00": 1.0}}
    talk.judgments.add("word", "talk@0.00-2.00", None, "bob")  # takes his own back, by another name
    assert talk.judgments.disagreements() == []
    assert talk.judgments.placed().judged().qrels["1"]["talk@0.00-2.00"] == 1.0


def test_what_is_deleted_is_orphaned_and_comes_back(archive):
    archive.judgments.add("word", "d0", 1.0, "ann")
    archive.judgments.add("word", "d1", 0.0, "ann")
    archive.recordings.delete(["d0"])
    (orphan,) = archive.judgments.orphans
    assert (orphan.judgment.recording, orphan.text, orphan.reason) == ("d0", "word", "the recording was deleted")
    assert archive.judgments.placed().judged().qrels == {"1": {"d1": 0.0}}
    archive.recordings.undelete(["d0"])
    assert archive.judgments.orphans == []
    assert archive.judgments.placed().judged().qrels == {"1": {"d0": 1.0, "d1": 0.0}}


def test_judging_what_was_deleted_meanwhile_is_kept(archive):
    """As from a page that was opened before."""
    stale = Archive(archive.folder)
    hit = next(h for h in stale.search("word") if h.recording == "d2")
    archive.judgments.add("word", "d2", 0.0, "bob")
    archive.recordings.delete(["d2"])
    assert stale.judgments.add("word", hit, 1.0, "ann").orphaned == ""  # it does not know
    kept = archive.judgments.add("word", "d2", 2.0, "eve")
    assert kept.orphaned == "'d2' is not in the archive"
    assert {o.judgment.judge for o in archive.judgments.orphans} >= {"bob", "eve"}
    archive.recordings.undelete(["d2"])
    assert archive.judgments.orphans == []
    assert {r.judge: r.grade for r in archive.judgments.placed().rows} == {"ann": 1.0, "bob": 0.0, "eve": 2.0}
    for name, message in (
        ("nowhere", "there is no recording 'nowhere' in this archive, and there was none"),
        ("d1@x", "names no place"),
    ):
        with pytest.raises(rk.InputError, match=message):
            archive.judgments.add("word", name, 1.0)


def test_another_recording_of_the_name_does_not_get_them(archive):
    identify_recordings(archive.folder, {"d3": "print"})
    archive.judgments.add("word", "d3", 1.0, "ann")
    archive.recordings.delete(["d3"])
    archive.lattices.add([("d3", words("word", "other"))])
    identify_recordings(archive.folder, {"d3": "other print"})
    (orphan,) = archive.judgments.orphans
    assert orphan.reason == "the recording was deleted, and another one has its name"
    assert archive.judgments.placed().judged().qrels == {"1": {}}


def test_times_that_are_gone_after_new_recognition(talk, tmp_path):
    talk.judgments.add("word", "talk@4.00-5.00", 1.0, "ann")
    talk.judgments.add("word", "talk@0.00-2.00", 0.0, "ann")
    talk.lattices.add([("talk", words("word", "one"))])  # shorter
    (orphan,) = talk.judgments.orphans
    assert (orphan.judgment.place, orphan.reason) == ("4.00-5.00", "the recording has no place at these times")
    assert (
        talk.judgments.add("word", "talk@4.00-5.00", 0.0, "bob").orphaned == "the recording has no place at these times"
    )
    assert check_judged(talk.index, "talk@0.2-0.4") == ""


def test_a_recording_that_was_one_place_and_is_several(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.lattices.add([("talk", one_best([("word", 0.0, 0.5, 0.9), ("two", 0.5, 1.0, 0.9)]))])
    archive.judgments.add("word", "talk", 1.0, "ann", rank=1)
    before = archive.judgments.store.rows()[0]
    assert (before.place, before.start) == ("", 0.0)
    spoken(tmp_path / "b", "word one | word two | word three")
    other = Archive(tmp_path / "b")
    other.judgments.store.add_rows([before._replace(start=2.2, end=3.8)], {"1": "word"}, "moved")
    assert other.judgments.placed().judged().qrels == {"1": {"talk@2.20-3.80": 1.0}}


def test_adoption(archive):
    archive.judgments.add("word", "d0", 1.0, "ann")
    archive.judgments.add("word", "d0", 0.0, "bob")
    archive.judgments.add("x0", "d0", 3.0, "ann")
    archive.recordings.delete(["d0"])
    new = archive.judgments.adopt("d0", "d3", "eve")
    assert [(r.judge, r.target, r.grade) for r in new] == [("ann", "d3", 1.0), ("bob", "d3", 0.0), ("ann", "d3", 3.0)]
    assert archive.judgments.orphans == []
    assert archive.judgments.placed().judged().qrels == {"1": {"d3": 0.0}, "2": {"d3": 3.0}}
    assert len(archive.judgments.agreement()) == 1
    archive.recordings.undelete(["d0"])  # it was adopted: it does not count twice
    assert archive.judgments.placed().judged().qrels == {"1": {"d3": 0.0}, "2": {"d3": 3.0}}
    archive.judgments.undo(new[0].number, "eve")
    assert archive.judgments.placed().judged().qrels == {"1": {"d0": 0.0}, "2": {"d0": 3.0}}
    with pytest.raises(rk.InputError, match="no orphaned judgment is of 'd0'"):
        archive.judgments.adopt("d0", "d1")


def test_adoption_at_times(talk):
    talk.judgments.add("word", "talk@4.00-5.00", 1.0, "ann")
    talk.lattices.add([("new", words("word", "two")), ("talk", words("word", "one"))])
    with pytest.raises(rk.InputError, match=r"there is no place 'new@4\.00-5\.00' in the archive"):
        talk.judgments.adopt("talk", "new")
    with pytest.raises(rk.InputError, match="Did you mean 'new'"):
        talk.judgments.adopt("talk", "nwe")
    (row,) = talk.judgments.adopt(talk.judgments.orphans, "new@0.1-0.4")
    assert row.target == "new@0.1-0.4"
    assert judged_times(talk.index, "new@0.1-0.4") == (0.0, 1.0)
    assert talk.judgments.orphans == []


def test_a_recording_that_is_renamed_takes_its_judgments_along(archive):
    identify_recordings(archive.folder, {"d0": "print"})
    archive.judgments.add("word", "d0", 1.0, "ann")
    archive.lattices.add([("new", words("word", "x0"))])
    archive.lattices.remove(["d0"])
    identify_recordings(archive.folder, {"new": "print"})
    assert archive.judgments.placed().judged().qrels == {"1": {"new": 1.0}}
    archive.merge()
    assert archive.judgments.placed().judged().qrels == {"1": {"new": 1.0}}


def test_packed_and_unpacked(archive, tmp_path):
    archive.judgments.add("word", archive.search("word")[0], 1.0, "ann")
    archive.judgments.add("word", "d1", None, "bob")
    archive.pack(tmp_path / "a.zip")
    again = Archive.unpack(tmp_path / "a.zip", tmp_path / "again")
    assert again.judgments.history() == archive.judgments.history()
