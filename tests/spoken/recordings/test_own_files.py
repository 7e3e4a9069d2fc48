"""Files that settings name are the archive's own: copied in, and nothing else is read."""

import json

import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.index.settings import Settings
from rankine.spoken.lattice.formats import one_best
from rankine.system.files import sealed


def changed(archive, **settings):
    """The archive with other settings, its checksum right."""
    path = archive.folder / "manifest.json"
    content = json.loads(path.read_bytes().partition(b"\n")[2])
    content["settings"].update(settings)
    path.write_bytes(sealed(json.dumps(content)))
    return Archive(archive.folder)


def filled(tmp_path, units):
    archive = Archive.create(tmp_path / "a", Settings(kinds={"word": "words", "morph": str(units)}))
    archive.lattices.add([("talk", one_best([("unhappy", 0.0, 0.5, 0.9)]))])
    return archive


def test_a_file_of_units_is_copied(tmp_path):
    units = tmp_path / "morphs.txt"
    units.write_text("unhappy un happy\nhappier happi er\n")
    archive = filled(tmp_path, units)
    units.unlink()
    again = Archive(archive.folder)
    again.check()
    assert again.settings.kinds == {"word": "words", "morph": "units-1.txt"}
    assert again.parse("unhappy").units("morph") == ["un", "happy"]
    (archive.folder / "units-1.txt").write_text("other o ther\n")
    with pytest.raises(rk.InputError, match="this file is missing or its checksum is wrong"):
        Archive(archive.folder)


def test_a_file_outside_is_not_read_until_it_is_copied_in(tmp_path):
    units = tmp_path / "morphs.txt"
    units.write_text("unhappy un happy\n")
    archive = filled(tmp_path, units)
    old = changed(archive, kinds={"word": "words", "morph": str(units)})  # as archives of earlier releases have it
    assert old.recordings.names == ["talk"]
    with pytest.raises(rk.InputError, match="which is not the archive's own and is not read: copy it in") as caught:
        old.search("unhappy")
    assert "un happy" not in str(caught.value)
    with pytest.raises(rk.InputError, match="does not need a file called 'x'"):
        old.copy_file("x", units)
    old.copy_file(str(units), units)
    assert old.search("unhappy")[0].recording == "talk"
    Archive(archive.folder).check()


def test_a_dictionary_outside_is_not_read(tmp_path):
    (tmp_path / "few.dict").write_text("word W ER D\n")
    secret = tmp_path / "secret"
    secret.write_text("a-secret-line\n")
    archive = Archive.create(tmp_path / "a", dictionary=tmp_path / "few.dict")
    archive.lattices.add([("talk", one_best([("word", 0.0, 0.5, 0.9)]))])
    assert archive.index.dictionary == str(tmp_path / "a" / "dictionary.txt")
    for name in (str(secret), "../secret", "/etc/passwd"):
        with pytest.raises(rk.InputError, match="which is not the archive's own and is not read") as caught:
            changed(archive, dictionary=name).search("word")
        assert "a-secret-line" not in str(caught.value)
    for kinds in ({"word": "words", "x": str(secret)}, {"word": "words", "x": "/etc/passwd"}):
        with pytest.raises(rk.InputError, match="not read") as caught:
            changed(archive, dictionary="dictionary.txt", kinds=kinds).search("word")
        assert "a-secret-line" not in str(caught.value)
    again = changed(archive, dictionary="old.dict", kinds={"word": "words"})
    again.copy_file("old.dict", tmp_path / "few.dict")
    assert again.search("word")
