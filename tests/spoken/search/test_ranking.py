"""The k best places are those of scoring every place, whatever the weights."""

import numpy as np
import pytest

import rankine as rk
from rankine.data.normalisers import Normaliser
from rankine.spoken.archive import Archive
from rankine.spoken.index.about import About
from rankine.spoken.index.build import IndexedRecording, analyse, part_of_recordings
from rankine.spoken.index.schema import UTTERANCE_NAME
from rankine.spoken.index.scores import ranker_names
from rankine.spoken.index.settings import Settings
from rankine.spoken.index.storage import writing
from rankine.spoken.lattice.formats import Piece, write_slf
from rankine.spoken.lattice.lattice import Lattice
from rankine.spoken.lattice.scoring import Scoring
from rankine.spoken.learn.weights import Weights, shipped
from rankine.spoken.recordings.places import recordings_of, segment
from rankine.spoken.search.filters import RecordingFilter
from rankine.spoken.search.ranking import (
    contributions,
    find_candidates,
    largest,
    place_table,
    ranked_places,
    unit_candidates,
    weak_rankers,
)
from rankine.spoken.search.requirements import mask
from rankine.spoken.search.results import SearchResults

from ... import reference_spoken as ref
from ..cases import SMALL, lattice, sausages
from ..index.test_evidence import KINDS, random_query, small_archive, small_lattice


def random_weights(rng, names):
    """Few or many weights, of one sign or both; papers' rankers only, evidence only, or both."""
    some = rng.random(len(names)) < rng.choice([0.05, 0.3, 1.0])
    which = rng.random()
    if which < 0.6:
        papers = np.array([name.split("-")[1] in ("pspl", "cn") for name in names])
        some &= papers if which < 0.3 else ~papers
    values = rng.normal(size=len(names)) if rng.random() < 0.7 else rng.random(len(names))
    if rng.random() < 0.2:
        values = np.round(values)  # ties
    return {n: float(v) for n, v, keep in zip(names, values, some, strict=True) if keep and v != 0}


def everything(archive, query, table, weights, recordings=None):
    """The scores of all places with a column that has a weight and is above 0; ``table`` has all columns of all."""
    index = archive.index
    places = np.arange(index.places_before[-1])
    keep = mask(index, query, places)
    if recordings is not None:
        keep &= recordings[recordings_of(index, places)]
    scores = {}
    for place, row in enumerate(table.tolist()):
        parts = {n: x for n, x in zip(weak_rankers(index.kinds), row, strict=True) if weights.get(n, 0.0) != 0}
        if keep[place] and any(x > 0 for x in parts.values()):
            scores[place] = sum(weights[n] * x for n, x in parts.items())
    return scores


def in_order(archive, scores, k):
    """The k best places: by score, name of the recording, and time."""
    recordings = recordings_of(archive.index, np.arange(archive.index.places_before[-1])).tolist()
    names = [archive.index.name_of(d) for d in recordings]
    return sorted(scores, key=lambda place: (-round(scores[place], 10), names[place], place))[:k]


def assert_ranked(archive, ranking, scores, k):
    """A ranking has the places and scores of all; sums that differ in the last digits only may change places."""
    best = in_order(archive, scores, k)
    assert [s for _, s in ranking] == pytest.approx([scores[p] for p in best], abs=1e-9)
    assert [scores[p] for p, _ in ranking] == pytest.approx([s for _, s in ranking], abs=1e-9)
    if [p for p, _ in ranking] != best:
        assert any(abs(scores[p] - scores[q]) < 1e-9 for (p, _), q in zip(ranking, best, strict=True) if p != q)


@pytest.mark.parametrize("kinds", KINDS, ids=lambda kinds: list(kinds)[-1])
def test_the_best_places_are_those_of_scoring_all(kinds, tmp_path, monkeypatch):
    """Ten thousand searches."""
    monkeypatch.setattr("rankine.spoken.search.ranking._FIRST", 1)
    rng = np.random.default_rng(10 + len(kinds))
    n = 0
    for trial in range(14):
        archive = small_archive(tmp_path / str(trial), rng, kinds, n=9)
        names = weak_rankers(archive.kinds)
        for _ in range(30):
            query = archive.parse(random_query(rng))
            table = place_table(archive.index, query, np.arange(archive.index.places_before[-1]))
            for by_name in (random_weights(rng, names) for _ in range(8)):
                weights = Weights.of(by_name, names)
                recordings = rng.random(len(archive)) < 0.7 if rng.random() < 0.3 else None
                k = int(rng.integers(1, 6))
                ranking = ranked_places(archive.index, query, weights, k, recordings)
                want = everything(archive, query, table, by_name, recordings)
                assert_ranked(archive, ranking, want, k)
                n += 1
            whole = ranked_places(archive.index, query, weights, None, recordings)
            assert ranking == whole[:k]
            assert len(whole) == len(want)
            parts = contributions(archive.index, query, weights, [place for place, _ in ranking])
            assert [sum(p.values()) for p in parts] == pytest.approx([s for _, s in ranking], abs=1e-9)
    assert n > 3333


