"""A few faults of disks and clocks, and hard-linked archives."""

import pytest

from attacks import disks


@pytest.mark.skipif(not disks.may_mount(), reason="this process may not mount file systems")
def test_a_full_disk_is_one_line_and_nothing_is_lost(capfd):
    assert disks.attack(10, 4713, ["spoken pack"]) == []
    said = capfd.readouterr().out
    assert "full disk: 3" in said
    assert "full disks: 0" not in said


def test_commands_survive_faults(capfd):
    assert disks.attack(30, 3, ["rank", "spoken judge", "spoken weights"]) == []
    assert "links: 3" in capfd.readouterr().out
