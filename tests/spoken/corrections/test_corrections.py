"""Corrections of an archive: searched at once, undone, kept through all that happens to a recording."""

import pytest

import rankine as rk
from rankine.spoken import Archive
from rankine.spoken.index.storage import writing
from rankine.spoken.store.store import Store

from ..cases import answers
from .cases import OtherTimed, Timed, archive_of, heard, hits, reading, recognised_archive

SAID = "we read mary wool|wolf stone|stones craft today and she wrote"
SPAN = "@1.5-3.0"


def mine(archive):
    return archive.search("wollstonecraft")[0]


@pytest.mark.parametrize("own", [False, True])
def test_a_correction_is_searched_at_once_and_undone(tmp_path, own):
    texts = SAID, "nothing of it", "again wool stone craft here"
    archive = (
        recognised_archive(tmp_path, *texts)
        if own
        else archive_of(tmp_path / "a", r00=SAID, r01=texts[1], r02=texts[2])
    )
    before = answers(archive, ("mary", "wool stone", "today", "wolf"))
    done = archive.corrections.add(f"r00{SPAN}", "Wollstonecraft", "ann")
    assert (done.heard, done.before, done.after, done.who) == (
        "wool stone craft",
        "we read mary",
        "today and she",
        "ann",
    )
    assert hits(archive, "wollstonecraft") == [("r00", 1.5, 3.0)]
    assert hits(archive, '"mary wollstonecraft today"') == [("r00", 1.0, 3.5)]
    assert [hit[0] for hit in hits(archive, "wool stone craft")] == ["r02"]
    assert not any(hit.recording == "r00" and hit.certainty != "sounds like" for hit in archive.search("wolf stones"))
    assert mine(archive).corrections[0].heard == "wool stone craft"
    assert mine(archive).to_dict()["corrections"][0]["who"] == "ann"
    assert reading(archive, "r00") == "we read mary Wollstonecraft today and she wrote"
    assert reading(archive, "r00", as_heard=True) == "we read mary wool stone craft today and she wrote"
    archive.check()
    again = Archive(archive.folder)
    assert hits(again, "wollstonecraft") == [("r00", 1.5, 3.0)]
    archive.corrections.undo()
    assert answers(archive, ("mary", "wool stone", "today", "wolf")) == before
    assert archive.corrections.all() == []
    archive.corrections.undo(archive.corrections.history()[-1].id)  # the undo itself
    assert hits(archive, "wollstonecraft") == [("r00", 1.5, 3.0)]
    archive.check()


def test_lattices_stay_as_they_are(tmp_path):
    archive = recognised_archive(tmp_path, SAID)
    files = {p: p.read_bytes() for p in (archive.folder / "recognised").rglob("*") if p.is_file()}
    archive.corrections.add(f"r00{SPAN}", "Wollstonecraft")
    assert {p: p.read_bytes() for p in files} == files


def test_alternatives_outside_the_span_stay(tmp_path):
    archive = recognised_archive(tmp_path, "mary|marry wool stone craft says|said so")
    before = {m.unit: m.posterior for hit in archive.search("marry said") for m in hit.matches}
    archive.corrections.add("r00@0.5-2.0", "Wollstonecraft")
    after = {m.unit: m.posterior for hit in archive.search("marry said") for m in hit.matches}
    assert after == pytest.approx(before, rel=1e-3)
    assert set(before) == {"marry", "said"}


def test_insertions_deletions_several_words_and_overlaps(tmp_path):
    archive = archive_of(tmp_path / "a", t="one two three four five six")
    book = archive.corrections
    book.add("t@0.5-1.5", "")
    assert reading(archive, "t") == "one four five six"
    assert hits(archive, "two") == []
    book.add("t@0.6-1.4", "zwei drei")  # what was taken away comes back as something else
    assert reading(archive, "t") == "one zwei drei four five six"
    book.add("t@1.0-2.0", "Three, Vier!")
    assert reading(archive, "t") == "one zwei Three, Vier! five six"
    assert [hit[0] for hit in hits(archive, '"zwei three vier five"')] == ["t"]
    book.add("t@0-3", "all of it is new now")
    assert reading(archive, "t") == "all of it is new now"
    assert hits(archive, "one") == hits(archive, "six") == []
    for _ in range(3):
        book.undo()
    assert reading(archive, "t") == "one four five six"
    archive.check()