def test_scores_do_not_depend_on_filters_or_k(tmp_path):
    rng = np.random.default_rng(0)
    archive = small_archive(tmp_path / "a", rng, KINDS[2], n=12)
    weights = shipped(archive.kinds)
    query = archive.parse("can not")
    whole = dict(ranked_places(archive.index, query, weights))
    assert len(whole) > 3
    for _ in range(20):
        recordings = rng.random(len(archive)) < 0.5
        some = dict(ranked_places(archive.index, query, weights, int(rng.integers(1, 9)), recordings))
        assert some.items() <= whole.items()


def test_equal_places_come_by_name_and_time(tmp_path):
    names = [f"d{i:03d}" for i in range(120)]
    results = []
    for order, place in ((names, "a"), (names[::-1], "b")):
        archive = Archive.create(tmp_path / place, SMALL)
        archive.lattices.add([(n, lattice(3)) for n in order])
        text = " ".join(lattice(3).units)
        for candidates in (None, 10):
            hits = archive.search(text, k=3, candidates=candidates)
            results.append([(h.recording, h.score) for h in hits])
    assert [d for d, _ in results[0]] == names[:3]
    assert all(r == results[0] for r in results)


def test_the_largest():
    rng = np.random.default_rng(0)
    for _ in range(300):
        scores = rng.integers(0, 5, int(rng.integers(0, 12))) / 2
        names = rng.permutation(len(scores))
        k = int(rng.integers(1, 15))
        want = sorted(range(len(scores)), key=lambda i: (-scores[i], names[i]))[:k]
        assert largest(scores, k, names.__getitem__).tolist() == want


def test_candidates(several):
    query = several.parse("w0 w7")
    X = several.score(query, np.arange(several.index.places_before[-1]))
    names = several.ranker_names
    unigrams = X[:, [i for i, n in enumerate(names) if n.endswith(("cn-1", "pspl-1"))]].sum(axis=1)
    assert unit_candidates(several.index, query).tolist() == np.flatnonzero(unigrams > 0).tolist()
    assert unigrams[unit_candidates(several.index, query, 5)].min() >= np.sort(unigrams)[-5] - 1e-12
    weights = shipped(several.kinds)
    best = ranked_places(several.index, query, weights)
    for most in (1, 5, 1000):
        assert find_candidates(several.index, query, most).tolist() == sorted(p for p, _ in best[:most])
        assert several.candidates(query, most).tolist() == sorted(p for p, _ in best[:most])


def test_a_lossy_search_is_the_best_of_its_candidates(several):
    rng = np.random.default_rng(1)
    for text in ("w0 w1", "w2", "w1 w3 w4"):
        query = several.parse(text)
        by_name = random_weights(rng, several.ranker_names) | {"word-cn-1": 1.0}
        table = several.score(query, np.arange(several.index.places_before[-1]))
        want = everything(several, query, table, by_name)
        for candidates in (1, 4, 10):
            ranking = ranked_places(
                several.index, query, Weights.of(by_name, several.ranker_names), 3, None, candidates
            )
            some = set(find_candidates(several.index, query, max(candidates, 3)).tolist())
            order = in_order(several, {p: s for p, s in want.items() if p in some}, 3)
            assert [p for p, _ in ranking] == order


def test_weights_on_normalised_scores_rank_the_candidates(taught):
    archive, judged = taught
    rng = np.random.default_rng(1)
    papers = ranker_names(archive.kinds)
    for names, chooser in ((papers, unit_candidates), (archive.ranker_names, find_candidates)):
        for normalise in ("query-minmax", "query-zscore"):
            values = rng.normal(size=len(names))  # of either sign
            archive.weights.use(Weights(tuple(names), tuple(values.tolist()), normalise, "test", {"candidates": 9}))
            for text in judged.queries.values():
                query = archive.parse(text)
                places = chooser(archive.index, query, 9)
                X = place_table(archive.index, query, places, names)
                data = rk.RankingData(X, np.zeros(len(X)), np.zeros(len(X)))
                X = Normaliser(normalise).fit(data).apply(data).X
                scores = dict(zip(places.tolist(), (X @ values).tolist(), strict=True))
                ranking = ranked_places(archive.index, query, archive.weights.learned, 7)
                assert [s for _, s in ranking] == pytest.approx(sorted(scores.values(), reverse=True)[:7], abs=1e-9)
                assert all(scores[p] == pytest.approx(s, abs=1e-9) for p, s in ranking)
                recordings = rng.random(len(archive)) < 0.5
                some = dict(ranked_places(archive.index, query, archive.weights.learned, 7, recordings))
                assert all(scores[p] == pytest.approx(s, abs=1e-9) for p, s in some.items())
                for h in archive.search(text, k=3):
                    assert h.score == pytest.approx(sum(h.contributions.values()), abs=1e-9)
    archive.weights.use(None)
    assert archive.weights.learned is None


