"""Signals to a few commands; how long an answer takes is measured by ``python -m attacks.signals`` only."""

import signal

from attacks import signals
from attacks.scenes import Scene


def test_a_command_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(signals, "LIMIT", 60.0)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    scene = Scene("demo", ["demo", "out"])
    try:
        for twice in (False, True):
            problem, _, _ = signals.interrupt(scene, tmp_path, 1.0, signal.SIGINT, twice)
            assert problem == ""
    finally:
        signal.signal(signal.SIGINT, before)


def test_what_is_wrong_is_seen():
    assert signals.wrong(130, 2, "rankine: stopping", True, 0.1, 0.0, []) == ""
    assert "exit code 1" in signals.wrong(1, 2, "rankine: stopping", True, 0.1, 0.0, [])
    assert "acknowledged after 0.60 s" in signals.wrong(130, 2, "rankine: stopping", True, 0.6, 0.0, [])
    assert "processes left" in signals.wrong(130, 2, "rankine: stopping", True, 0.1, 0.0, [7])
