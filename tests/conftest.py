"""Shared fixtures: the place of the real data, and how many tests were skipped for want of it."""

import os
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("rankine", deadline=None, derandomize=True)
settings.load_profile("rankine")

# settings of tests are not those of whoever runs them; processes that tests start have the same
SETTINGS = tempfile.TemporaryDirectory(prefix="rankine-test-")
os.environ["RANKINE_SETTINGS"] = os.path.join(SETTINGS.name, "settings.json")

# and no model is there, unless a test asks for those of whoever runs it
OWN_MODELS = os.environ.get("RANKINE_MODELS")
os.environ["RANKINE_MODELS"] = os.path.join(SETTINGS.name, "models")

# a shell lets what it starts in the background ignore Ctrl-C, which some tests send
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

WANT_DATA = "needs real data: set RANKINE_DATA"


@pytest.fixture(scope="session")
def real_data() -> Path:
    place = os.environ.get("RANKINE_DATA")
    if not place:
        pytest.skip(WANT_DATA)
    return Path(place)


@pytest.fixture
def own_models(monkeypatch):
    """The models of recognisers of whoever runs the tests."""
    if OWN_MODELS is None:
        monkeypatch.delenv("RANKINE_MODELS")
    else:
        monkeypatch.setenv("RANKINE_MODELS", OWN_MODELS)


def pytest_terminal_summary(terminalreporter):
    skipped = [r for r in terminalreporter.stats.get("skipped", []) if WANT_DATA in str(r.longrepr)]
    terminalreporter.write_line(f"{len(skipped)} tests were skipped for want of the real data (RANKINE_DATA)")
