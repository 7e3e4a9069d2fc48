"""``rankine spoken learn`` and ``weights``."""

import json
import shutil
from dataclasses import replace

from rankine.cli.spoken.learning import _outcome, _print_result
from rankine.spoken.archive import Archive, LearningResult
from rankine.spoken.lattice.formats import one_best
from rankine.spoken.learn.learning import RANKERS
from rankine.spoken.learn.weights import NORMALISERS, Weights

from ...spoken.cases import SMALL
from ..running import rankine


def test_the_commands(taught, tmp_path):
    archive, judged = taught
    place = str(archive.folder)
    (tmp_path / "q.tsv").write_text("".join(f"{q}\t{t}\n" for q, t in judged.queries.items()))
    (tmp_path / "q.qrels").write_text("".join(f"{q} 0 {d} 1\n" for q, r in judged.qrels.items() for d in r))
    given = ("--queries", "q.tsv", "--qrels", "q.qrels")
    done = rankine(tmp_path, "spoken", "learn", place, *given, "--dry-run", "--plot", "w.svg")
    assert "neighbours" in done.stdout
    assert "shipped" in done.stdout
    assert "dry run" in done.stderr
    assert "heard-one-word" in (tmp_path / "w.svg").read_text()
    assert Archive(place).weights.learned is None
    rankine(tmp_path, "spoken", "judgments", place, *given)
    rankine(tmp_path, "spoken", "judgments", place, "--export", "mine")
    assert (tmp_path / "mine.tsv").read_text() == (tmp_path / "q.tsv").read_text()
    assert sorted((tmp_path / "mine.qrels").read_text().split()) == sorted((tmp_path / "q.qrels").read_text().split())
    many = rankine(tmp_path, "spoken", "learn", place, "--folds", "99", code=1).stderr
    n = len(judged.qrels)
    assert f"of {n} judged queries only those with at least one relevant place count: {n}, too few for 99 folds" in many
    assert f": judge more queries, or --folds {n}\n" in many
    call = ("spoken", "learn", place, "--ranker", "adarank", "--keep")  # from the archive's own judgments
    done = rankine(tmp_path, *call)
    now = Archive(place).weights.learned
    again = rankine(tmp_path, *call)
    assert "in use\t" in again.stdout
    assert "nothing changed: the weights in use count all evidence so already: mean AP" in again.stderr
    assert now.ranker == "adarank"
    assert now.id in done.stderr
    assert f"*\t{now.id}" in rankine(tmp_path, "spoken", "weights", place).stdout
    wrong = rankine(tmp_path, "spoken", "weights", place, "--use", "99", code=1).stderr
    assert f"no weights are called '99'; there are: shipped, uniform, {now.id}\n" in wrong
    assert "*\tuniform" in rankine(tmp_path, "spoken", "weights", place, "--use", "uniform").stdout
    assert set(Archive(place).weights.learned.values) == {1 / 12}
    assert "*\tshipped" in rankine(tmp_path, "spoken", "weights", place, "--use", "shipped").stdout
    assert Archive(place).weights.learned is None
    file = str(archive.folder / "weights" / f"{now.id}.json")
    assert f"*\t{now.id}" in rankine(tmp_path, "spoken", "weights", place, "--import", file).stdout
    rankine(tmp_path, "spoken", "weights", place, "--use", "uniform")
    assert "belong together" in rankine(tmp_path, "spoken", "learn", place, "--queries", "q.tsv", code=1).stderr
    (tmp_path / "bad.qrels").write_text("77 0 d00 1\n")
    done = rankine(tmp_path, "spoken", "judgments", place, "--qrels", "bad.qrels", code=1)
    assert "not among the queries" in done.stderr
    assert json.loads(rankine(tmp_path, "spoken", "search", place, "w0", "-o", "json").stdout)


def test_imported_weights_tell_where_they_come_from(taught, tmp_path):
    archive, judged = taught
    weights = archive.weights.learn(judged, use=False).weights
    assert (weights.provenance["language"], weights.provenance["kinds"]) == ("en", archive.kinds)
    before = archive.weights.learned
    for name, language in (("same", "en"), ("other", "zh")):
        moved = replace(weights, provenance={**weights.provenance, "language": language})
        (tmp_path / f"{name}.json").write_bytes(moved.to_bytes())
        done = rankine(tmp_path, "spoken", "weights", str(archive.folder), "--import", f"{name}.json")
        assert f"*\t{moved.id}" in done.stdout
        note = moved.origin_note("en", archive.kinds)
        assert done.stderr == (f"rankine: {note}\n" if language == "zh" else "")
    archive.weights.use(before)


