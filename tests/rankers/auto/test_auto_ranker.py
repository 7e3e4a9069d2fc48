"""AutoRanker: any data gives a model and plain sentences, or one line that says what is wrong. (long: one estimator)"""

import math
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold, PredefinedSplit, TimeSeriesSplit
from sklearn.utils.estimator_checks import check_estimator

import rankine as rk
from rankine.rankers.auto import auto_ranker as module
from rankine.rankers.auto import race
from rankine.rankers.auto.candidates import CANDIDATES, Candidate
from rankine.rankers.auto.estimate import DEAR, PLAIN
from rankine.rankers.auto.fusion import FusedRanker
from rankine.rankers.folds import NearDuplicateWarning, QueryKFold
from rankine.sample import judged_set

from ...cases import linear_problem

SINGLE, UNIFORM = CANDIDATES[:2]
LINEAR = Candidate("linear", "linear", {"loss": "ranksvm-l2", "tol": 1e-2}, ("C", (0.01, 1.0)), PLAIN, (0.1, 0.1))
REGRESSION = Candidate("regression", "regression", {}, ("alpha", (1.0, 100.0)), DEAR, (0.1, 0.1))
TINY = [SINGLE, UNIFORM, LINEAR]


def auto(measure="nDCG@10", candidates=TINY, folds=3, **settings):
    return rk.AutoRanker(measure, candidates, folds, **{"workers": 1, **settings})


def plain_rows(model):
    """The leaderboard without seconds."""
    return [(r.name, r.params, repr(r[2:5]), r.verdict) for r in model.leaderboard_]


