"""Repairing archives: from their own lattices, and with what can be read."""

import re
import shutil
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


def test_documents_from_elsewhere_are_lost_and_listed(archive):
    archive.lattices.add([("elsewhere", one_best([("x", 0.0, 1.0, 1.0)]))])
    damage(archive.index.parts[-1].part.path)
    repairs = Archive.repair(archive.folder)
    assert repairs.lost == ["elsewhere"]
    assert asides(archive) == [repairs.aside]
    assert re.fullmatch(r"damaged-\d{4}-\d\d-\d\d", repairs.aside)
    kept = archive.folder / repairs.aside
    assert sorted(p.suffix for p in kept.iterdir()) == [".json", ".json", ".part"]
    assert Archive.repair(archive.folder).lost == ["elsewhere"]  # until it is back
    again = Archive(archive.folder)
    again.lattices.add([("elsewhere", one_best([("x", 0.0, 1.0, 1.0)]))])
    repairs = Archive.repair(archive.folder)
    assert repairs.lost == []
    assert asides(archive) == []


def test_a_repair_that_was_stopped_goes_on(archive, monkeypatch):
    damage(archive.index.parts[0].part.path)
    damage(archive.index.parts[1].part.path)

    def stop(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("rankine.spoken.maintenance.repair.rebuild", stop)
        with pytest.raises(KeyboardInterrupt):
            Archive.repair(archive.folder)
    assert len(Archive(archive.folder)) == 1
    assert asides(archive)
    repairs = Archive.repair(archive.folder)
    assert (repairs.lost, repairs.left) == ([], [])
    assert sorted(Archive(archive.folder).recordings.names) == ["deep/two", "one", "three"]
    assert asides(archive) == []


def test_folders_of_repairs_that_were_killed_early_are_removed(archive):
    for name in ("damaged-2026-01-01", "damaged-2026-01-01-2", "damaged-goods", "damaged-2026-01-02"):
        (archive.folder / name).mkdir()
        (archive.folder / name / "manifest.json").touch()
    (archive.folder / "damaged-2026-01-02" / "mine.txt").touch()
    assert Archive.repair(archive.folder).done == []
    assert sorted(asides(archive)) == ["damaged-2026-01-02", "damaged-goods"]  # what a repair does not make stays


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
    assert "1 utterance of the table" in repairs.left[1]


def test_temporary_files_and_a_damaged_cache(archive):
    for name in (".manifest.json.new-abc.json", "weights/.current.json.new-1.json", "recognised/deep/.x.new-2.slf"):
        (archive.folder / name).parent.mkdir(exist_ok=True)
        (archive.folder / name).touch()
    (archive.folder / "cache").mkdir()
    (archive.folder / "cache" / f"{'0' * 20}.arrow").write_bytes(b"nothing")
    (archive.folder / "cache" / "mine.txt").touch()
    repairs = Archive.repair(archive.folder)
    assert any("3 temporary files" in line for line in repairs.done)
    assert any("stored features were damaged" in line for line in repairs.done)
    assert [p.name for p in (archive.folder / "cache").iterdir() if p.name != "lock"] == ["mine.txt"]
    assert Archive.repair(archive.folder).done == []


def test_a_damaged_store(archive):
    want = archive.judgments.all()
    store = archive.folder / "store.sqlite"
    whole = store.read_bytes()
    store.write_bytes(whole[:100] + b"\xff" * 20 + whole[120:] if len(whole) < 4096 else whole[:-4096] + b"\xff" * 4096)
    (archive.folder / "store.sqlite-journal").write_bytes(b"")
    with pytest.raises(rk.InputError):
        Archive(archive.folder).check()
    repairs = Archive.repair(archive.folder)
    assert re.search(r"rows? could be read and are in a new store\.sqlite", repairs.done[0])
    kept = archive.folder / asides(archive)[0] / "store.sqlite"
    assert kept.stat().st_size == len(whole)
    Archive(archive.folder).check()
    assert Archive(archive.folder).judgments.all().qrels.items() <= want.qrels.items()
    assert Archive.repair(archive.folder).done == []
    assert kept.exists()


@pytest.mark.parametrize("damage", ["name = x'ff'", "about = '{'"])
def test_recordings_whose_rights_are_lost_are_closed(archive, damage):
    archive.metadata.merge({"one": {"rights": "closed"}, "three": {"title": "Three"}})
    assert "one" not in {hit.document for hit in archive.search("words")}
    with sqlite3.connect(archive.folder / "store.sqlite") as db:
        db.execute("DELETE FROM about WHERE field = 'rights'")
        db.execute(f"UPDATE recording SET {damage} WHERE name = 'one'")
    db.close()
    repairs = Archive.repair(archive.folder)
    (line,) = [line for line in repairs.done if "are not known any more" in line]
    again = Archive(archive.folder)
    again.check()
    assert again.metadata.get("one")["rights"] == "closed"
    assert "rights" not in again.metadata.get("three")
    assert "one" not in {hit.document for hit in again.search("words")}
    again.metadata.undo(int(re.search(r"--undo (\d+)", line)[1]))
    assert "rights" not in again.metadata.get("one")


def test_a_missing_store_is_replaced_and_closes_all(archive):
    archive.recordings.delete(["three"])
    (archive.folder / "store.sqlite").unlink()
    (archive.folder / "recognised" / "deep" / "two.slf").rename(archive.folder / "recognised" / "two.slf")
    repairs = Archive.repair(archive.folder)
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


def test_damaged_judgments_of_an_older_release(tmp_path):
    old = saved(tmp_path)
    (old.folder / "judgments.sqlite").write_bytes(b"nothing" * 1000)
    repairs = Archive.repair(old.folder)
    assert "0 rows could be read" in repairs.done[0]
    again = Archive(old.folder)
    again.judgments.store.query("x")
    again.check()


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


def test_damaged_weights_are_said(tmp_path):
    old = saved(tmp_path)
    for path in (old.folder / "weights").glob("[0-9a-f]*.json"):
        if path.name != "current.json":
            damage(path)
    assert "learn again, or use others" in Archive.repair(old.folder).left[0]
    shutil.rmtree(old.folder)
