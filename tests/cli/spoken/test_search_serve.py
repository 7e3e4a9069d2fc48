"""``rankine spoken serve``: its options reach the server; without the packages it says what to install."""

import sys

import pytest

from rankine.web.server import ServeOptions

from ..running import rankine


def test_options_reach_the_server(tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr("rankine.web.server.serve", lambda *arguments: calls.append(arguments))
    rankine(tmp_path, "spoken", "serve", "archive")
    assert calls.pop() == ("archive", ServeOptions())
    options = ("--port", "9000", "--host", "0.0.0.0", "--no-browser", "--read-only", "--token-for", "ann")
    rankine(tmp_path, "spoken", "serve", "archive", *options, "--token-for", "bob")
    assert calls.pop()[1] == ServeOptions("0.0.0.0", 9000, False, True, None, None, ("ann", "bob"))


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_packages_that_are_missing(tmp_path, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    done = rankine(tmp_path, "spoken", "serve", "archive", code=1)
    assert 'pip install -e ".[web]"' in done.stderr
