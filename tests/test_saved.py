"""What people keep on disk opens as before: files of an earlier release, and what they gave (long: all kinds).

``tests/saved/make.py`` wrote them. Every test works on a copy, and uses only what is public: the names of ``rankine``
and the command line.
"""

import io
import json
import math
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

import rankine as rk
from rankine.system.console import counted

from .cli.running import rankine

SAVED = Path(__file__).parent / "saved"
MODELS = json.loads((SAVED / "models" / "expected.json").read_text())
TUNING = json.loads((SAVED / "tuning" / "expected.json").read_text())
BATCHES = json.loads((SAVED / "spoken" / "batches.json").read_text())
WRITTEN = json.loads((SAVED / "spoken" / "written" / "expected.json").read_text())
NEEDS = {"lightgbm": "lightgbm", "xgboost": "xgboost"}


def take(folder, *names):
    """Copies of saved files and folders; sources get back the time of change that batches know them by."""
    for name in names:
        source, target = SAVED / name, folder / Path(name).name
        shutil.copytree(source, target) if source.is_dir() else shutil.copyfile(source, target)
        for file in target.rglob("*") if target.is_dir() else [target]:
            os.utime(file, ns=(BATCHES["mtime"], BATCHES["mtime"]))
    return folder


def read(name):
    return json.loads((SAVED / name).read_text(encoding="utf-8"))


def state(folder):
    """Content and time of change of all files."""
    return {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in sorted(folder.rglob("*")) if p.is_file()}


def assert_same(got, want, where=""):
    """Equal, but for the last digits of numbers (those of hits are rounded to 12 places)."""
    if isinstance(want, dict):
        assert list(got) == list(want), where
        for key in want:
            assert_same(got[key], want[key], f"{where}/{key}")
    elif isinstance(want, list):
        assert len(got) == len(want), where
        for i, (a, b) in enumerate(zip(got, want, strict=True)):
            assert_same(a, b, f"{where}/{i}")
    elif isinstance(want, float):
        assert math.isclose(got, want, rel_tol=1e-12, abs_tol=2e-12), f"{where}: {got} is not {want}"
    else:
        assert got == want, where


# Data sets, runs, normalisers -----------------------------------------------------------------------------------------


def test_data_sets_and_runs(tmp_path):
    place = take(tmp_path, *(f"data/search.{end}" for end in ("txt", "arrow", "parquet", "qrels", "run")))
    text = rk.load_letor(place / "search.txt")
    for table in map(rk.load_table, (place / "search.arrow", place / "search.parquet")):
        assert table.X.dtype == text.X.dtype
        for name in ("X", "y", "qid", "ptr", "doc_ids"):
            np.testing.assert_array_equal(getattr(table, name), getattr(text, name))
        assert list(table.feature_names) == read("models/svm-map.json")["feature_names"]
    report = rk.evaluate_run(["nDCG@10", "AP", "RR"], place / "search.qrels", place / "search.run")
    assert_same(dict(report.mean), read("data/expected.json")["measures"])
    qrels, run = rk.load_qrels(place / "search.qrels"), rk.load_run(place / "search.run")
    rk.save_qrels(qrels, place / "again.qrels")
    rk.save_run(run, place / "again.run", tag="bm25")
    assert (place / "again.qrels").read_bytes() == (place / "search.qrels").read_bytes()
    assert (place / "again.run").read_bytes() == (place / "search.run").read_bytes()


def test_normalisers():
    data = rk.load_letor(SAVED / "data" / "search.txt", dtype="float64")
    for kept, want in zip(read("data/normalisers.json"), read("data/expected.json")["normalised"], strict=True):
        normaliser = rk.Normaliser.from_dict(kept)
        np.testing.assert_allclose(normaliser.apply(data).X.sum(axis=1)[:40], want, rtol=1e-12, atol=1e-12)
        assert normaliser.to_dict() == kept


# Models ---------------------------------------------------------------------------------------------------------------


def test_a_model_of_every_kind():
    kinds = {m["kind"] for m in MODELS.values()}
    assert kinds == {
        "LinearRanker", "KernelRanker", "RegressionRanker", "AdaRank", "RankBoost", "SingleFeature", "UniformFusion",
        "BoostedRanker", "NeuralRanker",
    }  # fmt: skip
    assert {p.stem for p in (SAVED / "models").glob("*.json")} == {*MODELS, "expected"}