@st.composite
def tiny_sets(draw):
    """Up to six queries of up to five documents; features and grades of few different values, or all the same."""
    lengths = draw(st.lists(st.integers(1, 5), min_size=1, max_size=6))
    n, d = sum(lengths), draw(st.integers(1, 3))
    values = st.sampled_from(draw(st.sampled_from([[0.0], [0.0, 1.0], [-1.5, 0.0, 2.0, 7.0], [1e40, -1e40, 3.0]])))
    grades = st.sampled_from(draw(st.sampled_from([[0], [1], [0, 1], [0, 1, 2], [0.5, 1.25, 3.0], [0, 40, 900]])))
    X = np.array(draw(st.lists(st.lists(values, min_size=d, max_size=d), min_size=n, max_size=n)))
    y = np.array(draw(st.lists(grades, min_size=n, max_size=n)))
    qid = np.repeat(np.arange(len(lengths)), lengths)
    order = np.array(draw(st.permutations(range(n)))) if draw(st.booleans()) else np.arange(n)
    weights = draw(st.none() | st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=len(lengths), max_size=len(lengths)))
    if weights is not None and not any(weights):
        weights = None
    return X[order], y[order], qid[order], weights


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    tiny_sets(), st.sampled_from(["nDCG@10", "AP", "RR", "P@5", "ERR@20", "Disagreement"]), st.booleans(), st.booleans()
)
def test_tiny_and_degenerate_sets(case, measure, deployable, sparse):
    X, y, qid, weights = case
    model = auto(measure, folds=2, deployable=deployable).fit(
        sp.csr_matrix(X) if sparse else X, y, qid, query_weight=weights
    )
    scores = model.predict(X, qid)
    assert scores.shape == y.shape
    assert np.isfinite(scores).all()
    lines = model.report_.lines
    assert all(line.endswith((".", ")")) and "nan" not in line and "\n" not in line for line in lines)
    counted = len(set(qid)) if weights is None else np.count_nonzero(weights)
    if counted == 1:
        assert any(line.startswith("There is one query") for line in lines)
        assert math.isnan(model.estimate_.mean)
        return
    mean, low, high = model.estimate_
    assert low <= mean + 1e-12
    assert mean <= high + 1e-12
    assert model.learned_ or lines[0].startswith("Nothing ")
    assert any(line.startswith(f"Best at {measure}: ") for line in lines)
    assert len(model.leaderboard_) >= 3
    if np.ptp(scores) == 0:  # never a silent null model
        assert not model.learned_


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda X, y, q: (X[:12], y[:12], q[:12]), "There is one query: nothing can be held out to judge on"),
        (lambda X, y, q: (X[:60:12], y[:60:12], q[:60:12]), "Every query has one document: there is nothing to rank."),
        (lambda X, y, q: (X[11:], y[11:], q[11:]), "1 queries have one document, and nothing to rank."),
        (lambda X, y, q: (0 * X + 3, y, q), "Every feature is constant within every query"),
        (lambda X, y, q: (X * [0, 1, 0, 1, 1, 1], y, q), "2 of 6 features are constant within every query."),
        (lambda X, y, q: (X[:, :1], y, q), "There is one feature: all that can be learned is how to use it."),
        (lambda X, y, q: (X, 0 * y + 1, q), "In every query all grades are equal: there is nothing to learn."),
        (lambda X, y, q: (X, y / 2, q), "Some grades are not whole numbers. They are taken as they are: a gain is 2^"),
        (lambda X, y, q: (X, 20 * y, q), "The largest grade is 60. With a gain of 2^grade − 1 it outweighs all others"),
        (lambda X, y, q: (X[q < 2], y[q < 2], q[q < 2]), "There are 2 queries, fewer than 3 folds: each query is a"),
        (lambda X, y, q: (X[q < 10], y[q < 10], q[q < 10]), "10 queries are few: most differences cannot be shown"),
        (lambda X, y, q: (X[q < 4], y[q < 4], q[q < 4]), "Nothing is shown to be learned: with 4 queries the best of"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_what_is_said_of_unusual_data(change, sentence):
    model = auto().fit(*change(*linear_problem(n=12)))
    assert [line for line in model.report_.lines if line.startswith(sentence)], model.report_.lines


def test_negative_grades():
    X, y, qid = linear_problem(n=8)
    model = auto("AP").fit(X, y - 1, qid)
    assert "Some grades are negative. They are taken as they are: a document is relevant from grade 1 on." in (
        model.report_.lines
    )
    with pytest.raises(rk.InputError, match=r"nDCG@10 needs grades ≥ 0, got -\d"):
        auto().fit(X, y - 5, qid)
    model = auto("AP").fit(X, y - 5, qid)
    assert any(line.startswith("No document is relevant, for no grade is 1 or more") for line in model.report_.lines)


def test_large_grades():
    X, y, qid = linear_problem(n=6)
    with pytest.raises(rk.InputError, match="grades above 1000 overflow the gain"):
        auto().fit(X, y * 1e6, qid)
    assert np.isfinite(auto("nDCG(dcg='log2')@10").fit(X, y * 1e6, qid).estimate_.mean)
    assert np.isfinite(auto("AP(rel=1000)").fit(X, y * 1e6, qid).estimate_.mean)


def test_a_cutoff_beyond_every_list_is_said():
    lines = auto("P@20").fit(*linear_problem(n=8)).report_.lines
    assert "No query has 20 documents: P@20 looks at whole lists." in lines


def test_random_grades_are_not_learned():
    rng = np.random.default_rng(0)
    X, _, qid = linear_problem(n=40)
    model = auto().fit(X, rng.integers(0, 3, len(X)), qid)
    assert not model.learned_
    assert model.report_.lines[0].startswith("Nothing was learned: no candidate is shown to rank better than chance")


def test_what_is_learned_and_how_good_it_is():
    data = rk.RankingData(*linear_problem(n=60, noise=0.5))
    model = auto().fit(data)
    fresh = rk.RankingData(*linear_problem(seed=9, n=400, noise=0.5))
    assert model.learned_
    assert model.estimate_.low < model.score(fresh) < model.estimate_.high
    assert model.leaderboard_[0].verdict == "best"
    floor = next(r for r in model.leaderboard_ if r.name == "single feature")
    assert floor.verdict.startswith("worse (p = ")
    assert model.report_.lines[0].startswith("Best at nDCG@10: ")
    assert any(line.startswith("The simplest candidate, feature 1 alone, reaches ") for line in model.report_.lines)
    assert model.predict(data).tolist() == model.best_.predict(data).tolist()


def test_an_error_measure():
    model = auto("Disagreement").fit(*linear_problem(n=30))
    means = [r.mean for r in model.leaderboard_]
    assert means == sorted(means)
    assert model.estimate_.low < model.estimate_.mean < model.estimate_.high < 0.4
    assert model.learned_
    assert model.score(*linear_problem(n=30)) < 0


# Folds ----------------------------------------------------------------------------------------------------------------


def test_folds_of_every_kind_that_are_the_same_give_the_same():
    X, y, qid = linear_problem(n=9, m=6)
    numbers = np.arange(9) % 3
    one = auto(folds=numbers).fit(X, y, qid)
    rows = np.repeat(numbers, 6)
    for folds in (rows, rows.tolist(), numbers + 5, PredefinedSplit(rows)):
        other = auto(folds=folds).fit(X, y, qid)
        assert other.estimate_ == one.estimate_
        assert plain_rows(other) == plain_rows(one)
    assert auto(folds=QueryKFold(3, seed=0)).fit(X, y, qid).estimate_ == auto().fit(X, y, qid).estimate_


def test_rows_in_any_order():
    """Folds and groups by row belong to the rows of the arrays."""
    X, y, qid = linear_problem(n=9, m=6)
    order = np.concatenate([np.arange(0, 54, 2), np.arange(1, 54, 2)])  # queries are cut, and appear in the same order
    rows = np.repeat(np.arange(9) % 3, 6)
    for settings_, options, shuffled in (
        ({"folds": rows}, {}, {"folds": rows[order]}),
        ({"folds": PredefinedSplit(rows)}, {}, {"folds": PredefinedSplit(rows[order])}),
        ({}, {"groups": rows}, {}),
    ):
        one = auto(**settings_).fit(X, y, qid, **options)
        by_order = {name: value[order] for name, value in options.items()}
        other = auto(**shuffled).fit(X[order], y[order], qid[order], **by_order)
        assert other.estimate_.mean == pytest.approx(one.estimate_.mean)
        np.testing.assert_allclose(other.predict(X, qid), one.predict(X, qid), rtol=1e-3, atol=1e-6)


def test_folds_that_cannot_be_used():
    X, y, qid = linear_problem(n=6, m=4)
    for folds, error in [
        (1, "folds must be a whole number, at least 2; got 1"),
        ([0] * 6, "folds must have at least two different numbers"),
        ([-1] * 6, "folds must have a number from 0 on for some queries"),
        ([0, 1], "folds must have a value for each of the 6 queries or the 24 rows, got 2"),
        (np.arange(24) % 2, "folds must be the same in all rows of a query; query 0 has several"),
        ("five", "folds must be a number of folds, an array of whole numbers or have a method split, got 'five'"),
        (KFold(5), r"KFold\(.*\) cuts query 1: split by groups, as QueryKFold does"),
        (TimeSeriesSplit(2, test_size=8), r"TimeSeriesSplit\(.*\) leaves 2 queries out of split 1; folds train"),
        (GroupKFold(7), r"GroupKFold\(.*\) cannot split the data: Cannot have number of splits"),
    ]:
        with pytest.raises(rk.InputError, match=error):
            auto(folds=folds).fit(X, y, qid)
    with pytest.raises(rk.InputError, match="expected between 2 and 1 folds"):
        auto().fit(X, y, qid, groups=np.zeros(24))


def test_groups_stay_together(monkeypatch):
    X, y, qid = linear_problem(n=8, m=4)
    groups = np.array(["a", "b", "a", "b", "c", "c", "d", "d"])
    used = []
    monkeypatch.setattr(module, "FoldData", lambda *parts: (used.append(parts[1]), race.FoldData(*parts))[1])
    model = auto(folds=5).fit(X, y, qid, groups=np.repeat(groups, 4))
    (folds,) = used
    assert len({(g, f) for g, f in zip(groups, folds, strict=True)}) == 4
    assert "There are 4 groups of queries, fewer than 5 folds: each group of queries is a fold." in model.report_.lines


def test_validation_data_of_its_own():
    X, y, qid = linear_problem(n=10)
    valid = rk.RankingData(*linear_problem(seed=3, n=12))
    model = auto().fit(X, y, qid, valid=valid)
    single = rk.SingleFeature(both_signs=True).fit(X, y, qid)
    row = next(r for r in model.leaderboard_ if r.name == "single feature")
    assert row.mean == pytest.approx(single.score(valid))
    assert model.report_.queries == 12
    sparse = rk.RankingData(sp.csr_matrix(valid.X), valid.y, valid.qid)
    assert auto().fit(X, y, qid, valid=sparse).estimate_ == model.estimate_
    one = auto().fit(X, y, qid, valid=valid.subset([0]))
    assert math.isnan(one.estimate_.low)
    assert any(line.startswith("On the only query that was judged on") for line in one.report_.lines)
    assert np.isfinite(auto().fit(X[:12], y[:12], qid[:12], valid=valid).estimate_.low)  # one query to learn from
    with pytest.raises(rk.InputError, match="the validation data has 2 features, the training data 6"):
        auto().fit(X, y, qid, valid=rk.RankingData(X[:, :2], y, qid))
    with pytest.raises(rk.InputError, match="valid must be a RankingData with grades"):
        auto().fit(X, y, qid, valid=X)
    named = rk.RankingData(X, y, qid, feature_names=list("abcdef"))
    with pytest.raises(rk.InputError, match="trained on other features: number 1 is 'a', here 'u'"):
        auto().fit(named, valid=rk.RankingData(X, y, qid, feature_names=list("uvwxyz")))


def test_a_query_without_weight_counts_for_nothing():
    X, y, qid = linear_problem(n=9)
    weights = np.array([1.0, 2, 0, 1, 0, 3, 1, 1, 2])
    some = np.isin(qid, np.flatnonzero(weights))
    one = auto().fit(X, y, qid, query_weight=weights)
    other = auto().fit(X[some], y[some], qid[some], query_weight=weights[weights > 0])
    assert one.estimate_ == other.estimate_
    assert one.predict(X, qid).tolist() == other.predict(X, qid).tolist()
    folds = np.arange(9) % 3
    assert (
        auto(folds=folds).fit(X, y, qid, query_weight=weights, groups=folds).estimate_
        == auto(folds=folds[weights > 0]).fit(X[some], y[some], qid[some], query_weight=weights[weights > 0]).estimate_
    )
    alone = auto().fit(X, y, qid, query_weight=[0, 0, 1, 0, 0, 0, 0, 0, 0])
    assert any(line.startswith("There is one query") for line in alone.report_.lines)


def test_weights_count_in_the_means():
    X, y, qid = linear_problem(n=9)
    weights = np.array([1.0, 2, 4, 1, 5, 3, 1, 1, 2])
    row = auto(candidates=[SINGLE]).fit(X, y, qid, query_weight=weights).leaderboard_[0]
    plain = auto(candidates=[SINGLE]).fit(X, y, qid).leaderboard_[0]
    assert row.mean != pytest.approx(plain.mean)


def test_near_duplicates_are_warned_of():
    X, y, qid = linear_problem(n=8)
    X[12:24] = X[:12]
    with pytest.warns(NearDuplicateWarning, match="1 pairs of queries in different folds .* such as 0 and 1"):
        auto(folds=np.arange(8) % 2).fit(X, y, qid)


def test_more_documents_than_are_compared(monkeypatch):
    monkeypatch.setattr(module, "SAMPLE", 100)
    X, y, qid = linear_problem(n=20)
    model = auto().fit(X, y, qid)
    assert "Candidates are compared on 8 of 20 queries; the best is fitted on all." in model.report_.lines
    assert model.report_.queries == 8
    alone = auto(candidates=[SINGLE]).fit(X, y, qid)
    assert alone.predict(X).tolist() == rk.SingleFeature(both_signs=True).fit(X, y, qid).predict(X).tolist()
    monkeypatch.setattr(module, "SAMPLE", 10)  # two queries, which may be in one fold
    for seed in range(4):
        auto(folds=2, seed=seed, candidates=[SINGLE]).fit(X[:48], y[:48], qid[:48])


# Parameters -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings_", "error"),
    [
        ({"measure": "nDGC@10"}, "unknown measure"),
        ({"measure": "wpd"}, "AutoRanker needs a measure of grades|unknown measure"),
        ({"candidates": []}, "candidates must name at least one candidate"),
        ({"candidates": 5}, "candidates must be 'auto' or a list of names of candidates, got 5"),
        ({"candidates": ["single featur"]}, "unknown candidate 'single featur'. Did you mean 'single feature'"),
        ({"candidates": ["single feature"] * 2}, "candidates must have different names, got 'single feature' twice"),
        ({"budget": 0}, "budget must be a positive number, got 0"),
        ({"seed": -1}, "seed must be a whole number, at least 0; got -1"),
        ({"workers": 0}, "workers must be a whole number, at least 1; got 0"),
    ],
)
def test_parameters_that_make_no_sense(settings_, error):
    with pytest.raises(rk.InputError, match=error):
        auto(**settings_).fit(*linear_problem(n=4))


