"""Teaching an archive: judgments that survive, weights that are those of the rankers, search that uses them."""

import io
import json
import os
import signal
import time

import numpy as np
import pytest

import rankine as rk
from rankine.normalise import Normaliser
from rankine.spoken.archive.archive import Archive
from rankine.spoken.index.analyse import Settings
from rankine.spoken.learn.judgments import Judged, Judgments
from rankine.spoken.learn.learning import Weights, cross_validate, examples, learn

from ...cli.test_cli import rankine
from ..archive.test_archive import SMALL, lattice


@pytest.fixture(scope="module")
def taught(tmp_path_factory):
    """An archive of 60 documents; relevant is where the word was likely."""
    place = tmp_path_factory.mktemp("taught")
    archive = Archive.create(place / "a", SMALL)
    archive.add_lattices([(f"d{i:02d}", lattice(i, 12)) for i in range(60)])
    queries = {str(i): f"w{i} w{(i * 5 + 1) % 12}" for i in range(12)}
    qrels = {}
    for key, text in queries.items():
        query = archive.parse(text)
        docs = archive.candidates(query)
        counts = archive.score(query, docs)[:, 1]  # word bigrams
        good = docs[counts > max(np.quantile(counts, 0.7), 0)]
        qrels[key] = {archive.name_of(d): 1.0 for d in good.tolist()}
    return archive, Judged(queries, {k: v for k, v in qrels.items() if v} | {"0": {"d00": 1.0}})


def test_judgments_count_as_said(tmp_path):
    book = Judgments(tmp_path)
    assert book.all() == Judged({}, {})
    assert not book.path.exists()
    one, two = book.query("spoken words"), book.query("others")
    assert (one, two, book.query("spoken words")) == ("1", "2", "1")
    book.add(one, "a", 1, "ann")
    book.add(one, "b", 0, "ann")
    number = book.add(one, "a", 2, "bob")  # the last judge counts
    assert book.all().qrels == {"1": {"a": 2.0, "b": 0.0}, "2": {}}
    book.undo(number)  # taken back: ann's stands again
    assert book.all().qrels["1"]["a"] == 1.0
    with pytest.raises(rk.InputError, match="not known"):
        book.add_all([("1", "c", 1.0), ("9", "c", 1.0)])
    assert "c" not in book.all().qrels["1"]
    with pytest.raises(rk.InputError, match="here and"):
        book.add_queries({"1": "something else"})
    book.path.write_bytes(b"not a database at all, but long enough to be read as one" * 100)
    with pytest.raises(rk.InputError, match="damaged"):
        book.all()


def test_judgments_survive_kills(tmp_path):
    book = Judgments(tmp_path)
    key = book.query("q")
    rng = np.random.default_rng(0)
    for round_ in range(25):
        told, tell = os.pipe()
        child = os.fork()
        if child == 0:
            for i in range(1000):
                Judgments(tmp_path).add(key, f"{round_}-{i}", 1.0)
                os.write(tell, b".")
            os._exit(0)
        os.close(tell)
        time.sleep(float(rng.uniform(0.005, 0.03)))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        said = 0
        while data := os.read(told, 1 << 16):
            said += len(data)
        os.close(told)
        there = [d for d in book.all().qrels[key] if d.startswith(f"{round_}-")]
        assert said <= len(there) <= said + 1
    book.check()


@pytest.mark.parametrize("ranker", ["svm-map", "adarank", "ranksvm-l2"])
def test_learned_weights_are_those_of_the_ranker(taught, ranker):
    archive, judged = taught
    weights, trial = learn(archive, judged, ranker)
    again, _ = learn(archive, judged, ranker)
    assert weights.to_bytes() == again.to_bytes()
    data = examples(archive, judged).data
    if ranker == "adarank":
        model = rk.AdaRank(measure="AP", normalise="query-minmax").fit(data)
    else:
        C = weights.provenance["parameters"]["C"]
        model = rk.LinearRanker(loss=ranker, C=C, normalise="query-minmax").fit(data)
        if ranker == "svm-map":
            assert pytest.approx(1e4 / data.n_queries) == C
    np.testing.assert_array_equal(weights.values, model.coef_)
    assert set(trial.precision) == {"best single", "uniform", "uniform, normalised", ranker}
    assert len(trial.folds) == 4
    tested = [q for fold in trial.folds for q in fold.query_ids]
    assert sorted(map(str, tested)) == sorted(map(str, data.query_ids))