@pytest.mark.parametrize("name", MODELS)
def test_models(name, tmp_path):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    take(tmp_path, f"models/{name}.json", "data/search.txt")
    want, content = MODELS[name], read(f"models/{name}.json")
    data = rk.load_letor(tmp_path / "search.txt", dtype="float64")
    few = data.take(range(data.ptr[4]))
    model = rk.load(tmp_path / f"{name}.json")
    assert type(model) is getattr(rk, want["kind"])
    model.save(tmp_path / "again.json")
    for opened in (model, rk.load(tmp_path / "again.json")):
        np.testing.assert_allclose(opened.predict(few), want["scores"], rtol=1e-12, atol=1e-14)
        np.testing.assert_array_equal(opened.rank(few), want["ranking"])
        if want["score"] is not None:
            assert opened.score(data) == pytest.approx(want["score"], rel=1e-12)
        params = opened.get_params()
        assert {k: list(v) if isinstance(v, tuple) else v for k, v in params.items()} | content["parameters"] == params
        for attribute, value in content["certificate"].items():
            assert getattr(opened, attribute) == value
        names = getattr(opened, "feature_names_in_", None)
        assert (None if names is None else list(names)) == content["feature_names"]
        if "coef" in content:
            assert opened.coef_.tolist() == content["coef"]
        if "A" in content:
            assert opened.A_.tolist() == content["A"]


def test_models_on_the_command_line(tmp_path):
    take(tmp_path, "models/svm-ndcg-learned-weights.json", "models/rankboost.json", "data/search.txt")
    first = rk.load_letor(tmp_path / "search.txt", dtype="float64")
    n = first.ptr[4]
    for name in ("svm-ndcg-learned-weights", "rankboost"):
        out = rankine(tmp_path, "rank", f"{name}.json", "search.txt", "--scores").stdout
        scores = np.array(list(map(float, out.split())))
        np.testing.assert_allclose(scores[:n], MODELS[name]["scores"], rtol=1e-4, atol=1e-5)  # in single precision here
    compared = rankine(tmp_path, "compare", "--models", "svm-ndcg-learned-weights.json", "rankboost.json", "search.txt")
    assert compared.stdout


# Tuning ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["python", "command line"])
@pytest.mark.parametrize("name", TUNING)
def test_tuning_goes_on(name, how, tmp_path):
    take(tmp_path, "data/search.txt", f"tuning/{name}")
    want, folder, mark = TUNING[name], tmp_path / name, 1e6
    for file in (folder / "jobs").iterdir():  # what is taken from a finished job can be told by its time
        job = json.loads(file.read_text())
        file.write_text(json.dumps(job | {"seconds": [mark] * len(job["seconds"])}))
    before = state(folder / "jobs")
    assert len(before) == want["done"]
    ranker = rk.AdaRank("nDCG@10") if name == "adarank" else rk.LinearRanker()
    data = rk.load_letor(tmp_path / "search.txt")
    fresh = rk.tune(ranker, data, want["grid"], folds=3, workers=1).trials
    if how == "python":
        rk.tune(ranker, data, want["grid"], folds=3, workers=1, folder=folder)
    else:
        rankine(tmp_path, "tune", "search.txt", "--folder", name, *want["arguments"], "--folds", "3", "--workers", "1")
    trials = json.loads((folder / "tune.json").read_text())["trials"]
    # processors differ in their last digits, and solvers that stop at a gap in more: unfinished jobs are of this one
    kept = 0
    for trial, other, saved in zip(trials, fresh, want["trials"], strict=True):
        assert trial["params"] == other.params == saved["params"]
        for got, here, there in zip(trial["scores"], other.scores, saved["scores"], strict=True):
            kept += got == there
            assert math.isclose(got, here, rel_tol=1e-12) or got == there
    after = state(folder / "jobs")
    assert {p: after[p] for p in before} == before
    values = 1 if name == "adarank" else len(want["grid"]["C"])
    assert kept >= want["done"] * values  # what was finished is taken as it was
    assert len(after) * values == 3 * len(trials)  # nothing is there twice, under another name
    assert sum(round(t["seconds"] / mark) for t in trials) == want["done"] * values


