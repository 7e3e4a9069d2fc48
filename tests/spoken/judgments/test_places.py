"""Judgments as places."""

import pytest

from rankine.spoken.archive import Archive
from rankine.spoken.judgments.places import JudgedNames, judged_places
from rankine.spoken.learn.judgments import Judged
from rankine.spoken.recordings.places import places_of, segment

from ..cases import spoken


@pytest.fixture
def talk(tmp_path):
    """A recording of three segments: 0 to 2 s, 2 to 3.5 s, 3.5 to 4 s; and one that is called like a place."""
    archive = spoken(tmp_path / "a", "a b | c | d")
    archive.lattices.add([("talk@1-2", archive_lattice())])
    return archive


def archive_lattice():
    from rankine.spoken.lattice.formats import one_best

    return one_best([("x", 0.0, 1.0, 1.0)])


def test_names_mean_segments(talk):
    index = talk.index
    first = places_of(index, index.number_of("talk"))[0]
    best = lambda recording: places_of(index, recording)[-1]  # noqa: E731
    names = [segment(index, place).name for place in range(first, first + 3)]
    for offset, name in enumerate(names):
        assert judged_places(index, {name: 1.0}, best) == {first + offset: 1.0}
    assert judged_places(index, {"talk": 2.0}, best) == {first + 2: 2.0}
    assert judged_places(index, {"talk@0.2-0.3": 1.0, "talk@2.2": 0.0}, best) == {first: 1.0, first + 1: 0.0}
    assert judged_places(index, {"talk@0-1": 1.0, "talk@0.1-0.9": 0.0}, best) == {first: 0.0}  # the last counts
    own = places_of(index, index.number_of("talk@1-2"))[0]
    assert judged_places(index, {"talk@1-2": 1.0, "talk@1-2@0-1": 2.0}, best) == {own: 2.0}
    assert judged_places(index, {"gone": 1.0, "gone@1-2": 1.0, "talk@99-100": 1.0, "talk@x": 1.0}, best) == {}
    assert judged_places(index, {"talk": 1.0}, lambda recording: None) == {}


def test_what_can_be_judged(talk):
    names = JudgedNames(talk.index)
    judged = Judged({"1": "a"}, {"1": {"talk": 1.0, "talk@0-1": 1.0, "gone@0-1": 0.0, "talk@99-100": 1.0}})
    assert judged.within(names).qrels == {"1": {"talk": 1.0, "talk@0-1": 1.0}}
    assert len(names) == 2
    assert set(names) == {"talk", "talk@1-2"}


def test_a_judged_place_is_the_same_after_merging(talk, tmp_path):
    names = {segment(talk.index, place).name: float(place) for place in range(3)}
    before = {segment(talk.index, p).name: g for p, g in judged_places(talk.index, names, lambda d: None).items()}
    talk.lattices.add([("a first one", archive_lattice())])
    talk.merge()
    index = Archive(tmp_path / "a").index
    assert {segment(index, p).name: g for p, g in judged_places(index, names, lambda d: None).items()} == before
