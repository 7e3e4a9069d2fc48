"""What commit c0e6474 of this repository wrote opens with equal results: models, archives, packs, and stopped work.

``tests/opens/fill.py`` wrote the files. Every test works on a copy.
"""

import json
import math
import os
import re
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest

import rankine as rk
from rankine.spoken import Archive
from rankine.spoken.store.tables import VERSION
from rankine.system.console import counted

from .cli.running import rankine

HERE = Path(__file__).parent / "opens"
MODELS = json.loads((HERE / "models" / "expected.json").read_text(encoding="utf-8"))
SPOKEN = json.loads((HERE / "archive.json").read_text(encoding="utf-8"))
SMALL = json.loads((HERE / "small.json").read_text(encoding="utf-8"))
TUNING = json.loads((HERE / "tuning" / "expected.json").read_text(encoding="utf-8"))
BATCHES = json.loads((HERE / "batches.json").read_text(encoding="utf-8"))
NEEDS = {"lightgbm": "lightgbm", "xgboost": "xgboost", "neural": "torch", "neural-linear": "torch"}
CLOSED, ON_REQUEST = "tape-07", "tape-26"


def copy(place, name):
    source, name = HERE / name, Path(name).name
    return shutil.copytree(source, place / name) if source.is_dir() else Path(shutil.copy(source, place / name))


def store_version(folder):
    db = sqlite3.connect(folder / "store.sqlite")
    (version,) = db.execute("PRAGMA user_version").fetchone()
    db.close()
    return version


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("name", MODELS)
def test_models(name, tmp_path):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    data = rk.load_table(HERE / "models" / "search.arrow")
    data = data.with_features(data.X.astype("float64"))
    few = rk.RankingData(data.X, data.y, data.qid).take(range(data.ptr[4]))
    model, want = rk.load(HERE / "models" / f"{name}.json"), MODELS[name]
    assert type(model).__name__ == want["kind"]
    assert re.search(r" fitted to [38] queries with 8 features", repr(model))
    with pytest.raises(rk.InputError, match="score needs qid"):
        model.score(few.X, few.y)
    model.save(tmp_path / "again.json")
    for opened in (model, rk.load(tmp_path / "again.json")):
        np.testing.assert_allclose(opened.predict(few), want["scores"], rtol=1e-12, atol=1e-14)
        np.testing.assert_array_equal(opened.rank(few), want["ranking"])


def assert_as_it_was(archive):
    """All that people said of an archive, and what it learned."""
    assert sorted(archive.recordings.names) == SPOKEN["documents"]
    assert archive.weights.history == SPOKEN["history"]
    assert archive.weights.learned.by_name == SPOKEN["weights"]
    judged = archive.judgments.all()
    assert (judged.queries, judged.qrels) == (SPOKEN["queries"], SPOKEN["qrels"])
    rows = [[row.judge, row.target, row.grade, row.undoes] for row in archive.judgments.history()]
    assert rows == SPOKEN["judgments"]
    assert {name: archive.metadata.get(name) for name in archive.recordings.names} == SPOKEN["about"]
    assert [row.name for row in archive.recordings.deleted] == SPOKEN["deleted"]


def test_search_gives_what_it_gave(tmp_path):
    """At that time what is not open counted for how rare a word is: here it is opened first.

    What is called a recording now was called a document in hits.
    """
    archive = Archive(copy(tmp_path, "archive"))
    assert not {CLOSED, ON_REQUEST} & {hit.recording for hit in archive.search("the", 50)}
    for name in (CLOSED, ON_REQUEST):
        archive.metadata.set(name, {"rights": "open"})
    archive.refresh()
    for query, want in SPOKEN["hits"].items():
        there = [{"recording": hit.pop("document"), **hit} for hit in map(dict, want)]
        there = [hit for hit in there if hit["recording"] not in (CLOSED, ON_REQUEST)]
        told = {hit.place: hit.to_dict() for hit in archive.search(query, 50)}
        for hit in there:
            mine = told[hit["place"]]
            assert mine["score"] == pytest.approx(hit["score"], rel=1e-9)
            assert {key: mine[key] for key in hit if key != "score"} == {k: v for k, v in hit.items() if k != "score"}
        order = [place for place in told if place in {hit["place"] for hit in there}]
        assert order == [hit["place"] for hit in there]


def test_an_archive_and_its_store(tmp_path):
    archive = Archive(copy(tmp_path, "archive"))
    archive.check()
    assert_as_it_was(archive)
    assert store_version(archive.folder) == 2  # reading changes nothing
    assert archive.corrections.all() == archive.notes.all() == []
    archive.corrections.add("tape-28@1.0-1.6", "Skerryvore", by="ann")
    assert store_version(archive.folder) == VERSION
    assert archive.search("Skerryvore")[0].recording == "tape-28"
    archive.corrections.undo()
    archive.check()
    assert_as_it_was(archive)
    archive.notes.add("tape-28@0-2", "a note", by="ann")
    archive.recordings.undelete(SPOKEN["deleted"])
    assert archive.recordings.deleted == []
    archive.merge()
    archive.check()


