"""Unpacking what someone else has packed: nothing outside the folder, nothing that is not checked, all or nothing."""

import hashlib
import io
import json
import os
import stat
import zipfile

import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.maintenance.unpacking import unpack
from rankine.spoken.recordings.roots import RecordingRoots
from rankine.system import limits
from rankine.system.files import sealed

from .packs import recognised


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """The bytes of a packed archive."""
    place = tmp_path_factory.mktemp("packed")
    recognised(place / "a").pack(place / "out.zip")
    return (place / "out.zip").read_bytes()


def changed(data, change=lambda files: None, more=(), sums=True):
    """A zip of other files, all checksums right unless ``sums`` is false; ``more`` are (ZipInfo or name, bytes)."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = {n.removeprefix("out/"): archive.read(n) for n in archive.namelist()}
    change(files)
    if sums:
        every = files | {getattr(n, "filename", n).removeprefix("out/"): d for n, d in more}
        listed = {n: d for n, d in sorted(every.items()) if n.startswith("data/") and not n.endswith("/")}
        files["manifest-sha256.txt"] = "".join(
            f"{hashlib.sha256(d).hexdigest()}  {n}\n" for n, d in listed.items()
        ).encode()
        tags = ("bagit.txt", "bag-info.txt", "manifest-sha256.txt")
        files["tagmanifest-sha256.txt"] = "".join(
            f"{hashlib.sha256(files[n]).hexdigest()}  {n}\n" for n in tags if n in files
        ).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(f"out/{name}", content)
        for name, content in more:
            archive.writestr(name, content)
    return out.getvalue()


def refused(tmp_path, data, message):
    """That a zip is refused in one line, and that nothing is left of it."""
    (tmp_path / "x.zip").write_bytes(data)
    before = sorted(p.name for p in tmp_path.iterdir())
    with pytest.raises(rk.InputError, match=message) as caught:
        unpack(tmp_path / "x.zip", tmp_path / "new")
    assert str(caught.value).startswith(str(tmp_path / "x.zip"))
    assert "\n" not in str(caught.value)
    assert sorted(p.name for p in tmp_path.iterdir()) == before


def named(name, mode=0, content=b"x"):
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return (info, content)


@pytest.mark.parametrize(
    "name",
    ["../evil", "/evil", "out/../../evil", "out/data/../../../evil", "C:/evil", "out/data/C:evil", "out/data/a\\..\\b",
     "out//evil", "out/data/./x", "out/data/a\nb"],
)  # fmt: skip
def test_names_that_lead_elsewhere(tmp_path, packed, name):
    refused(tmp_path, changed(packed, more=[named(name)], sums=False), "a name leads out of the folder")


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK, stat.S_IFDIR])
def test_links_and_devices(tmp_path, packed, kind):
    more = [named("out/data/recognised/link.slf", kind | 0o777, b"/etc/passwd")]
    refused(tmp_path, changed(packed, more=more), "expected a file, and this is a link or a device")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_doubled_names_and_names_that_differ_in_case(tmp_path, packed):
    refused(tmp_path, changed(packed, more=[named("out/data/manifest.json")], sums=False), "is there twice")
    refused(tmp_path, changed(packed, more=[named("out/data/Manifest.JSON")], sums=False), "differ only in case")
    refused(tmp_path, changed(packed, more=[named("out/data/Recognised/x.slf")], sums=False), "differ only in case")
    umlauts = [named("out/data/recognised/\u00fc.slf"), named("out/data/recognised/u\u0308.slf")]
    refused(tmp_path, changed(packed, more=umlauts, sums=False), "differ only in case")
    below = [named("out/data/manifest.json/x")]
    refused(tmp_path, changed(packed, more=below, sums=False), "stands below a file")


@pytest.mark.parametrize(
    "name",
    ["lock", "store.sqlite-journal", "store.sqlite-wal", "run.py", "cache/x.arrow", "recognised/lock",
     "recognised/.hidden", "recognised/deep/lock", "weights/x.json", "000000001.part.new",
     "judgments.sqlite"],
)  # fmt: skip
def test_files_that_an_archive_does_not_have(tmp_path, packed, name):
    refused(tmp_path, changed(packed, more=[named(f"out/data/{name}")]), "is no file of an archive")


def test_a_damaged_file_anywhere(tmp_path, packed):
    """Bytes that are changed are noticed: the archive is refused, or what was changed does not count."""
    (tmp_path / "x.zip").write_bytes(packed)
    unpack(tmp_path / "x.zip", tmp_path / "whole")
    want = rk.spoken.Archive(tmp_path / "whole").judgments.all()
    refusals = 0
    for at in range(0, len(packed), max(len(packed) // 150, 1)):
        damaged = bytearray(packed)
        damaged[at] ^= 0x41
        (tmp_path / "x.zip").write_bytes(damaged)
        try:
            unpack(tmp_path / "x.zip", tmp_path / f"b{at}")
        except rk.InputError as error:
            assert "\n" not in str(error)
            refusals += 1
        else:  # a time, or a size that is not used
            assert Archive(tmp_path / f"b{at}").judgments.all() == want
    assert refusals > 100


def test_a_truncated_or_foreign_file(tmp_path, packed):
    for size in (0, 10, len(packed) // 2, len(packed) - 5):
        refused(tmp_path, packed[:size], "not a packed archive, or damaged")
    refused(tmp_path, b"PK\x05\x06" + bytes(18), "not a packed archive: expected one folder")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("photos/1.jpg", b"x")
    refused(tmp_path, out.getvalue(), r"not a packed archive: it has no bagit\.txt")
    with pytest.raises(FileNotFoundError):
        unpack(tmp_path / "none.zip", tmp_path / "new")


def test_bags_of_others_and_of_the_future(tmp_path, packed):
    def info(old, new):
        return lambda files: files.__setitem__("bag-info.txt", files["bag-info.txt"].replace(old, new))

    refused(tmp_path, changed(packed, info(b"Rankine-Format", b"Other")), "this bag holds something else")
    message = r"packed by 'Rankine .*', format 3; this version reads up to 2"
    refused(tmp_path, changed(packed, info(b"Format: 2", b"Format: 3")), message)
    message = r"packed by 'Rankine .*', format 1; this version reads from 2 on"
    refused(tmp_path, changed(packed, info(b"Format: 2", b"Format: 1")), message)


def test_checksums_and_lists_that_do_not_agree(tmp_path, packed):
    def content(files):
        files["data/recognised/one.slf"] += b"x"

    refused(tmp_path, changed(packed, content, sums=False), "the checksum of 'data/recognised/one.slf' is wrong")
    refused(tmp_path, changed(packed, lambda f: f.pop("data/recognised/one.slf"), sums=False), "one.slf' is not there")
    more = [named("out/data/recognised/more.slf")]
    refused(tmp_path, changed(packed, more=more, sums=False), "more.slf' has no checksum")
    part = next(n for n in zipfile.ZipFile(io.BytesIO(packed)).namelist() if n.endswith(".part"))
    refused(tmp_path, changed(packed, lambda f: f.pop(part.removeprefix("out/"))), r"\.part: the archive is damaged")


def test_right_checksums_and_wrong_content(tmp_path, packed):
    def manifest(files):
        text = files["data/manifest.json"].partition(b"\n")[2]
        content = json.loads(text)
        content["parts"][0]["file"] = "../../evil.part"
        files["data/manifest.json"] = sealed(json.dumps(content))

    refused(tmp_path, changed(packed, manifest), "expected the name of a part")
    refused(tmp_path, changed(packed, lambda f: f.__setitem__("data/store.sqlite", b"x" * 4096)), "store.sqlite: not a")


def test_bombs(tmp_path, packed, monkeypatch):
    bomb = changed(packed, more=[("out/data/recognised/bomb.slf", bytes(120 << 20))])
    assert len(bomb) < 1 << 20
    refused(tmp_path, bomb, "over 200 times as much")
    monkeypatch.setenv(limits.SIZE, "1MB")
    refused(tmp_path, bomb, "more than 1 MB, the most that is read")


def test_the_target_is_new_or_empty(tmp_path, packed):
    (tmp_path / "x.zip").write_bytes(packed)
    (tmp_path / "empty").mkdir()
    assert unpack(tmp_path / "x.zip", tmp_path / "empty") == 3
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").touch()
    (tmp_path / "file").touch()
    os.symlink(tmp_path / "nowhere", tmp_path / "link")
    for name in ("empty", "full", "file", "link"):
        with pytest.raises(rk.InputError, match="into a new or an empty folder, and this is neither"):
            unpack(tmp_path / "x.zip", tmp_path / name)
    with pytest.raises(rk.InputError, match="there is no folder"):
        unpack(tmp_path / "x.zip", tmp_path / "none" / "a")


def test_a_full_disk_names_the_new_archive(tmp_path, packed, monkeypatch):
    """Also where the system does not say which file has no room."""

    def fail(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rankine.spoken.maintenance.unpacking._finish", fail)
    (tmp_path / "x.zip").write_bytes(packed)
    with pytest.raises(OSError, match=r"No space left on device: '.*new'"):
        unpack(tmp_path / "x.zip", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_what_was_left_behind_is_removed(tmp_path, packed):
    (tmp_path / "x.zip").write_bytes(packed)
    (tmp_path / ".b.new-abc").mkdir()
    (tmp_path / ".c.new-abc").mkdir()
    unpack(tmp_path / "x.zip", tmp_path / "b")
    assert sorted(p.name for p in tmp_path.iterdir() if ".new-" in p.name) == [".c.new-abc"]
    assert not list(tmp_path.glob("*.lock"))


def test_roots_of_recordings_are_not_inherited(tmp_path, monkeypatch):
    monkeypatch.setenv("RANKINE_SETTINGS", str(tmp_path / "settings.json"))
    archive = recognised(tmp_path / "a")
    archive.recordings.add_roots([tmp_path])
    archive.pack(tmp_path / "out.zip")
    (tmp_path / "a").rename(tmp_path / "moved")
    again = Archive.unpack(tmp_path / "out.zip", tmp_path / "a")
    assert RecordingRoots(again.folder, again.index.manifest).given == []
