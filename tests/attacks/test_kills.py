"""A few kills of every command that writes."""

from attacks import kills
from rankine.system.files import is_temporary


def test_nothing_is_lost(capfd):
    names = ["rank", "spoken index", "spoken delete", "spoken judge", "spoken weights"]
    assert kills.attack(10, 2, names) == []
    assert " 0 failures" in capfd.readouterr().out


def test_whole_archives_are_there_or_not(capfd):
    names = ["spoken pack", "spoken unpack", "spoken check --repair"]
    assert kills.attack(8, 3, names) == []
    assert " 0 failures" in capfd.readouterr().out


def test_events_are_those_that_change_files(tmp_path):
    calls = []

    def profile(frame, event, function):
        if event == "c_call" and kills.changes_files(function):
            calls.append(function.__name__)

    import sys

    from rankine.system.files import write_file

    sys.setprofile(profile)
    try:
        write_file(tmp_path / "a", "x".replace("x", "y").encode(), durable=True)
    finally:
        sys.setprofile(None)
    assert {"open", "write", "fsync", "replace"} <= set(calls)
    assert calls.count("replace") == 1  # not that of a text
    assert not any(is_temporary(p) for p in tmp_path.iterdir())
