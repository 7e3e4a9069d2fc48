"""A few kills of a recognition with a recogniser whose model is always here."""

from attacks import recognition


def test_added_in_the_end_as_without_kills(capfd):
    assert recognition.attack(3, 1, ["pocketsphinx"]) == []
    said = capfd.readouterr().out
    assert "pocketsphinx: " in said
    assert "3 kills, 0 failures" in said
