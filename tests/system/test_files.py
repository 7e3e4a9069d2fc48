"""Files are replaced whole, folders have one lock, fingerprints change with what they are made of."""

import io
import subprocess
import sys

import numpy as np
import pytest

from rankine.errors import InputError
from rankine.system.files import (
    Rewindable,
    fingerprint,
    fingerprint_of_file,
    is_temporary,
    locked,
    open_target,
    replacing,
    stamp,
    write_file,
)


@pytest.mark.parametrize("durable", [False, True])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, durable):
    target = tmp_path / "model.json"
    write_file(target, b"old", durable)

    def fail():
        with replacing(target, durable) as temporary:
            temporary.write_bytes(b"new")
            assert is_temporary(temporary)
            assert temporary.suffix == ".json"
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert target.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["model.json"]
    write_file(target, b"new", durable)
    assert target.read_bytes() == b"new"
    assert not is_temporary(target)


def test_the_folder_must_exist(tmp_path):
    with pytest.raises(InputError, match=r"there is no folder .*missing' to write into"):
        write_file(tmp_path / "missing" / "model.json", b"")


def test_one_process_holds_the_lock(tmp_path):
    script = (
        "import sys\nfrom rankine.system.files import locked\n"
        "with locked(sys.argv[1], 'taken'):\n    print('held', flush=True)\n    sys.stdin.readline()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "held\n"
        with pytest.raises(InputError, match="taken"), locked(tmp_path, "taken"):
            pass
        other.stdin.write("\n")
        other.stdin.flush()
        with locked(tmp_path, "taken", wait=30.0):
            pass
    with locked(tmp_path, "taken"), pytest.raises(InputError, match="taken"), locked(tmp_path, "taken"):
        pass  # nor twice in one process


def test_fingerprints(tmp_path):
    whole = fingerprint("ab", b"c")
    assert whole == fingerprint(b"abc") == fingerprint(np.frombuffer(b"abc", np.uint8))
    assert len(whole) == 32
    assert whole != fingerprint(b"abd")
    assert fingerprint("x", size=12, algorithm="sha256") == "2d711642b726b04401627ca9"
    (tmp_path / "f").write_bytes(b"c")
    assert fingerprint_of_file(tmp_path / "f", "ab") == whole


def test_a_stamp_changes_with_a_file_in_a_folder(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "mdef").write_bytes(b"1")
    before = stamp(tmp_path / "model")
    (tmp_path / "model" / "mdef").write_bytes(b"12")
    assert stamp(tmp_path / "model") != before
    assert stamp(tmp_path / "model" / "mdef")[1] == 2


def test_the_lock_of_a_file_stands_beside_it_and_is_removed(tmp_path):
    with locked(tmp_path / "out.part", "busy"):
        assert [p.name for p in tmp_path.iterdir()] == ["out.part.lock"]
        with pytest.raises(InputError, match=r"out\.part: busy"), locked(tmp_path / "out.part", "busy"):
            pass
    assert list(tmp_path.iterdir()) == []
    with locked(tmp_path / "out.part", "busy"):
        pass


def test_a_stream_can_be_read_again_from_its_beginning():
    rng = np.random.default_rng(0)
    text = rng.bytes(100_000)
    stream = Rewindable(io.BytesIO(text), "x")
    assert io.BufferedReader(stream, 10).read(1234) == text[:1234]
    stream.rewind()
    assert stream.readall() == text


def test_files_are_compressed_by_their_ending_or_not_written(tmp_path):
    import bz2

    with open_target(tmp_path / "x.BZ2") as stream:
        stream.write(b"text")
    assert bz2.decompress((tmp_path / "x.BZ2").read_bytes()) == b"text"
    for ending in (".zip", ".7z", ".lz4", ".Z"):
        target = open_target(tmp_path / f"y{ending}")
        with pytest.raises(InputError, match=r"files are compressed as .gz, .bz2, .xz or .zst only"), target:
            pass
    assert [path.name for path in tmp_path.iterdir()] == ["x.BZ2"]
