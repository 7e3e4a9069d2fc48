"""The archive on disk: kills, damage, a full disk, two writers, files of other versions."""

import json
import os
import signal
import time
from contextlib import suppress

import numpy as np
import pytest

import rankine as rk
from rankine.files import sealed
from rankine.spoken.archive.archive import Archive
from rankine.spoken.index.storage import writing

from ..cases import answers, filled, lattice, state

DAMAGE = "the archive is damaged|is damaged: the checksum is wrong|manifest of a spoken archive, or damaged|reads up to"


def in_child(change):
    """Start a change in a process of its own."""
    child = os.fork()
    if child == 0:
        try:
            change()
        finally:
            os._exit(0)
    return child


def test_two_hundred_kills(tmp_path):
    place = tmp_path / "a"
    archive = filled(place, [f"d{i}" for i in range(8)])
    rng = np.random.default_rng(2)
    interrupted = finished = 0
    began = time.perf_counter()
    for i in range(4):
        os.waitpid(in_child(lambda i=i: archive.add_lattices([("d0", lattice(999 + i))])), 0)
    usual = (time.perf_counter() - began) / 4  # seconds that a change takes where it is not killed
    archive.refresh()
    before = state(place)
    for round_ in range(200):
        what = rng.integers(3)
        new = [(f"d{rng.integers(14)}", lattice(1000 + round_))]
        gone = [str(rng.choice(sorted(before)))]
        if what == 0 or len(before) < 3:
            child = in_child(lambda new=new: archive.add_lattices(new))
        elif what == 1:
            child = in_child(lambda gone=gone: archive.delete(gone))
        else:
            child = in_child(archive.merge)
        time.sleep(float(rng.uniform(0, 1.5 * usual)))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        interrupted += os.WIFSIGNALED(status)
        after = state(place)
        archive.refresh()
        if after == before:
            continue
        finished += 1
        changed = {n for n in {*before, *after} if before.get(n) != after.get(n)}
        assert changed <= ({new[0][0]} if what == 0 or len(before) < 3 else set(gone) if what == 1 else set())
        assert archive.search("w0 w1 w2 w3 w4 w5", k=3)
        before = after
    assert interrupted > 20
    assert finished > 20
    archive.merge()
    assert sorted(p.name for p in place.iterdir() if p.suffix not in (".part",)) == ["lock", "manifest.json"]


def test_a_flipped_byte_is_found_and_never_gives_wrong_hits(tmp_path):
    place = tmp_path / "a"
    archive = filled(place, [f"d{i}" for i in range(5)])
    want = answers(archive)
    rng = np.random.default_rng(3)
    for file in [p for p in place.iterdir() if p.stat().st_size]:
        original = file.read_bytes()
        for at in rng.choice(len(original), min(len(original), 250), replace=False).tolist():
            file.write_bytes(original[:at] + bytes([original[at] ^ (1 << rng.integers(8))]) + original[at + 1 :])
            with pytest.raises(rk.InputError, match=DAMAGE):
                Archive(place).check()
            with suppress(rk.InputError):
                assert answers(Archive(place)) == want
        file.write_bytes(original)
    assert answers(Archive(place)) == want
    part = next(place.glob("*.part"))
    part.write_bytes(part.read_bytes()[:-10])
    with pytest.raises(rk.InputError, match="bytes instead of"):
        Archive(place)
    part.unlink()
    with pytest.raises(rk.InputError, match="missing"):
        Archive(place)


def test_writers_exclude_each_other(tmp_path):
    archive = filled(tmp_path / "a", ["d"])
    with writing(tmp_path / "a"), pytest.raises(rk.InputError, match="another process"):
        archive.delete(["d"])
    assert archive.search("w0 w1 w2 w3 w4 w5")
    archive.delete(["d"])


def test_a_full_disk_loses_nothing(tmp_path, monkeypatch):
    archive = filled(tmp_path / "a", ["d", "e"])
    want = state(tmp_path / "a")
    before = sorted(p.name for p in (tmp_path / "a").iterdir())
    assert len(before) == 3  # one part, the manifest, the lock

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for change in (lambda: archive.add_lattices([("f", lattice(9))]), lambda: archive.delete(["d"])):
        with pytest.raises(OSError, match="No space left"):
            change()
    monkeypatch.undo()
    assert state(tmp_path / "a") == want
    assert sorted(p.name for p in (tmp_path / "a").iterdir()) == before


@pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder(tmp_path):
    archive = filled(tmp_path / "a", ["d"])
    (tmp_path / "a").chmod(0o555)
    with pytest.raises(OSError, match="denied"):
        archive.delete(["d"])
    (tmp_path / "a").chmod(0o755)


def test_an_empty_part_is_found(tmp_path):
    filled(tmp_path / "a", ["d"])
    next((tmp_path / "a").glob("*.part")).write_bytes(b"")
    with pytest.raises(rk.InputError, match="0 bytes instead of"):
        Archive(tmp_path / "a")


def with_format(manifest, value):
    """A manifest with another format, its checksum right."""
    content = json.loads(manifest.read_bytes().partition(b"\n")[2])
    return sealed(json.dumps({**content, "format": value}))


def test_manifests_of_other_versions(tmp_path):
    archive = filled(tmp_path / "a", ["d"])
    want = answers(archive)
    manifest = tmp_path / "a" / "manifest.json"
    original = manifest.read_bytes()
    manifest.write_bytes(with_format(manifest, 1))
    assert answers(Archive(tmp_path / "a")) == want  # the same format, written anew
    for value, message in (
        (2, "format 2; this version reads up to 1"),
        (None, "not the manifest of a spoken archive"),
        ("2", "not the manifest of a spoken archive"),
    ):
        manifest.write_bytes(with_format(manifest, value))
        with pytest.raises(rk.InputError, match=message):
            Archive(tmp_path / "a")
        manifest.write_bytes(original)
    manifest.write_bytes(original.replace(b'"format": 1', b'"format": 2'))  # a newer one is not asked for its checksum
    with pytest.raises(rk.InputError, match="format 2; this version reads up to 1"):
        Archive(tmp_path / "a")
    manifest.write_bytes(original.replace(b'"format": 1', b'"format": 0'))
    with pytest.raises(rk.InputError, match="checksum is wrong"):
        Archive(tmp_path / "a")
    manifest.write_text(json.dumps({"some": "thing"}))
    with pytest.raises(rk.InputError, match="not the manifest of a spoken archive, or damaged"):
        Archive(tmp_path / "a")
