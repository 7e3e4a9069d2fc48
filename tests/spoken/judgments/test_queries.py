"""Measures of judged queries as trec_eval computes them, and which places are to be judged next."""

import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.judgments.places import named_place
from rankine.spoken.lattice.formats import one_best
from rankine.spoken.learn.disagreement import DEPTH

from ... import reference as ref
from ..cases import SMALL, lattice


@pytest.fixture
def archive(tmp_path):
    made = Archive.create(tmp_path / "a", SMALL)
    made.lattices.add([(f"d{i:02d}", lattice(i, 12)) for i in range(60)])
    # no evidence of any query, in one place and in two
    made.lattices.add([("nothing", one_best([("zz", 0.0, 1.0, 0.9)]))])
    made.lattices.add([("long", one_best([("zz", 0.0, 1.0, 0.9), ("yy", 9.0, 9.5, 0.9)]))])
    return made


def test_measures_are_those_of_the_ranking(archive):
    hits = archive.search("w1 w2", 1000)
    for hit, grade in ((hits[0], 0.0), (hits[2], 2.0), (hits[5], 1.0)):
        archive.judgments.add("w1 w2", hit, grade)
    assert "nothing" not in {hit.recording for hit in hits}
    archive.judgments.add("w1 w2", "nothing", 1.0)
    archive.judgments.add("w1 w2", "long", 1.0)
    archive.judgments.add("w3", archive.search("w3")[0], 0.0)
    archive.judgments.store.query('"')  # cannot be parsed
    one, two, bad = archive.judgments.measures()
    assert one[:4] == ("1", "w1 w2", 5, 4)
    ranked = [{2: 2.0, 5: 1.0}.get(i, 0.0) for i in range(len(hits))]
    pool = [*ranked, 1.0, 1.0]
    assert one.ap == pytest.approx(ref.average_precision(ranked, pool))
    assert one.ndcg == pytest.approx(ref.ndcg(ranked, pool, 10))
    assert two[2:] == (1, 0, None, None)
    assert bad[2:] == (0, 0, None, None)


def test_the_next_places_are_those_of_which_rankers_disagree(archive):
    for text in ("w1 w2", "w3 w4 w5", "w0"):
        archive.judgments.store.query(text)
    places = archive.judgments.next(n=12)
    assert len(places) == 12
    values = [place.disagreement for place in places]
    assert values == sorted(values, reverse=True)
    assert values[0] > 0
    assert all(1 <= place.best <= min(place.worst, DEPTH) for place in places)
    for place in places:
        hit = archive.search(place.query, 1000)[place.hit.rank - 1]
        assert (hit.segment, hit.score, hit.snippet) == (place.hit.segment, place.hit.score, place.hit.snippet)
    first = places[0]
    archive.judgments.add(first.query, first.hit, None, "ann")  # unsure is an answer too
    after = {(place.query, place.hit.segment) for place in archive.judgments.next(n=12)}
    assert (first.query, first.hit.segment) not in after
    assert {(p.query, p.hit.segment) for p in places[1:]} <= after
    assert len({(p.query, p.hit.segment) for p in places}) == 12


def test_of_one_query_and_with_nothing_to_tell(archive):
    own = archive.judgments.next("w0", 5)  # one word: all rankers agree, so the first come first
    assert [place.hit.rank for place in own] == [1, 2, 3, 4, 5]
    assert {place.query for place in own} == {"w0"}
    assert archive.judgments.next() == []  # nobody has asked for anything
    with pytest.raises(rk.InputError, match="n must be at least 1"):
        archive.judgments.next("w0", 0)
    with pytest.raises(rk.InputError):
        archive.judgments.next('"')
    assert archive.judgments.queries() == {}  # looking stores nothing


def test_closed_recordings_are_not_to_be_judged(archive):
    first = archive.judgments.next("w1 w2", 30)
    closed = first[0].hit.recording
    archive.metadata.set(closed, {"rights": "closed"})
    archive.refresh()
    rest = archive.judgments.next("w1 w2", 30)
    assert rest
    assert closed not in {place.hit.recording for place in rest}
    assert named_place(archive.index, closed) is not None
