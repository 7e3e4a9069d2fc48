"""Importing the package is light; its public names are loaded when first used."""

import json
import subprocess
import sys

import pytest

import rankine as rk
from rankine.spoken.archive import create_or_open
from rankine.spoken.lattice.formats import one_best

# runs a command and prints the modules that were imported, on the last line
COMMAND = """
import json, sys
from rankine.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code
print()
print(json.dumps(sorted(sys.modules)))
"""
# each takes longer to import than a search takes, or imports something that does
HEAVY = {
    "pyarrow", "sklearn", "pandas", "polars", "matplotlib", "lightgbm", "xgboost", "torch", "onnx", "filelock",
    "scipy.sparse", "scipy.stats", "scipy.optimize", "gruut", "networkx", "pocketsphinx", "soundfile",
    "rankine.losses", "rankine.measures", "rankine.rankers.base", "rankine.solvers", "rankine.io.tables.parquet",
    "rankine.system.parallel", "rankine.spoken.index.build", "rankine.spoken.index.changes",
    "rankine.spoken.lattice.formats", "rankine.spoken.lattice.lattice", "rankine.spoken.learn.learning",
    "rankine.spoken.recognise.run",
}  # fmt: skip


@pytest.mark.parametrize("module", ["rankine", "rankine.spoken", "rankine.cli"])
def test_importing_is_light(module):
    heavy = ("numpy", "numba", "scipy", "pyarrow", "matplotlib", "pandas")
    code = f"import {module}, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def modules(*arguments):
    """The modules that a command imports."""
    command = [sys.executable, "-c", COMMAND, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    ("language", "text", "query", "other"),
    [
        ("en", "the printing press", "printing press", {"pycrfsuite", "pypinyin", "rapidfuzz"}),
        ("en", "the printing press", "zyxomat press", {"pypinyin"}),
        ("zh", "设定 温度", "温度", {"pycrfsuite"}),
    ],
)
def test_a_cold_search_imports_only_what_it_uses(tmp_path, language, text, query, other):
    archive = create_or_open(tmp_path / "archive", language)
    archive.lattices.add([("talk", one_best([(w, i, i + 1.0, 0.9) for i, w in enumerate(text.split())]))])
    imported = modules("spoken", "search", tmp_path / "archive", query)
    assert "rankine.spoken.search.results" in imported
    assert imported & (HEAVY | other) == set()


@pytest.mark.parametrize("arguments", [("--help",), ("spoken", "--help"), ("spoken", "search", "--help")])
def test_help_imports_no_numbers(arguments):
    assert modules(*arguments) & {"numpy", "numba", "msgspec", *HEAVY} == set()


def test_the_program_collects_garbage_seldom():
    code = "import gc; from rankine.cli import program\ntry: program()\nexcept SystemExit: print(gc.get_threshold()[0])"
    done = subprocess.run([sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=True)
    assert int(done.stdout.splitlines()[-1]) >= 50_000


def test_public_names():
    assert set(rk.__all__) <= set(dir(rk))
    assert all(hasattr(rk, name) for name in rk.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = rk.nothing
