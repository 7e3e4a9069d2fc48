"""What only a further recogniser heard is found at places that the own one left empty."""

import json
from dataclasses import dataclass, field

import numpy as np
import pytest

import rankine as rk
from rankine.spoken import Archive

from .cases import Second, Told, word_archive, write_recordings

soundfile = pytest.importorskip("soundfile")

RATE = 16000


@dataclass(frozen=True)
class Loudness:
    """Hears the word that stands for the loudness of a segment, all through it; nothing where there is none for it."""

    words: tuple
    rate: int = RATE
    ending: str = ".json"
    calls: list = field(default_factory=list, repr=False, compare=False)

    @property
    def settings(self):
        return repr(self.words)

    def __call__(self, samples):
        level = int(np.abs(samples.astype(int)).max()) // 1000 - 1
        self.calls.append(level)
        if not self.words[level]:
            return None
        words = [{"word": self.words[level], "start": 0.0, "end": len(samples) / RATE, "probability": 0.9}]
        return json.dumps({"segments": [{"words": words}]}).encode()


class Louder(Loudness):
    """The same by another name."""


def write_bursts(path, levels):
    """Bursts of noise, two seconds each, with pauses of three seconds between them."""
    rng = np.random.default_rng(0)
    parts = [np.zeros(RATE)]
    for level in levels:
        burst = rng.uniform(-1, 1, 2 * RATE)
        parts += [1000 * (level + 1) * burst / np.abs(burst).max() + 0.6 * np.sign(burst), np.zeros(3 * RATE)]
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, np.concatenate(parts).astype(np.int16), RATE)


def test_a_recording_in_which_the_own_recogniser_heard_nothing(tmp_path):
    write_recordings(tmp_path / "audio", range(3))
    own = Told((((1.0, "one"),), (), ((1.0, "three"),)))
    second = Second((((1.0, "first"),), ((1.0, "middle word"),), ((1.0, "last"),)))
    archive = word_archive(tmp_path / "archive")
    added = archive.recordings.add(tmp_path / "audio", [own])
    assert (archive.recordings.names, added.recognised.silent) == (["r00", "r02"], ["r01"])
    archive.hearings.add(tmp_path / "audio", [second])
    assert sorted(archive.recordings.names) == ["r00", "r01", "r02"]
    with pytest.raises(rk.InputError, match="occurs in this archive"):  # the hearing does not count
        archive.search("middle")
    archive.hearings.weigh("second", 1.0)
    hit = archive.search('"middle word"')[0]
    assert (hit.recording, hit.snippet) == ("r01", "middle word")
    assert archive.search("three")[0].recording == "r02"


@pytest.fixture
def bursts(tmp_path):
    """An archive of a recording of four segments and of another one; the own recogniser hears only some of them."""
    write_bursts(tmp_path / "audio" / "long.wav", [0, 1, 2, 3])
    write_bursts(tmp_path / "audio" / "other.wav", [1, 4])
    archive = word_archive(tmp_path / "archive")
    archive.recordings.add(tmp_path / "audio", [OWN, FURTHER], longest=5.0)
    archive.hearings.weigh("louder", 1.0)
    return archive


OWN = Loudness(("one", None, "three", None, None))
FURTHER = Louder(("uno", "due", "tre", None, "cinque"))


def found(archive, word):
    return sorted((hit.recording, round(hit.start, 1)) for hit in archive.search(word))


def test_segments_in_which_the_own_recogniser_heard_nothing(bursts):
    (own,) = found(bursts, "uno")
    assert [recording for recording, _ in found(bursts, "due")] == ["long", "other"]
    assert found(bursts, "due")[0][1] == pytest.approx(own[1] + 5, abs=0.1)
    assert found(bursts, "cinque")[0][0] == "other"
    files = sorted(path.name for path in (bursts.folder / "recognised").glob("*@*"))
    assert files == [
        "long@00001.json", "long@00002.slf.gz", "long@00003.json", "other@00001.slf.gz", "other@00002.slf.gz",
    ]  # fmt: skip
    bursts.check()


def test_places_without_words_stay_and_nothing_is_heard_again(bursts, tmp_path):
    before, n = found(bursts, "due"), len(OWN.calls)
    added = bursts.recordings.add(tmp_path / "audio", [OWN], longest=5.0)
    assert (added.recognised.done, added.recognised.before, len(OWN.calls)) == (0, 2, n)
    assert found(bursts, "due") == before
    (tmp_path / "audio" / "long.wav").rename(tmp_path / "audio" / "new.wav")
    bursts.recordings.add(tmp_path / "audio", [OWN], longest=5.0)
    assert [recording for recording, _ in found(bursts, "due")] == ["new", "other"]
    bursts.recordings.delete(["other"])
    assert [recording for recording, _ in found(bursts, "due")] == ["new"]
    bursts.recordings.undelete(["other"])
    assert len(found(bursts, "due")) == 2
    bursts.pack(tmp_path / "packed.zip")
    unpacked = Archive.unpack(tmp_path / "packed.zip", tmp_path / "unpacked")
    unpacked.check()
    assert found(unpacked, "due") == found(bursts, "due")
    again = Archive.repair(bursts.folder)
    assert (again.lost, again.left) == ([], [])


def test_another_own_recogniser_keeps_what_only_the_further_one_has(bursts, tmp_path):
    other = Loudness((None, "two", None, None, None))
    bursts.recordings.add(tmp_path / "audio", [other], longest=5.0)
    assert found(bursts, "two") == found(bursts, "due")
    assert [recording for recording, _ in found(bursts, "uno")] == ["long"]
    assert not (bursts.folder / "recognised" / "long@00002.slf.gz").exists()


def test_segments_that_were_cut_otherwise_are_no_new_ones(bursts, tmp_path):
    n = int(bursts.index.places_before[-1])
    bursts.hearings.add(tmp_path / "audio", {"short": FURTHER}, longest=2.0)
    assert int(bursts.index.places_before[-1]) == n
    bursts.hearings.weigh("louder", 0.0)
    bursts.hearings.weigh("short", 1.0)
    assert [recording for recording, _ in found(bursts, "due")] == ["long", "other"]
