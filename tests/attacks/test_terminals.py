"""Hostile names on a terminal, and that the attack would see one."""

import pytest

from attacks import terminals


def test_nothing_reaches_a_terminal(capfd):
    assert terminals.attack(16, 1) == []
    assert " 0 failures" in capfd.readouterr().out


@pytest.mark.parametrize(
    "output", [b"EVIL\x1b[2J", b"a\x9b", "a\u202eb".encode(), "\x9d".encode(), b"EVIL\x1b]0;x\x07", b"Traceback"]
)
def test_the_attack_sees_what_is_wrong(output):
    clean = b"\x1b[1mbold\x1b[0m \x1b[2K\r EVIL\\x1b[2J\r\n\xc3\xa9\n"
    assert terminals.problem(clean) == ""
    if output != b"a\x9b":  # a lone byte is no text
        assert terminals.problem(clean + output)