def test_other_bad_input():
    X, y, qid = linear_problem(n=4)
    with pytest.raises(rk.InputError, match="AutoRanker needs grades, the data has a preference graph"):
        auto().fit(X, rk.Preferences([0], [1]), qid)
    with pytest.raises(rk.InputError, match="query_weight"):
        auto().fit(X, y, qid, query_weight=[1.0, 2.0])
    with pytest.raises(rk.InputError, match="no candidate could be judged: bad: failed: InputError: C must be"):
        auto(candidates=[Candidate("bad", "linear", {"C": -1.0}, None, PLAIN, (0.1, 0))]).fit(X, y, qid)


@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_checks():
    check_estimator(auto(candidates=["single feature", "uniform fusion"], folds=2), on_skip=None)


def test_clone_and_names_of_a_frame():
    pandas = pytest.importorskip("pandas")
    X, y, qid = linear_problem(n=8)
    frame = pandas.DataFrame(X, columns=list("uvwxyz"))
    model = clone(auto(candidates=["single feature"])).fit(frame, y, qid)
    assert model.feature_names_in_.tolist() == list("uvwxyz")
    assert model.report_.lines[0].startswith(("Best at nDCG@10: single feature (u)", "Nothing"))
    assert any("single feature (u)" in line for line in model.report_.lines)
    assert model.predict(frame, qid).tolist() == model.predict(rk.RankingData(X, y, qid)).tolist()
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[list("vuwxyz")], qid)


