"""Importing the package is light; its public names are loaded when first used."""

import subprocess
import sys

import pytest

import rankine as rk


@pytest.mark.parametrize("module", ["rankine", "rankine.spoken", "rankine.cli"])
def test_importing_is_light(module):
    heavy = ("numpy", "numba", "scipy", "pyarrow", "matplotlib", "pandas")
    code = f"import {module}, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_public_names():
    assert set(rk.__all__) <= set(dir(rk))
    assert all(hasattr(rk, name) for name in rk.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = rk.nothing
