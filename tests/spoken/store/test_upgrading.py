"""Archives of format 1: read as they are, and upgraded by their first change."""

import json
import shutil

import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.store.store import Store
from rankine.spoken.store.upgrading import FORMAT, KEPT, is_earlier, upgrade
from rankine.system.files import sealed

from ... import folders

SAVED = folders.SAVED / "spoken"


@pytest.fixture
def old(tmp_path):
    """An archive of 0.1 with judgments."""
    shutil.copytree(SAVED / "archive", tmp_path / "archive")
    return tmp_path / "archive"


def content(folder):
    return json.loads((folder / "manifest.json").read_bytes().partition(b"\n")[2])


def test_reading_changes_nothing(old):
    before = {p.name: p.read_bytes() for p in old.iterdir() if p.is_file()}
    archive = Archive(old)
    assert archive.search("railway")
    assert archive.judgments.all().n_judgments > 0
    archive.check()
    assert {p.name: p.read_bytes() for p in old.iterdir() if p.is_file()} == before
    assert is_earlier(old)


@pytest.mark.parametrize(
    "change",
    [
        lambda archive: archive.judgments.store.query("a new query"),
        lambda archive: archive.recordings.delete([archive.recordings.names[0]]),
        lambda archive: archive.weights.use(None),
        lambda archive: archive.merge(),
        lambda archive: archive.upgrade(),
    ],
    ids=["a judgment", "a deletion", "weights", "a merge", "asked for"],
)
def test_the_first_change_of_any_kind_upgrades(old, change):
    judged = Archive(old).judgments.all()
    change(Archive(old))
    assert not is_earlier(old)
    assert content(old)["format"] == FORMAT == 2
    assert not (old / "judgments.sqlite").exists()
    assert not (old / KEPT).exists()
    again = Archive(old).judgments.all()
    assert again.qrels.items() >= judged.qrels.items()
    Archive(old).check()


def test_a_new_archive_has_the_present_format(tmp_path):
    Archive.create(tmp_path / "a")
    assert content(tmp_path / "a")["format"] == FORMAT
    assert not Store(tmp_path / "a").upgrade()


class Stop(Exception):
    pass


def test_what_is_interrupted_is_the_old_state_and_is_upgraded_later(old):
    judged = Archive(old).judgments.all()
    before = content(old)

    def stopped():
        Store(old)._take_over()  # as far as the store, and no further
        raise Stop

    with pytest.raises(Stop):
        upgrade(old, stopped)
    assert content(old) == before
    assert (old / KEPT / "manifest.json").read_bytes() == (old / "manifest.json").read_bytes()
    assert (old / KEPT / "judgments.sqlite").exists()
    assert Archive(old).judgments.all() == judged
    assert Store(old).upgrade()
    assert Archive(old).judgments.all() == judged
    assert not (old / KEPT).exists()


def test_judgments_that_an_older_release_adds_after_an_interruption_count(old):
    (old / "store.sqlite").touch()
    other = old.parent / "other"
    shutil.copytree(old, other)
    (other / "judgments.sqlite").unlink()
    Store(other).upgrade()  # a store without judgments
    with Store(other).writing("query") as batch:
        batch.db.execute("INSERT INTO query VALUES ('1', 'railway')")
    shutil.copy(other / "store.sqlite", old)
    (old / KEPT).mkdir()
    judged = len(Archive(old).judgments.all().qrels)
    assert judged == 1
    Store(old).upgrade()
    assert Archive(old).judgments.all().n_judgments > 1


def test_what_is_left_of_an_upgrade_is_removed(old):
    Archive(old).upgrade()
    (old / KEPT).mkdir()
    (old / KEPT / "manifest.json").touch()
    assert not Store(old).upgrade()
    assert not (old / KEPT).exists()


def test_a_format_of_the_future_is_refused(old):
    manifest = old / "manifest.json"
    manifest.write_bytes(sealed(json.dumps(content(old) | {"format": 3, "version": "7.0"})))
    for use in (Archive, lambda folder: Store(folder).upgrade() or Archive(folder)):
        with pytest.raises(rk.InputError, match=r"made by Rankine 7\.0, format 3; this version reads up to 2"):
            use(old)


def test_a_damaged_manifest_is_not_upgraded(old):
    (old / "manifest.json").write_bytes((old / "manifest.json").read_bytes().replace(b'"serial": 4', b'"serial": 5'))
    with pytest.raises(rk.InputError, match="the checksum is wrong"):
        Store(old).upgrade()