def test_words_that_all_are_corrected_away_leave_an_archive_in_order(tmp_path):
    archive = archive_of(tmp_path / "a", t="one two", u="three")
    archive.corrections.add("t@0-1", "")
    assert reading(archive, "t") == ""
    archive.check()
    archive.merge()
    archive.corrections.undo()
    assert hits(archive, "two") == [("t", 0.5, 1.0)]


def test_the_same_elsewhere_is_accepted_in_bulk_and_undone_together(tmp_path):
    texts = {f"t{i}": f"hear wool stone craft number w{i}" for i in range(5)}
    archive = archive_of(tmp_path / "a", **texts, other="wool and stone craft")
    archive.metadata.set("t4", {"rights": "closed"})
    first = archive.corrections.add("t0@0.5-2", "Wollstonecraft")
    assert [p.recording for p in archive.corrections.elsewhere(first.id)] == ["t1", "t2", "t3"]
    assert [p.recording for p in archive.corrections.elsewhere(first.id, closed=True)] == ["t1", "t2", "t3", "t4"]
    places = [p.name for p in archive.corrections.elsewhere(first.id)]
    one = archive.corrections.accept(first.id, places[:1], "bob")
    assert [c.recording for c in one] == ["t1"]
    rest = archive.corrections.accept(first.id, by="bob")
    assert len({c.change for c in rest}) == 1
    assert {c.recording for c in archive.corrections.all()} == {"t0", "t1", "t2", "t3"}
    assert len(hits(archive, "wollstonecraft")) == 4
    archive.corrections.undo(rest[0].change)
    assert len(hits(archive, "wollstonecraft")) == 2
    assert archive.corrections.accept(first.id, []) == []


def test_bad_input_is_a_sentence(tmp_path):
    archive = archive_of(tmp_path / "a", tape=SAID)
    archive.lattices.add([("flat", rk.spoken.Lattice.from_arcs([(0, 1, "a", 0.0)], 0, 1))])
    bad = [
        ("tape@1.5-3.0", "x" * 10_000, "a correction of 10,000 characters; at most 1,000"),
        ("tape@1.5-3.0", "...", "expected words, got '...'"), ("tape@1.5-3.0", "a\0b", "control character"),
        ("tape@1.5-3.0", "\ud800", "half of one"), ("tap@1-2", "word", "no recording is called 'tap'. Did you mean"),
        ("tape", "word", "expected RECORDING@START-END in seconds"), ("tape@2", "word", "RECORDING@START-END"),
        ("tape@90-95", "word", r"which is .* \(5.00 seconds\) long; got 90 to 95"), ("tape@2-2", "w", "to a later one"),
        ("tape@3-2", "word", "a hit begins at 0 or later"), ("tape@5.1-5.9", "", "nothing is"),
        ("flat@0-1", "word", "flat: its words have no times"),
    ]  # fmt: skip
    for place, text, said in bad:
        with pytest.raises(rk.InputError, match=said):
            archive.corrections.add(place, text)
    assert archive.corrections.history() == []
    for call in (archive.corrections.undo, lambda: archive.corrections.undo(7), lambda: archive.corrections.get(3)):
        with pytest.raises(rk.InputError, match=r"no change|no correction"):
            call()
    archive.corrections.add("tape@0-5", "<script>alert(1)</script> & 'quotes'")  # text stays text
    assert archive.corrections.all()[0].written == "<script>alert(1)</script> & 'quotes'"


def test_a_change_of_metadata_is_none_of_corrections(tmp_path):
    archive = archive_of(tmp_path / "a", tape=SAID)
    archive.metadata.set("tape", {"title": "x"})
    done = archive.corrections.add(f"tape{SPAN}", "Wollstonecraft")
    with pytest.raises(rk.InputError, match="no change has number 1; the last ones are 2"):
        archive.corrections.undo(1)
    with pytest.raises(rk.InputError, match="no change has number 2"):
        archive.metadata.undo(done.change)
    archive.metadata.undo()
    assert [c.id for c in archive.corrections.all()] == [done.id]