def test_top_k_is_that_of_scoring_all_candidates(taught, tmp_path):
    archive, judged = taught
    rng = np.random.default_rng(1)
    for normalise in ("query-minmax", "query-zscore", None):
        values = tuple(rng.normal(size=len(archive.ranker_names)).tolist())  # of either sign
        archive.use_weights(Weights(tuple(archive.ranker_names), values, normalise, "test", {}))
        for text in judged.queries.values():
            query = archive.parse(text)
            docs = archive.candidates(query)
            X = archive.score(query, docs)
            if normalise is not None:
                data = rk.RankingData(X, np.zeros(len(X)), np.zeros(len(X)))
                X = Normaliser(normalise).fit(data).apply(data).X
            scores = {archive.name_of(d): s for d, s in zip(docs.tolist(), X @ np.array(values), strict=True)}
            want = sorted(scores, key=lambda n: (-round(scores[n], 10), n))[:7]
            hits = archive.search(text, k=7)
            assert [round(scores[h.document], 10) for h in hits] == [round(scores[n], 10) for n in want]
            for h in hits:
                assert h.score == pytest.approx(sum(h.contributions.values()), abs=1e-9)
    archive.use_weights(None)
    assert archive.weights is None


def test_precision_is_that_of_trec_eval(taught):
    import pytrec_eval

    archive, judged = taught
    grades = {q: {**r, "d59": 1.0} for q, r in judged.qrels.items()}  # perhaps no candidate: it counts all the same
    found = examples(archive, Judged(judged.queries, grades), keep=False)
    rng = np.random.default_rng(2)
    scores = np.round(rng.normal(size=found.data.n_documents), 1)  # ties
    got = found.average_precision(found.data, scores)
    run = {}
    for q, d, s in zip(found.data.qid, found.data.doc_ids, scores.tolist(), strict=True):
        run.setdefault(str(q), {})[d] = s
    qrels = {q: {d: int(g) for d, g in r.items()} for q, r in grades.items()}
    want = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(run)
    for q, x in zip(found.data.query_ids, got.tolist(), strict=True):
        assert x == pytest.approx(want[str(q)]["map"], abs=1e-12)


def test_queries_without_a_candidate_count_as_nothing(tmp_path):
    from rankine.spoken.lattice.formats import one_best

    archive = Archive.create(tmp_path / "a", SMALL)
    archive.add_lattices([(f"d{i}", one_best([(w, 0.0, 1.0, 0.9)])) for i, w in enumerate(["ab", "cd", "ab", "ef"])])
    queries = {"1": "ab", "2": "cd", "3": "ef", "4": "xyz"}
    qrels = {"1": {"d0": 1.0}, "2": {"d1": 1.0}, "3": {"d3": 1.0}, "4": {"d0": 1.0}}
    found = examples(archive, Judged(queries, qrels))
    assert found.lost == ("4",)
    trial = cross_validate(found, {}, folds=3)
    assert trial.precision["uniform"][-1] == 0
    assert len(trial.precision["uniform"]) == 4


def test_weights_are_kept_and_can_be_undone(taught):
    archive, _ = taught
    names = tuple(archive.ranker_names)
    one = Weights(names, tuple(range(len(names))), None, "one", {"queries": 3})
    two = Weights(names, tuple(-x for x in range(len(names))), None, "two", {})
    archive.use_weights(one)
    archive.use_weights(two)
    assert Archive(archive.folder).weights == two
    assert archive.weights_history[-2:] == [one.id, two.id]
    archive.use_weights(one.id)
    assert archive.weights == one
    archive.check()
    with pytest.raises(rk.InputError, match="no weights are called"):
        archive.use_weights("nonsense")
    with pytest.raises(rk.InputError, match="the weights are for x"):
        archive.use_weights(Weights(("x-cn-1",), (1.0,), None, "x", {}))
    file = archive.folder / "weights" / f"{one.id}.json"
    content = file.read_bytes()
    file.write_bytes(content.replace(b'"one"', b'"two"'))
    with pytest.raises(rk.InputError, match="damaged"):
        Archive(archive.folder).search("w0")
    file.unlink()
    with pytest.raises(rk.InputError, match="in use but missing"):
        Archive(archive.folder).search("w0")
    Archive(archive.folder).use_weights(None)  # the way out
    file.write_bytes(content)
    archive.refresh()
    assert archive.weights is None


