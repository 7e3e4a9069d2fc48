"""What follows from the values of configurations: the best, the estimate, chance, the floor, the rows."""

from types import SimpleNamespace

import numpy as np
import pytest

import rankine as rk
from rankine.rankers.auto.contest import Configuration
from rankine.rankers.auto.estimate import DEAR, FLOOR, FUSED, GAIN, PLAIN, corrected, interval, p_better
from rankine.rankers.auto.outcome import CHANCE, Outcome

from ...cases import linear_problem

DATA = rk.RankingData(*linear_problem(n=30))


def configuration(name, level, values, params=None):
    return Configuration(name, params or {}, level, np.asarray(values, float), np.zeros(len(DATA.y), np.float32), 1.0)


def outcome(configurations, measure="AP", weights=None, entries=()):
    contest = SimpleNamespace(task=SimpleNamespace(measure=measure), entries=list(entries))
    return Outcome(contest, configurations, DATA, weights, 0)


def noise(seed, mean=0.5):
    return np.random.default_rng(seed).normal(mean, 0.05, 30)


def test_the_best_and_its_estimate():
    rows = [configuration("floor", FLOOR, noise(0)), configuration("plain", PLAIN, noise(1, 0.6)),
            configuration("dear", DEAR, noise(1, 0.6) + GAIN / 2)]  # fmt: skip
    out = outcome(rows)
    assert out.best is rows[1]  # the dear one gains too little
    assert out.uncorrected == pytest.approx(noise(1, 0.6).mean() + GAIN / 2)
    values = np.stack([c.values for c in rows])
    assert out.estimate == corrected(values, np.array([FLOOR, PLAIN, DEAR]))
    assert out.floor == 0
    assert out.over_floor == corrected(values, np.array([FLOOR, PLAIN, DEAR]), against=0)
    assert out.over_floor.low > 0
    assert [r.verdict.split(" (")[0] for r in out.rows()] == ["not shown to be worse", "best", "worse"]


@pytest.mark.parametrize("measure", ["AP", "Disagreement"])
def test_at_the_end_of_the_range(measure):
    """A single candidate that cannot be exceeded is preferred to a fusion; nothing is certain, or beyond the end."""
    rng = np.random.default_rng(0)
    some = [np.where(rng.uniform(size=30) < 0.1, 0.5, 1.0) for _ in range(9)]
    rows = [configuration(f"c{i}", PLAIN, v) for i, v in enumerate([np.ones(30), *some])]
    out = outcome([*rows, configuration("fusion", FUSED, np.ones(30))], measure)
    assert out.best is rows[0]
    assert all(0 <= r.low < r.high <= 1 for r in out.rows())
    sure = outcome(rows[:1], measure).estimate
    assert (sure.high if measure == "Disagreement" else 1 - sure.low) == pytest.approx(1 - 0.05 ** (1 / 30))


def test_weights():
    weights = np.linspace(0.1, 3, 30)
    rows = [configuration("a", PLAIN, noise(0)), configuration("b", PLAIN, noise(1))]
    out = outcome(rows, weights=weights)
    means = [np.average(c.values, weights=weights) for c in rows]
    assert out.means.tolist() == pytest.approx(means)
    assert out.best is rows[int(np.argmax(means))]
    assert out.estimate == corrected(out.values, out.classes, weights)
    assert {r.name: r.mean for r in out.rows()} == {
        c.name: pytest.approx(interval(c.values, weights).mean) for c in rows
    }


def test_without_a_floor():
    out = outcome([configuration("a", PLAIN, noise(0))])
    assert out.floor is None
    assert out.over_floor is None
    only = outcome([configuration("a", FLOOR, noise(0))])
    assert only.floor == 0
    assert only.over_floor is None


def test_chance_is_the_mean_over_random_orders():
    rng = np.random.default_rng(0)
    drawn = [rk.evaluate("AP", DATA.y, rng.uniform(size=len(DATA.y)), DATA.qid).per_query["AP"] for _ in range(2000)]
    out = outcome([configuration("a", PLAIN, noise(0))])
    np.testing.assert_allclose(out.chance, np.mean(drawn, axis=0), atol=0.03)
    errors = outcome([configuration("a", PLAIN, noise(0))], measure="Disagreement")
    assert errors.chance.mean() == pytest.approx(0.5, abs=0.15)


