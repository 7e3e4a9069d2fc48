"""Running the command line within a test."""

import io
import sys
import warnings
from typing import NamedTuple

import pytest

from rankine.system.limits import FEATURES, SIZE


class Done(NamedTuple):
    """What a command printed, as of :func:`subprocess.run`."""

    stdout: str
    stderr: str


def rankine(folder, *arguments, code=0, stdin=None, env=None):
    """Run the command line in this process: a process per call would be most of the time of these tests."""
    from rankine.cli import main

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    given = io.TextIOWrapper(stdin if stdin is not None else io.BytesIO(), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("default")
        patch.chdir(folder)
        for variable in (SIZE, FEATURES):  # a command may set them
            patch.setenv(variable, "")
        for key, value in (env or {}).items():
            patch.setenv(key, value)
        for name, value in (("stdout", out), ("stderr", err), ("stdin", given), ("argv", ["rankine", *arguments])):
            patch.setattr(sys, name, value)
        try:
            main()
            status = 0
        except SystemExit as end:
            status = end.code or 0
    given.detach()
    done = Done(out.buffer.getvalue().decode("utf-8"), err.buffer.getvalue().decode("utf-8"))
    assert status == code, done.stderr
    return done