# Spoken archives ------------------------------------------------------------------------------------------------------


def hits_of(archive):
    searches = read("spoken/archive.json")["searches"]
    return {name: [h.to_dict() for h in archive.search(**how)] for name, how in searches.items()}


def assert_found(got, want):
    """Hits are places now, and what was found is found: the best recording is there, with all that a hit held.

    Weights that were given by name give a recording of one segment the score that they gave.
    """
    for name, hits in want.items():
        assert bool(got[name]) == bool(hits)
        assert all(set(hits[0]) <= set(hit) for hit in got[name])
        assert hits[0]["document"] in {h["document"] for h in got[name]}
    scores = {h["document"]: h["score"] for h in want["weights"]}
    single = {h["document"]: h["score"] for h in got["weights"] if h["segment"] == h["document"]}
    assert_same(single, {document: scores[document] for document in single})
    assert single


def test_an_archive_finds_what_it_found(tmp_path):
    want = read("spoken/archive.json")
    take(tmp_path, "spoken/archive")
    archive = rk.spoken.Archive(tmp_path / "archive")
    archive.check()
    assert archive.recordings.names == want["documents"]
    assert want["deleted"] not in archive.recordings.names
    assert len(list((tmp_path / "archive").glob("*.part"))) == want["parts"] == 2
    before = hits_of(archive)
    assert_found(before, want["hits"]["svm-map"])
    out = rankine(tmp_path, "spoken", "search", "archive", '"railway station"', "-o", "json").stdout
    assert_same(json.loads(out), json.loads(json.dumps(before["phrase"])))
    done = rankine(tmp_path, "spoken", "subtitles", "archive", "trains", "--as", "srt")
    assert done.stdout == want["subtitles"]
    rankine(tmp_path, "spoken", "merge", "archive")
    archive.refresh()
    assert len(list((tmp_path / "archive").glob("*.part"))) == 1
    assert_same(hits_of(archive), before)


def test_weights_and_their_history(tmp_path):
    want = read("spoken/archive.json")
    take(tmp_path, "spoken/archive", "spoken/few")
    archive = rk.spoken.Archive(tmp_path / "archive")
    assert archive.weights.history == want["history"]
    assert len(want["history"]) == 2
    assert dict(zip(archive.weights.learned.names, archive.weights.learned.values, strict=True)) == want["weights"]
    table = rankine(tmp_path, "spoken", "weights", "archive").stdout
    assert set(want["weights table"].splitlines()) <= set(table.splitlines())
    for use, name in (("uniform", "uniform"), (want["history"][1], "adarank"), (want["history"][0], "svm-map")):
        rankine(tmp_path, "spoken", "weights", "archive", "--use", use)
        archive.refresh()
        assert_found(hits_of(archive), want["hits"][name])
    assert archive.weights.history == want["history"]
    file = f"archive/weights/{want['history'][1]}.json"
    rankine(tmp_path, "spoken", "weights", "few", "--import", file)
    assert rk.spoken.Archive(tmp_path / "few").weights.history == want["history"][1:]


def test_judgments(tmp_path):
    want = read("spoken/archive.json")
    take(tmp_path, "spoken/archive", "spoken/queries.tsv", "spoken/judged.qrels")
    assert rankine(tmp_path, "spoken", "judgments", "archive", "--export", "mine").stdout == want["judgments table"]
    for end in ("tsv", "qrels"):
        assert (tmp_path / f"mine.{end}").read_bytes() == (SAVED / "spoken" / f"exported.{end}").read_bytes()
    judged = rk.spoken.Archive(tmp_path / "archive").judgments.all()
    rankine(tmp_path, "spoken", "judge", "archive", "bridge", "--judge", "eve", stdin=io.BytesIO(b"7\nq\n"))
    again = rk.spoken.Archive(tmp_path / "archive").judgments.all()
    assert again.queries == judged.queries
    assert 7.0 in again.qrels["2"].values()
    take(tmp_path, "spoken/few")  # what was exported can be taken over, and so can tables by hand
    (tmp_path / "few.tsv").write_text("a\tspeech\n")
    (tmp_path / "few.qrels").write_text("a 0 u2 1\na 0 u5 0\n")
    rankine(tmp_path, "spoken", "judgments", "few", "--queries", "few.tsv", "--qrels", "few.qrels")
    assert rk.spoken.Archive(tmp_path / "few").judgments.all().qrels == {"a": {"u2": 1.0, "u5": 0.0}}


