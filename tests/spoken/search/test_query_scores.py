"""Ranking by several hearings: against its slow twin, and against the own hearing where others have no weight."""

import shutil

import numpy as np
import pytest

import rankine as rk
from rankine.spoken import Archive
from rankine.spoken.learn.weights import shipped
from rankine.spoken.search.query_scores import HeardQuery
from rankine.spoken.teaching.training_data import examples

from ... import reference as ref
from ..hearings.cases import Second, Third, Told, word_archive, write_recordings

pytest.importorskip("soundfile")
WORDS = ["press", "print", "paper", "lead", "type", "ink"]
QUERIES = ["press", "print paper", "ink lead type", "paper"]


def random_lists(rng, n):
    """N-best lists of n recordings; some are empty."""
    out = []
    for _ in range(n):
        some = [" ".join(rng.choice(WORDS, rng.integers(1, 4))) for _ in range(rng.integers(0 if n > 1 else 1, 4))]
        p = rng.dirichlet(np.ones(len(some))) if some else []
        out.append(tuple(zip(np.round(p, 3) + 0.001, some, strict=True)))
    return tuple(out)


@pytest.fixture(scope="module", params=[0, 1])
def heard(request, tmp_path_factory):
    """An archive of nine recordings that three recognisers have heard."""
    folder, rng = tmp_path_factory.mktemp("heard"), np.random.default_rng(request.param)
    audio = write_recordings(folder / "audio", range(9))
    archive = word_archive(folder / "archive")
    archive.recordings.add(audio, [kind(random_lists(rng, 9)) for kind in (Told, Second, Third)])
    return archive


@pytest.fixture
def archive(heard, tmp_path):
    shutil.copytree(heard.folder, tmp_path / "archive")
    return Archive(tmp_path / "archive")


def scores(archive, text):
    try:
        return {hit.recording: hit.score for hit in archive.search(text, k=100)}
    except ValueError:  # nothing in the query occurs
        return {}


def twin(archive, text, weights):
    own = scores(Archive(archive.folder), text)
    further = [(weight, scores(Archive(archive.folder / "hearings" / name), text)) for name, weight in weights.items()]
    there = set(archive.recordings.names)
    return ref.fused_ranking(own, [(w, {d: s for d, s in some.items() if d in there}) for w, some in further])


def weigh(archive, **weights):
    for name, weight in weights.items():
        archive.hearings.weigh(name, weight)


@pytest.mark.parametrize("weights", [{"second": 0.5, "third": 0.0}, {"second": 0.25, "third": 2.0}])
def test_the_ranking_is_that_of_its_slow_twin(archive, weights):
    weigh(archive, second=0, third=0)
    expected = {text: twin(archive, text, weights) for text in QUERIES}
    weigh(archive, **weights)
    for text in QUERIES:
        hits = archive.search(text, k=100)
        assert [hit.recording for hit in hits] == [name for name, _ in expected[text]]
        np.testing.assert_allclose([hit.score for hit in hits], [score for _, score in expected[text]], atol=2e-12)
        for hit in hits:
            assert sum(hit.contributions.values()) == pytest.approx(hit.score, abs=1e-9)
        assert [hit.recording for hit in archive.search(text, k=2)] == [name for name, _ in expected[text][:2]]


def test_learning_sees_the_scores_that_search_ranks_by(archive):
    weigh(archive, second=0.5, third=2.0)
    weights = shipped(archive.kinds)
    for text in QUERIES:
        heard = HeardQuery(archive.index, text, weights, archive.hearings.counting)
        places = heard.best(100)
        there = dict(zip(*(some.tolist() for some in heard.scored(None, None)), strict=True))
        assert places.tolist() == sorted(there)
        X = heard.table(places, weights.names)
        np.testing.assert_allclose(X @ np.array(weights.values), [there[p] for p in places.tolist()], atol=1e-12)
        three = heard.best(3)
        assert set(three.tolist()) == {place for place, _ in heard.ranking(3, None)}
        assert heard.table(three).shape == (len(three), len(archive.ranker_names))


