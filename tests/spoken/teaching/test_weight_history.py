"""The weights of an archive are kept, and one can go back to earlier ones."""

import json

import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.learn.weights import Weights
from rankine.system.files import sealed


def test_weights_are_kept_and_can_be_undone(taught):
    archive, _ = taught
    names = tuple(archive.ranker_names)
    one = Weights(names, tuple(range(len(names))), None, "one", {"queries": 3})
    two = Weights(names, tuple(-x for x in range(len(names))), None, "two", {})
    archive.use_weights(one)
    archive.use_weights(two)
    assert Archive(archive.folder).weights == two
    assert archive.weights_history[-2:] == [one.id, two.id]
    archive.use_weights(one.id)
    assert archive.weights == one
    archive.check()
    with pytest.raises(rk.InputError, match="no weights are called"):
        archive.use_weights("nonsense")
    with pytest.raises(rk.InputError, match="the weights are for x"):
        archive.use_weights(Weights(("x-cn-1",), (1.0,), None, "x", {}))
    file = archive.folder / "weights" / f"{one.id}.json"
    content = file.read_bytes()
    file.write_bytes(content.replace(b'"one"', b'"two"'))
    with pytest.raises(rk.InputError, match="damaged"):
        Archive(archive.folder).search("w0")
    file.unlink()
    with pytest.raises(rk.InputError, match="in use but missing"):
        Archive(archive.folder).search("w0")
    Archive(archive.folder).use_weights(None)  # the way out
    file.write_bytes(content)
    archive.refresh()
    assert archive.weights is None


@pytest.mark.parametrize(
    "content",
    [{}, [], {"current": None}, {"current": 1, "history": []}, {"current": "../x", "history": []},
     {"current": None, "history": ["../../x"]}, {"current": None, "history": [None]},
     {"current": None, "history": "abcdef"}],
)  # fmt: skip
def test_a_list_of_weights_of_another_form(taught, content):
    archive, _ = taught
    archive.use_weights(None)
    path = archive.folder / "weights" / "current.json"
    original = path.read_bytes()
    path.write_bytes(sealed(json.dumps(content)))
    for use in (lambda: Archive(archive.folder).weights, archive.check, lambda: archive.use_weights(None)):
        with pytest.raises(rk.InputError, match=r"current\.json: not the list of weights"):
            use()
    path.write_bytes(original)


def test_writing_does_not_follow_links(taught, tmp_path):
    archive, _ = taught
    archive.use_weights(None)
    (tmp_path / "victim").write_text("mine")
    (archive.folder / "weights" / "current.json.new").symlink_to(tmp_path / "victim")
    archive.use_weights(None)
    assert (tmp_path / "victim").read_text() == "mine"
    (archive.folder / "weights" / "current.json.new").unlink()
