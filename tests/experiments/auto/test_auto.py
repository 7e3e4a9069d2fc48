"""``rankine experiment auto``: its parts on small sets, and that a run goes on where it was stopped."""

import json

import numpy as np
import pytest

import rankine as rk
from experiments.auto import auto
from experiments.auto import honesty as auto_honesty
from experiments.auto import peers as auto_peers
from experiments.auto import time as auto_time
from rankine.sample import judged_set

FEW = ["single feature", "linear listnet"]


@pytest.fixture
def small(sets, monkeypatch):
    """Two small LETOR sets, few candidates, few fresh queries."""
    (sets / "letor" / "ohsumed").symlink_to(sets / "letor" / "mq2008")
    for module in (auto_peers, auto_time):
        monkeypatch.setattr(module, "CANDIDATES", FEW)
    monkeypatch.setattr(auto_honesty, "CHANCE_CANDIDATES", FEW)
    monkeypatch.setattr(auto_honesty, "honesty_candidates", lambda: FEW)
    monkeypatch.setattr(auto_honesty, "FRESH", 50)
    monkeypatch.setitem(auto_honesty.REAL, "mq2008", 12)
    monkeypatch.setitem(auto_honesty.REAL, "ohsumed", 10)
    monkeypatch.setattr(auto_peers, "TREES", (2, 5))
    monkeypatch.setattr(auto_peers, "LIGHTGBM_GRID", ((7, 0.1, 5, 1.0), (3, 0.1, 5, 1.0)))
    monkeypatch.setattr(auto_peers, "XGBOOST_GRID", ((2, 0.1, 1.0),))
    return sets


def run(part, folder, sets=10):
    return auto.experiment(part, ["mq2008"], sets, folder, 1)


def test_peers(small, tmp_path, monkeypatch):
    pytest.importorskip("lightgbm")
    pytest.importorskip("xgboost")
    monkeypatch.setattr(auto, "peers", lambda: auto_peers.peers()[:5])
    done = run("peers", tmp_path / "out")
    mean, ndcg, ap = done.tables
    systems = ["AutoRanker", "single feature", "LightGBM lambdarank", "LightGBM lambdarank, tuned", "XGBoost rank:ndcg",
               "XGBoost rank:ndcg, tuned"]  # fmt: skip
    for table in done.tables:
        assert [row[0] for row in table.rows] == systems
    assert ndcg.title == "MQ2008, nDCG@10"
    assert "30 test queries" in ndcg.text
    assert sum(row[-1] in ndcg.text for row in ndcg.rows[1:]) == 5
    assert [row[1] for row in mean.rows] == [row[1] for row in ndcg.rows]
    assert [row[2] for row in mean.rows] == [row[1] for row in ap.rows]
    assert (tmp_path / "out" / "peers" / "report.html").exists()


def test_the_whole_grid(small, tmp_path):
    pytest.importorskip("lightgbm")
    for table in run("grid", tmp_path / "out").tables:
        assert [row[0] for row in table.rows] == ["AutoRanker", "LightGBM lambdarank, tuned"]
        assert table.rows[1][6] == "2.0"  # settings


def test_the_estimate_against_the_truth(small, tmp_path):
    rows, choices = run("honesty", tmp_path / "out").tables
    assert [(row[0], row[1]) for row in rows.rows] == [
        ("12 queries of MQ2008", "3"), ("10 queries of OHSUMED (LETOR 3.0)", "3"), ("synthetic", "4"),
        ("synthetic, noise 0 × signal", "2"), ("synthetic, noise 1 × signal", "1"),
        ("synthetic, noise 4 × signal", "1"), ("all", "10"),
    ]  # fmt: skip
    assert sum(int(n) for _, n in choices.rows) == 10


def test_random_grades(small, tmp_path):
    (table,) = run("chance", tmp_path / "out", sets=20).tables
    assert [row[1] for row in table.rows] == ["3", "3", "4", "10"]
    assert table.rows[-1][2] == "0"


def test_floors_and_time(small, tmp_path, monkeypatch):
    monkeypatch.setattr(auto, "FLOOR_MEASURES", ("AP",))
    (table,) = run("floors", tmp_path / "out").tables
    assert [row[:2] for row in table.rows] == [("MQ2008", "AP"), ("bundled sample", "AP")]
    for row in table.rows:
        assert float(row[4]) == pytest.approx(float(row[3]) - float(row[2]), abs=1.01e-4)
    monkeypatch.setattr(auto, "SECONDS", {"mq2008": 1e6, "3,000 × 300, sparse": 0.0})
    (table,) = run("time", tmp_path / "out").tables
    assert table.rows[0][1].startswith("30 queries")
    assert "3,000 documents, 300 features" in table.rows[1][1]
    assert [row[3] for row in table.rows] == ["at most 1e+06: held", "at most 0: NOT HELD"]