def test_places_of_further_hearings_are_learned_from_and_offered(tmp_path):
    """Recording 1 has the word in the second hearing only."""
    audio = write_recordings(tmp_path / "audio", range(4))
    own = Told((((1.0, "press"),), ((1.0, "lead"),), ((1.0, "ink"),), ((1.0, "type lead"),)))
    other = Second((((1.0, "press"),), ((1.0, "press"),), ((1.0, "ink"),), ((1.0, "type"),)))
    archive = word_archive(tmp_path / "archive")
    archive.recordings.add(audio, [own, other])
    archive.hearings.weigh("second", 0)
    for text in ("press", "press type"):
        archive.judgments.add(text, "r00", 0.0)
        archive.judgments.add(text, "r01", 1.0)
    assert "r01" not in [place.hit.recording for place in archive.judgments.next("type press", 9)]
    judged = archive.judgments.placed().judged()
    with pytest.raises(rk.InputError, match="the same grade"):
        examples(archive.index, judged)
    archive.hearings.weigh("second", 0.5)
    assert "r01" in [place.hit.recording for place in archive.judgments.next("type press", 9)]
    fused = examples(archive.index, judged, hearings=archive.hearings.counting)
    assert not fused.lost
    assert [d for d, y in zip(fused.data.doc_ids, fused.data.y, strict=True) if y > 0] == ["r01", "r01"]
    result = archive.weights.learn(folds=2, ranker="svm-map", use=False)
    want = fused.precision(shipped(archive.kinds))
    np.testing.assert_array_equal(result.trial.precision["shipped"], want)
    archive.hearings.weigh("second", 0.25)  # what is kept for the next time belongs to one weight
    other = examples(archive.index, judged, hearings=archive.hearings.counting)
    assert other.digest != fused.digest
    assert (other.data.X != fused.data.X).any()


def test_hearings_without_weight_change_nothing(archive, tmp_path):
    weigh(archive, second=0, third=0)
    alone = Archive(shutil.copytree(archive.folder, tmp_path / "alone"))
    shutil.rmtree(alone.folder / "hearings")
    for text in QUERIES:
        assert repr(archive.search(text, explain=True)) == repr(alone.search(text, explain=True))  # times are NaN
    assert archive.hearings.counting == []


def test_hearings_follow_recordings(archive):
    """What is deleted is gone from the ranking, and what returns is back, without anything being done to a hearing."""
    weigh(archive, second=1.0, third=0)
    before = {text: scores(archive, text) for text in QUERIES}
    names = archive.recordings.names[::2]
    archive.recordings.delete(names)
    for text in QUERIES:
        assert not set(names) & set(scores(archive, text))
    archive.recordings.undelete(names)
    for text in QUERIES:
        after = scores(archive, text)
        assert set(after) == set(before[text])
        np.testing.assert_allclose([after[d] for d in sorted(after)], [before[text][d] for d in sorted(after)])


@pytest.fixture
def pair(tmp_path):
    """Three recordings: two recognisers hear the same in one, one of them something else in others."""
    audio = write_recordings(tmp_path / "audio", range(3))
    own = Told((((1.0, "lead type"),), ((1.0, "paper"),), ((1.0, "ink"),)))
    second = Second((((1.0, "lead type"),), ((1.0, "printing press"),), ((1.0, "ink lead"),)))
    archive = word_archive(tmp_path / "archive")
    archive.recordings.add(audio, [own, second])
    archive.hearings.weigh("second", 0.5)
    return archive


def test_a_hit_of_a_further_hearing_has_its_words(pair):
    (hit,) = pair.search('"printing press"', explain=True)
    assert (hit.recording, hit.snippet, hit.certainty) == ("r01", "printing press", "heard")
    assert hit.audio.endswith("r01.wav")
    assert hit.contributions == {"heard by second": pytest.approx(hit.score)}
    assert hit.explanation == (f"{hit.score:.2f} the recogniser second heard it",)
    pair.metadata.set("r01", {"title": "On presses"})
    assert pair.search("press")[0].title == "On presses"
    pair.metadata.set("r01", {"rights": "closed"})
    with pytest.raises(rk.InputError, match="nothing in the query 'press' occurs"):  # as of a word that nobody said
        pair.search("press")
    assert len(pair.search("press", closed=True)) == 1


def test_what_a_query_requires_and_excludes(pair):
    assert [hit.recording for hit in pair.search("lead")] == ["r00", "r02"]
    assert [hit.recording for hit in pair.search('"ink lead"')] == ["r02"]
    assert [hit.recording for hit in pair.search("ink -lead")] == []  # one of the hearings has it
    assert [hit.recording for hit in pair.search("lead -ink")] == ["r00"]
    assert [hit.recording for hit in pair.search("ink OR press", per_recording=1)] == ["r02", "r01"]


def test_normalised_weights_rank_hearings_too(pair):
    from rankine.spoken.learn.weights import Weights

    names = [name for name in pair.ranker_names if name.startswith("word-")]
    pair.weights.use(Weights(tuple(names), (1.0,) * len(names), "query-minmax", "given", {"candidates": 10}))
    assert {hit.recording for hit in pair.search("press lead")} == {"r00", "r01", "r02"}
    pair.weights.use(None)
    assert pair.search("press", weights={"word-cn-1": 1.0})[0].recording == "r01"
    assert [hit.recording for hit in pair.search("lead", candidates=2)] == ["r00", "r02"]
