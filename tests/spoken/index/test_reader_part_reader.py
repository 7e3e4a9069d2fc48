"""Recordings of a part that do not count any more: nothing is different from an index without them."""

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.index import changes as working
from rankine.spoken.index.storage import MANIFEST, Manifest
from rankine.spoken.learn.weights import Weights
from rankine.spoken.query.vocabulary import words_of
from rankine.spoken.search.recordings_list import RecordingsList
from rankine.spoken.teaching.papers import recording_candidates, recording_scores

from ..cases import SMALL, answers, filled, lattice

NAMES = [f"d{i:02d}" for i in range(30)]
QUERIES = ("w0 w1", "w2", '"w1 w3"', "w4 w0 w5", "w0 -w3", "w1 OR w2")


@pytest.fixture
def both(tmp_path, monkeypatch):
    """An archive in which recordings were hidden, and one with the same recordings that was written at once."""
    monkeypatch.setattr(working, "_SMALL_PART", 0)
    archive = filled(tmp_path / "hidden", NAMES)
    for name, seed in (("d03", 40), ("d17", 41), ("d29", 42)):
        archive.lattices.add([(name, lattice(seed))])
    assert sum(len(entry.hidden) for entry in archive.index.manifest.parts) == 3
    seeds = {"d03": 40, "d17": 41, "d29": 42}
    plain = Archive.create(tmp_path / "plain", SMALL)
    plain.lattices.add([(name, lattice(seeds.get(name, i))) for i, name in enumerate(NAMES)])
    return archive, plain


def test_all_is_as_if_they_were_not_there(both):
    hidden, plain = both
    assert answers(hidden, QUERIES) == answers(plain, QUERIES)
    weights = Weights.of(dict.fromkeys(["word-pspl-1", "word-cn-2", "character-cn-3"], 0.5), plain.ranker_names).by_name
    for query in ("w0 w1", "w3"):
        ranked = [[(h.recording, round(h.score, 9)) for h in a.search(query, 50, weights=weights)] for a in both]
        assert ranked[0] == ranked[1]
        few = [[(h.recording, round(h.score, 9)) for h in a.search(query, 5, candidates=7)] for a in both]
        assert few[0] == few[1]
        best = [recording_candidates(a.index, a.parse(query), 10) for a in both]
        names = [[a.index.names[d] for d in some] for a, some in zip(both, best, strict=True)]
        assert sorted(names[0]) == sorted(names[1])
        scores = [recording_scores(a.index, a.parse(query), d) for a, d in zip(both, best, strict=True)]
        order = [np.argsort(some) for some in names]
        np.testing.assert_allclose(scores[0][order[0]], scores[1][order[1]], atol=1e-12)
    for one, other in zip(*(RecordingsList(a.index, closed=True).table().values() for a in both), strict=True):
        assert one == other
    index, other = (a.index for a in both)
    assert (len(index), index.n_utterances, index.n_stretches) == (len(other), other.n_utterances, other.n_stretches)
    assert index.seconds == pytest.approx(other.seconds)
    assert sorted(index.names) == sorted(other.names)
    assert index.fingerprints == other.fingerprints
    for word in [f"w{i}" for i in range(12)]:
        assert (word in index.vocabulary) == (word in other.vocabulary)
        assert words_of(index).count(word) == pytest.approx(words_of(other).count(word))
    assert words_of(index).together(["w0", "w1"]) == pytest.approx(words_of(other).together(["w0", "w1"]))
    assert words_of(index).written("w") == pytest.approx(words_of(other).written("w"))
    assert hidden.candidates(hidden.parse("w0")).shape == plain.candidates(plain.parse("w0")).shape
    hidden.check()


def test_filters_rights_deleting_merging_and_packing(both, tmp_path):
    hidden, plain = both
    for archive in both:
        archive.metadata.set(["d17", "d02"], {"rights": "closed"})
        archive.metadata.set(["d03", "d04"], {"title": "a title"})
    assert answers(hidden, QUERIES) == answers(plain, QUERIES)
    assert answers(hidden, ("w0 title:title",)) == answers(plain, ("w0 title:title",))
    hidden.pack(tmp_path / "p.zip", closed=True)
    other = Archive.unpack(tmp_path / "p.zip", tmp_path / "other")
    assert not any(entry.hidden for entry in other.index.manifest.parts)
    assert answers(other, QUERIES) == answers(plain, QUERIES)
    for archive in both:
        archive.recordings.delete(["d03"])
    assert answers(hidden, QUERIES) == answers(plain, QUERIES)
    names = [name for part in hidden.index.parts for name in part.names]
    assert "d03" not in names  # what is deleted does not stay in a file, in no version
    for archive in both:
        archive.recordings.undelete(["d03"])
    assert answers(hidden, QUERIES) == answers(plain, QUERIES)
    hidden.merge()
    assert not any(entry.hidden for entry in hidden.index.manifest.parts)
    assert answers(hidden, QUERIES) == answers(plain, QUERIES)


def test_few_recordings_of_large_parts_are_hidden(tmp_path, monkeypatch):
    archive = filled(tmp_path / "a", NAMES)
    archive.lattices.add([("d03", lattice(40))])
    assert not any(entry.hidden for entry in archive.index.manifest.parts)  # the part is small
    monkeypatch.setattr(working, "_SMALL_PART", 0)
    archive = filled(tmp_path / "b", NAMES)
    for i in range(4):
        archive.lattices.add([(f"d0{i}", lattice(50 + i))])
        assert sum(len(entry.hidden) for entry in archive.index.manifest.parts) <= 3
    assert len(archive) == 30
    archive.check()


def test_a_repair_brings_back_what_was_hidden(both, tmp_path):
    hidden, _ = both
    entry = next(e for e in hidden.index.manifest.parts if e.hidden)
    for part in hidden.folder.glob("*.part"):
        if part.name != entry.file:
            part.write_bytes(b"damaged")
    done = Archive.repair(hidden.folder)
    assert not done.lost
    archive = Archive(hidden.folder)
    archive.check()
    assert sorted(archive.recordings.names) == NAMES


def test_numbers_that_others_wrote_are_checked(both):
    hidden, _ = both
    manifest = Manifest.read(hidden.folder)
    parts = tuple(entry._replace(hidden=(99,)) for entry in manifest.parts)
    from dataclasses import replace

    (hidden.folder / MANIFEST).write_bytes(replace(manifest, parts=parts).to_bytes())
    with pytest.raises(rk.InputError, match="a number of a recording that does not count"):
        Archive(hidden.folder)
