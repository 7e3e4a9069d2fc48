"""Repairing archives from their own lattices; a store that is damaged or lost closes all recordings."""

import json
import re
import sqlite3

import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.lattice.formats import one_best

from .packs import found_in, recognised, saved


@pytest.fixture
def archive(tmp_path):
    return recognised(tmp_path / "a")


def damage(path, at=100):
    data = bytearray(path.read_bytes())
    data[at] ^= 0xFF
    path.write_bytes(data)


def asides(archive):
    return [p.name for p in archive.folder.iterdir() if p.name.startswith("damaged-")]


def test_nothing_to_repair(archive):
    before = {p.name: p.read_bytes() for p in archive.folder.iterdir() if p.is_file()}
    assert Archive.repair(archive.folder) == ([], [], [], "")
    assert {p.name: p.read_bytes() for p in archive.folder.iterdir() if p.is_file()} == before


@pytest.mark.parametrize("how", ["content", "missing", "truncated", "footer", "all"])
def test_damaged_parts_are_built_again(archive, how):
    before = sorted(found_in(archive, "words", "letters", "written"))
    parts = [reader.part.path for reader in archive.index.parts]
    assert len(parts) == 3
    for part in parts if how == "all" else parts[1:2]:
        if how in ("content", "all"):
            damage(part)
        elif how == "missing":
            part.unlink()
        elif how == "truncated":
            part.write_bytes(part.read_bytes()[:500])
        else:
            damage(part, part.stat().st_size - 30)
    with pytest.raises(rk.InputError):
        Archive(archive.folder).check()
    repairs = Archive.repair(archive.folder)
    assert (repairs.lost, repairs.left) == ([], [])
    assert any("indexed again from the lattices in recognised" in line for line in repairs.done)
    again = Archive(archive.folder)
    again.check()
    hits = sorted(found_in(again, "words", "letters", "written"))
    assert [h[:2] for h in hits] == [h[:2] for h in before]
    if how == "content":  # titles and speakers stand in another place of the part
        assert hits == before
        assert asides(archive) == []
    if how in ("missing", "truncated"):
        assert any("cannot be read: if some were indexed from lattices elsewhere" in line for line in repairs.done)


def test_recordings_from_elsewhere_are_lost_and_listed(archive):
    archive.lattices.add([("elsewhere", one_best([("x", 0.0, 1.0, 1.0)]))])
    damage(archive.index.parts[-1].part.path)
    part = archive.index.parts[-1].part.path
    damaged = part.read_bytes()
    repairs = Archive.repair(archive.folder)
    assert repairs.lost == ["elsewhere"]
    assert asides(archive) == [repairs.aside]
    assert re.fullmatch(r"damaged-\d{4}-\d\d-\d\d", repairs.aside)
    (kept,) = (archive.folder / repairs.aside).iterdir()
    assert (kept.name, kept.read_bytes()) == (part.name, damaged)
    Archive(archive.folder).check()
    assert sorted(Archive(archive.folder).recordings.names) == ["deep/two", "one", "three"]
    assert Archive.repair(archive.folder) == ([], [], [], "")


