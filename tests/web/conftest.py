"""A server over a small archive."""

import pytest

from .cases import Site, usual


@pytest.fixture(autouse=True)
def own_settings(tmp_path, monkeypatch):
    monkeypatch.setenv("RANKINE_SETTINGS", str(tmp_path / "settings.json"))


@pytest.fixture
def site(tmp_path):
    return Site(usual(tmp_path / "place").folder)


@pytest.fixture
def client(site):
    return site.client()
