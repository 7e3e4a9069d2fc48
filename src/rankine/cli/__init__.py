"""The command line: one small file per command. Data goes to standard output, all else to standard error."""

from __future__ import annotations

import gc
import os
import signal
import sys
import warnings
from typing import Any

from ..errors import shown
from ..system.console import say
from ..system.signals import SIGNALS, watched

_FEW_COLLECTIONS = 50_000  # new objects after which Python looks for garbage: every 700 takes a tenth of a cold start
_notes: set[str] = set()  # what was said of the input: once


def program() -> None:
    """The program ``rankine``: once :func:`main` is done, signals have nothing to stop any more."""
    gc.set_threshold(_FEW_COLLECTIONS)
    try:
        main()
    finally:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)


def main() -> None:
    """Run the command line; bad input ends in one line on standard error and exit code 1."""
    _notes.clear()
    with watched():
        warnings.showwarning = _show_warning  # type: ignore[assignment]
        try:
            code = _run()
            sys.stdout.flush()
        except BrokenPipeError:
            _abandon_output()
            raise SystemExit(0) from None
        except Exception as error:
            if os.environ.get("RANKINE_TRACEBACK"):
                raise
            if isinstance(error, OSError):
                _abandon_output()
            say(f"rankine: {_in_words(error)}", lines=True)
            raise SystemExit(1) from None
        raise SystemExit(code)


def _run() -> int:
    """Run the command that the arguments name; its exit code."""
    import typer

    from .app import app

    try:
        return app(standalone_mode=False) or 0
    except typer.Abort:
        say("rankine: the input ended before the answer")
        return 1
    except Exception as error:
        if not hasattr(error, "format_message"):  # an error of usage; the class is not public
            raise
        from typer.rich_utils import rich_format_error

        error.message = shown(error.message)  # type: ignore[attr-defined]
        rich_format_error(error)  # type: ignore[arg-type]
        return error.exit_code  # type: ignore[attr-defined]


def _show_warning(message: Any, *_: Any) -> None:
    from ..errors import InputNote

    if not isinstance(message, InputNote):
        say(f"rankine: warning: {message}")
    elif str(message) not in _notes:
        _notes.add(str(message))
        say(message)


def _in_words(error: Exception) -> str:
    from ..errors import in_lines

    if isinstance(error, ValueError | OSError | TypeError | MemoryError):
        return in_lines(error)
    return shown(f"this is a bug in Rankine: {type(error).__name__}: {error}; RANKINE_TRACEBACK=1 shows where")


def _abandon_output() -> None:
    """What is left in the buffer of standard output has no reader, or no room: the end of the program is quiet."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