# -- what happens to recordings


def test_corrections_follow_a_recording(tmp_path):
    archive = recognised_archive(tmp_path, SAID, "other words here")
    archive.corrections.add(f"r00{SPAN}", "Wollstonecraft", "ann")
    archive.merge()
    assert hits(archive, "wollstonecraft") == [("r00", 1.5, 3.0)]
    (tmp_path / "audio" / "r00.wav").rename(tmp_path / "audio" / "renamed.wav")
    archive.recordings.add([tmp_path / "audio"], [Timed((SAID, "other words here"))])
    assert hits(archive, "wollstonecraft") == [("renamed", 1.5, 3.0)]
    assert archive.corrections.orphans() == []
    archive.recordings.delete(["renamed"])
    assert [c.recording for c in archive.corrections.orphans()] == ["renamed"]
    archive.recordings.undelete(["renamed"])
    assert hits(archive, "wollstonecraft") == [("renamed", 1.5, 3.0)]
    (tmp_path / "audio").rename(tmp_path / "moved")
    archive.recordings.relocate(tmp_path / "moved")
    assert mine(archive).audio == str(tmp_path / "moved" / "renamed.wav")
    archive.corrections.undo()
    assert hits(archive, "wool stone craft") == [("renamed", 1.5, 3.0)]
    assert archive.search("wool stone craft")[0].audio == str(tmp_path / "moved" / "renamed.wav")
    archive.check()


def test_what_is_undone_while_a_recording_is_deleted_is_undone_when_it_returns(tmp_path):
    archive = archive_of(tmp_path / "a", tape=SAID, other="words")
    archive.corrections.add(f"tape{SPAN}", "Wollstonecraft")
    archive.recordings.delete(["tape"])
    archive.corrections.undo()
    archive.recordings.undelete(["tape"])
    assert hits(archive, "wool stone craft") == [("tape", 1.5, 3.0)]
    assert hits(archive, "wollstonecraft") == []


def test_a_recording_that_is_recognised_anew_keeps_its_corrections(tmp_path):
    archive = recognised_archive(tmp_path, SAID, "so much for tapes")
    kept = archive.corrections.add(f"r00{SPAN}", "Wollstonecraft", "ann")
    lost = archive.corrections.add("r01@0-1.0", "such a", "bob")
    new = "so we read mary will stun craft today and she wrote", "entirely different words were heard now"
    archive.recordings.add([tmp_path / "audio"], [OtherTimed(new)])
    assert reading(archive, "r00") == "so we read mary Wollstonecraft today and she wrote"
    assert hits(archive, "wollstonecraft") == [("r00", 2.0, 3.5)]
    assert [c.id for c in archive.corrections.orphans()] == [lost.id]
    assert {c.id for c in archive.corrections.all()} == {kept.id, lost.id}
    adopted = archive.corrections.adopt(lost.id, "r01@0-0.5", "eve")
    assert reading(archive, "r01") == "such a different words were heard now"
    assert archive.corrections.orphans() == []
    archive.corrections.undo(adopted.change)
    assert [c.id for c in archive.corrections.orphans()] == [lost.id]
    archive.corrections.dismiss(lost.id)
    assert archive.corrections.orphans() == []
    assert [c.id for c in archive.corrections.all()] == [kept.id]
    archive.corrections.undo()
    assert [c.id for c in archive.corrections.orphans()] == [lost.id]
    archive.recordings.add([tmp_path / "audio"], [Timed((SAID, "so much for tapes"))])
    assert archive.corrections.orphans() == []
    assert reading(archive, "r01") == "such a for tapes"
    archive.check()


def test_a_correction_is_adopted_in_another_recording(tmp_path):
    archive = archive_of(tmp_path / "a", tape=SAID, copy=SAID)
    old = archive.corrections.add(f"tape{SPAN}", "Wollstonecraft")
    done = archive.corrections.adopt(old.id, f"copy{SPAN}")
    assert hits(archive, "wollstonecraft") == [("copy", 1.5, 3.0)]
    archive.corrections.undo(done.change)
    assert hits(archive, "wollstonecraft") == [("tape", 1.5, 3.0)]