def test_a_reader_keeps_its_state_while_a_writer_merges(tmp_path):
    rng = np.random.default_rng(5)
    archive = small_archive(tmp_path / "a", rng, KINDS[2])
    queries = [archive.parse(random_query(rng)) for _ in range(10)]
    weights = Weights.of(random_weights(rng, archive.ranker_names) | {"heard-one-word": 1.0}, archive.ranker_names)
    before = [ranked_places(archive.index, q, weights, 4) for q in queries]
    other = Archive(tmp_path / "a")
    other.merge()
    other.recordings.delete([archive.recordings.names[0]])
    assert [ranked_places(archive.index, q, weights, 4) for q in queries] == before


def named(archive, ranking):
    names = [
        archive.index.name_of(d)
        for d in recordings_of(archive.index, np.array([p for p, _ in ranking], np.int64)).tolist()
    ]
    return sorted((n, round(s, 11)) for n, (_, s) in zip(names, ranking, strict=True))


def test_merging_changes_no_score(tmp_path):
    rng = np.random.default_rng(6)
    for trial in range(10):
        archive = small_archive(tmp_path / str(trial), rng, KINDS[2])
        texts = [random_query(rng) for _ in range(10)]
        weights = Weights.of(random_weights(rng, archive.ranker_names) | {"heard-one-word": 1.0}, archive.ranker_names)
        before = [named(archive, ranked_places(archive.index, archive.parse(t), weights)) for t in texts]
        archive.merge()
        assert len(archive.index.parts) == 1
        assert [named(archive, ranked_places(archive.index, archive.parse(t), weights)) for t in texts] == before


