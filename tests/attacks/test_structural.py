"""A short run of the attack on structural losses, and whether it would see a wrong one."""

import pytest

from attacks import structural
from rankine.losses.structured import hinge


def test_forty_losses_hold(capfd):
    assert structural.attack(40, 6) == []
    assert "40 losses" in capfd.readouterr().out


@pytest.mark.parametrize(("error", "kind"), [(1e-9, "is above the loss"), (-1e-9, "is below the loss")])
def test_a_wrong_value_is_seen(monkeypatch, error, kind):
    right = hinge.PreparedHinge.evaluate

    def wrong(self, q0, q1, scores, values, *rest):
        right(self, q0, q1, scores, values, *rest)
        values[q0:q1] += error

    monkeypatch.setattr(hinge.PreparedHinge, "evaluate", wrong)
    number = structural.names().index("svm-ndcg")
    assert kind in structural.check(structural.random_case(6, number)).wrong[0]
