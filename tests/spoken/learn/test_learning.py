"""Learning: weights are those of the rankers, tested on queries that they have not seen."""

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.learn import learning
from rankine.spoken.learn.learning import RANKERS, Examples, check_ranker, choose_C, cross_validate, learn, make_ranker
from rankine.spoken.learn.table import NEIGHBOURS
from rankine.spoken.learn.weights import Weights, is_evidence, shipped
from rankine.spoken.teaching.training_data import examples


@pytest.fixture
def judged_data(taught):
    archive, judged = taught
    return examples(archive.index, judged)


@pytest.mark.parametrize("ranker", ["svm-map", "adarank", "adarank:meng", "ranksvm-l2"])
def test_learned_weights_are_those_of_the_ranker(judged_data, ranker):
    weights, trial = learn(judged_data, ranker)
    again, _ = learn(judged_data, ranker)
    assert weights.to_bytes() == again.to_bytes()
    data = judged_data.data.select([n for n in judged_data.data.feature_names if not is_evidence(n)])
    if ranker.startswith("adarank"):
        update = "meng" if ranker.endswith("meng") else "original"
        model = rk.AdaRank(measure="AP", update=update, normalise="query-minmax").fit(data)
    else:
        C = weights.provenance["parameters"]["C"]
        model = rk.LinearRanker(loss=ranker, C=C, normalise="query-minmax").fit(data)
        if ranker == "svm-map":
            assert pytest.approx(1e4 / data.n_queries) == C
    np.testing.assert_array_equal(weights.values, model.coef_)
    assert weights.names == tuple(data.feature_names)
    assert weights.provenance["judgments"] == judged_data.digest
    assert set(trial.precision) == {"best single", "uniform", "uniform, normalised", ranker}
    assert len(trial.folds) == 4
    tested = [q for fold in trial.folds for q in fold.query_ids]
    assert sorted(map(str, tested)) == sorted(map(str, data.query_ids))
    means = {name: f"{x.mean():.4f}" for name, x in trial.precision.items()}
    assert {row[0]: row[1] for row in trial.table()} == means


def test_precision_is_that_of_trec_eval(taught):
    import pytrec_eval

    archive, judged = taught
    grades = {q: {**r, "d59": 1.0} for q, r in judged.qrels.items()}  # perhaps no candidate: it counts all the same
    judged_data = examples(archive.index, judged._replace(qrels=grades), keep=False)
    rng = np.random.default_rng(2)
    scores = np.round(rng.normal(size=judged_data.data.n_documents), 1)  # ties
    precision = judged_data.average_precision(judged_data.data, scores)
    run = {}
    for q, d, s in zip(judged_data.data.qid, judged_data.data.doc_ids, scores.tolist(), strict=True):
        run.setdefault(str(q), {})[d] = s
    qrels = {q: {d: int(g) for d, g in r.items()} for q, r in grades.items()}
    want = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(run)
    for q, x in zip(judged_data.data.query_ids, precision.tolist(), strict=True):
        assert x == pytest.approx(want[str(q)]["map"], abs=1e-12)


def test_learning_needs_no_archive():
    """A data set in, weights out."""
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(8), 10)
    y = (rng.random(80) < 0.3).astype(float)
    y[::10] = 1.0
    X = np.column_stack([rng.normal(size=80), y + 0.1 * rng.normal(size=80)])
    data = rk.RankingData(X, y, qid, doc_ids=[f"d{i}" for i in range(80)], feature_names=["noise", "good"])
    judged_data = Examples(data, np.add.reduceat(y > 0, data.ptr[:-1]), np.ones(8, np.bool_))
    weights, trial = learn(judged_data, "adarank")
    assert dict(zip(weights.names, weights.values, strict=True))["good"] > 0
    assert trial.precision["adarank"].mean() > 0.95
    assert trial.precision["best single"].mean() == pytest.approx(trial.precision["adarank"].mean(), abs=0.05)


def test_too_few_queries_and_unknown_names(judged_data):
    n = judged_data.data.n_queries
    with pytest.raises(rk.InputError, match=f"place count: {n}, too few for {n + 1} folds: judge more"):
        cross_validate(judged_data, {}, folds=n + 1)
    with pytest.raises(rk.InputError, match="unknown loss 'nonsense'"):
        learn(judged_data, "nonsense")
    for wrong in ("zscore", "nonsense"):
        with pytest.raises(rk.InputError, match="normalise must be one of query-minmax, query-zscore, None"):
            learn(judged_data, "svm-map", normalise=wrong)
    with pytest.raises(rk.InputError, match=r"neighbours learns from scores as they are.* choose another one"):
        learn(judged_data, normalise="query-minmax")


def test_the_table_of_rankers(judged_data):
    for name in RANKERS:
        check_ranker(name)
        if name == NEIGHBOURS:
            continue  # it needs weights to begin at
        assert make_ranker(name, judged_data.data, None).fit(judged_data.data).coef_.shape == (39,)
    check_ranker("listnet")
    model = make_ranker("ranksvm-l2", judged_data.data, "query-minmax")
    assert choose_C("ranksvm-l2", judged_data.data, "query-minmax") == model.C


def test_interrupting_leaves_all_as_it_was(taught, monkeypatch):
    archive, judged = taught
    before = {p: p.read_bytes() for p in sorted(archive.folder.rglob("*.json"))}
    assert before
    monkeypatch.setattr(learning, "make_ranker", lambda *a, **k: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        archive.weights.learn(judged)
    assert {p: p.read_bytes() for p in sorted(archive.folder.rglob("*.json"))} == before


def test_learning_goes_on_from_given_weights(judged_data):
    begin = shipped(["word", "character"])
    evidence = [n for n in judged_data.data.feature_names if is_evidence(n)]
    weights, trial = learn(judged_data, "svm-map", begin=begin)
    assert weights.names == tuple(evidence)
    assert weights.normalise is None
    assert list(trial.precision) == ["uniform", "shipped", "svm-map"]
    assert trial.columns == ("system", "MAP", "known words", "unknown words", "to shipped", "p (Wilcoxon)")
    want = judged_data.average_precision(judged_data.data, begin.scores(judged_data.data))
    np.testing.assert_array_equal(trial.precision["shipped"], want)
    start = np.array([begin.by_name[n] for n in evidence])
    assert 0 < np.abs(np.array(weights.values) - start).max() < 0.1  # few queries move them little
    default, trial = learn(judged_data, begin=begin)
    assert list(trial.precision) == ["uniform", "shipped", NEIGHBOURS]
    assert list(default.provenance["parameters"]) == ["log of pairs"]
    other, trial = learn(judged_data, "ranksvm-l2", begin=begin)
    assert other.names == weights.names
    papers, trial = learn(judged_data, "adarank:meng", begin=begin)
    assert not any(map(is_evidence, papers.names))
    assert papers.normalise == "query-minmax"
    assert trial.baselines == ("shipped", "uniform", "best single")
    minmax, _ = learn(judged_data, "svm-map", normalise="query-minmax", begin=begin)
    assert minmax.names == papers.names


def test_given_weights_score_as_search_does(judged_data):
    names = list(judged_data.data.feature_names)
    weights = Weights.of({"word-cn-1": 2.0}, names)
    np.testing.assert_allclose(weights.scores(judged_data.data), 2 * judged_data.data.X[:, names.index("word-cn-1")])
