"""A folder of lattices for the commands."""

import pytest

from ...spoken.lattice.cases import SLF


@pytest.fixture
def place(tmp_path):
    folder = tmp_path / "lattices"
    folder.mkdir()
    (folder / "good.slf").write_text(SLF)
    return tmp_path