@pytest.mark.parametrize("step", ["update", "Writer.commit"])
def test_a_repair_that_was_stopped_begins_again(archive, monkeypatch, step):
    damage(archive.index.parts[0].part.path)
    damage(archive.index.parts[1].part.path)
    manifest = (archive.folder / "manifest.json").read_bytes()

    def stop(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(f"rankine.spoken.maintenance.repair.{step}", stop)
        with pytest.raises(KeyboardInterrupt):
            Archive.repair(archive.folder)
    assert (archive.folder / "manifest.json").read_bytes() == manifest
    repairs = Archive.repair(archive.folder)
    assert (repairs.lost, repairs.left) == ([], [])
    assert sorted(Archive(archive.folder).recordings.names) == ["deep/two", "one", "three"]
    assert asides(archive) == []


def test_only_what_was_indexed_is_indexed_again(archive):
    """A recording that was heard and not indexed may be to be closed: adding it says so."""
    journal = archive.folder / "recognised" / "recognised.jsonl"
    (archive.folder / "recognised" / "new.slf").write_bytes((archive.folder / "recognised" / "one.slf").read_bytes())
    line = json.loads(journal.read_text().splitlines()[0])
    line |= {"recording": "new", "samples": "new", "file": "new", "segments": [{"file": "new.slf", "start": 0.0}]}
    journal.write_text(journal.read_text() + json.dumps(line) + "\n")
    damage(archive.index.parts[0].part.path)
    assert Archive.repair(archive.folder).left == []
    assert sorted(Archive(archive.folder).recordings.names) == ["deep/two", "one", "three"]


def test_the_table_of_recordings(archive):
    table = archive.folder / "recognised" / "recordings.tsv"
    want = table.read_bytes()
    for spoil in (table.unlink, lambda: table.write_text("nonsense\n1\n")):
        spoil()
        assert "recordings.tsv was missing or damaged" in Archive.repair(archive.folder).done[0]
        assert table.read_bytes() == want


def test_what_cannot_be_repaired_is_said(archive):
    journal = archive.folder / "recognised" / "recognised.jsonl"
    text = journal.read_text()
    journal.write_text("[1]\n" + text)
    assert "recognised.jsonl, line 1" in Archive.repair(archive.folder).left[0]
    journal.write_text(text)
    damage(archive.index.place_of("one")[0].part.path)
    (archive.folder / "recognised" / "one.slf").unlink()
    repairs = Archive.repair(archive.folder)
    assert repairs.lost == ["one"]
    assert "recognised/one.slf not there" in repairs.left[0]


@pytest.mark.parametrize("how", ["a page", "no database", "empty", "a row", "other tables"])
def test_a_damaged_store_is_replaced_and_closes_all(archive, how):
    archive.metadata.merge({"one": {"rights": "closed"}, "three": {"title": "Three"}})
    store = archive.folder / "store.sqlite"
    whole = store.read_bytes()
    (archive.folder / "store.sqlite-journal").write_bytes(b"")
    if how in ("a row", "other tables"):
        with sqlite3.connect(store) as db:
            db.execute("UPDATE recording SET about = '{' WHERE id = 1" if how == "a row" else "CREATE TABLE other (x)")
        db.close()
    else:
        damaged = {"a page": whole[:-4096] + b"\xff" * 4096, "no database": b"nothing" * 1000, "empty": b""}
        store.write_bytes(damaged[how])
    before = store.read_bytes()
    with pytest.raises(rk.InputError):
        Archive(archive.folder).check()
    repairs = Archive.repair(archive.folder)
    assert "so all 3 are closed now" in repairs.done[0]
    assert (archive.folder / repairs.aside / "store.sqlite").read_bytes() == before
    again = Archive(archive.folder)
    again.check()
    assert again.search("words") == []
    assert {again.metadata.get(name)["rights"] for name in again.recordings.names} == {"closed"}
    assert Archive.repair(archive.folder) == ([], [], [], "")
    assert (archive.folder / repairs.aside / "store.sqlite").exists()
    again.metadata.undo(int(re.search(r"--undo (\d+)", repairs.done[0])[1]))
    assert again.search("words")


def test_a_store_of_another_version_stays(archive):
    store = archive.folder / "store.sqlite"
    for version in (99, 1):
        with sqlite3.connect(store) as db:
            db.execute(f"PRAGMA user_version = {version}")
        db.close()
        before = store.read_bytes()
        with pytest.raises(rk.InputError, match=r"newer release \(version 99\)|the store has version 1"):
            Archive.repair(archive.folder)
        assert store.read_bytes() == before
    assert asides(archive) == []


def test_a_store_that_another_process_holds_stays(archive, monkeypatch):
    def busy(*arguments, **options):
        raise sqlite3.OperationalError("database is locked")

    before = (archive.folder / "store.sqlite").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr("rankine.spoken.store.store.version_of", busy)
        with pytest.raises(rk.InputError, match="cannot be used now"):
            Archive.repair(archive.folder)
    assert (archive.folder / "store.sqlite").read_bytes() == before
    assert asides(archive) == []


def test_a_missing_store_is_replaced_and_closes_all(archive):
    archive.recordings.delete(["three"])
    (archive.folder / "store.sqlite").unlink()
    (archive.folder / "recognised" / "deep" / "two.slf").rename(archive.folder / "recognised" / "two.slf")
    repairs = Archive.repair(archive.folder)
    assert "this file is missing" in repairs.done[0]
    assert "all 3 are closed now" in repairs.done[0]
    assert repairs.left == ["1 lattice such as recognised/deep/two.slf not there: add the recordings again"]
    again = Archive(archive.folder)
    assert again.search("words") == []
    again.recordings.undelete(["three"])
    assert again.metadata.get("three")["rights"] == "closed"
    again.metadata.undo(1)
    assert again.search("words")
    assert again.search("letters")
    with pytest.raises(rk.InputError, match="1 lattice missing, this one first: add the recordings again"):
        again.check()


@pytest.mark.parametrize("content", [b"nothing\n", b"utterance\taudio\n\xff\tx\n"])
def test_check_sees_a_damaged_table(archive, content):
    (archive.folder / "recognised" / "recordings.tsv").write_bytes(content)
    with pytest.raises(rk.InputError, match="--repair` makes the table again"):
        archive.check()
    assert any("recordings.tsv" in line for line in Archive.repair(archive.folder).done)
    archive.check()


def test_a_damaged_manifest_and_a_missing_file_of_its_own(archive, tmp_path):
    damage(archive.folder / "manifest.json", 60)
    with pytest.raises(
        rk.InputError, match="This cannot be repaired: unpack a packed copy, or make a new archive with"
    ):
        Archive.repair(archive.folder)
    with pytest.raises(rk.InputError, match="not a spoken archive: there is no such folder"):
        Archive.repair(tmp_path / "none")
    few = saved(tmp_path, "few")
    (few.folder / "dictionary.txt").unlink()
    with pytest.raises(rk.InputError, match=r"dictionary\.txt: the archive is damaged: this file is missing"):
        Archive.repair(few.folder)