def test_a_transcript_that_changes_keeps_its_corrections(tmp_path):
    folder = tmp_path / "talks"
    folder.mkdir()

    def write(text):
        (folder / "talk.vtt").write_text(f"WEBVTT\n\n00:00.000 --> 00:06.000\n<v Ann>{text}\n")

    write("we read Mary wool stone craft today")
    archive = Archive.create(tmp_path / "a")
    archive.lattices.index(folder)
    first = [w for w in archive.corrections.words("talk") if w.text in ("wool", "craft")]
    archive.corrections.add(f"talk@{first[0].start:.3f}-{first[1].end:.3f}", "Wollstonecraft")
    assert archive.lattices.index(folder)[:4] == (0, 0, 1, 0)
    write("yes we read Mary wool stone craft today")
    assert archive.lattices.index(folder)[:4] == (0, 1, 0, 0)
    assert reading(archive, "talk") == "yes we read mary Wollstonecraft today"


def test_packed_repaired_and_rebuilt(tmp_path):
    archive = recognised_archive(tmp_path, SAID, "more wool stone craft")
    archive.corrections.add(f"r00{SPAN}", "Wollstonecraft", "ann")
    archive.notes.add("r00@1-2", "a note")
    for index in (True, False):
        archive.pack(tmp_path / f"{index}.zip", index=index)
        other = Archive.unpack(tmp_path / f"{index}.zip", tmp_path / f"unpacked-{index}")
        assert hits(other, "wollstonecraft") == [("r00", 1.5, 3.0)]
        assert [n.text for n in other.notes.all()] == ["a note"]
        other.corrections.undo()
        assert hits(other, "wollstonecraft") == []
    for part in archive.folder.glob("*.part"):
        part.write_bytes(b"damaged")
    done = Archive.repair(archive.folder)
    assert not done.lost
    assert any("corrections applied again: 1 recording" in line for line in done.done)
    archive = Archive(archive.folder)
    archive.check()
    assert hits(archive, "wollstonecraft") == [("r00", 1.5, 3.0)]


def test_closed_recordings(tmp_path):
    archive = archive_of(tmp_path / "a", tape=SAID, open="other words")
    archive.corrections.add(f"tape{SPAN}", "Wollstonecraft")
    archive.metadata.set("tape", {"rights": "closed"})
    assert archive.corrections.all() == archive.corrections.orphans() == []
    assert len(archive.corrections.all(closed=True)) == 1
    assert archive.corrections.export(tmp_path / "x.csv") == 0
    for call in (
        lambda: archive.corrections.add("tape@0-1", "x"), lambda: archive.corrections.words("tape"),
        lambda: archive.notes.add("tape@0-1", "x"), lambda: archive.collections.add("c", "tape@0-1"),
    ):  # fmt: skip
        with pytest.raises(rk.InputError, match="'tape' is closed"):
            call()
    archive.corrections.add("tape@0-1", "they study", closed=True)
    archive.notes.add("tape@0-1", "secret", closed=True)
    archive.pack(tmp_path / "open.zip", open_only=True)
    other = Archive.unpack(tmp_path / "open.zip", tmp_path / "other")
    assert other.corrections.all(closed=True) == other.notes.all(closed=True) == []
    assert b"Wollstonecraft" not in (tmp_path / "other" / "store.sqlite").read_bytes()
    archive.recordings.delete(["tape"])
    assert archive.corrections.all() == []
    assert len(archive.corrections.all(closed=True)) == 2
    archive.metadata.undo()


def test_on_request_tells_no_words(tmp_path):
    archive = archive_of(tmp_path / "a", tape=SAID, open="other words")
    archive.corrections.add(f"tape{SPAN}", "Wollstonecraft")
    archive.metadata.set("tape", {"rights": "on request"})
    (hit,) = archive.search("wollstonecraft", 1)
    assert hit.corrections == ()


# -- kills and several processes


