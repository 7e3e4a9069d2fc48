"""Places: stored names stay in their folder."""

import os

import pytest

from rankine.errors import InputError
from rankine.system.paths import check_below, check_name, folder_inside, inside, plain_files


@pytest.mark.parametrize(
    "name",
    [
        "", ".", "..", "../x", "a/../x", "a/./x", "/etc/passwd", "a//x", "a/", "C:x", "a/C:x", "C:\\x", "..\\x", "a\\b",
        "a\0b", "a\nb", "\x1b[31m", "\ud800", "x" * 256, "a/" * 3000 + "b",
    ],
)  # fmt: skip
def test_names_that_lead_out_or_are_none(name, tmp_path):
    with pytest.raises(InputError, match="a stored name must stay in its folder") as caught:
        inside(tmp_path, name)
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="line 3: a stored name"):
        check_name(name, "journal, line 3")


@pytest.mark.parametrize("name", ["x", "a/x", "..x", "x..", "é/温度.slf.gz", "a b", ".hidden", "11:30"])
def test_names_that_stay(name, tmp_path):
    assert inside(tmp_path, name) == tmp_path / name


def test_nothing_on_the_way_is_a_link_or_a_pipe(tmp_path):
    folder = tmp_path / "archive"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "file").touch()
    (tmp_path / "victims").mkdir()
    (tmp_path / "victims" / "file").touch()
    (folder / "link").symlink_to(tmp_path / "victims")
    (folder / "own").symlink_to("deep")
    (folder / "file").symlink_to(tmp_path / "victims" / "file")
    (folder / "nowhere").symlink_to(tmp_path / "new")
    os.mkfifo(folder / "pipe")
    for name, says in (
        ("link/file", "expected a folder, and this is a link"),
        ("own/file", "a link"),
        ("file", "expected a file, and this is a link"),
        ("nowhere", "a link"),
        ("pipe", "a pipe"),
        ("pipe/x", "expected a folder, and this is a pipe"),
        ("deep", "expected a file, and this is a folder"),
    ):
        with pytest.raises(InputError, match=says):
            inside(folder, name)
    with pytest.raises(InputError, match="expected a folder, and this is a link"):
        folder_inside(folder, "link")
    assert folder_inside(folder, "deep") == folder / "deep"
    assert inside(folder, "deep/file").exists()
    assert list(plain_files(folder)) == []
    assert list(plain_files(folder / "missing")) == []
    assert [p.name for p in plain_files(folder / "deep")] == ["file"]
    with pytest.raises(InputError, match="a link: it is not used"):
        check_below(folder)
    check_below(folder / "deep")


def test_the_folder_itself_may_be_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "archive").symlink_to("real")
    (tmp_path / "real" / "file").touch()
    assert inside(tmp_path / "archive", "file").exists()
