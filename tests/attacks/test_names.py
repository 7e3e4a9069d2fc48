"""Hostile names in archives: a few of the attacks, and that an attack that succeeds is noticed."""

import pytest

from attacks import names

pytest.importorskip("soundfile")


def test_no_victim_is_touched():
    lines = []
    assert names.run(60, seed=4, report=lines.append) == 0, lines
    assert lines[-1].startswith("60 hostile names (seed 4)")


def test_an_attack_that_succeeds_is_noticed(monkeypatch):
    def disloyal(archive):
        (archive.parent / "victims" / "victim.txt").write_text("changed")
        return ""

    monkeypatch.setattr(names, "COMMANDS", {"search": disloyal})
    lines = []
    assert names.run(3, seed=1, report=lines.append) == 3
    assert "victims" in lines[0]
