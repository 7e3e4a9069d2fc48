"""Scripts that an archive has or has not."""

from rankine.spoken.archive import Archive
from rankine.spoken.query.vocabulary import foreign, scripts_of

from ..cases import SMALL, sausages


def test_scripts():
    assert scripts_of(["don't", "naïve"]) == {"Latin"}
    assert scripts_of(["שלום", "مرحبا", "温"]) == {"Hebrew", "Arabic", "Chinese"}
    assert scripts_of(["14", ""]) == set()


def test_a_script_that_the_archive_has_not(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    assert foreign(archive.index, ["привет"]) == ""  # nothing to compare with
    archive.lattices.index(sausages(tmp_path / "s.sausage", "u [ press 1 ] [ 设定 1 ]"))
    assert foreign(archive.index, ["привет"]) == (
        ": it is written in Cyrillic letters, the archive in Chinese and Latin ones"
    )
    assert foreign(archive.index, ["温", "привет"]) == foreign(archive.index, ["14"]) == ""
