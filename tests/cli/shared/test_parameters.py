"""Options of ``train`` and ``tune``: each is used or refused by its name, in any combination, and never ignored."""

from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rankine as rk
from rankine.cli import train as train_module
from rankine.cli.shared.parameters import given_options, value_of
from rankine.rankers.table import TABLE
from rankine.sample import judged_set

from ..running import rankine

NAMES = [name for name in TABLE if name not in ("neural", "boosted")]  # those need packages
# option, its value, the parameter that it sets, what the parameter is then
TRAIN = [
    ("--folds", "3", "folds", 3),
    ("--budget", "7.5", "budget", 7.5),
    ("--seed", "3", "seed", 3),
    ("--workers", "1", "workers", 1),
    ("--folder", "f", "folder", "f"),
    ("--deployable", None, "deployable", True),
    ("--candidate", "single feature", "candidates", ["single feature"]),
    ("--loss", "svm-map", "loss", "svm-map"),
    ("--weights", "partial-order", "loss_options", {"A": "partial-order"}),
    ("-C", "0.5", "C", 0.5),
    ("--normalise", "zscore", "normalise", "zscore"),
    ("--solver", "bundle", "solver", "bundle"),
    ("--schedule", "pass", "schedule", "pass"),
    ("--tol", "0.05", "tol", 0.05),
    ("--max-iter", "17", "max_iter", 17),
    ("--set", "n_rounds=4", "n_rounds", 4),
]
TUNE = [
    ("--loss", "svm-map", "loss", ["svm-map"]),
    ("--weights", "yue", "loss_options", [{"A": "yue"}]),
    ("-C", "0.3:4", "C", [0.3, 1, 4.0]),
    ("--rounds", "3,6", "n_rounds", [3, 6]),
    ("--normalise", "zscore", "normalise", ["zscore"]),
    ("--set", "both_signs=true", "both_signs", [True]),
]
WAYS = [("--valid", "valid.txt"), ("--path", "0.1:1"), ("--plot", "p.png"), ("-m", "AP")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("options")
    rk.save_letor(judged_set(n_queries=4), folder / "data.txt")
    rk.save_letor(judged_set(n_queries=4, seed=2), folder / "valid.txt")
    return folder


def words(options):
    return [word for option, value, *_ in options for word in (option, value) if word is not None]


def refused(folder, arguments):
    """The message if the command refuses its options, None if it goes on to train."""
    try:
        rankine(folder, *arguments)
    except AssertionError as error:  # exit code 1
        return str(error).splitlines()[0]
    return None


def named(message, options):
    """Whether a message names one of the options, or the name that one was given."""
    by_value = ("--set", "--loss", "--weights", "--ranker")
    words = (
        [o[0] for o in options]
        + ["schedule"] * ("--schedule" in dict(o[:2] for o in options))
        + [o[1].partition("=")[0] for o in options if o[0] in by_value]
    )
    return any(word in message for word in words)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from([None, *NAMES]),
    st.lists(st.sampled_from(TRAIN), max_size=4, unique_by=lambda o: o[0]),
    st.lists(st.sampled_from(WAYS), max_size=3, unique_by=lambda o: o[0]),
)
def test_an_option_of_train_is_used_or_refused(folder, ranker, options, ways):
    arguments = ["train", "data.txt", "-o", "m.json", *words(options), *words(ways)]
    arguments += [] if ranker is None else ["--ranker", ranker]
    with patch.object(train_module, "_train") as trained:
        message = refused(folder, arguments)
    if message is not None:
        assert named(message, [*options, *ways]), message
        return
    task, _, valid, output = trained.call_args[0]
    parameters = task.estimator.get_params()
    for option, _, name, value in options:
        assert parameters[name] == value, option
    given = dict(ways)
    assert (valid is not None) == ("--valid" in given)
    assert (task.path is not None) == ("--path" in given)
    assert task.plot == given.get("--plot")
    assert ("-m" not in given) or task.measures == ["AP"]
    assert output == "m.json"


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from([name for name in NAMES if name != "auto"]),
    st.lists(st.sampled_from(TUNE), max_size=3, unique_by=lambda o: o[0]),
    st.lists(
        st.sampled_from(
            [("--valid", "valid.txt"), ("--folds", "3"), ("--seed", "5"), ("--workers", "1"), ("-m", "AP"),
             ("--folder", "f")]
        ),
        max_size=3, unique_by=lambda o: o[0],
    ),
)  # fmt: skip
def test_an_option_of_tune_is_used_or_refused(folder, ranker, options, ways):
    arguments = ["tune", "data.txt", "--ranker", ranker, *words(options), *words(ways)]
    with patch("rankine.rankers.auto.tuning.tune", side_effect=rk.InputError("begun")) as tune:
        message = refused(folder, arguments)
    if "begun" not in message:
        assert named(message, [*options, *ways, ("--ranker", ranker)]), message
        assert not tune.called
        return
    (_, _, grid), settings_of = tune.call_args
    for option, _, name, value in options:
        assert grid[name] == value, option
    given = dict(ways)
    assert (settings_of["valid"] is not None) == ("--valid" in given)
    for name, option, default in (("folds", "--folds", 5), ("seed", "--seed", 0), ("workers", "--workers", None)):
        assert settings_of[name] == (int(given[option]) if option in given else default)
    assert settings_of["measure"] == given.get("-m", "nDCG@10")
    assert settings_of["folder"] == given.get("--folder")


def test_values_and_options():
    assert [value_of(text) for text in ("3", "1e-2", "false", "none", '{"a": 1}', "zscore")] == [
        3, 0.01, False, None, {"a": 1}, "zscore",
    ]  # fmt: skip
    assert given_options("linear", ["C"], {"C": ("-C", 2.0), "tol": ("--tol", None)}) == {"C": 2.0}
