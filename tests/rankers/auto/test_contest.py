"""The contest: racing, levels, budgets, Ctrl-C, and candidates that fail while the rest goes on."""

import signal

import numpy as np
import pytest

import rankine as rk
from rankine.rankers.auto import candidates as table
from rankine.rankers.auto import contest as module
from rankine.rankers.auto.candidates import CANDIDATES, Candidate, Task
from rankine.rankers.auto.contest import LEVEL, Contest
from rankine.rankers.auto.estimate import DEAR, PLAIN, p_better
from rankine.rankers.auto.race import FoldData, FoldResult, Runner, runner

from ...cases import linear_problem

SINGLE, UNIFORM = CANDIDATES[:2]
WORSE = Candidate("worse", "regression", {"alpha": 1.0}, None, DEAR, (0.1, 0.0))
EQUAL = Candidate("equal", "regression", {"alpha": 2.0}, None, DEAR, (0.1, 0.0))


class Deadly:
    """Kills the process that it arrives in."""

    def __reduce__(self):
        return signal.raise_signal, (signal.SIGKILL,)

    def __repr__(self):
        return "Deadly()"


def contest_of(rows, n=20, folds=4, weights=None, tell=lambda line: None):
    data = rk.RankingData(*linear_problem(n=n, m=6))
    of = FoldData(data, np.arange(n) % folds, weights)
    return Contest(rows, of, Task("AP", n, 6 * n, 6, False), weights, tell)


class Given(Runner):
    """Gives values that a test makes: ``values(ranker settings, fold)`` are those of a query and configuration."""

    def __init__(self, of, values, stop=lambda job: None):
        super().__init__(of, None, None, None, np.inf)
        self.give, self.stop, self.jobs = values, stop, []

    def results(self, jobs):
        for job in jobs:
            if self.stop(job):
                return
            self.jobs.append(job)
            _queries, documents = self.of.size(job.fold)
            values = np.stack([self.give(job, np.flatnonzero(self.of.folds == job.fold)) for _ in range(job.size)])
            yield job, FoldResult(values, np.zeros((job.size, documents), np.float32), 0.1)


def by_query(seed, mean):
    return np.random.default_rng(seed).normal(mean, 0.1, 200)


GOOD, AS_GOOD, BAD = by_query(1, 0.6), by_query(2, 0.6), by_query(3, 0.2)


def given(job, queries):
    return {"single": GOOD, "uniform": GOOD - 0.01}.get(
        job.ranker, BAD if job.settings.get("alpha") == 1.0 else AS_GOOD
    )[queries]


def test_a_dear_candidate_that_is_much_worse_is_stopped():
    contest = contest_of([SINGLE, UNIFORM, WORSE, EQUAL])
    run = Given(contest.of, given)
    contest.run(run)
    stopped = {e.candidate.name: e.stopped for e in contest.entries}
    assert stopped.pop("worse").startswith("stopped after 2 of 4 folds: worse (p = ")  # 2^-5 is not enough after one
    assert set(stopped.values()) == {""}
    assert [j.fold for j in run.jobs if j.settings.get("alpha") == 1.0] == [0, 1]
    assert {c.name for c in contest.configurations()} == {"single feature", "uniform fusion", "equal"}


def test_the_level_counts_candidates_looks_and_leaders(monkeypatch):
    contest = contest_of([SINGLE, UNIFORM, WORSE, EQUAL], n=40)
    seen = np.flatnonzero(contest.of.folds == 0)
    p = p_better(GOOD[seen] - BAD[seen])
    tests = 2 * 3 * 2  # dear candidates, looks, complete configurations
    for level, stops in ((p * tests * 1.01, True), (p * tests * 0.99, False)):
        monkeypatch.setattr(module, "LEVEL", level)
        contest = contest_of([SINGLE, UNIFORM, WORSE, EQUAL], n=40)
        contest.run(Given(contest.of, given))
        assert contest.entries[2].stopped.startswith("stopped after 1 of 4") == stops
    assert LEVEL == 0.05


def test_racing_stops_as_good_candidates_seldom():
    """A dear candidate that is as good as twenty others is stopped in about 5 % of contests at most."""
    cheap = [Candidate(f"c{i}", "regression", {"alpha": float(i)}, None, PLAIN, (0.1, 0.0)) for i in range(20)]
    dear = Candidate("dear", "regression", {"alpha": 99.0}, None, DEAR, (0.1, 0.0))
    count = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        rows = {row.settings["alpha"]: rng.uniform(size=60) for row in (*cheap, dear)}
        contest = contest_of([*cheap, dear], n=60, folds=5)
        contest.run(Given(contest.of, lambda job, queries, rows=rows: rows[job.settings["alpha"]][queries]))
        count += bool(contest.entries[-1].stopped)
    assert count <= 5


