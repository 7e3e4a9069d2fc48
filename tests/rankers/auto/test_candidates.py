"""The table of candidates: every row can be made and swept, and is for tasks that it suits."""

from inspect import signature

import pytest

import rankine as rk
from rankine.rankers.auto import candidates as module
from rankine.rankers.auto.candidates import (
    CANDIDATES,
    MEASURE,
    STRUCTURED,
    TIGHT,
    WIDE,
    Task,
    allowance,
    named,
    structured_loss,
)
from rankine.rankers.auto.estimate import DEAR, FLOOR, PLAIN
from rankine.rankers.table import TABLE, row_of

MEASURES = ["nDCG@10", "AP", "RR", "P@5", "ERR@20", "Disagreement", "DCG@5", "Success@3"]


def task(measure="nDCG@10", queries=100, documents=2000, features=20, sparse=False, deployable=False):
    return Task(measure, queries, documents, features, sparse, deployable)


@pytest.mark.parametrize("row", CANDIDATES, ids=lambda row: row.name)
def test_rows(row):
    assert row.ranker in TABLE
    assert row.level in (FLOOR, PLAIN, DEAR)
    assert min(row.seconds) >= 0
    kind = row_of(row.ranker).load()
    parameters = signature(kind).parameters
    assert set(row.settings) <= set(parameters)
    if row.sweep is not None:
        name, values = row.sweep
        name = "C" if name == "C_steps" else name
        assert name in parameters
        assert name not in row.settings
        assert list(values) == sorted(set(values))  # from simple to involved
    for measure in MEASURES:
        settings = row.settings_for(task(measure))
        assert not {MEASURE, STRUCTURED, TIGHT, f"{STRUCTURED}:tight"} & set(map(str, settings.values()))
        if row.reason_against(task(measure)):
            continue
        model = kind(**settings)
        model.check_parameters()


def test_names_differ_and_cheap_ones_come_first():
    names = [row.name for row in CANDIDATES]
    assert len(set(names)) == len(names)
    assert not set(names) & {"auto", "fusion", "fusion by query"}
    levels = [row.level for row in CANDIDATES]
    assert levels == sorted(levels)
    assert levels[0] == FLOOR


@pytest.mark.parametrize("measure", MEASURES)
def test_the_structural_loss_of_a_measure_exists(measure):
    loss = structured_loss(measure)
    assert rk.losses.get(loss) is not None
    assert rk.losses.get(f"{loss}:tight") is not None


def test_sparse_data_is_not_filled():
    for row in CANDIDATES:
        if not row.reason_against(task(sparse=True)):
            assert row.settings_for(task(sparse=True)).get("normalise") is None
            assert row.ranker != "uniform"


def test_deployable_candidates_do_not_look_at_the_query():
    for row in CANDIDATES:
        if str(row.settings.get("normalise", "")).startswith("query-"):
            assert row.settings_for(task(deployable=True))["normalise"] == "zscore"


def test_missing_packages_are_named(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    for row in CANDIDATES:
        extra = TABLE[row.ranker].extra
        assert (row.reason_against(task()) == f"needs the extra [{extra}]") == bool(extra)


def test_costs_grow_with_the_data():
    small, large = task(), task(documents=10**6, features=136)
    assert large.millions == pytest.approx(136)
    for row in CANDIDATES:
        assert row.cost(large) >= row.cost(small)
    assert allowance(small) < allowance(large) <= 600


def test_named():
    assert named("auto") == CANDIDATES
    assert named(["uniform fusion", CANDIDATES[0]]) == (CANDIDATES[1], CANDIDATES[0])
    assert named("single feature") == named(CANDIDATES[0]) == (CANDIDATES[0],)
    with pytest.raises(rk.InputError, match=r"unknown candidate 'singel feature'\. Did you mean 'single feature'\?"):
        named(["singel feature"])


def test_wide_data_is_for_few_candidates_with_few_settings():
    wide = task(sparse=True)._replace(n_features=WIDE + 1)
    left = [row.for_task(wide) for row in CANDIDATES if not row.reason_against(wide)]
    assert [row.name for row in left] == ["linear listnet", "linear consistent-ndcg@10"]
    assert [len(row.sweep[1]) for row in left] == [4, 4]
    assert CANDIDATES[2].for_task(task()) is CANDIDATES[2]
