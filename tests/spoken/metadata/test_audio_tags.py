"""Tags fill what nothing was ever said about."""

import pytest

from rankine.spoken.metadata.audio_tags import fill_from_tags

from ..cases import filled
from ..recognise.tagged import flac

pytest.importorskip("tinytag")
pytest.importorskip("soundfile")


@pytest.fixture
def archive(tmp_path):
    return filled(tmp_path / "a", ["tape1", "tape2", "tape3"])


def tagged(path, **tags):
    return flac(path, tags.items())


def test_filling(archive, tmp_path):
    about = archive.metadata
    about.set("tape1", {"title": "Mine", "date": "2020"}, by="eve")
    about.clear("tape1", ["date"], by="eve")
    about.set("tape2", {"collection": "x"}, by="eve")
    about.undo(by="eve")
    paths = {
        "tape1": tagged(tmp_path / "1.flac", title="Tag", artist="Ann", date="2023"),
        "tape2": tagged(tmp_path / "2.flac", title="Tag 2", album="Talks", date="5/11/2023", comment="a\x07b"),
        "tape3": tmp_path / "none.flac",
        "gone": tagged(tmp_path / "4.flac", title="x"),
    }
    before = len(about.history())
    fill_from_tags(archive.folder, paths, by="add")
    assert about.get("tape1") == {"title": "Mine", "speakers": "Ann"}
    assert about.get("tape2") == {"title": "Tag 2"}
    assert about.get("tape3") == {}
    history = about.history()
    assert [(b.what, b.who, b.rows) for b in history[before:]] == [("tags of audio files", "add", 2)]
    assert fill_from_tags(archive.index, paths) == []
    about.undo()
    assert fill_from_tags(archive.index, paths) == []  # it was taken back: tags do not come again
    assert about.get("tape2") == {}
    assert fill_from_tags(archive.index, {}) == []