def test_packed_archives(tmp_path):
    whole = Archive.unpack(HERE / "whole.zip", tmp_path / "whole")
    whole.check()
    assert sorted(whole.recordings.names) == SPOKEN["documents"]
    assert {name: whole.metadata.get(name) for name in whole.recordings.names} == SPOKEN["about"]
    assert whole.judgments.all().qrels == SPOKEN["qrels"]
    some = Archive.unpack(HERE / "open.zip", tmp_path / "open")
    some.check()
    for opened in (whole, some):
        assert opened.search("the", 50)
        assert not {CLOSED, ON_REQUEST} & {hit.recording for hit in opened.search("the", 50)}
    assert sorted(some.recordings.names) == sorted(set(SPOKEN["documents"]) - {CLOSED, ON_REQUEST})


def test_hearings_and_recordings(tmp_path):
    pytest.importorskip("soundfile")
    archive = Archive(copy(tmp_path, "recorded"))
    archive.check()
    assert [(h.name, h.weight.weight) for h in archive.hearings.all()] == [("second", 0.5)]
    for query, want in json.loads((HERE / "recorded.json").read_text(encoding="utf-8")).items():
        hits = archive.search(query, 9)
        assert [hit.recording for hit in hits] == [recording for recording, _ in want]
        np.testing.assert_allclose([hit.score for hit in hits], [score for _, score in want], rtol=1e-9)
    copy(tmp_path, "recordings")
    moved = archive.recordings.relocate(tmp_path / "recordings")
    assert sorted(moved.paths) == ["tape-28", "tape-56"]
    assert archive.judgments.next("milk", 2)


@pytest.mark.parametrize("name", SMALL)
def test_archives_with_a_dictionary_and_in_mandarin(name, tmp_path):
    archive = Archive(copy(tmp_path, name))
    archive.check()
    for query, want in SMALL[name].items():
        told = [hit.to_dict() for hit in archive.search(query, 4)]
        assert [hit["place"] for hit in told] == [hit["place"] for hit in want]
        np.testing.assert_allclose([hit["score"] for hit in told], [hit["score"] for hit in want], rtol=1e-9)
    copy(tmp_path, f"{name}.sausage")
    changes = archive.lattices.index(tmp_path / f"{name}.sausage")
    assert (changes.added, changes.updated, changes.unchanged) == (0, 0, len(archive))


@pytest.mark.parametrize("name", TUNING)
def test_tuning_goes_on(name, tmp_path):
    want, folder, mark = TUNING[name], copy(tmp_path, f"tuning/{name}"), 1e6
    for file in (folder / "jobs").iterdir():  # what is taken from a finished job can be told by its time
        job = json.loads(file.read_text())
        file.write_text(json.dumps(job | {"seconds": [mark] * len(job["seconds"])}))
    before = {file: file.read_bytes() for file in (folder / "jobs").iterdir()}
    assert len(before) == want["done"]
    ranker = rk.AdaRank("nDCG@10") if name == "adarank" else rk.LinearRanker()
    data = rk.load_table(HERE / "models" / "search.arrow")
    rk.tune(ranker, data, want["grid"], folds=3, workers=1, folder=folder)
    trials = json.loads((folder / "tune.json").read_text())["trials"]
    values = 1 if name == "adarank" else len(want["grid"]["C"])
    assert sum(round(trial["seconds"] / mark) for trial in trials) == want["done"] * values
    for trial, saved in zip(trials, want["trials"], strict=True):
        assert trial["params"] == saved["params"]
        # an unfinished job is done here, and a solver that stops at a gap may differ with the processor
        assert all(math.isclose(a, b, rel_tol=1e-6) for a, b in zip(trial["scores"], saved["scores"], strict=True))
    after = {file: file.read_bytes() for file in (folder / "jobs").iterdir()}
    assert after.items() >= before.items()
    assert len(after) * values == 3 * len(trials)  # nothing is there twice, under another name


@pytest.mark.parametrize("name", BATCHES["batches"])
def test_a_batch_that_was_stopped_goes_on(name, tmp_path):
    batch, whole = BATCHES["batches"][name], HERE / "whole" / name
    copy(tmp_path, "few.sausage")
    os.utime(tmp_path / "few.sausage", ns=(BATCHES["mtime"], BATCHES["mtime"]))
    copy(tmp_path, "slf" if name == "slf" else f"{name}.part")
    said = rankine(tmp_path, "spoken", *batch["arguments"]).stderr
    assert f"going on after {counted(batch['done'], 'utterance')} of an earlier run" in said
    for file in whole.iterdir() if whole.is_dir() else [whole]:
        made = (tmp_path / name / file.name if whole.is_dir() else tmp_path / name).read_text(encoding="utf-8")
        words, expected = made.split(), file.read_text(encoding="utf-8").split()
        assert len(words) == len(expected)
        for word, other in zip(words, expected, strict=True):
            assert word == other or float(word) == pytest.approx(float(other), rel=1e-12, abs=1e-15)
