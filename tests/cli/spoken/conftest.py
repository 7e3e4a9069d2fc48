"""A folder of lattices for the commands, and the archive with judged queries that tests of learning use."""

import pytest

from ...spoken.conftest import taught
from ...spoken.lattice.cases import SLF

__all__ = ["taught"]


@pytest.fixture
def place(tmp_path):
    folder = tmp_path / "lattices"
    folder.mkdir()
    (folder / "good.slf").write_text(SLF)
    return tmp_path
