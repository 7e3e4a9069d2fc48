"""A few kills of judges and a learner."""

from attacks import judging


def test_acknowledged_judgments_are_there_once(capfd):
    assert judging.attack(3, 2) == []
    assert " 0 failures" in capfd.readouterr().out
