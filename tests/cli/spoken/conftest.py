"""A folder of lattices for the commands, and the archive with judged queries that tests of learning use."""

import pytest

from rankine.system import progress

from ...spoken.conftest import taught
from ...spoken.lattice.cases import SLF

__all__ = ["taught"]


@pytest.fixture(autouse=True)
def no_lines(monkeypatch):
    """No lines of progress, however slow a test is."""
    monkeypatch.setattr(progress, "EVERY", float("inf"))


@pytest.fixture
def place(tmp_path):
    folder = tmp_path / "lattices"
    folder.mkdir()
    (folder / "good.slf").write_text(SLF)
    return tmp_path
