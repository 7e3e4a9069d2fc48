"""Compiling is announced where someone is watching; the check of bounds works, whatever was compiled before."""

import os
import subprocess
import sys

from rankine import kernel

from .terminals import lines_on_terminal

PLANTED = """
import numpy as np
from rankine.kernel import kernel

@kernel
def overrun(x, i):
    x[i] = 1.0
    return x[0]

memory = np.zeros(8)
print(overrun(memory[:4], 4))
"""


def test_the_first_compilation_is_announced_on_a_terminal(monkeypatch, capsys):

    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    compiled = kernel.kernel(lambda x: x + 1, cache=False)
    listener = kernel._Announce()
    with kernel.event.install_listener("numba:compile", listener):
        assert compiled(1) == 2
    assert listener.announced
    assert "compiling for this machine" in capsys.readouterr().err


COMPILING = """
from planted import twice
from rankine.system.parallel import process_map

def work(x):
    return twice(x)

if __name__ == "__main__":
    twice(1)
    print(*process_map(work, range(4), 2, patience=-1.0, chunk=1))
"""


def test_of_all_processes_one_announces_that_it_compiles(tmp_path):
    (tmp_path / "planted.py").write_text(
        "from rankine.kernel import kernel\n\n@kernel(cache=False)\ndef twice(x):\n    return 2 * x\n"
    )
    (tmp_path / "compiling.py").write_text(COMPILING)
    code, lines = lines_on_terminal("compiling.py", folder=tmp_path)
    assert (code, lines[-1]) == (0, "0 2 4 6")
    assert len([line for line in lines if "compiling for this machine" in line]) == 1


def run_planted(path, **settings):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    command = [sys.executable, str(path)]
    return subprocess.run(command, env={**environment, **settings}, capture_output=True, text=True)


def test_a_planted_overrun_is_seen(tmp_path):
    """The first run fills the cache beside the file; the check must not be lost to it."""
    path = tmp_path / "planted.py"
    path.write_text(PLANTED)
    assert run_planted(path).stdout == "0.0\n"
    assert list(tmp_path.rglob("*.nbi"))
    for settings in ({}, {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}):
        checked = run_planted(path, NUMBA_BOUNDSCHECK="1", **settings)
        assert checked.returncode == 1
        assert "IndexError: index is out of bounds" in checked.stderr
    assert list((tmp_path / "cache").rglob("*.nbi"))