def test_a_kill_between_store_and_index_loses_nothing(tmp_path, monkeypatch):
    archive = archive_of(tmp_path / "a", tape=SAID, other="words")
    with monkeypatch.context() as patch:
        patch.setattr("rankine.spoken.corrections.corrections.settle", lambda *a: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            archive.corrections.add(f"tape{SPAN}", "Wollstonecraft")
    archive = Archive(archive.folder)
    assert [c.written for c in archive.corrections.all()] == ["Wollstonecraft"]
    assert hits(archive, "wollstonecraft") == []
    archive.lattices.add([("new", heard("more words"))])
    assert hits(archive, "wollstonecraft") == [("tape", 1.5, 3.0)]


def test_while_another_process_changes_the_archive_nothing_is_lost(tmp_path, monkeypatch):
    archive = archive_of(tmp_path / "a", tape=SAID)
    monkeypatch.setattr("rankine.spoken.corrections.corrections.WAIT", 0.1)
    with writing(archive.folder), pytest.raises(rk.InputError, match="is kept, and will be searched when"):
        archive.corrections.add(f"tape{SPAN}", "Wollstonecraft")
    assert len(archive.corrections.all()) == 1
    assert archive.corrections.settle() == ["tape"]
    assert hits(archive, "wollstonecraft") == [("tape", 1.5, 3.0)]


def test_a_store_of_a_newer_release_is_refused(tmp_path):
    import sqlite3

    archive = archive_of(tmp_path / "a", tape=SAID)
    with sqlite3.connect(archive.folder / "store.sqlite") as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(rk.InputError, match="of a newer release"):
        archive.corrections.add(f"tape{SPAN}", "x")


def test_stores_without_corrections_open_as_before(tmp_path):
    archive = archive_of(tmp_path / "a", tape=SAID)
    assert archive.corrections.all() == archive.corrections.orphans() == archive.notes.all() == []
    assert archive.collections.names == {}
    assert Store(archive.folder).batches() == []


def test_corrections_of_closed_recordings_are_their_keepers(tmp_path):
    archive = archive_of(tmp_path / "a", r00=SAID, r01="again wool stone craft here")
    done = archive.corrections.add(f"r00{SPAN}", "Wollstonecraft", "ann")
    noted = archive.notes.add(f"r00{SPAN}", "of both sisters", "ann")
    put = archive.collections.add("talk", [f"r00{SPAN}"])[0]
    archive.metadata.set("r00", {"rights": "closed"})
    archive.refresh()
    book = archive.corrections
    for call in (
        lambda: book.get(done.id), lambda: book.adopt(done.id, "r01@0.5-2.0"), lambda: book.dismiss(done.id),
        lambda: book.elsewhere(done.id), lambda: book.accept(done.id), lambda: archive.notes.change(noted.id, "x"),
        lambda: archive.notes.remove(noted.id), lambda: archive.collections.remove(put.id),
    ):  # fmt: skip
        with pytest.raises(rk.InputError, match=r"that counts has the number \d+; the last ones are none"):
            call()
    assert [place.name.split("@")[0] for place in book.elsewhere(done.id, closed=True)] == ["r01"]
    archive.notes.change(noted.id, "of one sister", closed=True)
    book.dismiss(done.id, closed=True)


def test_a_transcript_that_returns_with_other_words_has_its_corrections(tmp_path):
    def write(word):
        (tmp_path / "talks").mkdir(exist_ok=True)
        lines = f"00:00.000 --> 00:01.000\n<v Ann>{word}\n\n00:01.000 --> 00:02.000\n<v Bob>yes\n"
        (tmp_path / "talks" / "talk.vtt").write_text(f"WEBVTT\n\n{lines}")

    write("one")
    archive = archive_of(tmp_path / "a", other="something else")
    archive.lattices.index(tmp_path / "talks")
    archive.corrections.add("talk@1.1-1.9", "Wollstonecraft", "ann")
    archive.recordings.delete(["talk"])
    write("three")
    archive.lattices.index(tmp_path / "talks")
    assert [hit.recording for hit in archive.search("wollstonecraft") if hit.certainty == "heard"] == ["talk"]
    assert archive.corrections.orphans() == []
