"""The command line as a user meets it: help, exit codes, one-line errors, files whole or absent."""

import os
import subprocess
import sys

import pytest

import rankine as rk

from .running import rankine


def test_help_teaches(folder):
    assert "rankine demo" in rankine(folder, "--help").stdout
    for command in ("evaluate", "compare", "convert", "describe", "measures", "demo"):
        assert "Usage" in rankine(folder, command, "--help").stdout
    assert rk.__version__ in rankine(folder, "--version").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "absent.txt", "one.run"], "absent.txt: No such file"),
        (["evaluate", "qrels.txt", "qrels.txt"], "qrels.txt, line 1: expected 3, 5 or 6 fields"),
        (["evaluate", "qrels.txt", "one.run", "-m", "nDGC"], "Did you mean 'nDCG'"),
        (["evaluate", "qrels.txt", "one.run", "-m", "P@0"], "cutoff must be at least 1"),
        (["evaluate", "data.txt", "one.run"], "one.run, line 1: expected one score per line"),
        (["evaluate", "data.txt", "short.txt"], "short.txt: 1 scores, but the data set has"),
        (["evaluate", "data.txt", "nan.txt"], "nan.txt, line 1: expected a finite score"),
        (["evaluate", "data.txt", "scores.txt", "-c"], "-c and -J are for TREC judgments"),
        (["compare", "qrels.txt", "one.run"], "at least two systems"),
        (["compare", "qrels.txt", "one.run", "two.run", "--plot", "x.doc"], "picture ending in"),
        (["compare", "qrels.txt", "one.run", "two.run", "--empty", "skip"], "different queries"),
        (["convert", "qrels.txt", "out.arrow"], "qrels.txt: looks like TREC qrels, which have no features"),
        (["convert", "data.txt", "nowhere/out.arrow"], "there is no folder"),
        (["convert", "data.txt", "out.arrow", "--dtype", "int8"], "float32 or float64"),
        (["describe", "garbage.parquet"], "not a readable parquet file"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(folder, arguments, message):
    (folder / "short.txt").write_text("1\n")
    (folder / "nan.txt").write_text("nan\n")
    (folder / "garbage.parquet").write_bytes(b"\0garbage")
    before = sorted(os.listdir(folder))
    done = rankine(folder, *arguments, code=1)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert sorted(os.listdir(folder)) == before


def test_the_package_is_the_program(folder):
    command = [sys.executable, "-m", "rankine"]
    done = subprocess.run([*command, "--version"], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout == f"rankine {rk.__version__}\n"
    done = subprocess.run([*command, "describe", "none"], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)


def test_a_closed_pipe_is_not_an_error(folder):
    done = subprocess.run(
        f"{sys.executable} -c 'from rankine.cli import main; main()' measures | head -1",
        shell=True, cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr


def test_a_terminal_shows_brackets_as_they_are(folder):
    (folder / "odd.txt").write_text("[/b] 0 a 1\n")
    (folder / "odd.run").write_text("[/b] Q0 a 1 1 x\n")
    environment = os.environ | {"FORCE_COLOR": "1", "COLUMNS": "150"}
    assert "[/b]" in rankine(folder, "evaluate", "odd.txt", "odd.run", "-q", env=environment).stdout
    assert "[@k]" in rankine(folder, "measures", env=environment).stdout