# The same on every machine, and on disk -------------------------------------------------------------------------------


def test_same_seed_same_bits_with_any_number_of_workers():
    X, y, qid = linear_problem(n=12, m=6)
    names, weights = np.array([f"q{i}" for i in qid]), np.linspace(1, 2, 12)
    rows = [SINGLE, LINEAR, REGRESSION]
    models = [auto(candidates=rows, workers=w).fit(X, y, names, query_weight=weights) for w in (1, 1, 2)]
    for other in models[1:]:
        assert other.estimate_ == models[0].estimate_
        assert plain_rows(other) == plain_rows(models[0])
        assert other.report_.lines == models[0].report_.lines
        assert other.predict(X, names).tobytes() == models[0].predict(X, names).tobytes()


SCRIPT = """
import numpy as np, rankine as rk, scipy.sparse as sp
rng = np.random.default_rng(0)
X = sp.random(60, 5, 0.5, "csr", random_state=0)
y, qid = rng.integers(0, 3, 60), np.repeat(np.arange(12), 5)
model = rk.AutoRanker("AP", ["single feature", "linear listnet"], 2, workers=WORKERS).fit(X, y, qid)
result = [*map(float.hex, model.estimate_), *map(float.hex, model.predict(X, qid).tolist())]
print(result)
"""


