"""A few faults of disks and clocks, and hard-linked archives."""

from attacks import disks


def test_commands_survive_faults(capfd):
    assert disks.attack(24, 3, ["rank", "spoken judge", "spoken weights"]) == []
    assert "links: 3" in capfd.readouterr().out
