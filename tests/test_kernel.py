"""Compiling is announced where someone is watching."""

from rankine import kernel


def test_the_first_compilation_is_announced_on_a_terminal(monkeypatch, capsys):

    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    compiled = kernel.kernel(lambda x: x + 1, cache=False)
    listener = kernel._Announce()
    with kernel.event.install_listener("numba:compile", listener):
        assert compiled(1) == 2
    assert listener.announced
    assert "compiling for this machine" in capsys.readouterr().err