def test_requirements_and_filters_choose_among_what_is_normalised(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    lines = [f"d{i} [ a 0.{i + 2} x 0.{8 - i} ] [ {'b' if i % 2 else 'c'} 1 ]" for i in range(6)]
    archive.lattices.index(sausages(tmp_path / "s.sausage", *lines))
    index, recordings = archive.index, np.arange(6) < 4
    for names in (ranker_names(archive.kinds), archive.ranker_names):
        weights = Weights(tuple(names), (1.0,) * len(names), "query-minmax", "test", {"candidates": 4})
        bare = dict(ranked_places(index, archive.parse("a"), weights))
        assert len(bare) == 4
        without = dict(ranked_places(index, archive.parse("a -b"), weights))
        holding = mask(index, archive.parse("a -b"), np.arange(6))
        assert without == {p: s for p, s in bare.items() if holding[p]}
        inside = dict(ranked_places(index, archive.parse("a"), weights, None, recordings))
        assert inside == {p: s for p, s in bare.items() if recordings[p]}
        few = f"the weights in use rank 4 places; the query and its filters leave {len(without)} of them"
        assert SearchResults(index, weights, "a -b", RecordingFilter()).remarks[-1] == few
        assert few not in SearchResults(index, weights, "a", RecordingFilter()).remarks
    (note,) = SearchResults(index, shipped(archive.kinds), "a", RecordingFilter()).remarks
    assert note.startswith("all words of the query are stop words")


def test_filters_choose_before_a_lossy_cut(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.lattices.index(sausages(tmp_path / "s.sausage", *(f"d{i} [ a 0.{i + 2} ]" for i in range(6))))
    weights, query = shipped(archive.kinds), archive.parse("a")
    recordings = np.arange(6) < 2
    exact = ranked_places(archive.index, query, weights, 1, recordings)
    assert ranked_places(archive.index, query, weights, 1, recordings, 1) == exact != []


def test_phrases_are_looked_for_before_the_cut(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    lines = [f"d{i} [ b 1 ] [ x 1 ] [ a 1 ] [ x 1 ] [ a 1 ]" for i in range(9)]
    archive.lattices.index(sausages(tmp_path / "s.sausage", *lines, "zz [ x 1 ] [ a 0.5 ] [ b 0.5 ]"))
    assert [h.recording for h in archive.search('"a b"', candidates=3)] == ["zz"]
    assert archive.features({"q": '"a b"'}).doc_ids.tolist() == ["zz"]


def test_nothing(tmp_path):
    archive = Archive.create(tmp_path / "a", Settings(dict(KINDS[2])))
    for names in (ranker_names(archive.kinds), weak_rankers(archive.kinds)):
        weights = Weights.of(dict.fromkeys(names, 1.0), weak_rankers(archive.kinds))
        assert ranked_places(archive.index, archive.parse("can"), weights, 3) == []
    assert ref.evidence(ref.Counts(archive), archive.parse("can")) == []


@pytest.mark.parametrize("kinds", KINDS, ids=lambda kinds: list(kinds)[-1])
def test_recordings_may_be_joined_and_cut(kinds, tmp_path):
    """How utterances are grouped into recordings changes no score of a place."""
    rng = np.random.default_rng(30 + len(kinds))
    for trial in range(6):
        n = int(rng.integers(4, 14))
        folder = tmp_path / f"lattices{trial}"
        folder.mkdir()
        for i in range(n):
            (folder / f"u{i:02d}.slf").write_bytes(write_slf(small_lattice(rng)))
        archives = []
        for joined in (1, int(rng.integers(2, 5)), n):
            about = {f"u{i:02d}": About(f"d{i // joined:02d}", {}, "x.wav", 10.0 * i) for i in range(n)}
            archive = Archive.create(tmp_path / f"{trial}-{joined}", Settings(dict(kinds)))
            archive.lattices.index(folder, about, Scoring(), batch=int(rng.integers(1, 5)))
            archives.append(archive)
        names = archives[0].ranker_names
        for _ in range(15):
            text = random_query(rng).replace('"', "")  # phrases may cross a cut
            for weights in (shipped(archives[0].kinds), Weights.of(random_weights(rng, names), names)):
                scores = [by_utterance(archive, text, weights) for archive in archives]
                for other in scores[1:]:
                    assert other == pytest.approx(scores[0], abs=1e-12)


def by_utterance(archive, text, weights):
    ranking = ranked_places(archive.index, archive.parse(text), weights)
    out = {}
    for place, score in ranking:
        where = segment(archive.index, place)
        out[where.part.texts(UTTERANCE_NAME)[where.row], where.start] = score
    return out


SOUNDS = ("can", "american", "canal", "to", "two", "too", "a", "train", "rain", "training", "restrain", "its", "it's")


def test_what_says_a_word_stands_before_what_does_not(tmp_path):
    """One word: no recording without it, however long, stands above one that says it with 0.9; 1,000 archives."""
    rng = np.random.default_rng(0)
    settings = Settings({"word": "words", "syllable": "syllables", "phone": "phones"})
    pool = [recorded(rng, settings, f"r{i:03d}") for i in range(150)]
    compared = 0
    for trial in range(1000):
        some = [pool[i] for i in rng.choice(len(pool), int(rng.integers(2, 12)), replace=False)]
        archive = in_memory(tmp_path / "a", settings, [recording for recording, _ in some], trial)
        query = archive.parse(str(rng.choice(SOUNDS)))
        forms = {words.words[0] for words in query.terms[0].alternatives}  # it's is also found as its
        best = {}
        for place, score in ranked_places(archive.index, query, shipped(archive.kinds)):
            recording = archive.index.name_of(int(recordings_of(archive.index, np.array([place]))[0]))
            best.setdefault(recording, score)
        said = [best.get(d.name, 0.0) for d, words in some if max(words.get(w, 0.0) for w in forms) >= 0.9]
        other = [best.get(d.name, 0.0) for d, words in some if not forms & set(words)]
        if said and other:
            compared += 1
            assert min(said) > max(other)
    assert compared > 300


def recorded(rng, settings, name):
    """A recording of 1 to 500 words, and the largest posterior of each."""
    n = int(np.exp(rng.uniform(0, np.log(500))))
    some = [str(w) for w in rng.choice(SOUNDS, int(rng.integers(1, len(SOUNDS))), replace=False)]
    arcs, words = [], {}
    for i in range(n):
        word, other = (str(w) for w in rng.choice(some, 2))
        p = float(rng.choice([0.95, 0.9, 0.5, 0.05])) if other != word else 1.0
        arcs.append((i, i + 1, word, float(np.log(p)), 0.3 * i, 0.3 * i + 0.3))
        words[word] = max(words.get(word, 0.0), p)
        if p < 1:
            arcs.append((i, i + 1, other, float(np.log1p(-p)), 0.3 * i, 0.3 * i + 0.3))
            words[other] = max(words.get(other, 0.0), 1 - p)
    piece = Piece(name, "slf", "m", write_slf(Lattice.from_arcs(arcs, 0, n)))
    return IndexedRecording(name, {}, analyse(settings, Scoring(), None, piece), name), words


def in_memory(folder, settings, recordings, number):
    """An archive of recordings that have been analysed, in one part."""
    if number == 0:
        Archive.create(folder, settings)
    with writing(folder) as writer:
        writer.commit([writer.part(*part_of_recordings(recordings, settings))])
    return Archive(folder)
