"""Bags against the Library of Congress' own checker, and what is refused."""

import gc
import os
import sys
import zipfile
from pathlib import Path

import pytest

import rankine as rk
from rankine.spoken.maintenance.bagit import BagWriter, read_manifest, read_tags


def made(path, **files):
    bag = BagWriter(path, "mine")
    for name, data in files.items():
        bag.add(name, [data], len(data))
    bag.close({"Rankine-Format": "2"})


def tags(path):
    with zipfile.ZipFile(path) as archive:
        return {n.removeprefix("mine/"): archive.read(n) for n in archive.namelist() if "/data/" not in n}


def test_another_checker_finds_it_valid(tmp_path):
    bagit = pytest.importorskip("bagit")
    # a per cent sign is escaped as RFC 8493 says, which this checker does not read
    made(tmp_path / "a.zip", **{"deep/a b.txt": b"per cent", "a.slf.gz": b"\x1f\x8b", "empty": b""})
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        archive.extractall(tmp_path)
    bag = bagit.Bag(str(tmp_path / "mine"))
    assert bag.validate()
    assert bag.info["Payload-Oxum"] == "10.3"
    (tmp_path / "mine" / "data" / "empty").write_text("x")
    with pytest.raises(bagit.BagValidationError):
        bag.validate()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no file that is always full")
def test_a_full_disk_is_one_error_and_nothing_is_written_later(monkeypatch):
    later = []
    monkeypatch.setattr(sys, "unraisablehook", later.append)
    with pytest.raises(OSError, match="No space left"), BagWriter(Path("/dev/full"), "mine") as bag:
        bag.add("x", [os.urandom(100_000)], 100_000)
    del bag
    gc.collect()
    assert later == []


def test_the_same_content_gives_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        made(tmp_path / name, x=b"1" * 1000, y=b"2")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_what_is_written_is_read(tmp_path):
    made(tmp_path / "a.zip", **{"100%25": b"x"})
    info, sums = read_tags(tags(tmp_path / "a.zip"), "a.zip")
    assert info == {"Payload-Oxum": "1.1", "Rankine-Format": "2"}
    assert list(sums) == ["data/100%25"]


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("bagit.txt", lambda data: None, r"a\.zip: not a packed archive: it has no bagit\.txt"),
        ("bagit.txt", lambda data: data.replace(b"1.0", b"9.0"), "is not that of a bag"),
        ("bagit.txt", lambda data: b"\xff", r"a\.zip, bagit\.txt: not a packed archive: this is no text in UTF-8"),
        ("bag-info.txt", lambda data: data + b"x: y\n", r"the checksum of bag-info\.txt is wrong"),
        ("manifest-sha256.txt", lambda data: data + data, r"the checksum of manifest-sha256\.txt is wrong"),
        ("tagmanifest-sha256.txt", lambda data: b"", r"the checksum of bagit\.txt is wrong"),
    ],
)
def test_what_is_no_bag(tmp_path, name, change, message):
    made(tmp_path / "a.zip", x=b"1")
    files = tags(tmp_path / "a.zip")
    files[name] = change(files[name])
    with pytest.raises(rk.InputError, match=message):
        read_tags({n: data for n, data in files.items() if data is not None}, "a.zip")


@pytest.mark.parametrize("line", ["x", "ab  data/x", "a" * 64 + "  ../x", "a" * 64 + "  /x", "a" * 64 + "  data/a%0Ab"])
def test_lines_of_a_manifest_that_are_refused(line):
    with pytest.raises(rk.InputError, match="m, 2: expected a checksum and the name of a file"):
        read_manifest("b" * 64 + "  data/fine\n" + line, "m")


def test_a_file_is_listed_once():
    with pytest.raises(rk.InputError, match="m, 2: expected a checksum"):
        read_manifest(("a" * 64 + "  data/x\n") * 2, "m")