def test_a_run_goes_on_where_it_was_stopped(small, tmp_path, monkeypatch):
    begun: list[int] = []
    original = rk.AutoRanker.fit

    def fit(self, *arguments):
        begun.append(1)
        if len(begun) == 3:
            raise KeyboardInterrupt
        return original(self, *arguments)

    monkeypatch.setattr(rk.AutoRanker, "fit", fit)
    with pytest.raises(KeyboardInterrupt):
        run("chance", tmp_path / "out", sets=8)
    assert len(list((tmp_path / "out" / "jobs" / "chance").iterdir())) == 2
    (table,) = run("chance", tmp_path / "out", sets=8).tables
    assert len(begun) == 3 + 2
    assert table.rows[-1][1] == "4"
    run("chance", tmp_path / "out", sets=8)
    assert len(begun) == 5


def test_a_damaged_file_is_named(small, tmp_path):
    run("chance", tmp_path / "out", sets=2)
    (file,) = (tmp_path / "out" / "jobs" / "chance").iterdir()
    file.write_text(json.dumps({"learned": 3}))
    with pytest.raises(rk.InputError, match=f"{file.name}.*remove the file"):
        run("chance", tmp_path / "out", sets=2)


@pytest.mark.parametrize(
    ("part", "sets", "message"),
    [("peer", 10, "unknown part 'peer'. Did you mean 'peers'"), ("chance", 0, "at least 1")],
)
def test_bad_options(tmp_path, part, sets, message):
    with pytest.raises(rk.InputError, match=message):
        auto.experiment(part, ["mq2008"], sets, tmp_path, 1)


def test_tuning_chooses_on_held_out_queries_within_its_time():
    """A model that knows the grades wins for one measure, and only the first setting is tried if there is no time."""
    data = judged_set(n_queries=12)

    def staged(train, setting):
        return lambda held_out: np.outer(setting[0] * np.arange(5), held_out.y)

    grid = [(1.0,), (-1.0,)]
    scores, choice, tried = auto_peers.tuned(staged, grid, data, data, ["AP"], seconds=1e6)
    np.testing.assert_array_equal(scores["AP"], 4 * data.y)
    assert (choice, tried) == ("AP: (1.0,), 400 trees", 2)
    assert auto_peers.tuned(staged, grid, data, data, ["AP"], seconds=0.0)[2] == 1


def test_verdicts():
    queries = np.random.default_rng(0).uniform(size=60)
    reports = {"AutoRanker": auto._report(queries, "AP")}
    for name, values in {"worse": queries - 0.3, "better": queries + 0.3, "equal": queries}.items():
        reports[name] = auto._report(values, "AP")
    pairs = auto.compare_reports(reports, baseline="AutoRanker").pairs
    assert [auto.verdict(p) for p in pairs] == ["AutoRanker is better", "AutoRanker is worse", "AutoRanker is equal"]


def test_the_interval_of_a_fixed_model_covers_as_often_as_it_says():
    """Means of 50 of 106 values against the mean of the others: 90 % only if the error of the others is allowed for."""
    rng = np.random.default_rng(0)
    outcome = []
    for _ in range(2000):
        values = rng.permutation(rng.uniform(size=106))
        inside, rest = values[:50], values[50:]
        half = 1.645 * inside.std() / np.sqrt(50)
        outcome.append({"estimate": inside.mean(), "low": inside.mean() - half, "high": inside.mean() + half,
                        "truth": rest.mean(), "error_of_truth": rest.std() / np.sqrt(56)})  # fmt: skip
    plain, widened = auto.coverage(outcome)
    assert plain < 0.8
    assert 0.88 < widened < 0.92


def test_a_refitted_fusion_has_members_of_its_own():
    data = judged_set(n_queries=20)
    part = data.subset(np.arange(10))
    members = [rk.LinearRanker("listnet").fit(data), rk.SingleFeature("AP").fit(data)]
    fused = auto_honesty.FusedRanker.of(members, [0.5, 0.5], [1.0, 2.0], False)
    again = auto_honesty.refitted(fused, part)
    np.testing.assert_array_equal(again.members_[0].coef_, rk.LinearRanker("listnet").fit(part).coef_)
    assert again.scales_ == (1.0, 2.0)


def test_made_sets_have_all_grades_and_fresh_queries(monkeypatch):
    monkeypatch.setattr(auto_honesty, "FRESH", 100)
    sample, fresh, *_ = auto_honesty.made(auto_honesty.HonestyJob("synthetic", 1))
    assert 60 <= sample.n_queries <= 200
    assert fresh.n_queries == 100
    assert set(np.unique(fresh.y)) == {0, 1, 2, 3, 4}


def test_the_ease_of_sets_is_0_on_the_mean(small):
    """So it may be subtracted."""
    jobs = [auto_honesty.HonestyJob("mq2008", i) for i in range(50)]
    ease = [auto_honesty.drawn(job).ease() for job in jobs]
    assert abs(np.mean(ease)) < 4 * np.std(ease) / np.sqrt(len(ease))
    of = auto_honesty.drawn(jobs[0])
    turned = auto_honesty.DrawnSet(of.rest, of.sample, of.scores_of_rest, of.scores)
    assert turned.ease() == pytest.approx(-of.ease())
