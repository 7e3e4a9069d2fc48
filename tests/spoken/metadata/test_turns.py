"""Turns of speakers: recorded, replaced, undone, and used by hits and filters."""

from itertools import pairwise

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.lattice.formats import one_best
from rankine.spoken.metadata.turns import SpeakerTurn, all_turns, record_turns, speakers_at, speakers_of_places

from ..cases import SMALL

TURNS = [SpeakerTurn(0.0, 1.0, "Ann"), SpeakerTurn(1.0, 4.0, "Bob Lee"), SpeakerTurn(3.5, 4.0, "Ann")]


@pytest.fixture
def archive(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    words = [("press", 0.0, 1.0, 0.9), ("paper", 1.0, 2.0, 0.9)]
    archive.lattices.add([("talk", one_best(words)), ("other", one_best(words))])
    return archive


def speakers_of(archive, name, start, end):
    return speakers_of_places(archive.index, [(name, start, end)])[0]


def test_turns(archive):
    assert speakers_of(archive, "talk", 0, 9) == []
    assert all_turns(archive.index) == {}
    record_turns(archive.folder, {"talk": TURNS}, by="eve")
    assert all_turns(archive.index) == {"talk": TURNS}
    assert speakers_of(archive, "talk", 0.0, 2.0) == ["Ann", "Bob Lee"]
    assert speakers_of(archive, "talk", 2.0, 2.0) == ["Bob Lee"]
    assert speakers_of(archive, "talk", 5.0, 6.0) == speakers_of(archive, "zz", 0, 9) == []
    record_turns(archive.folder, {"talk": [SpeakerTurn(0, 9, "Cy")]})
    assert speakers_of(archive, "talk", 2.0, 3.0) == ["Cy"]
    assert [b.what for b in archive.metadata.history()] == ["turns of speakers"] * 2
    archive.metadata.undo()
    assert all_turns(archive.index) == {"talk": TURNS}
    archive.check()


def test_hits_and_filters(archive):
    archive.metadata.set(["talk", "other"], {"speakers": "Eve"})
    record_turns(archive.folder, {"talk": TURNS})
    speakers = {(h.recording, h.start): h.speaker for h in archive.search("press")} | {
        (h.recording, h.start): h.speaker for h in archive.search("paper")
    }
    assert speakers[("talk", 0.0)] == "Ann"
    assert speakers[("talk", 1.0)] == "Bob Lee"
    assert speakers[("other", 0.0)] == speakers[("other", 1.0)] == "Eve"
    assert {h.recording for h in archive.search("press speaker:bob")} == {"talk"}
    assert {h.recording for h in archive.search("press speakers:eve")} == {"talk", "other"}
    with pytest.raises(
        rk.InputError, match=r"no recording is by the speaker 'bop'. Did you mean 'Bob Lee'|no recording"
    ):
        archive.search("press speaker:bop")
    archive.metadata.undo()
    with pytest.raises(rk.InputError, match="no recording is by the speaker 'bob'"):
        archive.search("press speaker:bob")


@pytest.mark.parametrize(
    ("turn", "message"),
    [
        ((2.0, 1.0, "Ann"), "talk: expected a turn from a time to a later one in seconds, got 2 to 1"),
        ((-1.0, 1.0, "Ann"), "got -1 to 1"), ((0.0, np.inf, "Ann"), "got 0 to inf"), ((np.nan, 1.0, "x"), "got nan"),
        ((0.0, 1.0, " "), "expected the name of a speaker from 0 to 1, got none"),
    ],
)  # fmt: skip
def test_what_is_no_turn(archive, turn, message):
    with pytest.raises(rk.InputError, match=message):
        record_turns(archive.folder, {"talk": [SpeakerTurn(*turn)]})
    with pytest.raises(rk.InputError, match="no recording is called 'tale'"):
        record_turns(archive.folder, {"tale": TURNS})
    assert archive.metadata.history() == []


def test_who_speaks_most_comes_first():
    rng = np.random.default_rng(0)
    for _ in range(200):
        turns = [
            SpeakerTurn(a, a + b, f"s{s}") for a, b, s in zip(*rng.random((2, 6)), rng.integers(0, 3, 6), strict=True)
        ]
        start, end = sorted(rng.random(2) * 2)
        grid = np.linspace(start, end, 2001)[:-1] + (end - start) / 4000
        seconds = {}
        for t in turns:
            n = int(((grid >= t.start) & (grid < t.stop)).sum())
            if n > 2:
                seconds[t.speaker] = seconds.get(t.speaker, 0) + n
        got = speakers_at(turns, start, end)
        assert set(seconds) <= set(got)
        shares = [seconds.get(s, 0) for s in got]
        assert all(a >= b - 20 for a, b in pairwise(shares))
