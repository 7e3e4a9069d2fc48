"""A few random histories of an archive, some with kills, and that the attack would see what is wrong."""

import random

import pytest

from attacks import histories
from attacks.history_steps import STEPS
from attacks.history_world import KINDS, World

pytest.importorskip("soundfile")


def test_archives_hold_what_the_model_says(capfd):
    assert histories.attack(15, 0, 3) == []
    assert " 0 failures" in capfd.readouterr().out


def test_kills_lose_nothing(capfd):
    assert histories.attack(5, 5, 4) == []
    assert " 0 failures" in capfd.readouterr().out


@pytest.fixture
def world(tmp_path, monkeypatch):
    monkeypatch.setenv("RANKINE_SETTINGS", "")
    world = World(tmp_path / "world", "new")
    world.record(world.audio / "a.wav")
    plan = STEPS["add"][0](world, random.Random(0))
    plan.act()
    plan.effect()
    assert world.differences() == []
    return world


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_too_many_is_seen(world, kind):
    key, value = next(pair for seed in range(9) if all(pair := KINDS[kind].make(random.Random(seed))))
    KINDS[kind].write(world.open(), ["a"], key, value)
    assert world.differences()[0].startswith(f"{kind} of a: ")


def test_a_recording_that_is_lost_is_seen(world):
    world.open().recordings.delete(["a"])
    assert world.differences() == ["recordings are [], not ['a']"]


def test_a_sound_that_is_heard_twice_is_seen(world):
    world.model.heard.clear()
    assert world.differences() == ["heard too often: {1: 1}"]


def test_a_failure_becomes_short(tmp_path, monkeypatch):
    monkeypatch.setitem(STEPS, "merge", (lambda world, rng: 1 / 0, 1))
    steps = tuple(histories.Step(name, 1) for name in ("add", "new", "merge", "add"))
    history = histories.History("new", steps)
    failure = histories.play(history, tmp_path / "world", histories.Costs(), histories.Tally.empty())
    short, failure = histories.shortened(history, failure, tmp_path / "world")
    assert [step.name for step in short.steps] == ["merge"]
    assert "ZeroDivisionError" in failure.what