def test_bad_input(taught, tmp_path):
    archive, judged = taught
    for wrong, message in (
        (Judged({"1": "w0"}, {"1": {"nowhere": 1.0}}), "not in the archive"),
        (Judged({"1": "w0"}, {"2": {"d00": 1.0}}), "not among the queries"),
        (Judged({"1": "w0"}, {"1": {"d00": 0.0}}), "nothing to learn from"),
        (Judged({}, {}), "nothing to learn from"),
        (Judged({"1": "w0"}, {"1": dict.fromkeys(archive.documents, 1.0)}), "same grade"),
        (Judged({"0": judged.queries["1"]}, {"0": judged.qrels["1"]}), "too few for 4 folds"),
    ):
        with pytest.raises(rk.InputError, match=message):
            learn(archive, wrong)
    with pytest.raises(rk.InputError, match=r"unknown loss"):
        learn(archive, judged, "nonsense")
    assert archive.weights is None


def test_the_commands(taught, tmp_path):
    archive, judged = taught
    place = str(archive.folder)
    (tmp_path / "q.tsv").write_text("".join(f"{q}\t{t}\n" for q, t in judged.queries.items()))
    (tmp_path / "q.qrels").write_text("".join(f"{q} 0 {d} 1\n" for q, r in judged.qrels.items() for d in r))
    given = ("--queries", "q.tsv", "--qrels", "q.qrels")
    done = rankine(tmp_path, "spoken", "learn", place, *given, "--dry-run", "--plot", "w.svg")
    assert "svm-map" in done.stdout
    assert "word-cn-2" in (tmp_path / "w.svg").read_text()
    assert Archive(place).weights is None
    rankine(tmp_path, "spoken", "judgments", place, *given)
    rankine(tmp_path, "spoken", "judgments", place, "--export", "mine")
    assert (tmp_path / "mine.tsv").read_text() == (tmp_path / "q.tsv").read_text()
    assert sorted((tmp_path / "mine.qrels").read_text().split()) == sorted((tmp_path / "q.qrels").read_text().split())
    done = rankine(tmp_path, "spoken", "learn", place, "--ranker", "adarank")  # from the archive's own judgments
    now = Archive(place).weights
    assert now.ranker == "adarank"
    assert now.id in done.stderr
    assert f"*\t{now.id}" in rankine(tmp_path, "spoken", "weights", place).stdout
    assert "*\tuniform" in rankine(tmp_path, "spoken", "weights", place, "--use", "uniform").stdout
    file = str(archive.folder / "weights" / f"{now.id}.json")
    assert f"*\t{now.id}" in rankine(tmp_path, "spoken", "weights", place, "--import", file).stdout
    rankine(tmp_path, "spoken", "weights", place, "--use", "uniform")
    assert "belong together" in rankine(tmp_path, "spoken", "learn", place, "--queries", "q.tsv", code=1).stderr
    (tmp_path / "bad.qrels").write_text("77 0 d00 1\n")
    done = rankine(tmp_path, "spoken", "judgments", place, "--qrels", "bad.qrels", code=1)
    assert "not among the queries" in done.stderr
    assert json.loads(rankine(tmp_path, "spoken", "search", place, "w0", "-o", "json").stdout)


