"""The archive on disk: kills, damage, a full disk, two writers, files of other versions."""

import json
import os
import signal
import sys
from contextlib import suppress

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.index.storage import writing
from rankine.system.files import sealed

from ..cases import answers, filled, lattice, state

WRITERS = {
    "rankine.system.files",
    "rankine.spoken.index.storage",
    "rankine.spoken.index.changes",
    "filelock._unix",
    "shutil",
}
MANY = 10**9
DAMAGE = "the archive is damaged|is damaged: the checksum is wrong|manifest of a spoken archive, or damaged|reads up to"


def die_after(lines):
    """Kill this process before so many more lines of the modules that write have run; lines left are returned."""
    left = [lines]

    def trace(frame, event, _):
        if frame.f_globals.get("__name__") not in WRITERS:
            return None
        left[0] -= event == "line"
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)
    return left


def in_child(change, lines):
    """Make a change in a process of its own that is killed after so many lines; the lines that were left, or None."""
    reading, writing_end = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            left = die_after(lines)
            change()
            sys.settrace(None)
            os.write(writing_end, str(left[0]).encode())
        finally:
            os._exit(0)
    os.close(writing_end)
    _, status = os.waitpid(child, 0)
    with os.fdopen(reading) as pipe:
        left = pipe.read()
    assert os.WIFSIGNALED(status) == (left == "")
    return int(left) if left else None


def test_two_hundred_kills(tmp_path):
    place = tmp_path / "a"
    archive = filled(place, [f"d{i}" for i in range(8)])
    rng = np.random.default_rng(2)
    interrupted = finished = committed = 0
    usual = MANY - in_child(lambda: archive.lattices.add([("d0", lattice(999))]), MANY)
    archive.refresh()
    before = state(place)
    for round_ in range(200):
        what = rng.integers(3)
        new = [(f"d{rng.integers(14)}", lattice(1000 + round_))]
        gone = [str(rng.choice(sorted(before)))]
        change, expected = [
            (lambda new=new: archive.lattices.add(new), {new[0][0]}),
            (lambda gone=gone: archive.recordings.delete(gone), set(gone)),
            (archive.merge, set()),
        ][0 if len(before) < 3 else what]
        whole = in_child(change, int(rng.integers(1, 2 * usual))) is not None
        after = state(place)
        archive.refresh()
        changed = {n for n in {*before, *after} if before.get(n) != after.get(n)}
        assert changed == expected if whole else changed <= expected
        assert archive.search("w0 w1 w2 w3 w4 w5", k=3)
        finished += whole
        interrupted += not whole
        committed += not whole and after != before
        before = after
    assert interrupted > 50
    assert finished > 50
    assert committed > 5  # killed between the commit and the end
    archive.merge()
    left = {p.name for p in place.iterdir() if p.suffix != ".part"}
    assert left == {"lock", "manifest.json", "bin", "store.sqlite"}


def test_a_flipped_byte_is_found_and_never_gives_wrong_hits(tmp_path):
    place = tmp_path / "a"
    archive = filled(place, [f"d{i}" for i in range(5)])
    want = answers(archive)
    rng = np.random.default_rng(3)
    for file in [p for p in place.iterdir() if p.stat().st_size and p.suffix != ".sqlite"]:
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
        archive.recordings.delete(["d"])
    assert archive.search("w0 w1 w2 w3 w4 w5")
    archive.recordings.delete(["d"])


def test_a_full_disk_loses_nothing(tmp_path, monkeypatch):
    archive = filled(tmp_path / "a", ["d", "e"])
    want = state(tmp_path / "a")
    before = sorted(p.name for p in (tmp_path / "a").iterdir())
    assert len(before) == 4  # one part, the manifest, the lock, the store

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for change in (lambda: archive.lattices.add([("f", lattice(9))]), lambda: archive.recordings.delete(["d"])):
        with pytest.raises(OSError, match="No space left"):
            change()
    monkeypatch.undo()
    assert state(tmp_path / "a") == want
    assert sorted(p.name for p in (tmp_path / "a").iterdir() if p.name != "bin") == before
    assert not list((tmp_path / "a").glob("bin/*"))


@pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder(tmp_path):
    archive = filled(tmp_path / "a", ["d"])
    (tmp_path / "a").chmod(0o555)
    with pytest.raises(OSError, match="denied"):
        archive.recordings.delete(["d"])
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


def test_an_unknown_setting_is_an_error_that_names_it_and_the_release(tmp_path):
    filled(tmp_path / "a", ["d"])
    manifest = tmp_path / "a" / "manifest.json"
    content = json.loads(manifest.read_bytes().partition(b"\n")[2])
    content["settings"]["stress"], content["version"] = True, "0.9.1"
    manifest.write_bytes(sealed(json.dumps(content)))
    message = r"manifest\.json: this release does not know the setting 'stress', which Rankine 0\.9\.1 wrote: update"
    with pytest.raises(rk.InputError, match=message):
        Archive(tmp_path / "a")


def test_manifests_of_other_versions(tmp_path):
    archive = filled(tmp_path / "a", ["d"])
    want = answers(archive)
    manifest = tmp_path / "a" / "manifest.json"
    original = manifest.read_bytes()
    manifest.write_bytes(with_format(manifest, 2))  # the same, written anew
    assert answers(Archive(tmp_path / "a")) == want
    for value, message in (
        (1, "format 1; this version reads from 2 on"),
        (3, "format 3; this version reads up to 2"),
        (None, "not the manifest of a spoken archive"),
        ("2", "not the manifest of a spoken archive"),
    ):
        manifest.write_bytes(with_format(manifest, value))
        with pytest.raises(rk.InputError, match=message):
            Archive(tmp_path / "a")
        manifest.write_bytes(original)
    manifest.write_bytes(original.replace(b'"format": 2', b'"format": 3'))  # a newer one is not asked for its checksum
    with pytest.raises(rk.InputError, match="format 3; this version reads up to 2"):
        Archive(tmp_path / "a")
    manifest.write_bytes(original.replace(b'"format": 2', b'"format": 0'))
    with pytest.raises(rk.InputError, match="checksum is wrong"):
        Archive(tmp_path / "a")
    manifest.write_text(json.dumps({"some": "thing"}))
    with pytest.raises(rk.InputError, match="not the manifest of a spoken archive, or damaged"):
        Archive(tmp_path / "a")
