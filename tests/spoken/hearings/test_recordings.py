"""Further recognisers hear the recordings of an archive, each once, whatever happens to them in between."""

import zipfile

import pytest

import rankine as rk
from rankine.spoken import Archive

from .cases import Second, Third, Told, word_archive, write_recordings

pytest.importorskip("soundfile")


def lists(word, n=8):
    return tuple(((1.0, f"{word}{chr(97 + i)} said"),) for i in range(n))


@pytest.fixture
def place(tmp_path):
    write_recordings(tmp_path / "audio", range(3))
    return tmp_path


def test_nothing_is_heard_twice(place):
    own, second, third = Told(lists("own")), Second(lists("second")), Third(lists("third"))
    archive = word_archive(place / "archive")
    archive.recordings.add(place / "audio", [own])
    added = archive.recordings.add(place / "audio", [own, second])
    assert added.errors == []
    assert (added.recognised.done, added.heard["second"].recognised.done) == (0, 3)
    heard = archive.hearings.add(place / "audio", [third])
    assert heard["third"].changes.added == 3
    write_recordings(place / "audio", [3])
    archive.recordings.add(place / "audio", [own, second])
    assert [sorted(some.calls) for some in (own, second, third)] == [[0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2]]
    assert [hearing.name for hearing in archive.hearings.all()] == ["second", "third"]
    assert not list(place.glob("archive/hearings/*/store*"))  # what is said about recordings is said of the own ones


def test_renamed_and_moved_recordings_keep_their_hearings(place):
    own, second = Told(lists("own")), Second(lists("second"))
    archive = word_archive(place / "archive")
    archive.recordings.add(place / "audio", [own, second])
    archive.hearings.weigh("second", 1.0)
    (place / "audio" / "deep").mkdir()
    (place / "audio" / "r01.wav").rename(place / "audio" / "deep" / "other.wav")
    archive.recordings.add(place / "audio", [own])
    assert [hit.recording for hit in archive.search("secondb")] == ["deep/other"]
    archive.recordings.add(place / "audio", [own, second])
    assert [hit.recording for hit in archive.search("secondb")] == ["deep/other"]
    assert len(own.calls) == len(second.calls) == 3


def test_deleted_recordings_are_not_heard_and_purged_ones_are_forgotten(place):
    own, second = Told(lists("own")), Second(lists("second"))
    archive = word_archive(place / "archive")
    archive.recordings.add(place / "audio", [own])
    archive.recordings.delete(["r00"])
    archive.hearings.add(place / "audio", [second])
    assert sorted(second.calls) == [1, 2]
    archive.recordings.delete(["r01"])
    archive.recordings.purge()
    hearing = Archive(place / "archive" / "hearings" / "second")
    assert sorted(hearing.recordings.names) == ["r01", "r02"]  # one of them is in the bin
    archive.recordings.purge(days=0)
    hearing.refresh()
    assert hearing.recordings.names == ["r02"]
    assert not list(hearing.folder.glob("recognised/r01*"))
    archive.recordings.add(place / "audio" / "r01.wav", [own, second])
    hearing.refresh()
    assert sorted(hearing.recordings.names) == ["r01", "r02"]
    archive.hearings.weigh("second", 1.0)
    assert [hit.recording for hit in archive.search("secondb")] == ["r01"]


def test_what_cannot_be_heard(place, tmp_path):
    archive = word_archive(place / "archive")
    with pytest.raises(rk.InputError, match="it holds no recording"):
        archive.hearings.add(place / "audio", [Second(lists("second"))])
    with pytest.raises(rk.InputError, match=r"no further hearing is called 'second'\. There are: none"):
        archive.hearings.weigh("second", 1.0)
    assert not (place / "archive" / "hearings").exists()


def test_hearings_are_removed(place):
    archive = word_archive(place / "archive")
    archive.recordings.add(place / "audio", [Told(lists("own")), Second(lists("second"))])
    archive.hearings.weigh("second", 1.0)
    assert archive.search("secondb")
    archive.hearings.remove("second")
    assert archive.hearings.all() == []
    assert list((place / "archive" / "hearings").iterdir()) == []
    with pytest.raises(rk.InputError, match="occurs in this archive"):
        archive.search("secondb")


@pytest.fixture
def two(place):
    """An archive that a second recogniser has heard, which counts."""
    archive = word_archive(place / "archive")
    archive.recordings.add(place / "audio", [Told(lists("own")), Second(lists("second"))])
    archive.hearings.weigh("second", 0.5)
    return archive


def answers(archive):
    return [(hit.recording, hit.score, hit.snippet) for word in "abc" for hit in archive.search(f"second{word} said")]


@pytest.mark.parametrize("index", [True, False])
def test_hearings_are_packed(two, place, index):
    before = answers(two)
    two.pack(place / "packed.zip", index=index)
    unpacked = Archive.unpack(place / "packed.zip", place / "unpacked")
    assert answers(unpacked) == before
    assert unpacked.hearings.all()[0].weight == two.hearings.all()[0].weight
    unpacked.check()


def test_what_is_deleted_is_not_packed(two, place):
    two.recordings.delete(["r01"])
    two.pack(place / "packed.zip")
    unpacked = Archive.unpack(place / "packed.zip", place / "unpacked")
    assert sorted(Archive(unpacked.hearings.all()[0].folder).recordings.names) == ["r00", "r02"]


def test_closed_recordings_are_left_out_of_packed_hearings(two, place):
    two.metadata.set("r01", {"rights": "closed"})
    two.pack(place / "packed.zip", open_only=True)
    unpacked = Archive.unpack(place / "packed.zip", place / "unpacked")
    assert sorted(Archive(unpacked.hearings.all()[0].folder).recordings.names) == ["r00", "r02"]
    with zipfile.ZipFile(place / "packed.zip") as packed:
        content = b"".join(packed.read(name) for name in packed.namelist())
    assert b"r01" not in content
    assert str(place).encode() not in content  # paths are below named roots


def test_hearings_are_merged_and_checked(two, place):
    write_recordings(place / "audio", [3, 4])
    two.recordings.add(place / "audio", [Told(lists("own")), Second(lists("second"))])
    before, hearing = answers(two), two.hearings.all()[0].folder
    assert len(Archive(hearing).index.parts) > 1
    two.merge()
    assert len(Archive(hearing).index.parts) == 1
    two.check()
    assert answers(two) == before
    part = next(hearing.glob("*.part"))
    content = bytearray(part.read_bytes())
    content[100] ^= 255
    part.write_bytes(content)
    (hearing / "hearing.json").write_text("{}")
    with pytest.raises(rk.InputError, match="the weight of a hearing"):
        two.check()
    repairs = Archive.repair(two.folder)
    assert (repairs.lost, repairs.left) == ([], [])
    assert any(line.startswith("hearings/second: 5 recordings indexed again") for line in repairs.done)
    repaired = Archive(two.folder)
    repaired.check()
    assert repaired.hearings.all()[0].weight.weight == 0
    repaired.hearings.weigh("second", 0.5)
    assert sorted(answers(repaired)) == sorted(before)