def test_judging_at_the_terminal(tmp_path):
    from rankine.spoken.lattice.formats import one_best

    archive = Archive.create(tmp_path / "a", SMALL)
    archive.add_lattices([(f"d{i}", one_best([("word", 0.0, 1.0, 0.9 - i / 10)])) for i in range(4)])
    answers = io.BytesIO(b"word\nu\ny\nn\nu\n3\nwhat\n\n\nzzz\n\n")
    done = rankine(tmp_path, "spoken", "judge", "a", "--judge", "ann", stdin=answers)
    assert archive.judgments.all().qrels == {"1": {"d0": 1.0, "d1": 3.0}}
    assert "nothing to undo" in done.stderr
    assert "undone: word: d1" in done.stderr
    assert "1 queries, 2 judgments" in done.stderr
    assert "occurs in this archive" in done.stderr
    # undo across queries, and of a grade that replaced another
    answers = io.BytesIO(b"word\n2\ns\nwords\nu\nq\n")
    done = rankine(tmp_path, "spoken", "judge", "a", stdin=answers)
    assert archive.judgments.all().qrels["1"]["d0"] in (1.0, 2.0)
    assert "(now 3)" in rankine(tmp_path, "spoken", "judge", "a", "word", stdin=io.BytesIO(b"\n\nq\n")).stderr


def test_what_was_deleted_does_not_count(tmp_path):
    from rankine.spoken.lattice.formats import one_best

    archive = Archive.create(tmp_path / "a", SMALL)
    words = ["ab", "cd", "ef", "gh"]
    archive.add_lattices([(f"d{i}", one_best([(words[i % 4], 0.0, 1.0, 0.9)])) for i in range(8)])
    for i, w in enumerate(words):
        key = archive.judgments.query(w)
        archive.judgments.add(key, f"d{i}", 1.0)
    archive.delete(["d0"])
    done = rankine(tmp_path, "spoken", "learn", "a", "--folds", "3", code=0)
    assert "1 judgments of documents that are no longer" in done.stderr


def test_features_are_computed_again_when_something_changed(taught):
    archive, judged = taught
    first = examples(archive, judged).data
    other = Judged(dict(reversed(judged.queries.items())), judged.qrels)
    assert list(examples(archive, other).data.query_ids) == list(reversed(list(first.query_ids)))
    (file,) = (archive.folder / "cache").glob("*.arrow")
    file.write_bytes(file.read_bytes()[:100])
    assert examples(archive, other).data.n_queries == first.n_queries
    with pytest.raises(rk.InputError, match="query 0: the query"):
        examples(archive, Judged({"0": "?"}, {"0": {"d00": 1.0}}))
    for wrong in ("zscore", "nonsense"):
        with pytest.raises(rk.InputError, match="normalise"):
            learn(archive, judged, normalise=wrong)


def test_several_judges_at_once(tmp_path):
    children = []
    for j in range(3):
        child = os.fork()
        if child == 0:
            try:
                for i in range(15):
                    book = Judgments(tmp_path)
                    book.add(book.query(f"q{i}"), f"d{j}", 1.0, str(j))
            except BaseException:
                os._exit(1)
            os._exit(0)
        children.append(child)
    assert all(os.waitstatus_to_exitcode(os.waitpid(c, 0)[1]) == 0 for c in children)
    found = Judgments(tmp_path).all()
    assert sorted(found.queries.values()) == sorted(f"q{i}" for i in range(15))
    assert found.n_judgments == 45
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "judgments.sqlite").touch()
    assert Judgments(empty).all() == Judged({}, {})


def test_interrupting_leaves_all_as_it_was(taught, monkeypatch):
    from rankine.spoken.learn import learning

    archive, judged = taught
    before = {p: p.read_bytes() for p in sorted(archive.folder.rglob("*.json"))}
    monkeypatch.setattr(learning, "make_ranker", lambda *a, **k: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        learn(archive, judged)
    assert {p: p.read_bytes() for p in sorted(archive.folder.rglob("*.json"))} == before


def test_the_declared_queries(real_data):
    from rankine.experiments.spoken import collection, judged_queries

    for name, most in (("lj", 200), ("aishell", 200)):
        found = collection(name)
        judged = judged_queries(found)
        assert 100 < len(judged.queries) <= most
        assert all(len(r) >= 5 for r in judged.qrels.values())
        assert judged == judged_queries(found)
    assert Settings().prune == 1e-3
