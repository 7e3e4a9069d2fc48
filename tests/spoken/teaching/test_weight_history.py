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
    archive.weights.use(one)
    archive.weights.use(two)
    assert Archive(archive.folder).weights.learned == two
    assert archive.weights.history[-2:] == [one.id, two.id]
    archive.weights.use(one.id)
    assert archive.weights.learned == one
    archive.check()
    with pytest.raises(rk.InputError, match="no weights are called"):
        archive.weights.use("nonsense")
    with pytest.raises(rk.InputError, match="the weights are for x"):
        archive.weights.use(Weights(("x-cn-1",), (1.0,), None, "x", {}))
    file = archive.folder / "weights" / f"{one.id}.json"
    content = file.read_bytes()
    file.write_bytes(content.replace(b'"one"', b'"two"'))
    with pytest.raises(rk.InputError, match="damaged"):
        Archive(archive.folder).search("w0")
    file.unlink()
    with pytest.raises(rk.InputError, match="in use but missing"):
        Archive(archive.folder).search("w0")
    Archive(archive.folder).weights.use(None)  # the way out
    file.write_bytes(content)
    archive.refresh()
    assert archive.weights.learned is None


@pytest.mark.parametrize(
    "content",
    [{}, [], {"current": None}, {"current": 1, "history": []}, {"current": "../x", "history": []},
     {"current": None, "history": ["../../x"]}, {"current": None, "history": [None]},
     {"current": None, "history": "abcdef"}],
)  # fmt: skip
def test_a_list_of_weights_of_another_form(taught, content):
    archive, _ = taught
    archive.weights.use(None)
    path = archive.folder / "weights" / "current.json"
    original = path.read_bytes()
    path.write_bytes(sealed(json.dumps(content)))
    for use in (lambda: Archive(archive.folder).weights.learned, archive.check, lambda: archive.weights.use(None)):
        with pytest.raises(rk.InputError, match=r"current\.json: not the list of weights"):
            use()
    path.write_bytes(original)


def test_writing_does_not_follow_links(taught, tmp_path):
    archive, _ = taught
    archive.weights.use(None)
    (tmp_path / "victim").write_text("mine")
    (archive.folder / "weights" / "current.json.new").symlink_to(tmp_path / "victim")
    archive.weights.use(None)
    assert (tmp_path / "victim").read_text() == "mine"
    (archive.folder / "weights" / "current.json.new").unlink()
