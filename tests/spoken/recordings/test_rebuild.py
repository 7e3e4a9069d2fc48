"""The index built anew from the archive's own lattices."""

from rankine.spoken.archive import Archive
from rankine.spoken.index.storage import writing
from rankine.spoken.recordings.rebuild import rebuild, recognised, texts_of

from ..maintenance import packs


def test_what_is_rebuilt_is_what_there_was(tmp_path):
    archive = packs.recognised(tmp_path / "a")
    before, texts = packs.found_in(archive), texts_of(archive.index)
    assert texts == {}  # they are in the store
    assert recognised(tmp_path / "a")["deep/two"] == ["deep/two.slf"]
    with writing(tmp_path / "a") as writer:
        writer.commit([])
    changes = rebuild(tmp_path / "a", texts, 1, lambda done, total: None)
    assert changes[:4] == (3, 0, 0, 0)
    assert sorted(packs.found_in(Archive(tmp_path / "a"))) == sorted(before)


def test_an_archive_without_lattices(tmp_path):
    Archive.create(tmp_path / "a")
    assert recognised(tmp_path / "a") == {}
    assert rebuild(tmp_path / "a", {}, 1, lambda done, total: None)[:5] == (0, 0, 0, 0, [])