def test_a_script_without_a_guard(tmp_path, capsys):
    """It starts processes, which do not run it again; sparse data arrives there as it is."""
    (tmp_path / "script.py").write_text(SCRIPT.replace("WORKERS", "2"))
    done = subprocess.run([sys.executable, "script.py"], capture_output=True, text=True, check=False, cwd=tmp_path)
    exec(SCRIPT.replace("WORKERS", "1"), {})
    assert done.stdout == capsys.readouterr().out, done.stderr


def test_saved_and_loaded(tmp_path):
    data = judged_set(n_queries=10)
    model = auto("AP", [SINGLE, UNIFORM, REGRESSION], folder=tmp_path / "run").fit(data)
    by_query = FusedRanker.of(model.best_.members_ if isinstance(model.best_, FusedRanker) else [model.best_],
                              [1.0] * len(getattr(model.best_, "members_", [0])),
                              [1.0] * len(getattr(model.best_, "members_", [0])), True)  # fmt: skip
    for best in (model.best_, rk.SingleFeature().fit(data), by_query, FusedRanker.of([by_query], [1.0], [2.0], False)):
        model.best_ = best
        model.save(tmp_path / "m.json")
        again = rk.load(tmp_path / "m.json")
        assert isinstance(again, rk.AutoRanker)
        assert again.predict(data).tobytes() == model.predict(data).tobytes()
        assert again.estimate_ == model.estimate_
        assert again.learned_ == model.learned_
        assert str(again.report_) == str(model.report_)
        assert plain_rows(again) == plain_rows(model)
    assert again.get_params()["candidates"] == ["single feature", "uniform fusion", "regression"]
    for name in ("leaderboard.json", "leaderboard.csv", "leaderboard.png", "report.md", "report.html"):
        assert (tmp_path / "run" / name).exists()


def test_a_file_with_other_candidates_is_read_and_saved_again(tmp_path):
    """They may have other names in a later version; only a fit asks for them."""
    data = judged_set(n_queries=4)
    model = auto("AP", [SINGLE], 2).fit(data)
    for candidates in (["of another version"], 5, None, {"a": [1]}):
        model.candidates = candidates
        model.save(tmp_path / "m.json")
        rk.load(tmp_path / "m.json").save(tmp_path / "again.json")
        again = rk.load(tmp_path / "again.json")
        assert again.candidates == candidates
        assert again.predict(data).tolist() == model.predict(data).tolist()
        with pytest.raises(rk.InputError, match="candidate"):
            again.fit(data)