def test_what_was_judged_is_learned_from(tmp_path):
    take(tmp_path, "spoken/archive")
    weights = state(tmp_path / "archive" / "weights")
    out = rankine(tmp_path, "spoken", "learn", "archive", "--dry-run").stdout
    systems = {line.split("\t")[0] for line in read("spoken/archive.json")["learned"].splitlines()}
    assert {"uniform", "svm-map"} & systems & {line.split("\t")[0] for line in out.splitlines()}
    assert state(tmp_path / "archive" / "weights") == weights


def test_only_what_is_new_is_indexed(tmp_path):
    want = read("spoken/archive.json")
    take(tmp_path, "spoken/archive", "spoken/lattices", "spoken/about.tsv", "spoken/few", "spoken/few.sausage",
         "spoken/few.dict", "spoken/mandarin", "spoken/mandarin.sausage")  # fmt: skip
    call = ("spoken", "index", "archive", "lattices", "--about", "about.tsv", "--workers", "1")
    n = len(want["documents"])
    said = rankine(tmp_path, *call).stderr
    assert f"1 document added, 0 updated, {n} unchanged, 0 removed; {n + 1} in all" in said  # the one that was deleted
    rankine(tmp_path, "spoken", "delete", "archive", want["deleted"], "--yes")
    assert_found(hits_of(rk.spoken.Archive(tmp_path / "archive")), want["hits"]["svm-map"])
    settings = ("--lexicon", "few.dict", "--prune", "0.01", "--skip", "0.05")
    said = rankine(tmp_path, "spoken", "index", "few", "few.sausage", *settings, "--workers", "1").stderr
    assert "0 documents added, 0 updated, 6 unchanged" in said
    said = rankine(tmp_path, "spoken", "index", "mandarin", "mandarin.sausage", "--workers", "1").stderr
    assert "0 documents added, 0 updated, 3 unchanged" in said


@pytest.mark.parametrize("name", ["few", "mandarin"])
def test_archives_of_other_settings(name, tmp_path):
    take(tmp_path, f"spoken/{name}")
    archive = rk.spoken.Archive(tmp_path / name)
    archive.check()
    for text, want in read("spoken/small.json")[name].items():
        hits = archive.search(text, 3)
        assert {h.document for h in hits} <= {h["document"] for h in want}
        assert hits


# Recordings -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def recorded(tmp_path):
    """An archive as ``add`` left it; paths of recordings, which 0.1 kept in full, are made those of the copy."""
    take(tmp_path, "spoken/recognised", "spoken/recordings")
    for name in ("recognised.jsonl", "recordings.tsv"):
        file = tmp_path / "recognised" / "recognised" / name
        file.write_text(file.read_text().replace("recordings/", f"{tmp_path.resolve()}/recordings/"))
    return tmp_path


def add(place, recordings="recordings"):
    return rankine(place, "spoken", "add", "recognised", recordings, "--longest", "3", "--workers", "1").stderr


def test_what_was_recognised_is_not_done_again(recorded):
    made = recorded / "recognised" / "recognised"
    before = {p: s for p, s in state(made).items() if p.suffix == ".gz"}
    assert len(before) == 4
    table = (made / "recordings.tsv").read_text()
    archive = rk.spoken.Archive(recorded / "recognised")
    for text, want in read("spoken/recognised.json").items():
        assert [h.document for h in archive.search(text, 1)] == [want[0]["document"]]
    said = add(recorded)
    assert "0 recordings recognised" in said
    assert "2 were there already" in said
    assert "0 recordings added, 0 updated, 2 unchanged; 2 in all" in said  # the paths are others now
    assert "0 recordings added, 0 updated, 2 unchanged; 2 in all" in add(recorded)
    assert {p: s for p, s in state(made).items() if p in before} == before
    root = "recordings-2/"  # the saved index has paths of its own that begin with recordings/
    assert (made / "recordings.tsv").read_text() == table.replace(f"{recorded.resolve()}/recordings/", root)
    archive.refresh()
    for text, want in read("spoken/recognised.json").items():
        (hit,) = archive.search(text, 1)
        assert (hit.document, hit.audio) == (want[0]["document"], f"{recorded.resolve()}/{want[0]['audio']}")


