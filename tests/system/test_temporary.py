"""Temporary files are gone after their block, and errors name the file that was to be written."""

import errno
import os
from pathlib import Path

import pytest

from rankine.system.temporary import remove_all, temporary_beside, temporary_folder, unlink_copies


def test_a_file_is_gone_after_its_block(tmp_path):
    with temporary_beside(tmp_path / "a.txt") as file:
        assert file.parent == tmp_path
        assert file.suffix == ".txt"
    assert list(tmp_path.iterdir()) == []


def test_one_that_took_another_place_is_no_error(tmp_path):
    with temporary_beside(tmp_path / "a.txt") as file:
        os.replace(file, tmp_path / "a.txt")
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS])
def test_errors_name_the_target(tmp_path, number):
    target = tmp_path / "a.txt"
    for arguments in ((number, "full"), (number, "full", str(tmp_path / ".a.txt.new-1"))):
        with pytest.raises(OSError, match="full") as error, temporary_beside(target):
            raise OSError(*arguments)
        assert (error.value.errno, error.value.filename) == (number, str(target))
    with pytest.raises(OSError, match="a library's words") as error, temporary_beside(target):
        raise OSError("a library's words")
    assert error.value.filename == str(target)
    assert list(tmp_path.iterdir()) == []


def test_an_error_of_another_file_stays(tmp_path):
    with pytest.raises(FileNotFoundError) as error, temporary_beside(tmp_path / "a.txt"):
        open(tmp_path / "b.txt")
    assert error.value.filename == str(tmp_path / "b.txt")


def test_a_folder_that_has_vanished(tmp_path):
    with pytest.raises(FileNotFoundError) as error, temporary_beside(tmp_path / "gone" / "a.txt"):
        pass
    assert error.value.filename == str(tmp_path / "gone" / "a.txt")


def test_all_are_removed_before_the_process_ends(tmp_path):
    with temporary_beside(tmp_path / "a.txt"), temporary_folder("rankine-") as folder:
        Path(folder, "x").write_text("x")
        remove_all()
        assert list(tmp_path.iterdir()) == []
        assert not os.path.exists(folder)


def test_a_hard_link_gets_a_place_of_its_own(tmp_path):
    (tmp_path / "a").write_text("before")
    os.link(tmp_path / "a", tmp_path / "b")
    unlink_copies(tmp_path / "a")
    unlink_copies(tmp_path / "absent")
    (tmp_path / "a").write_text("after")
    assert (tmp_path / "b").read_text() == "before"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b"]


def test_a_temporary_file_that_cannot_be_removed_hides_no_error(tmp_path, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "no", path)

    monkeypatch.setattr(os, "unlink", refuse)
    with pytest.raises(ZeroDivisionError), temporary_beside(tmp_path / "a.txt"):
        raise ZeroDivisionError