def test_the_test_of_chance_counts_every_configuration():
    """Fusions and all settings of a sweep are among them."""
    chance = outcome([configuration("a", PLAIN, noise(0))]).chance
    rows = [configuration("a", PLAIN, chance + noise(i, 0.0), {"C": i}) for i in range(9)]
    rows.append(configuration("fusion", FUSED, chance + noise(99, 0.02)))
    out = outcome(rows)
    least = min(p_better(c.values - chance) for c in rows)
    assert out.p_of_chance == pytest.approx(min(1, 10 * least))
    assert out.learned == (out.p_of_chance < CHANCE)
    alone = outcome([rows[-1]])
    assert alone.p_of_chance == pytest.approx(p_better(rows[-1].values - chance))


def test_nothing_is_learned_from_chance_alone():
    count = 0
    for seed in range(40):
        chance = outcome([configuration("a", PLAIN, noise(0))]).chance
        rng = np.random.default_rng(seed)
        count += outcome([configuration("a", PLAIN, chance + rng.normal(0, 0.2, 30)) for _ in range(20)]).learned
    assert count <= 2


def test_errors_are_shown_as_errors():
    rows = [configuration("a", PLAIN, 1 - noise(0, 0.3)), configuration("b", PLAIN, 1 - noise(1, 0.2))]
    out = outcome(rows, measure="Disagreement")
    assert out.best is rows[1]
    assert out.uncorrected == pytest.approx(noise(1, 0.2).mean())
    assert out.estimate.low < out.estimate.mean < out.estimate.high < 0.3
    assert [r.name for r in out.rows()] == ["b", "a"]
    assert [r.mean for r in out.rows()] == [pytest.approx(noise(1, 0.2).mean()), pytest.approx(noise(0, 0.3).mean())]


def test_rows_are_the_best_of_each_candidate_and_what_was_stopped():
    stopped = SimpleNamespace(candidate=SimpleNamespace(name="trees"), stopped="not tried: needs x", seconds=0.0)
    complete = SimpleNamespace(candidate=SimpleNamespace(name="a"), stopped="", seconds=1.0)
    rows = [configuration("a", PLAIN, noise(0), {"C": 1}), configuration("a", PLAIN, noise(0) + 0.1, {"C": 2}),
            configuration("b", PLAIN, noise(0) - 0.1)]  # fmt: skip
    out = outcome(rows, entries=[complete, stopped])
    assert [(r.name, r.params) for r in out.rows()] == [("a", {"C": 2}), ("b", {}), ("trees", {})]
    assert out.rows()[-1].verdict == "not tried: needs x"
    assert np.isnan(out.rows()[-1].mean)
    assert out.failures() == "trees: not tried: needs x"


def test_rows_choose_their_setting_on_the_other_folds():
    """Each setting is best on one half of the queries: chosen on the other half, it is the worse one."""
    half = np.arange(30) % 2
    one, two = np.where(half == 0, 0.9, 0.1), np.where(half == 0, 0.1, 0.9)
    rows = [configuration("a", PLAIN, one, {"C": 1}), configuration("a", PLAIN, two, {"C": 2})]
    contest = SimpleNamespace(task=SimpleNamespace(measure="AP"), entries=[])
    assert Outcome(contest, rows, DATA, None, 0, half).rows()[0].mean == pytest.approx(0.1)
    assert Outcome(contest, rows, DATA, None, 0).rows()[0].mean == pytest.approx(0.5)


def test_the_best_of_many_is_lowered_before_a_fusion_is_compared_with_it():
    many = [configuration("a", PLAIN, noise(i), {"C": i}) for i in range(40)]
    best = max(c.values.mean() for c in many)
    fused = configuration("fusion", FUSED, noise(99, 0.5) - noise(99, 0.5).mean() + best - 0.002)
    out = outcome([*many, fused])
    assert 0.004 < out.optimism < 0.04
    assert out.without_fusion == pytest.approx(best - out.optimism)
    assert out.best is fused
