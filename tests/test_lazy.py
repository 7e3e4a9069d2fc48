"""Importing the package is light; its public names are loaded when first used."""

import subprocess
import sys

import pytest

import rankine as rk


def test_importing_is_light():
    heavy = ("numba", "scipy", "pyarrow", "matplotlib", "pandas")
    code = f"import rankine, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert set(rk.__all__) <= set(dir(rk))
    assert all(hasattr(rk, name) for name in rk.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = rk.nothing
