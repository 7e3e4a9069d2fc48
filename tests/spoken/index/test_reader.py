"""Readers keep the state that they opened, and find recordings by name and number."""

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.archive import Archive

from ..cases import answers, filled, lattice


def test_readers_keep_theirstate(tmp_path):
    place = tmp_path / "a"
    old = filled(place, [f"d{i}" for i in range(6)])
    reader, want = Archive(place), answers(old)
    old.lattices.add([("more", lattice(50))])
    middle = Archive(place)
    between = answers(middle)
    old.merge()
    old.recordings.delete(["d0", "d1"])
    assert answers(reader) == want
    assert answers(middle) == between
    reader.refresh()
    assert answers(reader) == answers(Archive(place)) != want


def test_recordings_by_name_and_number(several):
    index = several.index
    assert len(index.parts) > 1
    for number, name in enumerate(index.names):
        assert index.name_of(number) == name
        assert index.numbers[name] == number
        part, own = index.place_of(name)
        assert part.names[own] == name
        d = int(name[1:])
        assert index.utterances_of(name) == {f"u{u:02d}" for u in range(3 * d, 3 * d + 3)}
        assert index.recording_texts["title"][number] == f"t{d}"
    some = np.array([0, 5, 8, 19])
    names = [part.names[n] for part, _, numbers in index.by_part(some) for n in numbers.tolist()]
    assert names == [index.names[n] for n in some]
    assert index.n_utterances == 60
    with pytest.raises(rk.InputError, match="no recording is called 'd0'"):
        index.place_of("d0")


def test_vocabulary(several):
    assert "w0" in several.index.vocabulary
    assert "w99" not in several.index.vocabulary
    assert several.index.has("character", ["x", "w"])
    assert not several.index.has("character", ["x"])