def test_worse_weights_are_not_used_unless_asked(taught, monkeypatch):
    archive, judged = taught
    archive.weights.use(None)
    said = {}
    for worse in (True, False):
        after = 0.25 if worse else 0.5
        monkeypatch.setattr(LearningResult, "means", property(lambda result, after=after: (0.5, after)))
        for keep in (False, True):
            result = archive.weights.learn(judged, keep=keep)
            assert result.adopted == (keep or not worse)
            assert (archive.weights.learned is not None) == result.adopted
            said[worse, keep] = _outcome("a", result, False)
            archive.weights.use(None)
    assert "the weights in use stay: mean AP 0.2500 in the test, 0.5000" in said[True, False]
    assert "--keep" in said[True, False]
    assert all("search now uses the weights" in said[case] for case in said if case != (True, False))
    assert not archive.weights.learn(judged, use=False, keep=True).adopted


def test_weights_are_printed_by_feature_and_class_where_they_count(taught, tmp_path, capsys):
    archive, judged = taught
    names = ("heard-one-word", "unknown-one-word", "heard-several-word-pair", "heard-one-sound-all")
    weights = Weights(names, (1.0, -0.5, 0.0009, 0.25), None, "svm-map", {})
    result = archive.weights.learn(judged, use=False)._replace(weights=weights)
    for adopted, dry_run in ((False, False), (True, False), (False, True)):
        _print_result("a", result._replace(adopted=adopted), dry_run)
        out = capsys.readouterr().out
        assert ("feature\theard, one\t" in out) == (adopted or dry_run)
    assert out.splitlines()[-2:] == ["word\t+1.000\t\t\t\t-0.500\t", "sound-all\t+0.250\t\t\t\t\t"]
    papers = Weights(("word-cn-1", "word-cn-2"), (0.5, 0.0009), "query-minmax", "adarank", {})
    _print_result("a", result._replace(weights=papers), True)
    assert capsys.readouterr().out.endswith("weak ranker\tweight\nword-cn-1\t+0.5000\n")


def test_what_was_deleted_does_not_count(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    words = ["ab", "cd", "ef", "gh"]
    archive.lattices.add([(f"d{i}", one_best([(words[i % 4], 0.0, 1.0, 0.9)])) for i in range(8)])
    for i, w in enumerate(words):
        key = archive.judgments.store.query(w)
        archive.judgments.store.add(key, f"d{i}", 1.0)
    archive.recordings.delete(["d0"])
    done = rankine(tmp_path, "spoken", "learn", "a", "--folds", "3", code=0)
    assert "left out: 1 judgment of recordings that are no longer" in done.stderr


def test_queries_without_a_relevant_place_do_not_count(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    words = ["ab", "cd", "ef", "gh", "ij"]
    archive.lattices.add([(f"d{i}", one_best([(words[i % 5], 0.0, 1.0, 0.9)])) for i in range(10)])
    for i, w in enumerate(words):
        archive.judgments.store.add(archive.judgments.store.query(w), f"d{i}", float(i < 2))
    said = rankine(tmp_path, "spoken", "learn", "a", code=1).stderr
    assert "of 5 judged queries only those with at least one relevant place count: 2, too few for 4 folds" in said
    assert said.endswith("judge more queries, or --folds 2\n")


def test_the_help_names_rankers_and_normalisers(tmp_path):
    text = " ".join(rankine(tmp_path, "spoken", "learn", "--help").stdout.split())
    for name in (*RANKERS, *(n for n in NORMALISERS if n)):
        assert name in text


def test_a_candidate_is_proposed_kept_and_left(taught, tmp_path):
    source, judged = taught
    archive = Archive(shutil.copytree(source.folder, tmp_path / "a"))
    shutil.rmtree(archive.folder / "weights", ignore_errors=True)
    archive.judgments.add_judged(judged)
    done = rankine(tmp_path, "spoken", "learn", "a", "--ranker", "svm-map", "--propose", "--per-query", "--by", "ann")
    assert "are a candidate; search is as it was" in done.stderr
    assert "on queries it did not see" in done.stderr
    assert "query\ttext\tbefore\tafter\tchange" in done.stdout
    assert Archive(archive.folder).weights.learned is None
    (kept,) = archive.weights.kept
    table = rankine(tmp_path, "spoken", "weights", "a").stdout
    row = next(line.split("\t") for line in table.splitlines() if line.endswith("candidate"))
    assert (row[0], row[1], row[3]) == (kept.id, "", "ann")
    rankine(tmp_path, "spoken", "weights", "a", "--use", kept.id, "--name", "autumn", "--by", "bob")
    assert Archive(archive.folder).weights.history == [kept.id]
    rankine(tmp_path, "spoken", "weights", "a", "--back")
    assert Archive(archive.folder).weights.learned is None
    rankine(tmp_path, "spoken", "weights", "a", "--use", "autumn")
    assert Archive(archive.folder).weights.learned.id == kept.id
    for options, message in (
        (("learn", "a", "--propose", "--keep"), "--propose excludes"),
        (("weights", "a", "--back", "--use", "shipped"), "exclude each other"),
        (("weights", "a", "--name", "x"), "--name needs"),
    ):
        assert message in rankine(tmp_path, "spoken", *options, code=1).stderr