@pytest.mark.parametrize("folds", [[0, 0, 1, 1, 2, 2], GroupKFold(2), 3])
def test_a_model_is_saved_whatever_the_folds_were(folds, tmp_path):
    data = judged_set(n_queries=6)
    model = auto("AP", [SINGLE], np.array(folds) if isinstance(folds, list) else folds).fit(data)
    model.save(tmp_path / "m.json")
    assert rk.load(tmp_path / "m.json").predict(data).tolist() == model.predict(data).tolist()


@pytest.mark.filterwarnings("ignore::rankine.rankers.linear.NothingLearnedWarning")
def test_one_query_is_saved_too(tmp_path):
    X, y, qid = linear_problem(n=1)
    model = auto(folder=str(tmp_path)).fit(0 * X, y, qid)
    assert model.report_.lines[-1] == "It learned nothing: it scores all documents alike."
    model.save(tmp_path / "m.json")
    assert math.isnan(rk.load(tmp_path / "m.json").estimate_.mean)
    assert (tmp_path / "leaderboard.json").exists()


# What may happen on the way -------------------------------------------------------------------------------------------


def test_ctrl_c_fits_the_best_so_far(monkeypatch):
    work = race.run_job

    def interrupted(job, of):
        if job.ranker == "linear":
            raise KeyboardInterrupt
        return work(job, of)

    monkeypatch.setattr(race, "run_job", interrupted)
    X, y, qid = linear_problem(n=8)
    model = auto().fit(X, y, qid)
    assert "Stopped after 2 of 3 candidates." in model.report_.lines
    assert model.leaderboard_[-1].verdict == "not finished: Ctrl-C"
    assert model.predict(X, qid).shape == y.shape


def test_ctrl_c_during_the_fusion(monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "fused_configurations", interrupted)
    model = auto().fit(*linear_problem(n=8))
    assert "Stopped after 3 of 3 candidates." in model.report_.lines


def test_ctrl_c_during_the_last_fit(monkeypatch, capsys):
    work, calls = module.fitted, []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return work(*arguments)

    monkeypatch.setattr(module, "fitted", interrupted)
    problem = linear_problem(n=8)
    model = auto(verbose=True).fit(*problem)
    assert "the next Ctrl-C ends without a model" in capsys.readouterr().err
    monkeypatch.setattr(module, "fitted", work)
    np.testing.assert_array_equal(model.predict(problem[0]), auto().fit(*problem).predict(problem[0]))


def test_the_budget():
    X, y, qid = linear_problem(n=8)
    model = auto(candidates=[SINGLE, UNIFORM, REGRESSION], budget=1e-6).fit(X, y, qid)
    assert "The time was over after 2 of 3 candidates." in model.report_.lines
    rows = {r.name: r.verdict for r in model.leaderboard_}
    assert rows["regression"] == "not finished: the time was over"
    assert np.isfinite([r.mean for r in model.leaderboard_ if r.name in ("single feature", "uniform fusion")]).all()
    enough = auto(candidates=[SINGLE, UNIFORM, REGRESSION], budget=1000).fit(X, y, qid)
    assert enough.estimate_ == auto(candidates=[SINGLE, UNIFORM, REGRESSION]).fit(X, y, qid).estimate_


def test_each_candidate_is_told_of(capsys):
    auto(verbose=True).fit(*linear_problem(n=8))
    lines = capsys.readouterr().err.splitlines()
    assert [line.split("  ")[0] for line in lines] == ["single feature", "uniform fusion", "linear"]
    assert all(" [" in line and line.endswith(" s") for line in lines)


def test_explanations_go_as_far_as_the_best():
    X, y, qid = linear_problem(n=8)
    model = auto(candidates=[LINEAR]).fit(X, y, qid)
    assert model.explain(X[0]) == model.best_.explain(X[0])
    model.best_ = rk.RankBoost(n_rounds=2).fit(X, y, qid)
    with pytest.raises(rk.InputError, match="only linear models can be explained by feature, the best is a RankBoost"):
        model.explain(X[0])


def test_deployable_models_score_a_document_by_itself():
    X, y, qid = linear_problem(n=20)
    model = auto(deployable=True, candidates=[*TINY, REGRESSION]).fit(X, y, qid)
    assert "fusion by query" not in {r.name for r in model.leaderboard_}
    np.testing.assert_allclose(model.predict(X, qid), [model.predict(row[None])[0] for row in X])
