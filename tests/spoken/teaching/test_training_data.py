"""Examples to learn from: features of judged queries, kept until something changes."""

import shutil
import threading

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.index.evidence import evidence_names
from rankine.spoken.lattice.formats import one_best
from rankine.spoken.learn.judgments import Judged
from rankine.spoken.learn.learning import cross_validate
from rankine.spoken.learn.weights import Weights
from rankine.spoken.recordings.places import place_names
from rankine.spoken.teaching.training_data import FeatureCache, examples
from rankine.system.files import locked

from ..cases import SMALL

SHIPPED = "rankine.spoken.teaching.training_data.shipped"


def test_features_are_computed_again_when_something_changed(taught):
    archive, judged = taught
    first = examples(archive.index, judged).data
    other = Judged(dict(reversed(judged.queries.items())), judged.qrels)
    assert list(examples(archive.index, other).data.query_ids) == list(reversed(list(first.query_ids)))
    (file,) = (archive.folder / "cache").glob("*.arrow")
    file.write_bytes(file.read_bytes()[:100])
    assert examples(archive.index, other).data.n_queries == first.n_queries
    with pytest.raises(rk.InputError, match="query 0: the query"):
        examples(archive.index, Judged({"0": "?"}, {"0": {"d00": 1.0}}))


def test_queries_without_a_candidate_count_as_nothing(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.lattices.add([(f"d{i}", one_best([(w, 0.0, 1.0, 0.9)])) for i, w in enumerate(["ab", "cd", "ab", "ef"])])
    queries = {"1": "ab", "2": "cd", "3": "ef", "4": "xyz"}
    qrels = {"1": {"d0": 1.0}, "2": {"d1": 1.0}, "3": {"d3": 1.0}, "4": {"d0": 1.0}}
    judged_data = examples(archive.index, Judged(queries, qrels))
    assert judged_data.lost == ("4",)
    trial = cross_validate(judged_data, {}, folds=3)
    assert judged_data.in_vocabulary.tolist() == [True, True, True, False]
    assert trial.precision["uniform"][-1] == 0
    assert len(trial.precision["uniform"]) == 4


def test_a_place_that_is_judged_by_two_names_is_one(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.lattices.add([(f"d{i}", one_best([(w, 0.0, 1.0, 0.9)])) for i, w in enumerate(["ab", "ab", "cd", "ab"])])
    queries = {"1": "ab", "2": "cd"}
    two = {"d0": 1.0, "d0@0.00-1.00": 1.0}
    assert examples(archive.index, Judged(queries, {"1": two, "2": {"d2": 1.0}})).relevant.tolist() == [1, 1]
    assert examples(archive.index, Judged(queries, {"1": {"d0": 1.0, "d2": 1.0}})).relevant.tolist() == [2]
    overruled = Judged(queries, {"1": {"d0": 1.0, "d1": 1.0, "d0@0-1": 0.0}})
    turned = Judged(queries, {"1": {"d0@0-1": 0.0, "d1": 1.0, "d0": 1.0}})
    assert examples(archive.index, overruled).relevant.tolist() == [1]
    assert sum(examples(archive.index, overruled).data.y > 0) == 1
    assert examples(archive.index, turned).relevant.tolist() == [2]
    assert sum(examples(archive.index, turned).data.y > 0) == 2  # what was kept is of another order
    with pytest.raises(rk.InputError, match="no query has a recording that was judged relevant"):
        examples(archive.index, Judged(queries, {"1": {"d0": 1.0, "d0@0-1": 0.0}}))


def test_names_of_deleted_recordings_do_not_stay(taught, tmp_path):
    source, judged = taught
    archive = Archive(shutil.copytree(source.folder, tmp_path / "a"))
    examples(archive.index, judged)
    cache = archive.folder / "cache"
    (cache / "mine.arrow").touch()
    gone = next(d for d in archive.recordings.names if not any(d in grades for grades in judged.qrels.values()))
    assert any(gone.encode() in file.read_bytes() for file in cache.iterdir())
    archive.recordings.delete([gone])
    assert sorted(p.name for p in cache.iterdir()) == ["lock", "mine.arrow"]
    archive.weights.learn(judged)
    assert not any(gone.encode() in file.read_bytes() for file in cache.iterdir())


def test_features_are_those_of_the_columns(taught, monkeypatch):
    """Features of candidates that other weights choose are computed again."""
    archive, judged = taught
    first = examples(archive.index, judged).digest
    monkeypatch.setattr(SHIPPED, lambda kinds: Weights.equal(evidence_names(kinds)))
    assert examples(archive.index, judged).digest != first
    monkeypatch.undo()
    assert examples(archive.index, judged).digest == first


def test_what_cannot_be_learned_from(taught):
    archive, _ = taught
    everywhere = place_names(archive.index, np.arange(archive.index.places_before[-1]))
    for wrong, message in (
        (Judged({"1": "w0"}, {"1": {"nowhere": 1.0}}), "query 1: a judgment of 'nowhere', which is not in the archive"),
        (Judged({"1": "w0"}, {"2": {"d00": 1.0}}), "judgments of the query '2', which is not among the queries"),
        (Judged({"1": "w0"}, {"1": {"d00": 0.0}}), "no query has a recording that was judged relevant"),
        (Judged({}, {}), "no query has a recording that was judged relevant"),
        (Judged({"1": "w0"}, {"1": dict.fromkeys(everywhere, 1.0)}), "have the same grade"),
    ):
        with pytest.raises(rk.InputError, match=message):
            examples(archive.index, wrong)


def test_the_cache_is_written_by_one_process_at_a_time(tmp_path):
    data = rk.RankingData(np.eye(3), [0, 1, 0], ["a", "a", "a"], doc_ids=["x", "y", "z"])
    cache, one, two = FeatureCache(tmp_path / "cache"), "1" * 20, "2" * 20
    assert cache.read(one) is None
    cache.write(one, data)
    (tmp_path / "cache" / "mine.arrow").touch()
    with locked(tmp_path / "cache", "busy"):
        writer = threading.Thread(target=cache.write, args=(two, data))
        writer.start()
        writer.join(0.3)
        assert writer.is_alive()
        assert cache.read(one).n_documents == 3  # readers do not wait
        assert cache.read(two) is None
    writer.join()
    assert cache.read(one) is None
    assert cache.read(two).n_documents == 3
    assert sorted(p.name for p in (tmp_path / "cache").iterdir()) == [f"{two}.arrow", "lock", "mine.arrow"]
