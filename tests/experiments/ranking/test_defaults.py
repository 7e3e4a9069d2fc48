"""The experiment on defaults: what is fitted, and the tables."""

import numpy as np

from experiments.ranking import defaults
from experiments.ranking.defaults import DefaultFit, DefaultOutcome, fits, made_set, outcome, sections


def test_every_estimator_is_measured_with_its_new_and_old_defaults():
    whole, quick = fits(quick=False), fits(quick=True)
    assert len(set(whole)) == len(whole)
    assert set(quick) < set(whole)
    for data in defaults.SETS:
        assert {j.ranker for j in whole if j.data == data and not j.old} == set(defaults.NAMES)
        assert {j.ranker for j in whole if j.data == data and j.old} == set(defaults.OLD)
        assert {j.fold for j in whole if j.data == data} == set(range(5))


def test_a_fit_is_measured_on_queries_that_it_has_not_seen():
    for job in (DefaultFit("regression", False, "sample", 1), DefaultFit("single", False, "20", 0, 1.0)):
        train, test = defaults.split(job)
        assert job.data == "20" or not {*train.query_ids.tolist()} & {*test.query_ids.tolist()}
        result = outcome(job)
        assert len(result.values["AP"]) == test.n_queries
        assert result.seconds > 0
    old = outcome(DefaultFit("rankboost", True, "sample", 1))
    new = outcome(DefaultFit("rankboost", False, "sample", 1))
    assert not np.array_equal(old.values["AP"], new.values["AP"])


def test_the_tables_hold_means_over_queries():
    jobs = {
        job: DefaultOutcome({"nDCG@10": np.full(4, 0.25 + 0.5 * (job.ranker != "single")), "AP": np.full(4, 0.5)}, 2.0)
        for job in fits(quick=True)
    }
    real, other, made = sections(jobs)
    assert real.title == "MQ2008"
    assert other.rows[0][:5] == ["`SingleFeature()`", "0.2500", "0.5000", "", ""]
    assert other.rows[1][:7] == ["`LinearRanker()`", "0.7500", "0.5000", "+0.5000", "+0.0000", "0.7500", "0.5000"]
    assert next(row for row in real.rows if "Kernel" in row[0])[5:7] == ["", ""]
    assert made.rows[0] == ["20", "0", "0.2500", "0.7500", "0.7500", "0.7500"]


def test_a_made_set_is_noisier_with_more_noise():
    from rankine import LinearRanker

    quiet, loud = (LinearRanker(max_time=60.0).fit(d).score(d) for d in (made_set(30, 0.0, 1), made_set(30, 4.0, 1)))
    assert quiet > 0.9 > loud