def test_cheap_candidates_are_never_stopped_nor_left_out():
    cheap = WORSE._replace(level=PLAIN)
    contest = contest_of([SINGLE, cheap, EQUAL])
    contest.plan(0.0)
    contest.run(Given(contest.of, given), deadline=0.0)
    assert [e.stopped for e in contest.entries[:2]] == ["", ""]
    assert contest.entries[2].stopped.startswith("not tried: would take about")


def test_when_the_time_is_over():
    """In the middle of a round of dear candidates: what is complete counts, the leaderboard says of the rest why."""
    contest = contest_of([SINGLE, WORSE, EQUAL])
    contest.run(Given(contest.of, given, stop=lambda job: job.settings.get("alpha") == 2.0), deadline=np.inf)
    assert contest.out_of_time
    assert contest.entries[2].stopped == "not finished: the time was over"
    assert contest.entries[0].stopped == ""
    assert [c.name for c in contest.configurations()] == ["single feature"]
    late = contest_of([SINGLE, WORSE])
    late.run(Given(late.of, given), deadline=0.0)
    assert late.out_of_time
    assert late.entries[1].stopped == "not finished: the time was over"


def test_ctrl_c():
    def interrupt(job):
        if job.ranker == "uniform" and job.fold == 2:
            raise KeyboardInterrupt

    contest = contest_of([SINGLE, UNIFORM, WORSE])
    contest.run(Given(contest.of, given, stop=interrupt))
    assert contest.interrupted
    assert [e.stopped for e in contest.entries] == ["", "not finished: Ctrl-C", "not finished: Ctrl-C"]
    early = contest_of([UNIFORM, SINGLE])
    with pytest.raises(KeyboardInterrupt):  # there is nothing yet
        early.run(Given(early.of, given, stop=interrupt))


def test_values_and_scores_are_in_the_order_of_the_data():
    contest = contest_of([SINGLE], folds=3)
    with runner(contest.of, 1, None) as run:
        contest.run(run)
    (configuration,) = contest.configurations()
    data = contest.of.data
    measured = rk.evaluate("AP", data.y, configuration.scores, data.qid).per_query["AP"]
    np.testing.assert_allclose(configuration.values, measured)


def test_queries_that_are_only_learned_from_are_not_judged():
    data = rk.RankingData(*linear_problem(n=6, m=5))
    of = FoldData(data, np.array([1, -1, 0, -1, 0, 1]), np.arange(1.0, 7.0))
    contest = Contest([SINGLE], of, Task("AP", 6, 30, 6, False), of.weights)
    with runner(of, 1, None) as run:
        contest.run(run)
    (configuration,) = contest.configurations()
    assert contest.judged.tolist() == [0, 2, 4, 5]
    assert contest.weights.tolist() == [1, 3, 5, 6]
    part = data.subset(contest.judged)
    measured = rk.evaluate("AP", part.y, configuration.scores, part.qid).per_query["AP"]
    np.testing.assert_allclose(configuration.values, measured)


FAILING = Candidate("raises", "linear", {"loss": "nothing-like-it"}, ("C", (1.0,)), PLAIN, (0.1, 0.0))
DYING = Candidate("dies", "regression", {"alpha": Deadly()}, None, PLAIN, (0.1, 0.0))


def test_candidates_that_fail_leave_the_rest(monkeypatch):
    """One raises, one has no package, one dies in its worker: three lines, and the others are as without them."""
    monkeypatch.setattr(table, "find_spec", lambda name: None if name == "lightgbm" else True)
    trees = next(c for c in CANDIDATES if c.ranker == "boosted")
    told = []
    contest = contest_of([FAILING, SINGLE, DYING, trees, WORSE], folds=2, tell=told.append)
    with runner(contest.of, 2, None) as run:
        contest.run(run)
    stopped = [e.stopped for e in contest.entries]
    assert stopped[0].startswith("failed: InputError: unknown loss 'nothing-like-it'")
    assert stopped[2].startswith("failed: the worker process was killed (signal 9)")
    assert stopped[3] == "not tried: needs the extra [boost]"
    assert stopped[1] == stopped[4] == ""
    alone = contest_of([SINGLE, WORSE], folds=2)
    with runner(alone.of, 1, None) as run:
        alone.run(run)
    for one, other in zip(contest.configurations(), alone.configurations(), strict=True):
        assert one.name == other.name
        assert one.values.tobytes() == other.values.tobytes()
        assert one.scores.tobytes() == other.scores.tobytes()
    assert sum(line.startswith("raises: failed") for line in told) >= 1
    assert any(line.startswith("single feature") and " s" in line for line in told)


def test_the_line_of_a_candidate_has_its_mean_and_interval():
    told = []
    contest = contest_of([SINGLE, Candidate("sweep", "regression", {}, ("alpha", (1.0, 2.0)), PLAIN, (0, 0))],
                         tell=told.append)  # fmt: skip
    contest.run(Given(contest.of, given))
    assert len(told) == 2
    assert told[0].split()[:2] == ["single", "feature"]
    assert f"{GOOD[:20].mean():.4f} [" in told[0]
    assert "alpha 1" in told[1]