def test_recordings_that_have_moved_are_known(recorded):
    (recorded / "recordings").rename(recorded / "elsewhere")
    said = add(recorded, "elsewhere")
    assert "0 recordings recognised" in said
    assert "2 were there already" in said
    rankine(recorded, "spoken", "delete", "recognised", "tape-28", "--yes")
    rankine(recorded, "spoken", "purge", "recognised", "--days", "0", "--yes")
    left = sorted(p.name for p in (recorded / "recognised" / "recognised").glob("*.gz"))
    assert left == ["tape-56@00001.slf.gz", "tape-56@00002.slf.gz"]


def test_recognition_that_was_stopped_goes_on(recorded):
    pytest.importorskip("pocketsphinx")
    made = recorded / "recognised" / "recognised"
    journal = made / "recognised.jsonl"
    journal.write_text(journal.read_text()[:-40])  # killed before the end of the last line
    finished = {p: s for p, s in state(made).items() if p.name.startswith("tape-28@")}
    said = add(recorded)
    assert "1 recording recognised (0.1 minutes of speech" in said  # its segments were cut by the rule of 0.1
    assert "1 was there already" in said
    before = {p: s for p, s in state(made).items() if p.suffix == ".gz"}
    assert finished.items() <= before.items()
    journal.write_text(journal.read_text()[:-40])
    said = add(recorded)
    assert "1 recording recognised (0.0 minutes of speech)" in said  # its segments are all there
    assert "1 was there already" in said
    assert {p: s for p, s in state(made).items() if p.suffix == ".gz"} == before


def test_a_hit_can_be_heard(tmp_path):
    pytest.importorskip("soundfile")
    take(tmp_path, "spoken/recognised", "spoken/recordings")
    hit = rk.spoken.Archive(tmp_path / "recognised").search("station", 1)[0]
    rankine(tmp_path, "spoken", "play", "recognised", hit.place, "--recordings", "recordings", "-o", "hit.wav")
    assert (tmp_path / "hit.wav").stat().st_size > 1000


# Batches that were stopped, and what they write -----------------------------------------------------------------------


def assert_same_text(text, expected):
    """Equal words; numbers to twelve digits, for processors round exponentials differently."""
    words, expected_words = text.split(), expected.split()
    assert len(words) == len(expected_words)
    for word, other in zip(words, expected_words, strict=True):
        if word != other:
            assert float(word) == pytest.approx(float(other), rel=1e-12, abs=1e-15)


def in_milliseconds(text):
    """CTM as it is written since 0.2, with times in milliseconds."""
    rows = [line.split() for line in text.splitlines()]
    for row in rows:
        begin, end = round(float(row[2]), 3), round(float(row[2]) + float(row[3]), 3)
        row[2:4] = repr(begin), repr(round(end - begin, 3))
    return "".join(" ".join(row) + "\n" for row in rows)


@pytest.mark.parametrize("name", BATCHES["batches"])
def test_a_batch_that_was_stopped_goes_on(name, tmp_path):
    batch = BATCHES["batches"][name]
    left = "slf" if name == "slf" else f"{name}.part"
    take(tmp_path, "spoken/lattices", "spoken/few.sausage", f"spoken/{left}")
    said = rankine(tmp_path, "spoken", *batch["arguments"]).stderr
    assert f"going on after {counted(batch['done'], 'utterance')} of an earlier run" in said
    whole, output = SAVED / "spoken" / "whole" / name, tmp_path / name
    if whole.is_dir():
        assert {p.name: p.read_bytes() for p in output.iterdir()} == {p.name: p.read_bytes() for p in whole.iterdir()}
    else:
        shape = in_milliseconds if name.endswith(".ctm") else str
        assert_same_text(shape(output.read_text()), shape(whole.read_text()))
        assert not (tmp_path / left).exists()


@pytest.mark.parametrize("form", WRITTEN)
def test_lattices_that_were_written(form, tmp_path):
    take(tmp_path, "spoken/written")
    assert rankine(tmp_path / "written", "spoken", *WRITTEN[form]["arguments"]).stdout == WRITTEN[form]["output"]
